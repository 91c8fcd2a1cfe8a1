// btcp.dom: the page of the sandbox, by copies. Behind the iframe boundary, where the tool has a
// document of its own, it is btcp.parentDOM.
(function (native, internal) {
  'use strict';

  const { DOMException, hostCall, members, setTimeout } = internal;
  const clock = performance;
  const { now } = clock;
  const call = hostCall('dom.call', 'busss', 'v');

  // As the host numbers them: `DomOperation` in the abi.
  const QUERY_SELECTOR = 0;
  const QUERY_SELECTOR_ALL = 1;
  const GET_TEXT_CONTENT = 2;
  const GET_ATTRIBUTE = 3;
  const GET_HTML = 4;
  const EXISTS = 5;
  const COUNT = 6;
  const WAIT_FOR = 7;
  const SET_TEXT_CONTENT = 8;
  const SET_ATTRIBUTE = 9;
  const SET_HTML = 10;
  const APPEND = 11;
  const REMOVE = 12;
  const CLICK = 13;
  const FILL = 14;
  const SUBMIT = 15;

  // Pauses between two looks at the page while waiting for an element, and the default timeout.
  const FIRST_PAUSE = 10;
  const LONGEST_PAUSE = 100;
  const DEFAULT_TIMEOUT = 5000;

  const handleOf = (element) => {
    const handle = typeof element === 'object' && element !== null ? element.handle : element;
    if (!Number.isInteger(handle) || handle < 1 || handle > 0xffffffff) {
      throw new TypeError('not an element: neither a copy of one nor its handle');
    }
    return handle;
  };

  // A target is a selector, the copy of an element, or its handle.
  const on = (operation, target, text = '', more = '') =>
    typeof target === 'string'
      ? call(operation, 0, target, text, more)
      : call(operation, handleOf(target), '', text, more);

  const query = (operation, selector, within) =>
    call(operation, within === undefined || within === null ? 0 : handleOf(within), `${selector}`, '', '');

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  const waitFor = async (selector, options = {}) => {
    const given = Number(typeof options === 'object' ? (options?.timeout ?? DEFAULT_TIMEOUT) : options);
    const timeout = given >= 0 ? given : DEFAULT_TIMEOUT;
    const began = Reflect.apply(now, clock, []);
    for (let ms = FIRST_PAUSE; ; ms = Math.min(ms * 2, LONGEST_PAUSE)) {
      const found = await query(WAIT_FOR, selector);
      if (found !== null) return found;
      const left = timeout - (Reflect.apply(now, clock, []) - began);
      if (left <= 0) {
        throw new DOMException(`'${selector}': no such element within ${timeout} ms`, 'TimeoutError');
      }
      await pause(Math.min(ms, left));
    }
  };

  const dom = () => {
    const methods = {
      querySelector: (selector, within) => query(QUERY_SELECTOR, selector, within),
      querySelectorAll: (selector, within) => query(QUERY_SELECTOR_ALL, selector, within),
      getTextContent: (target) => on(GET_TEXT_CONTENT, target),
      getAttribute: (target, name) => on(GET_ATTRIBUTE, target, `${name}`),
      getHTML: (target) => on(GET_HTML, target),
      exists: (target) => on(EXISTS, target),
      count: (selector) => query(COUNT, selector),
      waitFor,
      setTextContent: (target, text) => on(SET_TEXT_CONTENT, target, `${text}`),
      setAttribute: (target, name, value) => on(SET_ATTRIBUTE, target, `${name}`, `${value}`),
      setHTML: (target, html) => on(SET_HTML, target, `${html}`),
      append: (target, html) => on(APPEND, target, `${html}`),
      remove: (target) => on(REMOVE, target),
      click: (target) => on(CLICK, target),
      fill: (target, value) => on(FILL, target, `${value}`),
      submit: (target) => on(SUBMIT, target),
    };
    return methods;
  };

  members.dom = dom;
  members.parentDOM = dom;
});
