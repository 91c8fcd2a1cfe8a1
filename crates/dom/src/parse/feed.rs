//! Feeding source to a tokenizer in pieces, so that a parse can stop when a budget is exhausted.

use crate::error::{Error, ErrorKind};
use html5ever::tendril::StrTendril;

/// Bytes passed to a tokenizer at once.
const PIECE: usize = 16 * 1024;

/// Most consecutive pieces that end at a `>` which closes nothing. After that a whole piece is
/// passed on, because in a comment or a script every `>` can be like that.
const MAX_MISSES: u32 = 8;

/// Most white space and slashes in a single tag or comment.
///
/// Tokenizers compare each attribute name of a tag with all names before it; without a limit, one
/// tag of a megabyte takes minutes. Tags and comments cannot be told apart here, so the limit
/// applies to comments as well.
const MAX_PARTS: usize = 16 * 1024;

/// A parser that receives the pieces.
pub(super) trait Parse {
    /// Parses a piece.
    fn piece(&mut self, piece: StrTendril);
    /// Parses the construct at `at` without the tokenizer, if possible, and returns its length.
    /// Called only at the start, or directly after a tag, a comment or a document type.
    fn plain(&mut self, _whole: &StrTendril, _at: usize) -> Option<usize> {
        None
    }
    /// Returns the number of tokens so far, without errors.
    fn tokens(&self) -> u64;
    /// Returns the number of tokens that end with `>`, or `None` if the parser does not count them.
    fn ends(&self) -> Option<u64> {
        None
    }
    /// Returns the error that stops the parse, if any.
    fn failure(&self) -> Option<Error>;
}

/// Passes `source` to the parser piece by piece.
pub(super) fn feed(parse: &mut impl Parse, source: &str) -> Result<(), Error> {
    if u32::try_from(source.len()).is_err() {
        return Err(Error::new(ErrorKind::QuotaExceeded, "markup: more than 4 GiB"));
    }
    let whole = StrTendril::from_slice(source);
    let (mut at, mut parts, mut tokens) = (0, 0, 0);
    let (mut is_between, mut looked_at, mut misses) = (true, 0, 0);
    while at < source.len() {
        if is_between && let Some(len) = parse.plain(&whole, at) {
            at += len;
            if at - looked_at > PIECE {
                parse.failure().map_or(Ok(()), Err)?;
                looked_at = at;
            }
            continue;
        }
        let (ends, mut end) =
            (parse.ends(), source.floor_char_boundary((at + PIECE).min(source.len())));
        // The piece has at most one `>`, at its end. If that closed a token, nothing is open now.
        let is_short = ends.is_some() && misses < MAX_MISSES;
        if is_short
            && let Some(close) = source.as_bytes()[at..end].iter().position(|byte| *byte == b'>')
        {
            end = at + close + 1;
        }
        parse.piece(whole.subtendril(at as u32, (end - at) as u32));
        if let Some(error) = parse.failure() {
            return Err(error);
        }
        is_between = is_short && parse.ends() != ends;
        misses = if is_between || !is_short { 0 } else { misses + 1 };
        if std::mem::replace(&mut tokens, parse.tokens()) != parse.tokens() {
            parts = 0;
        } else {
            let bytes = &source.as_bytes()[at..end];
            parts += bytes.iter().filter(|b| b.is_ascii_whitespace() || **b == b'/').count();
            if parts > MAX_PARTS {
                let text = format!("markup: one tag or comment of more than {MAX_PARTS} parts");
                return Err(Error::new(ErrorKind::QuotaExceeded, text));
            }
        }
        at = end;
    }
    Ok(())
}
