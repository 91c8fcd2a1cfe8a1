//! The parser and the syntax tree.
//!
//! Scripts are parsed one complete command at a time, as in bash: commands before a syntax error
//! have already run, and an alias takes effect from the next line on. Words and arithmetic are
//! parsed once, together with their commands.

pub mod arith;
pub mod ast;
mod brace;
mod command;
mod compound;
mod facts;
mod here;
mod param;
mod parser;
mod print;
pub mod quote;
mod test;
mod word;

pub use parser::{Aliases, MAX_DEPTH, Parser, SyntaxError};
pub use print::{command_text, function_text, list_text, word_text};

/// Returns true if the bytes are a valid variable name.
pub fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && is_name_start(text[0]) && text.iter().all(|c| is_name_char(*c))
}

/// Returns true if a name can begin with this character.
pub fn is_name_start(c: u8) -> bool {
    c.is_ascii_alphabetic() || c == b'_'
}

/// Returns true if a name can contain this character.
pub fn is_name_char(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

/// Parses a subscript, or any other text that is one word including its blanks.
pub fn parse_index(text: &[u8]) -> Result<ast::Word, SyntaxError> {
    Parser::new(text, 1).word_to_end(word::Context::Index)
}

/// Parses text as if it were inside double quotes.
pub fn parse_quoted(text: &[u8]) -> Result<ast::Word, SyntaxError> {
    Parser::new(text, 1).word_to_end(word::Context::Here)
}

/// Returns a command line that calls a command with one argument.
fn quoted_command(name: &[u8], argument: &[u8]) -> ast::Text {
    let mut text = [name, b" -- '"].concat();
    for c in argument {
        match c {
            b'\'' => text.extend_from_slice(b"'\\''"),
            c => text.push(*c),
        }
    }
    text.push(b'\'');
    text
}
