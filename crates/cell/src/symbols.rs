//! Removes the names of functions from native code. The engine ignores them, and they are a thirtieth
//! of an image.

/// Length of the header of a file, and of one entry of its table of sections.
const HEADER: usize = 64;
const ENTRY: usize = 64;

/// Kind of a section with symbols.
const SYMBOLS: u32 = 2;

/// Returns an image of the engine, which is a file in the ELF format, without its symbols. An image of
/// another form stays as it is.
pub(crate) fn removed(image: Vec<u8>) -> Vec<u8> {
    stripped(&image).unwrap_or(image)
}

fn stripped(image: &[u8]) -> Option<Vec<u8>> {
    let is_elf64 = image.starts_with(b"\x7fELF\x02\x01");
    let table = usize::try_from(word64(image, 40)?).ok()?;
    let (entry, count, names) =
        (word16(image, 58)?, usize::from(word16(image, 60)?), usize::from(word16(image, 62)?));
    if !is_elf64 || usize::from(entry) != ENTRY {
        return None;
    }
    let entries = image.get(table..table.checked_add(count.checked_mul(ENTRY)?)?)?;
    let entries: Vec<&[u8]> = entries.chunks_exact(ENTRY).collect();
    let symbols = entries.iter().position(|entry| word32(entry, 4) == Some(SYMBOLS))?;
    let texts = word32(entries[symbols], 40)? as usize;
    let start = |index: usize| usize::try_from(word64(entries.get(index)?, 24)?).ok();
    // Behind the symbols are their names, the names of sections, and the table.
    let end = start(symbols)?;
    let is_last = |index: usize| [symbols, texts, names].contains(&index);
    let comes_before = |index: usize| start(index).is_some_and(|at| at < end);
    if table < end || !(0..count).all(|index| is_last(index) || comes_before(index)) {
        return None;
    }
    let length = usize::try_from(word64(entries.get(names)?, 32)?).ok()?;
    let at = start(names)?;
    let mut kept = image.get(..end)?.to_vec();
    let names_at = kept.len() as u64;
    kept.extend(image.get(at..at.checked_add(length)?)?);
    kept.resize(kept.len().next_multiple_of(8), 0);
    let table_at = kept.len() as u64;
    let mut kept_names = 0;
    let mut number: u16 = 0;
    for (index, entry) in entries.iter().enumerate() {
        if index == symbols || index == texts {
            continue;
        }
        let mut entry = entry.to_vec();
        if index == names {
            entry[24..32].copy_from_slice(&names_at.to_le_bytes());
            kept_names = number;
        }
        kept.extend(entry);
        number += 1;
    }
    kept.get_mut(..HEADER)?[40..48].copy_from_slice(&table_at.to_le_bytes());
    kept[60..62].copy_from_slice(&number.to_le_bytes());
    kept[62..64].copy_from_slice(&kept_names.to_le_bytes());
    Some(kept)
}

fn word16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word64(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use wasmtime::{Engine, Instance, Module, Store};

    use super::*;

    /// `(module (func (export "f") (result i32) i32.const 7))`
    const MODULE: &[u8] = b"\0asm\x01\0\0\0\x01\x05\x01\x60\0\x01\x7f\x03\x02\x01\0\x07\x05\x01\x01f\0\0\x0a\x06\x01\x04\0\x41\x07\x0b";

    #[test]
    #[allow(unsafe_code)]
    fn code_without_symbols_is_shorter_and_runs() {
        let engine = Engine::default();
        let whole = engine.precompile_module(MODULE).expect("a module");
        let short = removed(whole.clone());
        assert!(short.len() < whole.len(), "{} and {}", short.len(), whole.len());
        // SAFETY: the output of the compiler, as the engine reads it.
        let module = unsafe { Module::deserialize(&engine, &short) }.expect("an image");
        let mut store = Store::new(&engine, ());
        let instance = Instance::new(&mut store, &module, &[]).expect("an instance");
        let f = instance.get_typed_func::<(), i32>(&mut store, "f").expect("exported");
        assert_eq!(f.call(&mut store, ()).expect("a call"), 7);
        // There is nothing left to remove.
        assert_eq!(removed(short.clone()), short);
    }

    #[test]
    fn other_bytes_stay_as_they_are() {
        let engine = Engine::default();
        let whole = engine.precompile_module(MODULE).expect("a module");
        for length in [0, 1, 40, 63, 64, whole.len() / 2, whole.len() - 1] {
            assert_eq!(removed(whole[..length].to_vec()), &whole[..length]);
        }
        assert_eq!(removed(b"text".to_vec()), b"text");
    }
}
