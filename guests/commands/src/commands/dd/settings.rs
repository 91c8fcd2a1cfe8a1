//! The operands of a command line.

use std::ffi::OsString;
use std::path::Path;

use super::blocks::Failure;
use super::convert::{Case, Records};
use super::number;
use crate::bytes::{OsStrExt as _, OsStringExt as _};

/// Largest block, in bytes; the buffer is memory of the cell.
const MAX_BLOCK: u64 = 1 << 30;

/// The report at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Full,
    /// Without the line about time and speed.
    Records,
    None,
}

/// Flags that are checked before a file is opened.
#[derive(Debug, Default)]
pub(super) struct Checks {
    directory: bool,
    nofollow: bool,
}

impl Checks {
    pub(super) fn check(&self, path: &OsString) -> Result<(), Failure> {
        let refuse =
            |errno| Err(Failure::Open(path.clone(), std::io::Error::from_raw_os_error(errno)));
        if self.directory && !Path::new(path).is_dir() {
            return refuse(libc::ENOTDIR);
        }
        if self.nofollow && Path::new(path).is_symlink() {
            return refuse(libc::ELOOP);
        }
        Ok(())
    }
}

/// The parsed operands.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) input: Option<OsString>,
    pub(super) output: Option<OsString>,
    pub(super) input_block: usize,
    pub(super) output_block: usize,
    /// Blocks are written as they are read (`bs=` without a conversion).
    pub(super) direct: bool,
    /// Size of records for `conv=block` and `conv=unblock`.
    pub(super) record: usize,
    pub(super) records: Option<Records>,
    pub(super) case: Option<Case>,
    pub(super) swab: bool,
    /// Pads each input block to its full size.
    pub(super) sync: bool,
    /// Seeks over blocks of zeros.
    pub(super) sparse: bool,
    pub(super) noerror: bool,
    pub(super) fullblock: bool,
    pub(super) excl: bool,
    pub(super) nocreat: bool,
    pub(super) notrunc: bool,
    pub(super) append: bool,
    pub(super) flush: bool,
    pub(super) input_flags: Checks,
    pub(super) output_flags: Checks,
    pub(super) status: Status,
    count: Option<Length>,
    skip: Length,
    seek: Length,
}

/// A number of blocks, or of bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Length {
    number: u64,
    is_bytes: bool,
}

impl Length {
    fn bytes(self, block: usize) -> u64 {
        self.number.saturating_mul(if self.is_bytes { 1 } else { block as u64 })
    }
}

impl Settings {
    /// Parses the operands. The error is the message for the user.
    pub(super) fn parse(operands: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut parsed = Settings {
            input: None,
            output: None,
            input_block: 512,
            output_block: 512,
            direct: false,
            record: 0,
            records: None,
            case: None,
            swab: false,
            sync: false,
            sparse: false,
            noerror: false,
            fullblock: false,
            excl: false,
            nocreat: false,
            notrunc: false,
            append: false,
            flush: false,
            input_flags: Checks::default(),
            output_flags: Checks::default(),
            status: Status::Full,
            count: None,
            skip: Length::default(),
            seek: Length::default(),
        };
        let mut both: Option<usize> = None;
        for operand in operands {
            let bytes = operand.as_bytes();
            let wrong = || format!("unrecognized operand '{}'", operand.to_string_lossy());
            let equals = bytes.iter().position(|byte| *byte == b'=').ok_or_else(wrong)?;
            let value = OsString::from_vec(bytes[equals + 1..].to_vec());
            let text = value.to_string_lossy();
            match &bytes[..equals] {
                b"if" => parsed.input = Some(value),
                b"of" => parsed.output = Some(value),
                b"bs" => both = Some(block(&text)?),
                b"ibs" => parsed.input_block = block(&text)?,
                b"obs" => parsed.output_block = block(&text)?,
                b"cbs" => parsed.record = block(&text)?,
                b"count" => parsed.count = Some(length(&text)?),
                b"skip" | b"iseek" => parsed.skip = length(&text)?,
                b"seek" | b"oseek" => parsed.seek = length(&text)?,
                b"conv" => parsed.each(&text, "conversion", Settings::convert)?,
                b"iflag" => parsed.each(&text, "input flag", Settings::input_flag)?,
                b"oflag" => parsed.each(&text, "output flag", Settings::output_flag)?,
                b"status" => parsed.status = status(&text)?,
                _ => return Err(wrong()),
            }
        }
        if let Some(size) = both {
            (parsed.input_block, parsed.output_block) = (size, size);
        }
        let is_converted = parsed.records.is_some() || parsed.case.is_some() || parsed.swab;
        parsed.direct = both.is_some() && !is_converted;
        if parsed.record == 0 && parsed.records.is_some() {
            return Err("conv=block or conv=unblock specified without cbs=N".into());
        }
        if parsed.excl && parsed.nocreat {
            return Err("cannot combine excl and nocreat".into());
        }
        Ok(parsed)
    }

    fn each(
        &mut self,
        list: &str,
        kind: &str,
        set: fn(&mut Settings, &str) -> Result<bool, String>,
    ) -> Result<(), String> {
        for name in list.split(',') {
            if !set(self, name)? {
                return Err(format!("invalid {kind}: '{name}'"));
            }
        }
        Ok(())
    }

    /// Applies a conversion; `false` if it is unknown.
    fn convert(&mut self, name: &str) -> Result<bool, String> {
        let records = |now: Option<Records>, new| match now {
            Some(now) if now != new => Err("cannot combine block and unblock".to_owned()),
            _ => Ok(Some(new)),
        };
        let case = |now: Option<Case>, new| match now {
            Some(now) if now != new => Err("cannot combine lcase and ucase".to_owned()),
            _ => Ok(Some(new)),
        };
        match name {
            "block" => self.records = records(self.records, Records::Block)?,
            "unblock" => self.records = records(self.records, Records::Unblock)?,
            "lcase" => self.case = case(self.case, Case::Lower)?,
            "ucase" => self.case = case(self.case, Case::Upper)?,
            "swab" => self.swab = true,
            "sync" => self.sync = true,
            "sparse" => self.sparse = true,
            "excl" => self.excl = true,
            "nocreat" => self.nocreat = true,
            "notrunc" => self.notrunc = true,
            "noerror" => self.noerror = true,
            "fsync" | "fdatasync" => self.flush = true,
            "ascii" | "ebcdic" | "ibm" => {
                return Err(format!("conv={name} is not supported in a sandbox"));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn input_flag(&mut self, name: &str) -> Result<bool, String> {
        match name {
            "fullblock" => self.fullblock = true,
            "count_bytes" => {
                self.count.get_or_insert(Length { number: u64::MAX, is_bytes: true }).is_bytes =
                    true
            }
            "skip_bytes" => self.skip.is_bytes = true,
            "directory" => self.input_flags.directory = true,
            "nofollow" => self.input_flags.nofollow = true,
            _ => return Ok(is_hint(name)),
        }
        Ok(true)
    }

    fn output_flag(&mut self, name: &str) -> Result<bool, String> {
        match name {
            "append" => self.append = true,
            "seek_bytes" => self.seek.is_bytes = true,
            "directory" => self.output_flags.directory = true,
            "nofollow" => self.output_flags.nofollow = true,
            _ => return Ok(is_hint(name)),
        }
        Ok(true)
    }

    /// Returns the offset at which reading starts.
    pub(super) fn input_start(&self) -> u64 {
        self.skip.bytes(self.input_block)
    }

    /// Returns the offset at which writing starts.
    pub(super) fn output_start(&self) -> u64 {
        self.seek.bytes(self.output_block)
    }

    /// Returns the bytes and the blocks after which reading ends.
    pub(super) fn ends(&self) -> (u64, u64) {
        match self.count {
            None => (u64::MAX, u64::MAX),
            Some(Length { number, is_bytes: true }) => (number, u64::MAX),
            Some(Length { number, is_bytes: false }) => (u64::MAX, number),
        }
    }

    pub(super) fn input_name(&self) -> String {
        self.input.as_ref().map_or("standard input".into(), |path| path.to_string_lossy().into())
    }

    pub(super) fn output_name(&self) -> String {
        self.output.as_ref().map_or("standard output".into(), |path| path.to_string_lossy().into())
    }
}

/// Flags for devices and caches, which a sandbox does not have.
fn is_hint(name: &str) -> bool {
    ["direct", "dsync", "sync", "nonblock", "noatime", "nocache", "noctty"].contains(&name)
}

fn block(text: &str) -> Result<usize, String> {
    let invalid = || format!("invalid number: '{text}'");
    let size = number::parse(text).ok_or_else(invalid)?.number;
    match size {
        0 => Err(invalid()),
        1..=MAX_BLOCK => usize::try_from(size).map_err(|_| invalid()),
        _ => Err(format!("block of {size} bytes is larger than {MAX_BLOCK}")),
    }
}

fn length(text: &str) -> Result<Length, String> {
    let amount = number::parse(text).ok_or_else(|| format!("invalid number: '{text}'"))?;
    Ok(Length { number: amount.number, is_bytes: amount.is_bytes })
}

fn status(text: &str) -> Result<Status, String> {
    match text {
        "none" => Ok(Status::None),
        "noxfer" => Ok(Status::Records),
        "progress" => Ok(Status::Full),
        _ => Err(format!("invalid status level: '{text}'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(operands: &[&str]) -> Result<Settings, String> {
        Settings::parse(operands.iter().map(OsString::from))
    }

    #[test]
    fn a_count_is_of_blocks_or_of_bytes() {
        assert_eq!(parse(&["count=3"]).unwrap().ends(), (u64::MAX, 3));
        assert_eq!(parse(&["count=3B"]).unwrap().ends(), (3, u64::MAX));
        assert_eq!(parse(&["count=3", "iflag=count_bytes"]).unwrap().ends(), (3, u64::MAX));
    }

    #[test]
    fn an_offset_that_does_not_fit_stays_at_the_end() {
        assert_eq!(parse(&["bs=1G", "seek=99999999999"]).unwrap().output_start(), u64::MAX);
    }

    #[test]
    fn wrong_operands_are_named() {
        for (operand, message) in [
            ("seek=", "invalid number: ''"),
            ("bs=0", "invalid number: '0'"),
            ("bs=2G", "block of 2147483648 bytes is larger than 1073741824"),
            ("conv=x", "invalid conversion: 'x'"),
            ("conv=lcase,ucase", "cannot combine lcase and ucase"),
            ("conv=block", "conv=block or conv=unblock specified without cbs=N"),
            ("f", "unrecognized operand 'f'"),
        ] {
            assert_eq!(parse(&[operand]).unwrap_err(), message);
        }
    }
}
