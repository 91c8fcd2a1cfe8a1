// Forms, the controls that belong to them, and boxes that are ticked.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { htmlClass: N, idOf, mix, readAttribute: read } = internal;

  const indeterminate = new WeakSet();
  const formOf = (element) => {
    const id = read(element, 'form');
    if (id === null || !element.isConnected) return element.closest('form');
    const form = element.getRootNode().getElementById(id);
    return form instanceof N('Form') ? form : null;
  };
  internal.formOf = formOf;
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

  // The radio buttons of one group, of which one at most is ticked.
  internal.radioGroup = (radio) => {
    const name = read(radio, 'name') ?? '';
    if (name === '') return [radio];
    const form = formOf(radio);
    return dom
      .queryAll(dom.root(idOf(radio)), 'input[type=radio i]')
      .map(internal.wrap)
      .filter((other) => read(other, 'name') === name && formOf(other) === form);
  };
  // Programs replace the setter of an input to hear of changes, so changes by a click do not use it.
  internal.setTicked = (input, value) => {
    if (value && internal.inputType(input) === 'radio') {
      for (const other of internal.radioGroup(input)) {
        if (other !== input && dom.isChecked(idOf(other))) dom.setChecked(idOf(other), false);
      }
    }
    dom.setChecked(idOf(input), value);
  };
  internal.isTicked = (input) => dom.isChecked(idOf(input));
  internal.isIndeterminate = (input) => indeterminate.has(input);
  internal.setIndeterminate = (input, value) => {
    if (value) indeterminate.add(input);
    else indeterminate.delete(input);
  };
  mix(N('Input'), {
    get checked() {
      return dom.isChecked(idOf(this));
    },
    set checked(value) {
      internal.setTicked(this, Boolean(value));
    },
    get indeterminate() {
      return indeterminate.has(this);
    },
    set indeterminate(value) {
      idOf(this);
      internal.setIndeterminate(this, Boolean(value));
    },
    get list() {
      const list = this.getRootNode().getElementById?.(read(this, 'list') ?? '') ?? null;
      return list instanceof N('DataList') ? list : null;
    },
  });

  // A value that a program sets takes the place of the content, until the form is reset.
  const defaults = new WeakMap();
  mix(N('Output'), {
    get type() {
      return 'output';
    },
    get value() {
      return this.textContent;
    },
    set value(value) {
      if (!defaults.has(this)) defaults.set(this, this.textContent);
      this.textContent = `${value}`;
    },
    get defaultValue() {
      return defaults.get(this) ?? this.textContent;
    },
    set defaultValue(value) {
      if (defaults.has(this)) defaults.set(this, `${value}`);
      else this.textContent = `${value}`;
    },
  });

  const LISTED = 'button, fieldset, input:not([type=image i]), object, output, select, textarea';
  // Controls can name a form that they are not in.
  const controlsOf = (form) => {
    const root = dom.root(idOf(form));
    if (dom.queryFirst(root, '[form]') === 0) return dom.queryAll(idOf(form), LISTED);
    return dom.queryAll(root, LISTED).filter((id) => formOf(internal.wrap(id)) === form);
  };
  internal.formControls = (form) => controlsOf(form).map(internal.wrap);

  const isNamed = (element, name) => read(element, 'id') === name || read(element, 'name') === name;
  // One element, a list of some, or null.
  const named = (form, list, name) => {
    if (name === '') return null;
    const found = list().filter((id) => isNamed(internal.wrap(id), name));
    if (found.length < 2) return internal.wrap(found[0] ?? 0);
    return internal.liveNodes(() => list().filter((id) => isNamed(internal.wrap(id), name)), RadioNodeList);
  };
  class HTMLFormControlsCollection extends HTMLCollection {
    namedItem(name) {
      const form = formsOfLists.get(this);
      if (form === undefined) throw internal.illegal();
      return named(form, () => controlsOf(form), `${name}`);
    }
  }
  internal.exposeClass(HTMLFormControlsCollection);
  mix(RadioNodeList, {
    get value() {
      for (const element of this) {
        if (isRadio(element) && dom.isChecked(idOf(element))) return read(element, 'value') ?? 'on';
      }
      return '';
    },
    set value(value) {
      for (const element of this) {
        if (isRadio(element) && (read(element, 'value') ?? 'on') === `${value}`) {
          internal.setTicked(element, true);
          return;
        }
      }
    },
  });
  const isRadio = (element) => element instanceof N('Input') && internal.inputType(element) === 'radio';

  const lists = new WeakMap();
  const formsOfLists = new WeakMap();
  const elementsOf = (form) => {
    let list = lists.get(form);
    if (list === undefined) {
      list = internal.liveElements(() => controlsOf(form), HTMLFormControlsCollection);
      lists.set(form, list);
      formsOfLists.set(list, form);
    }
    return list;
  };
  mix(N('FieldSet'), {
    get type() {
      return 'fieldset';
    },
    get elements() {
      let list = lists.get(this);
      if (list === undefined) {
        lists.set(this, (list = internal.liveElements(() => dom.queryAll(idOf(this), LISTED))));
      }
      return list;
    },
  });

  const reset = (element) => {
    if (element instanceof N('Select')) {
      internal.resetSelect(element);
      return;
    }
    if (element instanceof N('Output')) {
      const text = defaults.get(element);
      defaults.delete(element);
      if (text !== undefined) element.textContent = text;
      return;
    }
    internal.forgetTyped(element);
    dom.resetChecked(idOf(element));
    indeterminate.delete(element);
  };
  mix(N('Form'), {
    get elements() {
      idOf(this);
      return elementsOf(this);
    },
    get length() {
      return controlsOf(this).length;
    },
    submit() {},
    reset() {
      const event = internal.trusted(new Event('reset', { bubbles: true, cancelable: true }));
      if (internal.fire(this, event)) internal.formControls(this).forEach(reset);
    },
    requestSubmit(submitter = null) {
      if (submitter !== null) internal.checkSubmitter(this, submitter);
      if (!this.isConnected || !internal.isSubmittable(this, submitter)) return;
      const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
      internal.fire(this, internal.trusted(event));
    },
    [Symbol.iterator]() {
      return elementsOf(this)[Symbol.iterator]();
    },
  });
  // Controls are properties of their form, unless it has a property of that name: markup cannot
  // take methods away from a program.
  internal.indexed(N('Form'), (form, key) => {
    if (internal.isIndex(key)) return internal.wrap(controlsOf(form)[+key] ?? 0) ?? undefined;
    const found = named(form, () => controlsOf(form), key);
    if (found !== null) return found;
    return named(form, () => dom.queryAll(idOf(form), 'img'), key) ?? undefined;
  });
});
