//! JavaScript functions that packing and unpacking need.

use rquickjs::{Array, Ctx, Function, JsLifetime, Object, Result, Value};

use crate::engine;

/// JavaScript functions taken at init, and the numbers of the built-in classes.
#[derive(Clone)]
pub(crate) struct Helpers<'js> {
    functions: Object<'js>,
    /// `Object.prototype`.
    plain: Object<'js>,
    pub(crate) classes: Classes,
}

// SAFETY: the JavaScript values in it have the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Helpers<'js> {
    type Changed<'to> = Helpers<'to>;
}

/// Numbers of the built-in classes, in the order of `samples`.
#[derive(Clone, Copy, Default)]
pub(crate) struct Classes([u32; 13]);

/// Kind of an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    Error,
    Date,
    RegExp,
    Map,
    Set,
    Buffer,
    DataView,
    /// Number, String, Boolean, BigInt, in this order.
    Boxed(u8),
    /// A typed array, or something that cannot be cloned.
    Other,
}

/// An object's place in the web surface.
pub(crate) enum Platform<'js> {
    /// None: a program's own object, like every other with its prototype.
    None,
    /// None, although it inherits from a class of the surface.
    Inherited,
    /// An object that can be copied: its copy.
    Copied(Value<'js>),
    /// An object of this class, which cannot be copied.
    Fixed(String),
}

impl Classes {
    pub(crate) fn kind(&self, value: &Value<'_>) -> Kind {
        let id = engine::class_id(value);
        match self.0.iter().position(|class| *class == id) {
            Some(0) => Kind::Object,
            Some(1) => Kind::Array,
            Some(2) => Kind::Error,
            Some(3) => Kind::Date,
            Some(4) => Kind::RegExp,
            Some(5) => Kind::Map,
            Some(6) => Kind::Set,
            Some(7) => Kind::Buffer,
            Some(8) => Kind::DataView,
            Some(n) => Kind::Boxed((n - 9) as u8),
            None => Kind::Other,
        }
    }
}

/// Loads the helpers; at init, before the web surface.
pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let functions: Object =
        engine::eval(ctx, include_str!("helpers.js"), "cofferdam:clone", 1, engine::Eval::Script)?
            .into_object()
            .ok_or(rquickjs::Error::Unknown)?;
    let samples: Array = functions.get("samples")?;
    let mut classes = Classes::default();
    for (class, sample) in classes.0.iter_mut().zip(samples.iter::<Value>()) {
        *class = engine::class_id(&sample?);
    }
    let plain = samples.get::<Object>(0)?.get_prototype().ok_or(rquickjs::Error::Unknown)?;
    functions.remove("samples")?;
    let stored = ctx.store_userdata(Helpers { functions, plain, classes });
    stored.map(|_| ()).map_err(|_| rquickjs::Error::Unknown)
}

impl<'js> Helpers<'js> {
    pub(crate) fn of(ctx: &Ctx<'js>) -> Result<Self> {
        let stored = ctx.userdata::<Helpers>().ok_or(rquickjs::Error::Unknown)?;
        Ok((*stored).clone())
    }

    pub(crate) fn get(&self, name: &str) -> Result<Function<'js>> {
        self.functions.get(name)
    }

    pub(crate) fn set_platform(&self, platform: Function<'js>) -> Result<()> {
        self.functions.set("platform", platform)
    }

    /// Returns the prototype of an object; `None` if that is `Object.prototype` or null.
    pub(crate) fn class_of(&self, object: &Object<'js>) -> Option<Object<'js>> {
        object.get_prototype().filter(|prototype| *prototype != self.plain)
    }

    /// Classifies an object that has a class.
    pub(crate) fn platform(&self, object: &Object<'js>) -> Result<Platform<'js>> {
        let said: Value = self.get("platform")?.call((object.clone(),))?;
        Ok(match said.as_string() {
            Some(name) => Platform::Fixed(name.to_string()?),
            None if said.is_object() => Platform::Copied(said),
            None if said.is_null() => Platform::Inherited,
            None => Platform::None,
        })
    }
}
