// The element that has the focus: nobody types, so it is whichever element a tool focused last.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, mix } = internal;
  const { HTMLElement } = globalThis;
  const CANDIDATES =
    'a[href], area[href], button, iframe, input:not([type=hidden i]), select, summary, textarea, [contenteditable], [tabindex]';
  let focused = null;
  // The tree has to know for `:focus`.
  const give = (element) => {
    focused = element;
    dom.setFocus(element === null ? 0 : idOf(element));
  };

  // An element that was taken out of the document has lost the focus, without an event.
  const current = () => {
    if (focused !== null && !focused.isConnected) give(null);
    return focused;
  };
  // The focused element as one sees it from a document or shadow root: itself or the host around
  // it; null if it is elsewhere.
  internal.focusedIn = (root) => {
    for (let at = current(); at !== null; ) {
      const around = at.getRootNode();
      if (around === root) return at;
      at = around.host ?? null;
    }
    return null;
  };
  const canHaveFocus = (element) =>
    element.isConnected &&
    idOf(element.ownerDocument) === dom.main &&
    element.matches(CANDIDATES) &&
    !element.matches(':disabled');
  const fire = (element, type, relatedTarget, bubbles) =>
    internal.fire(element, internal.trusted(new FocusEvent(type, { relatedTarget, bubbles, composed: true, view: globalThis })));
  const leave = (element, next) => {
    give(null);
    fire(element, 'blur', next, false);
    fire(element, 'focusout', next, true);
  };

  mix(HTMLElement, {
    focus() {
      const before = current();
      if (before === this || !canHaveFocus(this)) return;
      if (before !== null) leave(before, this);
      // A listener may have moved the focus, or taken the element away.
      if (current() !== null || !canHaveFocus(this)) return;
      give(this);
      fire(this, 'focus', before, false);
      if (current() === this) fire(this, 'focusin', before, true);
    },
    blur() {
      if (current() === this) leave(this, null);
    },
  });
});
