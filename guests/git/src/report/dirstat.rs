//! `--dirstat`: the share of each directory in the changes.

use std::collections::BTreeMap;

use crate::bytes::quoted;
use crate::fault::Result;
use crate::repo::Repo;
use crate::report::content;
use crate::text::compare;
use crate::tree::changes::{Change, Status};

/// Least share that is printed, in thousandths.
const LEAST: usize = 30;

/// Writes the directories with at least 3 % of the changed bytes.
pub(crate) fn write(repo: &Repo, changes: &[Change], out: &mut Vec<u8>) -> Result<()> {
    let mut files: Vec<(Vec<u8>, usize)> = Vec::new();
    for change in changes.iter().filter(|change| change.status != Status::Unmerged) {
        let old = content::read(repo, &change.old, &change.old_path)?;
        let new = content::read(repo, &change.new, &change.path)?;
        let (old, new) = (compare::split(&old), compare::split(&new));
        let size = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
        // Lines are counted wherever they are: a moved line is no change.
        let mut counts: BTreeMap<&[u8], isize> = BTreeMap::new();
        old.iter().for_each(|line| *counts.entry(line).or_default() -= 1);
        new.iter().for_each(|line| *counts.entry(line).or_default() += 1);
        let changed: usize =
            counts.iter().map(|(line, count)| line.len() * count.unsigned_abs()).sum();
        let is_same = changed == 0 && size(&old) == size(&new);
        files.push((change.path.clone(), if is_same { 0 } else { changed.max(1) }));
    }
    let total: usize = files.iter().map(|(_, changed)| changed).sum();
    if total > 0 {
        files.sort();
        gather(&files, b"", total, out);
    }
    Ok(())
}

/// Writes the directories below `base`, and `base` itself without what was written.
fn gather(files: &[(Vec<u8>, usize)], base: &[u8], total: usize, out: &mut Vec<u8>) -> usize {
    let (mut sum, mut sources, mut at) = (0, 0, 0);
    while at < files.len() {
        let rest = &files[at].0[base.len()..];
        match rest.iter().position(|b| *b == b'/') {
            Some(slash) => {
                let dir = files[at].0[..base.len() + slash + 1].to_vec();
                let length = files[at..].iter().take_while(|file| file.0.starts_with(&dir)).count();
                sum += gather(&files[at..at + length], &dir, total, out);
                at += length;
                sources += 1;
            }
            None => {
                sum += files[at].1;
                at += 1;
                sources += 2;
            }
        }
    }
    // A directory whose changes are all in one directory below it is not written.
    if !base.is_empty() && sources != 1 && sum > 0 {
        let share = sum * 1000 / total;
        if share >= LEAST {
            out.extend(format!("{:4}.{}% ", share / 10, share % 10).bytes());
            out.extend(quoted(base));
            out.extend(b"\n");
            return 0;
        }
    }
    sum
}
