// Text, comments, processing instructions and document types. Offsets count UTF-16 units, so they
// are for JavaScript to count.
(function (native, internal) {
  'use strict';

  const { dom } = native;
  const { Node, idOf, isObserved, token, wrap } = internal;

  const beyond = () =>
    new internal.DOMException('The offset is larger than the data', 'IndexSizeError');
  const replaceData = (node, offset, count, text) => {
    const old = dom.data(idOf(node));
    if (offset > old.length) throw beyond();
    count = Math.min(count, old.length - offset);
    dom.setData(idOf(node), `${old.slice(0, offset)}${text}${old.slice(offset + count)}`);
    if (isObserved()) internal.noteData(node, old);
    if (internal.hasPoints()) internal.dataReplaced(node, offset, count, text.length);
  };
  const setData = (node, text) => {
    if (isObserved() || internal.hasPoints()) replaceData(node, 0, dom.data(idOf(node)).length, text);
    else dom.setData(idOf(node), text);
  };
  internal.replaceData = replaceData;
  internal.setData = setData;
  const need = (count, wanted, name) =>
    internal.requireArguments(count, wanted, `Failed to execute '${name}' on 'CharacterData'`);

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
      need(arguments.length, 2, 'substringData');
      const { data } = this;
      if (offset >>> 0 > data.length) throw beyond();
      return data.slice(offset >>> 0, (offset >>> 0) + (count >>> 0));
    }
    appendData(text) {
      need(arguments.length, 1, 'appendData');
      replaceData(this, dom.data(idOf(this)).length, 0, `${text}`);
    }
    insertData(offset, text) {
      need(arguments.length, 2, 'insertData');
      replaceData(this, offset >>> 0, 0, `${text}`);
    }
    deleteData(offset, count) {
      need(arguments.length, 2, 'deleteData');
      replaceData(this, offset >>> 0, count >>> 0, '');
    }
    replaceData(offset, count, text) {
      need(arguments.length, 3, 'replaceData');
      replaceData(this, offset >>> 0, count >>> 0, `${text}`);
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
      internal.requireArguments(arguments.length, 1, "Failed to execute 'splitText' on 'Text'");
      offset = offset >>> 0;
      const { data } = this;
      if (offset > data.length) throw beyond();
      const end = data.slice(offset);
      const kind = internal.typeOf(this) === 4 ? 'createCData' : 'createText';
      const rest = wrap(dom[kind](idOf(this), end));
      const parent = this.parentNode;
      if (parent !== null) {
        internal.insert(parent, rest, this.nextSibling);
        internal.dataSplit(this, offset, rest, parent);
      }
      replaceData(this, offset, data.length - offset, '');
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
