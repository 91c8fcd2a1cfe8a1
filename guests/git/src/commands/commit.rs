//! `git commit`.

use super::Call;
use super::status::{self, State};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, text};
use crate::editor;
use crate::fault::{At, Fault, Result, fatal, silent};
use crate::ident;
use crate::repo::Repo;
use crate::report::options::DiffOptions;
use crate::report::stat;
use crate::revision;
use crate::store::index::Index;
use crate::store::object::{Commit, Kind, Signature};
use crate::store::oid::Oid;
use crate::text::date::{self, Form};
use crate::text::message;
use crate::tree::changes::{self, Status};
use crate::tree::pathspec::Pathspecs;
use crate::tree::untracked::Show;

#[derive(Default)]
struct Wish {
    messages: Vec<Vec<u8>>,
    file: Option<Vec<u8>>,
    is_all: bool,
    is_amend: bool,
    is_quiet: bool,
    is_dry: bool,
    may_be_empty: bool,
    may_lack_message: bool,
    is_edited: Option<bool>,
    is_signed_off: bool,
    is_included: bool,
    has_no_hooks: bool,
    is_author_reset: bool,
    author: Option<String>,
    date: Option<String>,
    reuse: Option<Vec<u8>>,
    fixup: Option<Vec<u8>>,
    trailers: Vec<Vec<u8>>,
    paths: Vec<Vec<u8>>,
}

const VALUED: Valued = Valued {
    short: "mFCct",
    attached: "uS",
    long: &[
        "--message",
        "--file",
        "--author",
        "--date",
        "--reuse-message",
        "--reedit-message",
        "--fixup",
        "--squash",
        "--trailer",
        "--cleanup",
        "--template",
    ],
};

/// Runs `git commit`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let wish = wish(call)?;
    let mut index = repo.index()?;
    if wish.is_all {
        stage_known(&repo, &mut index, &Pathspecs::all())?;
    }
    let mut real = None;
    if !wish.paths.is_empty() {
        let paths = Pathspecs::new(&repo, &wish.paths)?;
        for item in paths.items() {
            if !index.entries.iter().any(|entry| item.selects(&entry.path)) {
                let text = format!(
                    "pathspec '{}' did not match any file(s) known to git",
                    text(&item.given)
                );
                return Err(crate::fault::error(text));
            }
        }
        stage_known(&repo, &mut index, &paths)?;
        if !wish.is_included {
            real = Some(index.clone());
            index = only(&repo, &index, &paths)?;
        }
    }
    if !index.conflicts().is_empty() {
        let names: String =
            index.conflicts().iter().map(|path| format!("U\t{}\n", text(path))).collect();
        call.out.text(names);
        let text = "error: Committing is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.";
        return Err(Fault { code: 128, text: text.to_owned() });
    }
    let head = repo.head()?;
    let amended = match (wish.is_amend, head) {
        (true, Some(oid)) => Some((oid, repo.odb.commit(oid)?)),
        (true, None) => return Err(fatal("You have nothing to amend.")),
        (false, _) => None,
    };
    let merging = repo.state("MERGE_HEAD");
    let tree = index.write_tree(&repo.odb)?;
    let base = match &amended {
        Some((_, commit)) => match commit.parents.first() {
            Some(parent) => repo.odb.commit(*parent)?.tree,
            None => Oid::ZERO,
        },
        None => repo.head_tree()?,
    };
    let is_empty = tree == base || base.is_zero() && index.entries.is_empty();
    if wish.is_dry || is_empty && !wish.may_be_empty && !wish.is_amend && merging.is_none() {
        let state = State::new(&repo, &mut index, &Pathspecs::all(), Some(Show::Collapsed))?;
        status::long(&repo, &state, true, false, "Initial commit", &mut call.out.data)?;
        return Ok(i32::from(is_empty));
    }
    if !wish.has_no_hooks {
        repo.write_index(&mut index)?;
        hook(&repo, "pre-commit", &[], call)?;
        index = repo.index()?;
    }
    let tree = index.write_tree(&repo.odb)?;
    let message = message_of(&repo, &wish, amended.as_ref().map(|(_, commit)| commit), call)?;
    let picked = repo.state("CHERRY_PICK_HEAD").and_then(|data| Oid::parse(bytes::trim(&data)));
    let author = author(&repo, &wish, amended.as_ref().map(|(_, commit)| commit), picked)?;
    let mut parents = match &amended {
        Some((_, commit)) => commit.parents.clone(),
        None => head.into_iter().collect(),
    };
    if let Some(data) = &merging {
        parents.extend(data.split(|b| *b == b'\n').filter_map(Oid::parse));
    }
    let is_root = parents.is_empty();
    let is_merge = parents.len() > 1;
    let commit = Commit {
        tree,
        parents,
        author,
        committer: ident::committer(&repo)?,
        more: Vec::new(),
        message,
    };
    let oid = repo.odb.write(Kind::Commit, &commit.write())?;
    let how = match (&amended, is_merge, is_root) {
        (Some(_), _, _) => "commit (amend)",
        (None, true, _) => "commit (merge)",
        (None, _, _) if picked.is_some() => "commit (cherry-pick)",
        (None, false, true) => "commit (initial)",
        (None, false, false) => "commit",
    };
    repo.update_ref(b"HEAD", oid, &format!("{how}: {}", text(&commit.subject())))?;
    repo.clear_state();
    let mut index = real.unwrap_or(index);
    repo.write_index(&mut index)?;
    // The commit is made; the hook only hears of it.
    let _ = hook(&repo, "post-commit", &[], call);
    if !wish.is_quiet {
        let shows_date =
            wish.is_amend || wish.date.is_some() || wish.reuse.is_some() || picked.is_some();
        summary(&repo, oid, &commit, shows_date, head.is_none(), &mut call.out.data)?;
    }
    Ok(0)
}

fn wish(call: &mut Call<'_>) -> Result<Wish> {
    let mut wish = Wish::default();
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                wish.paths.push(operand);
                continue;
            }
            Arg::Dashes => continue,
        };
        match name.as_str() {
            "-m" | "--message" => wish.messages.extend(value),
            "-F" | "--file" => wish.file = value,
            "-a" | "--all" => wish.is_all = true,
            "--amend" => wish.is_amend = true,
            "-q" | "--quiet" => wish.is_quiet = true,
            "--dry-run" => wish.is_dry = true,
            "--allow-empty" => wish.may_be_empty = true,
            "--allow-empty-message" => wish.may_lack_message = true,
            "--no-edit" => wish.is_edited = Some(false),
            "-e" | "--edit" => wish.is_edited = Some(true),
            "-s" | "--signoff" => wish.is_signed_off = true,
            "-i" | "--include" => wish.is_included = true,
            "-n" | "--no-verify" => wish.has_no_hooks = true,
            "--reset-author" => wish.is_author_reset = true,
            "--author" => wish.author = Some(value_text(&value)),
            "--date" => wish.date = Some(value_text(&value)),
            "-C" | "--reuse-message" => wish.reuse = value,
            "-c" | "--reedit-message" => {
                wish.reuse = value;
                wish.is_edited = Some(true);
            }
            "--fixup" => wish.fixup = value,
            "--trailer" => wish.trailers.extend(value),
            "-o" | "--only" | "-v" | "--verbose" | "--no-gpg-sign" | "--no-signoff"
            | "--status" | "--no-status" | "-u" | "--untracked-files" | "--cleanup"
            | "--no-post-rewrite" | "--verify" | "--no-verbose" => {}
            "-S" | "--gpg-sign" => {
                return Err(fatal("commits cannot be signed in a sandbox; use --no-gpg-sign"));
            }
            "-p" | "--patch" => {
                return Err(fatal("git commit -p needs a terminal; use git add FILE"));
            }
            other => return Err(call.unknown(other)),
        }
    }
    if wish.is_all && !wish.paths.is_empty() {
        let path = text(&wish.paths[0]);
        return Err(fatal(format!("paths '{path} ...' with -a does not make sense")));
    }
    Ok(wish)
}

/// Puts changed and removed files that the index knows into the index.
pub(crate) fn stage_known(repo: &Repo, index: &mut Index, paths: &Pathspecs) -> Result<()> {
    for change in changes::index_and_work(repo, index, paths)? {
        match change.status {
            Status::Deleted => {
                index.remove(&change.path);
            }
            Status::Unmerged if !crate::repo::exists(&repo.work_path(&change.path)) => {
                index.remove(&change.path);
            }
            _ => super::add::stage(repo, index, &change.path)?,
        }
    }
    Ok(())
}

/// Returns the index of the last commit with only the given paths changed.
fn only(repo: &Repo, index: &Index, paths: &Pathspecs) -> Result<Index> {
    let mut part = Index::default();
    for (path, (mode, oid)) in changes::files(&repo.odb, repo.head_tree()?)? {
        if !paths.selects(&path) {
            part.put(crate::store::index::Entry::new(path, mode, oid));
        }
    }
    for entry in index.entries.iter().filter(|entry| paths.selects(&entry.path)) {
        part.put(entry.clone());
    }
    Ok(part)
}

fn message_of(
    repo: &Repo,
    wish: &Wish,
    amended: Option<&Commit>,
    call: &mut Call<'_>,
) -> Result<Vec<u8>> {
    let mut start = None;
    if let Some(file) = &wish.file {
        let data = match file.as_slice() {
            b"-" => {
                let mut data = Vec::new();
                std::io::Read::read_to_end(&mut std::io::stdin(), &mut data)
                    .at(b"standard input")?;
                data
            }
            file => std::fs::read(bytes::path(file)).map_err(|e| {
                fatal(format!(
                    "could not read log file '{}': {}",
                    text(file),
                    crate::fault::reason(&e)
                ))
            })?,
        };
        start = Some(data);
    } else if !wish.messages.is_empty() {
        start = Some(wish.messages.join(&b"\n\n"[..]));
    } else if let Some(name) = &wish.reuse {
        start = Some(repo.odb.commit(revision::commit(repo, name)?)?.message);
    } else if let Some(name) = &wish.fixup {
        let subject = repo.odb.commit(revision::commit(repo, name)?)?.subject();
        start = Some([b"fixup! ".as_slice(), &subject, b"\n"].concat());
    }
    let has_editor = wish.is_edited.unwrap_or(start.is_none());
    let mut text = match (start, amended) {
        (Some(text), _) => text,
        (None, Some(commit)) => commit.message.clone(),
        (None, None) => {
            repo.state("MERGE_MSG").or_else(|| repo.state("SQUASH_MSG")).unwrap_or_default()
        }
    };
    let who = Signature::parse(&ident::committer(repo)?);
    if wish.is_signed_off {
        let trailer = [b"Signed-off-by: ".as_slice(), &who.name, b" <", &who.mail, b">"].concat();
        text = message::with_trailer(&message::cleaned(&text, false), &trailer);
    }
    for trailer in &wish.trailers {
        let trailer = match trailer.iter().position(|b| *b == b'=') {
            Some(at) if !trailer[..at].contains(&b':') => {
                [&trailer[..at], b": ", &trailer[at + 1..]].concat()
            }
            _ => trailer.clone(),
        };
        text = message::with_trailer(&message::cleaned(&text, false), &trailer);
    }
    // A merge that was prepared has its message, and an editor is not there to be asked.
    let is_prepared = repo.state("MERGE_MSG").is_some() && bytes::variable("GIT_EDITOR").is_none();
    if has_editor && (!is_prepared || text.is_empty()) {
        call.out.flush();
        let comment = b"\n# Please enter the commit message for your changes. Lines starting\n# with '#' will be ignored, and an empty message aborts the commit.\n";
        text = editor::edit(repo, "COMMIT_EDITMSG", &[text.as_slice(), comment].concat())?;
    }
    text = message::cleaned(&text, has_editor);
    let file = repo.file("COMMIT_EDITMSG");
    if !has_editor {
        repo.set_state("COMMIT_EDITMSG", &text)?;
        let source: &[u8] = match (&wish.reuse, repo.state("MERGE_HEAD").is_some()) {
            (Some(_), _) => b"commit",
            (None, true) => b"merge",
            (None, false) if amended.is_some() && wish.messages.is_empty() => b"commit",
            (None, false) => b"message",
        };
        hook(repo, "prepare-commit-msg", &[b".git/COMMIT_EDITMSG", source], call)?;
        text = message::cleaned(&repo.state("COMMIT_EDITMSG").unwrap_or_default(), false);
    }
    if !wish.has_no_hooks {
        repo.set_state("COMMIT_EDITMSG", &text)?;
        hook(repo, "commit-msg", &[&file], call)?;
        text = message::cleaned(&repo.state("COMMIT_EDITMSG").unwrap_or_default(), has_editor);
    }
    if text.is_empty() && !wish.may_lack_message {
        return Err(Fault {
            code: 1,
            text: "Aborting commit due to empty commit message.".to_owned(),
        });
    }
    Ok(text)
}

fn author(
    repo: &Repo,
    wish: &Wish,
    amended: Option<&Commit>,
    picked: Option<Oid>,
) -> Result<Vec<u8>> {
    let kept = match (amended, picked, &wish.reuse) {
        (_, _, Some(name)) => Some(repo.odb.commit(revision::commit(repo, name)?)?.author),
        (Some(commit), _, None) => Some(commit.author.clone()),
        (None, Some(oid), None) => Some(repo.odb.commit(oid)?.author),
        (None, None, None) => None,
    };
    let kept = kept.filter(|_| !wish.is_author_reset);
    let mut line = match kept {
        Some(line) => line,
        None if wish.author.is_some() => {
            ident::author(repo, wish.date.as_deref()).or_else(|_| ident::committer(repo))?
        }
        None => ident::author(repo, wish.date.as_deref())?,
    };
    if let Some(given) = &wish.author {
        let Some((name, mail)) = given.strip_suffix('>').and_then(|text| text.split_once('<'))
        else {
            let text =
                format!("--author '{given}' is not 'Name <email>' and matches no existing author");
            return Err(fatal(text));
        };
        let time = line.iter().rposition(|b| *b == b'>').map_or(&[][..], |at| &line[at..]).to_vec();
        line = [name.trim().as_bytes(), b" <", mail.as_bytes(), &time].concat();
    }
    if let Some(given) = &wish.date {
        let parsed = date::parse(given, Repo::now());
        let (seconds, zone) =
            parsed.ok_or_else(|| fatal(format!("invalid date format: {given}")))?;
        let end = line.iter().rposition(|b| *b == b'>').map_or(line.len(), |at| at + 1);
        line.truncate(end);
        line.extend(format!(" {seconds} {}", date::zone_text(zone)).bytes());
    }
    Ok(line)
}

/// Runs a hook of the repository, if there is one; its failure ends the command.
pub(crate) fn hook(repo: &Repo, name: &str, args: &[&[u8]], call: &mut Call<'_>) -> Result<()> {
    let dir = match repo.config.get("core.hookspath") {
        Some(dir) => bytes::join(repo.root()?, &crate::repo::expand_home(dir.as_bytes())),
        None => repo.file("hooks"),
    };
    let file = bytes::join(&dir, name.as_bytes());
    let is_program =
        cofferdam_guest_sys::stat(&file, true).is_ok_and(|status| status.mode & 0o111 != 0);
    if !is_program {
        return Ok(());
    }
    call.out.flush();
    let mut all: Vec<&[u8]> = vec![&file];
    all.extend_from_slice(args);
    match editor::shell(b"\"$0\" \"$@\"", &all, editor::Stdout::Error) {
        0 => Ok(()),
        _ => Err(silent(1)),
    }
}

/// Writes the lines that `git commit` ends with.
pub(crate) fn summary(
    repo: &Repo,
    oid: Oid,
    commit: &Commit,
    shows_date: bool,
    is_first: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let branch = match repo.refs.branch()? {
        Some(_) => text(&repo.branch_name()?),
        None => "detached HEAD".to_owned(),
    };
    let root = if is_first { " (root-commit)" } else { "" };
    out.extend(format!("[{branch}{root} {}] ", repo.odb.short(oid)).bytes());
    out.extend(commit.subject());
    out.push(b'\n');
    let (author, committer) =
        (Signature::parse(&commit.author), Signature::parse(&commit.committer));
    if (&author.name, &author.mail) != (&committer.name, &committer.mail) {
        out.extend([b" Author: ".as_slice(), &author.name, b" <", &author.mail, b">\n"].concat());
    }
    if shows_date {
        let date = date::format(&Form::Default, author.seconds, author.zone, Repo::now());
        out.extend(format!(" Date: {date}\n").bytes());
    }
    let base = match commit.parents.first() {
        Some(parent) => repo.odb.commit(*parent)?.tree,
        None => Oid::ZERO,
    };
    if commit.parents.len() > 1 {
        return Ok(());
    }
    let changes = changes::trees(&repo.odb, base, commit.tree, &Pathspecs::all())?;
    let options = DiffOptions::new(repo);
    let changes = options.prepare(repo, changes)?;
    stat::short(&stat::count(repo, &changes, &options)?, out);
    stat::summary(&changes, out);
    Ok(())
}
