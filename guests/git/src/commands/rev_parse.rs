//! `git rev-parse`.

use super::Call;
use crate::bytes::{self, join, text};
use crate::fault::{Fault, Result, fatal, silent};
use crate::repo::Repo;
use crate::revision::{self, Range};
use crate::store::oid::Oid;
use crate::store::refs::short_name;

/// Runs `git rev-parse`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let args = std::mem::take(&mut call.args);
    let repo = call.repo()?;
    let (mut short, mut is_abbreviated, mut is_symbolic, mut is_verify, mut is_quiet) =
        (None, false, false, false, false);
    let mut default = None;
    let mut found = 0;
    let mut rest = args.into_iter();
    while let Some(arg) = rest.next() {
        let shown = text(&arg);
        let (name, value) = match shown.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value)),
            _ => (shown.as_str(), None),
        };
        match name {
            "--short" => short = Some(value.and_then(|n| n.parse().ok()).unwrap_or(0usize)),
            "--abbrev-ref" => is_abbreviated = true,
            "--symbolic-full-name" | "--symbolic" => is_symbolic = true,
            "--verify" => is_verify = true,
            "-q" | "--quiet" => is_quiet = true,
            "--default" => default = rest.next(),
            "--revs-only" | "--no-revs" | "--flags" | "--no-flags" | "--sq"
            | "--end-of-options" => {}
            "--git-dir" => call.out.line(git_dir(&repo)),
            "--absolute-git-dir" => call.out.line(&repo.git_dir),
            "--git-common-dir" => call.out.line(match repo.common_dir == repo.git_dir {
                true => git_dir(&repo),
                false => repo.common_dir.clone(),
            }),
            "--git-path" => {
                let name = rest.next().unwrap_or_default();
                call.out.line(join(&git_dir(&repo), &name));
            }
            "--show-toplevel" => call.out.line(repo.root()?),
            "--show-prefix" => {
                let slash: &[u8] = if repo.prefix.is_empty() { b"" } else { b"/" };
                call.out.line([&repo.prefix, slash].concat());
            }
            "--show-cdup" => {
                call.out.line("../".repeat(
                    repo.prefix.split(|b| *b == b'/').filter(|part| !part.is_empty()).count(),
                ))
            }
            "--is-inside-work-tree" => {
                call.out.line((repo.work_tree.is_some() && !is_inside_git_dir(&repo)).to_string())
            }
            "--is-inside-git-dir" => call.out.line(is_inside_git_dir(&repo).to_string()),
            "--is-bare-repository" => {
                call.out.line((repo.config.flag("core.bare") == Some(true)).to_string())
            }
            "--is-shallow-repository" => {
                call.out.line(bytes::path(&repo.file("shallow")).exists().to_string())
            }
            "--show-object-format" => call.out.line("sha1"),
            "--show-superproject-working-tree" => {}
            "--all" | "--branches" | "--tags" | "--remotes" => {
                let prefix = match name {
                    "--all" => "refs/",
                    "--branches" => "refs/heads/",
                    "--tags" => "refs/tags/",
                    _ => "refs/remotes/",
                };
                for (name, oid) in repo.refs.list(prefix)? {
                    call.out.line(match is_symbolic || is_abbreviated {
                        true => text(short_name(&name)),
                        false => oid.to_string(),
                    });
                }
            }
            "--" => call.out.line("--"),
            _ if arg.starts_with(b"-") && arg.len() > 1 => call.out.line(&arg),
            _ => {
                found += 1;
                one(call, &repo, &arg, short, is_abbreviated, is_symbolic, (is_verify, is_quiet))?;
            }
        }
    }
    if found == 0 {
        if let Some(name) = default {
            one(call, &repo, &name, short, is_abbreviated, is_symbolic, (is_verify, is_quiet))?;
        } else if is_verify {
            return Err(if is_quiet { silent(1) } else { fatal("Needed a single revision") });
        }
    }
    Ok(0)
}

/// Returns the repository's directory as it is seen from the current one.
fn git_dir(repo: &Repo) -> Vec<u8> {
    match &repo.work_tree {
        Some(root) if repo.git_dir == join(root, b".git") && repo.prefix.is_empty() => {
            b".git".to_vec()
        }
        None if repo.git_dir == crate::repo::current_dir() => b".".to_vec(),
        _ => repo.git_dir.clone(),
    }
}

fn is_inside_git_dir(repo: &Repo) -> bool {
    let cwd = crate::repo::current_dir();
    cwd == repo.git_dir || cwd.starts_with(&[repo.git_dir.as_slice(), b"/"].concat())
}

fn one(
    call: &mut Call<'_>,
    repo: &Repo,
    arg: &[u8],
    short: Option<usize>,
    is_abbreviated: bool,
    is_symbolic: bool,
    (is_verify, is_quiet): (bool, bool),
) -> Result<()> {
    if is_abbreviated || is_symbolic {
        let name =
            match arg {
                b"@{u}" | b"@{upstream}" => {
                    let branch = repo.refs.branch()?.unwrap_or_default();
                    let upstream = revision::upstream(repo, &branch);
                    let shown = text(short_name(&branch));
                    Some(upstream.ok_or_else(|| {
                        fatal(format!("no upstream configured for branch '{shown}'"))
                    })?)
                }
                b"HEAD" | b"@" => match repo.refs.branch()? {
                    Some(branch) => {
                        if repo.head()?.is_none() {
                            call.out.line("HEAD");
                            return Err(revision::unknown(repo, arg));
                        }
                        Some(branch)
                    }
                    None => {
                        call.out.line("HEAD");
                        return Ok(());
                    }
                },
                other => {
                    let branch = other.strip_suffix(b"@{u}").or(other.strip_suffix(b"@{upstream}"));
                    let full = revision::full_name(repo, branch.unwrap_or(other))?;
                    match (branch, full) {
                        (Some(_), Some(full)) => revision::upstream(repo, &full),
                        (_, full) => full,
                    }
                }
            };
        if let Some(name) = name {
            call.out.line(if is_abbreviated { short_name(&name) } else { &name });
            return Ok(());
        }
    }
    let mut range = Range::default();
    let print = |oid: Oid| match short {
        Some(0) => repo.odb.short(oid),
        Some(n) => repo.odb.short_by(oid, n),
        None => oid.to_string(),
    };
    if is_verify {
        return match revision::find(repo, arg) {
            Ok(Some(oid)) => {
                call.out.line(print(oid));
                Ok(())
            }
            _ if is_quiet => Err(silent(1)),
            _ => Err(fatal("Needed a single revision")),
        };
    }
    if arg.windows(2).any(|pair| pair == b"..") {
        if range.add(repo, arg)? {
            for oid in &range.shown {
                call.out.line(print(*oid));
            }
            for oid in &range.hidden {
                call.out.line(format!("^{}", print(*oid)));
            }
            return Ok(());
        }
    } else {
        let (name, mark) = match arg.strip_prefix(b"^") {
            Some(rest) => (rest, "^"),
            None => (arg, ""),
        };
        if let Some(oid) = revision::find(repo, name)? {
            call.out.line(format!("{mark}{}", print(oid)));
            return Ok(());
        }
        if crate::repo::exists(&repo.work_path(&join(&repo.prefix, arg))) && !is_quiet {
            call.out.line(arg);
            return Ok(());
        }
    }
    if is_quiet {
        return Err(silent(1));
    }
    call.out.line(arg);
    let fault = revision::unknown(repo, arg);
    Err(Fault { code: 128, text: fault.text })
}
