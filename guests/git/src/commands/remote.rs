//! `git remote`, `git fetch`, `git pull`, `git push` and `git ls-remote`, for repositories on the
//! same machine.

use super::Call;
use super::clone;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::text;
use crate::fault::{Fault, Result, error, fatal};
use crate::repo::Repo;
use crate::revision;
use crate::store::config::{self, Write};
use crate::store::oid::Oid;
use crate::store::refs::Ref;
use crate::walk;

fn names(repo: &Repo) -> Vec<String> {
    let keys = repo.config.settings.iter().filter_map(|setting| {
        setting.key.strip_prefix("remote.")?.strip_suffix(".url").map(str::to_owned)
    });
    let mut names: Vec<String> = keys.collect();
    names.sort();
    names.dedup();
    names
}

fn url(repo: &Repo, name: &str) -> Option<String> {
    repo.config.get(&format!("remote.{name}.url")).map(str::to_owned)
}

/// Runs `git remote`.
pub(crate) fn remote(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_verbose, mut operands, mut does_fetch) = (false, Vec::new(), false);
    let (mut is_push, mut is_added) = (false, false);
    for arg in call.parse(&Valued { short: "tm", ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-v" | "--verbose" => is_verbose = true,
                "-f" => does_fetch = true,
                "--push" => is_push = true,
                "--add" => is_added = true,
                "--all" | "-t" | "-m" | "-n" | "-a" | "--auto" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(text(&operand)),
            Arg::Dashes => {}
        }
    }
    let file = repo.file("config");
    let words: Vec<&str> = operands.iter().map(String::as_str).collect();
    let missing = |name: &str| Fault { code: 2, text: format!("error: No such remote '{name}'") };
    match words[..] {
        [] => {
            for name in names(&repo) {
                let url = url(&repo, &name).unwrap_or_default();
                let pushed = push_url(&repo, &name).unwrap_or_else(|| url.clone());
                match is_verbose {
                    true => {
                        call.out.text(format!("{name}\t{url} (fetch)\n{name}\t{pushed} (push)\n"))
                    }
                    false => call.out.line(name),
                }
            }
        }
        ["add", name, address] => {
            if url(&repo, name).is_some() {
                return Err(Fault {
                    code: 3,
                    text: format!("error: remote {name} already exists."),
                });
            }
            if !crate::store::refs::is_valid_name(name.as_bytes()) {
                return Err(fatal(format!("'{name}' is not a valid remote name")));
            }
            config::set(&file, &format!("remote.{name}.url"), address, Write::ReplaceAll)?;
            config::set(
                &file,
                &format!("remote.{name}.fetch"),
                &format!("+refs/heads/*:refs/remotes/{name}/*"),
                Write::ReplaceAll,
            )?;
            if does_fetch {
                let repo = call.repo()?;
                fetch_from(call, &repo, name, true)?;
            }
        }
        ["remove" | "rm", name] => {
            if url(&repo, name).is_none() {
                return Err(missing(name));
            }
            config::remove_section(&file, &format!("remote.{name}"))?;
            for (full, _) in repo.refs.list(&format!("refs/remotes/{name}/"))? {
                repo.refs.delete(&full)?;
            }
            for setting in &repo.config.settings {
                let branch =
                    setting.key.strip_prefix("branch.").and_then(|key| key.strip_suffix(".remote"));
                if let Some(branch) = branch
                    && setting.value.as_deref() == Some(name)
                {
                    config::remove_section(&file, &format!("branch.{branch}"))?;
                }
            }
        }
        ["rename", old, new] => {
            let address = url(&repo, old).ok_or_else(|| missing(old))?;
            config::remove_section(&file, &format!("remote.{old}"))?;
            config::set(&file, &format!("remote.{new}.url"), &address, Write::ReplaceAll)?;
            config::set(
                &file,
                &format!("remote.{new}.fetch"),
                &format!("+refs/heads/*:refs/remotes/{new}/*"),
                Write::ReplaceAll,
            )?;
            for (full, oid) in repo.refs.list(&format!("refs/remotes/{old}/"))? {
                let short = text(&full[format!("refs/remotes/{old}/").len()..]);
                if short != "HEAD" {
                    repo.refs.write(
                        format!("refs/remotes/{new}/{short}").as_bytes(),
                        &Ref::Direct(oid),
                    )?;
                }
                repo.refs.delete(&full)?;
            }
        }
        ["get-url", name] => {
            let address = url(&repo, name).ok_or_else(|| missing(name))?;
            call.out.line(push_url(&repo, name).filter(|_| is_push).unwrap_or(address));
        }
        ["set-url", name, address] => {
            url(&repo, name).ok_or_else(|| missing(name))?;
            let key = if is_push { "pushurl" } else { "url" };
            let how = if is_added { Write::Add } else { Write::ReplaceAll };
            config::set(&file, &format!("remote.{name}.{key}"), address, how)?;
        }
        ["set-head", name, ref rest @ ..] => {
            let head = format!("refs/remotes/{name}/HEAD");
            match rest.first() {
                Some(branch) => {
                    let to = format!("refs/remotes/{name}/{branch}");
                    if repo.refs.resolve(to.as_bytes())?.is_none() {
                        return Err(error(format!("Not a valid ref: {to}")));
                    }
                    repo.refs.write(head.as_bytes(), &Ref::Symbolic(to.into_bytes()))?;
                }
                None => {
                    let (source, _) = open(&repo, name)?;
                    let branch = source.refs.branch()?.unwrap_or_default();
                    let short = text(branch.strip_prefix(b"refs/heads/").unwrap_or(&branch));
                    let to = format!("refs/remotes/{name}/{short}");
                    repo.refs.write(head.as_bytes(), &Ref::Symbolic(to.into_bytes()))?;
                    call.out.line(format!("{name}/HEAD set to {short}"));
                }
            }
        }
        ["show"] => names(&repo).into_iter().for_each(|name| call.out.line(name)),
        ["show", name] => {
            url(&repo, name).ok_or_else(|| missing(name))?;
            show(call, &repo, name)?;
        }
        ["update", ..] => {
            for name in names(&repo) {
                fetch_from(call, &repo, &name, true)?;
            }
        }
        ["prune", name] => {
            prune(call, &repo, name)?;
        }
        [verb, ..] => {
            let text = format!("error: unknown subcommand: `{verb}'\nusage: git remote");
            return Err(Fault { code: crate::fault::USAGE, text });
        }
    }
    Ok(0)
}

fn push_url(repo: &Repo, name: &str) -> Option<String> {
    repo.config.get(&format!("remote.{name}.pushurl")).map(str::to_owned)
}

/// Prints what `git remote show` says about a remote.
fn show(call: &mut Call<'_>, repo: &Repo, name: &str) -> Result<()> {
    let (source, address) = open(repo, name)?;
    let pushed = push_url(repo, name).unwrap_or_else(|| address.clone());
    let head = source.refs.branch()?.unwrap_or_default();
    let head = text(head.strip_prefix(b"refs/heads/").unwrap_or(&head));
    call.out.line(format!(
        "* remote {name}\n  Fetch URL: {address}\n  Push  URL: {pushed}\n  HEAD branch: {head}"
    ));
    let prefix = format!("refs/remotes/{name}/");
    let mut rows: Vec<(String, &str)> = Vec::new();
    for (full, _) in source.refs.list("refs/heads/")? {
        let short = text(&full["refs/heads/".len()..]);
        let known = repo.refs.resolve(format!("{prefix}{short}").as_bytes())?;
        let word =
            if known.is_some() { "tracked" } else { "new (next fetch will store in remotes/" };
        rows.push((short, word));
    }
    for (full, _) in repo.refs.list(&prefix)? {
        let short = text(&full[prefix.len()..]);
        if short != "HEAD" && !rows.iter().any(|(known, _)| *known == short) {
            rows.push((short, "stale (use 'git remote prune' to remove)"));
        }
    }
    rows.sort();
    let width = rows.iter().map(|(short, _)| short.len()).max().unwrap_or(0);
    let s = if rows.len() == 1 { "" } else { "es" };
    if !rows.is_empty() {
        call.out.line(format!("  Remote branch{s}:"));
    }
    for (short, word) in &rows {
        let tail = if word.starts_with("new") { format!("{name})") } else { String::new() };
        call.out.line(format!("    {short:<width$} {word}{tail}"));
    }
    let mut pulled = Vec::new();
    for (full, _) in repo.refs.list("refs/heads/")? {
        let short = text(&full["refs/heads/".len()..]);
        if repo.config.get(&format!("branch.{short}.remote")) == Some(name)
            && let Some(merge) = repo.config.get(&format!("branch.{short}.merge"))
        {
            pulled.push((short, merge.trim_start_matches("refs/heads/").to_owned()));
        }
    }
    let width = pulled.iter().map(|(short, _)| short.len()).max().unwrap_or(0);
    if !pulled.is_empty() {
        let s = if pulled.len() == 1 { "" } else { "es" };
        call.out.line(format!("  Local branch{s} configured for 'git pull':"));
    }
    for (short, merge) in &pulled {
        call.out.line(format!("    {short:<width$} merges with remote {merge}"));
    }
    let mut pushed: Vec<(String, &str)> = Vec::new();
    for (full, oid) in repo.refs.list("refs/heads/")? {
        let Some(other) = source.refs.resolve(&full)? else { continue };
        let state = if other == oid {
            "up to date"
        } else if repo.odb.has(other) && walk::is_ancestor(&repo.odb, other, oid)? {
            "fast-forwardable"
        } else {
            "local out of date"
        };
        pushed.push((text(&full["refs/heads/".len()..]), state));
    }
    let width = pushed.iter().map(|(short, _)| short.len()).max().unwrap_or(0);
    if !pushed.is_empty() {
        let s = if pushed.len() == 1 { "" } else { "s" };
        call.out.line(format!("  Local ref{s} configured for 'git push':"));
    }
    for (short, state) in &pushed {
        call.out.line(format!("    {short:<width$} pushes to {short:<width$} ({state})"));
    }
    Ok(())
}

/// Opens the repository behind a remote or an address.
fn open(repo: &Repo, name: &str) -> Result<(Repo, String)> {
    let address = match url(repo, name) {
        Some(address) => address,
        None if name == "origin" => {
            return Err(fatal(
                "'origin' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
            ));
        }
        None => name.to_owned(),
    };
    let path = match url(repo, name) {
        // A relative address starts at the work tree.
        Some(address) if !address.contains(':') && !address.starts_with('/') => {
            text(&crate::bytes::join(repo.root()?, address.as_bytes()))
        }
        _ => address.clone(),
    };
    let source =
        clone::open(path.as_bytes()).map_err(|fault| match fault.text.contains("does not") {
            true => unreachable(&address),
            false => fault,
        })?;
    Ok((source, address))
}

/// Returns the fault of an address without a repository.
fn unreachable(address: &str) -> Fault {
    fatal(format!(
        "'{address}' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists."
    ))
}

/// Returns the name of a repository as `From` shows it.
fn shown(address: &str) -> &str {
    address.strip_suffix("/.git").or_else(|| address.strip_suffix(".git")).unwrap_or(address)
}

fn default_remote(repo: &Repo) -> Result<String> {
    let branch = text(&repo.branch_name()?);
    Ok(repo.config.get(&format!("branch.{branch}.remote")).unwrap_or("origin").to_owned())
}

/// Copies the objects and branches of a remote.
fn fetch_from(
    call: &mut Call<'_>,
    repo: &Repo,
    name: &str,
    is_quiet: bool,
) -> Result<Vec<(String, Oid)>> {
    let (source, address) = open(repo, name)?;
    clone::copy_objects(&source, &repo.git_dir)?;
    let fresh = Repo::at(
        repo.git_dir.clone(),
        repo.work_tree.clone(),
        repo.work_tree.as_deref().unwrap_or_default(),
        &call.given,
    )?;
    let is_remote = url(repo, name).is_some();
    let mut lines = Vec::new();
    let mut heads = Vec::new();
    for (full, oid) in source.refs.list("refs/heads/")? {
        let short = text(&full["refs/heads/".len()..]);
        heads.push((short.clone(), oid));
        if !is_remote {
            continue;
        }
        let to = format!("refs/remotes/{name}/{short}");
        let before = repo.refs.resolve(to.as_bytes())?;
        if before == Some(oid) {
            continue;
        }
        let line = match before {
            None => format!(" * [new branch]      {short:<10} -> {name}/{short}"),
            Some(old) => {
                let is_forward = walk::is_ancestor(&fresh.odb, old, oid)?;
                let (mark, dots, tail) =
                    if is_forward { (' ', "..", "") } else { ('+', "...", "  (forced update)") };
                let range = format!("{}{dots}{}", fresh.odb.short(old), fresh.odb.short(oid));
                format!(" {mark} {range:<17} {short:<10} -> {name}/{short}{tail}")
            }
        };
        fresh.update_ref(
            to.as_bytes(),
            oid,
            if before.is_some() { "fetch: fast-forward" } else { "fetch: storing head" },
        )?;
        lines.push(line);
    }
    for (full, oid) in source.refs.list("refs/tags/")? {
        if repo.refs.resolve(&full)?.is_none() {
            let short = text(&full["refs/tags/".len()..]);
            repo.refs.write(&full, &Ref::Direct(oid))?;
            lines.push(format!(" * [new tag]         {short:<10} -> {short}"));
        }
    }
    if !lines.is_empty() && !is_quiet {
        call.out.note(format!("From {}\n{}", shown(&address), lines.join("\n")))?;
    }
    let head: String = heads
        .iter()
        .map(|(short, oid)| format!("{oid}\tnot-for-merge\tbranch '{short}' of {address}\n"))
        .collect();
    repo.set_state("FETCH_HEAD", head.as_bytes())?;
    Ok(heads)
}

fn prune(call: &mut Call<'_>, repo: &Repo, name: &str) -> Result<()> {
    let (source, address) = open(repo, name)?;
    for (full, _) in repo.refs.list(&format!("refs/remotes/{name}/"))? {
        let short = &full[format!("refs/remotes/{name}/").len()..];
        if short == b"HEAD" {
            continue;
        }
        if source.refs.resolve(&[b"refs/heads/", short].concat())?.is_none() {
            repo.refs.delete(&full)?;
            call.out.note(format!(
                "From {}\n - [deleted]         (none)     -> {name}/{}",
                shown(&address),
                text(short)
            ))?;
        }
    }
    Ok(())
}

/// Runs `git fetch`.
pub(crate) fn fetch(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_quiet, mut is_all, mut is_pruning, mut operands) =
        (false, false, false, Vec::new());
    for arg in call.parse(&Valued { short: "j", long: &["--depth"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-q" | "--quiet" => is_quiet = true,
                "--all" => is_all = true,
                "-p" | "--prune" => is_pruning = true,
                "-t" | "--tags" | "--no-tags" | "-f" | "--force" | "-v" | "--verbose"
                | "--depth" | "--unshallow" | "-j" | "--progress" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(text(&operand)),
            Arg::Dashes => {}
        }
    }
    let from = match is_all {
        true => names(&repo),
        // A repository that knows no other has nothing to fetch.
        false if operands.is_empty() && names(&repo).is_empty() => Vec::new(),
        false => vec![operands.first().cloned().map_or_else(|| default_remote(&repo), Ok)?],
    };
    for name in from {
        let heads = fetch_from(call, &repo, &name, is_quiet)?;
        if let Some(branch) = operands.get(1) {
            let short = branch.split(':').next().unwrap_or_default().trim_start_matches('+');
            if !heads.iter().any(|(name, _)| name == short) {
                return Err(fatal(format!("couldn't find remote ref {short}")));
            }
        }
        if is_pruning {
            prune(call, &repo, &name)?;
        }
    }
    Ok(0)
}

/// Runs `git pull`.
pub(crate) fn pull(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_quiet, mut is_rebase, mut passed, mut operands) =
        (false, false, Vec::new(), Vec::new());
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-q" | "--quiet" => is_quiet = true,
                "-r" | "--rebase" => is_rebase = value.as_deref() != Some(b"false"),
                "--no-rebase" => is_rebase = false,
                "--ff-only"
                | "--no-ff"
                | "--ff"
                | "--no-edit"
                | "--no-commit"
                | "--squash"
                | "--allow-unrelated-histories" => passed.push(name.into_bytes()),
                "-v" | "--verbose" | "--tags" | "-p" | "--prune" | "--autostash" | "--all" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(text(&operand)),
            Arg::Dashes => {}
        }
    }
    let remote = operands.first().cloned().map_or_else(|| default_remote(&repo), Ok)?;
    let branch = text(&repo.branch_name()?);
    if operands.is_empty() && names(&repo).is_empty() {
        return Err(no_tracking("<remote>", &branch));
    }
    let heads = fetch_from(call, &repo, &remote, is_quiet)?;
    let wanted = match operands.get(1) {
        Some(name) => name.clone(),
        None => match repo.config.get(&format!("branch.{branch}.merge")) {
            Some(merge) => merge.trim_start_matches("refs/heads/").to_owned(),
            None => {
                return Err(no_tracking(&remote, &branch));
            }
        },
    };
    let Some((_, oid)) = heads.iter().find(|(name, _)| *name == wanted) else {
        return Err(fatal(format!("couldn't find remote ref {wanted}")));
    };
    let name = match url(&repo, &remote) {
        Some(_) => format!("{remote}/{wanted}"),
        None => oid.to_string(),
    };
    passed.push(name.into_bytes());
    if is_quiet {
        passed.push(b"-q".to_vec());
    }
    let is_diverged = match repo.head()? {
        Some(head) => {
            let fresh = call.repo()?;
            !walk::is_ancestor(&fresh.odb, head, *oid)?
                && !walk::is_ancestor(&fresh.odb, *oid, head)?
        }
        None => false,
    };
    let is_told = is_rebase
        || repo.config.get("pull.rebase").is_some()
        || repo.config.get("pull.ff").is_some()
        || passed.len() > 1;
    if is_diverged && !is_told {
        return Err(Fault {
            code: crate::fault::FATAL,
            text: "hint: You have divergent branches and need to specify how to reconcile them.\nhint: You can do so by running one of the following commands sometime before\nhint: your next pull:\nhint:\nhint:   git config pull.rebase false  # merge\nhint:   git config pull.rebase true   # rebase\nhint:   git config pull.ff only       # fast-forward only\nhint:\nhint: You can replace \"git config\" with \"git config --global\" to set a default\nhint: preference for all repositories. You can also pass --rebase, --no-rebase,\nhint: or --ff-only on the command line to override the configured default per\nhint: invocation.\nfatal: Need to specify how to reconcile divergent branches.".to_owned(),
        });
    }
    call.args = passed;
    if is_rebase || repo.config.flag("pull.rebase") == Some(true) {
        call.name = "rebase".to_owned();
        return super::rebase::rebase(call);
    }
    call.name = "merge".to_owned();
    super::merge::run(call)
}

fn no_tracking(remote: &str, branch: &str) -> Fault {
    let text = format!(
        "There is no tracking information for the current branch.\nPlease specify which branch you want to merge with.\nSee git-pull(1) for details.\n\n    git pull <remote> <branch>\n\nIf you wish to set tracking information for this branch you can do so with:\n\n    git branch --set-upstream-to={remote}/<branch> {branch}\n"
    );
    Fault { code: 1, text }
}

/// Runs `git push`.
pub(crate) fn push(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (
        mut is_forced,
        mut follows,
        mut is_delete,
        mut has_tags,
        mut is_quiet,
        mut is_all,
        mut is_dry,
    ) = (false, false, false, false, false, false, false);
    let mut follows_tags = false;
    let mut operands = Vec::new();
    for arg in call.parse(&Valued { short: "o", ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-f" | "--force" | "--force-with-lease" => is_forced = true,
                "-u" | "--set-upstream" => follows = true,
                "-d" | "--delete" => is_delete = true,
                "--tags" => has_tags = true,
                "--follow-tags" => {
                    has_tags = true;
                    follows_tags = true;
                }
                "-q" | "--quiet" => is_quiet = true,
                "--all" | "--branches" => is_all = true,
                "-n" | "--dry-run" => is_dry = true,
                "-v" | "--verbose" | "--no-verify" | "--progress" | "--porcelain" | "--atomic" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(text(&operand)),
            Arg::Dashes => {}
        }
    }
    let remote = operands.first().cloned().map_or_else(|| default_remote(&repo), Ok)?;
    if operands.is_empty() && names(&repo).is_empty() {
        return Err(fatal(
            "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n",
        ));
    }
    let (target, address) = open(&repo, push_url(&repo, &remote).as_deref().unwrap_or(&remote))?;
    let mut specs: Vec<String> = operands.into_iter().skip(1).collect();
    if specs.is_empty() {
        let branch = text(&repo.branch_name()?);
        if is_all {
            specs = repo
                .refs
                .list("refs/heads/")?
                .into_iter()
                .map(|(name, _)| text(&name["refs/heads/".len()..]))
                .collect();
        } else if !has_tags || follows_tags {
            let has_upstream = repo.config.get(&format!("branch.{branch}.merge")).is_some();
            if !has_upstream
                && !follows
                && !has_tags
                && repo.config.get("push.default").is_none()
                && repo.config.flag("push.autosetupremote") != Some(true)
            {
                return Err(fatal(format!(
                    "The current branch {branch} has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream {remote} {branch}\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n"
                )));
            }
            let merge = repo.config.get(&format!("branch.{branch}.merge"));
            let to = merge.map_or(branch.as_str(), |to| to.trim_start_matches("refs/heads/"));
            let default = repo.config.get("push.default");
            if to != branch && matches!(default, None | Some("simple")) {
                return Err(fatal(format!(
                    "The upstream branch of your current branch does not match\nthe name of your current branch.  To push to the upstream branch\non the remote, use\n\n    git push {remote} HEAD:{to}\n\nTo push to the branch of the same name on the remote, use\n\n    git push {remote} HEAD\n\nTo choose either option permanently, see push.default in 'git help config'.\n\nTo avoid automatically configuring an upstream branch when its name\nwon't match the local branch, see option 'simple' of branch.autoSetupMerge\nin 'git help config'.\n"
                )));
            }
            specs.push(match default {
                Some("upstream" | "tracking") => format!("{branch}:{to}"),
                _ => branch,
            });
        }
    }
    let mut lines = Vec::new();
    let mut code = 0;
    if !is_dry && !is_delete {
        clone::copy_objects(&repo, &target.git_dir)?;
    }
    for spec in &specs {
        let (spec, is_forced) = match spec.strip_prefix('+') {
            Some(rest) => (rest, true),
            None => (spec.as_str(), is_forced),
        };
        let (from, to) = spec.split_once(':').unwrap_or((spec, spec));
        let (from, to) = if is_delete { ("", spec) } else { (from, to) };
        let full_of = |name: &str| match name.starts_with("refs/") {
            true => name.to_owned(),
            false
                if repo
                    .refs
                    .resolve(format!("refs/tags/{name}").as_bytes())
                    .ok()
                    .flatten()
                    .is_some() =>
            {
                format!("refs/tags/{name}")
            }
            false => format!("refs/heads/{name}"),
        };
        let to = match to {
            "HEAD" => text(&repo.branch_name()?),
            other => other.to_owned(),
        };
        let full = full_of(&to);
        // Messages show the short name, whatever was written.
        let to = full
            .strip_prefix("refs/heads/")
            .or_else(|| full.strip_prefix("refs/tags/"))
            .map_or_else(|| full.clone(), str::to_owned);
        let before = target.refs.resolve(full.as_bytes())?;
        if from.is_empty() {
            match before {
                Some(_) if !is_dry => {
                    target.refs.delete(full.as_bytes())?;
                    // The remote branch is forgotten here as well.
                    repo.refs.delete(format!("refs/remotes/{remote}/{to}").as_bytes())?;
                    lines.push(format!(" - [deleted]         {to}"));
                }
                Some(_) => lines.push(format!(" - [deleted]         {to}")),
                None => {
                    return Err(Fault {
                        code: 1,
                        text: format!(
                            "error: unable to delete '{to}': remote ref does not exist\nerror: failed to push some refs to '{address}'"
                        ),
                    });
                }
            }
            continue;
        }
        let Some(oid) = revision::find(&repo, from.as_bytes())? else {
            return Err(Fault {
                code: 1,
                text: format!(
                    "error: src refspec {from} does not match any\nerror: failed to push some refs to '{address}'"
                ),
            });
        };
        let is_branch = full.starts_with("refs/heads/");
        let is_checked_out =
            target.work_tree.is_some() && target.refs.branch()?.as_deref() == Some(full.as_bytes());
        let line = match before {
            Some(old) if old == oid => None,
            Some(_) if is_checked_out => {
                code = 1;
                Some(format!(
                    " ! [remote rejected] {from} -> {to} (branch is currently checked out)"
                ))
            }
            Some(old) => {
                let is_forward =
                    repo.odb.has(old) && is_branch && walk::is_ancestor(&repo.odb, old, oid)?;
                if !is_forward && !is_forced {
                    code = 1;
                    let reason = if repo.odb.has(old) { "non-fast-forward" } else { "fetch first" };
                    Some(format!(" ! [rejected]        {from} -> {to} ({reason})"))
                } else {
                    let (mark, dots, tail) =
                        if is_forward { (' ', "..", "") } else { ('+', "...", " (forced update)") };
                    Some(format!(
                        " {mark} {}{dots}{}  {from} -> {to}{tail}",
                        repo.odb.short(old),
                        repo.odb.short(oid)
                    ))
                }
            }
            None => Some(format!(
                " * [new {}]{}{from} -> {to}",
                if is_branch { "branch" } else { "tag" },
                if is_branch { "      " } else { "         " }
            )),
        };
        let is_done = line.as_ref().is_none_or(|line| !line.starts_with(" !"));
        if is_done && !is_dry {
            target.refs.write(full.as_bytes(), &Ref::Direct(oid))?;
            if is_branch && url(&repo, &remote).is_some() {
                repo.update_ref(
                    format!("refs/remotes/{remote}/{to}").as_bytes(),
                    oid,
                    "update by push",
                )?;
            }
        }
        lines.extend(line);
        if follows && is_done {
            let branch = text(&repo.branch_name()?);
            let from = if from == "HEAD" { branch.as_str() } else { from };
            let from = from.trim_start_matches("refs/heads/");
            config::set(
                &repo.file("config"),
                &format!("branch.{from}.remote"),
                &remote,
                Write::ReplaceAll,
            )?;
            config::set(
                &repo.file("config"),
                &format!("branch.{from}.merge"),
                &full,
                Write::ReplaceAll,
            )?;
            if !is_quiet {
                call.out.line(format!("branch '{from}' set up to track '{remote}/{to}'."));
            }
        }
    }
    if has_tags {
        for (name, oid) in repo.refs.list("refs/tags/")? {
            if target.refs.resolve(&name)?.is_none() {
                let short = text(&name["refs/tags/".len()..]);
                target.refs.write(&name, &Ref::Direct(oid))?;
                lines.push(format!(" * [new tag]         {short} -> {short}"));
            }
        }
    }
    if lines.is_empty() && !is_quiet {
        call.out.note("Everything up-to-date")?;
    } else if !is_quiet || code != 0 {
        call.out.note(format!("To {address}\n{}", lines.join("\n")))?;
    }
    if code != 0 {
        let hint = lines.iter().find_map(|line| rejection(line)).unwrap_or_default();
        return Err(Fault {
            code,
            text: format!("error: failed to push some refs to '{address}'{hint}"),
        });
    }
    Ok(0)
}

/// Returns the advice about a rejected reference.
fn rejection(line: &str) -> Option<&'static str> {
    if line.ends_with("(fetch first)") {
        return Some(
            "\nhint: Updates were rejected because the remote contains work that you do not\nhint: have locally. This is usually caused by another repository pushing to\nhint: the same ref. If you want to integrate the remote changes, use\nhint: 'git pull' before pushing again.\nhint: See the 'Note about fast-forwards' in 'git push --help' for details.",
        );
    }
    line.ends_with("(non-fast-forward)").then_some(
        "\nhint: Updates were rejected because the tip of your current branch is behind\nhint: its remote counterpart. If you want to integrate the remote changes,\nhint: use 'git pull' before pushing again.\nhint: See the 'Note about fast-forwards' in 'git push --help' for details.",
    )
}

/// Runs `git ls-remote`.
pub(crate) fn ls_remote(call: &mut Call<'_>) -> Result<i32> {
    let (mut has_heads, mut has_tags, mut operands) = (false, false, Vec::new());
    for arg in call.parse(&Valued::default())? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "--heads" | "-h" | "--branches" => has_heads = true,
                "--tags" | "-t" => has_tags = true,
                "-q" | "--quiet" | "--refs" | "--exit-code" | "--symref" => {
                    let _ = value_text(&value);
                }
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => operands.push(text(&operand)),
            Arg::Dashes => {}
        }
    }
    let source = match (operands.first(), call.repo()) {
        (Some(name), Ok(repo)) => open(&repo, name)?.0,
        (Some(name), Err(_)) => clone::open(name.as_bytes())?,
        (None, repo) => {
            let repo = repo?;
            if names(&repo).is_empty() {
                return Err(fatal("No remote configured to list refs from."));
            }
            open(&repo, &default_remote(&repo)?)?.0
        }
    };
    let is_all = !has_heads && !has_tags;
    if is_all && let Some(oid) = source.head()? {
        call.out.line(format!("{oid}\tHEAD"));
    }
    for (name, oid) in source.refs.list("refs/")? {
        if is_all
            || has_heads && name.starts_with(b"refs/heads/")
            || has_tags && name.starts_with(b"refs/tags/")
        {
            call.out.line(format!("{oid}\t{}", text(&name)));
            if let Ok(peeled) = revision::peeled(&source, oid)
                && peeled != oid
            {
                call.out.line(format!("{peeled}\t{}^{{}}", text(&name)));
            }
        }
    }
    Ok(0)
}
