//! AES for `crypto`, by RustCrypto: CBC, CTR, ECB and GCM, in pieces of any length.
//!
//! GCM is put together from CTR and GHASH here: the crate `aes-gcm` encrypts whole messages only, and
//! Node's ciphers return their output piece by piece.

use aes::cipher::consts::U16;
use aes::cipher::{
    BlockCipher, BlockDecryptMut, BlockEncrypt, BlockEncryptMut, BlockSizeUser, KeyInit, KeyIvInit,
    StreamCipher,
};
use aes::{Aes128, Aes192, Aes256};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use rquickjs::class::{JsClass, Trace, Tracer, Writable};
use rquickjs::function::Constructor;
use rquickjs::{Class, Ctx, Function, JsLifetime, Object, Result, TypedArray, Value};

use crate::apis::Bytes;

/// Length of a block.
const BLOCK: usize = 16;

/// A cipher between two pieces of its input.
trait Running {
    /// Returns the output that the piece completes.
    fn update(&mut self, bytes: &[u8]) -> Vec<u8>;
    /// Returns the rest of the output.
    fn finish(&mut self, has_padding: bool) -> std::result::Result<Vec<u8>, Wrong>;
    /// Takes data that is authenticated and not encrypted.
    fn authenticate(&mut self, _: &[u8]) {}
    /// Returns the tag of an authenticated message.
    fn tag(&mut self) -> Option<[u8; BLOCK]> {
        None
    }
}

/// Reasons why the input cannot end where it does.
enum Wrong {
    Length,
    Padding,
}

/// CBC and ECB: whole blocks, and padding at the end.
struct Blocks<F> {
    convert: F,
    is_encrypting: bool,
    rest: Vec<u8>,
}

impl<F: FnMut(&mut [u8; BLOCK])> Running for Blocks<F> {
    fn update(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.rest.extend_from_slice(bytes);
        let mut whole = self.rest.len() / BLOCK * BLOCK;
        // The last block may be padding, which only the end tells.
        if !self.is_encrypting && whole == self.rest.len() {
            whole = whole.saturating_sub(BLOCK);
        }
        let mut output: Vec<u8> = self.rest.drain(..whole).collect();
        for block in output.as_chunks_mut().0 {
            (self.convert)(block);
        }
        output
    }

    fn finish(&mut self, has_padding: bool) -> std::result::Result<Vec<u8>, Wrong> {
        let mut last = std::mem::take(&mut self.rest);
        if self.is_encrypting && has_padding {
            let count = BLOCK - last.len();
            last.resize(BLOCK, count as u8);
        }
        if !last.len().is_multiple_of(BLOCK) || (has_padding && last.is_empty()) {
            return Err(Wrong::Length);
        }
        for block in last.as_chunks_mut().0 {
            (self.convert)(block);
        }
        if !self.is_encrypting && has_padding {
            let count = usize::from(last.last().copied().unwrap_or(0));
            let is_right = (1..=BLOCK).contains(&count)
                && last[BLOCK - count..].iter().all(|byte| usize::from(*byte) == count);
            if !is_right {
                return Err(Wrong::Padding);
            }
            last.truncate(BLOCK - count);
        }
        Ok(last)
    }
}

/// CTR.
struct Stream<S>(S);

impl<S: StreamCipher> Running for Stream<S> {
    fn update(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut output = bytes.to_vec();
        self.0.apply_keystream(&mut output);
        output
    }

    fn finish(&mut self, _: bool) -> std::result::Result<Vec<u8>, Wrong> {
        Ok(Vec::new())
    }
}

/// GCM.
struct Gcm<S> {
    stream: S,
    is_encrypting: bool,
    hash: GHash,
    /// Encrypted first counter, which hides the hash.
    mask: [u8; BLOCK],
    /// Start of a block that is not hashed yet.
    rest: Vec<u8>,
    associated: u64,
    length: u64,
}

impl<S> Gcm<S> {
    fn absorb(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() / BLOCK * BLOCK;
        let blocks: Vec<u8> = self.rest.drain(..whole).collect();
        self.hash.update_padded(&blocks);
    }

    fn pad(&mut self) {
        let rest = std::mem::take(&mut self.rest);
        self.hash.update_padded(&rest);
    }
}

impl<S: StreamCipher> Running for Gcm<S> {
    fn update(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.length == 0 {
            self.pad();
        }
        self.length += bytes.len() as u64;
        let mut output = bytes.to_vec();
        self.stream.apply_keystream(&mut output);
        self.absorb(if self.is_encrypting { &output } else { bytes });
        output
    }

    fn finish(&mut self, _: bool) -> std::result::Result<Vec<u8>, Wrong> {
        Ok(Vec::new())
    }

    fn authenticate(&mut self, bytes: &[u8]) {
        self.associated += bytes.len() as u64;
        self.absorb(bytes);
    }

    fn tag(&mut self) -> Option<[u8; BLOCK]> {
        self.pad();
        let mut lengths = [0; BLOCK];
        lengths[..8].copy_from_slice(&(self.associated * 8).to_be_bytes());
        lengths[8..].copy_from_slice(&(self.length * 8).to_be_bytes());
        self.hash.update_padded(&lengths);
        let hash = self.hash.clone().finalize();
        let mut tag = self.mask;
        tag.iter_mut().zip(hash).for_each(|(tag, hash)| *tag ^= hash);
        Some(tag)
    }
}

/// Makes a cipher; `None` if key or vector have a wrong length.
fn start<C>(mode: &str, key: &[u8], iv: &[u8], is_encrypting: bool) -> Option<Box<dyn Running>>
where
    C: KeyInit + BlockCipher + BlockEncrypt + BlockEncryptMut + BlockDecryptMut + Clone + 'static,
    C: BlockSizeUser<BlockSize = U16>,
{
    let block = C::new_from_slice(key).ok()?;
    Some(match (mode, is_encrypting) {
        ("cbc", true) => {
            let mut cbc = cbc::Encryptor::<C>::new_from_slices(key, iv).ok()?;
            let convert = move |block: &mut [u8; BLOCK]| cbc.encrypt_block_mut(block.into());
            Box::new(Blocks { convert, is_encrypting, rest: Vec::new() })
        }
        ("cbc", false) => {
            let mut cbc = cbc::Decryptor::<C>::new_from_slices(key, iv).ok()?;
            let convert = move |block: &mut [u8; BLOCK]| cbc.decrypt_block_mut(block.into());
            Box::new(Blocks { convert, is_encrypting, rest: Vec::new() })
        }
        ("ecb", true) => {
            let mut ecb = block;
            let convert = move |block: &mut [u8; BLOCK]| ecb.encrypt_block_mut(block.into());
            Box::new(Blocks { convert, is_encrypting, rest: Vec::new() })
        }
        ("ecb", false) => {
            let mut ecb = block;
            let convert = move |block: &mut [u8; BLOCK]| ecb.decrypt_block_mut(block.into());
            Box::new(Blocks { convert, is_encrypting, rest: Vec::new() })
        }
        ("ctr", _) => Box::new(Stream(ctr::Ctr128BE::<C>::new_from_slices(key, iv).ok()?)),
        ("gcm", _) => {
            let mut subkey = [0; BLOCK];
            block.encrypt_block((&mut subkey).into());
            let hash = GHash::new(&subkey.into());
            let mut counter = [0; BLOCK];
            if iv.len() == 12 {
                counter[..12].copy_from_slice(iv);
                counter[15] = 1;
            } else {
                let mut first = hash.clone();
                first.update_padded(iv);
                let mut length = [0; BLOCK];
                length[8..].copy_from_slice(&(iv.len() as u64 * 8).to_be_bytes());
                first.update_padded(&length);
                counter.copy_from_slice(&first.finalize());
            }
            let mut stream = ctr::Ctr32BE::<C>::new_from_slices(key, &counter).ok()?;
            let mut mask = [0; BLOCK];
            stream.apply_keystream(&mut mask);
            let rest = Vec::new();
            Box::new(Gcm { stream, is_encrypting, hash, mask, rest, associated: 0, length: 0 })
        }
        _ => return None,
    })
}

struct Cipher(Box<dyn Running>);

impl<'js> Trace<'js> for Cipher {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: holds no JavaScript value.
unsafe impl<'js> JsLifetime<'js> for Cipher {
    type Changed<'to> = Cipher;
}

impl<'js> JsClass<'js> for Cipher {
    const NAME: &'static str = "Cipher";
    type Mutable = Writable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

/// Starts AES in a mode; the key's length chooses the variant. `None` for wrong lengths.
fn new_cipher<'js>(
    ctx: Ctx<'js>,
    mode: String,
    key: Bytes,
    iv: Bytes,
    is_encrypting: bool,
) -> Result<Option<Class<'js, Cipher>>> {
    let started = match key.0.len() {
        16 => start::<Aes128>(&mode, &key.0, &iv.0, is_encrypting),
        24 => start::<Aes192>(&mode, &key.0, &iv.0, is_encrypting),
        32 => start::<Aes256>(&mode, &key.0, &iv.0, is_encrypting),
        _ => None,
    };
    started.map(|running| Class::instance(ctx, Cipher(running))).transpose()
}

fn update<'js>(
    ctx: Ctx<'js>,
    cipher: Class<'js, Cipher>,
    bytes: Bytes,
) -> Result<TypedArray<'js, u8>> {
    let output = cipher.borrow_mut().0.update(&bytes.0);
    TypedArray::new(ctx, output)
}

/// Returns the last bytes, or the reason why there are none: `length` or `padding`.
fn finish<'js>(ctx: Ctx<'js>, cipher: Class<'js, Cipher>, has_padding: bool) -> Result<Value<'js>> {
    let finished = cipher.borrow_mut().0.finish(has_padding);
    let reason = match finished {
        Ok(output) => return TypedArray::<u8>::new(ctx, output).map(TypedArray::into_value),
        Err(Wrong::Length) => "length",
        Err(Wrong::Padding) => "padding",
    };
    rquickjs::String::from_str(ctx, reason).map(rquickjs::String::into_value)
}

fn authenticate(cipher: Class<'_, Cipher>, bytes: Bytes) {
    cipher.borrow_mut().0.authenticate(&bytes.0);
}

fn tag<'js>(ctx: Ctx<'js>, cipher: Class<'js, Cipher>) -> Result<Option<TypedArray<'js, u8>>> {
    let tag = cipher.borrow_mut().0.tag();
    tag.map(|tag| TypedArray::new(ctx, tag.to_vec())).transpose()
}

pub(super) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("newCipher", Function::new(ctx.clone(), new_cipher)?)?;
    native.set("updateCipher", Function::new(ctx.clone(), update)?)?;
    native.set("finishCipher", Function::new(ctx.clone(), finish)?)?;
    native.set("authenticateCipher", Function::new(ctx.clone(), authenticate)?)?;
    native.set("cipherTag", Function::new(ctx.clone(), tag)?)
}
