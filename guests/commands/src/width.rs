//! How wide text is on a terminal.

use unicode_width::UnicodeWidthStr as _;

/// Columns that a text takes; bytes that are not UTF-8 take one each.
pub(crate) fn of(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.utf8_chunks().map(|chunk| chunk.valid().width() + chunk.invalid().len()).sum()
}
