//! Writes values in the format of jq.

use std::io::{self, Write};

use super::json::Json;

/// The layout of values.
pub(in crate::commands) struct Layout {
    /// Indentation of one level; `None` writes a value on one line.
    pub(in crate::commands) indent: Option<String>,
    pub(in crate::commands) sort_keys: bool,
    pub(in crate::commands) ascii: bool,
}

impl Layout {
    /// Writes a value at a level of nesting.
    pub(in crate::commands) fn write(
        &self,
        out: &mut dyn Write,
        value: &Json,
        level: usize,
    ) -> io::Result<()> {
        match value {
            Json::Null => out.write_all(b"null"),
            Json::Bool(true) => out.write_all(b"true"),
            Json::Bool(false) => out.write_all(b"false"),
            Json::Num(_, Some(text)) => out.write_all(text.as_bytes()),
            Json::Num(number, None) => out.write_all(float_text(*number).as_bytes()),
            Json::Str(text) => self.text(out, text),
            Json::Arr(items) if items.items().is_empty() => out.write_all(b"[]"),
            Json::Obj(members) if members.len() == 0 => out.write_all(b"{}"),
            Json::Arr(items) => {
                out.write_all(b"[")?;
                for (number, item) in items.items().iter().enumerate() {
                    self.separate(out, number, level + 1)?;
                    self.write(out, item, level + 1)?;
                }
                self.line(out, level)?;
                out.write_all(b"]")
            }
            Json::Obj(members) => {
                let list = if self.sort_keys { members.sorted() } else { members.iter().collect() };
                out.write_all(b"{")?;
                for (number, (key, member)) in list.into_iter().enumerate() {
                    self.separate(out, number, level + 1)?;
                    self.text(out, key)?;
                    out.write_all(if self.indent.is_some() { b": " } else { b":" })?;
                    self.write(out, member, level + 1)?;
                }
                self.line(out, level)?;
                out.write_all(b"}")
            }
        }
    }

    fn separate(&self, out: &mut dyn Write, number: usize, level: usize) -> io::Result<()> {
        if number > 0 {
            out.write_all(b",")?;
        }
        self.line(out, level)
    }

    fn line(&self, out: &mut dyn Write, level: usize) -> io::Result<()> {
        let Some(indent) = &self.indent else { return Ok(()) };
        out.write_all(b"\n")?;
        for _ in 0..level {
            out.write_all(indent.as_bytes())?;
        }
        Ok(())
    }

    fn text(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        out.write_all(b"\"")?;
        self.valid(out, text)?;
        out.write_all(b"\"")
    }

    fn valid(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        let mut plain = 0;
        for (at, c) in text.char_indices() {
            let special =
                matches!(c, '"' | '\\' | '\0'..='\x1f' | '\x7f') || (self.ascii && !c.is_ascii());
            if !special {
                continue;
            }
            out.write_all(&text.as_bytes()[plain..at])?;
            plain = at + c.len_utf8();
            match c {
                '"' => out.write_all(b"\\\"")?,
                '\\' => out.write_all(b"\\\\")?,
                '\n' => out.write_all(b"\\n")?,
                '\t' => out.write_all(b"\\t")?,
                '\r' => out.write_all(b"\\r")?,
                '\x08' => out.write_all(b"\\b")?,
                '\x0c' => out.write_all(b"\\f")?,
                _ => {
                    let mut units = [0; 2];
                    for unit in c.encode_utf16(&mut units) {
                        write!(out, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        out.write_all(&text.as_bytes()[plain..])
    }
}

/// Formats a number like jq: at most 17 digits, and no point in an integral double.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "null".to_owned();
    }
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}1.7976931348623157e+308");
    }
    let magnitude = number.abs();
    if magnitude != 0.0 && !(1e-5..1e17).contains(&magnitude) {
        let text = format!("{number:e}");
        return match text.split_once('e') {
            Some((mantissa, exponent)) if exponent.starts_with('-') => {
                format!("{mantissa}e-{:0>2}", &exponent[1..])
            }
            Some((mantissa, exponent)) => format!("{mantissa}e+{exponent:0>2}"),
            None => text,
        };
    }
    if number == number.trunc() { format!("{number:.0}") } else { number.to_string() }
}
