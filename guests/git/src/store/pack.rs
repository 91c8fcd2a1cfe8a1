//! Reads pack files, which clones and `git gc` leave behind.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};

use flate2::read::ZlibDecoder;

use super::object::Kind;
use super::oid::{LEN, Oid};
use crate::bytes;
use crate::fault::{At, Result, fatal};

/// Longest object that is read; a header that promises more is refused.
pub(crate) const MAX_OBJECT: u64 = 1 << 30;
/// Longest chain of deltas that is followed. git makes chains of at most 4095.
// T-PROC-017: a hostile repository.
const MAX_CHAIN: usize = 4096;
/// Bytes of delta bases that are kept for the next object.
const MAX_CACHE: usize = 32 << 20;

const HEADER: usize = 8;
const FAN_OUT: usize = 256 * 4;

/// A pack and its index.
pub(crate) struct Pack {
    file: Vec<u8>,
    index: Vec<u8>,
    count: usize,
    bases: RefCell<HashMap<u64, (Kind, Vec<u8>)>>,
}

/// Header of one object in a pack.
enum Entry {
    Whole(Kind),
    /// A delta against the object at this place.
    Offset(u64),
    /// A delta against this object.
    Reference(Oid),
}

impl Pack {
    /// Opens the pack of an index file.
    pub(crate) fn open(index_file: &[u8]) -> Result<Pack> {
        let index = std::fs::read(bytes::path(index_file)).at(index_file)?;
        let bad = || fatal(format!("{}: unknown kind of pack index", bytes::text(index_file)));
        if !index.starts_with(b"\xfftOc\0\0\0\x02") || index.len() < HEADER + FAN_OUT + 2 * LEN {
            return Err(bad());
        }
        let count = number(&index, HEADER + FAN_OUT - 4).ok_or_else(bad)? as usize;
        if (index.len() - HEADER - FAN_OUT) / (LEN + 8) < count {
            return Err(bad());
        }
        let file = [index_file.strip_suffix(b".idx").unwrap_or(index_file), b".pack"].concat();
        Ok(Pack { file, index, count, bases: RefCell::default() })
    }

    /// Number of objects.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    fn oid(&self, at: usize) -> Oid {
        let start = HEADER + FAN_OUT + at * LEN;
        self.index.get(start..start + LEN).and_then(Oid::from_bytes).unwrap_or(Oid::ZERO)
    }

    /// Returns all identities, sorted.
    pub(crate) fn oids(&self) -> impl Iterator<Item = Oid> {
        (0..self.count).map(|at| self.oid(at))
    }

    /// Returns the place of an object in the pack.
    pub(crate) fn find(&self, oid: Oid) -> Option<u64> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            match self.oid(middle).cmp(&oid) {
                std::cmp::Ordering::Equal => return self.offset(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn offset(&self, at: usize) -> Option<u64> {
        let offsets = HEADER + FAN_OUT + self.count * (LEN + 4);
        let small = number(&self.index, offsets + at * 4)?;
        if small & 0x8000_0000 == 0 {
            return Some(u64::from(small));
        }
        let large = offsets + self.count * 4 + (small & 0x7fff_ffff) as usize * 8;
        let (high, low) = (number(&self.index, large)?, number(&self.index, large + 4)?);
        Some(u64::from(high) << 32 | u64::from(low))
    }

    /// Reads the object at a place. `outside` reads objects that a delta names by identity.
    pub(crate) fn read(
        &self,
        at: u64,
        outside: &dyn Fn(Oid) -> Result<(Kind, Vec<u8>)>,
    ) -> Result<(Kind, Vec<u8>)> {
        let mut deltas: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut place = at;
        let (kind, mut data) = loop {
            if deltas.len() > MAX_CHAIN {
                return Err(self.corrupt());
            }
            if let Some(base) = self.bases.borrow().get(&place) {
                break base.clone();
            }
            let (entry, content) = self.entry(place)?;
            match entry {
                Entry::Whole(kind) => break (kind, content),
                Entry::Offset(base) => {
                    deltas.push((place, content));
                    place = base;
                }
                Entry::Reference(base) => {
                    deltas.push((place, content));
                    match self.find(base) {
                        Some(base) => place = base,
                        None => break outside(base)?,
                    }
                }
            }
        };
        while let Some((place, delta)) = deltas.pop() {
            data = apply_delta(&data, &delta).ok_or_else(|| self.corrupt())?;
            self.keep(place, kind, &data);
        }
        Ok((kind, data))
    }

    fn keep(&self, place: u64, kind: Kind, data: &[u8]) {
        let mut bases = self.bases.borrow_mut();
        let held: usize = bases.values().map(|(_, data)| data.len()).sum();
        if held + data.len() > MAX_CACHE {
            bases.clear();
        }
        if data.len() <= MAX_CACHE {
            bases.insert(place, (kind, data.to_vec()));
        }
    }

    fn entry(&self, at: u64) -> Result<(Entry, Vec<u8>)> {
        let mut file = File::open(bytes::path(&self.file)).at(&self.file)?;
        file.seek(SeekFrom::Start(at)).at(&self.file)?;
        let mut input = BufReader::new(file);
        let mut byte = || {
            let mut one = [0];
            input.read_exact(&mut one).at(&self.file).map(|()| u64::from(one[0]))
        };
        let first = byte()?;
        let mut size = first & 15;
        let (mut shift, mut last) = (4, first);
        while last & 0x80 != 0 {
            last = byte()?;
            if shift > 56 {
                return Err(self.corrupt());
            }
            size |= (last & 0x7f) << shift;
            shift += 7;
        }
        let entry = match first >> 4 & 7 {
            1 => Entry::Whole(Kind::Commit),
            2 => Entry::Whole(Kind::Tree),
            3 => Entry::Whole(Kind::Blob),
            4 => Entry::Whole(Kind::Tag),
            6 => {
                let mut last = byte()?;
                let mut back = last & 0x7f;
                while last & 0x80 != 0 {
                    last = byte()?;
                    back = (back + 1).checked_mul(128).ok_or_else(|| self.corrupt())? | last & 0x7f;
                }
                let base = at.checked_sub(back).filter(|_| back > 0);
                Entry::Offset(base.ok_or_else(|| self.corrupt())?)
            }
            7 => {
                let mut oid = [0; LEN];
                input.read_exact(&mut oid).at(&self.file)?;
                Entry::Reference(Oid(oid))
            }
            _ => return Err(self.corrupt()),
        };
        if size > MAX_OBJECT {
            return Err(self.corrupt());
        }
        let mut data = Vec::new();
        ZlibDecoder::new(input).take(size).read_to_end(&mut data).at(&self.file)?;
        if data.len() as u64 != size {
            return Err(self.corrupt());
        }
        Ok((entry, data))
    }

    fn corrupt(&self) -> crate::fault::Fault {
        fatal(format!("{}: corrupt pack", bytes::text(&self.file)))
    }
}

fn number(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

/// Builds an object from its base and a delta; `None` if the delta is corrupt.
fn apply_delta(base: &[u8], mut delta: &[u8]) -> Option<Vec<u8>> {
    let base_size = varint(&mut delta)?;
    let size = varint(&mut delta)?;
    if base_size != base.len() as u64 || size > MAX_OBJECT {
        return None;
    }
    let mut out = Vec::new();
    while let Some((&op, rest)) = delta.split_first() {
        delta = rest;
        if op & 0x80 != 0 {
            let (mut at, mut len) = (0usize, 0usize);
            for bit in 0..4 {
                if op & 1 << bit != 0 {
                    at |= usize::from(take(&mut delta)?) << (8 * bit);
                }
            }
            for bit in 0..3 {
                if op & 0x10 << bit != 0 {
                    len |= usize::from(take(&mut delta)?) << (8 * bit);
                }
            }
            let len = if len == 0 { 0x10000 } else { len };
            out.extend_from_slice(base.get(at..at.checked_add(len)?)?);
        } else {
            let len = usize::from(op);
            if len == 0 {
                return None;
            }
            out.extend_from_slice(delta.get(..len)?);
            delta = &delta[len..];
        }
        if out.len() as u64 > size {
            return None;
        }
    }
    (out.len() as u64 == size).then_some(out)
}

fn take(data: &mut &[u8]) -> Option<u8> {
    let (&first, rest) = data.split_first()?;
    *data = rest;
    Some(first)
}

fn varint(data: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0u64, 0);
    loop {
        let byte = take(data)?;
        if shift > 56 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_copy_and_insert() {
        // Copies "bc", inserts "XY".
        assert_eq!(apply_delta(b"abcd", &[4, 4, 0x91, 1, 2, 2, b'X', b'Y']).unwrap(), b"bcXY");
    }

    #[test]
    fn deltas_cannot_reach_outside_their_base() {
        assert_eq!(apply_delta(b"abcd", &[4, 9, 0x91, 1, 9]), None);
        assert_eq!(apply_delta(b"abcd", &[3, 1, 1, b'x']), None);
        assert_eq!(apply_delta(b"abcd", &[4, 1, 2, b'x', b'y']), None);
        assert_eq!(apply_delta(b"abcd", &[4, 1, 0]), None);
        assert_eq!(apply_delta(b"", &[0xff; 20]), None);
    }
}
