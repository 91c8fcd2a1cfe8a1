//! `git status`.

use std::collections::BTreeMap;

use super::Call;
use super::rebase::progress as rebase;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{quoted, text};
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::report::options::coloured;
use crate::report::paint;
use crate::revision;
use crate::store::index::Index;
use crate::store::oid::Oid;
use crate::store::reflog;
use crate::tree::changes::{self, Change, Status};
use crate::tree::pathspec::Pathspecs;
use crate::tree::renames;
use crate::tree::untracked::{self, Found, Show};
use crate::walk;

/// Form of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Long,
    Short,
    Porcelain,
    PorcelainTwo,
}

/// State of the index and the work tree.
pub(crate) struct State {
    pub(crate) staged: Vec<Change>,
    pub(crate) unstaged: Vec<Change>,
    pub(crate) found: Found,
    pub(crate) conflicts: BTreeMap<Vec<u8>, u8>,
}

impl State {
    /// Compares commit, index and work tree.
    pub(crate) fn new(
        repo: &Repo,
        index: &mut Index,
        paths: &Pathspecs,
        show: Option<Show>,
    ) -> Result<State> {
        let staged = changes::tree_and_index(&repo.odb, repo.head_tree()?, index, paths)?;
        let staged = renames::find(repo, staged, renames::SIMILARITY)?;
        let unstaged = changes::index_and_work(repo, index, paths)?;
        let found = match show {
            Some(show) => untracked::find(repo, index, paths, show)?,
            None => Found::default(),
        };
        let mut conflicts: BTreeMap<Vec<u8>, u8> = BTreeMap::new();
        for entry in index.entries.iter().filter(|entry| entry.stage > 0) {
            *conflicts.entry(entry.path.clone()).or_default() |= 1 << (entry.stage - 1);
        }
        let is_merged = |change: &Change| change.status != Status::Unmerged;
        Ok(State {
            staged: staged.into_iter().filter(is_merged).collect(),
            unstaged: unstaged.into_iter().filter(is_merged).collect(),
            found,
            conflicts,
        })
    }
}

/// Runs `git status`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    repo.root()?;
    let (mut form, mut is_nul, mut has_branch, mut has_ignored) = (Form::Long, false, false, false);
    let mut show = match repo.config.get("status.showuntrackedfiles") {
        Some("no") => None,
        Some("all") => Some(Show::All),
        _ => Some(Show::Collapsed),
    };
    let mut has_stash = repo.config.flag("status.showstash") == Some(true);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { attached: "uM", ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-s" | "--short" => form = Form::Short,
                "--long" => form = Form::Long,
                "--porcelain" => {
                    form = match value_text(&value).as_str() {
                        "" | "v1" | "1" => Form::Porcelain,
                        "v2" | "2" => Form::PorcelainTwo,
                        other => {
                            return Err(fatal(format!("unsupported porcelain version '{other}'")));
                        }
                    }
                }
                "-b" | "--branch" => has_branch = true,
                "-z" | "--null" => {
                    is_nul = true;
                    if form == Form::Long {
                        form = Form::Porcelain;
                    }
                }
                "-u" | "--untracked-files" => {
                    show = match value_text(&value).as_str() {
                        "no" => None,
                        "normal" => Some(Show::Collapsed),
                        "all" | "" => Some(Show::All),
                        other => {
                            return Err(fatal(format!("Invalid untracked files mode '{other}'")));
                        }
                    }
                }
                "--ignored" => has_ignored = true,
                "-v"
                | "--verbose"
                | "--no-renames"
                | "--renames"
                | "--find-renames"
                | "--ahead-behind"
                | "--no-ahead-behind"
                | "--column"
                | "--no-column"
                | "--ignore-submodules"
                | "--no-show-stash" => {}
                "--show-stash" => has_stash = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let paths = Pathspecs::new(&repo, &operands)?;
    let mut index = repo.index()?;
    let state = State::new(&repo, &mut index, &paths, show)?;
    if !index.entries.is_empty() {
        // Keeps what was learned about unchanged files; a read-only repository stays as it is.
        let _ = repo.write_index(&mut index);
    }
    let out = &mut call.out.data;
    match form {
        Form::Long => {
            long(&repo, &state, show.is_some(), has_ignored, "No commits yet", out)?;
            let count = reflog::read(&repo.git_dir, b"refs/stash").len();
            if has_stash && count > 0 {
                let noun = if count == 1 { "entry" } else { "entries" };
                out.extend(format!("Your stash currently has {count} {noun}\n").bytes());
            }
        }
        Form::Short | Form::Porcelain => {
            if has_branch {
                branch_line(&repo, form == Form::Short, is_nul, out)?;
            }
            short(&repo, &state, form == Form::Short, is_nul, has_ignored, out);
        }
        Form::PorcelainTwo => {
            if has_branch {
                branch_headers(&repo, out)?;
            }
            porcelain_two(&repo, &index, &state, is_nul, has_ignored, out);
        }
    }
    Ok(0)
}

fn conflict_code(stages: u8) -> (&'static str, &'static str) {
    match stages {
        0b001 => ("DD", "both deleted:"),
        0b010 => ("AU", "added by us:"),
        0b100 => ("UA", "added by them:"),
        0b011 => ("UD", "deleted by them:"),
        0b101 => ("DU", "deleted by us:"),
        0b110 => ("AA", "both added:"),
        _ => ("UU", "both modified:"),
    }
}

fn short(
    repo: &Repo,
    state: &State,
    is_relative: bool,
    is_nul: bool,
    has_ignored: bool,
    out: &mut Vec<u8>,
) {
    let end = if is_nul { 0 } else { b'\n' };
    let colours = Colours { is_on: is_relative && !is_nul && Colours::of(repo).is_on };
    let shown = |path: &[u8]| {
        let path = if is_relative && !is_nul { repo.shown(path) } else { path.to_vec() };
        if is_nul {
            return path;
        }
        // Spaces are quoted too, since an arrow separates two names.
        match path.contains(&b' ') && !path.contains(&b'"') {
            true if quoted(&path) == path => [b"\"", path.as_slice(), b"\""].concat(),
            _ => quoted(&path),
        }
    };
    /// Letters of the index and the work tree, and the earlier path of a renamed file.
    type Row<'a> = (char, char, Option<&'a [u8]>);
    let mut lines: BTreeMap<&[u8], Row<'_>> = BTreeMap::new();
    for change in &state.staged {
        let from =
            matches!(change.status, Status::Renamed(_)).then_some(change.old_path.as_slice());
        lines.insert(&change.path, (change.status.letter(), ' ', from));
    }
    for change in &state.unstaged {
        lines.entry(&change.path).or_insert((' ', ' ', None)).1 = change.status.letter();
    }
    for (path, stages) in &state.conflicts {
        let code = conflict_code(*stages).0;
        let mut letters = code.chars();
        let pair = (letters.next().unwrap_or('U'), letters.next().unwrap_or('U'), None);
        lines.insert(path, pair);
    }
    for (path, (one, two, from)) in lines {
        let is_conflict = state.conflicts.contains_key(path);
        let letter = |c: char, is_staged: bool| match c {
            ' ' => b" ".to_vec(),
            c if is_staged && !is_conflict => colours.green(&[c as u8]),
            c => colours.red(&[c as u8]),
        };
        out.extend([letter(one, true), letter(two, false), b" ".to_vec()].concat());
        match (from, is_nul) {
            (Some(from), true) => {
                out.extend(path);
                out.push(0);
                out.extend(from);
            }
            (Some(from), false) => {
                out.extend(shown(from));
                out.extend(b" -> ");
                out.extend(shown(path));
            }
            (None, _) => out.extend(shown(path)),
        }
        out.push(end);
    }
    let ignored = if has_ignored { &state.found.ignored[..] } else { &[] };
    for (mark, paths) in [("??", &state.found.untracked[..]), ("!!", ignored)] {
        for path in paths {
            out.extend(colours.red(mark.as_bytes()));
            out.push(b' ');
            out.extend(shown(path));
            out.push(end);
        }
    }
}

fn branch_line(repo: &Repo, is_short: bool, is_nul: bool, out: &mut Vec<u8>) -> Result<()> {
    let end = if is_nul { 0 } else { b'\n' };
    let colours = Colours { is_on: is_short && !is_nul && Colours::of(repo).is_on };
    out.extend(b"## ");
    let Some(branch) = repo.refs.branch()? else {
        out.extend(colours.red(b"HEAD (no branch)"));
        out.push(end);
        return Ok(());
    };
    if repo.head()?.is_none() {
        out.extend(b"No commits yet on ");
    }
    out.extend(colours.green(&repo.branch_name()?));
    if let Some(upstream) = revision::upstream(repo, &branch) {
        out.extend(b"...");
        out.extend(colours.red(crate::store::refs::short_name(&upstream)));
        let number = |n: usize, paint: fn(Colours, &[u8]) -> Vec<u8>| {
            text(&paint(colours, n.to_string().as_bytes()))
        };
        let counts = match (repo.head()?, repo.refs.resolve(&upstream)?) {
            (Some(head), Some(other)) => match walk::ahead_behind(&repo.odb, head, other)? {
                (0, 0) => String::new(),
                (ahead, 0) => format!(" [ahead {}]", number(ahead, Colours::green)),
                (0, behind) => format!(" [behind {}]", number(behind, Colours::red)),
                (ahead, behind) => format!(
                    " [ahead {}, behind {}]",
                    number(ahead, Colours::green),
                    number(behind, Colours::red)
                ),
            },
            (_, None) => " [gone]".to_owned(),
            (None, Some(_)) => String::new(),
        };
        out.extend(counts.bytes());
    }
    out.push(end);
    Ok(())
}

fn branch_headers(repo: &Repo, out: &mut Vec<u8>) -> Result<()> {
    let head = repo.head()?;
    let oid = head.map_or_else(|| "(initial)".to_owned(), |oid| oid.to_string());
    let branch = repo.refs.branch()?;
    let name = match &branch {
        Some(_) => text(&repo.branch_name()?),
        None => "(detached)".to_owned(),
    };
    out.extend(format!("# branch.oid {oid}\n# branch.head {name}\n").bytes());
    if let Some(upstream) = branch.as_deref().and_then(|branch| revision::upstream(repo, branch)) {
        out.extend(
            format!("# branch.upstream {}\n", text(crate::store::refs::short_name(&upstream)))
                .bytes(),
        );
        if let (Some(head), Some(other)) = (head, repo.refs.resolve(&upstream)?) {
            let (ahead, behind) = walk::ahead_behind(&repo.odb, head, other)?;
            out.extend(format!("# branch.ab +{ahead} -{behind}\n").bytes());
        }
    }
    Ok(())
}

fn porcelain_two(
    repo: &Repo,
    index: &Index,
    state: &State,
    is_nul: bool,
    has_ignored: bool,
    out: &mut Vec<u8>,
) {
    let end = if is_nul { 0 } else { b'\n' };
    let shown = |path: &[u8]| if is_nul { path.to_vec() } else { quoted(path) };
    let mut lines: BTreeMap<&[u8], (Option<&Change>, Option<&Change>)> = BTreeMap::new();
    for change in &state.staged {
        lines.entry(&change.path).or_default().0 = Some(change);
    }
    for change in &state.unstaged {
        lines.entry(&change.path).or_default().1 = Some(change);
    }
    for (path, (staged, unstaged)) in lines {
        let letter = |change: Option<&Change>| change.map_or('.', |change| change.status.letter());
        let head = staged
            .map_or_else(|| unstaged.map(|c| c.old).unwrap_or(changes::Side::NONE), |c| c.old);
        let entry = index.get(path).map_or((0, Oid::ZERO), |entry| (entry.mode, entry.oid));
        let work = unstaged.map_or(entry.0, |change| change.new.mode);
        let (one, two) = (letter(staged), letter(unstaged));
        let score = staged.and_then(|change| match change.status {
            Status::Renamed(score) => Some(score),
            _ => None,
        });
        let kind = if score.is_some() { 2 } else { 1 };
        out.extend(
            format!(
                "{kind} {one}{two} N... {:06o} {:06o} {work:06o} {} {} ",
                head.mode, entry.0, head.oid, entry.1
            )
            .bytes(),
        );
        if let (Some(score), Some(change)) = (score, staged) {
            out.extend(format!("R{score} ").bytes());
            out.extend(shown(path));
            out.push(if is_nul { 0 } else { b'\t' });
            out.extend(shown(&change.old_path));
        } else {
            out.extend(shown(path));
        }
        out.push(end);
    }
    for (path, stages) in &state.conflicts {
        let side = |stage: u8| {
            let found = index.entries.iter().find(|e| e.path == *path && e.stage == stage);
            found.map_or((0, Oid::ZERO), |entry| (entry.mode, entry.oid))
        };
        let [a, b, c] = [1, 2, 3].map(side);
        let work = cofferdam_guest_sys::stat(&repo.work_path(path), false);
        let work = work
            .ok()
            .and_then(|status| crate::tree::work::tree_mode(repo, &status, None))
            .unwrap_or(0);
        let code = conflict_code(*stages).0;
        out.extend(
            format!(
                "u {code} N... {:06o} {:06o} {:06o} {work:06o} {} {} {} ",
                a.0, b.0, c.0, a.1, b.1, c.1
            )
            .bytes(),
        );
        out.extend(shown(path));
        out.push(end);
    }
    let ignored = if has_ignored { &state.found.ignored[..] } else { &[] };
    for (mark, paths) in [("? ", &state.found.untracked[..]), ("! ", ignored)] {
        for path in paths {
            out.extend(mark.bytes());
            out.extend(shown(path));
            out.push(end);
        }
    }
}

/// Returns the lines about the branch that the current one follows; empty if there is none.
pub(crate) fn tracking(repo: &Repo) -> Result<String> {
    let Some(branch) = repo.refs.branch()? else { return Ok(String::new()) };
    let Some(upstream) = revision::upstream(repo, &branch) else { return Ok(String::new()) };
    let name = text(crate::store::refs::short_name(&upstream));
    let Some(head) = repo.head()? else { return Ok(String::new()) };
    let Some(other) = repo.refs.resolve(&upstream)? else {
        return Ok(format!(
            "Your branch is based on '{name}', but the upstream is gone.\n  (use \"git branch --unset-upstream\" to fixup)\n"
        ));
    };
    let some = |n: usize| format!("{n} commit{}", if n == 1 { "" } else { "s" });
    Ok(match walk::ahead_behind(&repo.odb, head, other)? {
        (0, 0) => format!("Your branch is up to date with '{name}'.\n"),
        (ahead, 0) => format!(
            "Your branch is ahead of '{name}' by {}.\n  (use \"git push\" to publish your local commits)\n",
            some(ahead)
        ),
        (0, behind) => format!(
            "Your branch is behind '{name}' by {}, and can be fast-forwarded.\n  (use \"git pull\" to update your local branch)\n",
            some(behind)
        ),
        (ahead, behind) => format!(
            "Your branch and '{name}' have diverged,\nand have {ahead} and {behind} different commits each, respectively.\n  (use \"git pull\" if you want to integrate the remote branch with yours)\n"
        ),
    })
}

/// Returns the description of a `HEAD` that names no branch.
fn detached(repo: &Repo) -> Result<String> {
    let head = repo.head()?;
    let changes = reflog::read(&repo.git_dir, b"HEAD");
    let last = changes.iter().find(|change| change.message.starts_with(b"checkout: moving from "));
    let Some(last) = last else { return Ok("Not currently on any branch.".to_owned()) };
    let to = last.message.rsplit(|b| *b == b' ').next().unwrap_or_default();
    let shown = match revision::full_name(repo, to)? {
        Some(_) => text(to),
        None => repo.odb.short(last.new),
    };
    let word = if head == Some(last.new) { "at" } else { "from" };
    Ok(format!("HEAD detached {word} {shown}"))
}

/// Writes the long form, which `git commit` prints too.
pub(crate) fn long(
    repo: &Repo,
    state: &State,
    has_untracked: bool,
    has_ignored: bool,
    initial: &str,
    out: &mut Vec<u8>,
) -> Result<()> {
    let is_initial = repo.head()?.is_none();
    let colours = Colours::of(repo);
    let rebase = rebase::Progress::read(repo);
    match (repo.refs.branch()?, &rebase) {
        (Some(_), _) => out.extend(format!("On branch {}\n", text(&repo.branch_name()?)).bytes()),
        (None, Some(rebase)) => {
            let line = format!("interactive rebase in progress; onto {}", rebase.onto);
            let (word, onto) = line.split_at(line.len() - rebase.onto.len());
            out.extend([&colours.red(word.as_bytes()), onto.as_bytes(), b"\n"].concat());
        }
        (None, None) => {
            let line = detached(repo)?;
            let end = line
                .rfind(' ')
                .filter(|_| line.starts_with("HEAD"))
                .map_or(line.len(), |at| at + 1);
            out.extend(
                [&colours.red(&line.as_bytes()[..end]), &line.as_bytes()[end..], b"\n"].concat(),
            );
        }
    }
    let tracking = tracking(repo)?;
    if !tracking.is_empty() {
        out.extend(tracking.bytes());
        out.push(b'\n');
    }
    if let Some(rebase) = &rebase {
        rebase.write(!state.conflicts.is_empty(), out);
    } else {
        operation(repo, state, out);
    }
    if is_initial {
        out.extend(format!("\n{initial}\n\n").bytes());
    }
    let is_merging = repo.state("MERGE_HEAD").is_some()
        || repo.state("CHERRY_PICK_HEAD").is_some() && rebase.is_none();
    let hint =
        if is_initial { "git rm --cached <file>..." } else { "git restore --staged <file>..." };
    if !state.staged.is_empty() {
        out.extend(b"Changes to be committed:\n");
        if !is_merging {
            out.extend(format!("  (use \"{hint}\" to unstage)\n").bytes());
        }
        for change in &state.staged {
            out.extend(
                [b"\t".as_slice(), &colours.green(&long_line(repo, change)), b"\n"].concat(),
            );
        }
        out.push(b'\n');
    }
    if !state.conflicts.is_empty() {
        out.extend(b"Unmerged paths:\n");
        if !is_merging {
            out.extend(format!("  (use \"{hint}\" to unstage)\n").bytes());
        }
        let has_deleted =
            state.conflicts.values().any(|stages| matches!(stages, 0b001 | 0b011 | 0b101));
        let has_other =
            state.conflicts.values().any(|stages| !matches!(stages, 0b001 | 0b011 | 0b101));
        out.extend(match (has_deleted, has_other) {
            (false, _) => &b"  (use \"git add <file>...\" to mark resolution)\n"[..],
            (true, _) => b"  (use \"git add/rm <file>...\" as appropriate to mark resolution)\n",
        });
        for (path, stages) in &state.conflicts {
            let label = format!("{:<17}", conflict_code(*stages).1).into_bytes();
            let line = [label, quoted(&repo.shown(path))].concat();
            out.extend([b"\t".as_slice(), &colours.red(&line), b"\n"].concat());
        }
        out.push(b'\n');
    }
    if !state.unstaged.is_empty() {
        let has_deleted = state.unstaged.iter().any(|change| change.status == Status::Deleted);
        let verb = if has_deleted { "add/rm" } else { "add" };
        out.extend(format!("Changes not staged for commit:\n  (use \"git {verb} <file>...\" to update what will be committed)\n  (use \"git restore <file>...\" to discard changes in working directory)\n").bytes());
        for change in &state.unstaged {
            out.extend([b"\t".as_slice(), &colours.red(&long_line(repo, change)), b"\n"].concat());
        }
        out.push(b'\n');
    }
    let list = |title: &str, hint: &str, paths: &[Vec<u8>], out: &mut Vec<u8>| {
        if !paths.is_empty() {
            out.extend(format!("{title}:\n  ({hint})\n").bytes());
            for path in paths {
                let line = colours.red(&quoted(&repo.shown(path)));
                out.extend([b"\t".as_slice(), &line, b"\n"].concat());
            }
            out.push(b'\n');
        }
    };
    list(
        "Untracked files",
        "use \"git add <file>...\" to include in what will be committed",
        &state.found.untracked,
        out,
    );
    if has_ignored {
        list(
            "Ignored files",
            "use \"git add -f <file>...\" to include in what will be committed",
            &state.found.ignored,
            out,
        );
    }
    if !has_untracked && !state.staged.is_empty() {
        out.extend(b"Untracked files not listed (use -u option to show untracked files)\n");
    }
    let last: &[u8] = if !state.staged.is_empty() {
        b""
    } else if !state.unstaged.is_empty() || !state.conflicts.is_empty() {
        b"no changes added to commit (use \"git add\" and/or \"git commit -a\")\n"
    } else if !state.found.untracked.is_empty() {
        b"nothing added to commit but untracked files present (use \"git add\" to track)\n"
    } else if is_initial {
        b"nothing to commit (create/copy files and use \"git add\" to track)\n"
    } else if !has_untracked {
        b"nothing to commit (use -u to show untracked files)\n"
    } else {
        b"nothing to commit, working tree clean\n"
    };
    out.extend(last);
    Ok(())
}

/// Writes the lines about a merge or cherry-pick that is under way.
fn operation(repo: &Repo, state: &State, out: &mut Vec<u8>) {
    let has_conflicts = !state.conflicts.is_empty();
    let oid = |name: &str| {
        let data = repo.state(name).unwrap_or_default();
        Oid::parse(crate::bytes::trim(&data)).map(|oid| repo.odb.short(oid))
    };
    let three = |verb: &str, noun: &str| {
        let first = match has_conflicts {
            true => format!("  (fix conflicts and run \"git {verb} --continue\")\n"),
            false => format!("  (all conflicts fixed: run \"git {verb} --continue\")\n"),
        };
        format!(
            "{first}  (use \"git {verb} --skip\" to skip this patch)\n  (use \"git {verb} --abort\" to cancel the {noun} operation)\n\n"
        )
    };
    if repo.state("MERGE_HEAD").is_some() {
        out.extend(match has_conflicts {
            true => &b"You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n"[..],
            false => b"All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n",
        });
    } else if let Some(oid) = oid("CHERRY_PICK_HEAD") {
        out.extend(
            format!(
                "You are currently cherry-picking commit {oid}.\n{}",
                three("cherry-pick", "cherry-pick")
            )
            .bytes(),
        );
    } else if let Some(oid) = oid("REVERT_HEAD") {
        out.extend(
            format!("You are currently reverting commit {oid}.\n{}", three("revert", "revert"))
                .bytes(),
        );
    } else if repo.state("rebase-apply/next").is_some() {
        out.extend(b"You are in the middle of an am session.\n  (fix conflicts and then run \"git am --continue\")\n  (use \"git am --skip\" to skip this patch)\n  (use \"git am --abort\" to restore the original branch)\n\n");
    }
    if let Some(start) = repo.state("BISECT_START") {
        let start = text(crate::bytes::trim(&start));
        out.extend(format!("You are currently bisecting, started from branch '{start}'.\n  (use \"git bisect reset\" to get back to the original branch)\n\n").bytes());
    }
}

/// Returns the line of a change without its tab.
fn long_line(repo: &Repo, change: &Change) -> Vec<u8> {
    let label = match change.status {
        Status::Added => "new file:",
        Status::Deleted => "deleted:",
        Status::Modified => "modified:",
        Status::TypeChanged => "typechange:",
        Status::Renamed(_) => "renamed:",
        Status::Unmerged => "unmerged:",
    };
    let mut out = format!("{label:<12}").into_bytes();
    if matches!(change.status, Status::Renamed(_)) {
        out.extend(quoted(&repo.shown(&change.old_path)));
        out.extend(b" -> ");
    }
    out.extend(quoted(&repo.shown(&change.path)));
    out
}

/// Colours of the state, if they are wanted.
#[derive(Debug, Clone, Copy)]
struct Colours {
    is_on: bool,
}

impl Colours {
    fn of(repo: &Repo) -> Colours {
        Colours { is_on: coloured(repo, "color.status") }
    }

    fn put(self, colour: &[u8], text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match self.is_on {
            true => paint::put(colour, text, &mut out),
            false => out.extend(text),
        }
        out
    }

    fn red(self, text: &[u8]) -> Vec<u8> {
        self.put(paint::RED, text)
    }

    fn green(self, text: &[u8]) -> Vec<u8> {
        self.put(paint::GREEN, text)
    }
}
