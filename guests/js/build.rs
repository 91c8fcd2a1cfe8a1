//! Packs the modules of Node that the registry's `wasm-rquickjs` has for QuickJS, and those of ours
//! that few tools use.
//!
//! The originals stay in the registry: this repository has their names and a few changes. A change
//! whose text does not occur exactly once fails the build: the package has a new version, and the
//! change must be reviewed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::DeflateEncoder;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The package that contains the modules.
const PACKAGE: &str = "wasm-rquickjs";

/// The target that the package is a dependency for; others would have it compiled.
const TARGET: &str = "wasm64-unknown-unknown";

/// Folder of the modules inside the package.
const FOLDER: &str = "skeleton/src/builtin";

/// Folders with modules of our own that few tools use. They would lengthen the image by 180 KB as
/// they are.
const PACKED_FOLDERS: [&str; 4] = ["assert", "intl", "keys", "net"];

/// Place of these folders.
const LIBRARY: &str = "src/apis/library";

/// Stack that the guest is linked with; see `JS_STACK` in `src/interpreter.rs`.
const STACK: usize = 2 << 20;

/// Name that other modules import, and the file if it has another name.
const MODULES: &[(&str, &str)] = &[
    ("assert", "assert"),
    ("base64-js", "base64"),
    ("buffer", "buffer"),
    ("diagnostics_channel", "diagnostics_channel"),
    ("events", "events"),
    ("ieee754", "ieee754"),
    ("internal/binding/util", "internal/binding/util"),
    ("internal/errors", "internal/errors"),
    ("internal/normalize_encoding", "internal/normalize_encoding"),
    ("internal/streams/add-abort-signal", "internal/streams/add-abort-signal"),
    ("internal/streams/buffer_list", "internal/streams/buffer_list"),
    ("internal/streams/compose", "internal/streams/compose"),
    ("internal/streams/destroy", "internal/streams/destroy"),
    ("internal/streams/duplex", "internal/streams/duplex"),
    ("internal/streams/end-of-stream", "internal/streams/end-of-stream"),
    ("internal/streams/from", "internal/streams/from"),
    ("internal/streams/legacy", "internal/streams/legacy"),
    ("internal/streams/passthrough", "internal/streams/passthrough"),
    ("internal/streams/pipeline", "internal/streams/pipeline"),
    ("internal/streams/readable", "internal/streams/readable"),
    ("internal/streams/state", "internal/streams/state"),
    ("internal/streams/transform", "internal/streams/transform"),
    ("internal/streams/utils", "internal/streams/utils"),
    ("internal/streams/writable", "internal/streams/writable"),
    ("internal/timers", "internal/timers"),
    ("internal/util", "internal/util"),
    ("internal/util/debuglog", "internal/util/debuglog"),
    ("internal/util/inspect", "internal/util/inspect"),
    ("internal/util/types", "internal/util/types"),
    ("internal/validators", "internal/validators"),
    ("internal/weak_collections", "internal/weak_collections"),
    ("net", "net"),
    ("node_http_incoming", "node_http_incoming"),
    ("node_http_server", "node_http_server"),
    ("path", "path"),
    ("punycode", "punycode"),
    ("querystring", "querystring"),
    ("stream", "stream"),
    ("stream/consumers", "stream_consumers"),
    ("stream/promises", "stream_promises"),
    ("string_decoder", "string_decoder"),
    ("url", "url"),
    ("util", "util"),
    ("zlib", "zlib"),
];

/// A change of a module.
enum Change {
    /// Replaces text that occurs exactly once.
    Replace { from: &'static str, to: &'static str },
    /// Removes everything from the first text to before the second.
    Cut { from: &'static str, to: &'static str },
}

use Change::{Cut, Replace};

const CHANGES: &[(&str, Change)] = &[
    // Connections stay in the tool: `src/apis/library/net` has both ends, and the names of hosts.
    ("net", Replace { from: "import dns from 'node:dns';\n", to: "import dns from 'internal/net/lookup';\n" }),
    (
        "net",
        Replace {
            from: "from '__wasm_rquickjs_builtin/net_native';",
            to: "from 'internal/net/connections';",
        },
    ),
    // Linux's numbers of errors.
    (
        "net",
        Replace {
            from: "    EADDRINUSE: -48,
    EADDRNOTAVAIL: -49,
    EACCES: -13,
    EHOSTUNREACH: -65,
    ECONNREFUSED: -61,
    ECONNRESET: -54,
    ECONNABORTED: -53,
    ETIMEDOUT: -60,
    EPIPE: -32,
    ENOTCONN: -57,
",
            to: "    EADDRINUSE: -98, EACCES: -13, ECONNREFUSED: -111, ECONNRESET: -104, EPIPE: -32,\n",
        },
    ),
    ("net", Replace { from: "options.host || '0.0.0.0'", to: "options.host || '::'" }),
    (
        "net",
        Replace {
            from: "        if (addressFamily === 6) {
            nextTick(onResult, createConnectError(ip));
            return;
        }
",
            to: "",
        },
    ),
    // The number of the port that was given, or that was found.
    (
        "net",
        Replace {
            from: "            err.syscall = 'listen';
            err.address = ip;
            err.port = port;
            nextTick(() => this.emit('error', err));
",
            to: "            this._handle = null;
            err.syscall = 'listen';
            err.address = ip;
            err.port = Number(port);
            nextTick(() => this.emit('error', err));
",
        },
    ),
    (
        "node_http_server",
        Replace { from: "from 'node:_http_common';", to: "from 'internal/net/http_common';" },
    ),
    // A response that no connection has yet is given one with `assignSocket`.
    (
        "node_http_server",
        Replace {
            from: "    this.socket = req.socket;
    this.connection = req.socket;
    this._standaloneSocket = false;
    this.statusCode",
            to: "    this.socket = this.connection = null;
    this._standaloneSocket = false;
    this.statusCode",
        },
    ),
    (
        "node_http_server",
        Replace {
            from: "                    res._keepAlive =
                        connKeepAlive &&",
            to: "                    res.socket = res.connection = socket;
                    res._keepAlive =
                        connKeepAlive &&",
        },
    ),
    // Streams of bytes hold 16 KiB in Node 20.
    (
        "internal/streams/state",
        Replace { from: "let defaultHwmBytes = 64 * 1024;", to: "let defaultHwmBytes = 16 * 1024;" },
    ),
    // A stream that was destroyed neither finishes nor ends.
    (
        "internal/streams/writable",
        Replace {
            from: "    return (state.ending &&\n        state.constructed &&",
            to: "    return (state.ending &&\n        !state.destroyed &&\n        state.constructed &&",
        },
    ),
    (
        "internal/streams/readable",
        Replace {
            from: "        !state.errorEmitted && !state.closeEmitted &&\n        !state.endEmitted && state.length === 0",
            to: "        !state.errored && !state.closeEmitted &&\n        !state.endEmitted && state.length === 0",
        },
    ),
    (
        "internal/streams/writable",
        Replace { from: "err ?? ERR_MULTIPLE_CALLBACK()", to: "err ?? new ERR_MULTIPLE_CALLBACK()" },
    ),
    // A pipeline that fails keeps its listener of errors, and calls back after them.
    (
        "internal/streams/pipeline",
        Replace {
            from: "            while (lastStreamCleanup.length) {
                lastStreamCleanup.shift()();
            }
            callback(error, value);
",
            to: "            if (!error) lastStreamCleanup.forEach((fn) => fn());
            nextTick(callback, error, value);
",
        },
    ),
    (
        "internal/streams/pipeline",
        Replace {
            from: "        finishImpl(new AbortError());",
            to: "        finishImpl(new AbortError(outerSignal?.reason));",
        },
    ),
    // An iterator that ends early, or by an error, destroys its stream without a second error.
    (
        "internal/streams/readable",
        Replace {
            from: "        if (opts.destroyOnError) {
            destroyImpl.destroyer(stream, err);
        }
        error = aggregateTwoErrors",
            to: "        error = aggregateTwoErrors",
        },
    ),
    (
        "internal/streams/readable",
        Replace {
            from: "        if (error === undefined && opts.destroyOnReturn) {
            const state = stream._readableState;
            if (state.autoDestroy || !state.endEmitted) {
                destroyImpl.destroyer(stream, null);
            }
        }
        stream.off(\"readable\", next);
        cleanup();
",
            to: "        if (
            (error || opts?.destroyOnReturn !== false) &&
            (error === undefined || stream._readableState.autoDestroy)
        ) {
            destroyImpl.destroyer(stream, null);
        } else {
            stream.off('readable', next);
            cleanup();
        }
",
        },
    ),
    // A request whose client has gone is destroyed, as in Node.
    (
        "node_http_server",
        Replace {
            from: "                if (!context.req.aborted && !context.req.complete) {
                    context.req.complete = true;
                    context.req.push(null);
                }
                if (!context.responseFinished && !context.req.aborted) {
                    context.req.aborted = true;
                    context.req.emit('aborted');
                }
",
            to: "                if (!context.responseFinished) abandon(context.req);\n",
        },
    ),
    (
        "node_http_server",
        Replace {
            from: "            if (!context.req.aborted) {
                if (!context.req.complete) {
                    context.req.complete = true;
                    context.req.push(null);
                }
                if (!context.responseFinished) {
                    context.req.aborted = true;
                    context.req.emit('aborted');
                }
            }
",
            to: "            if (!context.responseFinished) abandon(context.req);\n",
        },
    ),
    (
        "node_http_server",
        Replace {
            from: "    // Install a single timeout handler for idle keep-alive connections\n",
            to: "    function abandon(req) {
        if (req.destroyed) return;
        const error = new Error('aborted');
        error.code = 'ECONNRESET';
        req.destroy(error);
    }
",
        },
    ),
    // Values of any size are compared. Pairs are remembered while they are being compared, as in Node,
    // and primitives of sets and maps are found by their value.
    (
        "util",
        Replace {
            from: "    _deepCallCount++;
    if (_deepCallCount > 5000) {
        _deepCallCount = 0;
        return false;
    }
",
            to: "",
        },
    ),
    (
        "util",
        Replace {
            from: "    return _deepObjEquiv(a, b, strict, memo);
}
",
            to: "    memo ??= { a: [], b: [] };
    for (let at = memo.a.length - 1; at >= 0; at--) {
        if (memo.a[at] === a && memo.b[at] === b) return true;
    }
    memo.a.push(a);
    memo.b.push(b);
    const isEqual = _deepObjEquiv(a, b, strict, memo);
    memo.a.pop();
    memo.b.pop();
    return isEqual;
}
",
        },
    ),
    (
        "util",
        Cut {
            from: "    if (!memo) {
        memo = { a: [], b: [] };
    }
",
            to: "    if (a instanceof Map && b instanceof Map) {",
        },
    ),
    (
        "util",
        Replace {
            from: "        const unmatchedA = [];
        const matchedB = new Array(bEntries.length);
",
            to: "        const unmatchedA = [];
        const matchedB = new Array(bEntries.length);
        const places = new Map(bEntries.map(([key], at) => [key, at]));
",
        },
    ),
    (
        "util",
        Replace {
            from: "                let found = false;
                for (let j = 0; j < bEntries.length; j++) {
                    if (matchedB[j]) continue;
                    if (Object.is(aKey, bEntries[j][0])) {
                        if (!_innerDeep(aEntries[i][1], bEntries[j][1], strict, memo)) return false;
                        matchedB[j] = true;
                        found = true;
                        break;
                    }
                }
                if (!found) return false;
",
            to: "                const j = places.get(aKey);
                if (j === undefined || !_innerDeep(aEntries[i][1], bEntries[j][1], strict, memo)) return false;
                matchedB[j] = true;
",
        },
    ),
    (
        "util",
        Replace {
            from: "        const usedB = new Array(arrB.length);
",
            to: "        const usedB = new Array(arrB.length);
        const places = new Map(arrB.map((value, at) => [value, at]));
",
        },
    ),
    (
        "util",
        Replace {
            from: "                    for (let j = 0; j < arrB.length; j++) {
                        if (!usedB[j] && Object.is(val, arrB[j])) {
                            usedB[j] = true;
                            break;
                        }
                    }
                    continue;
",
            to: "                    usedB[places.get(val)] = true;
                    continue;
",
        },
    ),
    // Long buffers are searched, compared and shown by the engine, not byte by byte.
    (
        "buffer",
        Replace {
            from: "    let i
    if (dir) {
        let foundIndex = -1
",
            to: "    let i
    if (dir && indexSize === 1) {
        const last = arrLength - valLength
        for (let at = byteOffset; at <= last; at++) {
            at = Uint8Array.prototype.indexOf.call(arr, val[0], at)
            if (at < 0 || at > last) return -1
            let same = 1
            while (same < valLength && arr[at + same] === val[same]) same++
            if (same === valLength) return at
        }
        return -1
    }
    if (dir) {
        let foundIndex = -1
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "    if (a === b) return 0

    let x = a.length
    let y = b.length

    for (let i = 0, len = Math.min(x, y); i < len; ++i) {
        if (a[i] !== b[i]) {
            x = a[i]
            y = b[i]
            break
        }
    }

    if (x < y) return -1
    if (y < x) return 1
    return 0
",
            to: "    return a === b ? 0 : native.compareBytes(a, b)
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "    let x = thisEnd - thisStart
    let y = end - start
    const len = Math.min(x, y)

    for (let i = 0; i < len; ++i) {
        if (this[thisStart + i] !== target[start + i]) {
            x = this[thisStart + i]
            y = target[start + i]
            break
        }
    }

    if (x < y) return -1
    if (y < x) return 1
    return 0
",
            to: "    const { subarray } = Uint8Array.prototype
    return native.compareBytes(subarray.call(this, thisStart, thisEnd), subarray.call(target, start, end))
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "    let out = ''
    for (let i = start; i < end; ++i) {
        out += hexSliceLookupTable[buf[i]]
    }
    return out
",
            to: "    return start < end ? new Uint8Array(buf.buffer, buf.byteOffset + start, end - start).toHex() : ''
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "    for (let i = 0; i < length; ++i) {
        const a = string.charCodeAt(i * 2 + 0)
",
            to: "    try {
        const target = new Uint8Array(buf.buffer, buf.byteOffset + offset, length)
        return target.setFromHex(string.slice(0, length * 2)).written
    } catch {
        // The digits before the first character that is none are written.
    }
    for (let i = 0; i < length; ++i) {
        const a = string.charCodeAt(i * 2 + 0)
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "    let ret = ''
    end = Math.min(buf.length, end)

    for (let i = start; i < end; ++i) {
        ret += String.fromCharCode(buf[i])
    }
    return ret
",
            to: "    return textOf(new Uint8Array(buf.buffer, buf.byteOffset, Math.min(buf.length, end)).subarray(start))
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "    const bytes = buf.slice(start, end)
    let res = ''
    // If bytes.length is odd, the last 8 bits must be ignored (same as node.js)
    for (let i = 0; i < bytes.length - 1; i += 2) {
        res += String.fromCharCode(bytes[i] + (bytes[i + 1] * 256))
    }
    return res
}
",
            to: "    const bytes = Uint8Array.prototype.slice.call(buf, start, end)
    // If bytes.length is odd, the last 8 bits must be ignored (same as node.js)
    return textOf(new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 1))
}

// The text of these units of UTF-16, which are the arguments of a call some thousand at a time.
function textOf (units) {
    let text = ''
    for (let at = 0; at < units.length; at += 4096) {
        text += String.fromCharCode.apply(null, units.subarray(at, at + 4096))
    }
    return text
}
",
        },
    ),
    (
        "buffer",
        Replace {
            from: "Buffer.compare = function compare (a, b) {\n",
            to: "import { native } from 'host';\nBuffer.compare = function compare (a, b) {\n",
        },
    ),
    // State of the package that would be seen among the globals.
    ("util", Cut { from: "// Chain into the existing pre-gc hook\n", to: "export function aborted(" }),
    (
        "url",
        Cut { from: "if (globalThis[WARN_INVALID_HOSTNAME_KEY] === undefined) {", to: "function validateHostName(" },
    ),
    (
        "url",
        Replace {
            from: "    if (globalThis[WARN_INVALID_HOSTNAME_KEY]) {
        return;
    }
    globalThis[WARN_INVALID_HOSTNAME_KEY] = true;
",
            to: "    if (internal[WARN_INVALID_HOSTNAME_KEY]) return;
    internal[WARN_INVALID_HOSTNAME_KEY] = true;
",
        },
    ),
    // The arguments of a program, as Node's own function parses them.
    (
        "util",
        Replace { from: "export function parseArgs(config) {\n", to: "function _otherParseArgs(config) {\n" },
    ),
    (
        "util",
        Replace {
            from: "// --- util.parseArgs() ---\n",
            to: "import { parseArgs } from 'internal/parse_args';\nexport { parseArgs };\n",
        },
    ),
    // Wrong types are shown with their values.
    (
        "events",
        Replace {
            from: "    const display = actual === null ? 'null' : actual === undefined ? 'undefined' : typeof actual;
    const err = new TypeError(`The \"${name}\" argument must be of type ${expected}. Received ${display}`);
    err.code = 'ERR_INVALID_ARG_TYPE';
    return err;
",
            to: "    return internal.wrongType(name, `of type ${expected}`, actual);
",
        },
    ),
    (
        "events",
        Replace {
            from: "function _makeTypeError(name, expected, actual) {\n",
            to: "import { internal } from 'host';\nfunction _makeTypeError(name, expected, actual) {\n",
        },
    ),
    // The global classes of the sandbox take the place of the package's own.
    ("url", Cut { from: "const __URLSearchParams__ =", to: "// --- node:url module APIs ---" }),
    (
        "url",
        Replace { from: "import {\n    URL,\n", to: "import { internal } from 'host';\nimport {\n    URL,\n    URLSearchParams,\n" },
    ),
    ("url", Replace { from: "export { URL };\n", to: "export { URL, URLSearchParams };\n" }),
    // `url.format` of an object: a protocol without a colon, characters that would end a part.
    (
        "url",
        Replace {
            from: "    const protocol = urlObject.protocol || '';\n    let pathname = urlObject.pathname || '';\n    let host = '';\n",
            to: "    let protocol = urlObject.protocol || '';
    if (protocol && !protocol.endsWith(':')) protocol += ':';
    let pathname = (urlObject.pathname || '').replace(/[#?]/g, encodeURIComponent);
    let host = '';\n",
        },
    ),
    (
        "url",
        Replace {
            from: "        host = urlObject.auth + '@' + host;\n    }\n\n    if (protocol) {\n",
            to: "        host = encodeURIComponent(urlObject.auth).replace(/%3A/i, ':') + '@' + host;\n    }\n\n    if (protocol) {\n",
        },
    ),
    (
        "url",
        Replace {
            from: "    if (urlObject.search) {
        result += urlObject.search;
    } else if (urlObject.query && typeof urlObject.query === 'object') {
        result += '?' + querystring.stringify(urlObject.query);
    }

    if (urlObject.hash) {
        result += urlObject.hash;
    }

    return result;\n",
            to: "    const query = urlObject.query && typeof urlObject.query === 'object' ? querystring.stringify(urlObject.query) : '';
    const search = (urlObject.search || query).replace(/#/g, '%23');
    if (search) result += search.startsWith('?') ? search : '?' + search;
    const hash = urlObject.hash || '';
    if (hash) result += hash.startsWith('#') ? hash : '#' + hash;
    return result;\n",
        },
    ),
    // Node 20 ends a difference without a line break.
    (
        "assert",
        Replace {
            from: "        super(message);\n\n        this.actual = actual;\n",
            to: "        if (/\\n\\+ actual - expected\\n/.test(message)) message = message.replace(/\\n$/, '');
        super(message);\n\n        this.actual = actual;\n",
        },
    ),
    // The package looks for the text of a failed assertion in files; `assert/expression.js` has it.
    ("assert", Cut { from: "function parseStackFrames(stack) {", to: "class Comparison {" }),
    (
        "assert",
        Replace {
            from: "class Comparison {",
            to: "const getErrMessage = (callee) => sandbox.openPart('internal/assert/expression')(callee);

class Comparison {",
        },
    ),
    ("assert", Replace { from: "import fs from 'node:fs';", to: "import { internal as sandbox } from 'host';" }),
    // The symbol is registered, so that programs can name it without the module.
    (
        "events",
        Replace {
            from: "Symbol('events.captureRejection')",
            to: "Symbol.for('nodejs.rejection')",
        },
    ),
    // The iterator of `events.on` lost an abort while events were waiting; `once` and `on` reject
    // with an error that is not Node's.
    ("events", Cut { from: "EventEmitter.on = function(", to: "EventEmitter.getEventListeners =" }),
    (
        "events",
        Replace {
            from: "EventEmitter.getEventListeners = function(emitterOrTarget, eventName) {\n",
            to: concat!(
                include_str!("src/apis/library/events_on.js"),
                "EventEmitter.getEventListeners = function(emitterOrTarget, eventName) {\n"
            ),
        },
    ),
    (
        "events",
        Replace {
            from: "        if (signal && signal.aborted) {\n            reject(signal.reason);\n",
            to: "        if (signal && signal.aborted) {\n            reject(abortedBy(signal));\n",
        },
    ),
    (
        "events",
        Replace {
            from: "                if (errorHandler) emitter.removeListener('error', errorHandler);\n                reject(signal.reason);\n",
            to: "                if (errorHandler) emitter.removeListener('error', errorHandler);\n                reject(abortedBy(signal));\n",
        },
    ),
    // An emitter that is printed shows what Node's shows.
    (
        "events",
        Replace {
            from: "    } else if (this._captureRejections === undefined) {
        this._captureRejections = false;\n    }\n",
            to: "    } else if (this._captureRejections === undefined) {
        EventEmitter.prototype._captureRejections = false;\n    }
    this[SHAPE_MODE] = false;
    this[CAPTURE] = this._captureRejections;\n",
        },
    ),
    (
        "events",
        Replace {
            from: "function _onceWrap(target, type, listener) {\n",
            to: "const SHAPE_MODE = Symbol('shapeMode');
const CAPTURE = Symbol('kCapture');

function _onceWrap(target, type, listener) {\n",
        },
    ),
    (
        "events",
        Replace {
            from: "        this._captureRejections = true;\n",
            to: "        Object.defineProperty(this, '_captureRejections', { value: true, writable: true, configurable: true });\n",
        },
    ),
    // Node shows the value even if there was none.
    (
        "events",
        Replace {
            from: "new Error('Unhandled error.' + (er !== undefined ? ` (${stringifiedEr})` : ''))",
            to: "new Error(`Unhandled error. (${stringifiedEr})`)",
        },
    ),
    // The warning is remembered here and not on the global object.
    (
        "buffer",
        Replace {
            from: "    if (!globalThis.__wasm_rquickjs_buffer_dep0005_warned) {
        globalThis.__wasm_rquickjs_buffer_dep0005_warned = true\n",
            to: "    if (!Buffer_.isWarned) {\n        Buffer_.isWarned = true\n",
        },
    ),
    // `Buffer.of` would call the constructor, which is deprecated.
    (
        "buffer",
        Replace {
            from: "Buffer.prototype = FastBuffer.prototype\n",
            to: "Buffer.prototype = FastBuffer.prototype
const Buffer_ = { isWarned: false }
Buffer.of = function of (...items) {
    const made = allocUnsafe(items.length)
    for (let at = 0; at < items.length; at++) made[at] = items[at]
    return made
}\n",
        },
    ),
    (
        "buffer",
        Replace {
            from: "export default _defaultExport",
            to: "const { atob, btoa } = globalThis
export { atob, btoa }
export function transcode (source, from, to) {
    const narrow = { ascii: /[^\\x00-\\x7f]/gu, latin1: /[^\\x00-\\xff]/gu, binary: /[^\\x00-\\xff]/gu }[to]
    const text = Buffer.from(source).toString(from)
    return Buffer.from(narrow === undefined ? text : text.replace(narrow, '?'), to)
}
Object.assign(_defaultExport, { atob, btoa, transcode })
export default _defaultExport",
        },
    ),
    (
        "buffer",
        Replace {
            from: "throw new ERR_OUT_OF_RANGE('size', '>= 0 and <= ' + K_MAX_LENGTH, size)",
            to: "throw new ERR_OUT_OF_RANGE('size', '>= 0 && <= 4294967296', size)",
        },
    ),
    (
        "buffer",
        Replace {
            from: "throw new RangeError('Buffer size must be a multiple of 16-bits')",
            to: "throw wrongSize(16)",
        },
    ),
    (
        "buffer",
        Replace {
            from: "throw new RangeError('Buffer size must be a multiple of 32-bits')",
            to: "throw wrongSize(32)",
        },
    ),
    (
        "buffer",
        Replace {
            from: "throw new RangeError('Buffer size must be a multiple of 64-bits')",
            to: "throw wrongSize(64)",
        },
    ),
    (
        "buffer",
        Replace {
            from: "const K_MAX_LENGTH = 0x7fffffff\n",
            to: "const K_MAX_LENGTH = 0x7fffffff
const wrongSize = (bits) => {
    const error = new RangeError(`Buffer size must be a multiple of ${bits}-bits`)
    return Object.assign(error, { code: 'ERR_INVALID_BUFFER_SIZE' })
}\n",
        },
    ),
    // The members in the order of Node.
    (
        "url",
        Replace {
            from: "    const options = {
        protocol: url.protocol,
        hostname: typeof url.hostname === 'string' && url.hostname.startsWith('[')
            ? url.hostname.slice(1, -1)
            : url.hostname,
    };
",
            to: "    const options = {
        __proto__: null,
        ...url,
        protocol: url.protocol,
        hostname: typeof url.hostname === 'string' && url.hostname.startsWith('[')
            ? url.hostname.slice(1, -1)
            : url.hostname,
        hash: url.hash,
        search: url.search,
        pathname: url.pathname,
        path: `${url.pathname || ''}${url.search || ''}`,
        href: url.href,
    };
",
        },
    ),
    // `once` listens for the event before it listens for errors.
    (
        "events",
        Replace {
            from: "        let errorHandler;\n        if (name !== 'error') {\n            errorHandler = function(err) {",
            to: "        let errorHandler;\n        emitter.once(name, eventHandler);\n        if (name !== 'error') {\n            errorHandler = function(err) {",
        },
    ),
    (
        "events",
        Replace {
            from: "            emitter.once('error', errorHandler);\n        }\n\n        emitter.once(name, eventHandler);\n",
            to: "            emitter.once('error', errorHandler);\n        }\n",
        },
    ),
    // Node's `stream` has functions that tell the state of a stream.
    (
        "stream",
        Replace {
            from: "Stream.isDisturbed = isDisturbed;",
            to: "Object.assign(Stream, { isDestroyed, isDisturbed, isErrored, isReadable, isWritable });",
        },
    ),
    (
        "stream",
        Replace {
            from: "import { isDisturbed, isErrored, isNodeStream, isWritable, uint8ArrayToBuffer }",
            to: "import { isDestroyed, isDisturbed, isErrored, isNodeStream, isReadable, isWritable, uint8ArrayToBuffer }",
        },
    ),
    // The errors of an AggregateError are not enumerable either.
    (
        "internal/util/inspect",
        Replace {
            from: "            base = formatError(value, constructor, tag, ctx, keys);\n",
            to: "            if (Array.isArray(value.errors) && Object.prototype.hasOwnProperty.call(value, 'errors') && keys.indexOf('errors') === -1) {
                keys.push('errors');
            }
            base = formatError(value, constructor, tag, ctx, keys);\n",
        },
    ),
    (
        "util",
        Replace {
            from: "isKeyObject: function isKeyObject() { return false; }",
            to: "isKeyObject(value) { return sandbox.isKeyObject?.(value) ?? false; }",
        },
    ),
    // Names of the system's errors by their numbers.
    (
        "util",
        Replace {
            from: "export default {\n     format,\n",
            to: "import { internal as sandbox } from 'host';
const systemErrors = () => Object.entries(sandbox.library('os').constants.errno);
export function getSystemErrorName(number) {
    return systemErrors().find(([, value]) => value === -number)?.[0];
}
export function getSystemErrorMap() {
    return new Map(systemErrors().map(([name, value]) => [-value, [name, name]]));
}
export default {\n     format,\n     getSystemErrorMap,\n     getSystemErrorName,\n",
        },
    ),
];

fn main() {
    if let Err(error) = build() {
        for line in error.to_string().lines() {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn build() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH")? == "wasm32" {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK}");
    }
    println!("cargo::rerun-if-changed=../Cargo.lock");
    println!("cargo::rerun-if-changed=src/apis/library/events_on.js");
    for folder in PACKED_FOLDERS {
        println!("cargo::rerun-if-changed={LIBRARY}/{folder}");
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let folder = find()?.join(FOLDER);
    let mut table = String::from("[\n");
    for (name, file) in MODULES {
        let path = folder.join(format!("{file}.js"));
        let source =
            std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        table.push_str(&pack(name, &change(name, source)?, &out)?);
    }
    for folder in PACKED_FOLDERS {
        for path in files(&Path::new(LIBRARY).join(folder))? {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).ok_or("a name in UTF-8")?;
            let source = std::fs::read_to_string(&path)?;
            table.push_str(&pack(&format!("internal/{folder}/{stem}"), &source, &out)?);
        }
    }
    table.push_str("]\n");
    std::fs::write(out.join("node_modules.rs"), table)?;
    Ok(())
}

/// Returns the files of a folder by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

/// Writes a deflated source to `out`, and returns its line of the table.
fn pack(name: &str, source: &str, out: &Path) -> Result<String> {
    let packed = out.join(format!("{}.deflate", name.replace('/', "_")));
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(source.as_bytes())?;
    std::fs::write(&packed, encoder.finish()?)?;
    Ok(format!("    ({name:?}, include_bytes!({packed:?})),\n"))
}

/// Returns the directory of the unpacked package, in the version of the lock file.
fn find() -> Result<PathBuf> {
    let output = Command::new(std::env::var("CARGO")?)
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", TARGET])
        .current_dir(std::env::var("CARGO_MANIFEST_DIR")?)
        .output()?;
    if !output.status.success() {
        let log = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata failed\n{log}").into());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut manifests = packages
        .filter(|package| package["name"] == PACKAGE)
        .filter_map(|package| package["manifest_path"].as_str());
    let manifest = manifests.next().ok_or_else(|| format!("no package {PACKAGE}"))?;
    Ok(Path::new(manifest).parent().ok_or("a manifest without directory")?.to_owned())
}

/// Returns the source of a module with its changes applied.
fn change(name: &str, mut source: String) -> Result<String> {
    for (_, change) in CHANGES.iter().filter(|(of, _)| *of == name) {
        let (Replace { from, to } | Cut { from, to }) = change;
        let mut found = source.match_indices(from);
        let (Some((at, _)), None) = (found.next(), found.next()) else {
            return Err(format!("{PACKAGE}: {name}: not exactly one {from:?}").into());
        };
        match change {
            Replace { .. } => source.replace_range(at..at + from.len(), to),
            Cut { .. } => {
                let end = source[at..].find(to);
                let end = at + end.ok_or_else(|| format!("{PACKAGE}: {name}: no {to:?}"))?;
                source.replace_range(at..end, "");
            }
        }
    }
    Ok(source)
}
