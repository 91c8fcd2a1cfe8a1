// Positions that move with the tree: boundary points of ranges, and references of iterators.
//
// A range keeps its points in a record, { start, startOffset, end, endOffset }, which only the range
// and a weak reference here hold. A tree without ranges and iterators pays one comparison a change.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { idOf } = internal;

  let records = [];
  let iterators = [];

  // Calls `act` with each object that is still held, and forgets the others.
  const each = (list, act) => {
    let kept = 0;
    for (let at = 0; at < list.length; at++) {
      const held = list[at].deref();
      if (held === undefined) continue;
      list[kept++] = list[at];
      act(held);
    }
    list.length = kept;
  };
  const none = () => {};
  // A program that makes ranges and changes nothing must not collect references without end.
  const watch = (list, held) => {
    if (list.length >= 64 && (list.length & (list.length - 1)) === 0) each(list, none);
    list.push(new WeakRef(held));
  };
  internal.watchPoints = (record) => watch(records, record);
  internal.watchIterator = (iterator) => watch(iterators, iterator);
  internal.hasPoints = () => records.length > 0;
  internal.isLive = () => records.length > 0 || iterators.length > 0;

  internal.indexOf = (node) => dom.index(idOf(node));
  const contains = (node, other) => node === other || dom.contains(idOf(node), idOf(other));

  // Before `node` leaves `parent`.
  internal.leaving = (node, parent) => {
    if (iterators.length > 0) each(iterators, (iterator) => internal.iteratorLeaves(iterator, node));
    if (records.length === 0) return;
    let index = -1;
    const place = () => (index < 0 ? (index = internal.indexOf(node)) : index);
    each(records, (record) => {
      if (record.start === parent) {
        if (record.startOffset > 0 && record.startOffset > place()) record.startOffset--;
      } else if (contains(node, record.start)) {
        record.start = parent;
        record.startOffset = place();
      }
      if (record.end === parent) {
        if (record.endOffset > 0 && record.endOffset > place()) record.endOffset--;
      } else if (contains(node, record.end)) {
        record.end = parent;
        record.endOffset = place();
      }
    });
  };

  // Before `count` nodes come into `parent`, in front of `before`.
  internal.arriving = (parent, before, count) => {
    if (before === null || records.length === 0) return;
    let index = -1;
    const place = () => (index < 0 ? (index = internal.indexOf(before)) : index);
    each(records, (record) => {
      if (record.start === parent && record.startOffset > place()) record.startOffset += count;
      if (record.end === parent && record.endOffset > place()) record.endOffset += count;
    });
  };

  // After `count` units of a node's data, from `offset` on, were replaced by `length` others.
  internal.dataReplaced = (node, offset, count, length) => {
    const moved = (at) => {
      if (at <= offset) return at;
      return at <= offset + count ? offset : at + length - count;
    };
    each(records, (record) => {
      if (record.start === node) record.startOffset = moved(record.startOffset);
      if (record.end === node) record.endOffset = moved(record.endOffset);
    });
  };

  // After the data of `node` from `offset` on moved to `rest`, its new next sibling.
  internal.dataSplit = (node, offset, rest, parent) => {
    if (records.length === 0) return;
    const after = internal.indexOf(node) + 1;
    each(records, (record) => {
      if (record.start === node && record.startOffset > offset) {
        record.start = rest;
        record.startOffset -= offset;
      } else if (record.start === parent && record.startOffset === after) record.startOffset++;
      if (record.end === node && record.endOffset > offset) {
        record.end = rest;
        record.endOffset -= offset;
      } else if (record.end === parent && record.endOffset === after) record.endOffset++;
    });
  };

  // Before `from`, a child of `parent`, leaves because its data was added to `to` at `length`.
  internal.dataMerged = (to, length, from, parent) => {
    if (records.length === 0) return;
    const index = internal.indexOf(from);
    each(records, (record) => {
      if (record.start === from) {
        record.start = to;
        record.startOffset += length;
      } else if (record.start === parent && record.startOffset === index) {
        record.start = to;
        record.startOffset = length;
      }
      if (record.end === from) {
        record.end = to;
        record.endOffset += length;
      } else if (record.end === parent && record.endOffset === index) {
        record.end = to;
        record.endOffset = length;
      }
    });
  };
});
