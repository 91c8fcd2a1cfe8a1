// AbstractRange, StaticRange and Range. `live.js` moves the points of a Range with the tree.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, indexOf, mix, requireArguments, tidy, typeOf, wrap } = internal;

  const isData = (node) => [3, 4, 7, 8].includes(typeOf(node));
  const isText = (node) => typeOf(node) === 3 || typeOf(node) === 4;
  const lengthOf = (node) => {
    if (typeOf(node) === 10) return 0;
    return isData(node) ? dom.data(idOf(node)).length : dom.childCount(idOf(node), false);
  };
  const childAt = (node, index) => wrap(dom.childAt(idOf(node), index, false));
  const rootOf = (node) => dom.root(idOf(node));
  const fail = (text, name) => new internal.DOMException(text, name);
  const contains = (node, other) => node === other || dom.contains(idOf(node), idOf(other));
  // -1, 0 or 1: where the first point is to the second. Both are in one tree.
  const compare = (node, offset, other, otherOffset) => {
    if (node === other) return Math.sign(offset - otherOffset);
    const position = dom.compare(idOf(node), idOf(other));
    if (position & 2) return -compare(other, otherOffset, node, offset);
    if (position & 16) {
      let child = other;
      for (let above = child.parentNode; above !== node; above = above.parentNode) child = above;
      if (indexOf(child) < offset) return 1;
    }
    return -1;
  };
  const commonAncestor = (start, end) => {
    let node = start;
    while (!contains(node, end)) node = node.parentNode;
    return node;
  };
  // The ancestors of `node` below `top`, the highest first and `node` last.
  const pathBelow = (node, top) => {
    const path = [];
    for (; node !== top; node = node.parentNode) path.push(node);
    return path.reverse();
  };
  // The siblings from `from` up to but without `to`.
  const between = (from, to) => {
    const nodes = [];
    for (let node = from; node !== null && node !== to; node = node.nextSibling) nodes.push(node);
    return nodes;
  };
  const checkNode = (node) => {
    internal.id(node);
    if (typeOf(node) === 10) {
      throw fail('A document type has no boundary points', 'InvalidNodeTypeError');
    }
  };
  const checkPoint = (node, offset) => {
    checkNode(node);
    if (offset > lengthOf(node)) throw fail('The offset is larger than the node', 'IndexSizeError');
  };
  const parentOf = (node) => {
    internal.id(node);
    const parent = node.parentNode;
    if (parent === null) throw fail('The node has no parent', 'InvalidNodeTypeError');
    return parent;
  };

  let pointsOf;
  class AbstractRange {
    #points;
    static {
      pointsOf = (range) => range.#points;
    }
    constructor(given = undefined, points = undefined) {
      if (given !== internal.token) throw internal.illegal();
      this.#points = points;
    }
    get startContainer() {
      return this.#points.start;
    }
    get startOffset() {
      return this.#points.startOffset;
    }
    get endContainer() {
      return this.#points.end;
    }
    get endOffset() {
      return this.#points.endOffset;
    }
    get collapsed() {
      const { start, startOffset, end, endOffset } = this.#points;
      return start === end && startOffset === endOffset;
    }
  }

  class StaticRange extends AbstractRange {
    constructor(options) {
      requireArguments(arguments.length, 1, "Failed to construct 'StaticRange'");
      if (options === null || (typeof options !== 'object' && typeof options !== 'function')) {
        throw internal.wrongType('init', 'of type object', options);
      }
      const { endContainer, endOffset, startContainer, startOffset } = options;
      for (const [key, value] of Object.entries({ endContainer, endOffset, startContainer, startOffset })) {
        if (value === undefined) throw new TypeError(`Failed to construct 'StaticRange': ${key} is required`);
      }
      for (const node of [startContainer, endContainer]) {
        if (internal.isAttr(node) || typeOf(internal.id(node) && node) === 10) {
          throw fail('A range cannot begin or end in this node', 'InvalidNodeTypeError');
        }
      }
      super(internal.token, {
        start: startContainer,
        startOffset: startOffset >>> 0,
        end: endContainer,
        endOffset: endOffset >>> 0,
      });
    }
  }

  class Range extends AbstractRange {
    constructor() {
      const points = { start: document, startOffset: 0, end: document, endOffset: 0 };
      super(internal.token, points);
      internal.watchPoints(points);
    }

    get commonAncestorContainer() {
      const { start, end } = pointsOf(this);
      return commonAncestor(start, end);
    }

    #set(node, offset, isStart) {
      const points = pointsOf(this);
      const other = isStart ? points.end : points.start;
      const otherOffset = isStart ? points.endOffset : points.startOffset;
      const order = rootOf(node) !== rootOf(other) ? 0 : compare(node, offset, other, otherOffset);
      const passes = rootOf(node) !== rootOf(other) || (isStart ? order > 0 : order < 0);
      if (isStart || passes) {
        points.start = node;
        points.startOffset = offset;
      }
      if (!isStart || passes) {
        points.end = node;
        points.endOffset = offset;
      }
    }
    setStart(node, offset) {
      requireArguments(arguments.length, 2, "Failed to execute 'setStart' on 'Range'");
      offset = offset >>> 0;
      checkPoint(node, offset);
      this.#set(node, offset, true);
    }
    setEnd(node, offset) {
      requireArguments(arguments.length, 2, "Failed to execute 'setEnd' on 'Range'");
      offset = offset >>> 0;
      checkPoint(node, offset);
      this.#set(node, offset, false);
    }
    setStartBefore(node) {
      this.#set(parentOf(node), indexOf(node), true);
    }
    setStartAfter(node) {
      this.#set(parentOf(node), indexOf(node) + 1, true);
    }
    setEndBefore(node) {
      this.#set(parentOf(node), indexOf(node), false);
    }
    setEndAfter(node) {
      this.#set(parentOf(node), indexOf(node) + 1, false);
    }
    selectNode(node) {
      const parent = parentOf(node);
      const index = indexOf(node);
      this.#set(parent, index, true);
      this.#set(parent, index + 1, false);
    }
    selectNodeContents(node) {
      checkNode(node);
      this.#set(node, 0, true);
      this.#set(node, lengthOf(node), false);
    }
    collapse(toStart = false) {
      const points = pointsOf(this);
      if (toStart) {
        points.end = points.start;
        points.endOffset = points.startOffset;
      } else {
        points.start = points.end;
        points.startOffset = points.endOffset;
      }
    }
    cloneRange() {
      const range = new Range();
      Object.assign(pointsOf(range), pointsOf(this));
      return range;
    }
    detach() {}

    compareBoundaryPoints(how, source) {
      requireArguments(arguments.length, 2, "Failed to execute 'compareBoundaryPoints' on 'Range'");
      how = how & 0xffff;
      if (!(source instanceof Range)) throw internal.wrongType('sourceRange', 'an instance of Range', source);
      if (how > 3) throw fail('There is no such comparison', 'NotSupportedError');
      const own = pointsOf(this);
      const its = pointsOf(source);
      if (rootOf(own.start) !== rootOf(its.start)) {
        throw fail('The ranges are in different trees', 'WrongDocumentError');
      }
      const [node, offset] = how === 0 || how === 3 ? [own.start, own.startOffset] : [own.end, own.endOffset];
      const [other, otherOffset] = how < 2 ? [its.start, its.startOffset] : [its.end, its.endOffset];
      return compare(node, offset, other, otherOffset);
    }
    comparePoint(node, offset) {
      requireArguments(arguments.length, 2, "Failed to execute 'comparePoint' on 'Range'");
      const { start, startOffset, end, endOffset } = pointsOf(this);
      internal.id(node);
      if (rootOf(node) !== rootOf(start)) {
        throw fail('The node is in another tree', 'WrongDocumentError');
      }
      offset = offset >>> 0;
      checkPoint(node, offset);
      if (compare(node, offset, start, startOffset) < 0) return -1;
      return compare(node, offset, end, endOffset) > 0 ? 1 : 0;
    }
    isPointInRange(node, offset) {
      requireArguments(arguments.length, 2, "Failed to execute 'isPointInRange' on 'Range'");
      internal.id(node);
      return rootOf(node) === rootOf(pointsOf(this).start) && this.comparePoint(node, offset) === 0;
    }
    intersectsNode(node) {
      internal.id(node);
      const { start, startOffset, end, endOffset } = pointsOf(this);
      if (rootOf(node) !== rootOf(start)) return false;
      const parent = node.parentNode;
      if (parent === null) return true;
      const index = indexOf(node);
      return (
        compare(parent, index, end, endOffset) < 0 && compare(parent, index + 1, start, startOffset) > 0
      );
    }

    // The content as nodes of a fragment; with `take` it is moved out of the tree. Paths from the
    // common ancestor to the points are walked, not recursed into: their length is the tree's depth.
    #contents(take) {
      tidy();
      const points = pointsOf(this);
      const { start, startOffset, end, endOffset } = points;
      const fragment = wrap(dom.createFragment(idOf(start)));
      if (this.collapsed) return fragment;
      const piece = (node, from, to) => {
        const copy = node.cloneNode();
        copy.data = node.data.slice(from, to);
        if (take) internal.replaceData(node, from, to - from, '');
        return copy;
      };
      const move = (nodes, into) => {
        for (const node of nodes) internal.insert(into, take ? node : node.cloneNode(true), null);
      };
      if (start === end && isData(start)) {
        fragment.appendChild(piece(start, startOffset, endOffset));
        return fragment;
      }
      const top = commonAncestor(start, end);
      const left = pathBelow(start, top);
      const right = pathBelow(end, top);
      const contained = between(
        left.length > 0 ? left[0].nextSibling : childAt(top, startOffset),
        right.length > 0 ? right[0] : childAt(top, endOffset),
      );
      if (contained.some((node) => typeOf(node) === 10)) {
        throw fail('The range contains a document type', 'HierarchyRequestError');
      }
      const [place, offset] = left.length > 0 ? [top, indexOf(left[0]) + 1] : [start, startOffset];
      // The beginning: copies of the path, then what is right of it, the deepest first.
      const copies = [];
      for (const node of left) {
        const into = copies.length > 0 ? copies[copies.length - 1] : fragment;
        copies.push(into.appendChild(isData(node) ? piece(node, startOffset, lengthOf(node)) : node.cloneNode()));
      }
      for (let at = left.length - 1; at >= 0; at--) {
        if (isData(left[at])) continue;
        move(between(at === left.length - 1 ? childAt(start, startOffset) : left[at + 1].nextSibling, null), copies[at]);
      }
      move(contained, fragment);
      // The end: what is left of the path comes before the copy of its next node.
      let into = fragment;
      for (let at = 0; at < right.length; at++) {
        const node = right[at];
        if (isData(node)) {
          into.appendChild(piece(node, 0, endOffset));
          break;
        }
        into = into.appendChild(node.cloneNode());
        move(between(node.firstChild, at === right.length - 1 ? childAt(end, endOffset) : right[at + 1]), into);
      }
      if (take) {
        points.start = points.end = place;
        points.startOffset = points.endOffset = offset;
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
      const points = pointsOf(this);
      const { start, startOffset, end, endOffset } = points;
      if (this.collapsed) return;
      if (start === end && isData(start)) {
        internal.replaceData(start, startOffset, endOffset - startOffset, '');
        return;
      }
      const top = commonAncestor(start, end);
      const left = pathBelow(start, top);
      const right = pathBelow(end, top);
      const leaving = [];
      // In a loop: a spread takes no more than 65,535 items.
      const add = (nodes) => {
        for (const node of nodes) leaving.push(node);
      };
      for (let at = left.length - 1; at >= 0; at--) {
        if (isData(left[at])) continue;
        add(between(at === left.length - 1 ? childAt(start, startOffset) : left[at + 1].nextSibling, null));
      }
      add(
        between(
          left.length > 0 ? left[0].nextSibling : childAt(top, startOffset),
          right.length > 0 ? right[0] : childAt(top, endOffset),
        ),
      );
      for (let at = 0; at < right.length; at++) {
        if (isData(right[at])) break;
        add(between(right[at].firstChild, at === right.length - 1 ? childAt(end, endOffset) : right[at + 1]));
      }
      const [place, offset] = left.length > 0 ? [top, indexOf(left[0]) + 1] : [start, startOffset];
      if (isData(start)) internal.replaceData(start, startOffset, lengthOf(start) - startOffset, '');
      for (const node of leaving) internal.remove(node.parentNode, node);
      if (isData(end)) internal.replaceData(end, 0, endOffset, '');
      points.start = points.end = place;
      points.startOffset = points.endOffset = offset;
    }
    insertNode(node) {
      const what = internal.id(node);
      const points = pointsOf(this);
      const { start, startOffset } = points;
      const parentless = isText(start) && start.parentNode === null;
      if (typeOf(start) === 7 || typeOf(start) === 8 || parentless || start === node) {
        throw fail('Nothing can be inserted at the start of the range', 'HierarchyRequestError');
      }
      let before = isText(start) ? start : childAt(start, startOffset);
      const parent = before === null ? start : before.parentNode;
      dom.checkInsert(idOf(parent), what, before === null ? 0 : idOf(before), 0);
      if (isText(start)) before = start.splitText(startOffset);
      if (before === node) before = node.nextSibling;
      if (node.parentNode !== null) internal.remove(node.parentNode, node);
      const offset =
        (before === null ? lengthOf(parent) : indexOf(before)) + (typeOf(node) === 11 ? lengthOf(node) : 1);
      internal.insert(parent, node, before);
      if (this.collapsed) {
        points.end = parent;
        points.endOffset = offset;
      }
    }
    surroundContents(parent) {
      internal.id(parent);
      const { start, end } = pointsOf(this);
      const top = commonAncestor(start, end);
      for (const node of [start, end]) {
        if (node !== top && !(isText(node) && node.parentNode === top)) {
          throw fail('The range contains a part of a node that is not text', 'InvalidStateError');
        }
      }
      if ([9, 10, 11].includes(typeOf(parent))) {
        throw fail('This kind of node cannot surround others', 'InvalidNodeTypeError');
      }
      const fragment = this.extractContents();
      if (dom.first(idOf(parent)) !== 0) internal.replaceAll(parent, null);
      this.insertNode(parent);
      internal.insert(parent, fragment, null);
      this.selectNode(parent);
    }
    createContextualFragment(html) {
      requireArguments(arguments.length, 1, "Failed to execute 'createContextualFragment' on 'Range'");
      html = `${html}`;
      let context = pointsOf(this).start;
      if (isData(context)) context = context.parentElement;
      else if (typeOf(context) !== 1) context = null;
      if (context !== null && context.localName === 'html' && internal.foldsCase(context)) context = null;
      // Parsed as in a body where no element gives a context.
      const number = context === null ? dom.owner(idOf(pointsOf(this).start)) : idOf(context);
      return wrap(internal.parsed(() => dom.fragment(number, html)));
    }
    toString() {
      const { start, startOffset, end, endOffset } = pointsOf(this);
      if (start === end && isText(start)) return start.data.slice(startOffset, endOffset);
      let text = isText(start) ? start.data.slice(startOffset) : '';
      // From the first node behind the start to the first behind the end, in document order.
      const skip = (node) => {
        for (; node !== null; node = node.parentNode) {
          if (node.nextSibling !== null) return node.nextSibling;
        }
        return null;
      };
      let node = isData(start) ? skip(start) : (childAt(start, startOffset) ?? skip(start));
      const stop = isData(end) ? end : (childAt(end, endOffset) ?? skip(end));
      while (node !== null && node !== stop) {
        if (isText(node)) text += dom.data(idOf(node));
        node = node.firstChild ?? skip(node);
      }
      return isText(end) ? text + end.data.slice(0, endOffset) : text;
    }
  }
  internal.constants(Range, { START_TO_START: 0, START_TO_END: 1, END_TO_END: 2, END_TO_START: 3 });
  internal.pointsOf = pointsOf;
  internal.pointChecks = { checkPoint, compare, lengthOf, rootOf };

  mix(Document, {
    createRange() {
      const range = new Range();
      const points = pointsOf(range);
      idOf(this);
      points.start = points.end = this;
      return range;
    },
  });
  for (const Class of [AbstractRange, StaticRange, Range]) internal.exposeClass(Class);
});
