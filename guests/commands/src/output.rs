//! Block-wise output. The standard library writes line by line, which costs a host call for each
//! line.

use std::io::{self, BufWriter, Write};

use cofferdam_guest_sys as sys;

/// Bytes collected before they are written.
const BLOCK: usize = 64 * 1024;

/// Exit code of a program that writes to a closed pipe, as if killed by `SIGPIPE`.
const CLOSED_PIPE: i32 = 128 + 13;

/// Block-buffered standard output. Must be flushed before the command returns.
pub(crate) type Output = BufWriter<Descriptor>;

/// Returns standard output, block-buffered.
pub(crate) fn stdout() -> Output {
    BufWriter::with_capacity(BLOCK, Descriptor(1))
}

/// A borrowed descriptor for writing; dropping it does not close it.
pub(crate) struct Descriptor(pub(crate) sys::Fd);

impl Write for Descriptor {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match sys::write(self.0, buf) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe && self.0 == 1 => {
                std::process::exit(CLOSED_PIPE)
            }
            answer => answer,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Standard input, unbuffered, so that unread bytes remain for the next reader.
pub(crate) struct Input;

impl io::Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match sys::read(0, buf) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }
}

/// Returns the text of an error as the C library words it, without the number that the standard
/// library appends.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Flushes `out` and returns the exit code: `code`, or 2 with a message if output was lost.
pub(crate) fn finish(name: &str, out: &mut impl Write, code: i32) -> i32 {
    match out.flush() {
        Ok(()) => code,
        Err(error) => {
            eprintln!("{name}: write error: {}", reason(&error));
            if code == 0 { 2 } else { code }
        }
    }
}
