//! Names of branches and tags beside their commits.

use std::collections::HashMap;

use crate::bytes::text;
use crate::fault::Result;
use crate::repo::Repo;
use crate::store::oid::Oid;
use crate::store::refs::short_name;

/// Kind of a name, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Head,
    Branch,
    Remote,
    Tag,
    Stash,
}

impl Kind {
    fn colour(self) -> &'static str {
        match self {
            Kind::Head => "\x1b[1;36m",
            Kind::Branch => "\x1b[1;32m",
            Kind::Remote => "\x1b[1;31m",
            Kind::Tag => "\x1b[1;33m",
            Kind::Stash => "\x1b[1;35m",
        }
    }
}

/// A name of a commit.
struct Name {
    kind: Kind,
    text: String,
    /// The branch that `HEAD` names.
    branch: Option<String>,
}

/// The names of each commit.
#[derive(Default)]
pub(crate) struct Decorations {
    names: HashMap<Oid, Vec<Name>>,
}

impl Decorations {
    /// Collects the references of a repository in the order in which git prints them.
    pub(crate) fn new(repo: &Repo) -> Result<Decorations> {
        Decorations::of_repo(repo, false)
    }

    /// Collects the references with short or with full names.
    pub(crate) fn of_repo(repo: &Repo, is_full: bool) -> Result<Decorations> {
        let shown = |name: &[u8]| text(if is_full { name } else { short_name(name) });
        let mut names: HashMap<Oid, Vec<Name>> = HashMap::new();
        let head = repo.refs.branch()?;
        if let Some(oid) = repo.head()? {
            let branch = head.as_deref().map(shown);
            let name = Name { kind: Kind::Head, text: "HEAD".to_owned(), branch };
            names.entry(oid).or_default().push(name);
        }
        let kinds = [
            ("refs/tags/", Kind::Tag),
            ("refs/stash", Kind::Stash),
            ("refs/remotes/", Kind::Remote),
            ("refs/heads/", Kind::Branch),
        ];
        for (prefix, kind) in kinds {
            for (name, oid) in repo.refs.list(prefix)?.into_iter().rev() {
                if Some(&name) == head.as_ref() {
                    continue;
                }
                let text = match kind {
                    Kind::Tag => format!("tag: {}", shown(&name)),
                    Kind::Stash => text(&name),
                    Kind::Head | Kind::Branch | Kind::Remote => shown(&name),
                };
                let oid = crate::revision::peeled(repo, oid).unwrap_or(oid);
                names.entry(oid).or_default().push(Name { kind, text, branch: None });
            }
        }
        Ok(Decorations { names })
    }

    /// Returns true if a commit has a name.
    pub(crate) fn has(&self, oid: Oid) -> bool {
        self.names.contains_key(&oid)
    }

    /// Returns the names of a commit, separated by commas.
    pub(crate) fn of(&self, oid: Oid) -> Option<String> {
        let one = |name: &Name| match &name.branch {
            Some(branch) => format!("{} -> {branch}", name.text),
            None => name.text.clone(),
        };
        Some(self.names.get(&oid)?.iter().map(one).collect::<Vec<_>>().join(", "))
    }

    /// Returns the names of a commit in colours, between `before` and `after`.
    pub(crate) fn coloured(&self, oid: Oid, before: &str, after: &str) -> Option<String> {
        let plain = |text: &str| match text {
            "" => String::new(),
            text => format!("\x1b[33m{text}\x1b[m"),
        };
        let mut out = plain(before);
        for (n, name) in self.names.get(&oid)?.iter().enumerate() {
            if n > 0 {
                out += &plain(", ");
            }
            let mut put = |text: &str, kind: Kind| out += &format!("{}{text}\x1b[m", kind.colour());
            match name.text.strip_prefix("tag: ") {
                Some(tag) => {
                    put("tag: ", Kind::Tag);
                    put(tag, Kind::Tag);
                }
                None => put(&name.text, name.kind),
            }
            if let Some(branch) = &name.branch {
                out += &plain(" -> ");
                out += &format!("{}{branch}\x1b[m", Kind::Branch.colour());
            }
        }
        Some(out + &plain(after))
    }
}
