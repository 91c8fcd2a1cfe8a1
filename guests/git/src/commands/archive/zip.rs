//! Writes zip archives.

use std::io::Write as _;

use super::Item;
use crate::fault::{At, Result, fatal};
use crate::store::object::mode;

/// Bit of the flags that says that names are UTF-8.
const UTF8: u16 = 1 << 11;

/// Writes an archive; the identity of the commit is its comment.
pub(super) fn write(items: &[Item], time: i64, commit: Option<&str>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut directory = Vec::new();
    let (clock, date) = dos_time(time);
    for item in items {
        let start = offset(out.len())?;
        let size = offset(item.data.len())?;
        let mut crc = flate2::Crc::new();
        crc.update(&item.data);
        let packed = match item.data.is_empty() || item.mode == mode::LINK {
            true => None,
            false => {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(&item.data).at(&item.name)?;
                Some(encoder.finish().at(&item.name)?)
                    .filter(|packed| packed.len() < item.data.len())
            }
        };
        let method: u16 = if packed.is_some() { 8 } else { 0 };
        let data = packed.as_deref().unwrap_or(&item.data);
        let name_size = u16::try_from(item.name.len())
            .map_err(|_| fatal(format!("path too long ({} chars)", item.name.len())))?;
        let flags = if item.name.is_ascii() { 0 } else { UTF8 };
        let mut common = Vec::new();
        for field in [10, flags, method, clock, date] {
            common.extend(field.to_le_bytes());
        }
        for field in [crc.sum(), offset(data.len())?, size] {
            common.extend(field.to_le_bytes());
        }
        common.extend(name_size.to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(&item.name);
        out.extend(data);
        let is_directory = item.mode == mode::TREE;
        let permissions: u32 = match item.mode {
            mode::TREE => 0o040_755,
            mode::LINK => 0o120_777,
            mode::PROGRAM => 0o100_755,
            _ => 0o100_644,
        };
        directory.extend(b"PK\x01\x02");
        // Made on Unix, so that permissions count.
        directory.extend([23, 3]);
        directory.extend(&common);
        for field in [0_u16, 0, 0] {
            directory.extend(field.to_le_bytes());
        }
        let attributes = permissions << 16 | if is_directory { 0x10 } else { 0 };
        directory.extend(attributes.to_le_bytes());
        directory.extend(start.to_le_bytes());
        directory.extend(&item.name);
    }
    let start = offset(out.len())?;
    let count =
        u16::try_from(items.len()).map_err(|_| fatal("too many files for a zip archive"))?;
    let length = offset(directory.len())?;
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(start.to_le_bytes());
    let comment = commit.unwrap_or_default();
    out.extend((comment.len() as u16).to_le_bytes());
    out.extend(comment.bytes());
    Ok(out)
}

fn offset(size: usize) -> Result<u32> {
    u32::try_from(size).map_err(|_| fatal("archive is too large for the zip format"))
}

/// Returns time and date as MS-DOS writes them, in UTC.
fn dos_time(time: i64) -> (u16, u16) {
    let shown = crate::text::date::format(
        &crate::text::date::Form::Format("%Y %m %d %H %M %S".to_owned()),
        time,
        0,
        time,
    );
    let mut parts = shown.split(' ').map(|part| part.parse::<u16>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let (year, month, day) = (next(), next(), next());
    let (hour, minute, second) = (next(), next(), next());
    let clock = ((hour & 31) << 11) | ((minute & 63) << 5) | (second / 2);
    (clock, year.saturating_sub(1980).min(127) << 9 | month << 5 | day)
}
