// MessageChannel, MessagePort and BroadcastChannel, within one run. Loaded at the first use.
//
// A message is copied when it is posted, and delivered by a task of its own. A port is a holder of
// one end of a channel: moving a port moves the end, with the messages that wait there.
(function (native, internal) {
  'use strict';

  const { token, illegal } = internal;
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  let endOf, hear, hold, letGo;

  // { port, peer, waiting: [{ data, ports }], isStarted, isScheduled }
  const newEnd = () => ({ port: null, peer: null, waiting: [], isStarted: false, isScheduled: false });

  const schedule = (end) => {
    if (end.isScheduled || !end.isStarted || end.waiting.length === 0) return;
    end.isScheduled = true;
    internal.setTimeout(deliver, 0, end);
  };
  const deliver = (end) => {
    end.isScheduled = false;
    // The port may have been moved or closed since.
    if (!end.isStarted || end.port === null || end.waiting.length === 0) return;
    const message = end.waiting.shift();
    schedule(end);
    internal.fire(end.port, internal.trusted(new MessageEvent('message', message)));
  };
  const start = (end) => {
    if (end === null || end.isStarted) return;
    end.isStarted = true;
    schedule(end);
  };
  const announceClose = (end) => {
    const { port } = end;
    if (port !== null) internal.setTimeout(() => internal.fire(port, internal.trustedEvent('close')), 0);
  };

  const transferOf = (options) => {
    if (options === undefined || options === null) return [];
    if (!isObject(options)) throw internal.wrongType('options', 'of type object', options);
    if (typeof options[Symbol.iterator] === 'function') return [...options];
    const { transfer } = options;
    if (transfer === undefined) return [];
    if (!isObject(transfer) || typeof transfer[Symbol.iterator] !== 'function') {
      throw internal.wrongType('options.transfer', 'an iterable', transfer);
    }
    return [...transfer];
  };

  class MessagePort extends EventTarget {
    // Null after the port was moved or closed.
    #end = null;
    // Listeners added by Node's `on`: callback → listener.
    #wrapped;

    static {
      endOf = (port) => port.#end;
      hold = (port, end) => {
        port.#end = end;
        end.port = port;
      };
      letGo = (port) => {
        const end = port.#end;
        port.#end = null;
        end.port = null;
        end.isStarted = false;
        return end;
      };
    }

    constructor(given = undefined) {
      if (given !== token) throw illegal();
      super();
    }

    postMessage(message, options = undefined) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'postMessage' on 'MessagePort'");
      const end = this.#end;
      const list = transferOf(options);
      if (list.includes(this)) {
        throw new internal.DOMException('Transfer list contains source port', 'DataCloneError');
      }
      const peer = end?.peer ?? null;
      const { copy, moved } = internal.cloneWith(message, list);
      if (peer === null) return;
      const ports = moved.filter((item) => item instanceof MessagePort);
      peer.waiting.push({ data: copy, ports });
      schedule(peer);
    }
    start() {
      start(this.#end);
    }
    close() {
      const end = this.#end;
      if (end === null) return;
      announceClose(end);
      letGo(this);
      end.waiting = [];
      const { peer } = end;
      if (peer === null) return;
      peer.peer = end.peer = null;
      announceClose(peer);
    }

    // Methods of Node's ports that the web's do not have.
    ref() {
      this.#end;
    }
    unref() {
      this.#end;
    }
    hasRef() {
      return this.#end?.isStarted === true;
    }
    addEventListener(type, callback, options = undefined) {
      super.addEventListener(type, callback, options);
      if (type === 'message') start(this.#end);
    }
    on(type, callback) {
      return this.#listen(type, callback, false);
    }
    addListener(type, callback) {
      return this.#listen(type, callback, false);
    }
    once(type, callback) {
      return this.#listen(type, callback, true);
    }
    off(type, callback) {
      const listener = this.#wrapped?.get(callback);
      if (listener !== undefined) this.removeEventListener(type, listener);
      return this;
    }
    removeListener(type, callback) {
      return this.off(type, callback);
    }
    #listen(type, callback, once) {
      this.#wrapped ??= new Map();
      let listener = this.#wrapped.get(callback);
      if (listener === undefined) {
        listener = (event) => Reflect.apply(callback, this, type === 'message' ? [event.data] : [event]);
        this.#wrapped.set(callback, listener);
      }
      this.addEventListener(type, listener, { once });
      return this;
    }
  }
  for (const name of ['addEventListener', 'on', 'addListener', 'once', 'off', 'removeListener']) {
    internal.hidden(MessagePort.prototype, name, MessagePort.prototype[name]);
  }

  class MessageChannel {
    #port1 = new MessagePort(token);
    #port2 = new MessagePort(token);
    constructor() {
      const [one, two] = [newEnd(), newEnd()];
      one.peer = two;
      two.peer = one;
      hold(this.#port1, one);
      hold(this.#port2, two);
    }
    get port1() {
      return this.#port1;
    }
    get port2() {
      return this.#port2;
    }
  }

  // name → channels that are open
  const open = new Map();
  class BroadcastChannel extends EventTarget {
    #name;
    #isClosed = false;
    static {
      hear = (channel, data) => {
        if (channel.#isClosed) return;
        internal.fire(channel, internal.trusted(new MessageEvent('message', { data })));
      };
    }
    constructor(name) {
      internal.requireArguments(arguments.length, 1, "Failed to construct 'BroadcastChannel'");
      super();
      this.#name = `${name}`;
      const others = open.get(this.#name);
      if (others === undefined) open.set(this.#name, new Set([this]));
      else others.add(this);
    }
    get name() {
      return this.#name;
    }
    postMessage(message) {
      internal.requireArguments(arguments.length, 1, "Failed to execute 'postMessage' on 'BroadcastChannel'");
      if (this.#isClosed) {
        throw new internal.DOMException('BroadcastChannel is closed.', 'InvalidStateError');
      }
      const { copy } = internal.cloneWith(message, []);
      for (const channel of open.get(this.#name)) {
        if (channel === this) continue;
        internal.setTimeout(hear, 0, channel, internal.cloneWith(copy, []).copy);
      }
    }
    close() {
      this.#isClosed = true;
      const channels = open.get(this.#name);
      channels?.delete(this);
      if (channels?.size === 0) open.delete(this.#name);
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
  }

  for (const Class of [MessagePort, BroadcastChannel]) {
    for (const type of ['message', 'messageerror']) internal.defineHandler(Class, type);
  }
  internal.defineHandler(MessagePort, 'close');
  // Setting the handler starts the port, also where it is set again.
  const { get, set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    get,
    set(value) {
      Reflect.apply(set, this, [value]);
      start(endOf(this));
    },
    enumerable: true,
    configurable: true,
  });

  for (const Class of [MessagePort, MessageChannel, BroadcastChannel]) internal.shapeClass(Class);
  internal.movers.set(MessagePort.prototype, (port) => {
    if (endOf(port) === null) return undefined;
    const moved = new MessagePort(token);
    hold(moved, letGo(port));
    return moved;
  });

  return {
    MessageChannel,
    MessagePort,
    BroadcastChannel,
    receiveMessageOnPort(port) {
      if (!(port instanceof MessagePort) && !(port instanceof BroadcastChannel)) {
        throw internal.wrongType('port', 'a MessagePort instance', port);
      }
      const end = port instanceof MessagePort ? endOf(port) : null;
      const message = end?.waiting.shift();
      return message === undefined ? undefined : { message: message.data };
    },
  };
});
