//! Digests, message authentication and key derivation for `crypto`, by RustCrypto.

use hmac::{Hmac, Mac};
use md5::Md5;
use rquickjs::class::{JsClass, Trace, Tracer, Writable};
use rquickjs::function::{Constructor, Opt};
use rquickjs::{Class, Ctx, Exception, Function, JsLifetime, Object, Result, TypedArray, Value};
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};

use crate::apis::Bytes;

/// Longest derived key.
const MAX_KEY: usize = 16 << 20;

/// Expands to a match over the names of the algorithms; `$body` uses the type `D`.
macro_rules! by_name {
    ($name:expr, $body:expr, $otherwise:expr) => {
        by_name!(@ $name, $body, $otherwise,
            "md5" Md5, "sha1" Sha1, "sha224" Sha224, "sha256" Sha256, "sha384" Sha384,
            "sha512" Sha512, "sha512-224" Sha512_224, "sha512-256" Sha512_256,
            "sha3-224" Sha3_224, "sha3-256" Sha3_256, "sha3-384" Sha3_384, "sha3-512" Sha3_512)
    };
    (@ $name:expr, $body:expr, $otherwise:expr, $($text:literal $type:ty),*) => {
        match $name {
            $($text => { type D = $type; $body })*
            _ => $otherwise,
        }
    };
}

/// Names that `getHashes` lists.
const NAMES: [&str; 12] = [
    "md5",
    "sha1",
    "sha224",
    "sha256",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "sha384",
    "sha512",
    "sha512-224",
    "sha512-256",
];

/// A digest or an authentication code between two pieces of its input.
trait Running {
    fn update(&mut self, bytes: &[u8]);
    fn finish(&mut self) -> Vec<u8>;
    fn copy(&self) -> Box<dyn Running>;
}

struct Plain<D>(D);

impl<D: Digest + Clone + 'static> Running for Plain<D> {
    fn update(&mut self, bytes: &[u8]) {
        Digest::update(&mut self.0, bytes);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.0.clone().finalize().to_vec()
    }

    fn copy(&self) -> Box<dyn Running> {
        Box::new(Plain(self.0.clone()))
    }
}

struct Keyed<M>(M);

impl<M: Mac + Clone + 'static> Running for Keyed<M> {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(&mut self.0, bytes);
    }

    fn finish(&mut self) -> Vec<u8> {
        Mac::finalize(self.0.clone()).into_bytes().to_vec()
    }

    fn copy(&self) -> Box<dyn Running> {
        Box::new(Keyed(self.0.clone()))
    }
}

struct Hashing(Box<dyn Running>);

impl<'js> Trace<'js> for Hashing {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: holds no JavaScript value.
unsafe impl<'js> JsLifetime<'js> for Hashing {
    type Changed<'to> = Hashing;
}

impl<'js> JsClass<'js> for Hashing {
    const NAME: &'static str = "Hashing";
    type Mutable = Writable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// Starts a digest, or an authentication code if there is a key; `None` for an unknown name.
fn new_hash<'js>(
    ctx: Ctx<'js>,
    name: String,
    key: Opt<Bytes>,
) -> Result<Option<Class<'js, Hashing>>> {
    let running: Box<dyn Running> = match key.0 {
        None => by_name!(name.as_str(), Box::new(Plain(D::default())), return Ok(None)),
        Some(key) => by_name!(
            name.as_str(),
            match <Hmac<D> as Mac>::new_from_slice(&key.0) {
                Ok(mac) => Box::new(Keyed(mac)),
                Err(_) => return Ok(None),
            },
            return Ok(None)
        ),
    };
    Class::instance(ctx, Hashing(running)).map(Some)
}

fn update_hash(hash: Class<'_, Hashing>, bytes: Bytes) {
    hash.borrow_mut().0.update(&bytes.0);
}

fn finish_hash<'js>(ctx: Ctx<'js>, hash: Class<'js, Hashing>) -> Result<TypedArray<'js, u8>> {
    TypedArray::new(ctx, hash.borrow_mut().0.finish())
}

fn copy_hash<'js>(ctx: Ctx<'js>, hash: Class<'js, Hashing>) -> Result<Class<'js, Hashing>> {
    let copy = hash.borrow().0.copy();
    Class::instance(ctx, Hashing(copy))
}

fn room(ctx: &Ctx<'_>, length: usize) -> Result<Vec<u8>> {
    if length > MAX_KEY {
        let message = format!("a derived key has at most {MAX_KEY} bytes");
        return Err(Exception::throw_range(ctx, &message));
    }
    Ok(vec![0; length])
}

/// Derives a key; `undefined` for an unknown digest.
fn pbkdf2<'js>(
    ctx: Ctx<'js>,
    password: Bytes,
    salt: Bytes,
    rounds: u32,
    length: usize,
    name: String,
) -> Result<Value<'js>> {
    let mut key = room(&ctx, length)?;
    by_name!(
        name.as_str(),
        pbkdf2::pbkdf2_hmac::<D>(&password.0, &salt.0, rounds, &mut key),
        return Ok(Value::new_undefined(ctx))
    );
    TypedArray::<u8>::new(ctx, key).map(TypedArray::into_value)
}

/// Derives a key with `cost` of log₂ N, r and p; `undefined` for parameters that scrypt does not allow.
fn scrypt<'js>(
    ctx: Ctx<'js>,
    password: Bytes,
    salt: Bytes,
    cost: Vec<u32>,
    length: usize,
) -> Result<Value<'js>> {
    let mut key = room(&ctx, length)?;
    let [log_n, r, p] = cost[..] else { return Ok(Value::new_undefined(ctx)) };
    let log_n = u8::try_from(log_n).unwrap_or(u8::MAX);
    let Ok(params) = scrypt::Params::new(log_n, r, p, scrypt::Params::RECOMMENDED_LEN) else {
        return Ok(Value::new_undefined(ctx));
    };
    if length != 0 && scrypt::scrypt(&password.0, &salt.0, &params, &mut key).is_err() {
        return Ok(Value::new_undefined(ctx));
    }
    TypedArray::<u8>::new(ctx, key).map(TypedArray::into_value)
}

pub(super) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("hashNames", NAMES.to_vec())?;
    native.set("newHash", Function::new(ctx.clone(), new_hash)?)?;
    native.set("updateHash", Function::new(ctx.clone(), update_hash)?)?;
    native.set("finishHash", Function::new(ctx.clone(), finish_hash)?)?;
    native.set("copyHash", Function::new(ctx.clone(), copy_hash)?)?;
    native.set("pbkdf2", Function::new(ctx.clone(), pbkdf2)?)?;
    native.set("scrypt", Function::new(ctx.clone(), scrypt)?)
}
