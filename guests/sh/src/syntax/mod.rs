//! From text to tree.
//!
//! Scripts are read one complete command at a time, as bash does: what comes before a syntax
//! error has run, and an alias holds from the next line on. Words and arithmetic are parsed with
//! the commands around them, once.

pub mod arith;
pub mod ast;
mod brace;
mod command;
mod compound;
mod here;
mod param;
mod parser;
mod print;
pub mod quote;
mod test;
mod word;

pub use parser::{Aliases, MAX_DEPTH, Parser, SyntaxError};
pub use print::{command_text, function_text, list_text, word_text};

/// Whether the bytes are a variable's name.
pub fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && is_name_start(text[0]) && text.iter().all(|c| is_name_char(*c))
}

/// Whether a name can begin so.
pub fn is_name_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_'
}

/// Whether a name can go on so.
pub fn is_name_char(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// Parses text that stands between brackets, or any other that is one word with its blanks.
pub fn parse_index(text: &[u8]) -> Result<ast::Word, SyntaxError> {
    Parser::new(text, 1).word_to_end(word::Context::Index)
}

/// Parses text as it would stand in double quotes.
pub fn parse_quoted(text: &[u8]) -> Result<ast::Word, SyntaxError> {
    Parser::new(text, 1).word_to_end(word::Context::Here)
}
