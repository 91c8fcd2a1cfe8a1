//! `--stat`, `--numstat`, `--shortstat` and `--summary`.

use crate::bytes::quoted;
use crate::fault::Result;
use crate::repo::Repo;
use crate::report::options::DiffOptions;
use crate::report::{content, paint};
use crate::text::compare;
use crate::tree::changes::{Change, Status};

/// Width of the output unless `COLUMNS` says otherwise.
const WIDTH: usize = 80;

/// Counted lines of one file.
pub(crate) struct Count {
    name: Vec<u8>,
    /// Lines, or bytes of a binary file.
    pub(crate) added: usize,
    pub(crate) removed: usize,
    pub(crate) is_binary: bool,
    is_unmerged: bool,
}

/// Counts the lines of all changes.
pub(crate) fn count(repo: &Repo, changes: &[Change], options: &DiffOptions) -> Result<Vec<Count>> {
    let one = |change: &Change| -> Result<Count> {
        let name = match change.status {
            Status::Renamed(_) => renamed(&change.old_path, &change.path),
            Status::Added if options.is_outside => renamed(b"/dev/null", &change.path),
            Status::Deleted if options.is_outside => renamed(&change.path, b"/dev/null"),
            _ if change.old_path != change.path => renamed(&change.old_path, &change.path),
            _ => quoted(&change.path),
        };
        let name = match compact(change).filter(|_| options.is_compact) {
            Some(mark) => [&name, mark.as_bytes()].concat(),
            None => name,
        };
        let is_unmerged = change.status == Status::Unmerged;
        let mut count = Count { name, added: 0, removed: 0, is_binary: false, is_unmerged };
        if is_unmerged {
            return Ok(count);
        }
        let old = content::read(repo, &change.old, &change.old_path)?;
        let new = content::read(repo, &change.new, &change.path)?;
        count.is_binary = content::is_binary(repo, change, &old, &new);
        (count.added, count.removed) = match count.is_binary {
            true if old == new => (0, 0),
            true => (new.len(), old.len()),
            false => compare::count(&old, &new, &options.style),
        };
        Ok(count)
    };
    changes.iter().map(one).collect()
}

/// Returns the mark of `--compact-summary` behind a name.
fn compact(change: &Change) -> Option<&'static str> {
    let is_executable = |mode: u32| mode & 0o170000 == 0o100000 && mode & 0o111 != 0;
    let is_link = |mode: u32| mode & 0o170000 == 0o120000;
    let (old, new) = (change.old.mode, change.new.mode);
    match change.status {
        Status::Added if is_link(new) => Some(" (new +l)"),
        Status::Added if is_executable(new) => Some(" (new +x)"),
        Status::Added => Some(" (new)"),
        Status::Deleted => Some(" (gone)"),
        _ if is_link(old) && !is_link(new) => Some(" (mode -l)"),
        _ if !is_link(old) && is_link(new) => Some(" (mode +l)"),
        _ if !is_executable(old) && is_executable(new) => Some(" (mode +x)"),
        _ if is_executable(old) && !is_executable(new) => Some(" (mode -x)"),
        _ => None,
    }
}

/// Writes a rename with the common parts of both names once: `a/{b => c}/d`.
pub(crate) fn renamed(old: &[u8], new: &[u8]) -> Vec<u8> {
    if quoted(old) != old || quoted(new) != new {
        return [&quoted(old), b" => ".as_slice(), &quoted(new)].concat();
    }
    let mut start = 0;
    for (at, (a, b)) in old.iter().zip(new).enumerate() {
        if a != b {
            break;
        }
        if *a == b'/' {
            start = at + 1;
        }
    }
    let mut end = 0;
    // A common slash at the start may be used at the end as well.
    let most = (old.len().min(new.len()) + usize::from(start > 0)).saturating_sub(start);
    for n in 1..=most {
        let (a, b) = (old[old.len() - n], new[new.len() - n]);
        if a != b {
            break;
        }
        if a == b'/' {
            end = n;
        }
    }
    if start == 0 && end == 0 {
        return [old, b" => ", new].concat();
    }
    let middle = |name: &[u8]| name[start..(name.len() - end).max(start)].to_vec();
    let mut out = old[..start].to_vec();
    out.push(b'{');
    out.extend(middle(old));
    out.extend(b" => ");
    out.extend(middle(new));
    out.push(b'}');
    out.extend(&old[old.len() - end..]);
    out
}

fn digits(n: usize) -> usize {
    n.to_string().len()
}

fn scaled(n: usize, width: usize, most: usize) -> usize {
    if n == 0 { 0 } else { 1 + n * (width - 1) / most }
}

/// Writes `--stat`.
pub(crate) fn stat(counts: &[Count], options: &DiffOptions, out: &mut Vec<u8>) {
    if counts.is_empty() {
        return;
    }
    let columns = crate::bytes::variable("COLUMNS")
        .and_then(|text| String::from_utf8_lossy(&text).parse().ok());
    let mut width: usize = options.width.or(columns.filter(|n| *n > 0)).unwrap_or(WIDTH);
    let texts = counts.iter().filter(|count| !count.is_binary && !count.is_unmerged);
    let most = texts.map(|count| count.added + count.removed).max().unwrap_or(0);
    let longest = counts.iter().map(|count| count.name.len()).max().unwrap_or(0);
    let binary = counts.iter().filter(|count| count.is_binary);
    let binary = binary.map(|count| 14 + digits(count.added) + digits(count.removed)).max();
    let number = digits(most).max(if binary.is_some() { 3 } else { 0 });
    width = width.max(16 + 6 + number);
    let mut graph = if most + 4 > binary.unwrap_or(0) { most } else { binary.unwrap_or(4) - 4 };
    let mut name_width = longest;
    if name_width + number + 6 + graph > width {
        graph = graph.min((width * 3 / 8).saturating_sub(number + 6).max(6));
        if name_width > width - number - 6 - graph {
            name_width = width - number - 6 - graph;
        } else {
            graph = width - number - 6 - name_width;
        }
    }
    let painted = |colour: &[u8], text: &[u8], out: &mut Vec<u8>| match options.is_coloured {
        true => paint::put(colour, text, out),
        false => out.extend(text),
    };
    for count in counts {
        out.push(b' ');
        if count.name.len() > name_width {
            let tail = &count.name[count.name.len() - (name_width - 3)..];
            let slash = tail.iter().position(|b| *b == b'/').unwrap_or(0);
            let shown = [b"...", &tail[slash..]].concat();
            out.extend(&shown);
            out.extend(vec![b' '; name_width - shown.len()]);
        } else {
            out.extend(&count.name);
            out.extend(vec![b' '; name_width - count.name.len()]);
        }
        out.extend(b" | ");
        if count.is_unmerged {
            out.extend(b"Unmerged\n");
            continue;
        }
        if count.is_binary {
            out.extend(format!("{:>number$}", "Bin").bytes());
            if count.added + count.removed > 0 {
                out.push(b' ');
                painted(paint::RED, count.removed.to_string().as_bytes(), out);
                out.extend(b" -> ");
                painted(paint::GREEN, count.added.to_string().as_bytes(), out);
                out.extend(b" bytes");
            }
            out.push(b'\n');
            continue;
        }
        let (mut added, mut removed) = (count.added, count.removed);
        out.extend(format!("{:>number$}", added + removed).bytes());
        if added + removed > 0 {
            out.push(b' ');
        }
        if graph <= most {
            let mut total = scaled(added + removed, graph, most);
            if total < 2 && added > 0 && removed > 0 {
                total = 2;
            }
            if added < removed {
                added = scaled(added, graph, most);
                removed = total - added;
            } else {
                removed = scaled(removed, graph, most);
                added = total - removed;
            }
        }
        painted(paint::GREEN, &vec![b'+'; added], out);
        painted(paint::RED, &vec![b'-'; removed], out);
        out.push(b'\n');
    }
    short(counts, out);
}

/// Writes `--shortstat`, which is also the last line of `--stat`.
pub(crate) fn short(counts: &[Count], out: &mut Vec<u8>) {
    let files = counts.iter().filter(|count| !count.is_unmerged).count();
    if counts.is_empty() {
        return;
    }
    let texts = || counts.iter().filter(|count| !count.is_binary);
    let added: usize = texts().map(|count| count.added).sum();
    let removed: usize = texts().map(|count| count.removed).sum();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let mut line = format!(" {files} file{} changed", plural(files));
    if files > 0 {
        if added > 0 || removed == 0 {
            line += &format!(", {added} insertion{}(+)", plural(added));
        }
        if removed > 0 || added == 0 {
            line += &format!(", {removed} deletion{}(-)", plural(removed));
        }
    }
    out.extend(line.bytes());
    out.push(b'\n');
}

/// Writes `--numstat`.
pub(crate) fn numbers(counts: &[Count], out: &mut Vec<u8>) {
    for count in counts.iter().filter(|count| !count.is_unmerged) {
        match count.is_binary {
            true => out.extend(b"-\t-\t"),
            false => out.extend(format!("{}\t{}\t", count.added, count.removed).bytes()),
        }
        out.extend(&count.name);
        out.push(b'\n');
    }
}

/// Writes `--summary`: new and removed files, renames, changed modes.
pub(crate) fn summary(changes: &[Change], out: &mut Vec<u8>) {
    for change in changes {
        let (old, new) = (change.old.mode, change.new.mode);
        match change.status {
            Status::Added => out.extend(format!(" create mode {new:06o} ").bytes()),
            Status::Deleted => out.extend(format!(" delete mode {old:06o} ").bytes()),
            Status::Renamed(score) => {
                out.extend(b" rename ");
                out.extend(renamed(&change.old_path, &change.path));
                out.extend(format!(" ({score}%)\n").bytes());
                if old != new {
                    out.extend(format!(" mode change {old:06o} => {new:06o}\n").bytes());
                }
                continue;
            }
            Status::Modified | Status::TypeChanged if old != new => {
                out.extend(format!(" mode change {old:06o} => {new:06o} ").bytes());
            }
            Status::Modified | Status::TypeChanged | Status::Unmerged => continue,
        }
        out.extend(quoted(&change.path));
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_share_their_common_parts() {
        let check = |old: &str, new: &str, expect: &str| {
            let shown = renamed(old.as_bytes(), new.as_bytes());
            assert_eq!(String::from_utf8(shown).unwrap(), expect);
        };
        check("a", "b", "a => b");
        check("x/a", "x/b", "x/{a => b}");
        check("x/a/y", "x/b/y", "x/{a => b}/y");
        check("a/y", "b/y", "{a => b}/y");
        check("a/b/c", "a/c", "a/{b => }/c");
    }
}
