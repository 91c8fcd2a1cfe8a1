//! The width of text on a terminal.

use unicode_width::UnicodeWidthStr as _;

/// Returns the number of columns of a text; a byte that is not UTF-8 takes one column.
pub(crate) fn of(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.utf8_chunks().map(|chunk| chunk.valid().width() + chunk.invalid().len()).sum()
}
