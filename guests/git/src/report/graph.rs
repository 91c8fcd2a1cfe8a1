//! The lines that `git log --graph` draws beside commits.
//!
//! Every branch that is open has a column of two characters. A commit is drawn in up to four
//! kinds of lines: room for a merge of many, the commit, the edges of a merge, and edges that move
//! to the left until each is in the column of the commit that it leads to.

use crate::bytes;
use crate::store::oid::Oid;

/// Kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    /// Nothing moves.
    Padding,
    /// Makes room for a merge of more than two parents.
    Room,
    Commit,
    /// Edges from a merge to its parents.
    Merge,
    /// Edges move to the left.
    Moving,
}

/// Columns of the drawing; each leads to the commit that it waits for.
pub(crate) struct Graph {
    /// Columns above the commit, and below it.
    columns: Vec<Oid>,
    next: Vec<Oid>,
    /// The column below that each character leads to, now and in the line before.
    edges: Vec<Option<usize>>,
    edges_before: Vec<Option<usize>>,
    /// Characters of the widest line of this commit.
    width: usize,
    oid: Oid,
    parents: Vec<Oid>,
    at: usize,
    at_before: usize,
    row: Row,
    row_before: Row,
    /// The first parent of a merge is in a column to the left.
    is_left: bool,
    /// Columns that a merge adds; less than 0 if it joins the next one.
    added: isize,
    added_before: isize,
    room: usize,
    /// A blank line comes before the next commit.
    is_apart: bool,
}

impl Default for Graph {
    fn default() -> Self {
        Graph {
            columns: Vec::new(),
            next: Vec::new(),
            edges: Vec::new(),
            edges_before: Vec::new(),
            width: 0,
            oid: Oid::ZERO,
            parents: Vec::new(),
            at: 0,
            at_before: 0,
            row: Row::Padding,
            row_before: Row::Padding,
            is_left: false,
            added: 0,
            added_before: 0,
            room: 0,
            is_apart: false,
        }
    }
}

/// A commit with the text beside it.
pub(crate) struct Drawn<'a> {
    pub(crate) oid: Oid,
    /// Parents that are shown.
    pub(crate) parents: Vec<Oid>,
    pub(crate) mark: char,
    /// Lines of the commit itself.
    pub(crate) message: &'a [u8],
    /// Lines of its difference, and the blank line before the next commit.
    pub(crate) rest: &'a [u8],
    pub(crate) is_separated: bool,
}

impl Graph {
    /// Returns the text of a commit with the graph before each line.
    pub(crate) fn draw(&mut self, drawn: &Drawn<'_>) -> Vec<u8> {
        self.begin(drawn.oid, drawn.parents.clone());
        let mut out = Vec::new();
        if self.is_apart {
            let mut line = match self.row {
                Row::Commit => "| ".repeat(self.columns.len()),
                _ => self.line(drawn.mark),
            };
            while line.len() < self.width {
                line.push(' ');
            }
            out.extend(line.bytes());
            out.push(b'\n');
            self.row_before = Row::Padding;
        }
        self.is_apart = drawn.is_separated;
        let (mut message, mut rest) = (drawn.message, drawn.rest);
        // The blank line before the next commit is as wide as that commit.
        if drawn.is_separated {
            match rest.strip_suffix(b"\n") {
                Some(shorter) => rest = shorter,
                None => message = message.strip_suffix(b"\n").unwrap_or(message),
            }
        }
        loop {
            let is_commit = self.row == Row::Commit;
            out.extend(self.line(drawn.mark).bytes());
            if is_commit {
                break;
            }
            out.push(b'\n');
        }
        // A blank line at the end comes after the edges.
        let has_blank = message.ends_with(b"\n\n");
        if has_blank {
            message = &message[..message.len() - 1];
        }
        let rest = [if has_blank { b"\n" } else { &b""[..] }, rest].concat();
        let mut lines = bytes::lines(message);
        match lines.next() {
            Some(first) => out.extend(first),
            None => out.push(b'\n'),
        }
        for line in lines {
            out.extend(self.line(drawn.mark).bytes());
            out.extend(line);
        }
        while self.row != Row::Padding {
            out.extend(self.line(drawn.mark).bytes());
            out.push(b'\n');
        }
        for line in bytes::lines(&rest) {
            out.extend(self.line(drawn.mark).bytes());
            out.extend(line);
        }
        out
    }

    /// Computes the columns below a commit.
    fn begin(&mut self, oid: Oid, parents: Vec<Oid>) {
        (self.oid, self.parents) = (oid, parents);
        self.at_before = self.at;
        self.columns = std::mem::take(&mut self.next);
        self.edges = vec![None; 2 * (self.columns.len() + self.parents.len() + 1)];
        self.width = 0;
        self.added_before = std::mem::take(&mut self.added);
        self.is_left = false;
        let mut is_found = false;
        for n in 0..=self.columns.len() {
            let column = match self.columns.get(n) {
                Some(column) => *column,
                None if is_found => break,
                None => oid,
            };
            if column != oid {
                self.lead(column, None, &mut false);
                continue;
            }
            is_found = true;
            self.at = n;
            let mut is_first = true;
            for parent in self.parents.clone() {
                self.lead(parent, Some(n), &mut is_first);
            }
            if self.parents.is_empty() {
                self.width += 2;
            }
        }
        let used = self.edges.iter().rposition(Option::is_some).map_or(1, |at| at + 1);
        self.edges.truncate(used);
        self.room = 0;
        self.row = if self.needs_room() { Row::Room } else { Row::Commit };
    }

    /// Adds an edge to the column of a commit below, which is made if there is none.
    fn lead(&mut self, to: Oid, from: Option<usize>, is_first: &mut bool) {
        let target = match self.next.iter().position(|column| *column == to) {
            Some(target) => target,
            None => {
                self.next.push(to);
                self.next.len() - 1
            }
        };
        let joins = self.added > 0
            && self.width >= 2
            && self.edges.get(self.width - 2).copied().flatten() == Some(target);
        let place = match from.filter(|_| self.parents.len() > 1 && std::mem::take(is_first)) {
            Some(from) => {
                let distance = from as isize - target as isize;
                let shift = if distance > 1 { 2 * distance - 3 } else { 1 };
                self.is_left = distance > 0;
                self.added = self.parents.len() as isize - if self.is_left { 2 } else { 1 };
                let start = self.width;
                if self.is_left {
                    start.saturating_sub(shift as usize)
                } else {
                    self.width += 2;
                    start
                }
            }
            None if joins => {
                self.added = -1;
                self.width - 2
            }
            None => {
                self.width += 2;
                self.width - 2
            }
        };
        if place >= self.edges.len() {
            self.edges.resize(place + 1, None);
        }
        self.edges[place] = Some(target);
    }

    /// Returns the number of parents that are drawn with a dash beside the commit.
    fn dashes(&self) -> usize {
        (self.parents.len() + usize::from(!self.is_left)).saturating_sub(3)
    }

    fn needs_room(&self) -> bool {
        self.parents.len() > 2 && self.at + 1 < self.columns.len() && self.room < self.dashes() * 2
    }

    fn set(&mut self, row: Row) {
        self.row_before = std::mem::replace(&mut self.row, row);
    }

    fn is_settled(&self) -> bool {
        self.edges.iter().enumerate().all(|(at, to)| to.is_none_or(|to| to == at / 2))
    }

    fn settle(&mut self) {
        self.set(if self.is_settled() { Row::Padding } else { Row::Moving });
    }

    /// Returns the next line, as wide as the widest one of the commit.
    fn line(&mut self, mark: char) -> String {
        let mut line = match self.row {
            Row::Padding => "| ".repeat(self.next.len()),
            Row::Room => self.room_line(),
            Row::Commit => self.commit_line(mark),
            Row::Merge => self.merge_line(),
            Row::Moving => self.moving_line(),
        };
        while line.len() < self.width {
            line.push(' ');
        }
        line
    }

    fn room_line(&mut self) -> String {
        let mut line = String::new();
        for n in 0..self.columns.len() {
            if self.columns[n] == self.oid {
                line.push('|');
                line.push_str(&" ".repeat(self.room));
            } else if n > self.at {
                let is_slanted = match self.room {
                    0 => self.row_before == Row::Merge && self.at_before < n,
                    _ => true,
                };
                line.push(if is_slanted { '\\' } else { '|' });
            } else {
                line.push('|');
            }
            line.push(' ');
        }
        self.room += 1;
        if !self.needs_room() {
            self.set(Row::Commit);
        }
        line
    }

    fn commit_line(&mut self, mark: char) -> String {
        let mut line = String::new();
        let count = self.columns.len().max(self.at + 1);
        for n in 0..count {
            if n == self.at {
                line.push(mark);
                for dash in 0..self.dashes() {
                    line.push('-');
                    line.push(if dash + 1 == self.dashes() { '.' } else { '-' });
                }
            } else if n > self.at && self.added > 1 {
                line.push('\\');
            } else if n > self.at && self.added == 1 {
                let is_slanted =
                    self.row_before == Row::Merge && self.added_before > 0 && self.at_before < n;
                line.push(if is_slanted { '\\' } else { '|' });
            } else {
                let came = self.edges_before.get(2 * n + 1).copied().flatten() == Some(n);
                let goes = match self.edges.get(2 * n).copied().flatten() {
                    Some(to) => to < n,
                    None => true,
                };
                let is_moving = self.row_before == Row::Moving && came && goes;
                line.push(if is_moving { '/' } else { '|' });
            }
            line.push(' ');
        }
        if self.parents.len() > 1 {
            self.set(Row::Merge);
        } else {
            self.settle();
        }
        line
    }

    fn merge_line(&mut self) -> String {
        let mut line = String::new();
        let mut is_below_parent = false;
        let count = self.columns.len().max(self.at + 1);
        for n in 0..count {
            if n == self.at {
                let mut slant = usize::from(!self.is_left);
                for parent in 0..self.parents.len() {
                    line.push(['/', '|', '\\'][slant]);
                    if slant < 2 {
                        slant += 1;
                    } else if self.added > 0 || parent + 1 < self.parents.len() {
                        line.push(' ');
                    }
                }
                if self.added == 0 {
                    line.push(' ');
                }
            } else if n > self.at {
                line.push(if self.added > 0 { '\\' } else { '|' });
                line.push(' ');
            } else {
                line.push('|');
                if !self.is_left || n + 1 != self.at {
                    line.push(if is_below_parent { '_' } else { ' ' });
                }
            }
            is_below_parent |= self.columns.get(n) == self.parents.first();
        }
        self.settle();
        line
    }

    fn moving_line(&mut self) -> String {
        let old = std::mem::take(&mut self.edges);
        let mut new: Vec<Option<usize>> = vec![None; old.len()];
        // One edge may cross several columns in a line.
        let mut across: Option<(usize, usize)> = None;
        for (at, to) in old.iter().enumerate() {
            let Some(to) = *to else { continue };
            if to * 2 == at || at == 0 {
                new[at] = Some(to);
                continue;
            }
            let (place, edge) = match new[at - 1] {
                None => (at - 1, at),
                Some(other) if other == to => continue,
                Some(_) => (at.saturating_sub(2), at - 1),
            };
            new[place] = Some(to);
            if across.is_none() {
                across = Some((edge, to));
                let mut column = to * 2 + 3;
                while column + 2 < at {
                    new[column] = Some(to);
                    column += 2;
                }
            }
        }
        self.edges_before = new.clone();
        if new.last() == Some(&None) {
            new.pop();
        }
        let mut line = String::new();
        let mut is_used = false;
        for (at, edge_here) in new.iter_mut().enumerate() {
            let Some(to) = *edge_here else {
                line.push(' ');
                continue;
            };
            if to * 2 == at {
                line.push('|');
                continue;
            }
            match across {
                Some((edge, target)) if to == target && at + 1 != edge => {
                    if at != to * 2 + 3 {
                        *edge_here = None;
                    }
                    is_used = true;
                    line.push('_');
                }
                across => {
                    if is_used && across.is_some_and(|(edge, _)| at < edge) {
                        *edge_here = None;
                    }
                    line.push('/');
                }
            }
        }
        self.edges = new;
        if self.is_settled() {
            self.set(Row::Padding);
        } else {
            self.row_before = Row::Moving;
        }
        line
    }
}
