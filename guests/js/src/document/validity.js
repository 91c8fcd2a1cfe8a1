// Constraints of form controls: what makes a value invalid, and the labels of a control.
(function (native, internal) {
  'use strict';

  const { htmlClass: N, illegal, mix, readAttribute: read, token } = internal;

  // control → the text that a program set for it
  const customMessages = new WeakMap();
  const EMAIL = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
  const LIMITED = new Set(['number', 'range', 'date', 'month', 'week', 'time', 'datetime-local']);
  const PATTERNED = new Set(['text', 'search', 'url', 'tel', 'email', 'password']);
  const BARRED = new Set(['hidden', 'button', 'reset']);

  const { numberIn: numberOf, stepOf } = internal;
  const stepsOff = (input, value) => {
    const step = stepOf(input);
    if (step === null) return false;
    const steps = (value - internal.stepStart(input)) / step;
    return Math.abs(steps - Math.round(steps)) > 1e-7;
  };

  const isEmpty = (control) => {
    if (control instanceof N('Select')) {
      // The first option can be a label, which is no choice.
      const isLabel = (option) =>
        option.value === '' && !control.multiple && control.size < 2 && option.parentNode === control && option.index === 0;
      return [...control.selectedOptions].every(isLabel);
    }
    if (control.type === 'checkbox') return !control.checked;
    if (control.type === 'radio') return !internal.radioGroup(control).some(internal.isTicked);
    return control.value === '';
  };
  const WRITABLE = new Set('text search url tel email password date month week time datetime-local number'.split(' '));
  const isReadOnly = (control) => {
    if (control instanceof N('Input') && !WRITABLE.has(control.type)) return false;
    return control.readOnly === true;
  };
  const isRequired = (control) => {
    if (control.type === 'radio') return internal.radioGroup(control).some((radio) => radio.required);
    return control.required === true;
  };
  const patternFails = (input) => {
    const pattern = read(input, 'pattern');
    if (pattern === null || !PATTERNED.has(input.type) || input.value === '') return false;
    let whole;
    try {
      // A pattern that is none by itself must not become one in brackets.
      new RegExp(pattern, 'v');
      whole = new RegExp(`^(?:${pattern})$`, 'v');
    } catch {
      return false;
    }
    const values = input.type === 'email' && input.multiple ? input.value.split(',') : [input.value];
    return values.some((value) => !whole.test(value));
  };
  const typeFails = (input) => {
    const { type, value } = input;
    if (value === '') return false;
    if (type === 'url') return URL.parse(value) === null;
    if (type !== 'email') return false;
    const values = input.multiple ? value.split(',') : [value];
    return values.some((one) => !EMAIL.test(one.trim()));
  };
  const limitFails = (input, name, isBeyond) => {
    if (!LIMITED.has(input.type)) return false;
    const value = numberOf(input.type, input.value);
    const limit = numberOf(input.type, read(input, name) ?? '');
    return !Number.isNaN(value) && !Number.isNaN(limit) && isBeyond(value, limit);
  };
  const isInput = (control) => control instanceof N('Input');
  // The flags of `validity`, in the order in which messages are chosen.
  const CHECKS = {
    customError: (control) => customMessages.has(control),
    valueMissing: (control) => isRequired(control) && !isReadOnly(control) && isEmpty(control),
    typeMismatch: (control) => isInput(control) && typeFails(control),
    patternMismatch: (control) => isInput(control) && patternFails(control),
    // Only what a person typed can be too long or too short.
    tooLong: () => false,
    tooShort: () => false,
    rangeUnderflow: (control) => isInput(control) && limitFails(control, 'min', (value, limit) => value < limit),
    rangeOverflow: (control) => isInput(control) && limitFails(control, 'max', (value, limit) => value > limit),
    stepMismatch(control) {
      if (!isInput(control) || !LIMITED.has(control.type)) return false;
      const value = numberOf(control.type, control.value);
      return !Number.isNaN(value) && stepsOff(control, value);
    },
    badInput: () => false,
  };
  const MESSAGES = {
    valueMissing: 'Please fill out this field.',
    typeMismatch: 'Please enter a value of the right form.',
    patternMismatch: 'Please match the requested format.',
    tooLong: 'Please shorten this text.',
    tooShort: 'Please lengthen this text.',
    rangeUnderflow: 'Value is too small.',
    rangeOverflow: 'Value is too large.',
    stepMismatch: 'Please enter a valid value.',
    badInput: 'Please enter a valid value.',
  };
  const failing = (control) => Object.keys(CHECKS).find((name) => CHECKS[name](control));

  class ValidityState {
    #control;
    constructor(given, control) {
      if (given !== token) throw illegal();
      this.#control = control;
    }
    get valid() {
      return failing(this.#control) === undefined;
    }
    static {
      for (const [name, check] of Object.entries(CHECKS)) {
        Object.defineProperty(ValidityState.prototype, name, {
          get() {
            return check(this.#control);
          },
          enumerable: true,
          configurable: true,
        });
      }
    }
  }
  internal.exposeClass(ValidityState);

  // Controls whose value a person can change.
  const isCandidate = (control) => {
    if (!['input', 'textarea', 'select', 'button'].includes(control.localName)) return false;
    if (control.localName === 'button' && control.type !== 'submit') return false;
    if (isInput(control) && BARRED.has(control.type)) return false;
    return !isReadOnly(control) && !control.matches(':disabled') && control.closest('datalist') === null;
  };
  const check = (control) => {
    if (!isCandidate(control) || failing(control) === undefined) return true;
    internal.fire(control, internal.trusted(new Event('invalid', { cancelable: true })));
    return false;
  };
  const states = new WeakMap();
  const validated = {
    get willValidate() {
      return isCandidate(this);
    },
    get validity() {
      let state = states.get(this);
      if (state === undefined) states.set(this, (state = new ValidityState(token, this)));
      return state;
    },
    get validationMessage() {
      const name = isCandidate(this) ? failing(this) : undefined;
      if (name === undefined) return '';
      return name === 'customError' ? customMessages.get(this) : MESSAGES[name];
    },
    checkValidity() {
      return check(this);
    },
    reportValidity() {
      return check(this);
    },
    setCustomValidity(message) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'setCustomValidity'");
      message = `${message}`;
      if (message === '') customMessages.delete(this);
      else customMessages.set(this, message);
    },
  };
  for (const name of ['Input', 'TextArea', 'Select', 'Button', 'FieldSet', 'Output', 'Object']) mix(N(name), validated);

  const checkAll = (form) => {
    let isValid = true;
    for (const control of [...form.elements]) if (!check(control)) isValid = false;
    return isValid;
  };
  mix(N('Form'), {
    checkValidity() {
      return checkAll(this);
    },
    reportValidity() {
      return checkAll(this);
    },
  });
  internal.isSubmittable = (form, submitter) =>
    form.noValidate || submitter?.hasAttribute('formnovalidate') || checkAll(form);

  const labels = {
    get labels() {
      if (this.type === 'hidden') return null;
      const all = this.getRootNode().querySelectorAll?.('label') ?? [];
      return internal.staticList([...all].filter((label) => label.control === this));
    },
  };
  for (const name of ['Input', 'TextArea', 'Select', 'Button', 'Meter', 'Output', 'Progress']) mix(N(name), labels);
});
