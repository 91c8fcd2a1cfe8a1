//! The difference between two versions of a source, line by line.

/// Most comparisons of lines; sources that would need more are shown as one whole change.
const MAX_COMPARED: usize = 4_000_000;

/// Unchanged lines that are shown before and after a change.
const AROUND: usize = 3;

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// Kind of line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Same,
    Added,
    Removed,
    /// Stands for unchanged lines that are left out.
    LeftOut,
}

impl Kind {
    /// Returns the class of the line in a page.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Same => "same",
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::LeftOut => "left-out",
        }
    }

    /// Returns the sign before the line.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Kind::Same | Kind::LeftOut => " ",
            Kind::Added => "+",
            Kind::Removed => "-",
        }
    }

    /// Returns the word that a screen reader says before the line.
    pub(super) fn spoken(self) -> &'static str {
        match self {
            Kind::Same | Kind::LeftOut => "",
            Kind::Added => "added:",
            Kind::Removed => "removed:",
        }
    }
}

/// Returns the lines that turn `old` into `new`, with unchanged lines around them.
pub(super) fn between(old: &str, new: &str) -> Vec<Changed> {
    let (old, new): (Vec<_>, Vec<_>) = (old.split('\n').collect(), new.split('\n').collect());
    let before = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_middle, new_middle) =
        (&old_rest[..old_rest.len() - after], &new_rest[..new_rest.len() - after]);
    let mut all: Vec<(Kind, &str)> = old[..before].iter().map(|line| (Kind::Same, *line)).collect();
    middle(old_middle, new_middle, &mut all);
    all.extend(old[old.len() - after..].iter().map(|line| (Kind::Same, *line)));
    shortened(&all)
}

/// Adds the lines of two texts without a common beginning or end, by their longest common
/// subsequence.
fn middle<'a>(old: &[&'a str], new: &[&'a str], all: &mut Vec<(Kind, &'a str)>) {
    if old.len().saturating_mul(new.len()) > MAX_COMPARED {
        all.extend(old.iter().map(|line| (Kind::Removed, *line)));
        all.extend(new.iter().map(|line| (Kind::Added, *line)));
        return;
    }
    let width = new.len() + 1;
    // The length of the longest common subsequence of the rests from each pair of lines.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = match old[i] == new[j] {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        let is_same = i < old.len() && j < new.len() && old[i] == new[j];
        let is_removed = j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]);
        if is_same {
            all.push((Kind::Same, old[i]));
            (i, j) = (i + 1, j + 1);
        } else if is_removed {
            all.push((Kind::Removed, old[i]));
            i += 1;
        } else {
            all.push((Kind::Added, new[j]));
            j += 1;
        }
    }
}

/// Leaves out unchanged lines that are far from a change.
fn shortened(all: &[(Kind, &str)]) -> Vec<Changed> {
    let changes: Vec<usize> = (0..all.len()).filter(|index| all[*index].0 != Kind::Same).collect();
    let is_near = |index: usize| {
        let next = changes.partition_point(|change| *change < index);
        let is_close =
            |change: Option<&usize>| change.is_some_and(|at| at.abs_diff(index) <= AROUND);
        is_close(changes.get(next))
            || next.checked_sub(1).is_some_and(|last| is_close(changes.get(last)))
    };
    let (mut lines, mut left_out) = (Vec::new(), 0_usize);
    let tell = |left_out: &mut usize, lines: &mut Vec<Changed>| {
        let text = match std::mem::take(left_out) {
            0 => return,
            1 => "1 unchanged line".to_owned(),
            count => format!("{count} unchanged lines"),
        };
        lines.push(Changed { kind: Kind::LeftOut, text });
    };
    for (index, (kind, text)) in all.iter().enumerate() {
        if *kind == Kind::Same && !is_near(index) {
            left_out += 1;
            continue;
        }
        tell(&mut left_out, &mut lines);
        lines.push(Changed { kind: *kind, text: super::words::lines(text) });
    }
    tell(&mut left_out, &mut lines);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expect: &[&str]) {
        let lines: Vec<_> = between(old, new)
            .iter()
            .map(|line| format!("{}{}", line.kind.sign(), line.text))
            .collect();
        assert_eq!(lines, expect);
    }

    #[test]
    fn changed_lines_are_shown_with_those_around_them() {
        check("a\nb\nc", "a\nB\nc", &[" a", "-b", "+B", " c"]);
        check("a\nb", "a\nx\nb", &[" a", "+x", " b"]);
        check("a\nx\nb\ny", "a\nb\nz", &[" a", "-x", " b", "-y", "+z"]);
        check(
            "1\n2\n3\n4\n5\n6",
            "1\n2\n3\n4\n5\nX",
            &[" 2 unchanged lines", " 3", " 4", " 5", "-6", "+X"],
        );
    }

    #[test]
    fn equal_texts_have_no_difference() {
        check("a\nb", "a\nb", &[" 2 unchanged lines"]);
    }

    #[test]
    fn long_texts_are_not_compared_line_by_line() {
        let text = |word: &str| (0..3_000).map(|n| format!("{word}{n}\n")).collect::<String>();
        let lines = between(&text("a"), &text("b"));
        assert_eq!(lines.iter().filter(|line| line.kind == Kind::Removed).count(), 3_000);
        assert_eq!(lines.iter().filter(|line| line.kind == Kind::Added).count(), 3_000);
    }

    #[test]
    fn hidden_characters_are_spelled_out() {
        check("a", "\u{202e}a", &["-a", "+\\u{202e}a"]);
    }
}
