//! Makes the table of characters that look like ASCII.
//!
//! `unicode-security` has a list of lists, with 6,700 addresses. The loader of a program writes each
//! of them at every start, although most programs never look at the table; 40 pages are touched for
//! that. The same as bytes needs nothing.

use std::collections::HashMap;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let (mut records, mut texts) = (Vec::new(), Vec::new());
    let mut known = HashMap::new();
    for c in '\0'..=char::MAX {
        let plain: String = unicode_security::skeleton(c.encode_utf8(&mut [0; 4])).collect();
        let is_itself = plain.chars().eq([c]);
        // Texts are decomposed before they are looked up.
        if is_itself || !(plain.is_ascii() || c.is_ascii()) || !std::iter::once(c).nfd().eq([c]) {
            continue;
        }
        // A percent sign looks like three characters that are not ASCII.
        let (plain, length) = match plain.is_ascii() {
            true => (plain.clone(), u8::try_from(plain.len()).expect("a short text")),
            false => (String::new(), u8::MAX),
        };
        let at = *known.entry(plain.clone()).or_insert_with(|| {
            texts.extend_from_slice(plain.as_bytes());
            texts.len() - plain.len()
        });
        let at = u16::try_from(at).expect("few texts");
        records.extend(u32::from(c).to_le_bytes());
        records.extend(at.to_le_bytes());
        records.extend([length, 0]);
    }
    let folder = std::env::var("OUT_DIR").expect("set by cargo");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(Path::new(&folder).join(name), bytes).expect("a file");
    };
    write("look-alikes.records", &records);
    write("look-alikes.texts", &texts);
}
