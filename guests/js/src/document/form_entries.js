// The entries of a form, for `new FormData(form)`.
(function (native, internal) {
  'use strict';

  const { htmlClass: N } = internal;
  const isTicked = ({ type }) => type === 'checkbox' || type === 'radio';
  const BUTTONS = ['button', 'image', 'reset', 'submit'];

  const checkSubmitter = (internal.checkSubmitter = (form, submitter) => {
    const isButton = submitter instanceof N('Button') || submitter instanceof N('Input');
    if (!isButton || (submitter.type !== 'submit' && submitter.type !== 'image')) {
      throw internal.wrongType('submitter', 'a submit button', submitter);
    }
    if (submitter.form !== form) {
      throw new internal.DOMException('The submitter belongs to another form', 'NotFoundError');
    }
  });

  const add = (entries, control, submitter) => {
    const { localName, name, type } = control;
    if (localName === 'object' || localName === 'output' || localName === 'fieldset') return;
    if (control.matches(':disabled') || control.closest('datalist') !== null) return;
    const isButton = localName === 'button' || (localName === 'input' && BUTTONS.includes(type));
    if (isButton && control !== submitter) return;
    if (localName === 'input' && isTicked(control) && !control.checked) return;
    if (name === '') return;
    if (localName === 'select') {
      for (const option of control.selectedOptions) {
        if (!option.matches(':disabled')) entries.push([name, option.value]);
      }
    } else if (localName === 'input' && type === 'file') {
      entries.push([name, new File([], '', { type: 'application/octet-stream' })]);
    } else if (localName === 'input' && type === 'hidden' && name.toLowerCase() === '_charset_') {
      entries.push([name, 'UTF-8']);
    } else {
      entries.push([name, control.value]);
    }
  };

  // Pairs of name and value in the order of the tree; undefined for a value that is no form.
  internal.formEntries = (form, submitter) => {
    if (!(form instanceof N('Form'))) return undefined;
    if (submitter !== null) checkSubmitter(form, submitter);
    const entries = [];
    for (const control of internal.formControls(form)) add(entries, control, submitter);
    return entries;
  };
  // Lets listeners add to what was collected.
  internal.announceEntries = (form, formData) =>
    internal.fire(form, internal.trusted(new FormDataEvent('formdata', { bubbles: true, formData })));
});
