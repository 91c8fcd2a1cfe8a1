// Range, as far as libraries use it. Boundary points do not move with changes of the tree; where
// they are no longer in one tree and in order, the range has shrunk to its start.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, mix, tidy, typeOf, wrap } = internal;

  const isText = (node) => [3, 4, 7, 8].includes(typeOf(node));
  const lengthOf = (node) =>
    typeOf(node) === 10 ? 0 : isText(node) ? node.length : dom.childCount(idOf(node), false);
  const indexOf = (node) => {
    let index = 0;
    for (let at = node.previousSibling; at !== null; at = at.previousSibling) index++;
    return index;
  };
  // -1, 0 or 1: where the first point is to the second.
  const compare = (node, offset, other, otherOffset) => {
    if (node === other) return Math.sign(offset - otherOffset);
    const position = node.compareDocumentPosition(other);
    if (position & 2) return -compare(other, otherOffset, node, offset);
    if (position & 16) {
      let child = other;
      while (child.parentNode !== node) child = child.parentNode;
      if (indexOf(child) < offset) return 1;
    }
    return -1;
  };

  class AbstractRange {
    constructor() {
      if (new.target === AbstractRange) throw internal.illegal();
    }
  }

  class Range extends AbstractRange {
    #start = document;
    #startOffset = 0;
    #end = document;
    #endOffset = 0;

    #settle() {
      const [start, end] = [this.#start, this.#end];
      this.#startOffset = Math.min(this.#startOffset, lengthOf(start));
      this.#endOffset = Math.min(this.#endOffset, lengthOf(end));
      const apart = start !== end && start.getRootNode() !== end.getRootNode();
      if (apart || compare(start, this.#startOffset, end, this.#endOffset) > 0) {
        this.#end = start;
        this.#endOffset = this.#startOffset;
      }
    }

    get startContainer() {
      this.#settle();
      return this.#start;
    }
    get startOffset() {
      this.#settle();
      return this.#startOffset;
    }
    get endContainer() {
      this.#settle();
      return this.#end;
    }
    get endOffset() {
      this.#settle();
      return this.#endOffset;
    }
    get collapsed() {
      this.#settle();
      return this.#start === this.#end && this.#startOffset === this.#endOffset;
    }
    get commonAncestorContainer() {
      this.#settle();
      let node = this.#start;
      while (!node.contains(this.#end)) node = node.parentNode;
      return node;
    }

    #check(node, offset) {
      internal.id(node);
      if (offset >>> 0 > lengthOf(node)) {
        throw new internal.DOMException('The offset is larger than the node', 'IndexSizeError');
      }
      return offset >>> 0;
    }
    setStart(node, offset) {
      this.#settle();
      offset = this.#check(node, offset);
      const apart = node.getRootNode() !== this.#end.getRootNode();
      if (apart || compare(node, offset, this.#end, this.#endOffset) > 0) {
        this.#end = node;
        this.#endOffset = offset;
      }
      this.#start = node;
      this.#startOffset = offset;
    }
    setEnd(node, offset) {
      this.#settle();
      offset = this.#check(node, offset);
      const apart = node.getRootNode() !== this.#start.getRootNode();
      if (apart || compare(node, offset, this.#start, this.#startOffset) < 0) {
        this.#start = node;
        this.#startOffset = offset;
      }
      this.#end = node;
      this.#endOffset = offset;
    }
    setStartBefore(node) {
      this.setStart(node.parentNode, indexOf(node));
    }
    setStartAfter(node) {
      this.setStart(node.parentNode, indexOf(node) + 1);
    }
    setEndBefore(node) {
      this.setEnd(node.parentNode, indexOf(node));
    }
    setEndAfter(node) {
      this.setEnd(node.parentNode, indexOf(node) + 1);
    }
    selectNode(node) {
      const index = indexOf(node);
      this.setStart(node.parentNode, index);
      this.setEnd(node.parentNode, index + 1);
    }
    selectNodeContents(node) {
      this.setStart(node, 0);
      this.setEnd(node, lengthOf(node));
    }
    collapse(toStart = false) {
      this.#settle();
      if (toStart) this.setEnd(this.#start, this.#startOffset);
      else this.setStart(this.#end, this.#endOffset);
    }
    cloneRange() {
      this.#settle();
      const range = new Range();
      range.setStart(this.#start, this.#startOffset);
      range.setEnd(this.#end, this.#endOffset);
      return range;
    }
    detach() {}
    compareBoundaryPoints(how, other) {
      this.#settle();
      const own = how === 0 || how === 3 ? [this.#start, this.#startOffset] : [this.#end, this.#endOffset];
      const its =
        how === 0 || how === 1
          ? [other.startContainer, other.startOffset]
          : [other.endContainer, other.endOffset];
      return compare(...own, ...its);
    }
    comparePoint(node, offset) {
      this.#settle();
      if (compare(node, offset, this.#start, this.#startOffset) < 0) return -1;
      return compare(node, offset, this.#end, this.#endOffset) > 0 ? 1 : 0;
    }
    isPointInRange(node, offset) {
      return node.getRootNode() === this.#start.getRootNode() && this.comparePoint(node, offset) === 0;
    }
    intersectsNode(node) {
      this.#settle();
      if (node.getRootNode() !== this.#start.getRootNode()) return false;
      const parent = node.parentNode;
      if (parent === null) return true;
      const index = indexOf(node);
      return (
        compare(parent, index, this.#end, this.#endOffset) < 0 &&
        compare(parent, index + 1, this.#start, this.#startOffset) > 0
      );
    }

    // The content as nodes of a fragment; with `take` it is removed from the document.
    #contents(take) {
      this.#settle();
      tidy();
      const fragment = wrap(dom.createFragment(idOf(this.#start)));
      const [start, from, end, to] = [this.#start, this.#startOffset, this.#end, this.#endOffset];
      if (this.collapsed) return fragment;
      const piece = (node, a, b) => {
        const copy = node.cloneNode();
        copy.data = node.data.slice(a, b);
        if (take) node.replaceData(a, b - a, '');
        return copy;
      };
      if (start === end && isText(start)) {
        fragment.appendChild(piece(start, from, to));
        if (take) this.collapse(true);
        return fragment;
      }
      const root = this.commonAncestorContainer;
      // Copies of `node`'s part inside the range, for a node that is only partly inside.
      const part = (node, into) => {
        for (const child of [...node.childNodes]) {
          const parent = child.parentNode;
          const index = indexOf(child);
          const after = compare(parent, index, end, to) >= 0;
          const before = compare(parent, index + 1, start, from) <= 0;
          if (child !== start && child !== end && (after || before)) continue;
          const inside =
            compare(parent, index, start, from) >= 0 && compare(parent, index + 1, end, to) <= 0;
          if (inside) whole.push([child, into]);
          else if (isText(child)) {
            into.appendChild(piece(child, child === start ? from : 0, child === end ? to : child.length));
          } else {
            part(child, into.appendChild(child.cloneNode()));
          }
          if (inside) into.appendChild(document.createComment(''));
        }
      };
      const whole = [];
      part(root, fragment);
      // Placeholders first, nodes after: while nodes leave, points would not be where they were.
      const marks = [];
      const walker = document.createTreeWalker(fragment, 0x80);
      let at = 0;
      for (let mark = walker.nextNode(); mark !== null && at < whole.length; mark = walker.nextNode()) {
        if (mark.parentNode === whole[at][1] && mark.data === '') marks.push([mark, whole[at++][0]]);
      }
      for (const [mark, node] of marks) mark.replaceWith(take ? node : node.cloneNode(true));
      if (take) {
        this.#endOffset = Math.min(this.#endOffset, lengthOf(this.#end));
        this.#startOffset = Math.min(this.#startOffset, lengthOf(this.#start));
        this.#end = this.#start;
        this.#endOffset = this.#startOffset;
      }
      return fragment;
    }
    cloneContents() {
      return this.#contents(false);
    }
    extractContents() {
      return this.#contents(true);
    }
    deleteContents() {
      this.#contents(true);
    }
    insertNode(node) {
      this.#settle();
      let [place, before] = [this.#start, null];
      if (isText(place)) {
        before = this.#startOffset > 0 ? place.splitText(this.#startOffset) : place;
        place = before.parentNode;
      } else {
        before = wrap(dom.childAt(idOf(place), this.#startOffset, false));
      }
      internal.insert(place, node, before);
      if (this.collapsed) this.setEnd(place, before === null ? lengthOf(place) : indexOf(before));
    }
    surroundContents(parent) {
      const fragment = this.extractContents();
      parent.replaceChildren();
      this.insertNode(parent);
      parent.appendChild(fragment);
      this.selectNode(parent);
    }
    createContextualFragment(html) {
      tidy();
      let context = this.#start;
      if (isText(context)) context = context.parentNode;
      return wrap(dom.fragment(idOf(context ?? document), `${html}`));
    }
    getBoundingClientRect() {
      return { x: 0, y: 0, width: 0, height: 0, top: 0, right: 0, bottom: 0, left: 0 };
    }
    getClientRects() {
      return [];
    }
    toString() {
      if (this.collapsed) return '';
      if (this.#start === this.#end && isText(this.#start)) {
        return this.#start.data.slice(this.#startOffset, this.#endOffset);
      }
      return this.cloneContents().textContent;
    }
  }
  internal.constants(Range, { START_TO_START: 0, START_TO_END: 1, END_TO_END: 2, END_TO_START: 3 });

  mix(Document, {
    createRange() {
      const range = new Range();
      range.setStart(this, 0);
      return range;
    },
  });
  internal.exposeClass(AbstractRange);
  internal.exposeClass(Range);
});
