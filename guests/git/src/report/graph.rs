//! The lines that `git log --graph` draws beside commits.

use crate::bytes;
use crate::store::oid::Oid;

/// Columns of the drawing; each leads to the commit that it waits for.
#[derive(Default)]
pub(crate) struct Graph {
    columns: Vec<Oid>,
}

impl Graph {
    /// Returns the text of a commit with the graph before each line. Parents that are not shown
    /// have no column.
    pub(crate) fn draw(
        &mut self,
        oid: Oid,
        parents: &[Oid],
        text: &[u8],
        is_shown: &dyn Fn(&Oid) -> bool,
    ) -> Vec<u8> {
        let at = match self.columns.iter().position(|column| *column == oid) {
            Some(at) => at,
            None => {
                self.columns.push(oid);
                self.columns.len() - 1
            }
        };
        let before = self.columns.len();
        let parents: Vec<Oid> = parents.iter().filter(|parent| is_shown(parent)).copied().collect();
        let marks = |mark: &str, count: usize| -> String {
            let cell = |n: usize| if n == at { mark } else { "|" };
            (0..count).map(|n| format!("{} ", cell(n))).collect()
        };
        let mut after = self.columns.clone();
        after.remove(at);
        let mut added = 0;
        for (n, parent) in parents.iter().enumerate() {
            if !after.contains(parent) {
                after.insert((at + n).min(after.len()), *parent);
                added += 1;
            }
        }
        let mut out = Vec::new();
        let mut lines = bytes::lines(text);
        if let Some(first) = lines.next() {
            out.extend(marks("*", before).bytes());
            out.extend("  ".repeat(parents.len().saturating_sub(1)).bytes());
            out.extend(first);
        }
        // The edges of a merge and of branches that meet are drawn below the commit.
        let mut edges: Vec<String> = Vec::new();
        if parents.len() > 1 && added > 0 {
            let tail: String = (at + 1..before).map(|_| " \\").collect();
            edges.push(format!("{}|\\{tail}  ", "| ".repeat(at)));
        }
        if added == 0 && before > 1 && !parents.is_empty() {
            let target = parents.first().and_then(|parent| after.iter().position(|c| c == parent));
            // The lower column of the two that meet ends at the left one.
            let lead = target.unwrap_or(at).min(at);
            let tail: String = (lead + 2..before).map(|_| " /").collect();
            edges.push(format!("{}|/{tail}  ", "| ".repeat(lead)));
        }
        let width = marks("|", after.len());
        for edge in edges {
            out.extend(edge.trim_end_matches(' ').bytes());
            match lines.next() {
                Some(line) => {
                    out.extend(b"  ");
                    out.extend(line);
                }
                None => out.extend(b"  \n"),
            }
        }
        for line in lines {
            let lead = if after.is_empty() { "  ".to_owned() } else { width.clone() };
            out.extend(lead.bytes());
            out.extend(line);
        }
        self.columns = after;
        out
    }
}
