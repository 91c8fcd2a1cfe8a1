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
    const form = element.ownerDocument.getElementById(id);
    return form instanceof N('Form') ? form : null;
  };
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
    get form() {
      return formOf(this);
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
    get form() {
      return this.closest('form');
    },
    select() {},
  });
  mix(N('Button'), {
    get form() {
      return formOf(this);
    },
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
      return internal.liveElements(() =>
        dom.queryAll(idOf(this), 'button, fieldset, input:not([type=image]), object, output, select, textarea'),
      );
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
