// Inputs, buttons and forms: values and ticks that were not there in the markup.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { htmlClass: N, idOf, mix, readAttribute: read } = internal;

  // A typed value is not an attribute, so it is kept beside the tree.
  const values = new WeakMap();
  internal.wasTyped = (control) => values.has(control);
  const checked = new WeakMap();
  const indeterminate = new WeakSet();
  // The tree has to know for `:checked`.
  const setChecked = (input, value) => {
    checked.set(input, value);
    dom.setChecked(idOf(input), value);
  };
  const formOf = (element) => {
    const id = read(element, 'form');
    if (id === null || !element.isConnected) return element.closest('form');
    const form = element.getRootNode().getElementById(id);
    return form instanceof N('Form') ? form : null;
  };
  for (const name of ['Button', 'FieldSet', 'Input', 'Object', 'Output', 'Select', 'TextArea']) {
    mix(N(name), {
      get form() {
        return formOf(this);
      },
    });
  }
  mix(N('Label'), {
    get form() {
      const { control } = this;
      return control === null ? null : (control.form ?? null);
    },
  });
  mix(N('Legend'), {
    get form() {
      const parent = this.parentElement;
      return parent instanceof N('FieldSet') ? parent.form : null;
    },
  });
  mix(N('Option'), {
    get form() {
      return this.closest('select')?.form ?? null;
    },
  });
  const LISTED = 'button, fieldset, input:not([type=image i]), object, output, select, textarea';
  // Controls can name a form that they are not in.
  const controlsOf = (form) => {
    const root = dom.root(idOf(form));
    if (dom.queryFirst(root, '[form]') === 0) return dom.queryAll(idOf(form), LISTED);
    return dom.queryAll(root, LISTED).filter((id) => internal.wrap(id).form === form);
  };
  internal.formControls = (form) => controlsOf(form).map(internal.wrap);
  mix(N('Input'), {
    get type() {
      return (read(this, 'type') ?? 'text').toLowerCase();
    },
    set type(value) {
      internal.setAttribute(this, 'type', `${value}`);
    },
    get value() {
      const own = values.get(this) ?? read(this, 'value');
      return own ?? (this.type === 'checkbox' || this.type === 'radio' ? 'on' : '');
    },
    set value(value) {
      values.set(this, value === null ? '' : `${value}`);
    },
    get checked() {
      return checked.get(this) ?? read(this, 'checked') !== null;
    },
    set checked(value) {
      if (value && this.type === 'radio') {
        for (const other of internal.radioGroup(this)) {
          if (other !== this && other.checked) setChecked(other, false);
        }
      }
      setChecked(this, Boolean(value));
    },
    get indeterminate() {
      return indeterminate.has(this);
    },
    set indeterminate(value) {
      idOf(this);
      if (value) indeterminate.add(this);
      else indeterminate.delete(this);
    },
    get list() {
      const list = this.getRootNode().getElementById?.(read(this, 'list') ?? '') ?? null;
      return list instanceof N('DataList') ? list : null;
    },
    select() {},
  });
  mix(N('TextArea'), {
    get type() {
      return 'textarea';
    },
    get value() {
      return values.get(this) ?? this.textContent;
    },
    set value(value) {
      values.set(this, value === null ? '' : `${value}`);
    },
    get defaultValue() {
      return this.textContent;
    },
    set defaultValue(value) {
      this.textContent = value;
    },
    get textLength() {
      return this.value.length;
    },
    select() {},
  });
  mix(N('Button'), {
    get type() {
      const type = (read(this, 'type') ?? 'submit').toLowerCase();
      return type === 'reset' || type === 'button' ? type : 'submit';
    },
    set type(value) {
      internal.setAttribute(this, 'type', `${value}`);
    },
  });
  mix(N('Form'), {
    get elements() {
      return internal.liveElements(() => controlsOf(this));
    },
    get length() {
      return this.elements.length;
    },
    submit() {},
    reset() {
      const event = internal.trusted(new Event('reset', { bubbles: true, cancelable: true }));
      if (!internal.fire(this, event)) return;
      for (const element of this.elements) {
        values.delete(element);
        if (checked.has(element)) setChecked(element, element.defaultChecked);
        checked.delete(element);
        indeterminate.delete(element);
      }
    },
    requestSubmit(submitter = null) {
      if (!internal.isSubmittable(this, submitter)) return;
      const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
      internal.fire(this, internal.trusted(event));
    },
  });
});
