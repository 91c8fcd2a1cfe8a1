//! Thin wrappers of QuickJS functions that rquickjs does not offer.

#[cfg(not(target_arch = "wasm32"))]
use rquickjs::Function;
use rquickjs::{Ctx, Persistent, Result, Value, qjs};

/// Mode of evaluating a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eval {
    /// Run as a script; returns its completion value.
    Script,
    /// Run as a script with `await` at the top; returns a promise of `{ value }`.
    AsyncScript,
    /// Compile as a script without running it; returns its code, for [`run`] and [`pack`].
    Compile,
}

/// Evaluates `source`, whose first line is number `first_line` in stack traces.
pub(crate) fn eval<'js>(
    ctx: &Ctx<'js>,
    source: &str,
    file: &str,
    first_line: i32,
    how: Eval,
) -> Result<Value<'js>> {
    let flags = match how {
        Eval::Script => qjs::JS_EVAL_TYPE_GLOBAL,
        Eval::AsyncScript => qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_ASYNC,
        Eval::Compile => qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_COMPILE_ONLY,
    };
    // QuickJS needs a NUL behind the text; a NUL inside it is part of the text.
    let mut text = Vec::with_capacity(source.len() + 1);
    text.extend_from_slice(source.as_bytes());
    text.push(0);
    let mut name: Vec<u8> = file.bytes().filter(|byte| *byte != 0).collect();
    name.push(0);
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: flags as _,
        filename: name.as_ptr().cast(),
        line_num: first_line,
    };
    // SAFETY: `ctx` is live; `text` holds `source.len()` bytes and a NUL; `name` ends in NUL; all
    // outlive the call, which copies them.
    let value = unsafe {
        qjs::JS_Eval2(ctx.as_raw().as_ptr(), text.as_ptr().cast(), source.len() as _, &mut options)
    };
    // SAFETY: `JS_Eval2` returned this reference, and nothing else frees it.
    unsafe { owned(ctx, value) }
}

/// Runs code and returns the script's completion value.
pub(crate) fn run(code: Value<'_>) -> Result<Value<'_>> {
    let ctx = code.ctx().clone();
    // SAFETY: `JS_EvalFunction` frees the reference it is given, which is a duplicate; the
    // reference it returns is new.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        let value = qjs::JS_EvalFunction(raw, qjs::JS_DupValue(raw, code.as_raw()));
        owned(&ctx, value)
    }
}

/// Hands the bytes of code to `f`.
pub(crate) fn pack<T>(code: &Value<'_>, f: impl FnOnce(&[u8]) -> T) -> Result<T> {
    let ctx = code.ctx().as_raw().as_ptr();
    let mut len: qjs::size_t = 0;
    // SAFETY: a buffer that is not null holds `len` bytes; it is freed below, after its last use.
    unsafe {
        let flags = qjs::JS_WRITE_OBJ_BYTECODE as _;
        let bytes = qjs::JS_WriteObject(ctx, &mut len, code.as_raw(), flags);
        if bytes.is_null() {
            return Err(rquickjs::Error::Exception);
        }
        let result = f(std::slice::from_raw_parts(bytes, len as usize));
        qjs::js_free(ctx, bytes.cast());
        Ok(result)
    }
}

/// Restores code that [`pack`] packed.
pub(crate) fn unpack<'js>(ctx: &Ctx<'js>, code: &[u8]) -> Result<Value<'js>> {
    let flags = qjs::JS_READ_OBJ_BYTECODE as _;
    // SAFETY: the bytes outlive the call. QuickJS does not check bytecode: the host hands back
    // only what `pack` made for the same tool, and wrong bytes could harm this cell alone.
    unsafe {
        let raw = ctx.as_raw().as_ptr();
        owned(ctx, qjs::JS_ReadObject(raw, code.as_ptr(), code.len() as _, flags))
    }
}

/// Takes over a value that QuickJS returned, or its exception.
///
/// # Safety
///
/// `value` must be a reference that nothing else frees.
pub(crate) unsafe fn owned<'js>(ctx: &Ctx<'js>, value: qjs::JSValue) -> Result<Value<'js>> {
    // SAFETY: the caller promises that the reference is ours to free.
    let value = unsafe { Value::from_raw(ctx.clone(), value) };
    if value.is_exception() { Err(rquickjs::Error::Exception) } else { Ok(value) }
}

/// Returns a promise that is fulfilled already.
pub(crate) fn fulfilled<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    // SAFETY: `ctx` and `value` are live; QuickJS duplicates `value` and returns a new reference.
    unsafe {
        let promise = qjs::JS_NewSettledPromise(ctx.as_raw().as_ptr(), false, value.as_raw());
        owned(ctx, promise)
    }
}

/// A promise that JavaScript cannot settle.
pub(crate) struct Deferred {
    #[cfg(target_arch = "wasm32")]
    promise: Persistent<Value<'static>>,
    #[cfg(not(target_arch = "wasm32"))]
    functions: [Persistent<Function<'static>>; 2],
}

/// The patched QuickJS of the images makes it without the two resolving functions; see
/// `crates/images/build/quickjs.rs`.
#[cfg(target_arch = "wasm32")]
impl Deferred {
    pub(crate) fn new<'js>(ctx: &Ctx<'js>) -> Result<(Value<'js>, Self)> {
        // SAFETY: `ctx` is live, and `js_promise_bare` returns a new reference.
        let promise = unsafe {
            let nothing = Value::new_undefined(ctx.clone());
            let raw = ctx.as_raw().as_ptr();
            owned(ctx, js_promise_bare(raw, PROMISE_PENDING, nothing.as_raw()))?
        };
        let kept = Persistent::save(ctx, promise.clone());
        Ok((promise, Deferred { promise: kept }))
    }

    pub(crate) fn settle<'js>(self, ctx: &Ctx<'js>, with: Result<Value<'js>>) -> Result<()> {
        let promise = self.promise.restore(ctx)?;
        let (value, is_reject) = match with {
            Ok(value) => (value, false),
            Err(_) => (ctx.catch(), true),
        };
        // SAFETY: both values are live during the call, and QuickJS duplicates what it keeps.
        unsafe {
            js_promise_settle(ctx.as_raw().as_ptr(), promise.as_raw(), value.as_raw(), is_reject);
        }
        Ok(())
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Deferred {
    pub(crate) fn new<'js>(ctx: &Ctx<'js>) -> Result<(Value<'js>, Self)> {
        let (promise, resolve, reject) = rquickjs::Promise::new(ctx)?;
        let functions = [resolve, reject].map(|function| Persistent::save(ctx, function));
        Ok((promise.into_value(), Deferred { functions }))
    }

    pub(crate) fn settle<'js>(self, ctx: &Ctx<'js>, with: Result<Value<'js>>) -> Result<()> {
        let [resolve, reject] = self.functions;
        match with {
            Ok(value) => resolve.restore(ctx)?.call((value,)),
            Err(_) => reject.restore(ctx)?.call((ctx.catch(),)),
        }
    }
}

#[cfg(target_arch = "wasm32")]
const PROMISE_PENDING: std::ffi::c_int = 0;

#[cfg(target_arch = "wasm32")]
unsafe extern "C" {
    fn js_promise_bare(
        ctx: *mut qjs::JSContext,
        state: std::ffi::c_int,
        result: qjs::JSValueConst,
    ) -> qjs::JSValue;
    fn js_promise_settle(
        ctx: *mut qjs::JSContext,
        promise: qjs::JSValueConst,
        value: qjs::JSValueConst,
        is_reject: bool,
    );
}

/// Hands the string's bytes to `f` as UTF-8, with lone surrogates in the three-byte form of WTF-8.
pub(crate) fn with_wtf8<T>(value: &Value<'_>, f: impl FnOnce(&[u8]) -> T) -> Result<T> {
    let ctx = value.ctx().as_raw().as_ptr();
    let mut len: qjs::size_t = 0;
    // SAFETY: a text that is not null holds `len` bytes; it is freed below, after its last use.
    unsafe {
        let text = qjs::JS_ToCStringLen2(ctx, &mut len, value.as_raw(), false);
        if text.is_null() {
            return Err(rquickjs::Error::Exception);
        }
        let result = f(std::slice::from_raw_parts(text.cast(), len as usize));
        qjs::JS_FreeCString(ctx, text);
        Ok(result)
    }
}

/// Returns `String(value)`, lone surrogates replaced.
pub(crate) fn text(value: &Value<'_>) -> Result<String> {
    with_wtf8(value, |bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Returns a JavaScript string from UTF-16 units.
pub(crate) fn new_utf16<'js>(ctx: &Ctx<'js>, units: &[u16]) -> Result<Value<'js>> {
    // SAFETY: QuickJS copies `units.len()` units and returns a new reference.
    unsafe {
        let value = qjs::JS_NewStringUTF16(ctx.as_raw().as_ptr(), units.as_ptr(), units.len() as _);
        owned(ctx, value)
    }
}

/// Returns the number of the value's built-in class.
pub(crate) fn class_id(value: &Value<'_>) -> u32 {
    // SAFETY: the value is live; the call reads its header only.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}
