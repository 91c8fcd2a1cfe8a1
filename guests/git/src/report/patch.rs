//! Patches as `git diff` prints them.

use crate::bytes::quoted;
use crate::fault::Result;
use crate::repo::Repo;
use crate::report::options::DiffOptions;
use crate::report::{combined, content, paint, words};
use crate::store::odb::ABBREVIATION;
use crate::store::oid::Oid;
use crate::text::compare;
use crate::tree::changes::{Change, Side, Status};

/// Writes the patch of one file.
pub(crate) fn write(
    repo: &Repo,
    change: &Change,
    options: &DiffOptions,
    out: &mut Vec<u8>,
) -> Result<()> {
    if change.status == Status::Unmerged {
        if change.new.is_work && combined::conflict(repo, &change.path, options, out)? {
            return Ok(());
        }
        out.extend(b"* Unmerged path ");
        out.extend(quoted(&change.path));
        out.push(b'\n');
        return Ok(());
    }
    // A file that becomes a link is removed and made again.
    if change.status == Status::TypeChanged {
        let halves = [(change.old, Side::NONE), (Side::NONE, change.new)];
        for (old, new) in halves {
            write(repo, &Change::new(change.path.clone(), old, new), options, out)?;
        }
        return Ok(());
    }
    let old = content::read(repo, &change.old, &change.old_path)?;
    let new = content::read(repo, &change.new, &change.path)?;
    let (mut body, mut hunks) = (Vec::new(), Vec::new());
    let is_binary = !options.is_text && content::is_binary(repo, change, &old, &new);
    let names = Names::new(change, options);
    if old != new || change.status == Status::Added || change.status == Status::Deleted {
        if is_binary && old != new {
            body.extend(b"Binary files ");
            body.extend(names.old_or_null(change));
            body.extend(b" and ");
            body.extend(names.new_or_null(change));
            body.extend(b" differ\n");
        } else {
            compare::unified(&old, &new, &options.style, &mut hunks);
            if !hunks.is_empty() {
                for (mark, name) in
                    [("--- ", names.old_or_null(change)), ("+++ ", names.new_or_null(change))]
                {
                    body.extend(mark.bytes());
                    body.extend(&name);
                    // Tells the end of a name with spaces from a time.
                    if name.contains(&b' ') && !name.starts_with(b"\"") {
                        body.push(b'\t');
                    }
                    body.push(b'\n');
                }
            }
        }
    }
    // Only white space that does not count has changed.
    let has_header = change.old.mode != change.new.mode
        || !matches!(change.status, Status::Modified)
        || !body.is_empty();
    if !has_header {
        return Ok(());
    }
    let mut head = Vec::new();
    header(repo, change, options, &names, (&old, &new), &mut head);
    head.extend(body);
    match options.is_coloured {
        true => paint::header(&head, out),
        false => out.extend(head),
    }
    match (options.words, options.is_coloured) {
        (Some(style), is_coloured) => {
            words::write(&hunks, style, options.word.as_ref(), is_coloured, out);
        }
        (None, true) => paint::hunks(&hunks, out),
        (None, false) => out.extend(hunks),
    }
    Ok(())
}

struct Names {
    old: Vec<u8>,
    new: Vec<u8>,
}

impl Names {
    fn new(change: &Change, options: &DiffOptions) -> Names {
        let name = |prefix: &str, path: &[u8]| quoted(&[prefix.as_bytes(), path].concat());
        Names {
            old: name(&options.old_prefix, &change.old_path),
            new: name(&options.new_prefix, &change.path),
        }
    }

    fn old_or_null(&self, change: &Change) -> Vec<u8> {
        if change.old.is_there() { self.old.clone() } else { b"/dev/null".to_vec() }
    }

    fn new_or_null(&self, change: &Change) -> Vec<u8> {
        if change.new.is_there() { self.new.clone() } else { b"/dev/null".to_vec() }
    }
}

fn header(
    repo: &Repo,
    change: &Change,
    options: &DiffOptions,
    names: &Names,
    (old, new): (&[u8], &[u8]),
    out: &mut Vec<u8>,
) {
    let (old_mode, new_mode) = (change.old.mode, change.new.mode);
    out.extend(b"diff --git ");
    out.extend(&names.old);
    out.push(b' ');
    out.extend(&names.new);
    out.push(b'\n');
    match change.status {
        Status::Added => out.extend(format!("new file mode {new_mode:06o}\n").bytes()),
        Status::Deleted => out.extend(format!("deleted file mode {old_mode:06o}\n").bytes()),
        _ if old_mode != new_mode => {
            out.extend(format!("old mode {old_mode:06o}\nnew mode {new_mode:06o}\n").bytes());
        }
        _ => {}
    }
    if let Status::Renamed(score) = change.status {
        out.extend(format!("similarity index {score}%\nrename from ").bytes());
        out.extend(quoted(&change.old_path));
        out.extend("\nrename to ".to_string().bytes());
        out.extend(quoted(&change.path));
        out.push(b'\n');
    }
    let id = |side: &Side, data: &[u8]| match side.is_there() {
        true if side.is_work => Oid::of("blob", data),
        true => side.oid,
        false => Oid::ZERO,
    };
    let (old_id, new_id) = (id(&change.old, old), id(&change.new, new));
    if old_id != new_id {
        let shown = |oid: Oid| match options.is_full_index {
            true => oid.to_string(),
            false if oid.is_zero() => {
                oid.to_string()[..options.digits.unwrap_or(ABBREVIATION)].to_owned()
            }
            false => match options.digits {
                Some(digits) => repo.odb.short_by(oid, digits),
                None => repo.odb.short(oid),
            },
        };
        out.extend(format!("index {}..{}", shown(old_id), shown(new_id)).bytes());
        if old_mode == new_mode {
            out.extend(format!(" {new_mode:06o}").bytes());
        }
        out.push(b'\n');
    }
}
