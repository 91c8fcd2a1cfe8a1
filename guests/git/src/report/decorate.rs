//! Names of branches and tags beside their commits.

use std::collections::HashMap;

use crate::bytes::text;
use crate::fault::Result;
use crate::repo::Repo;
use crate::store::oid::Oid;
use crate::store::refs::short_name;

/// The names of each commit.
#[derive(Default)]
pub(crate) struct Decorations {
    names: HashMap<Oid, Vec<String>>,
}

impl Decorations {
    /// Collects the references of a repository in the order in which git prints them.
    pub(crate) fn new(repo: &Repo) -> Result<Decorations> {
        let mut names: HashMap<Oid, Vec<String>> = HashMap::new();
        let head = repo.refs.branch()?;
        if let Some(oid) = repo.head()? {
            let name = match &head {
                Some(branch) => format!("HEAD -> {}", text(short_name(branch))),
                None => "HEAD".to_owned(),
            };
            names.entry(oid).or_default().push(name);
        }
        for prefix in ["refs/tags/", "refs/stash", "refs/remotes/", "refs/heads/"] {
            for (name, oid) in repo.refs.list(prefix)?.into_iter().rev() {
                if Some(&name) == head.as_ref() {
                    continue;
                }
                let shown = match prefix {
                    "refs/tags/" => format!("tag: {}", text(short_name(&name))),
                    "refs/stash" => text(&name),
                    _ => text(short_name(&name)),
                };
                let oid = crate::revision::peeled(repo, oid).unwrap_or(oid);
                names.entry(oid).or_default().push(shown);
            }
        }
        Ok(Decorations { names })
    }

    /// Returns the names of a commit, separated by commas.
    pub(crate) fn of(&self, oid: Oid) -> Option<String> {
        self.names.get(&oid).map(|names| names.join(", "))
    }
}
