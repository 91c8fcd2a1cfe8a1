//! Elements as variables of the window, by their ids and names.
//!
//! An object behind the global object answers for names that nothing else has. Unlike a proxy it is
//! asked for own properties only, so that a name without an element is still a `ReferenceError`,
//! and names that exist cost nothing.

use std::ffi::{CStr, c_int};
use std::ptr::NonNull;

use rquickjs::function::Func;
use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result, Value, qjs};

/// Name of the class that a program sees.
const CLASS: &CStr = c"WindowProperties";

static METHODS: qjs::JSClassExoticMethods = qjs::JSClassExoticMethods {
    get_own_property: Some(own_property),
    get_own_property_names: None,
    delete_property: None,
    define_own_property: None,
    has_property: None,
    get_property: None,
    set_property: None,
};

/// JavaScript function that finds an element by its name, or returns undefined.
struct Lookup<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Lookup<'js> {
    type Changed<'to> = Lookup<'to>;
}

pub(super) fn natives<'js>(_: &Ctx<'js>, dom: &Object<'js>) -> Result<()> {
    dom.set("nameElements", Func::from(name_elements))
}

/// Puts the object with the names between the global object and its prototype.
fn name_elements<'js>(ctx: Ctx<'js>, lookup: Function<'js>) -> Result<()> {
    let globals = ctx.globals();
    let above = globals.get_prototype().map_or(Value::new_null(ctx.clone()), Object::into_value);
    let raw = ctx.as_raw().as_ptr();
    let definition = qjs::JSClassDef {
        class_name: CLASS.as_ptr(),
        finalizer: None,
        gc_mark: None,
        call: None,
        exotic: (&raw const METHODS).cast_mut(),
    };
    // SAFETY: the context is alive, the engine copies the definition and only reads the methods,
    // which are static; the new object is owned by the value made of it.
    let named = unsafe {
        let runtime = qjs::JS_GetRuntime(raw);
        let mut class = 0;
        qjs::JS_NewClassID(runtime, &mut class);
        if qjs::JS_NewClass(runtime, class, &definition) < 0 {
            return Err(Error::Exception);
        }
        crate::engine::owned(&ctx, qjs::JS_NewObjectProtoClass(raw, above.as_raw(), class))?
    };
    ctx.store_userdata(Lookup(lookup)).map_err(|_| Error::Unknown)?;
    globals.set_prototype(named.as_object())
}

/// Fills `desc` for a name that an element has: 1 if one has it, 0 if none, -1 for an exception.
unsafe extern "C" fn own_property(
    ctx: *mut qjs::JSContext,
    desc: *mut qjs::JSPropertyDescriptor,
    _: qjs::JSValue,
    name: qjs::JSAtom,
) -> c_int {
    let Some(raw) = NonNull::new(ctx) else { return 0 };
    // SAFETY: the engine calls with the context that runs, and the value of an atom is owned.
    let (ctx, name) = unsafe {
        let ctx = Ctx::from_raw(raw);
        let name = Value::from_raw(ctx.clone(), qjs::JS_AtomToValue(raw.as_ptr(), name));
        (ctx, name)
    };
    match element(&ctx, name) {
        Ok(None) => 0,
        Err(_) => -1,
        Ok(Some(found)) => {
            // SAFETY: the engine gives a descriptor to fill, or null; it owns the value put into it.
            if let Some(desc) = unsafe { desc.as_mut() } {
                desc.flags = (qjs::JS_PROP_CONFIGURABLE | qjs::JS_PROP_WRITABLE) as c_int;
                // SAFETY: the value is alive; its copy is for the engine.
                desc.value = unsafe { qjs::JS_DupValue(raw.as_ptr(), found.as_raw()) };
                desc.getter = qjs::JS_UNDEFINED;
                desc.setter = qjs::JS_UNDEFINED;
            }
            1
        }
    }
}

fn element<'js>(ctx: &Ctx<'js>, name: Value<'js>) -> Result<Option<Value<'js>>> {
    if !name.is_string() {
        return Ok(None);
    }
    let Some(lookup) = ctx.userdata::<Lookup>().map(|lookup| lookup.0.clone()) else {
        return Ok(None);
    };
    let found: Value = lookup.call((name,))?;
    Ok((!found.is_undefined()).then_some(found))
}
