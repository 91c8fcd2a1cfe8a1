//! Names of revisions: `HEAD~2`, `main@{1}`, `v1^{tree}`, `:/text`, `a..b`.

use crate::bytes::{self, text};
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::store::object::Kind;
use crate::store::oid::Oid;
use crate::store::reflog;
use crate::walk;

/// Longest chain of tags that is followed.
const MAX_TAGS: usize = 32;

/// Returns the object that a name stands for, or `None` if nothing has that name.
pub(crate) fn find(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    if let Some(rest) = name.strip_prefix(b":/") {
        return by_message(repo, &text(rest));
    }
    if let Some(rest) = name.strip_prefix(b":") {
        let (stage, path) = match rest {
            [stage @ b'0'..=b'3', b':', path @ ..] => (stage - b'0', path),
            path => (0, path),
        };
        let path = repo.relative(path)?;
        let index = repo.index()?;
        let entry = index.entries.iter().find(|e| e.path == path && e.stage == stage);
        return Ok(entry.map(|entry| entry.oid));
    }
    if let Some((rev, path)) = split_path(name) {
        let Some(oid) = find(repo, rev)? else { return Ok(None) };
        let tree = peel(repo, oid, Kind::Tree)?;
        let path = match path.starts_with(b"./") || path.starts_with(b"../") {
            true => repo.relative(path)?,
            false => path.to_vec(),
        };
        return Ok(repo.odb.entry(tree, &path)?.map(|entry| entry.oid));
    }
    with_suffixes(repo, name)
}

/// Splits `revision:path`; a colon in braces belongs to the revision.
fn split_path(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut depth = 0;
    for (at, byte) in name.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b':' if depth == 0 => return Some((&name[..at], &name[at + 1..])),
            _ => {}
        }
    }
    None
}

/// Returns the object of a name, or fails as git does for an unknown one.
pub(crate) fn object(repo: &Repo, name: &[u8]) -> Result<Oid> {
    find(repo, name)?.ok_or_else(|| unknown(repo, name))
}

/// Returns the commit of a name.
pub(crate) fn commit(repo: &Repo, name: &[u8]) -> Result<Oid> {
    peel(repo, object(repo, name)?, Kind::Commit)
}

/// Returns the tree of a name.
pub(crate) fn tree(repo: &Repo, name: &[u8]) -> Result<Oid> {
    peel(repo, object(repo, name)?, Kind::Tree)
}

/// Returns the fault for a name that stands for nothing.
pub(crate) fn unknown(repo: &Repo, name: &[u8]) -> crate::fault::Fault {
    let shown = text(name);
    if let Some((rev, path)) = split_path(name).filter(|(rev, _)| !rev.is_empty())
        && find(repo, rev).is_ok_and(|found| found.is_some())
    {
        let (rev, path) = (text(rev), text(path));
        return match bytes::path(&repo.work_path(path.as_bytes())).exists() {
            true => fatal(format!("path '{path}' exists on disk, but not in '{rev}'")),
            false => fatal(format!("path '{path}' does not exist in '{rev}'")),
        };
    }
    fatal(format!(
        "ambiguous argument '{shown}': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
    ))
}

/// Follows tags, and commits to their trees, until an object of the kind is found.
pub(crate) fn peel(repo: &Repo, oid: Oid, kind: Kind) -> Result<Oid> {
    let mut at = oid;
    for _ in 0..MAX_TAGS {
        let (found, data) = match at == Oid::of("tree", b"") {
            true => (Kind::Tree, Vec::new()),
            false => repo.odb.read(at)?,
        };
        if found == kind {
            return Ok(at);
        }
        at = match (found, kind) {
            (Kind::Tag, _) => crate::store::object::Tag::parse(&data)?.target,
            (Kind::Commit, Kind::Tree) => crate::store::object::Commit::parse(&data)?.tree,
            (Kind::Blob | Kind::Tree | Kind::Commit, _) => {
                let (oid, kind) = (oid.to_string(), kind.name());
                return Err(fatal(format!(
                    "{oid}: expected {kind} type, but the object dereferences to {} type",
                    found.name()
                )));
            }
        };
    }
    Err(fatal(format!("{oid}: too many levels of tags")))
}

fn with_suffixes(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    let start = name.iter().position(|b| b"~^".contains(b)).unwrap_or(name.len());
    let Some(mut oid) = base(repo, &name[..start])? else { return Ok(None) };
    let mut rest = &name[start..];
    while let Some((&mark, after)) = rest.split_first() {
        rest = after;
        if mark == b'^' && rest.starts_with(b"{") {
            let Some(end) = rest.iter().position(|b| *b == b'}') else { return Ok(None) };
            oid = match &rest[1..end] {
                b"commit" => peel(repo, oid, Kind::Commit)?,
                b"tree" => peel(repo, oid, Kind::Tree)?,
                b"blob" => peel(repo, oid, Kind::Blob)?,
                b"tag" => peel(repo, oid, Kind::Tag)?,
                b"object" => oid,
                b"" => peeled(repo, oid)?,
                _ => return Ok(None),
            };
            rest = &rest[end + 1..];
            continue;
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let n = if digits == 0 { 1 } else { text(&rest[..digits]).parse().unwrap_or(usize::MAX) };
        rest = &rest[digits..];
        if !rest.is_empty() && !b"~^".contains(&rest[0]) {
            return Ok(None);
        }
        oid = peel(repo, oid, Kind::Commit)?;
        if mark == b'^' {
            if n > 0 {
                match repo.odb.commit(oid)?.parents.get(n - 1) {
                    Some(parent) => oid = *parent,
                    None => return Ok(None),
                }
            }
        } else {
            for _ in 0..n {
                match repo.odb.commit(oid)?.parents.first() {
                    Some(parent) => oid = *parent,
                    None => return Ok(None),
                }
            }
        }
    }
    Ok(Some(oid))
}

/// Follows tags to the object that they name.
pub(crate) fn peeled(repo: &Repo, oid: Oid) -> Result<Oid> {
    let mut at = oid;
    for _ in 0..MAX_TAGS {
        match repo.odb.read(at)? {
            (Kind::Tag, data) => at = crate::store::object::Tag::parse(&data)?.target,
            _ => return Ok(at),
        }
    }
    Err(fatal(format!("{oid}: too many levels of tags")))
}

fn base(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    if let Some(at) = name.windows(2).position(|pair| pair == b"@{")
        && name.ends_with(b"}")
    {
        return in_braces(repo, &name[..at], &text(&name[at + 2..name.len() - 1]));
    }
    let name = if name == b"@" { b"HEAD" } else { name };
    if let Some(oid) = Oid::parse(name) {
        return Ok(Some(oid));
    }
    if let Some(full) = full_name(repo, name)? {
        return repo.refs.resolve(&full);
    }
    if name.len() >= 4 && name.len() < 40 && name.iter().all(u8::is_ascii_hexdigit) {
        let digits = text(name).to_ascii_lowercase();
        let found = repo.odb.beginning_with(&digits);
        if found.len() > 1 {
            let commits: Vec<Oid> = found
                .iter()
                .copied()
                .filter(|oid| matches!(repo.odb.read(*oid), Ok((Kind::Commit, _))))
                .collect();
            if let [one] = commits[..] {
                return Ok(Some(one));
            }
            let problem = format!("error: short object ID {digits} is ambiguous\n");
            let fault = unknown(repo, name);
            return Err(crate::fault::Fault { text: problem + &fault.text, ..fault });
        }
        if let Some(oid) = found.first() {
            return Ok(Some(*oid));
        }
    }
    // The form of `git describe`.
    if let Some(at) = name.windows(2).rposition(|pair| pair == b"-g")
        && name[at + 2..].iter().all(u8::is_ascii_hexdigit)
        && name.len() - at - 2 >= 4
    {
        return base(repo, &name[at + 2..]);
    }
    Ok(None)
}

/// Returns the full name of a reference by the rules of precedence.
pub(crate) fn full_name(repo: &Repo, name: &[u8]) -> Result<Option<Vec<u8>>> {
    if name.is_empty() || name.split(|b| *b == b'/').any(|part| part == b"..") {
        return Ok(None);
    }
    let is_special = name.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    for prefix in ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"] {
        if prefix.is_empty() && !is_special && !name.starts_with(b"refs/") {
            continue;
        }
        let full = [prefix.as_bytes(), name].concat();
        if repo.refs.read(&full).ok().flatten().is_some() {
            return Ok(Some(full));
        }
    }
    let head = [b"refs/remotes/", name, b"/HEAD"].concat();
    Ok(repo.refs.read(&head)?.map(|_| head))
}

fn in_braces(repo: &Repo, name: &[u8], inside: &str) -> Result<Option<Oid>> {
    let branch = match name {
        b"" | b"@" => repo.refs.branch()?.unwrap_or_else(|| b"HEAD".to_vec()),
        other => match full_name(repo, other)? {
            Some(full) => full,
            None => return Ok(None),
        },
    };
    if matches!(inside, "u" | "upstream" | "push") {
        return match upstream(repo, &branch) {
            Some(name) => repo.refs.resolve(&name),
            None => {
                let short = text(crate::store::refs::short_name(&branch));
                Err(fatal(format!("no upstream configured for branch '{short}'")))
            }
        };
    }
    if let Some(n) = inside.strip_prefix('-').and_then(|n| n.parse::<usize>().ok()) {
        return match previous_branch(repo, n) {
            Some(branch) => find(repo, &branch),
            None => Ok(None),
        };
    }
    let changes = reflog::read(&repo.git_dir, &branch);
    if let Ok(n) = inside.parse::<usize>() {
        if n == 0 && changes.is_empty() {
            return repo.refs.resolve(&branch);
        }
        return match changes.get(n) {
            Some(change) => Ok(Some(change.new)),
            None if n == changes.len() && n > 0 => Ok(changes.last().map(|change| change.old)),
            None => {
                let (name, count) = (text(name), changes.len());
                Err(fatal(format!("log for '{name}' only has {count} entries")))
            }
        };
    }
    let Some((time, _)) = crate::text::date::parse(inside, Repo::now()) else { return Ok(None) };
    let at = |change: &&reflog::Change| {
        crate::store::object::Signature::parse(&change.who).seconds <= time
    };
    Ok(changes.iter().find(at).or(changes.last()).map(|change| change.new))
}

/// Returns the reference that a branch follows.
pub(crate) fn upstream(repo: &Repo, branch: &[u8]) -> Option<Vec<u8>> {
    let short = text(branch.strip_prefix(b"refs/heads/")?);
    let remote = repo.config.get(&format!("branch.{short}.remote"))?;
    let merge = repo.config.get(&format!("branch.{short}.merge"))?;
    if remote == "." {
        return Some(merge.as_bytes().to_vec());
    }
    let name = merge.strip_prefix("refs/heads/")?;
    Some(format!("refs/remotes/{remote}/{name}").into_bytes())
}

/// Returns the branch or commit that was checked out `n` switches ago.
pub(crate) fn previous_branch(repo: &Repo, n: usize) -> Option<Vec<u8>> {
    let changes = reflog::read(&repo.git_dir, b"HEAD");
    let moves = changes.iter().filter_map(|change| {
        let rest = change.message.strip_prefix(b"checkout: moving from ")?;
        Some(rest.split(|b| *b == b' ').next()?.to_vec())
    });
    moves.into_iter().nth(n.checked_sub(1)?)
}

fn by_message(repo: &Repo, pattern: &str) -> Result<Option<Oid>> {
    let Ok(regex) = regex::bytes::Regex::new(pattern) else {
        return Err(fatal(format!("invalid regular expression: {pattern}")));
    };
    let mut all = walk::Walk::new(&repo.odb, Default::default());
    for (_, oid) in repo.refs.list("refs/")? {
        if let Ok(commit) = peel(repo, oid, Kind::Commit) {
            all.push(commit)?;
        }
    }
    if let Some(head) = repo.head()? {
        all.push(head)?;
    }
    while let Some((oid, commit)) = all.pop() {
        if regex.is_match(&commit.message) {
            return Ok(Some(oid));
        }
        for parent in walk::parents(&repo.odb, &commit) {
            all.push(parent)?;
        }
    }
    Ok(None)
}

/// Commits to show and commits to hide.
#[derive(Default)]
pub(crate) struct Range {
    pub(crate) shown: Vec<Oid>,
    pub(crate) hidden: Vec<Oid>,
    /// The two sides of `a...b`.
    pub(crate) symmetric: Option<(Oid, Oid)>,
    /// The two sides of `a..b`.
    pub(crate) pair: Option<(Oid, Oid)>,
}

impl Range {
    /// Adds `a`, `^a`, `a..b`, `a...b` or `a^!`; returns false if the text is none of these.
    pub(crate) fn add(&mut self, repo: &Repo, arg: &[u8]) -> Result<bool> {
        let or_head = |name: &[u8]| if name.is_empty() { b"HEAD".to_vec() } else { name.to_vec() };
        if let Some(at) = arg.windows(2).position(|pair| pair == b"..")
            && split_path(&arg[..at]).is_none()
        {
            let is_symmetric = arg[at..].starts_with(b"...");
            let right = &arg[at + if is_symmetric { 3 } else { 2 }..];
            let (left, right) = (or_head(&arg[..at]), or_head(right));
            let (Some(left), Some(right)) = (find(repo, &left)?, find(repo, &right)?) else {
                return Ok(false);
            };
            let (left, right) = (peel(repo, left, Kind::Commit)?, peel(repo, right, Kind::Commit)?);
            if is_symmetric {
                self.hidden.extend(walk::merge_bases(&repo.odb, left, right)?);
                self.shown.extend([left, right]);
                self.symmetric = Some((left, right));
            } else {
                self.hidden.push(left);
                self.shown.push(right);
                self.pair = Some((left, right));
            }
            return Ok(true);
        }
        let (name, is_hidden) = match arg.strip_prefix(b"^") {
            Some(rest) => (rest, true),
            None => (arg, false),
        };
        if let Some(name) = name.strip_suffix(b"^!") {
            let oid = commit(repo, name)?;
            self.shown.push(oid);
            self.hidden.extend(repo.odb.commit(oid)?.parents);
            return Ok(true);
        }
        let Some(oid) = find(repo, name)? else { return Ok(false) };
        let oid = peeled(repo, oid)?;
        match is_hidden {
            true => self.hidden.push(oid),
            false => self.shown.push(oid),
        }
        Ok(true)
    }
}
