//! The `printf` builtin.

mod number;

use cofferdam_guest_sys as sys;

use super::{USAGE, echo, shown};
use crate::expand::quote;
use crate::shell::scope::split_place;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;
use crate::syntax::quote::{Flavour, escape};

/// Largest field width; a larger one is an error.
const MAX_WIDTH: usize = 1024 * 1024;

/// Amount of output buffered before it is written.
const FLUSH: usize = 64 * 1024;

/// Largest output for `printf -v`.
const MAX_VALUE: usize = crate::expand::MAX_VALUE;

pub(super) fn printf(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    let mut variable = None;
    match rest {
        [option, name, more @ ..] if option == b"-v" => {
            if split_place(name).is_none() {
                shell.warn(&format!("printf: `{}': not a valid identifier", shown(name)));
                return Ok(USAGE);
            }
            variable = Some(name.clone());
            rest = more;
        }
        [option] if option == b"-v" => {
            shell.warn("printf: -v: option requires an argument");
            super::print_usage(shell, "printf");
            return Ok(USAGE);
        }
        [option, ..] if option.len() > 2 && option.starts_with(b"-v") => {
            variable = Some(option[2..].to_vec());
            rest = &rest[1..];
        }
        [option, ..] if option.len() > 1 && option[0] == b'-' && option != b"--" => {
            super::bad_option(shell, "printf", &shown(option));
            return Ok(USAGE);
        }
        _ => {}
    }
    if rest.first().is_some_and(|arg| arg == b"--") {
        rest = &rest[1..];
    }
    let Some((format, values)) = rest.split_first() else {
        shell.print_error(b"printf: usage: printf [-v var] format [arguments]\n");
        return Ok(USAGE);
    };
    let mut printer =
        Printer { shell, out: Vec::new(), values, at: 0, status: 0, direct: variable.is_none() };
    printer.all(format)?;
    let (out, status) = (printer.out, printer.status);
    match variable {
        None => {
            let written = shell.print(&out, "printf")?;
            Ok(status.max(written))
        }
        Some(name) => {
            let place = split_place(&name);
            match place {
                Some(place) if place.index.is_some() => {
                    let index = shell.expand_key(&place.index.unwrap_or_default())?;
                    match shell.assign(&place.name, Some(&index), out, false) {
                        Err(Flow::Discard(status)) => return Ok(status),
                        assigned => assigned?,
                    }
                }
                _ => shell.set(&name, out)?,
            }
            Ok(status)
        }
    }
}

/// A conversion specification such as `%-5.2d`.
#[derive(Default)]
pub(super) struct Spec {
    pub(super) left: bool,
    pub(super) plus: bool,
    pub(super) space: bool,
    pub(super) alternative: bool,
    pub(super) zero: bool,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
}

impl Spec {
    /// Appends `text`, padded with spaces to the field width.
    pub(super) fn pad(&self, text: &[u8], out: &mut Text) {
        // As in bash, which leaves this to the C library, width and precision count bytes.
        let fill = self.width.saturating_sub(text.len());
        if !self.left {
            out.resize(out.len() + fill, b' ');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize(out.len() + fill, b' ');
        }
    }
}

struct Printer<'a> {
    shell: &'a mut Shell,
    out: Text,
    values: &'a [Text],
    at: usize,
    status: i32,
    direct: bool,
}

impl Printer<'_> {
    /// Prints an error after the lines before it: the output of bash is buffered by lines.
    fn warn(&mut self, message: &str) {
        let end = self.out.iter().rposition(|c| *c == b'\n').filter(|_| self.direct);
        if let Some(end) = end {
            let rest = self.out.split_off(end + 1);
            let out = std::mem::replace(&mut self.out, rest);
            if let Ok(written) = self.shell.print(&out, "printf") {
                self.status = self.status.max(written);
            }
        }
        self.shell.warn(message);
    }

    /// Repeats the format until the arguments are used up. Returns false if `\c` ended the output.
    fn all(&mut self, format: &[u8]) -> Result<bool, Flow> {
        loop {
            let before = self.at;
            if !self.once(format)? {
                return Ok(false);
            }
            if self.at >= self.values.len() || self.at == before {
                return Ok(true);
            }
        }
    }

    fn once(&mut self, format: &[u8]) -> Result<bool, Flow> {
        let mut at = 0;
        while at < format.len() {
            match format[at] {
                b'\\' => {
                    let (bytes, len) = escape(&format[at..], Flavour::Printf);
                    self.out.extend_from_slice(&bytes);
                    at += len;
                }
                b'%' if format.get(at + 1) == Some(&b'%') => {
                    self.out.push(b'%');
                    at += 2;
                }
                b'%' => {
                    at += 1;
                    if !self.conversion(format, &mut at)? {
                        return Ok(false);
                    }
                }
                c => {
                    self.out.push(c);
                    at += 1;
                }
            }
            if self.out.len() > FLUSH && self.direct {
                let out = std::mem::take(&mut self.out);
                let written = self.shell.print(&out, "printf")?;
                self.status = self.status.max(written);
            }
            if self.out.len() > MAX_VALUE {
                let message = format!("printf: longer than {MAX_VALUE} bytes");
                self.shell.warn_capped(sys::Cap::Expansion, MAX_VALUE, &message);
                return Err(Flow::Discard(1));
            }
        }
        Ok(true)
    }

    fn next(&mut self) -> Option<Text> {
        let value = self.values.get(self.at).cloned();
        self.at += 1;
        value
    }

    fn conversion(&mut self, format: &[u8], at: &mut usize) -> Result<bool, Flow> {
        let start = *at;
        let mut spec = Spec::default();
        loop {
            match format.get(*at) {
                Some(b'-') => spec.left = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternative = true,
                Some(b'0') => spec.zero = true,
                Some(b'\'') => {}
                _ => break,
            }
            *at += 1;
        }
        let Some(width) = self.size(format, at)? else { return Ok(false) };
        if let Some((width, negative)) = width {
            spec.width = width;
            spec.left |= negative;
        }
        if format.get(*at) == Some(&b'.') {
            *at += 1;
            let Some(precision) = self.size(format, at)? else { return Ok(false) };
            spec.precision = match precision {
                Some((_, true)) => None,
                Some((precision, false)) => Some(precision),
                None => Some(0),
            };
        }
        while matches!(format.get(*at), Some(b'h' | b'l' | b'L' | b'j' | b'z' | b't')) {
            *at += 1;
        }
        let Some(&letter) = format.get(*at) else {
            let text = shown(&format[start..]);
            self.warn(&format!("printf: `%{text}': missing format character"));
            self.status = 1;
            return Ok(false);
        };
        *at += 1;
        match letter {
            b's' => {
                let mut text = self.next().unwrap_or_default();
                cut(&mut text, spec.precision);
                spec.pad(&text, &mut self.out);
            }
            b'b' => {
                let value = self.next().unwrap_or_default();
                let mut text = Vec::new();
                let goes_on = echo::expand(&value, Flavour::Percent, &mut text);
                cut(&mut text, spec.precision);
                spec.pad(&text, &mut self.out);
                return Ok(goes_on);
            }
            b'q' | b'Q' => {
                let mut value = self.next().unwrap_or_default();
                if letter == b'Q' {
                    cut(&mut value, spec.precision);
                }
                let mut text = quote::backslash(&value);
                if letter == b'q' {
                    cut(&mut text, spec.precision);
                }
                spec.pad(&text, &mut self.out);
            }
            b'c' => {
                let value = self.next().unwrap_or_default();
                // The byte that ends an empty string.
                let text = value.get(..1).unwrap_or(b"\0");
                spec.pad(text, &mut self.out);
            }
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => {
                let (signed, unsigned) = self.integer(matches!(letter, b'd' | b'i'));
                // Unsigned conversions read the bits.
                let is_signed = matches!(letter, b'd' | b'i');
                let value = if is_signed { signed } else { unsigned as i64 };
                number::integer(&spec, letter, value, &mut self.out);
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let value = self.float();
                number::float(&spec, letter, value, &mut self.out);
            }
            b'(' => return self.time(format, at, &spec),
            b'n' => {
                let _ = self.next();
            }
            other => {
                let other = char::from(other);
                self.warn(&format!("printf: `{other}': invalid format character"));
                self.status = 1;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Parses a width or precision and its sign. The outer `None` means it was refused.
    #[allow(clippy::type_complexity)]
    fn size(
        &mut self,
        format: &[u8],
        at: &mut usize,
    ) -> Result<Option<Option<(usize, bool)>>, Flow> {
        let value = if format.get(*at) == Some(&b'*') {
            *at += 1;
            self.integer(true).0
        } else {
            let digits = format[*at..].iter().take_while(|c| c.is_ascii_digit()).count();
            if digits == 0 {
                return Ok(Some(None));
            }
            let text = shown(&format[*at..*at + digits]);
            *at += digits;
            text.parse().unwrap_or(i64::MAX)
        };
        let size = value.unsigned_abs() as usize;
        if size > MAX_WIDTH {
            let message = format!("printf: width or precision {size}: more than {MAX_WIDTH}");
            self.shell.warn_capped(sys::Cap::Expansion, MAX_WIDTH, &message);
            self.status = 1;
            return Ok(None);
        }
        Ok(Some(Some((size, value < 0))))
    }

    fn integer(&mut self, is_signed: bool) -> (i64, u64) {
        let Some(text) = self.next() else { return (0, 0) };
        match number::parse_integer(&text) {
            Ok(value) => {
                if number::is_out_of_range(&text, is_signed) {
                    let reason = "Numerical result out of range";
                    self.warn(&format!("printf: warning: {}: {reason}", shown(&text)));
                }
                value
            }
            Err((value, what)) => {
                self.warn(&format!("printf: {}: {what}", shown(&text)));
                self.status = 1;
                value
            }
        }
    }

    fn float(&mut self) -> f64 {
        let Some(text) = self.next() else { return 0.0 };
        match number::parse_float(&text) {
            Ok(value) => value,
            Err(value) => {
                self.warn(&format!("printf: {}: invalid number", shown(&text)));
                self.status = 1;
                value
            }
        }
    }

    /// Implements `%(format)T`.
    fn time(&mut self, format: &[u8], at: &mut usize, spec: &Spec) -> Result<bool, Flow> {
        let rest = &format[*at..];
        let end = rest.windows(2).position(|two| two == b")T");
        let Some(end) = end else {
            self.warn("printf: `(': invalid format character");
            self.status = 1;
            return Ok(false);
        };
        let pattern = if end == 0 { b"%X".to_vec() } else { rest[..end].to_vec() };
        *at += end + 2;
        let now = crate::shell::dynamic::now().as_secs() as i64;
        let seconds = match self.next() {
            None => now,
            Some(text) => match number::parse_integer(&text) {
                Ok((-1, _)) => now,
                Ok((-2, _)) => self.shell.started,
                Ok((seconds, _)) => seconds,
                Err(_) => {
                    self.warn(&format!("printf: {}: invalid number", shown(&text)));
                    self.status = 1;
                    0
                }
            },
        };
        let mut text =
            cofferdam_guest_sys::calendar::in_zone(&pattern, seconds, self.shell.zone().as_deref());
        if text.len() >= TIME_ROOM {
            text.clear();
        }
        cut(&mut text, spec.precision);
        spec.pad(&text, &mut self.out);
        Ok(true)
    }
}

/// Size of bash's buffer for `%(…)T`: a longer time is empty.
const TIME_ROOM: usize = 128;

fn cut(text: &mut Text, precision: Option<usize>) {
    if let Some(precision) = precision {
        text.truncate(precision);
    }
}
