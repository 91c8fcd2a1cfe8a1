//! `git bisect`: finds the commit that introduced a change.

use std::collections::{HashMap, HashSet};
use std::fs;

use super::{Call, checkout, log, show};
use crate::bytes::{self, text};
use crate::editor;
use crate::fault::{At, Fault, Result, error, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::Commit;
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::walk::{self, Walk};

/// Branch or commit at which the search began.
const START: &str = "BISECT_START";
const LOG: &str = "BISECT_LOG";
const TERMS: &str = "BISECT_TERMS";
const NAMES: &str = "BISECT_NAMES";
const EXPECTED: &str = "BISECT_EXPECTED_REV";
/// Exit code of a program that cannot tell: the commit is skipped.
const CANNOT_TELL: i32 = 125;

/// Words for the two kinds of commits.
struct Terms {
    bad: String,
    good: String,
}

impl Terms {
    fn of(repo: &Repo) -> Terms {
        let given = repo.state(TERMS).map(|data| text(&data)).unwrap_or_default();
        let mut lines = given.lines().map(str::to_owned);
        let mut next = |word: &str| lines.next().unwrap_or_else(|| word.to_owned());
        Terms { bad: next("bad"), good: next("good") }
    }

    fn write(&self, repo: &Repo) -> Result<()> {
        repo.set_state(TERMS, format!("{}\n{}\n", self.bad, self.good).as_bytes())
    }
}

/// Runs `git bisect`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let usage = "usage: git bisect [start|bad|good|new|old|terms|skip|next|reset|visualize|view|replay|log|run]";
    if call.args.is_empty() {
        return Err(Fault { code: 1, text: usage.to_owned() });
    }
    let verb = text(&call.args.remove(0));
    let repo = call.repo()?;
    repo.root()?;
    let is_running = repo.state(START).is_some();
    match verb.as_str() {
        "start" => return start(call, &repo),
        "reset" => return reset(call, &repo),
        _ => {}
    }
    let terms = Terms::of(&repo);
    let is_term = verb == terms.bad || verb == terms.good;
    let is_first_term = repo.state(TERMS).is_none() && matches!(verb.as_str(), "new" | "old");
    if !is_running && !matches!(verb.as_str(), "log" | "replay") {
        let text = "You need to start by \"git bisect start\"\n";
        return match is_term
            || is_first_term
            || matches!(verb.as_str(), "skip" | "next" | "run" | "visualize" | "view" | "terms")
        {
            true => Err(Fault { code: 1, text: text.to_owned() }),
            false => Err(Fault {
                code: 1,
                text: format!("error: unknown command: 'git bisect {verb}'\n\n{usage}"),
            }),
        };
    }
    match verb.as_str() {
        "skip" => {
            let names = operands(call);
            for name in &names {
                for oid in named(&repo, name)? {
                    mark(&repo, "skip", oid, true)?;
                }
            }
            next(call, &repo)
        }
        "next" => next(call, &repo),
        "log" => match repo.state(LOG) {
            Some(data) => {
                call.out.text(data);
                Ok(0)
            }
            None => Err(error("We are not bisecting.")),
        },
        "run" => run_program(call, &repo),
        "visualize" | "view" => {
            let bad = format!("refs/bisect/{}", terms.bad);
            call.args.extend([bad.into_bytes(), b"--not".to_vec()]);
            let good = format!("refs/bisect/{}-", terms.good);
            let all = repo.refs.list("refs/bisect/")?.into_iter().map(|(name, _)| name);
            call.args.extend(all.filter(|name| name.starts_with(good.as_bytes())));
            log::log(call)
        }
        "terms" => {
            call.out.line(format!(
                "Your current terms are {} for the old state\nand {} for the new state.",
                terms.good, terms.bad
            ));
            Ok(0)
        }
        "replay" => replay(call, &repo),
        _ => {
            let terms = match is_first_term {
                true => {
                    let terms = Terms { bad: "new".to_owned(), good: "old".to_owned() };
                    terms.write(&repo)?;
                    terms
                }
                false => terms,
            };
            if verb != terms.bad && verb != terms.good {
                let text = format!(
                    "error: Invalid command: you're currently in a {}/{} bisect\nfatal: unknown command: '{verb}'\n\n{usage}",
                    terms.bad, terms.good
                );
                return Err(Fault { code: 129, text });
            }
            if repo.state(TERMS).is_none() {
                terms.write(&repo)?;
            }
            for name in operands(call) {
                let oid = revision::commit(&repo, &name)
                    .map_err(|_| error(format!("Bad rev input: {}", text(&name))))?;
                mark(&repo, &verb, oid, true)?;
            }
            next(call, &repo)
        }
    }
}

fn operands(call: &mut Call<'_>) -> Vec<Vec<u8>> {
    match std::mem::take(&mut call.args) {
        args if args.is_empty() => vec![b"HEAD".to_vec()],
        args => args,
    }
}

/// Returns the commits of a name or of a range.
fn named(repo: &Repo, name: &[u8]) -> Result<Vec<Oid>> {
    let mut range = revision::Range::default();
    if !range.add(repo, name)? {
        return Err(error(format!("Bad rev input: {}", text(name))));
    }
    let hidden = walk::ancestors(&repo.odb, &range.hidden)?;
    if range.pair.is_none() {
        return Ok(range.shown);
    }
    let all = walk::ancestors(&repo.odb, &range.shown)?;
    Ok(all.difference(&hidden).copied().collect())
}

/// Adds lines to the log of the search.
fn record(repo: &Repo, lines: &str) -> Result<()> {
    let mut all = repo.state(LOG).unwrap_or_default();
    all.extend(lines.bytes());
    repo.set_state(LOG, &all)
}

/// Remembers a commit as bad, good or skipped.
fn mark(repo: &Repo, term: &str, oid: Oid, is_command: bool) -> Result<()> {
    let name = match term == Terms::of(repo).bad {
        true => format!("refs/bisect/{term}"),
        false => format!("refs/bisect/{term}-{oid}"),
    };
    repo.refs.write(name.as_bytes(), &Ref::Direct(oid))?;
    let subject = text(&repo.odb.commit(oid)?.subject());
    let mut lines = format!("# {term}: [{oid}] {subject}\n");
    if is_command {
        lines += &format!("git bisect {term} {oid}\n");
    }
    record(repo, &lines)
}

fn start(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let mut terms = Terms { bad: "bad".to_owned(), good: "good".to_owned() };
    let (mut names, mut paths, mut has_terms) = (Vec::new(), Vec::new(), false);
    let args = std::mem::take(&mut call.args);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let shown = text(arg);
        let (name, value) = match shown.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (shown.as_str(), None),
        };
        match name {
            "--term-good" | "--term-old" | "--term-bad" | "--term-new" => {
                let value = value.or_else(|| rest.next().map(|arg| text(arg)));
                let value = value.ok_or_else(|| error("'' is not a valid term"))?;
                has_terms = true;
                match name.ends_with("good") || name.ends_with("old") {
                    true => terms.good = value,
                    false => terms.bad = value,
                }
            }
            "--" => paths.extend(rest.by_ref().cloned()),
            "--no-checkout" | "--first-parent" => {}
            option if option.starts_with('-') => {
                return Err(Fault {
                    code: 1,
                    text: format!("error: unrecognized option: '{option}'"),
                });
            }
            _ => match revision::find(repo, arg)? {
                Some(_) => names.push(arg.clone()),
                None => {
                    paths.push(arg.clone());
                    paths.extend(rest.by_ref().cloned());
                }
            },
        }
    }
    let Some(head) = repo.head()? else { return Err(error("bad HEAD - I need a HEAD")) };
    // A search that is running begins anew, at the same place.
    let origin = match repo.state(START) {
        Some(origin) => {
            let origin = bytes::trim(&origin).to_vec();
            call.args = vec![origin.clone()];
            checkout::checkout(call)?;
            text(&origin)
        }
        None => match repo.refs.branch()? {
            Some(branch) => text(crate::store::refs::short_name(&branch)),
            None => head.to_string(),
        },
    };
    clear(repo)?;
    repo.set_state(START, format!("{origin}\n").as_bytes())?;
    let quoted = |words: &[Vec<u8>]| -> String {
        words.iter().map(|word| format!(" {}", quoted_word(word))).collect()
    };
    repo.set_state(NAMES, format!("{}\n", quoted(&paths)).as_bytes())?;
    if has_terms || !names.is_empty() {
        terms.write(repo)?;
    }
    for (n, name) in names.iter().enumerate() {
        let oid = revision::commit(repo, name)?;
        mark(repo, if n == 0 { &terms.bad } else { &terms.good }, oid, false)?;
    }
    record(repo, &format!("git bisect start{}\n", quoted(&args)))?;
    next(call, repo)
}

fn quoted_word(word: &[u8]) -> String {
    format!("'{}'", text(word).replace('\'', "'\\''"))
}

/// Removes the state of a search.
fn clear(repo: &Repo) -> Result<()> {
    for (name, _) in repo.refs.list("refs/bisect/")? {
        repo.refs.delete(&name)?;
    }
    for name in [EXPECTED, "BISECT_ANCESTORS_OK", LOG, NAMES, "BISECT_RUN", TERMS, START] {
        // A file that is not there needs no removal.
        let _ = fs::remove_file(bytes::path(&repo.file(name)));
    }
    Ok(())
}

fn reset(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    // As in git, nothing is said if no search is running.
    let Some(start) = repo.state(START) else { return Ok(0) };
    let target = match call.args.first() {
        Some(name) => name.clone(),
        None => bytes::trim(&start).to_vec(),
    };
    if revision::find(repo, &target)?.is_none() {
        return Err(error(format!("'{}' is not a valid commit", text(&target))));
    }
    call.args = vec![target];
    let code = checkout::checkout(call)?;
    clear(repo)?;
    Ok(code)
}

fn replay(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let file = call.args.first().cloned().ok_or_else(|| error("no logfile given"))?;
    let data = fs::read(bytes::path(&file))
        .map_err(|_| error(format!("cannot read file '{}' for replaying", text(&file))))?;
    clear(repo)?;
    for line in text(&data).lines() {
        let Some(rest) = line.trim().strip_prefix("git bisect ") else { continue };
        let words = rest.split_whitespace().map(|word| word.trim_matches('\'').as_bytes().to_vec());
        call.args = words.collect();
        run(call)?;
    }
    Ok(0)
}

/// Checks out the next commit to test, or tells what was found.
fn next(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let terms = Terms::of(repo);
    let bad = repo.refs.resolve(format!("refs/bisect/{}", terms.bad).as_bytes())?;
    let ids = |term: &str| -> Result<Vec<Oid>> {
        let prefix = format!("refs/bisect/{term}-");
        let all = repo.refs.list("refs/bisect/")?.into_iter();
        Ok(all
            .filter(|(name, _)| name.starts_with(prefix.as_bytes()))
            .map(|(_, oid)| oid)
            .collect())
    };
    let good = ids(&terms.good)?;
    let Some(bad) = bad.filter(|_| !good.is_empty()) else {
        let status = match (bad, good.len()) {
            // git does not use the search's own words here.
            (None, 0) => "waiting for both good and bad commits".to_owned(),
            (None, 1) => "waiting for bad commit, 1 good commit known".to_owned(),
            (None, n) => format!("waiting for bad commit, {n} good commits known"),
            (Some(_), _) => "waiting for good commit(s), bad commit known".to_owned(),
        };
        record(repo, &format!("# status: {status}\n"))?;
        call.out.line(format!("status: {status}"));
        return Ok(0);
    };
    for oid in &good {
        if !walk::is_ancestor(&repo.odb, *oid, bad)? {
            let (good, bad) = (&terms.good, &terms.bad);
            return Err(Fault {
                code: 1,
                text: format!(
                    "Some {good} revs are not ancestors of the {bad} rev.\ngit bisect cannot work properly in this case.\nMaybe you mistook {good} and {bad} revs?"
                ),
            });
        }
    }
    let all = candidates(repo, bad, &good)?;
    let skipped: HashSet<Oid> = ids("skip")?.into_iter().collect();
    let ranked = ranked(&all);
    let reaches: HashMap<Oid, usize> = ranked.iter().copied().collect();
    let Some((choice, _)) = ranked.iter().find(|(oid, _)| !skipped.contains(oid) && *oid != bad)
    else {
        let left: Vec<Oid> =
            all.iter().map(|(oid, _)| *oid).filter(|oid| skipped.contains(oid)).collect();
        if left.is_empty() {
            return found(call, repo, bad, &terms);
        }
        call.out.line("There are only 'skip'ped commits left to test.");
        call.out.line(format!("The first {} commit could be any of:", terms.bad));
        for oid in left.iter().chain([&bad]) {
            call.out.line(oid.to_string());
        }
        call.out.line("We cannot bisect more!");
        return Ok(2);
    };
    let left = all.len() - reaches[choice] - 1;
    let steps = steps(all.len());
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    call.out.line(format!(
        "Bisecting: {left} revision{} left to test after this (roughly {steps} step{})",
        plural(left),
        plural(steps)
    ));
    repo.set_state(EXPECTED, format!("{choice}\n").as_bytes())?;
    call.args = vec![b"-q".to_vec(), choice.to_string().into_bytes()];
    let code = checkout::checkout(call)?;
    if code == 0 {
        call.out.line(format!("[{choice}] {}", text(&repo.odb.commit(*choice)?.subject())));
    }
    Ok(code)
}

fn found(call: &mut Call<'_>, repo: &Repo, bad: Oid, terms: &Terms) -> Result<i32> {
    let subject = text(&repo.odb.commit(bad)?.subject());
    record(repo, &format!("# first {} commit: [{bad}] {subject}\n", terms.bad))?;
    call.out.line(format!("{bad} is the first {} commit", terms.bad));
    call.args = [&b"--stat"[..], b"--summary"].map(<[u8]>::to_vec).to_vec();
    call.args.push(bad.to_string().into_bytes());
    show::run(call)?;
    repo.set_state("BISECT_FOUND", b"")?;
    Ok(0)
}

/// Returns the commits that may be the first bad one, the oldest first.
fn candidates(repo: &Repo, bad: Oid, good: &[Oid]) -> Result<Vec<(Oid, Commit)>> {
    let mut walk = Walk::new(&repo.odb, walk::ancestors(&repo.odb, good)?);
    walk.push(bad)?;
    let mut all = Vec::new();
    while let Some((oid, commit)) = walk.pop() {
        for parent in walk::parents(&repo.odb, &commit) {
            walk.push(parent)?;
        }
        all.push((oid, commit));
    }
    all.reverse();
    Ok(all)
}

/// Returns the candidates with the number of candidates that each reaches; those that halve the
/// search best come first.
fn ranked(all: &[(Oid, Commit)]) -> Vec<(Oid, usize)> {
    let parents: HashMap<Oid, &[Oid]> =
        all.iter().map(|(oid, commit)| (*oid, commit.parents.as_slice())).collect();
    let mut ranked: Vec<(Oid, usize)> = Vec::new();
    for (oid, _) in all {
        let mut seen = HashSet::new();
        let mut todo = vec![*oid];
        while let Some(next) = todo.pop() {
            if let Some(parents) = parents.get(&next)
                && seen.insert(next)
            {
                todo.extend_from_slice(parents);
            }
        }
        ranked.push((*oid, seen.len()));
    }
    // As in git, the first commit that halves the search wins, merges before others; a commit
    // without parents among the candidates is not considered for that.
    let place = |(oid, reached): &(Oid, usize)| {
        let known = parents[oid].iter().filter(|parent| parents.contains_key(parent)).count();
        let halves = known > 0 && (2 * reached).abs_diff(all.len()) <= 1;
        let distance = (*reached).min(all.len() - reached);
        (!halves, halves && known < 2, std::cmp::Reverse(if halves { 0 } else { distance }))
    };
    ranked.sort_by_key(place);
    ranked
}

/// Returns the estimated number of steps for a number of candidates.
fn steps(all: usize) -> usize {
    if all < 3 {
        return 0;
    }
    let n = all.ilog2() as usize;
    let power = 1 << n;
    if power < 3 * (all - power) { n } else { n - 1 }
}

fn run_program(call: &mut Call<'_>, repo: &Repo) -> Result<i32> {
    let program = std::mem::take(&mut call.args);
    if program.is_empty() {
        return Err(error("'git bisect run' failed: no command provided."));
    }
    let terms = Terms::of(repo);
    let shown = program.iter().map(|word| quoted_word(word)).collect::<Vec<_>>().join(" ");
    loop {
        call.out.line(format!("running {shown}"));
        call.out.flush();
        let mut args: Vec<&[u8]> = vec![b"git-bisect-run"];
        args.extend(program.iter().map(Vec::as_slice));
        let status = editor::shell(b"\"$@\"", &args, editor::Stdout::Own);
        if !(0..128).contains(&status) {
            let text =
                format!("bisect run failed: exit code {status} from {shown} is < 0 or >= 128");
            return Err(error(text));
        }
        let term = match status {
            0 => terms.good.as_str(),
            CANNOT_TELL => "skip",
            _ => terms.bad.as_str(),
        };
        let found = repo.file("BISECT_FOUND");
        let head = repo.head()?.ok_or_else(|| fatal("bad HEAD - I need a HEAD"))?;
        mark(repo, term, head, true)?;
        let code = next(call, repo)?;
        if crate::repo::exists(&found) {
            fs::remove_file(bytes::path(&found)).at(&found)?;
            call.out.line("bisect found first bad commit");
            return Ok(0);
        }
        if code == 2 {
            return Err(error("bisect run cannot continue any more"));
        }
        if code != 0 {
            return Ok(code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_estimated_as_git_does() {
        for (all, expect) in [(1, 0), (2, 0), (3, 1), (4, 1), (7, 2), (8, 2), (10, 2), (11, 3)] {
            assert_eq!(steps(all), expect, "{all}");
        }
    }
}
