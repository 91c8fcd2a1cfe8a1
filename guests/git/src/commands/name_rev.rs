//! `git name-rev`, and the names of `git describe --contains`.

use std::collections::HashMap;
use std::io::Read as _;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{At, Fault, Result, USAGE, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::object::{Kind, Signature};
use crate::store::oid::Oid;
use crate::tree::glob::{self, Slash};
use crate::walk;

/// Distance that a second or later parent counts.
const SIDE: usize = 65_535;

/// Name of a commit: a reference, and the way from it.
#[derive(Debug, Clone)]
struct Name {
    tip: String,
    /// First parents since the tip.
    generation: usize,
    distance: usize,
    is_tag: bool,
    time: i64,
}

impl Name {
    fn weight(&self) -> usize {
        self.distance + if self.generation > 0 { SIDE } else { 0 }
    }

    /// Returns true if this name is to replace another one.
    fn is_better(&self, old: &Name) -> bool {
        match (self.is_tag, old.is_tag) {
            // An older tag wins even if it is farther away.
            (true, true) => (self.time, self.weight()) < (old.time, old.weight()),
            (one, two) if one != two => one,
            _ => (self.weight(), self.time) < (old.weight(), old.time),
        }
    }

    fn shown(&self) -> String {
        match self.generation {
            0 => self.tip.clone(),
            n => format!("{}~{n}", self.tip.strip_suffix("^0").unwrap_or(&self.tip)),
        }
    }
}

/// References that give names.
#[derive(Default)]
pub(crate) struct Choice {
    pub(crate) tags_only: bool,
    pub(crate) is_short: bool,
    pub(crate) patterns: Vec<String>,
    pub(crate) excluded: Vec<String>,
}

/// Returns names of all commits that references lead to.
pub(crate) fn names(repo: &Repo, choice: &Choice) -> Result<HashMap<Oid, String>> {
    let mut tips = Vec::new();
    for (full, oid) in repo.refs.list("refs/")? {
        let full = text(&full);
        let fits = |pattern: &String| {
            let short = full.split_once('/').map_or("", |(_, rest)| rest);
            let last = short.split_once('/').map_or("", |(_, rest)| rest);
            [full.as_str(), short, last]
                .iter()
                .any(|name| glob::matches(pattern.as_bytes(), name.as_bytes(), Slash::Plain))
        };
        let is_tag = full.starts_with("refs/tags/");
        if choice.tags_only && !is_tag
            || !choice.patterns.is_empty() && !choice.patterns.iter().any(fits)
            || choice.excluded.iter().any(fits)
        {
            continue;
        }
        let Ok(commit) = revision::peel(repo, oid, Kind::Commit) else { continue };
        let is_annotated = commit != oid;
        let time = match is_annotated {
            true => Signature::parse(&repo.odb.tag(oid)?.tagger).seconds,
            false => repo.odb.commit(commit)?.time(),
        };
        let name = match choice.is_short && choice.tags_only {
            true => full.strip_prefix("refs/tags/"),
            false => full.strip_prefix("refs/heads/").or_else(|| full.strip_prefix("refs/")),
        };
        let mut tip = name.unwrap_or(&full).to_owned();
        if is_annotated {
            tip.push_str("^0");
        }
        tips.push((commit, Name { tip, generation: 0, distance: 0, is_tag, time }));
    }
    tips.sort_by_key(|(_, name)| (!name.is_tag, name.time));
    let mut found: HashMap<Oid, Name> = HashMap::new();
    for tip in tips {
        let mut todo = vec![tip];
        while let Some((oid, name)) = todo.pop() {
            if found.get(&oid).is_some_and(|old| !name.is_better(old)) {
                continue;
            }
            for (n, parent) in walk::parents(&repo.odb, &repo.odb.commit(oid)?).iter().enumerate() {
                let mut next = name.clone();
                match n {
                    0 => {
                        next.generation += 1;
                        next.distance += 1;
                    }
                    _ => {
                        let bare = name.tip.strip_suffix("^0").unwrap_or(&name.tip);
                        next.tip = match name.generation {
                            0 => format!("{bare}^{}", n + 1),
                            generation => format!("{bare}~{generation}^{}", n + 1),
                        };
                        next.generation = 0;
                        next.distance += SIDE;
                    }
                }
                todo.push((*parent, next));
            }
            found.insert(oid, name);
        }
    }
    Ok(found.into_iter().map(|(oid, name)| (oid, name.shown())).collect())
}

/// Runs `git name-rev`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let mut choice = Choice::default();
    let (mut is_all, mut has_input, mut is_always, mut is_strict) = (false, false, false, false);
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { long: &["--refs", "--exclude"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--tags" => choice.tags_only = true,
                "--name-only" => choice.is_short = true,
                "--refs" => choice.patterns.push(value_text(&value)),
                "--exclude" => choice.excluded.push(value_text(&value)),
                "--all" => is_all = true,
                "--stdin" | "--annotate-stdin" => has_input = true,
                "--always" => is_always = true,
                "--no-undefined" => is_strict = true,
                "--undefined" => is_strict = false,
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(operand),
            Arg::Dashes => {}
        }
    }
    if operands.is_empty() && !is_all && !has_input {
        let text = "usage: git name-rev [<options>] <commit>...\n   or: git name-rev [<options>] --all\n   or: git name-rev [<options>] --annotate-stdin";
        return Err(Fault { code: USAGE, text: text.to_owned() });
    }
    let names = names(&repo, &choice)?;
    if has_input {
        let mut data = Vec::new();
        std::io::stdin().read_to_end(&mut data).at(b"standard input")?;
        call.out.text(annotated(&data, &names, choice.is_short));
        return Ok(0);
    }
    if is_all {
        let mut all: Vec<_> = names.into_iter().collect();
        all.sort();
        for (oid, name) in all {
            call.out.line(if choice.is_short { name } else { format!("{oid} {name}") });
        }
        return Ok(0);
    }
    for operand in operands {
        let shown = text(&operand);
        let Some(oid) = revision::find(&repo, &operand)? else {
            call.out.note(format!("Could not get sha1 for {shown}. Skipping."))?;
            continue;
        };
        let commit = revision::peel(&repo, oid, Kind::Commit);
        let tag = if commit.as_ref().is_ok_and(|commit| *commit != oid) {
            tag_name(&repo, oid)?
        } else {
            None
        };
        if let Some(name) = tag {
            call.out.line(if choice.is_short { name } else { format!("{shown} tags/{name}") });
            continue;
        }
        let name = match commit.as_ref().ok().and_then(|oid| names.get(oid)) {
            Some(name) => name.clone(),
            None if is_always => repo.odb.short(oid),
            None if is_strict => return Err(fatal(format!("cannot describe '{oid}'"))),
            None => "undefined".to_owned(),
        };
        call.out.line(if choice.is_short { name } else { format!("{shown} {name}") });
    }
    Ok(0)
}

/// Returns the name of an annotated tag.
fn tag_name(repo: &Repo, oid: Oid) -> Result<Option<String>> {
    let mut tags = repo.refs.list("refs/tags/")?.into_iter();
    Ok(tags.find(|(_, tag)| *tag == oid).map(|(name, _)| text(&name["refs/tags/".len()..])))
}

/// Adds names behind the identities in a text.
fn annotated(data: &[u8], names: &HashMap<Oid, String>, is_short: bool) -> Vec<u8> {
    const DIGITS: usize = 40;
    let mut out = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let end =
            data[at..].iter().position(|b| !b.is_ascii_hexdigit()).map_or(data.len(), |n| at + n);
        let word = &data[at..end];
        let name = if word.len() == DIGITS {
            Oid::parse(word).and_then(|oid| names.get(&oid))
        } else {
            None
        };
        match name {
            Some(name) if is_short => out.extend(name.bytes()),
            Some(name) => out.extend([word, b" (", name.as_bytes(), b")"].concat()),
            None => out.extend(word),
        }
        at = end;
        if let Some(byte) = data.get(at) {
            out.push(*byte);
            at += 1;
        }
    }
    out
}
