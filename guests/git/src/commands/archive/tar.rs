//! Writes tar archives as git does: fixed owners, the time of the commit, and its identity first.

use super::Item;
use crate::store::object::mode;

const BLOCK: usize = 512;
/// Bytes that the whole archive is a multiple of.
const RECORD: usize = 20 * BLOCK;
/// Longest names in a header.
const MAX_NAME: usize = 100;
const MAX_PREFIX: usize = 155;

/// Writes an archive.
pub(super) fn write(items: &[Item], time: i64, commit: Option<&str>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(id) = commit {
        let data = record("comment", id.as_bytes());
        header(b"pax_global_header", b"", 0o666, data.len(), time, b'g', b"", &mut out);
        padded(&data, &mut out);
    }
    for item in items {
        let (kind, mode) = match item.mode {
            mode::TREE => (b'5', 0o775),
            mode::LINK => (b'2', 0o777),
            mode::PROGRAM => (b'0', 0o775),
            _ => (b'0', 0o664),
        };
        let is_link = item.mode == mode::LINK;
        let mut extra = Vec::new();
        let (name, prefix) = match split(&item.name) {
            Some(parts) => parts,
            None => {
                extra.extend(record("path", &item.name));
                (&item.name[..MAX_NAME], &b""[..])
            }
        };
        let target: &[u8] = if is_link { &item.data } else { b"" };
        if target.len() > MAX_NAME {
            extra.extend(record("linkpath", target));
        }
        if !extra.is_empty() {
            header(b"pax_header", b"", 0o666, extra.len(), time, b'x', b"", &mut out);
            padded(&extra, &mut out);
        }
        let size = if is_link { 0 } else { item.data.len() };
        let target = &target[..target.len().min(MAX_NAME)];
        header(name, prefix, mode, size, time, kind, target, &mut out);
        if !is_link {
            padded(&item.data, &mut out);
        }
    }
    let end = (out.len() + 2 * BLOCK).div_ceil(RECORD) * RECORD;
    out.resize(end, 0);
    out
}

/// Splits a long name at a slash into the two fields of a header.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= MAX_NAME {
        return Some((name, b""));
    }
    let body = name.strip_suffix(b"/").unwrap_or(name);
    let last = body.len().min(MAX_PREFIX + 1);
    let at = body[..last].iter().rposition(|b| *b == b'/')?;
    (name.len() - at - 1 <= MAX_NAME).then_some((&name[at + 1..], &name[..at]))
}

/// Returns a record of an extended header, which begins with its own length.
fn record(key: &str, value: &[u8]) -> Vec<u8> {
    let rest = key.len() + value.len() + 3;
    let mut length = rest + 1;
    while length != rest + length.to_string().len() {
        length = rest + length.to_string().len();
    }
    [format!("{length} {key}=").as_bytes(), value, b"\n"].concat()
}

fn padded(data: &[u8], out: &mut Vec<u8>) {
    out.extend(data);
    out.resize(out.len().div_ceil(BLOCK) * BLOCK, 0);
}

#[expect(clippy::too_many_arguments, reason = "the fields of a header")]
fn header(
    name: &[u8],
    prefix: &[u8],
    mode: u32,
    size: usize,
    time: i64,
    kind: u8,
    target: &[u8],
    out: &mut Vec<u8>,
) {
    let mut block = [0_u8; BLOCK];
    let mut put = |at: usize, data: &[u8]| block[at..at + data.len()].copy_from_slice(data);
    put(0, name);
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, format!("{:011o}", time.max(0)).as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(157, target);
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    put(329, b"0000000");
    put(337, b"0000000");
    put(345, prefix);
    let sum: u32 = block.iter().map(|b| u32::from(*b)).sum();
    block[148..155].copy_from_slice(format!("{sum:07o}").as_bytes());
    block[155] = 0;
    out.extend(block);
}
