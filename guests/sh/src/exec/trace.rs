//! Trace output of `set -x`.

use super::assign::{Assigned, Decl, NewValue};
use crate::expand::quote;
use crate::shell::Shell;
use crate::syntax::ast::Text;

impl Shell {
    pub(super) fn trace_command(&mut self, assigns: &[Assigned], args: &[Decl]) {
        for assign in assigns {
            self.trace_assign(assign);
        }
        let mut words = Vec::with_capacity(args.len());
        for arg in args {
            words.push(match arg {
                // Lists of builtins such as `declare` have lines of their own, as assignments.
                Decl::Assign(Assigned { name, value: NewValue::Array(_), .. }) => {
                    self.trace(&arg.text_with(quote::plain_single));
                    name.clone()
                }
                arg => traced(&arg.text()),
            });
        }
        self.trace(&words.join(&b' '));
    }

    pub(crate) fn trace_assign(&mut self, assign: &Assigned) {
        let text = Decl::Assign(assign.clone()).text_with(traced);
        let at = text.iter().position(|c| *c == b'=').map_or(text.len(), |at| at + 1);
        let array = text[at..].first() == Some(&b'(');
        let value = if array { text[at..].to_vec() } else { quote::minimal(&text[at..]) };
        self.trace(&[&text[..at], &value].concat());
    }

    /// Prints one trace line.
    pub(super) fn trace(&mut self, text: &[u8]) {
        let status = self.status;
        let prompt = self.get(b"PS4").unwrap_or_default();
        let xtrace = self.options.xtrace();
        self.options.set_named("xtrace", false);
        let prompt = self.prompt(&prompt).unwrap_or_default();
        self.options.set_named("xtrace", xtrace);
        self.status = status;
        // The first character shows how deep evaluations are nested.
        let first = prompt.first().map_or(0, |_| crate::pattern::decode(&prompt).1);
        let mut line = prompt[..first].repeat(self.trace_level.min(MAX_LEVEL));
        line.extend_from_slice(&prompt);
        line.extend_from_slice(text);
        line.push(b'\n');
        let number =
            self.get(b"BASH_XTRACEFD").and_then(|n| std::str::from_utf8(&n).ok()?.parse().ok());
        match number.and_then(|number: u32| self.fds.fd(number).ok()) {
            Some(fd) => {
                let _ = cofferdam_guest_sys::write_all(fd, &line);
            }
            None => self.print_error(&line),
        }
    }
}

/// Most times that the first character of `PS4` is repeated.
const MAX_LEVEL: usize = 100;

/// Quotes a word of a trace line.
pub(super) fn traced(text: &[u8]) -> Text {
    let is_meta = |c: &u8| b" \t\n'\"\\|&;()<>!{}*[]?^$`".contains(c);
    if text.is_empty() {
        b"''".to_vec()
    } else if text.iter().any(is_meta) {
        quote::plain_single(text)
    } else {
        quote::minimal(text)
    }
}
