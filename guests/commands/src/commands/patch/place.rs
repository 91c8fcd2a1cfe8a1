//! Places of hunks in a file, with offset and fuzz.

use super::text::Hunk;

/// Returns the growth of the file by the hunks before this one.
pub(super) fn offset_before(hunks: &[Hunk], number: usize) -> isize {
    let growth = |hunk: &Hunk| {
        let count = |sign: u8| hunk.lines.iter().filter(|(own, _)| *own == sign).count() as isize;
        count(b'+') - count(b'-')
    };
    hunks[..number].iter().map(growth).sum()
}

/// Returns the index at which a hunk should apply.
pub(super) fn expected(hunk: &Hunk, offset: isize) -> isize {
    let first = if hunk.side(b'+').is_empty() { hunk.start } else { hunk.start.saturating_sub(1) };
    first as isize + offset
}

/// Finds the place of a hunk: the nearest match with the least fuzz. Returns the index of the
/// hunk's first line and the fuzz that was needed.
pub(super) fn place(
    current: &[Vec<u8>],
    hunk: &Hunk,
    offset: isize,
    most_fuzz: usize,
) -> Option<(usize, usize)> {
    let old = hunk.side(b'+');
    if old.is_empty() {
        let at = expected(hunk, offset).clamp(0, current.len() as isize) as usize;
        return Some((at, 0));
    }
    let leading = hunk.lines.iter().take_while(|(sign, _)| *sign == b' ').count();
    let trailing = hunk.lines.iter().rev().take_while(|(sign, _)| *sign == b' ').count();
    let context = leading.max(trailing);
    let want = expected(hunk, offset);
    let matches = |at: isize, front: usize, back: usize| {
        let from = at + front as isize;
        let pattern = old.get(front..old.len() - back).unwrap_or_default();
        at >= 0
            && current.get(from as usize..from as usize + pattern.len()).is_some_and(|lines| {
                lines.iter().zip(pattern).all(|(have, want)| have.as_slice() == *want)
            })
    };
    for fuzz in 0..=most_fuzz.min(context) {
        // Less context on one side than on the other means the start or the end of the file, until
        // the fuzz is as large as the difference.
        let spare = |lines: usize| (fuzz + lines).checked_sub(context);
        let (front, back) = (spare(leading), spare(trailing));
        if front.unwrap_or(0) + back.unwrap_or(0) > old.len() {
            break;
        }
        let is_at_start = front.is_none() && hunk.start <= 1;
        let found = match (is_at_start, front.unwrap_or(0), back) {
            (true, _, None) if old.len() != current.len() => None,
            (true, _, back) => Some(0).filter(|at| matches(*at, 0, back.unwrap_or(0))),
            (false, front, None) => Some(current.len() as isize - old.len() as isize)
                .filter(|at| matches(*at, front, 0)),
            (false, front, Some(back)) => {
                let reach = current.len() as isize + old.len() as isize;
                let places = (0..=reach).flat_map(|far| [want + far, want - far]);
                places.into_iter().find(|at| matches(*at, front, back))
            }
        };
        if let Some(at) = found {
            return Some((at as usize, fuzz));
        }
    }
    None
}

/// Applies a hunk and returns the number of lines by which the file grew. Context lines keep the
/// file's text, which differs from the hunk's if fuzz was needed.
pub(super) fn splice(current: &mut Vec<Vec<u8>>, hunk: &Hunk, at: usize, fuzz: usize) -> isize {
    let old = hunk.side(b'+').len().min(current.len().saturating_sub(at));
    let mut have = current[at..at + old].iter().cloned();
    let mut fresh = Vec::new();
    for (sign, line) in &hunk.lines {
        match sign {
            b'+' => fresh.push(line.clone()),
            b'-' => drop(have.next()),
            _ => {
                let kept = have.next();
                fresh.push(if fuzz > 0 {
                    kept.unwrap_or_else(|| line.clone())
                } else {
                    line.clone()
                });
            }
        }
    }
    let growth = fresh.len() as isize - old as isize;
    current.splice(at..at + old, fresh);
    growth
}
