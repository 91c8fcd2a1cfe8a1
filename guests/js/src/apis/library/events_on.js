// `events.on`, which takes the place of the package's own; see `build.rs`.
const abortedBy = (signal) =>
    Object.assign(new Error('The operation was aborted', { cause: signal.reason }), { name: 'AbortError', code: 'ABORT_ERR' });

EventEmitter.on = function on(emitter, event, options = {}) {
    const { signal } = options;
    if (signal?.aborted) throw abortedBy(signal);
    const isTarget = typeof emitter.on !== 'function';
    const listen = (name, listener) => (isTarget ? emitter.addEventListener(name, listener) : emitter.on(name, listener));
    const leave = (name, listener) =>
        isTarget ? emitter.removeEventListener(name, listener) : emitter.removeListener(name, listener);
    const events = [];
    const waiting = [];
    let failure;
    let isOver = false;

    const onEvent = (...args) => {
        const first = waiting.shift();
        if (first === undefined) events.push(args);
        else first.resolve({ value: args, done: false });
    };
    const onError = (error) => {
        const first = waiting.shift();
        if (first === undefined) failure = { error };
        else first.reject(error);
        finish();
    };
    const onAbort = () => onError(abortedBy(signal));
    const onClose = () => finish();
    const finish = () => {
        if (isOver) return;
        isOver = true;
        leave(event, onEvent);
        if (event !== 'error' && !isTarget) leave('error', onError);
        for (const name of options.close ?? []) leave(name, onClose);
        signal?.removeEventListener('abort', onAbort);
        for (const one of waiting.splice(0)) one.resolve({ value: undefined, done: true });
    };

    listen(event, onEvent);
    if (event !== 'error' && !isTarget) listen('error', onError);
    for (const name of options.close ?? []) listen(name, onClose);
    signal?.addEventListener('abort', onAbort, { once: true });
    return {
        next() {
            if (events.length > 0) return Promise.resolve({ value: events.shift(), done: false });
            if (failure !== undefined) {
                const { error } = failure;
                failure = undefined;
                return Promise.reject(error);
            }
            if (isOver) return Promise.resolve({ value: undefined, done: true });
            return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
        },
        return() {
            finish();
            return Promise.resolve({ value: undefined, done: true });
        },
        throw(error) {
            onError(error);
            return Promise.resolve({ value: undefined, done: true });
        },
        [Symbol.asyncIterator]() {
            return this;
        },
    };
};

