//! Commands on references: `show-ref`, `for-each-ref`, `symbolic-ref`, `update-ref`, `merge-base`.

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, fatal, silent};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Commit, Kind, Signature, subject};
use crate::store::oid::Oid;
use crate::store::refs::{Ref, short_name};
use crate::text::date::{self, Form};
use crate::tree::glob::{self, Slash};
use crate::walk;

/// Runs `git show-ref`.
pub(crate) fn show_ref(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (
        mut has_heads,
        mut has_tags,
        mut is_quiet,
        mut is_verify,
        mut with_head,
        mut is_hash,
        mut derefs,
    ) = (false, false, false, false, false, false, false);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { attached: "s", ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--heads" | "--branches" => has_heads = true,
                "--tags" => has_tags = true,
                "-q" | "--quiet" => is_quiet = true,
                "--verify" | "--exists" => is_verify = true,
                "--head" => with_head = true,
                "-s" | "--hash" => is_hash = true,
                "-d" | "--dereference" => derefs = true,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let mut list = repo.refs.list("refs/")?;
    list.retain(|(name, _)| {
        !(has_heads || has_tags)
            || has_heads && name.starts_with(b"refs/heads/")
            || has_tags && name.starts_with(b"refs/tags/")
    });
    if with_head && let Some(oid) = repo.head()? {
        list.insert(0, (b"HEAD".to_vec(), oid));
    }
    if is_verify {
        for name in &operands {
            match repo.refs.resolve(name)? {
                Some(oid) if !is_quiet => call.out.line(format!("{oid} {}", text(name))),
                Some(_) => {}
                None if is_quiet => return Err(silent(1)),
                None => return Err(fatal(format!("'{}' - not a valid ref", text(name)))),
            }
        }
        return Ok(0);
    }
    let mut code = 1;
    for (name, oid) in list {
        let is_wanted = operands.is_empty()
            || operands
                .iter()
                .any(|want| name == *want || name.ends_with(&[b"/", want.as_slice()].concat()));
        if !is_wanted {
            continue;
        }
        code = 0;
        if is_quiet {
            continue;
        }
        call.out.line(if is_hash { oid.to_string() } else { format!("{oid} {}", text(&name)) });
        if derefs
            && let Ok(peeled) = revision::peeled(&repo, oid)
            && peeled != oid
        {
            call.out.line(format!("{peeled} {}^{{}}", text(&name)));
        }
    }
    Ok(code)
}

/// Widest column of `%(align)`.
const MAX_WIDTH: usize = 1000;

/// Sorts references by `--sort`.
pub(crate) fn sort(repo: &Repo, list: &mut Vec<(Vec<u8>, Oid)>, key: &str) -> Result<()> {
    let (name, is_reversed) = match key.strip_prefix('-') {
        Some(name) => (name, true),
        None => (key, false),
    };
    match name {
        "refname" => list.sort(),
        "version:refname" | "v:refname" => list.sort_by_key(|(name, _)| version_key(&text(name))),
        "committerdate" | "creatordate" | "authordate" | "taggerdate" => {
            let mut dated: Vec<(i64, (Vec<u8>, Oid))> = Vec::new();
            for item in list.drain(..) {
                dated.push((created(repo, item.1)?.seconds, item));
            }
            // Names are in order among equal dates, in both directions.
            dated.sort_by(|a, b| match is_reversed {
                true => b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)),
                false => a.cmp(b),
            });
            list.extend(dated.into_iter().map(|(_, item)| item));
        }
        other => return Err(fatal(format!("unknown field name: {other}"))),
    }
    if is_reversed && !name.ends_with("date") {
        list.reverse();
    }
    Ok(())
}

/// Returns parts of a name in which numbers compare as numbers.
fn version_key(name: &str) -> Vec<(u64, String)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(letters);
        let digits = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
        parts.push((0, word.to_owned()));
        parts.push((tail[..digits].parse().unwrap_or(u64::MAX), String::new()));
        rest = &tail[digits..];
    }
    parts
}

/// Returns the tagger or committer of an object.
fn created(repo: &Repo, oid: Oid) -> Result<Signature> {
    Ok(match repo.odb.read(oid)? {
        (Kind::Tag, _) => Signature::parse(&repo.odb.tag(oid)?.tagger),
        (Kind::Commit, data) => Signature::parse(&Commit::parse(&data)?.committer),
        _ => Signature::default(),
    })
}

/// Replaces the fields of `--format` for one reference.
pub(crate) fn expand(
    repo: &Repo,
    format: &str,
    name: &[u8],
    oid: Oid,
    is_current: bool,
) -> Result<Vec<u8>> {
    expand_quoted(repo, format, name, oid, is_current, Quote::None)
}

/// A part of a format that is not finished: an `if` with its condition, or text to align.
enum Open {
    If { outer: Vec<u8>, equals: Option<(String, bool)>, is_true: Option<bool>, then: Vec<u8> },
    Align { outer: Vec<u8>, width: usize, side: String },
}

fn expand_quoted(
    repo: &Repo,
    format: &str,
    name: &[u8],
    oid: Oid,
    is_current: bool,
    quote: Quote,
) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.extend(rest[..at].bytes());
        rest = &rest[at + 1..];
        if let Some(inside) = rest.strip_prefix('(') {
            let Some(end) = inside.find(')') else {
                return Err(fatal(format!("malformed format string {format}")));
            };
            let word = &inside[..end];
            rest = &inside[end + 1..];
            if structure(word, &mut open, &mut out)? {
                continue;
            }
            let value = field(repo, word, name, oid, is_current)?;
            match quote {
                Quote::None => out.extend(value),
                Quote::Shell => {
                    let inner = text(&value).replace('\'', "'\\''");
                    out.extend(format!("'{inner}'").bytes());
                }
            }
        } else if let Some(after) = rest.strip_prefix('%') {
            out.push(b'%');
            rest = after;
        } else if let Some(byte) = rest.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            rest = &rest[2..];
        } else {
            out.push(b'%');
        }
    }
    out.extend(rest.bytes());
    if !open.is_empty() {
        return Err(fatal("format: %(end) atom missing"));
    }
    Ok(out)
}

/// Takes `%(if)`, `%(then)`, `%(else)`, `%(end)` and `%(align)`; returns false for other words.
fn structure(word: &str, open: &mut Vec<Open>, out: &mut Vec<u8>) -> Result<bool> {
    let (key, option) = word.split_once(':').unwrap_or((word, ""));
    let missing = |atom: &str| fatal(format!("format: %({atom}) atom used without a %(if) atom"));
    match key {
        "if" => {
            let equals = match option.split_once('=') {
                Some(("equals", value)) => Some((value.to_owned(), true)),
                Some(("notequals", value)) => Some((value.to_owned(), false)),
                _ => None,
            };
            let outer = std::mem::take(out);
            open.push(Open::If { outer, equals, is_true: None, then: Vec::new() });
        }
        "then" => match open.last_mut() {
            Some(Open::If { equals, is_true, .. }) => {
                let condition = std::mem::take(out);
                *is_true = Some(match equals {
                    Some((value, is_wanted)) => (condition == value.as_bytes()) == *is_wanted,
                    None => !condition.trim_ascii().is_empty(),
                });
            }
            _ => return Err(missing("then")),
        },
        "else" => match open.last_mut() {
            Some(Open::If { then, .. }) => *then = std::mem::take(out),
            _ => return Err(missing("else")),
        },
        "align" => {
            let mut side = "left".to_owned();
            let mut width = 0;
            for part in option.split(',') {
                let (name, value) = part.split_once('=').unwrap_or(("", part));
                match (name, value.parse::<usize>()) {
                    (_, Ok(n)) => width = n.min(MAX_WIDTH),
                    (_, Err(_)) => side = value.to_owned(),
                }
            }
            open.push(Open::Align { outer: std::mem::take(out), width, side });
        }
        "end" => match open.pop() {
            Some(Open::If { outer, is_true, then, .. }) => {
                let last = std::mem::replace(out, outer);
                // Without an `else`, what was collected is the first part.
                let (first, second) =
                    if then.is_empty() { (last, Vec::new()) } else { (then, last) };
                out.extend(if is_true == Some(true) { first } else { second });
            }
            Some(Open::Align { outer, width, side }) => {
                let inner = std::mem::replace(out, outer);
                let free = width.saturating_sub(text(&inner).chars().count());
                let before = match side.as_str() {
                    "right" => free,
                    "middle" => free / 2,
                    _ => 0,
                };
                out.extend(vec![b' '; before]);
                out.extend(inner);
                out.extend(vec![b' '; free - before]);
            }
            None => return Err(fatal("format: %(end) atom used without corresponding atom")),
        },
        _ => return Ok(false),
    }
    Ok(true)
}

fn field(repo: &Repo, field: &str, name: &[u8], oid: Oid, is_current: bool) -> Result<Vec<u8>> {
    if let Some(inner) = field.strip_prefix('*') {
        let peeled = revision::peeled(repo, oid)?;
        return if peeled == oid {
            Ok(Vec::new())
        } else {
            self::field(repo, inner, name, peeled, is_current)
        };
    }
    let (key, option) = field.split_once(':').unwrap_or((field, ""));
    let (kind, data) = repo.odb.read(oid)?;
    let commit = if kind == Kind::Commit { Some(Commit::parse(&data)?) } else { None };
    let tag = if kind == Kind::Tag { Some(repo.odb.tag(oid)?) } else { None };
    let message = commit
        .as_ref()
        .map(|c| c.message.clone())
        .or(tag.as_ref().map(|t| t.message.clone()))
        .unwrap_or_default();
    let who = match key
        .split_once("name")
        .or_else(|| key.split_once("email"))
        .or_else(|| key.split_once("date"))
        .map(|(role, _)| role)
    {
        Some("author") => commit.as_ref().map(|c| c.author.clone()),
        Some("committer") => commit.as_ref().map(|c| c.committer.clone()),
        Some("tagger") => tag.as_ref().map(|t| t.tagger.clone()),
        Some("creator") => {
            commit.as_ref().map(|c| c.committer.clone()).or(tag.as_ref().map(|t| t.tagger.clone()))
        }
        _ => None,
    };
    let who = who.map(|line| Signature::parse(&line));
    Ok(match key {
        "refname" => match option {
            "short" => short_name(name).to_vec(),
            "" => name.to_vec(),
            other => {
                let count =
                    other.rsplit('=').next().and_then(|n| n.parse::<usize>().ok()).unwrap_or(0);
                let parts: Vec<&[u8]> = name.split(|b| *b == b'/').skip(count).collect();
                parts.join(&b'/')
            }
        },
        "objectname" => match option {
            "short" => repo.odb.short(oid).into_bytes(),
            _ => oid.to_string().into_bytes(),
        },
        "objecttype" => kind.name().as_bytes().to_vec(),
        "objectsize" => data.len().to_string().into_bytes(),
        "HEAD" => {
            if is_current {
                b"*".to_vec()
            } else {
                b" ".to_vec()
            }
        }
        "subject" | "contents:subject" => subject(&message),
        "contents" if option == "subject" => subject(&message),
        "contents" if option == "body" => crate::store::object::body(&message).to_vec(),
        "contents" => message,
        "body" => crate::store::object::body(&message).to_vec(),
        "upstream" => match revision::upstream(repo, name) {
            Some(upstream) if option == "short" => short_name(&upstream).to_vec(),
            Some(upstream) if option.starts_with("track") => track(repo, oid, &upstream)?,
            Some(upstream) => upstream,
            None => Vec::new(),
        },
        "authorname" | "committername" | "taggername" => who.map_or_else(Vec::new, |who| who.name),
        "authoremail" | "committeremail" | "taggeremail" => {
            who.map_or_else(Vec::new, |who| [b"<".as_slice(), &who.mail, b">"].concat())
        }
        "authordate" | "committerdate" | "taggerdate" | "creatordate" => match who {
            Some(who) => {
                let form =
                    if option.is_empty() { Some(Form::Default) } else { Form::parse(option) };
                let form = form.ok_or_else(|| fatal(format!("unknown date format {option}")))?;
                date::format(&form, who.seconds, who.zone, Repo::now()).into_bytes()
            }
            None => Vec::new(),
        },
        "symref" => match repo.refs.read(name)? {
            Some(Ref::Symbolic(target)) => target,
            _ => Vec::new(),
        },
        "color" => Vec::new(),
        "ahead-behind" => match (&commit, revision::find(repo, option.as_bytes())?) {
            (Some(_), Some(base)) => {
                let base = revision::peel(repo, base, Kind::Commit)?;
                let (ahead, behind) = walk::ahead_behind(&repo.odb, oid, base)?;
                format!("{ahead} {behind}").into_bytes()
            }
            (Some(_), None) => return Err(fatal(format!("failed to find '{option}'"))),
            (None, _) => Vec::new(),
        },
        other => return Err(fatal(format!("unknown field name: {other}"))),
    })
}

fn track(repo: &Repo, oid: Oid, upstream: &[u8]) -> Result<Vec<u8>> {
    let Some(other) = repo.refs.resolve(upstream)? else { return Ok(b"[gone]".to_vec()) };
    Ok(match walk::ahead_behind(&repo.odb, oid, other)? {
        (0, 0) => String::new(),
        (ahead, 0) => format!("[ahead {ahead}]"),
        (0, behind) => format!("[behind {behind}]"),
        (ahead, behind) => format!("[ahead {ahead}, behind {behind}]"),
    }
    .into_bytes())
}

/// Runs `git for-each-ref`.
pub(crate) fn for_each(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut format, mut keys, mut most, mut patterns) = (None, Vec::new(), None, Vec::new());
    let (mut filters, mut is_quoted) = (Vec::new(), false);
    for arg in call.parse(&Valued {
        long: &[
            "--format",
            "--sort",
            "--count",
            "--points-at?",
            "--contains?",
            "--no-contains?",
            "--merged?",
            "--no-merged?",
        ],
        ..Valued::default()
    })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--format" => format = Some(value_text(&value)),
                "--sort" => keys.push(value_text(&value)),
                "--count" => most = value_text(&value).parse::<usize>().ok(),
                "--contains" | "--no-contains" | "--merged" | "--no-merged" | "--points-at" => {
                    filters.push((name, value.unwrap_or_else(|| b"HEAD".to_vec())));
                }
                "--shell" | "--perl" | "--python" | "--tcl" => is_quoted = true,
                "--ignore-case" | "--omit-empty" | "--color" | "--include-root-refs" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => patterns.push(operand),
            Arg::Dashes => {}
        }
    }
    let mut list = repo.refs.list("refs/")?;
    list.retain(|(name, _)| {
        patterns.is_empty()
            || patterns.iter().any(|pattern| {
                let bare = pattern.strip_suffix(b"/").unwrap_or(pattern);
                name == bare
                    || name.starts_with(&[bare, b"/"].concat())
                    || glob::matches(pattern, name, Slash::Apart)
            })
    });
    for (name, given) in &filters {
        filter(&repo, &mut list, name, given)?;
    }
    for key in keys.iter().rev() {
        sort(&repo, &mut list, key)?;
    }
    let current = repo.refs.branch()?;
    let format = format.unwrap_or_else(|| "%(objectname) %(objecttype)\t%(refname)".to_owned());
    for (name, oid) in list.into_iter().take(most.unwrap_or(usize::MAX)) {
        let is_current = current.as_deref() == Some(&name);
        let quote = if is_quoted { Quote::Shell } else { Quote::None };
        call.out.line(expand_quoted(&repo, &format, &name, oid, is_current, quote)?);
    }
    Ok(0)
}

/// Keeps the references that an option such as `--contains` selects.
fn filter(repo: &Repo, list: &mut Vec<(Vec<u8>, Oid)>, option: &str, given: &[u8]) -> Result<()> {
    if option == "--points-at" {
        let oid = revision::object(repo, given)?;
        list.retain(|(_, one)| {
            *one == oid || revision::peeled(repo, *one).is_ok_and(|one| one == oid)
        });
        return Ok(());
    }
    let Some(found) = revision::find(repo, given)? else {
        return Err(fatal(format!("malformed object name {}", text(given))));
    };
    let commit = revision::peel(repo, found, Kind::Commit)?;
    let below = walk::ancestors(&repo.odb, &[commit])?;
    let is_wanted = !option.starts_with("--no-");
    list.retain(|(_, one)| {
        let Ok(one) = revision::peel(repo, *one, Kind::Commit) else { return false };
        let fits = match option.ends_with("merged") {
            true => below.contains(&one),
            false => walk::is_ancestor(&repo.odb, commit, one).unwrap_or(false),
        };
        fits == is_wanted
    });
    Ok(())
}

/// Quotes around the values of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Shell,
}

/// Runs `git symbolic-ref`.
pub(crate) fn symbolic_ref(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_short, mut is_quiet, mut is_delete, mut operands) =
        (false, false, false, Vec::new());
    for arg in call.parse(&Valued { short: "m", ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--short" => is_short = true,
                "-q" | "--quiet" => is_quiet = true,
                "-d" | "--delete" => is_delete = true,
                "-m" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    match &operands[..] {
        [name] if is_delete => repo.refs.delete(name).map(|()| 0),
        [name] => match repo.refs.read(name)? {
            Some(Ref::Symbolic(target)) => {
                call.out.line(if is_short { short_name(&target) } else { &target });
                Ok(0)
            }
            _ if is_quiet => Err(silent(1)),
            _ => Err(fatal(format!("ref {} is not a symbolic ref", text(name)))),
        },
        [name, target] => {
            if name == b"HEAD" && !target.starts_with(b"refs/") {
                return Err(fatal("Refusing to point HEAD outside of refs/"));
            }
            repo.refs.write(name, &Ref::Symbolic(target.clone()))?;
            Ok(0)
        }
        _ => Err(Fault {
            code: 129,
            text: "usage: git symbolic-ref [-q] [--short] <name> [<ref>]".to_owned(),
        }),
    }
}

/// Runs `git update-ref`.
pub(crate) fn update_ref(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_delete, mut message, mut operands) = (false, String::new(), Vec::new());
    for arg in call.parse(&Valued { short: "m", ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-d" => is_delete = true,
                "-m" => message = value_text(&value),
                "--no-deref" | "--create-reflog" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    match &operands[..] {
        [name, ..] if is_delete => repo.refs.delete(name)?,
        [name, value, rest @ ..] => {
            if let Some(expect) = rest.first() {
                let now = repo.refs.resolve(name)?.unwrap_or(Oid::ZERO);
                let want = Oid::parse(expect).or(revision::find(&repo, expect)?);
                if want != Some(now) {
                    return Err(fatal(format!(
                        "update_ref failed for ref '{0}': cannot lock ref '{0}': is at {now} but expected {1}",
                        text(name),
                        text(expect)
                    )));
                }
            }
            let oid = revision::object(&repo, value)?;
            repo.update_ref(name, oid, &message)?;
        }
        _ => {
            return Err(Fault {
                code: 129,
                text: "usage: git update-ref [-d] <refname> [<new-oid> [<old-oid>]]".to_owned(),
            });
        }
    }
    Ok(0)
}

/// Runs `git merge-base`.
pub(crate) fn merge_base(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_question, mut is_all, mut operands) = (false, false, Vec::new());
    let (mut is_octopus, mut is_independent) = (false, false);
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "--is-ancestor" => is_question = true,
                "-a" | "--all" => is_all = true,
                "--octopus" => is_octopus = true,
                "--independent" => is_independent = true,
                "--fork-point" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    let find = |name: &[u8]| match revision::find(&repo, name)? {
        Some(oid) => revision::peel(&repo, oid, Kind::Commit),
        None => Err(fatal(format!("Not a valid object name {}", text(name)))),
    };
    if is_independent || operands.len() > 2 && !is_question {
        let all = operands.iter().map(|name| find(name)).collect::<Result<Vec<Oid>>>()?;
        return many(call, &repo, all, is_independent, is_octopus);
    }
    let [one, two] = &operands[..] else {
        return Err(Fault {
            code: 129,
            text: "usage: git merge-base [-a | --is-ancestor] <commit> <commit>".to_owned(),
        });
    };
    let (one, two) = (find(one)?, find(two)?);
    if is_question {
        return Ok(i32::from(!walk::is_ancestor(&repo.odb, one, two)?));
    }
    let bases = walk::merge_bases(&repo.odb, one, two)?;
    for base in bases.iter().take(if is_all { usize::MAX } else { 1 }) {
        call.out.line(base.to_string());
    }
    Ok(i32::from(bases.is_empty()))
}

/// Finds the common ancestors of several commits, or the commits that no other one contains.
fn many(
    call: &mut Call<'_>,
    repo: &Repo,
    all: Vec<Oid>,
    is_independent: bool,
    is_octopus: bool,
) -> Result<i32> {
    if is_independent {
        for (n, oid) in all.iter().enumerate() {
            let mut is_inside = all[..n].contains(oid);
            for other in all.iter().filter(|other| *other != oid) {
                is_inside |= walk::is_ancestor(&repo.odb, *oid, *other)?;
            }
            if !is_inside {
                call.out.line(oid.to_string());
            }
        }
        return Ok(0);
    }
    let Some((first, rest)) = all.split_first() else { return Err(silent(1)) };
    let mut bases = vec![*first];
    for oid in rest {
        let mut next = Vec::new();
        for base in bases {
            next.extend(walk::merge_bases(&repo.odb, base, *oid)?);
        }
        bases = next;
        // Without `--octopus`, the others count as one merge of them all.
        if !is_octopus && bases.is_empty() {
            break;
        }
    }
    if let Some(base) = bases.first() {
        call.out.line(base.to_string());
    }
    Ok(i32::from(bases.is_empty()))
}
