//! Source goes to a tokenizer in pieces, so that a parse can end where a budget does.

use crate::error::{Error, ErrorKind};
use html5ever::tendril::StrTendril;

/// Bytes handed to a tokenizer at once.
const PIECE: usize = 16 * 1024;

/// Pieces in a row that may end at a `>` which ends nothing. After so many a whole piece is handed
/// over: in a comment or a script every sign can be one.
const MAX_MISSES: u32 = 8;

/// Most white space and slashes in a single tag or comment.
///
/// Tokenizers compare every attribute name of a tag with all names before it; without a cap one
/// tag of a megabyte takes minutes. A comment cannot be told from a tag here, and a comment of so
/// many words is refused with it.
const MAX_PARTS: usize = 16 * 1024;

/// One side of a parse: what takes the pieces.
pub(super) trait Parse {
    /// Takes a piece.
    fn piece(&mut self, piece: StrTendril);
    /// Takes what is at one place by itself, if it can, and answers how long that was. Asked only
    /// where a tag, a comment or a document type has just ended, or nothing has begun.
    fn plain(&mut self, _whole: &StrTendril, _at: usize) -> Option<usize> {
        None
    }
    /// Tokens that came out so far, errors not counted.
    fn tokens(&self) -> u64;
    /// How many of them end with a `>`; none where that is nothing to know.
    fn ends(&self) -> Option<u64> {
        None
    }
    /// Why the parse cannot go on.
    fn failure(&self) -> Option<Error>;
}

/// Hands `source` over piece by piece.
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
        // One `>` at most, and it is the last: if it ended something, nothing is open now.
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
