// Selection: at most one range of the main document, and the end that it was drawn from.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf, mix, pointsOf, requireArguments } = internal;
  const { checkPoint, compare, lengthOf, rootOf } = internal.pointChecks;
  const fail = (text, name) => new internal.DOMException(text, name);
  const need = (count, wanted, name) =>
    requireArguments(count, wanted, `Failed to execute '${name}' on 'Selection'`);
  const isInside = (node) => rootOf(node) === dom.main;

  class Selection {
    #range = null;
    #isBackwards = false;

    constructor(given) {
      if (given !== internal.token) throw internal.illegal();
    }

    // The range, unless it has left the document.
    #held() {
      return this.#range !== null && isInside(pointsOf(this.#range).start) ? this.#range : null;
    }
    #points(wantsAnchor) {
      const range = this.#held();
      if (range === null) return [null, 0];
      const { start, startOffset, end, endOffset } = pointsOf(range);
      return wantsAnchor !== this.#isBackwards ? [start, startOffset] : [end, endOffset];
    }
    #draw(anchor, anchorOffset, focus, focusOffset) {
      const range = new Range();
      this.#isBackwards = compare(focus, focusOffset, anchor, anchorOffset) < 0;
      const [from, to] = [[anchor, anchorOffset], [focus, focusOffset]];
      const [[start, startOffset], [end, endOffset]] = this.#isBackwards ? [to, from] : [from, to];
      Object.assign(pointsOf(range), { start, startOffset, end, endOffset });
      this.#range = range;
    }

    get anchorNode() {
      return this.#points(true)[0];
    }
    get anchorOffset() {
      return this.#points(true)[1];
    }
    get focusNode() {
      return this.#points(false)[0];
    }
    get focusOffset() {
      return this.#points(false)[1];
    }
    get isCollapsed() {
      return this.#held()?.collapsed ?? true;
    }
    get rangeCount() {
      return this.#held() === null ? 0 : 1;
    }
    get type() {
      const range = this.#held();
      if (range === null) return 'None';
      return range.collapsed ? 'Caret' : 'Range';
    }
    get direction() {
      if (this.isCollapsed) return 'none';
      return this.#isBackwards ? 'backward' : 'forward';
    }

    getRangeAt(index) {
      need(arguments.length, 1, 'getRangeAt');
      const range = this.#held();
      if (index >>> 0 !== 0 || range === null) throw fail('There is no such range', 'IndexSizeError');
      return range;
    }
    addRange(range) {
      need(arguments.length, 1, 'addRange');
      if (!(range instanceof Range)) throw internal.wrongType('range', 'an instance of Range', range);
      if (!isInside(pointsOf(range).start) || this.rangeCount !== 0) return;
      this.#range = range;
      this.#isBackwards = false;
    }
    removeRange(range) {
      need(arguments.length, 1, 'removeRange');
      if (!(range instanceof Range)) throw internal.wrongType('range', 'an instance of Range', range);
      if (range !== this.#range) throw fail('The range is not selected', 'NotFoundError');
      this.#range = null;
    }
    removeAllRanges() {
      this.#range = null;
    }
    empty() {
      this.#range = null;
    }
    getComposedRanges() {
      const range = this.#held();
      return range === null ? [] : [new StaticRange(range)];
    }
    collapse(node, offset = 0) {
      need(arguments.length, 1, 'collapse');
      if (node === null || node === undefined) {
        this.#range = null;
        return;
      }
      offset = offset >>> 0;
      checkPoint(node, offset);
      if (isInside(node)) this.#draw(node, offset, node, offset);
    }
    setPosition(node, offset = 0) {
      need(arguments.length, 1, 'setPosition');
      this.collapse(node, offset);
    }
    #fold(toStart) {
      const range = this.#held();
      if (range === null) throw fail('Nothing is selected', 'InvalidStateError');
      const { start, startOffset, end, endOffset } = pointsOf(range);
      if (toStart) this.#draw(start, startOffset, start, startOffset);
      else this.#draw(end, endOffset, end, endOffset);
    }
    collapseToStart() {
      this.#fold(true);
    }
    collapseToEnd() {
      this.#fold(false);
    }
    extend(node, offset = 0) {
      need(arguments.length, 1, 'extend');
      internal.id(node);
      if (!isInside(node)) return;
      if (this.#held() === null) throw fail('Nothing is selected', 'InvalidStateError');
      offset = offset >>> 0;
      checkPoint(node, offset);
      const [anchor, anchorOffset] = this.#points(true);
      this.#draw(anchor, anchorOffset, node, offset);
    }
    setBaseAndExtent(anchor, anchorOffset, focus, focusOffset) {
      need(arguments.length, 4, 'setBaseAndExtent');
      [anchorOffset, focusOffset] = [anchorOffset >>> 0, focusOffset >>> 0];
      for (const [node, offset] of [[anchor, anchorOffset], [focus, focusOffset]]) {
        internal.id(node);
        if (offset > lengthOf(node)) throw fail('The offset is larger than the node', 'IndexSizeError');
      }
      if (isInside(anchor) && isInside(focus)) this.#draw(anchor, anchorOffset, focus, focusOffset);
    }
    selectAllChildren(node) {
      need(arguments.length, 1, 'selectAllChildren');
      checkPoint(node, 0);
      if (isInside(node)) this.#draw(node, 0, node, dom.childCount(idOf(node), false));
    }
    // Words and lines are a matter of layout.
    modify() {}
    deleteFromDocument() {
      this.#held()?.deleteContents();
    }
    containsNode(node, allowPartial = false) {
      need(arguments.length, 1, 'containsNode');
      internal.id(node);
      const range = this.#held();
      if (range === null || !isInside(node)) return false;
      const { start, startOffset, end, endOffset } = pointsOf(range);
      const length = lengthOf(node);
      const [from, to] = allowPartial ? [length, 0] : [0, length];
      return compare(start, startOffset, node, from) <= 0 && compare(end, endOffset, node, to) >= 0;
    }
    toString() {
      const range = this.#held();
      return range === null ? '' : `${range}`;
    }
  }
  internal.exposeClass(Selection);
  internal.selection = new Selection(internal.token);
  mix(Document, {
    getSelection() {
      return idOf(this) === dom.main ? internal.selection : null;
    },
  });
});
