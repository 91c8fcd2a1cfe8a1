//! `git log`, `git reflog`, `git rev-list` and `git shortlog`.

use std::collections::{BTreeMap, HashMap, HashSet};

use regex::bytes::{Regex, RegexBuilder};

use super::diff::split_operands;
use super::{Call, line_log};
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{At, Fault, Result, fatal};
use crate::repo::Repo;
use crate::report::beside;
use crate::report::combined::{self, Density};
use crate::report::decorate::Decorations;
use crate::report::graph::{Drawn, Graph};
use crate::report::options::{DiffOptions, Format};
use crate::report::pickaxe::Pickaxe;
use crate::report::pretty::{Pretty, Printer};
use crate::report::same;
use crate::revision::{self, Range};
use crate::store::object::{Commit, Kind, Signature};
use crate::store::oid::Oid;
use crate::store::reflog as history;
use crate::text::date::{self, Form};
use crate::tree::changes::{self, Change, Status};
use crate::tree::pathspec::Pathspecs;
use crate::walk::{self, Walk};

const VALUED: Valued = Valued {
    short: "nUSGL",
    attached: "MC",
    long: &[
        "--max-count",
        "--skip",
        "--since",
        "--after",
        "--until",
        "--before",
        "--author",
        "--committer",
        "--grep",
        "--date",
        "--unified",
        "--diff-filter",
        "--exclude",
        "--diff-merges",
    ],
};

/// Selection of commits.
#[derive(Default)]
struct Select {
    most: Option<usize>,
    skip: usize,
    since: Option<i64>,
    until: Option<i64>,
    authors: Vec<Regex>,
    committers: Vec<Regex>,
    greps: Vec<Regex>,
    is_grep_inverted: bool,
    needs_all_greps: bool,
    /// Numbers of parents.
    parents: (usize, Option<usize>),
    is_first_parent: bool,
    is_reversed: bool,
    is_following: bool,
    is_by_author_date: bool,
    is_topological: bool,
    pickaxe: Option<Pickaxe>,
    is_count: bool,
    shows_parents: bool,
    shows_children: bool,
    shows_sides: bool,
    shows_source: bool,
    has_boundary: bool,
    has_objects: bool,
    is_by_decoration: bool,
    is_graph: bool,
    is_reflog: bool,
    is_ancestry: bool,
    /// Side of `a...b` that is shown.
    side: Option<char>,
    cherry: Cherry,
    /// Only the named commits are shown.
    is_standing: bool,
    /// Times are printed before the identities.
    has_time: bool,
}

/// Treatment of commits that both sides of `a...b` have in their own way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Cherry {
    #[default]
    Shown,
    Hidden,
    Marked,
}

/// Differences that are shown of merges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Merges {
    Hidden,
    FirstParent,
    Combined(Density),
}

/// Arguments of `git log` and its kin.
struct Wish<'r> {
    select: Select,
    options: DiffOptions,
    printer: Printer<'r>,
    range: Range,
    paths: Pathspecs,
    path_args: Vec<Vec<u8>>,
    merges: Merges,
    is_oneline: bool,
    /// Ranges of lines, `-L`.
    lines: Vec<String>,
    /// Marks of commits in a graph.
    marks: HashMap<Oid, char>,
    /// Names of the commits at which the walk begins.
    tips: Vec<(String, Oid)>,
}

fn regex(pattern: &str, is_insensitive: bool, is_fixed: bool) -> Result<Regex> {
    let pattern = if is_fixed { regex::escape(pattern) } else { pattern.replace("\\|", "|") };
    RegexBuilder::new(&pattern)
        .case_insensitive(is_insensitive)
        .multi_line(true)
        .build()
        .map_err(|_| fatal(format!("invalid regular expression: {pattern}")))
}

fn wish<'r>(call: &mut Call<'_>, repo: &'r Repo) -> Result<Wish<'r>> {
    let mut select = Select::default();
    let mut options = DiffOptions::new(repo);
    let mut printer = Printer::new(repo, Pretty::Medium);
    let (mut operands, mut paths, mut has_dashes) = (Vec::new(), Vec::new(), false);
    let mut groups: Vec<&str> = Vec::new();
    let (mut is_insensitive, mut is_fixed) = (false, false);
    let (mut greps, mut authors, mut committers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut decorate, mut has_full_names) = (false, false);
    let (mut merges, mut is_oneline, mut is_not) = (Merges::Hidden, false, false);
    let now = Repo::now();
    let time = |value: &Option<Vec<u8>>| -> Result<i64> {
        let given = value_text(value);
        date::parse(&given, now)
            .map(|(seconds, _)| seconds)
            .ok_or_else(|| fatal(format!("invalid date: {given}")))
    };
    let number = |value: &Option<Vec<u8>>| -> Result<usize> {
        let given = value_text(value);
        given.parse().map_err(|_| fatal(format!("'{given}': not an integer")))
    };
    let mut negated: Vec<Vec<u8>> = Vec::new();
    let mut has_notes = true;
    let mut lines = Vec::new();
    for arg in call.parse(&VALUED)? {
        let (name, value) = match arg {
            Arg::Option(name, value) => (name, value),
            Arg::Operand(operand) => {
                match (has_dashes, is_not) {
                    (true, _) => paths.push(operand),
                    (false, true) => negated.push([b"^".as_slice(), &operand].concat()),
                    (false, false) => operands.push(operand),
                }
                continue;
            }
            Arg::Dashes => {
                has_dashes = true;
                continue;
            }
        };
        match name.as_str() {
            "-n" | "--max-count" => select.most = Some(number(&value)?),
            "--skip" => select.skip = number(&value)?,
            "--since" | "--after" => select.since = Some(time(&value)?),
            "--until" | "--before" => select.until = Some(time(&value)?),
            "--author" => authors.push(value_text(&value)),
            "--committer" => committers.push(value_text(&value)),
            "--grep" => greps.push(value_text(&value)),
            "-i" | "--regexp-ignore-case" => is_insensitive = true,
            "-F" | "--fixed-strings" => is_fixed = true,
            "-E" | "-P" | "--extended-regexp" | "--perl-regexp" => {}
            "--invert-grep" => select.is_grep_inverted = true,
            "--all-match" => select.needs_all_greps = true,
            "--merges" => select.parents.0 = 2,
            "--no-merges" => select.parents.1 = Some(1),
            "--min-parents" => select.parents.0 = number(&value)?,
            "--max-parents" => select.parents.1 = Some(number(&value)?),
            "--first-parent" => select.is_first_parent = true,
            "--reverse" => select.is_reversed = true,
            "--follow" => select.is_following = true,
            "--topo-order" => select.is_topological = true,
            "--author-date-order" => select.is_by_author_date = true,
            "--date-order" | "--full-history" | "--simplify-merges" | "--sparse"
            | "--ignore-missing" => {}
            "-S" => select.pickaxe = value.map(Pickaxe::Text),
            "-G" => select.pickaxe = Some(Pickaxe::pattern(&value_text(&value))?),
            "--count" => select.is_count = true,
            "--parents" => select.shows_parents = true,
            "--graph" => select.is_graph = true,
            "-g" | "--walk-reflogs" => select.is_reflog = true,
            "--all" => groups.push("refs/"),
            "--branches" => groups.push("refs/heads/"),
            "--tags" => groups.push("refs/tags/"),
            "--remotes" => groups.push("refs/remotes/"),
            "--not" => is_not = !is_not,
            "--oneline" => {
                printer.pretty = Pretty::Oneline;
                printer.is_abbreviated = true;
                is_oneline = true;
            }
            "--pretty" if value.is_none() => printer.pretty = Pretty::Medium,
            "--pretty" | "--format" => printer.pretty = Pretty::parse(&value_text(&value))?,
            "--abbrev-commit" => printer.is_abbreviated = true,
            "--no-abbrev-commit" => printer.is_abbreviated = false,
            "--abbrev" => printer.digits = value_text(&value).parse().ok(),
            "--date" => {
                let given = value_text(&value);
                printer.date = Form::parse(&given)
                    .ok_or_else(|| fatal(format!("unknown date format {given}")))?;
            }
            "--relative-date" => printer.date = Form::Relative,
            "--decorate" => {
                decorate = value.as_deref() != Some(b"no");
                has_full_names = value.as_deref() == Some(b"full");
            }
            "--simplify-by-decoration" => select.is_by_decoration = true,
            "--left-right" => select.shows_sides = true,
            "--source" => select.shows_source = true,
            "--boundary" => select.has_boundary = true,
            "--children" => select.shows_children = true,
            "--objects" => select.has_objects = true,
            "--color" | "--no-color" => {
                options.take(&name, value.as_deref().map(text).as_deref())?;
                printer.is_coloured = options.is_coloured;
            }
            "--no-decorate" => decorate = false,
            "-m" => merges = Merges::FirstParent,
            "-c" => merges = Merges::Combined(Density::All),
            "--cc" => merges = Merges::Combined(Density::Dense),
            "--diff-merges" => {
                merges = match value_text(&value).as_str() {
                    "off" | "none" => Merges::Hidden,
                    "on" | "m" | "separate" | "first-parent" | "1" => Merges::FirstParent,
                    "c" | "combined" => Merges::Combined(Density::All),
                    "cc" | "dense-combined" => Merges::Combined(Density::Dense),
                    other => {
                        return Err(fatal(format!("invalid value for '--diff-merges': '{other}'")));
                    }
                }
            }
            "--no-notes" => has_notes = false,
            "--notes" | "--show-notes" => {
                printer.read_notes(value.as_deref().map(text).as_deref())?;
            }
            "--ancestry-path" => select.is_ancestry = true,
            "--left-only" => select.side = Some('<'),
            "--right-only" => select.side = Some('>'),
            "--cherry-pick" => select.cherry = Cherry::Hidden,
            "--cherry-mark" => select.cherry = Cherry::Marked,
            "--cherry" => {
                select.cherry = Cherry::Marked;
                select.side = Some('>');
                select.parents.1 = Some(1);
            }
            "--no-walk" => select.is_standing = true,
            "--timestamp" => select.has_time = true,
            "--stdin" => {
                for line in std::io::BufRead::split(std::io::stdin().lock(), b'\n') {
                    let line = line.at(b"standard input")?;
                    if !line.is_empty() {
                        operands.push(line);
                    }
                }
            }
            "--show-signature"
            | "--use-mailmap"
            | "--no-mailmap"
            | "--clear-decorations"
            | "--decorate-refs"
            | "--encoding"
            | "--exclude"
            | "--dense"
            | "--show-pulls"
            | "--no-expand-tabs"
            | "--no-ext-diff" => {}
            "-L" => {
                lines.push(value_text(&value));
            }
            _ => {
                if !options.take(&name, value.as_deref().map(text).as_deref())? {
                    return Err(fatal(format!("unrecognized argument: {name}")));
                }
            }
        }
    }
    if matches!(merges, Merges::Combined(_)) && options.formats.is_empty() {
        options.formats.push(Format::Patch);
    }
    operands.extend(negated);
    let wants_notes = match &printer.pretty {
        Pretty::Format { format, .. } => format.contains("%N"),
        _ => true,
    };
    match has_notes {
        true if printer.notes.is_empty() && wants_notes => printer.read_notes(None)?,
        true => {}
        false => printer.notes.clear(),
    }
    for (patterns, to) in [
        (greps, &mut select.greps),
        (authors, &mut select.authors),
        (committers, &mut select.committers),
    ] {
        for pattern in patterns {
            to.push(regex(&pattern, is_insensitive, is_fixed)?);
        }
    }
    let needs_names = match &printer.pretty {
        Pretty::Format { format, .. } => {
            format.contains("%d")
                || format.contains("%D")
                || format.contains("d%")
                || format.contains('d')
        }
        _ => decorate,
    };
    printer.is_decorated = decorate;
    if needs_names || select.is_by_decoration {
        printer.decorations = Decorations::of_repo(repo, has_full_names)?;
    }
    let (mut range, names) = split_operands(repo, operands, &mut paths, has_dashes)?;
    let mut tips: Vec<(String, Oid)> =
        names.iter().map(|name| text(name)).zip(range.shown.iter().copied()).collect();
    for group in &groups {
        for (name, oid) in repo.refs.list(group)? {
            if let Ok(oid) = revision::peel(repo, oid, Kind::Commit) {
                range.shown.push(oid);
                tips.push((text(&name), oid));
            }
        }
        if *group == "refs/" {
            range.shown.extend(repo.head()?);
        }
    }
    for oid in range.shown.iter_mut().chain(&mut range.hidden) {
        *oid = revision::peel(repo, *oid, Kind::Commit)?;
    }
    let needs_head = range.shown.is_empty() && names.iter().all(|name| name.starts_with(b"^"));
    if needs_head && groups.is_empty() {
        match repo.head()? {
            Some(head) => {
                range.shown.push(head);
                tips.push(("HEAD".to_owned(), head));
            }
            None => {
                let branch = text(&repo.branch_name()?);
                return Err(fatal(format!(
                    "your current branch '{branch}' does not have any commits yet"
                )));
            }
        }
    }
    let specs = if paths.is_empty() { Pathspecs::all() } else { Pathspecs::new(repo, &paths)? };
    Ok(Wish {
        select,
        options,
        printer,
        range,
        paths: specs,
        path_args: paths,
        merges,
        is_oneline,
        marks: HashMap::new(),
        lines,
        tips,
    })
}

impl Select {
    fn takes(&self, commit: &Commit) -> bool {
        let any = |patterns: &[Regex], text: &[u8]| {
            patterns.is_empty() || patterns.iter().any(|p| p.is_match(text))
        };
        let person = |line: &[u8]| {
            line[..line.iter().rposition(|b| *b == b'>').map_or(line.len(), |at| at + 1)].to_vec()
        };
        let has_text = match self.needs_all_greps {
            true => self.greps.iter().all(|p| p.is_match(&commit.message)),
            false => any(&self.greps, &commit.message),
        };
        let count = commit.parents.len();
        (has_text != self.is_grep_inverted || self.greps.is_empty())
            && any(&self.authors, &person(&commit.author))
            && any(&self.committers, &person(&commit.committer))
            && self.until.is_none_or(|until| commit.time() <= until)
            && count >= self.parents.0
            && self.parents.1.is_none_or(|most| count <= most)
    }
}

/// Returns the changes that a commit made to its first parent.
pub(crate) fn changes_of(repo: &Repo, commit: &Commit, paths: &Pathspecs) -> Result<Vec<Change>> {
    let old = match commit.parents.first().filter(|parent| repo.odb.has(**parent)) {
        Some(parent) => repo.odb.commit(*parent)?.tree,
        None => Oid::ZERO,
    };
    changes::trees(&repo.odb, old, commit.tree, paths)
}

/// Walks the history and returns the selected commits with their paths.
fn commits(repo: &Repo, wish: &mut Wish<'_>) -> Result<Vec<(Oid, Commit)>> {
    let hidden: HashSet<Oid> = walk::ancestors(&repo.odb, &wish.range.hidden)?;
    let mut all = Walk::new(&repo.odb, hidden);
    for oid in &wish.range.shown {
        all.push(*oid)?;
    }
    let mut found = Vec::new();
    // Parents that are followed, for commits that are shown without those between.
    let mut followed: HashMap<Oid, Vec<Oid>> = HashMap::new();
    let mut skipped = 0;
    while let Some((oid, commit)) = all.pop() {
        if wish.select.since.is_some_and(|since| commit.time() < since) {
            continue;
        }
        let mut parents = walk::parents(&repo.odb, &commit);
        if wish.select.is_first_parent {
            parents.truncate(1);
        }
        let mut is_taken = wish.select.takes(&commit);
        is_taken &= !wish.select.is_by_decoration || wish.printer.decorations.has(oid);
        if !wish.paths.is_empty() {
            let mut same = None;
            let mut is_changed = true;
            if commit.parents.is_empty() {
                is_changed =
                    !changes::trees(&repo.odb, Oid::ZERO, commit.tree, &wish.paths)?.is_empty();
            }
            for parent in &parents {
                let tree = repo.odb.commit(*parent)?.tree;
                if changes::trees(&repo.odb, tree, commit.tree, &wish.paths)?.is_empty() {
                    same = Some(*parent);
                    break;
                }
            }
            if let Some(same) = same {
                // A parent without a difference explains everything; other branches need no visit.
                parents = vec![same];
                is_changed = false;
            }
            is_taken &= is_changed;
            if is_changed && wish.select.is_following {
                follow(repo, &commit, wish)?;
            }
        }
        if is_taken && wish.options.filter.is_some() {
            let is_shown = commit.parents.len() < 2 || wish.merges == Merges::FirstParent;
            let changes = changes_of(repo, &commit, &wish.paths)?;
            is_taken = is_shown && !wish.options.prepare(repo, changes)?.is_empty();
        }
        if is_taken && let Some(pickaxe) = &wish.select.pickaxe {
            let changes = changes_of(repo, &commit, &wish.paths)?;
            is_taken = !pickaxe.filter(repo, changes)?.is_empty();
        }
        if !wish.select.is_standing {
            for parent in &parents {
                all.push(*parent)?;
            }
        }
        if !wish.paths.is_empty() {
            followed.insert(oid, parents);
        }
        if !is_taken {
            continue;
        }
        if skipped < wish.select.skip {
            skipped += 1;
            continue;
        }
        if wish.select.most.is_some_and(|most| found.len() >= most) {
            break;
        }
        found.push((oid, commit));
    }
    select_sides(repo, wish, &mut found)?;
    let is_joined = wish.select.is_graph || wish.select.shows_parents;
    if !wish.paths.is_empty() && is_joined {
        let shown: HashSet<Oid> = found.iter().map(|(oid, _)| *oid).collect();
        let mut nearest = rewritten(&shown, &followed);
        for (oid, commit) in &mut found {
            commit.parents = nearest.remove(oid).unwrap_or_default();
        }
    }
    if wish.select.is_topological || wish.select.is_graph {
        found = topological(found);
    }
    if let Some((left, _)) = wish.range.symmetric.filter(|_| wish.select.shows_sides) {
        for (oid, mark) in beside::sides(repo, &found, left)? {
            wish.printer.marks.entry(oid).or_insert(mark);
        }
    }
    let short = |oid: &Oid| match wish.printer.is_abbreviated {
        true => repo.odb.short(*oid),
        false => oid.to_string(),
    };
    let joined = |oids: &[Oid]| oids.iter().map(|oid| format!(" {}", short(oid))).collect();
    if wish.select.shows_parents {
        let one = |(oid, commit): &(Oid, Commit)| (*oid, joined(&commit.parents));
        wish.printer.beside = found.iter().map(one).collect();
    }
    if wish.select.shows_children {
        let children = beside::children(&found);
        wish.printer.beside = children.iter().map(|(oid, all)| (*oid, joined(all))).collect();
    }
    if wish.select.shows_source {
        wish.printer.beside = beside::sources(&found, &wish.tips);
    }
    if wish.select.has_boundary {
        let ends = beside::boundary(repo, &found)?;
        wish.printer.marks.extend(ends.iter().map(|(oid, _)| (*oid, '-')));
        found.extend(ends);
    }
    if wish.select.is_reversed {
        found.reverse();
    }
    if wish.select.is_graph {
        // The graph has the marks instead of its stars.
        wish.marks = std::mem::take(&mut wish.printer.marks)
            .into_iter()
            .map(|(oid, mark)| (oid, if mark == '-' { 'o' } else { mark }))
            .collect();
    }
    Ok(found)
}

/// Drops the commits of one side of `a...b`, those that both sides have, and those that are not on
/// the way from the hidden ones.
fn select_sides(repo: &Repo, wish: &mut Wish<'_>, found: &mut Vec<(Oid, Commit)>) -> Result<()> {
    if let Some((left, _)) = wish.range.symmetric {
        let sides = beside::sides(repo, found, left)?;
        let side_of = |oid: &Oid| sides.get(oid).copied().unwrap_or('>');
        if wish.select.cherry != Cherry::Shown {
            let mut changes: HashMap<Oid, [bool; 2]> = HashMap::new();
            let mut own: HashMap<Oid, Oid> = HashMap::new();
            for (oid, commit) in found.iter() {
                if let Some(change) = same::change(repo, commit)? {
                    own.insert(*oid, change);
                    changes.entry(change).or_default()[usize::from(side_of(oid) == '<')] = true;
                }
            }
            let is_equal =
                |oid: &Oid| own.get(oid).is_some_and(|change| changes[change] == [true, true]);
            match wish.select.cherry {
                Cherry::Hidden => found.retain(|(oid, _)| !is_equal(oid)),
                Cherry::Marked => {
                    for (oid, _) in found.iter() {
                        let mark = if is_equal(oid) { '=' } else { '+' };
                        wish.printer.marks.insert(*oid, mark);
                    }
                }
                Cherry::Shown => {}
            }
        }
        if let Some(side) = wish.select.side {
            found.retain(|(oid, _)| side_of(oid) == side);
        }
        wish.printer.sides = sides;
    }
    if wish.select.is_ancestry {
        let bottoms: HashSet<Oid> = wish.range.hidden.iter().copied().collect();
        let mut inside: HashSet<Oid> = HashSet::new();
        // The oldest come last; a few rounds settle commits whose dates are out of order.
        loop {
            let before = inside.len();
            for (oid, commit) in found.iter().rev() {
                if commit.parents.iter().any(|p| bottoms.contains(p) || inside.contains(p)) {
                    inside.insert(*oid);
                }
            }
            if inside.len() == before {
                break;
            }
        }
        found.retain(|(oid, _)| inside.contains(oid));
    }
    Ok(())
}

/// Returns the nearest ancestors that are shown, for all shown commits.
fn rewritten(shown: &HashSet<Oid>, followed: &HashMap<Oid, Vec<Oid>>) -> HashMap<Oid, Vec<Oid>> {
    let nearest = |mut oid: Oid| loop {
        if shown.contains(&oid) {
            return Some(oid);
        }
        oid = *followed.get(&oid)?.first()?;
    };
    let one = |oid: &Oid| {
        let mut parents: Vec<Oid> = Vec::new();
        for parent in followed.get(oid).into_iter().flatten().filter_map(|oid| nearest(*oid)) {
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
        (*oid, parents)
    };
    shown.iter().map(one).collect()
}

/// Orders commits so that none comes before all of its children.
pub(crate) fn topological(found: Vec<(Oid, Commit)>) -> Vec<(Oid, Commit)> {
    let mut children: std::collections::HashMap<Oid, usize> =
        found.iter().map(|(oid, _)| (*oid, 0)).collect();
    for (_, commit) in &found {
        for parent in &commit.parents {
            if let Some(count) = children.get_mut(parent) {
                *count += 1;
            }
        }
    }
    let order: Vec<Oid> = found.iter().map(|(oid, _)| *oid).collect();
    let mut rest: std::collections::HashMap<Oid, Commit> = found.into_iter().collect();
    let mut stack: Vec<Oid> =
        order.iter().rev().copied().filter(|oid| children[oid] == 0).collect();
    let mut out = Vec::new();
    while let Some(oid) = stack.pop() {
        let Some(commit) = rest.remove(&oid) else { continue };
        for parent in &commit.parents {
            if let Some(count) = children.get_mut(parent) {
                *count -= 1;
                if *count == 0 {
                    stack.push(*parent);
                }
            }
        }
        out.push((oid, commit));
    }
    out
}

/// Follows a file over a rename: the next commits are compared by its old name.
fn follow(repo: &Repo, commit: &Commit, wish: &mut Wish<'_>) -> Result<()> {
    let all = changes_of(repo, commit, &Pathspecs::all())?;
    let all = crate::tree::renames::find(repo, all, crate::tree::renames::SIMILARITY)?;
    let renamed = all.into_iter().find(|change| {
        matches!(change.status, Status::Renamed(_)) && wish.paths.selects(&change.path)
    });
    if let Some(change) = renamed {
        let top = [b":(top,literal)".as_slice(), &change.old_path].concat();
        wish.path_args.push(top.clone());
        wish.paths = Pathspecs::new(repo, &[top])?;
    }
    Ok(())
}

/// Runs `git log`.
pub(crate) fn log(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut wish = wish(call, &repo)?;
    if wish.select.is_reflog {
        return reflog_of(call, &repo, &wish, b"HEAD");
    }
    if !wish.lines.is_empty() {
        let tip = *wish.range.shown.first().ok_or_else(|| fatal("no commit to begin with"))?;
        let shown = line_log::Shown {
            printer: &wish.printer,
            options: &wish.options,
            is_oneline: wish.is_oneline || wish.printer.pretty == Pretty::Oneline,
            is_format: matches!(wish.printer.pretty, Pretty::Format { is_separator: false, .. }),
            most: wish.select.most,
            takes: &|commit| wish.select.takes(commit),
        };
        return line_log::run(call, &repo, &wish.lines, tip, &wish.range.hidden, &shown);
    }
    let is_following = wish.select.is_following;
    let found = commits(&repo, &mut wish)?;
    print(call, &repo, &wish, &found, is_following)
}

fn print(
    call: &mut Call<'_>,
    repo: &Repo,
    wish: &Wish<'_>,
    found: &[(Oid, Commit)],
    is_following: bool,
) -> Result<i32> {
    let every = if is_following { Pathspecs::all() } else { Pathspecs::new(repo, &[])? };
    let has_output = !wish.options.formats.is_empty() && !wish.options.is_silent;
    let mut graph = Graph::default();
    // Parents that only the number of commits cuts off keep their columns.
    let mut open = HashSet::new();
    if wish.select.is_graph && wish.select.most == Some(found.len()) && wish.paths.is_empty() {
        let hidden = walk::ancestors(&repo.odb, &wish.range.hidden)?;
        let parents = found.iter().flat_map(|(_, commit)| &commit.parents);
        open.extend(parents.filter(|parent| !hidden.contains(parent)).copied());
    }
    let places: HashMap<Oid, usize> =
        found.iter().enumerate().map(|(n, (oid, _))| (*oid, n)).collect();
    for (n, (oid, commit)) in found.iter().enumerate() {
        let mut out = Vec::new();
        wish.printer.write(*oid, commit, None, &mut out);
        // The end of the message; what follows has its own place in a graph.
        let is_separated = matches!(wish.printer.pretty, Pretty::Format { is_separator: true, .. });
        let is_format = matches!(wish.printer.pretty, Pretty::Format { .. });
        let is_last = n + 1 == found.len();
        // An empty format has no line of its own before a difference.
        let is_empty = has_output
            && matches!(&wish.printer.pretty, Pretty::Format { format, .. } if format.is_empty());
        // A separator comes after the difference, which then begins on a line of its own.
        if is_format
            && !is_empty
            && !(is_separated && has_output)
            && !(is_separated && is_last && !has_output)
            && (!out.is_empty() || is_separated)
        {
            out.push(b'\n');
        }
        let message = out.len();
        if has_output
            && (commit.parents.len() < 2
                || wish.merges == Merges::FirstParent
                || wish.select.is_first_parent)
        {
            let paths = if is_following { &every } else { &wish.paths };
            let mut changed = wish.options.prepare(repo, changes_of(repo, commit, paths)?)?;
            if let Some(pickaxe) = &wish.select.pickaxe {
                changed = pickaxe.filter(repo, changed)?;
            }
            if is_following {
                let names: Vec<Vec<u8>> = wish.path_args.clone();
                let specs = Pathspecs::new(repo, &names)?;
                changed.retain(|change| specs.selects(&change.path));
            }
            let mut text = Vec::new();
            wish.options.write(repo, &changed, &mut text)?;
            if !text.is_empty() {
                let starts_apart =
                    matches!(wish.options.formats.as_slice(), [Format::Patch]) || !wish.is_oneline;
                let is_oneline = wish.is_oneline || wish.printer.pretty == Pretty::Oneline;
                if !is_oneline && starts_apart && !is_empty {
                    let has = |format: Format| wish.options.formats.contains(&format);
                    if has(Format::Stat) && has(Format::Patch) {
                        out.extend(b"---");
                    }
                    out.push(b'\n');
                }
                out.extend(text);
            }
        }
        if has_output
            && commit.parents.len() > 1
            && let Merges::Combined(density) = wish.merges
        {
            let mut text = Vec::new();
            let paths = if is_following { &every } else { &wish.paths };
            combined::commit(repo, commit, &wish.options, paths, density, &mut text)?;
            if !wish.is_oneline {
                out.push(b'\n');
            }
            out.extend(text);
        }
        let is_apart =
            !is_format && !matches!(wish.printer.pretty, Pretty::Oneline | Pretty::Reference);
        if is_apart && !is_last {
            out.push(b'\n');
        }
        if is_separated && has_output && !is_last {
            out.push(b'\n');
        }
        match wish.select.is_graph {
            true => {
                let place = |parent: &&Oid| {
                    open.contains(*parent) || places.get(*parent).is_some_and(|place| *place > n)
                };
                let (message, rest) = out.split_at(message);
                let drawn = Drawn {
                    oid: *oid,
                    parents: commit.parents.iter().filter(place).copied().collect(),
                    mark: wish.marks.get(oid).copied().unwrap_or('*'),
                    message,
                    rest,
                    is_separated: !is_last && (is_apart || is_separated),
                };
                call.out.text(graph.draw(&drawn));
            }
            false => call.out.text(out),
        }
    }
    Ok(0)
}

/// Runs `git reflog`.
pub(crate) fn reflog(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut name = b"HEAD".to_vec();
    let mut args = std::mem::take(&mut call.args);
    match args.first().map(Vec::as_slice) {
        Some(b"show") => {
            args.remove(0);
        }
        Some(b"expire" | b"delete" | b"exists" | b"list") => {
            return Err(fatal(format!("git reflog {} is not supported", text(&args[0]))));
        }
        _ => {}
    }
    if args.first().is_some_and(|arg| !arg.starts_with(b"-")) {
        name = args.remove(0);
    }
    call.args = args;
    let mut wish = wish(call, &repo)?;
    if wish.printer.pretty == Pretty::Medium {
        wish.printer.pretty = Pretty::Oneline;
        wish.printer.is_abbreviated = true;
    }
    reflog_of(call, &repo, &wish, &name)
}

fn reflog_of(call: &mut Call<'_>, repo: &Repo, wish: &Wish<'_>, name: &[u8]) -> Result<i32> {
    let full = match revision::full_name(repo, name)? {
        Some(full) => full,
        None => return Err(revision::unknown(repo, name)),
    };
    let shown = text(name);
    let changes = history::read(&repo.git_dir, &full);
    for (n, change) in changes
        .iter()
        .enumerate()
        .skip(wish.select.skip)
        .take(wish.select.most.unwrap_or(usize::MAX))
    {
        let Ok(commit) = repo.odb.commit(change.new) else { continue };
        let mut out = Vec::new();
        wish.printer.write(change.new, &commit, Some((n, change)), &mut out);
        let mut line = out;
        if name != b"HEAD" {
            let head = format!("HEAD@{{{n}}}");
            line = text(&line).replacen(&head, &format!("{shown}@{{{n}}}"), 1).into_bytes();
        }
        if matches!(wish.printer.pretty, Pretty::Format { .. }) {
            line.push(b'\n');
        }
        call.out.text(line);
    }
    Ok(0)
}

/// Runs `git rev-list`.
pub(crate) fn rev_list(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let has_range = call
        .args
        .iter()
        .any(|arg| !arg.starts_with(b"-") || arg == b"--all" || arg == b"--branches");
    if !has_range {
        return Err(Fault {
            code: 129,
            text: "usage: git rev-list [<options>] <commit>... [--] [<path>...]".to_owned(),
        });
    }
    let mut wish = wish(call, &repo)?;
    let found = commits(&repo, &mut wish)?;
    if wish.select.is_count {
        let lefts = wish.printer.marks.values().filter(|mark| **mark == '<').count();
        call.out.line(match wish.select.shows_sides && wish.range.symmetric.is_some() {
            true => format!("{lefts}\t{}", found.len() - lefts),
            false => found.len().to_string(),
        });
        return Ok(0);
    }
    for (oid, commit) in &found {
        if let Pretty::Format { format, .. } = &wish.printer.pretty {
            call.out.line(format!("commit {oid}"));
            call.out.line(wish.printer.expand(format, *oid, commit, None));
            continue;
        }
        let mut line = match wish.printer.is_abbreviated {
            true => repo.odb.short(*oid),
            false => oid.to_string(),
        };
        if wish.select.has_time {
            line.insert_str(0, &format!("{} ", commit.time()));
        }
        if let Some(mark) = wish.printer.marks.get(oid) {
            line.insert(0, *mark);
        }
        line += wish.printer.beside.get(oid).map_or("", String::as_str);
        if wish.is_oneline {
            line += &format!(" {}", text(&commit.subject()));
        }
        call.out.line(line);
    }
    if wish.select.has_objects {
        for (oid, path) in beside::objects(&repo, &found, &wish.range.hidden)? {
            call.out.line([oid.to_string().as_bytes(), b" ", &path].concat());
        }
    }
    Ok(0)
}

/// Counts the authors in the output of `git log` on standard input.
fn shortlog_of_input(call: &mut Call<'_>) -> Result<i32> {
    let has = |letter: u8, long: &[u8]| {
        call.args.iter().any(|arg| {
            arg == long || arg.starts_with(b"-") && !arg.starts_with(b"--") && arg.contains(&letter)
        })
    };
    let (is_summary, is_sorted, has_mail) =
        (has(b's', b"--summary"), has(b'n', b"--numbered"), has(b'e', b"--email"));
    let mut people: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let mut lines = std::io::BufRead::split(std::io::stdin().lock(), b'\n');
    while let Some(line) = lines.next() {
        let line = line.at(b"standard input")?;
        let Some(who) = line.strip_prefix(b"Author: ").or(line.strip_prefix(b"author ")) else {
            continue;
        };
        let who = Signature::parse(who);
        let name = match has_mail {
            true => [who.name.as_slice(), b" <", &who.mail, b">"].concat(),
            false => who.name,
        };
        let mut subject = Vec::new();
        let mut is_message = false;
        for line in lines.by_ref() {
            let line = line.at(b"standard input")?;
            match line.trim_ascii().is_empty() {
                true => is_message = true,
                false if is_message => {
                    subject = line.trim_ascii().to_vec();
                    break;
                }
                false => {}
            }
        }
        people.entry(name).or_default().push(subject);
    }
    print_people(call, people, is_summary, is_sorted);
    Ok(0)
}

/// Runs `git shortlog`.
pub(crate) fn shortlog(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    // Without a revision, the log of standard input is read, unless that is a terminal.
    let has_range = call.args.iter().any(|arg| !arg.starts_with(b"-") || arg == b"--all");
    if !has_range && !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        return shortlog_of_input(call);
    }
    let (mut is_summary, mut is_sorted, mut has_mail) = (false, false, false);
    let (mut rest, mut by_committer) = (Vec::new(), false);
    for arg in std::mem::take(&mut call.args) {
        let letters = arg
            .strip_prefix(b"-")
            .filter(|rest| !rest.is_empty() && rest.iter().all(|b| b"sne".contains(b)));
        match (letters, arg.as_slice()) {
            (Some(letters), _) => {
                is_summary |= letters.contains(&b's');
                is_sorted |= letters.contains(&b'n');
                has_mail |= letters.contains(&b'e');
            }
            (None, b"--summary") => is_summary = true,
            (None, b"--numbered") => is_sorted = true,
            (None, b"--email") => has_mail = true,
            (None, b"--group=committer" | b"-c" | b"--committer") => by_committer = true,
            (None, b"--group=author") => {}
            (None, _) => rest.push(arg),
        }
    }
    call.args = rest;
    let mut wish = wish(call, &repo)?;
    let mut people: BTreeMap<Vec<u8>, Vec<Vec<u8>>> = BTreeMap::new();
    let found = commits(&repo, &mut wish)?;
    for (oid, commit) in found.iter().rev() {
        let who = Signature::parse(if by_committer { &commit.committer } else { &commit.author });
        let name = match has_mail {
            true => [who.name.as_slice(), b" <", &who.mail, b">"].concat(),
            false => who.name,
        };
        let shown = match &wish.printer.pretty {
            Pretty::Format { format, .. } => wish.printer.expand(format, *oid, commit, None),
            _ => commit.subject(),
        };
        people.entry(name).or_default().push(shown);
    }
    print_people(call, people, is_summary, is_sorted);
    Ok(0)
}

fn print_people(
    call: &mut Call<'_>,
    people: BTreeMap<Vec<u8>, Vec<Vec<u8>>>,
    is_summary: bool,
    is_sorted: bool,
) {
    let mut people: Vec<(Vec<u8>, Vec<Vec<u8>>)> = people.into_iter().collect();
    if is_sorted {
        people.sort_by_key(|(_, subjects)| std::cmp::Reverse(subjects.len()));
    }
    for (name, subjects) in people {
        if is_summary {
            call.out.line(format!("{:>6}\t{}", subjects.len(), text(&name)));
            continue;
        }
        call.out.line(format!("{} ({}):", text(&name), subjects.len()));
        for subject in subjects {
            call.out.line([b"      ".as_slice(), &subject].concat());
        }
        call.out.line("");
    }
}
