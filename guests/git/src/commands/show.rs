//! `git show`.

use super::Call;
use super::log::changes_of;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::report::combined::{self, Density};
use crate::report::decorate::Decorations;
use crate::report::options::{DiffOptions, Format};
use crate::report::pretty::{Pretty, Printer};
use crate::revision;
use crate::store::object::{Kind, Signature, mode};
use crate::store::oid::Oid;
use crate::text::date::{self, Form};
use crate::tree::pathspec::Pathspecs;

const VALUED: Valued =
    Valued { short: "U", attached: "MC", long: &["--date", "--unified", "--diff-filter"] };

/// Runs `git show`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut options = DiffOptions::new(&repo);
    let mut printer = Printer::new(&repo, Pretty::Medium);
    let (mut names, mut paths, mut has_dashes) = (Vec::new(), Vec::new(), false);
    let mut has_notes = true;
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) if has_dashes => {
                paths.push(operand);
                continue;
            }
            Arg::Operand(operand) => {
                names.push(operand);
                continue;
            }
            Arg::Dashes => {
                has_dashes = true;
                continue;
            }
        };
        match name.as_str() {
            "--oneline" => {
                printer.pretty = Pretty::Oneline;
                printer.is_abbreviated = true;
            }
            "--pretty" if value.is_none() => printer.pretty = Pretty::Medium,
            "--pretty" | "--format" => printer.pretty = Pretty::parse(&value_text(&value))?,
            "--abbrev-commit" => printer.is_abbreviated = true,
            "--date" => {
                let given = value_text(&value);
                printer.date = Form::parse(&given)
                    .ok_or_else(|| fatal(format!("unknown date format {given}")))?;
            }
            "--decorate" => {
                printer.is_decorated = true;
                printer.decorations = Decorations::new(&repo)?;
            }
            "--color" | "--no-color" => {
                options.take(&name, value.as_deref().map(text).as_deref())?;
                printer.is_coloured = options.is_coloured;
            }
            "--no-notes" => has_notes = false,
            "--notes" => printer.read_notes(value.as_deref().map(text).as_deref())?,
            "-c" => options.is_combined = true,
            "--no-decorate" | "-m" | "--first-parent" | "--cc" | "--show-signature" => {}
            _ => {
                if !options.take(&name, value.as_deref().map(text).as_deref())? {
                    return Err(fatal(format!("unrecognized argument: {name}")));
                }
            }
        }
    }
    if let Pretty::Format { format, .. } = &printer.pretty
        && format.contains(['d', 'D'])
    {
        printer.decorations = Decorations::new(&repo)?;
    }
    if options.formats.is_empty() {
        options.formats.push(Format::Patch);
    }
    match has_notes {
        true if printer.notes.is_empty() => printer.read_notes(None)?,
        true => {}
        false => printer.notes.clear(),
    }
    // Operands after the first that name no object are paths.
    while names.len() > 1 && revision::find(&repo, &names[names.len() - 1])?.is_none() {
        paths.extend(names.pop());
    }
    if names.is_empty() {
        names.push(b"HEAD".to_vec());
    }
    let paths = if paths.is_empty() { Pathspecs::all() } else { Pathspecs::new(&repo, &paths)? };
    let mut is_first = true;
    for name in names {
        let oid = revision::object(&repo, &name)?;
        object(call, &repo, &printer, &options, &paths, &name, oid, &mut is_first)?;
    }
    Ok(0)
}

#[expect(clippy::too_many_arguments, reason = "one call site and its own recursion")]
fn object(
    call: &mut Call<'_>,
    repo: &Repo,
    printer: &Printer<'_>,
    options: &DiffOptions,
    paths: &Pathspecs,
    name: &[u8],
    oid: Oid,
    is_first: &mut bool,
) -> Result<()> {
    let (kind, data) = repo.odb.read(oid)?;
    match kind {
        Kind::Blob => call.out.text(data),
        Kind::Tree => {
            if !std::mem::take(is_first) {
                call.out.text("\n");
            }
            call.out.line([b"tree ", name, b"\n"].concat());
            for entry in repo.odb.tree(oid)? {
                let slash: &[u8] = if entry.mode == mode::TREE { b"/" } else { b"" };
                call.out.line([&entry.name, slash].concat());
            }
        }
        Kind::Tag => {
            let tag = repo.odb.tag(oid)?;
            if !std::mem::take(is_first) {
                call.out.text("\n");
            }
            let who = Signature::parse(&tag.tagger);
            let when = date::format(&printer.date, who.seconds, who.zone, Repo::now());
            call.out.line([b"tag ".as_slice(), &tag.name].concat());
            call.out.line([b"Tagger: ".as_slice(), &who.name, b" <", &who.mail, b">"].concat());
            if !matches!(printer.pretty, Pretty::Format { .. }) {
                call.out.line(format!("Date:   {when}"));
            }
            call.out.line("");
            call.out.text(&tag.message);
            object(call, repo, printer, options, paths, name, tag.target, is_first)?;
        }
        Kind::Commit => {
            let commit = repo.odb.commit(oid)?;
            let is_format = matches!(printer.pretty, Pretty::Format { .. });
            let is_oneline = matches!(printer.pretty, Pretty::Oneline | Pretty::Reference);
            if !std::mem::take(is_first) && !is_oneline && !is_format {
                call.out.text("\n");
            }
            let mut text = Vec::new();
            printer.write(oid, &commit, None, &mut text);
            if is_format && !text.is_empty() {
                text.push(b'\n');
            }
            // A merge without conflicts has no patch of its own; statistics are those of its first
            // parent.
            let mut options = options.clone();
            let formats = options.formats.clone();
            if commit.parents.len() > 1 {
                options.formats.retain(|format| *format != Format::Patch);
            }
            let density = if options.is_combined { Density::All } else { Density::Dense };
            let has_patch = formats.contains(&Format::Patch) && !options.is_silent;
            if commit.parents.len() > 1 && has_patch && options.formats.is_empty() {
                let mut difference = Vec::new();
                combined::commit(repo, &commit, &options, paths, density, &mut difference)?;
                if !is_oneline && !is_format
                    || !(difference.is_empty() || is_oneline || text.is_empty())
                {
                    text.push(b'\n');
                }
                text.extend(difference);
            } else if commit.parents.len() < 2 || !options.formats.is_empty() {
                let changes = options.prepare(repo, changes_of(repo, &commit, paths)?)?;
                let mut difference = Vec::new();
                options.write(repo, &changes, &mut difference)?;
                if !difference.is_empty() {
                    if !(is_oneline || is_format && text.is_empty()) {
                        let has = |format: Format| options.formats.contains(&format);
                        if has(Format::Stat) && has(Format::Patch) {
                            text.extend(b"---");
                        }
                        text.push(b'\n');
                    }
                    text.extend(difference);
                }
            } else if !options.is_silent && !is_oneline && !is_format {
                text.push(b'\n');
            }
            call.out.text(text);
        }
    }
    Ok(())
}
