//! Formats of `-printf`.

use std::ffi::OsStr;
use std::fs;

use crate::bytes::{OsStrExt as _, base};
use crate::files::{Kind, blocks, mode_text, owner_name};
use cofferdam_guest_sys::calendar;

use super::Visit;

/// Largest field width.
const MAX_WIDTH: usize = 4096;

/// Expands a format for a file.
pub(super) fn format(format: &[u8], visit: &Visit<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < format.len() {
        match format[at] {
            b'\\' => {
                at += 1;
                match format.get(at) {
                    Some(b'n') => out.push(b'\n'),
                    Some(b't') => out.push(b'\t'),
                    Some(b'r') => out.push(b'\r'),
                    Some(b'a') => out.push(7),
                    Some(b'b') => out.push(8),
                    Some(b'f') => out.push(12),
                    Some(b'v') => out.push(11),
                    Some(b'\\') | None => out.push(b'\\'),
                    Some(b'0'..=b'7') => {
                        let digits = format[at..].iter().take(3);
                        let digits: Vec<u8> =
                            digits.take_while(|b| (b'0'..=b'7').contains(b)).copied().collect();
                        let value =
                            digits.iter().fold(0_u32, |sum, b| sum * 8 + u32::from(b - b'0'));
                        out.push(value as u8);
                        at += digits.len() - 1;
                    }
                    Some(b'c') => return out,
                    Some(other) => out.extend_from_slice(&[b'\\', *other]),
                }
                at += 1;
            }
            b'%' => at += 1 + field(&mut out, &format[at + 1..], visit),
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// Appends one field, given the text after the percent sign; returns the number of bytes read.
fn field(out: &mut Vec<u8>, text: &[u8], visit: &Visit<'_>) -> usize {
    let mut at = 0;
    let left = text.first() == Some(&b'-');
    at += usize::from(left);
    let zero = text.get(at) == Some(&b'0');
    let mut width = 0_usize;
    while let Some(digit) = text.get(at).filter(|b| b.is_ascii_digit()) {
        width = (width * 10 + usize::from(digit - b'0')).min(MAX_WIDTH);
        at += 1;
    }
    let mut most = usize::MAX;
    if text.get(at) == Some(&b'.') {
        at += 1;
        most = 0;
        while let Some(digit) = text.get(at).filter(|b| b.is_ascii_digit()) {
            most = (most * 10 + usize::from(digit - b'0')).min(MAX_WIDTH);
            at += 1;
        }
    }
    let Some(&conversion) = text.get(at) else {
        out.push(b'%');
        return at;
    };
    at += 1;
    let status = visit.status;
    let kind = Kind::of(status.mode);
    let letter = if kind == Kind::Regular { 'f' } else { kind.letter() };
    let dir = |path: &[u8]| {
        let name = base(path);
        let end = path.len() - name.len();
        match path[..end].strip_suffix(b"/") {
            Some(b"") => b"/".to_vec(),
            Some(dir) => dir.to_vec(),
            None => b".".to_vec(),
        }
    };
    let value: Vec<u8> = match conversion {
        b'p' => visit.path.to_vec(),
        b'f' => base(visit.path).to_vec(),
        b'h' => dir(visit.path),
        b'P' => {
            let rest = visit.path.get(visit.start.len()..).unwrap_or_default();
            rest.strip_prefix(b"/").unwrap_or(rest).to_vec()
        }
        b'H' => visit.start.to_vec(),
        b'd' => visit.depth.to_string().into_bytes(),
        b's' => status.size.to_string().into_bytes(),
        b'k' => (blocks(status) / 2).to_string().into_bytes(),
        b'b' => blocks(status).to_string().into_bytes(),
        b'm' => format!("{:o}", status.mode & 0o7777).into_bytes(),
        b'M' => mode_text(status.mode).into_bytes(),
        b'n' => status.links.to_string().into_bytes(),
        b'i' => status.inode.to_string().into_bytes(),
        b'D' => status.device.to_string().into_bytes(),
        b'u' => owner_name(status.uid).into_bytes(),
        b'g' => owner_name(status.gid).into_bytes(),
        b'U' => status.uid.to_string().into_bytes(),
        b'G' => status.gid.to_string().into_bytes(),
        b'y' | b'Y' => letter.to_string().into_bytes(),
        b'l' => match fs::read_link(OsStr::from_bytes(visit.path)) {
            Ok(to) if kind == Kind::Link => to.as_os_str().as_bytes().to_vec(),
            _ => Vec::new(),
        },
        b't' => moment(b"%a %b %e %T", status.modified, Some(b" %Y")),
        b'a' => moment(b"%a %b %e %T", status.accessed, Some(b" %Y")),
        b'c' => moment(b"%a %b %e %T", status.changed, Some(b" %Y")),
        b'T' | b'A' | b'C' => {
            let nanoseconds = match conversion {
                b'T' => status.modified,
                b'A' => status.accessed,
                _ => status.changed,
            };
            let part = text.get(at).copied().unwrap_or(b'c');
            at += 1;
            part_of_time(part, nanoseconds)
        }
        b'%' => b"%".to_vec(),
        other => vec![b'%', other],
    };
    let value = &value[..value.len().min(most)];
    let fill = width.saturating_sub(value.len());
    if left {
        out.extend_from_slice(value);
        out.resize(out.len() + fill, b' ');
    } else {
        out.resize(out.len() + fill, if zero { b'0' } else { b' ' });
        out.extend_from_slice(value);
    }
    at
}

fn moment(format: &[u8], nanoseconds: u64, behind: Option<&[u8]>) -> Vec<u8> {
    let seconds = (nanoseconds / 1_000_000_000) as i64;
    let mut text = calendar::local(format, seconds);
    if let Some(behind) = behind {
        text.extend_from_slice(format!(".{:09}0", nanoseconds % 1_000_000_000).as_bytes());
        text.extend_from_slice(&calendar::local(behind, seconds));
    }
    text
}

fn part_of_time(part: u8, nanoseconds: u64) -> Vec<u8> {
    let fraction = || format!(".{:09}0", nanoseconds % 1_000_000_000).into_bytes();
    let plain = |format: &[u8]| moment(format, nanoseconds, None);
    match part {
        b'@' => [plain(b"%s"), fraction()].concat(),
        b'S' => [plain(b"%S"), fraction()].concat(),
        b'T' => [plain(b"%T"), fraction()].concat(),
        b'+' => [plain(b"%F+%T"), fraction()].concat(),
        other => plain(&[b'%', other]),
    }
}
