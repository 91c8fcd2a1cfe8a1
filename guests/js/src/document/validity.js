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

  // A value of the types in LIMITED as a number, or NaN.
  const numberOf = (type, text) => {
    switch (type) {
      case 'number':
      case 'range':
        return /^-?(?:\d+|\d*\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
      case 'date':
        return /^\d{4,}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00Z`) : NaN;
      case 'month': {
        const parts = /^(\d{4,})-(0[1-9]|1[0-2])$/.exec(text);
        return parts === null ? NaN : (parts[1] - 1970) * 12 + (parts[2] - 1);
      }
      case 'week': {
        const parts = /^(\d{4,})-W(\d\d)$/.exec(text);
        if (parts === null || parts[2] < 1 || parts[2] > 53) return NaN;
        // The first week of a year is the one with its fourth day.
        const fourth = Date.parse(`${parts[1]}-01-04T00:00Z`);
        const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * 86400000;
        return monday + (parts[2] - 1) * 604800000;
      }
      case 'time': {
        const parts = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?$/.exec(text);
        return parts === null ? NaN : (parts[1] * 60 + +parts[2]) * 60000 + Math.round((parts[3] ?? 0) * 1000);
      }
      case 'datetime-local':
        return /^\d{4,}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/.test(text)
          ? Date.parse(`${text.replace(' ', 'T')}Z`)
          : NaN;
      default:
        return NaN;
    }
  };
  // [unit of `step` in the numbers above, step if none is given]
  const STEPS = {
    number: [1, 1],
    range: [1, 1],
    date: [86400000, 1],
    month: [1, 1],
    week: [604800000, 1],
    time: [1000, 60],
    'datetime-local': [1000, 60],
  };
  const stepOf = (input) => {
    const [unit, usual] = STEPS[input.type];
    const text = read(input, 'step');
    if (text !== null && text.toLowerCase() === 'any') return null;
    const given = numberOf('number', text ?? '');
    return (given > 0 ? given : usual) * unit;
  };
  const stepsOff = (input, value) => {
    const step = stepOf(input);
    if (step === null) return false;
    const base = numberOf(input.type, read(input, 'min') ?? '');
    const initial = numberOf(input.type, read(input, 'value') ?? '');
    const start = Number.isNaN(base) ? (Number.isNaN(initial) ? 0 : initial) : base;
    const steps = (value - start) / step;
    return Math.abs(steps - Math.round(steps)) > 1e-7;
  };

  const isEmpty = (control) => {
    if (control instanceof N('Select')) {
      const chosen = [...control.selectedOptions];
      return chosen.every((option) => option.value === '');
    }
    if (control.type === 'checkbox') return !control.checked;
    if (control.type === 'radio') return !internal.radioGroup(control).some((radio) => radio.checked);
    return control.value === '';
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
  // Only a value that was typed can be too long or too short.
  const lengthFails = (control, name, isBeyond) => {
    const limit = parseInt(read(control, name) ?? '', 10);
    if (!(limit >= 0) || !internal.wasTyped(control) || control.value === '') return false;
    return isBeyond(control.value.length, limit);
  };

  const isInput = (control) => control instanceof N('Input');
  const hasText = (control) => control instanceof N('TextArea') || (isInput(control) && PATTERNED.has(control.type));
  // The flags of `validity`, in the order in which messages are chosen.
  const CHECKS = {
    customError: (control) => customMessages.has(control),
    valueMissing: (control) =>
      isRequired(control) && !control.readOnly && isEmpty(control),
    typeMismatch: (control) => isInput(control) && typeFails(control),
    patternMismatch: (control) => isInput(control) && patternFails(control),
    tooLong: (control) => hasText(control) && lengthFails(control, 'maxlength', (length, limit) => length > limit),
    tooShort: (control) => hasText(control) && lengthFails(control, 'minlength', (length, limit) => length < limit),
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
    return control.readOnly !== true && !control.matches(':disabled') && control.closest('datalist') === null;
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

  mix(N('Input'), {
    get valueAsNumber() {
      return numberOf(this.type, this.value);
    },
    set valueAsNumber(value) {
      if (this.type !== 'number' && this.type !== 'range') {
        throw new internal.DOMException('The input has no numeric value', 'InvalidStateError');
      }
      this.value = Number.isNaN(+value) ? '' : `${+value}`;
    },
    stepUp(count = 1) {
      internal.stepBy(this, count | 0);
    },
    stepDown(count = 1) {
      internal.stepBy(this, -(count | 0));
    },
  });
  internal.stepBy = (input, count) => {
    const step = input.type === 'number' || input.type === 'range' ? stepOf(input) : null;
    if (step === null) throw new internal.DOMException('The input has no steps', 'InvalidStateError');
    const from = input.valueAsNumber;
    const min = numberOf('number', read(input, 'min') ?? '');
    const max = numberOf('number', read(input, 'max') ?? '');
    let to = (Number.isNaN(from) ? 0 : from) + count * step;
    if (to < min) to = min;
    if (to > max) to = max;
    // A step of 0.1 must not print the errors of binary fractions.
    input.value = `${Number(to.toPrecision(12))}`;
  };

  const labels = {
    get labels() {
      if (this.type === 'hidden') return null;
      const all = this.getRootNode().querySelectorAll?.('label') ?? [];
      return internal.staticList([...all].filter((label) => label.control === this));
    },
  };
  for (const name of ['Input', 'TextArea', 'Select', 'Button', 'Meter', 'Output', 'Progress']) mix(N(name), labels);
});
