//! Random bytes from the host, and digests.

pub(super) mod random;

use rquickjs::{ArrayBuffer, Ctx, Function, Object, Result, TypedArray};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::apis::base::bytes::{self, Bytes};

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("fillRandom", Function::new(ctx.clone(), fill_random)?)?;
    native.set("digest", Function::new(ctx.clone(), digest)?)
}

fn fill_random(array: TypedArray<'_, u8>) -> Result<()> {
    bytes::with_mut(&array, crate::gate::random)
}

/// Returns the digest by the algorithm's registered name; `None` if no such algorithm exists.
fn digest<'js>(ctx: Ctx<'js>, name: String, data: Bytes) -> Result<Option<ArrayBuffer<'js>>> {
    let digest = match name.as_str() {
        "SHA-1" => Sha1::digest(data.0).to_vec(),
        "SHA-256" => Sha256::digest(data.0).to_vec(),
        "SHA-384" => Sha384::digest(data.0).to_vec(),
        "SHA-512" => Sha512::digest(data.0).to_vec(),
        _ => return Ok(None),
    };
    ArrayBuffer::new_copy(ctx, digest).map(Some)
}
