//! Prints transformed code with each statement on its original line, and at its original column if
//! there is room.
//!
//! The code generator reports where it would break a line; a line break is safe nowhere else. At
//! those places this writer emits as many line breaks as the source has before the next token:
//! often none, for tokens that are not in the source.

use swc_common::{BytePos, Span};
use swc_ecma_codegen::text_writer::WriteJs;

type Result = std::io::Result<()>;

pub(crate) struct Lines {
    out: String,
    /// Offset of the start of each source line.
    starts: Vec<u32>,
    /// Number of the line being written, from 0, and the offset of its start in `out`.
    line: usize,
    line_start: usize,
    /// Set if the next token may start a line; `next` is its position in the source, if known.
    may_break: bool,
    next: Option<BytePos>,
}

impl Lines {
    pub(crate) fn new(source: &str) -> Self {
        let breaks = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines {
            out: String::with_capacity(source.len()),
            starts: std::iter::once(0).chain(breaks.map(|(at, _)| at as u32 + 1)).collect(),
            line: 0,
            line_start: 0,
            may_break: false,
            next: None,
        }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    fn write(&mut self, at: Option<BytePos>, text: &str) -> Result {
        if text.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.may_break) {
            self.go_to(self.next.or(at));
        }
        self.next = None;
        self.out.push_str(text);
        if let Some(newline) = text.rfind('\n') {
            self.line += text.matches('\n').count();
            self.line_start = self.out.len() - text.len() + newline + 1;
        }
        Ok(())
    }

    /// Writes the line breaks and blanks before the next token.
    fn go_to(&mut self, at: Option<BytePos>) {
        // Positions start at 1; 0 means no position.
        let Some(at) = at.and_then(|at| at.0.checked_sub(1)) else { return self.out.push(' ') };
        let line = self.starts.partition_point(|start| *start <= at) - 1;
        if line > self.line {
            self.out.extend(std::iter::repeat_n('\n', line - self.line));
            self.line = line;
            self.line_start = self.out.len();
        }
        let column = (at - self.starts[line]) as usize;
        let written = self.out.len() - self.line_start;
        let room = (line == self.line).then(|| column.checked_sub(written)).flatten();
        // Without room, one blank still separates two words.
        let apart = usize::from(!self.out.ends_with(['{', '}', '(', '[', ',', ';', '\n']));
        self.out.extend(std::iter::repeat_n(' ', room.unwrap_or(1).max(apart)));
    }
}

fn start(span: Option<Span>) -> Option<BytePos> {
    span.map(|span| span.lo)
}

impl WriteJs for &mut Lines {
    fn write_line(&mut self) -> Result {
        self.may_break = true;
        Ok(())
    }

    fn add_srcmap(&mut self, pos: BytePos) -> Result {
        if self.may_break && self.next.is_none() {
            self.next = Some(pos);
        }
        Ok(())
    }

    fn care_about_srcmap(&self) -> bool {
        true
    }

    fn write_semi(&mut self, span: Option<Span>) -> Result {
        self.write(start(span), ";")
    }

    fn write_space(&mut self) -> Result {
        // A space before a pending line start would shift its column.
        if self.may_break { Ok(()) } else { self.write(None, " ") }
    }

    fn write_keyword(&mut self, span: Option<Span>, s: &'static str) -> Result {
        self.write(start(span), s)
    }

    fn write_operator(&mut self, span: Option<Span>, s: &str) -> Result {
        self.write(start(span), s)
    }

    fn write_param(&mut self, s: &str) -> Result {
        self.write(None, s)
    }

    fn write_property(&mut self, s: &str) -> Result {
        self.write(None, s)
    }

    fn write_lit(&mut self, span: Span, s: &str) -> Result {
        self.write(Some(span.lo), s)
    }

    fn write_str_lit(&mut self, span: Span, s: &str) -> Result {
        self.write(Some(span.lo), s)
    }

    fn write_symbol(&mut self, span: Span, s: &str) -> Result {
        self.write(Some(span.lo), s)
    }

    fn write_str(&mut self, s: &str) -> Result {
        self.write(None, s)
    }

    fn write_punct(&mut self, span: Option<Span>, s: &'static str, _: bool) -> Result {
        self.write(start(span), s)
    }

    fn write_comment(&mut self, _: &str) -> Result {
        Ok(())
    }

    fn increase_indent(&mut self) -> Result {
        Ok(())
    }

    fn decrease_indent(&mut self) -> Result {
        Ok(())
    }

    fn commit_pending_semi(&mut self) -> Result {
        Ok(())
    }
}
