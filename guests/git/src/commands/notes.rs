//! `git notes`.

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::{self, text};
use crate::editor;
use crate::fault::{Fault, Result, USAGE, error, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::notes::{self, Notes};
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::text::message;

#[derive(Default)]
struct Wish {
    reference: Option<String>,
    parts: Vec<Vec<u8>>,
    is_forced: bool,
    may_be_empty: bool,
    ignores_missing: bool,
    operands: Vec<Vec<u8>>,
}

const VALUED: Valued = Valued {
    short: "mFCc",
    attached: "",
    long: &["--ref", "--message", "--file", "--reuse-message", "--reedit-message"],
};

/// Runs `git notes`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut wish = Wish::default();
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                wish.operands.push(operand);
                continue;
            }
            Arg::Dashes => continue,
        };
        let value = value.unwrap_or_default();
        match name.as_str() {
            "--ref" => wish.reference = Some(text(&value)),
            "-m" | "--message" => wish.parts.push(value),
            "-F" | "--file" => {
                let data = match value.as_slice() {
                    b"-" => {
                        let mut data = Vec::new();
                        let read = std::io::Read::read_to_end(&mut std::io::stdin(), &mut data);
                        read.map(|_| data)
                    }
                    file => std::fs::read(bytes::path(file)),
                };
                wish.parts.push(data.map_err(|e| {
                    let reason = crate::fault::reason(&e);
                    fatal(format!("could not open or read '{}': {reason}", text(&value)))
                })?);
            }
            "-C" | "--reuse-message" | "-c" | "--reedit-message" => {
                wish.parts.push(repo.odb.blob(revision::object(&repo, &value)?)?);
            }
            "-f" | "--force" => wish.is_forced = true,
            "--allow-empty" => wish.may_be_empty = true,
            "--ignore-missing" => wish.ignores_missing = true,
            "--no-separator" | "--separator" | "--stripspace" | "--no-stripspace" | "-v" | "-n"
            | "-q" => {}
            other => return Err(call.unknown(other)),
        }
    }
    let verb = match wish.operands.is_empty() {
        true => "list".to_owned(),
        false => text(&wish.operands.remove(0)),
    };
    let reference = notes::reference(&repo, wish.reference.as_deref());
    let mut all = notes::read(&repo, &reference)?;
    let object = |n: usize| -> Result<Oid> {
        let name = wish.operands.get(n).map_or(&b"HEAD"[..], Vec::as_slice);
        let bad = || fatal(format!("failed to resolve '{}' as a valid ref.", text(name)));
        revision::find(&repo, name)?.ok_or_else(bad)
    };
    match verb.as_str() {
        "list" if wish.operands.is_empty() => {
            for (object, note) in &all {
                call.out.line(format!("{note} {object}"));
            }
            Ok(0)
        }
        "list" => {
            let oid = object(0)?;
            let note = all.get(&oid).ok_or_else(|| missing(oid))?;
            call.out.line(note.to_string());
            Ok(0)
        }
        "show" => {
            let oid = object(0)?;
            let note = all.get(&oid).ok_or_else(|| missing(oid))?;
            call.out.text(repo.odb.blob(*note)?);
            Ok(0)
        }
        "add" | "append" | "edit" => {
            let oid = object(0)?;
            change(call, &repo, &wish, &reference, &mut all, &verb, oid)
        }
        "copy" => {
            let (from, to) = (object(0)?, object(1)?);
            let note = *all.get(&from).ok_or_else(|| {
                error(format!("missing notes on source object {from}. Cannot copy."))
            })?;
            if all.contains_key(&to) {
                if !wish.is_forced {
                    return Err(existing("copy", to));
                }
                call.out.note(format!("Overwriting existing notes for object {to}"))?;
            }
            all.insert(to, note);
            notes::write(&repo, &reference, &all, "Notes added by 'git notes copy'")?;
            Ok(0)
        }
        "remove" => remove(call, &repo, &wish, &reference, &mut all),
        "prune" => {
            let before = all.len();
            all.retain(|object, _| repo.odb.has(*object));
            if all.len() != before {
                notes::write(&repo, &reference, &all, "Notes removed by 'git notes prune'")?;
            }
            Ok(0)
        }
        "get-ref" => {
            call.out.line(reference);
            Ok(0)
        }
        "merge" => Err(fatal("git notes merge is not supported")),
        other => {
            let text = format!(
                "error: unknown subcommand: `{other}'\nusage: git notes [--ref <notes-ref>] (list | add | copy | append | edit | show | remove | prune | get-ref)"
            );
            Err(Fault { code: USAGE, text })
        }
    }
}

fn missing(oid: Oid) -> Fault {
    error(format!("no note found for object {oid}."))
}

fn existing(verb: &str, oid: Oid) -> Fault {
    error(format!(
        "Cannot {verb} notes. Found existing notes for object {oid}. Use '-f' to overwrite existing notes"
    ))
}

fn change(
    call: &mut Call<'_>,
    repo: &Repo,
    wish: &Wish,
    reference: &str,
    all: &mut Notes,
    verb: &str,
    oid: Oid,
) -> Result<i32> {
    let old = match all.get(&oid) {
        Some(note) => Some(repo.odb.blob(*note)?),
        None => None,
    };
    let given = wish.parts.join(&b"\n\n"[..]);
    if verb == "add" && old.is_some() && !wish.parts.is_empty() {
        if !wish.is_forced {
            return Err(existing("add", oid));
        }
        call.out.note(format!("Overwriting existing notes for object {oid}"))?;
    }
    let text = if wish.parts.is_empty() {
        call.out.flush();
        let comment =
            format!("\n#\n# Write/edit the notes for the following object:\n#\n# {oid}\n");
        let start = old.clone().filter(|_| verb != "append").unwrap_or_default();
        let edited = editor::edit(repo, "NOTES_EDITMSG", &[start, comment.into_bytes()].concat())?;
        message::cleaned(&edited, true)
    } else {
        message::cleaned(&given, false)
    };
    let text = match (verb, old) {
        ("append", Some(old)) if !text.is_empty() => {
            [old.trim_ascii_end(), b"\n\n", &text].concat()
        }
        ("append", Some(old)) => old,
        _ => text,
    };
    if text.is_empty() && !wish.may_be_empty {
        call.out.note(format!("Removing note for object {oid}"))?;
        if all.remove(&oid).is_some() {
            let why = format!("Notes removed by 'git notes {verb}'");
            notes::write(repo, reference, all, &why)?;
        }
        return Ok(0);
    }
    all.insert(oid, repo.odb.write(Kind::Blob, &text)?);
    notes::write(repo, reference, all, &format!("Notes added by 'git notes {verb}'"))?;
    Ok(0)
}

fn remove(
    call: &mut Call<'_>,
    repo: &Repo,
    wish: &Wish,
    reference: &str,
    all: &mut Notes,
) -> Result<i32> {
    let mut names = wish.operands.clone();
    if names.is_empty() {
        names.push(b"HEAD".to_vec());
    }
    let (mut code, mut is_changed) = (0, false);
    for name in names {
        let shown = text(&name);
        let Some(oid) = revision::find(repo, &name)? else {
            return Err(error(format!("Failed to resolve '{shown}' as a valid ref.")));
        };
        match all.remove(&oid) {
            Some(_) => {
                call.out.note(format!("Removing note for object {shown}"))?;
                is_changed = true;
            }
            None => {
                call.out.note(format!("Object {shown} has no note"))?;
                code = if wish.ignores_missing { code } else { 1 };
            }
        }
    }
    if is_changed {
        notes::write(repo, reference, all, "Notes removed by 'git notes remove'")?;
    }
    Ok(code)
}
