//! openssl: the subcommands `dgst`, `enc`, `rand`, `base64`, and digests by name.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};

use aes::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit, block_padding::Pkcs7};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Digest;

use crate::output::{self, Input, reason};

const HELP: &str = "\
Usage: openssl COMMAND [OPTION]...
  dgst [-md5|-sha1|-sha224|-sha256|-sha384|-sha512] [-hmac KEY] [-r] [-binary] [-hex] [-out FILE] [FILE]...
  enc [-e|-d] [-aes-128-cbc|-aes-192-cbc|-aes-256-cbc|-base64] [-a] [-A] [-salt|-nosalt] [-pbkdf2]
      [-iter N] [-md DIGEST] [-k PASSWORD|-pass pass:PASSWORD] [-K HEX -iv HEX] [-in FILE] [-out FILE]
  rand [-hex|-base64] [-out FILE] COUNT
  base64 [-e|-d] [-A] [-in FILE] [-out FILE]
  md5, sha1, sha224, sha256, sha384, sha512 [FILE]...
  version
";

/// Rounds of PBKDF2 that `enc -pbkdf2` uses by default.
const ROUNDS: u32 = 10_000;
/// Most rounds that are accepted.
const MAX_ROUNDS: u32 = 100_000_000;
/// First bytes of an encrypted file with a salt.
const SALTED: &[u8] = b"Salted__";
/// Bytes of a line of base64, before encoding.
const LINE: usize = 48;

/// A digest.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hash {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    fn named(name: &str) -> Option<Hash> {
        let bare: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        Some(match bare.to_ascii_lowercase().as_str() {
            "md5" => Hash::Md5,
            "sha1" => Hash::Sha1,
            "sha224" => Hash::Sha224,
            "sha256" => Hash::Sha256,
            "sha384" => Hash::Sha384,
            "sha512" => Hash::Sha512,
            _ => return None,
        })
    }

    /// Returns the name in output, with the spelling of the `-r` option's users.
    fn shown(self) -> &'static str {
        match self {
            Hash::Md5 => "MD5",
            Hash::Sha1 => "SHA1",
            Hash::Sha224 => "SHA2-224",
            Hash::Sha256 => "SHA2-256",
            Hash::Sha384 => "SHA2-384",
            Hash::Sha512 => "SHA2-512",
        }
    }

    fn of(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Hash::Md5 => md5::Md5::digest(bytes).to_vec(),
            Hash::Sha1 => sha1::Sha1::digest(bytes).to_vec(),
            Hash::Sha224 => sha2::Sha224::digest(bytes).to_vec(),
            Hash::Sha256 => sha2::Sha256::digest(bytes).to_vec(),
            Hash::Sha384 => sha2::Sha384::digest(bytes).to_vec(),
            Hash::Sha512 => sha2::Sha512::digest(bytes).to_vec(),
        }
    }

    fn keyed(self, key: &[u8], bytes: &[u8]) -> Vec<u8> {
        macro_rules! hmac {
            ($hash:ty) => {
                match <Hmac<$hash> as KeyInit>::new_from_slice(key) {
                    Ok(mut mac) => {
                        mac.update(bytes);
                        mac.finalize().into_bytes().to_vec()
                    }
                    Err(_) => Vec::new(),
                }
            };
        }
        match self {
            Hash::Md5 => hmac!(md5::Md5),
            Hash::Sha1 => hmac!(sha1::Sha1),
            Hash::Sha224 => hmac!(sha2::Sha224),
            Hash::Sha256 => hmac!(sha2::Sha256),
            Hash::Sha384 => hmac!(sha2::Sha384),
            Hash::Sha512 => hmac!(sha2::Sha512),
        }
    }

    /// Derives a key from a password with PBKDF2.
    fn derive(self, password: &[u8], salt: &[u8], rounds: u32, len: usize) -> Vec<u8> {
        // Written out, because the key is longer than the digest and the crate's own function
        // needs the digest as a type.
        let mut key = Vec::new();
        let mut block = 1_u32;
        while key.len() < len {
            let mut step = self.keyed(password, &[salt, &block.to_be_bytes()].concat());
            let mut sum = step.clone();
            for _ in 1..rounds {
                step = self.keyed(password, &step);
                sum.iter_mut().zip(&step).for_each(|(sum, byte)| *sum ^= byte);
            }
            key.extend_from_slice(&sum);
            block += 1;
        }
        key.truncate(len);
        key
    }

    /// Derives a key as old versions do: one digest after the other.
    fn derive_old(self, password: &[u8], salt: &[u8], len: usize) -> Vec<u8> {
        let mut key = Vec::new();
        let mut last = Vec::new();
        while key.len() < len {
            last = self.of(&[&last, password, salt].concat());
            key.extend_from_slice(&last);
        }
        key.truncate(len);
        key
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let text = if text.len() % 2 == 1 { format!("{text}0") } else { text.to_owned() };
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn to_base64(bytes: &[u8], one_line: bool) -> String {
    let mut out = String::new();
    for (number, line) in bytes.chunks(if one_line { usize::MAX } else { LINE }).enumerate() {
        if number > 0 {
            out.push('\n');
        }
        for three in line.chunks(3) {
            let all = three.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            for at in 0..4 {
                let six = (all >> (18 - 6 * at) & 63) as usize;
                out.push(if at <= three.len() { char::from(ALPHABET[six]) } else { '=' });
            }
        }
    }
    if !one_line && !bytes.is_empty() {
        out.push('\n');
    }
    out
}

fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut all, mut bits) = (0_u32, 0);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        if *byte == b'=' {
            break;
        }
        let six = ALPHABET.iter().position(|known| known == byte)? as u32;
        all = all << 6 | six;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((all >> bits) as u8);
        }
    }
    Some(out)
}

/// Arguments of a subcommand.
struct Args {
    words: std::vec::IntoIter<String>,
    input: Option<String>,
    output: Option<String>,
}

impl Args {
    fn value(&mut self, option: &str) -> Result<String, i32> {
        self.words.next().ok_or_else(|| wrong(&format!("Option {option} needs a value")))
    }

    fn read(&self) -> Result<Vec<u8>, i32> {
        let mut bytes = Vec::new();
        let read = match &self.input {
            Some(file) => File::open(file).and_then(|mut file| file.read_to_end(&mut bytes)),
            None => Input.read_to_end(&mut bytes),
        };
        read.map_err(|error| {
            let file = self.input.clone().unwrap_or_default();
            eprintln!("Can't open \"{file}\" for reading, {}", reason(&error));
            1
        })?;
        Ok(bytes)
    }

    fn write(&self, bytes: &[u8]) -> Result<i32, i32> {
        let written = match &self.output {
            Some(file) => fs::write(file, bytes),
            None => {
                let mut out = output::stdout();
                out.write_all(bytes).and_then(|()| out.flush())
            }
        };
        written.map(|()| 0).map_err(|error: io::Error| {
            eprintln!("openssl: write error: {}", reason(&error));
            1
        })
    }
}

fn wrong(message: &str) -> i32 {
    eprintln!("openssl: {message}\nUse openssl --help for a list of commands.");
    1
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let mut words: Vec<String> =
        args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    if words.is_empty() || words[0] == "help" || words.iter().any(|word| word == "--help") {
        print!("{HELP}");
        return super::uutils::flushed(0);
    }
    let name = words.remove(0);
    let mut args = Args { words: words.into_iter(), input: None, output: None };
    let done = match name.as_str() {
        "version" => args.write(b"OpenSSL 3.0.0 (cofferdam)\n"),
        "dgst" => digest(args, Hash::Sha256),
        "rand" => random(args),
        "enc" => encrypt(args, None),
        "base64" => encrypt(args, Some("base64")),
        name if name.starts_with("aes-") => {
            let cipher = name.to_owned();
            args.input = None;
            encrypt(args, Some(&cipher))
        }
        name => match Hash::named(name) {
            Some(hash) => digest(args, hash),
            None => Err(wrong(&format!("Invalid command '{name}'"))),
        },
    };
    done.unwrap_or_else(|code| code)
}

fn digest(mut args: Args, mut hash: Hash) -> Result<i32, i32> {
    let (mut key, mut plain, mut binary, mut files) = (None, false, false, Vec::new());
    while let Some(word) = args.words.next() {
        match word.as_str() {
            "-hmac" => key = Some(args.value("-hmac")?.into_bytes()),
            "-macopt" => {
                let option = args.value("-macopt")?;
                key = match option.split_once(':') {
                    Some(("hexkey", hex)) => from_hex(hex),
                    Some(("key", text)) => Some(text.as_bytes().to_vec()),
                    _ => return Err(wrong("unknown -macopt")),
                };
            }
            "-mac" => drop(args.value("-mac")?),
            "-out" => args.output = Some(args.value("-out")?),
            "-r" => plain = true,
            "-binary" => binary = true,
            "-hex" | "-c" => {}
            word if word.starts_with('-') && word.len() > 1 => match Hash::named(word) {
                Some(named) => hash = named,
                None => return Err(wrong(&format!("dgst: Unknown option or digest: {word}"))),
            },
            _ => files.push(word),
        }
    }
    let mut out = Vec::new();
    let mut code = 0;
    let stdin = files.is_empty();
    if stdin {
        files.push(String::new());
    }
    for file in files {
        args.input = (!stdin).then(|| file.clone());
        let Ok(bytes) = args.read() else {
            code = 1;
            continue;
        };
        let sum = key.as_ref().map_or_else(|| hash.of(&bytes), |key| hash.keyed(key, &bytes));
        if binary {
            out.extend_from_slice(&sum);
            continue;
        }
        let sum = hex(&sum);
        let shown = if stdin { "stdin" } else { &file };
        // OpenSSL names the construction for files, and the bare hash for standard input.
        let name = match (&key, stdin) {
            (None, _) => hash.shown().to_owned(),
            (Some(_), true) => hash.shown().replace("SHA2-", "SHA"),
            (Some(_), false) => format!("HMAC-{}", hash.shown()),
        };
        let line = match plain {
            true => format!("{sum} *{shown}\n"),
            false => format!("{name}({shown})= {sum}\n"),
        };
        out.extend_from_slice(line.as_bytes());
    }
    args.write(&out).map(|written| written.max(code))
}

fn random(mut args: Args) -> Result<i32, i32> {
    let (mut shape, mut count) = (' ', None);
    while let Some(word) = args.words.next() {
        match word.as_str() {
            "-hex" => shape = 'x',
            "-base64" => shape = 'b',
            "-out" => args.output = Some(args.value("-out")?),
            word => count = word.parse::<usize>().ok(),
        }
    }
    /// Most bytes that one call makes.
    const MAX_RANDOM: usize = 64 << 20;
    let Some(count) = count.filter(|count| *count <= MAX_RANDOM) else {
        return Err(wrong("rand: the number of bytes is missing or too large"));
    };
    let mut bytes = vec![0; count];
    super::convert::random(&mut bytes).map_err(|error| {
        eprintln!("openssl: {}", reason(&error));
        1
    })?;
    match shape {
        'x' => args.write(format!("{}\n", hex(&bytes)).as_bytes()),
        'b' => args.write(to_base64(&bytes, false).as_bytes()),
        _ => args.write(&bytes),
    }
}

/// Options of `enc`.
#[derive(Default)]
struct Enc {
    bits: usize,
    decrypts: bool,
    base64: bool,
    one_line: bool,
    no_salt: bool,
    pbkdf2: bool,
    rounds: u32,
    password: Option<Vec<u8>>,
    key: Option<Vec<u8>>,
    iv: Option<Vec<u8>>,
    salt: Option<Vec<u8>>,
    hash: Option<Hash>,
}

fn encrypt(mut args: Args, preset: Option<&str>) -> Result<i32, i32> {
    let mut enc = Enc { rounds: ROUNDS, ..Enc::default() };
    let cipher = |enc: &mut Enc, name: &str| -> bool {
        match name.to_ascii_lowercase().as_str() {
            "aes-128-cbc" | "aes128" => enc.bits = 128,
            "aes-192-cbc" | "aes192" => enc.bits = 192,
            "aes-256-cbc" | "aes256" => enc.bits = 256,
            "base64" => enc.base64 = true,
            _ => return false,
        }
        true
    };
    if let Some(preset) = preset
        && !cipher(&mut enc, preset)
    {
        return Err(wrong(&format!("Unknown cipher: {preset}")));
    }
    while let Some(word) = args.words.next() {
        match word.as_str() {
            "-e" | "-salt" | "-p" | "-v" => {}
            "-d" => enc.decrypts = true,
            "-a" | "-base64" => enc.base64 = true,
            "-A" => enc.one_line = true,
            "-nosalt" => enc.no_salt = true,
            "-pbkdf2" => enc.pbkdf2 = true,
            "-iter" => {
                let text = args.value("-iter")?;
                let rounds = text.parse().ok().filter(|rounds| (1..=MAX_ROUNDS).contains(rounds));
                enc.rounds = rounds.ok_or_else(|| wrong("enc: -iter needs a number"))?;
                enc.pbkdf2 = true;
            }
            "-md" => {
                let name = args.value("-md")?;
                let hash = Hash::named(&name);
                enc.hash = Some(hash.ok_or_else(|| wrong(&format!("Unknown digest: {name}")))?);
            }
            "-k" => enc.password = Some(args.value("-k")?.into_bytes()),
            "-pass" | "-kfile" => {
                let source = args.value(&word)?;
                enc.password = Some(password(&word, &source)?);
            }
            "-K" | "-iv" | "-S" => {
                let text = args.value(&word)?;
                let bytes =
                    from_hex(&text).ok_or_else(|| wrong(&format!("{word}: invalid hex value")))?;
                match word.as_str() {
                    "-K" => enc.key = Some(bytes),
                    "-iv" => enc.iv = Some(bytes),
                    _ => enc.salt = Some(bytes),
                }
            }
            "-in" => args.input = Some(args.value("-in")?),
            "-out" => args.output = Some(args.value("-out")?),
            word => {
                let name = word.trim_start_matches('-');
                if !cipher(&mut enc, name) {
                    return Err(wrong(&format!("enc: Unknown option or cipher: {word}")));
                }
            }
        }
    }
    let mut bytes = args.read()?;
    if enc.decrypts && enc.base64 {
        bytes = from_base64(&bytes).ok_or_else(|| wrong("the input is not base64"))?;
    }
    if enc.bits > 0 {
        bytes = transform(&enc, &bytes)?;
    }
    if !enc.decrypts && enc.base64 {
        bytes = to_base64(&bytes, enc.one_line).into_bytes();
    }
    args.write(&bytes)
}

/// Reads a password from `pass:…`, `env:…` or `file:…`.
fn password(option: &str, source: &str) -> Result<Vec<u8>, i32> {
    let from_file = |file: &str| {
        let text = fs::read_to_string(file).map_err(|error| {
            eprintln!("openssl: {file}: {}", reason(&error));
            1
        })?;
        Ok(text.lines().next().unwrap_or("").as_bytes().to_vec())
    };
    match source.split_once(':') {
        _ if option == "-kfile" => from_file(source),
        Some(("pass", text)) => Ok(text.as_bytes().to_vec()),
        Some(("env", name)) => Ok(std::env::var(name).unwrap_or_default().into_bytes()),
        Some(("file", file)) => from_file(file),
        _ => Err(wrong("Invalid password argument, starting with something other than pass:")),
    }
}

fn transform(enc: &Enc, bytes: &[u8]) -> Result<Vec<u8>, i32> {
    let size = enc.bits / 8;
    let hash = enc.hash.unwrap_or(Hash::Sha256);
    let mut bytes = bytes;
    let mut head = Vec::new();
    let (key, iv) = match &enc.key {
        Some(key) => {
            let Some(iv) = &enc.iv else { return Err(wrong("enc: iv undefined")) };
            (sized(key, size), sized(iv, 16))
        }
        None => {
            let Some(password) = &enc.password else {
                return Err(wrong("enc: a password is needed: -k, -pass or -K with -iv"));
            };
            let mut salt = enc.salt.clone().unwrap_or_default();
            if enc.decrypts && !enc.no_salt {
                let Some(rest) = bytes.strip_prefix(SALTED).filter(|rest| rest.len() >= 8) else {
                    eprintln!("bad magic number");
                    return Err(1);
                };
                salt = rest[..8].to_vec();
                bytes = &rest[8..];
            } else if !enc.no_salt {
                if salt.is_empty() {
                    salt = vec![0; 8];
                    super::convert::random(&mut salt).map_err(|error| {
                        eprintln!("openssl: {}", reason(&error));
                        1
                    })?;
                }
                salt = sized(&salt, 8);
                head = [SALTED, &salt].concat();
            }
            if !enc.pbkdf2 {
                eprintln!("*** WARNING : deprecated key derivation used.");
                eprintln!("Using -iter or -pbkdf2 would be better.");
            }
            let all = match enc.pbkdf2 {
                true => hash.derive(password, &salt, enc.rounds, size + 16),
                false => hash.derive_old(password, &salt, size + 16),
            };
            (all[..size].to_vec(), all[size..].to_vec())
        }
    };
    macro_rules! cbc {
        ($aes:ty) => {
            match enc.decrypts {
                true => cbc::Decryptor::<$aes>::new_from_slices(&key, &iv)
                    .ok()
                    .and_then(|cipher| cipher.decrypt_padded_vec::<Pkcs7>(bytes).ok()),
                false => cbc::Encryptor::<$aes>::new_from_slices(&key, &iv)
                    .ok()
                    .map(|cipher| cipher.encrypt_padded_vec::<Pkcs7>(bytes)),
            }
        };
    }
    let made = match enc.bits {
        128 => cbc!(aes::Aes128),
        192 => cbc!(aes::Aes192),
        _ => cbc!(aes::Aes256),
    };
    let Some(made) = made else {
        eprintln!("bad decrypt");
        return Err(1);
    };
    Ok([head, made].concat())
}

/// Cuts a value to a size, or fills it with zeros.
fn sized(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(size, 0);
    bytes
}
