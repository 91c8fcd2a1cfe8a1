// Effects of a click on the element under it: boxes are ticked, forms submitted and reset, labels
// pass the click on. Nothing navigates.
(function (native, internal) {
  'use strict';

  const { typeOf } = internal;
  const DISABLING = new Set(['button', 'input', 'select', 'textarea', 'optgroup', 'option', 'fieldset']);
  const isDisabled = (element) => DISABLING.has(element.localName) && element.matches(':disabled');
  const fire = (element, event) => internal.fire(element, internal.trusted(event));
  const INTERACTIVE =
    'a[href], audio[controls], button, details, embed, iframe, img[usemap], input:not([type=hidden i]), label, select, textarea, video[controls]';

  const announce = (element) => {
    if (!element.isConnected) return;
    fire(element, new Event('input', { bubbles: true, composed: true }));
    fire(element, new Event('change', { bubbles: true }));
  };
  const { isIndeterminate, isTicked, setIndeterminate, setTicked } = internal;

  // For an `input`: the change before listeners hear of the click, as { undo, done }.
  const prepareInput = (input) => {
    const type = internal.inputType(input);
    if (type === 'checkbox') {
      const [wasTicked, wasOpen] = [isTicked(input), isIndeterminate(input)];
      setTicked(input, !wasTicked);
      setIndeterminate(input, false);
      return {
        undo() {
          setTicked(input, wasTicked);
          setIndeterminate(input, wasOpen);
        },
        done: () => announce(input),
      };
    }
    if (type === 'radio') {
      const before = internal.radioGroup(input).find(isTicked) ?? null;
      setTicked(input, true);
      return {
        undo() {
          if (before === null) setTicked(input, false);
          else setTicked(before, true);
        },
        done() {
          if (before !== input) announce(input);
        },
      };
    }
    return { undo() {}, done: () => press(input, type) };
  };
  const press = (button, type) => {
    const { form } = button;
    // A listener may have disabled the button.
    if (isDisabled(button)) return;
    if (form === null || !form.isConnected) return;
    if (type === 'submit' || type === 'image') form.requestSubmit(button);
    else if (type === 'reset') form.reset();
  };

  // The action of an element, or null: { undo, done }.
  const prepare = (element, event) => {
    if (!internal.isHtmlElement(element)) return null;
    const nothing = { undo() {}, done() {} };
    switch (element.localName) {
      case 'input':
        return prepareInput(element);
      case 'button':
        return { undo() {}, done: () => press(element, element.type) };
      case 'a':
      case 'area':
        return element.hasAttribute('href') ? nothing : null;
      case 'label':
        return { undo() {}, done: () => passOn(element, event) };
      case 'summary': {
        const details = element.parentElement;
        const isFirst = details?.localName === 'details' && details.querySelector(':scope > summary') === element;
        if (!isFirst) return null;
        return { undo() {}, done: () => void details.toggleAttribute('open') };
      }
      default:
        return null;
    }
  };
  const passOn = (label, event) => {
    const { control } = label;
    const { target } = event;
    if (control === null || isDisabled(control)) return;
    if (typeOf(target) === 1 && target !== label) {
      const inner = target.closest(INTERACTIVE);
      if (inner !== null && inner !== label && label.contains(inner)) return;
    }
    control.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
  };

  // Called by the dispatch of every event, before any listener; gives what to do after the last.
  internal.activate = (event, path) => {
    if (event.type !== 'click' || !(event instanceof MouseEvent)) return undefined;
    let action = null;
    for (let at = 0; at < path.length && action === null; at++) {
      if (at > 0 && !event.bubbles) break;
      const node = path[at];
      if (internal.isNode(node) && typeOf(node) === 1) action = prepare(node, event);
    }
    if (action === null) return undefined;
    return () => {
      if (event.defaultPrevented) action.undo();
      else action.done();
    };
  };
});
