//! The menu of `select`, in columns as bash lays them out.

use crate::shell::Shell;
use crate::syntax::ast::Text;

/// Width of a screen that `COLUMNS` does not tell.
const SCREEN: usize = 80;

/// Blanks and parenthesis between a number and its item.
const GAP: usize = 2;

impl Shell {
    /// Formats the items with their numbers.
    pub(super) fn menu(&mut self, items: &[Text]) -> Text {
        let screen = self.get(b"COLUMNS").and_then(|n| std::str::from_utf8(&n).ok()?.parse().ok());
        let screen = screen.filter(|n| *n > 0).unwrap_or(SCREEN);
        let digits = items.len().to_string().len();
        let widest = items.iter().map(|item| width(item)).max().unwrap_or(0);
        let column = widest + digits + GAP + 2;
        let columns = (screen / column).max(1);
        let mut rows = items.len().div_ceil(columns).max(1);
        if rows == 1 {
            rows = items.len();
        }
        let mut out = Vec::new();
        for row in 0..rows {
            let mut start = 0;
            let mut at = row;
            loop {
                let digits = if start == 0 { rows.to_string().len() } else { digits };
                let number = format!("{:>digits$}) ", at + 1);
                out.extend_from_slice(number.as_bytes());
                out.extend_from_slice(&items[at]);
                let end = start + number.len() + width(&items[at]);
                at += rows;
                if at >= items.len() {
                    break;
                }
                indent(&mut out, end, start + column);
                start += column;
            }
            out.push(b'\n');
        }
        out
    }
}

fn width(text: &[u8]) -> usize {
    String::from_utf8_lossy(text).chars().count()
}

/// Moves from one column to another, with tabs where they reach.
fn indent(out: &mut Text, mut from: usize, to: usize) {
    const TAB: usize = 8;
    while from < to {
        if to / TAB > from / TAB {
            out.push(b'\t');
            from += TAB - from % TAB;
        } else {
            out.push(b' ');
            from += 1;
        }
    }
}
