// Text, comments, processing instructions and document types. Offsets count UTF-16 units, so they
// are for JavaScript to count.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, idOf, isObserved, token, wrap } = internal;

  const setData = (node, text) => {
    const old = isObserved() ? dom.data(idOf(node)) : null;
    dom.setData(idOf(node), text);
    if (old !== null) internal.noteData(node, old);
  };
  internal.setData = setData;
  const beyond = () =>
    new internal.DOMException('The offset is larger than the data', 'IndexSizeError');

  class CharacterData extends Node {
    get data() {
      return dom.data(idOf(this));
    }
    set data(value) {
      setData(this, value === null ? '' : `${value}`);
    }
    get length() {
      return dom.data(idOf(this)).length;
    }
    substringData(offset, count) {
      const { data } = this;
      if (offset >>> 0 > data.length) throw beyond();
      return data.slice(offset >>> 0, (offset >>> 0) + (count >>> 0));
    }
    appendData(text) {
      setData(this, `${this.data}${text}`);
    }
    insertData(offset, text) {
      this.replaceData(offset, 0, text);
    }
    deleteData(offset, count) {
      this.replaceData(offset, count, '');
    }
    replaceData(offset, count, text) {
      const { data } = this;
      const from = offset >>> 0;
      if (from > data.length) throw beyond();
      setData(this, `${data.slice(0, from)}${text}${data.slice(from + (count >>> 0))}`);
    }
  }
  internal.childNode(CharacterData);
  internal.siblings(CharacterData);

  class Text extends CharacterData {
    constructor(given = '', number = undefined, type = 3) {
      if (given === token) super(given, number, type);
      else super(token, dom.createText(dom.main, `${given}`), 3);
    }
    get wholeText() {
      let from = this;
      while (from.previousSibling instanceof Text) from = from.previousSibling;
      let text = '';
      for (let at = from; at instanceof Text; at = at.nextSibling) text += at.data;
      return text;
    }
    splitText(offset) {
      const { data } = this;
      if (offset >>> 0 > data.length) throw beyond();
      const rest = wrap(dom.createText(idOf(this), data.slice(offset >>> 0)));
      const parent = this.parentNode;
      if (parent !== null) internal.insert(parent, rest, this.nextSibling);
      this.data = data.slice(0, offset >>> 0);
      return rest;
    }
  }

  class CDATASection extends Text {
    constructor(given, number) {
      super(given, number, 4);
    }
  }

  class Comment extends CharacterData {
    constructor(given = '', number = undefined) {
      if (given === token) super(given, number, 8);
      else super(token, dom.createComment(dom.main, `${given}`), 8);
    }
  }

  class ProcessingInstruction extends CharacterData {
    constructor(given, number) {
      super(given, number, 7);
    }
    get target() {
      return dom.doctype(idOf(this))[0];
    }
  }

  class DocumentType extends Node {
    constructor(given, number) {
      super(given, number, 10);
    }
    get name() {
      return dom.doctype(idOf(this))[0];
    }
    get publicId() {
      return dom.doctype(idOf(this))[1];
    }
    get systemId() {
      return dom.doctype(idOf(this))[2];
    }
  }
  internal.childNode(DocumentType);

  const types = [
    [3, Text],
    [4, CDATASection],
    [7, ProcessingInstruction],
    [8, Comment],
    [10, DocumentType],
  ];
  internal.exposeClass(CharacterData);
  for (const [type, Class] of types) {
    internal.nodeClass(type, Class);
    internal.exposeClass(Class);
  }
});
