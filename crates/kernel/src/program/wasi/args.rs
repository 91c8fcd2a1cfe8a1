//! Arguments and variables.

use super::Done;
use crate::program::memory::Memory;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn sizes(list: &[Vec<u8>], m: &mut Memory<'_>, count: u64, size: u64) -> Done {
    let bytes: usize = list.iter().map(|text| text.len() + 1).sum();
    m.write(count, &(list.len() as u32).to_le_bytes())?;
    m.write(size, &(bytes as u32).to_le_bytes())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn get(list: &[Vec<u8>], m: &mut Memory<'_>, pointers: u64, texts: u64) -> Done {
    let mut at = texts;
    for (index, text) in list.iter().enumerate() {
        m.write(pointers + index as u64 * 4, &(at as u32).to_le_bytes())?;
        m.write(at, text)?;
        at += text.len() as u64;
        m.write(at, &[0])?;
        at += 1;
    }
    Ok(())
}
