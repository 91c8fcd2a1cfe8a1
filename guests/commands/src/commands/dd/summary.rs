//! The report at the end: records, bytes, time.

use std::fmt::Write as _;
use std::time::Instant;

use super::settings::Status;

/// Whole and partial blocks.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Blocks {
    pub(super) whole: u64,
    pub(super) partial: u64,
}

impl Blocks {
    pub(super) fn add(&mut self, len: usize, size: usize) {
        match len == size {
            true => self.whole += 1,
            false => self.partial += 1,
        }
    }
}

#[derive(Debug)]
pub(super) struct Summary {
    started: Instant,
    pub(super) read: Blocks,
    pub(super) written: Blocks,
    pub(super) bytes: u64,
    pub(super) cut: u64,
}

impl Summary {
    pub(super) fn start() -> Self {
        Summary {
            started: Instant::now(),
            read: Blocks::default(),
            written: Blocks::default(),
            bytes: 0,
            cut: 0,
        }
    }

    pub(super) fn text(&self, status: Status) -> String {
        let mut text = format!(
            "{}+{} records in\n{}+{} records out\n",
            self.read.whole, self.read.partial, self.written.whole, self.written.partial
        );
        match self.cut {
            0 => {}
            1 => text.push_str("1 truncated record\n"),
            cut => _ = writeln!(text, "{cut} truncated records"),
        }
        if status == Status::Full {
            let seconds = self.started.elapsed().as_secs_f64();
            let speed = scaled(self.bytes as f64 / seconds.max(1e-9), 1000.0, "B");
            _ = writeln!(text, "{} copied, {seconds:.6} s, {speed}/s", amount(self.bytes));
        }
        text
    }
}

fn amount(bytes: u64) -> String {
    let plural = if bytes == 1 { "byte" } else { "bytes" };
    match bytes {
        0..1000 => format!("{bytes} {plural}"),
        1000..1024 => format!("{bytes} bytes ({})", scaled(bytes as f64, 1000.0, "B")),
        _ => {
            let (si, iec) = (scaled(bytes as f64, 1000.0, "B"), scaled(bytes as f64, 1024.0, "iB"));
            format!("{bytes} bytes ({si}, {iec})")
        }
    }
}

/// Formats a number with two significant digits at least: `1.5 kB`, `10 MiB`.
fn scaled(mut number: f64, base: f64, unit: &str) -> String {
    let letters = ["", if base > 1000.0 { "K" } else { "k" }, "M", "G", "T", "P", "E"];
    let mut letter = 0;
    while number >= base && letter + 1 < letters.len() {
        number /= base;
        letter += 1;
    }
    let unit = if letter == 0 { "B" } else { unit };
    let digits = usize::from(number < 10.0 && letter > 0);
    format!("{number:.digits$} {}{unit}", letters[letter])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_in_both_scales() {
        assert_eq!(amount(1), "1 byte");
        assert_eq!(amount(512), "512 bytes");
        assert_eq!(amount(8192), "8192 bytes (8.2 kB, 8.0 KiB)");
        assert_eq!(amount(10 << 20), "10485760 bytes (10 MB, 10 MiB)");
    }
}
