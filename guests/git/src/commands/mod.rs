//! The subcommands.

mod add;
mod am;
mod apply;
mod archive;
mod bisect;
mod blame;
mod branch;
mod check_attr;
mod checkout;
mod cherry;
mod clean;
mod clone;
mod commit;
mod config;
mod describe;
mod diff;
mod diff_files;
mod format_patch;
mod grep;
mod init;
mod line_log;
mod list;
mod log;
mod merge;
mod name_rev;
mod no_index;
mod notes;
mod object;
mod pick;
mod plumbing;
mod rebase;
mod refs;
mod remote;
mod reset;
mod rev_parse;
mod show;
mod stash;
mod status;
mod tag;
mod upkeep;
mod worktree;

use crate::Output;
use crate::args::Arg;
use crate::bytes::{self, text};
use crate::editor;
use crate::fault::{Fault, Result, USAGE, fatal};
use crate::repo::Repo;
use crate::store::config::{Config, Setting, normal_key};

/// Everything that a subcommand works with.
pub(crate) struct Call<'o> {
    /// Name of the subcommand.
    pub(crate) name: String,
    /// Arguments after the name.
    pub(crate) args: Vec<Vec<u8>>,
    /// Settings of `-c`.
    pub(crate) given: Vec<Setting>,
    pub(crate) out: &'o mut Output,
}

impl Call<'_> {
    /// Finds the repository.
    pub(crate) fn repo(&self) -> Result<Repo> {
        Repo::find(&self.given)
    }

    /// Takes the arguments.
    pub(crate) fn parse(&mut self, valued: &crate::args::Valued) -> Result<Vec<Arg>> {
        crate::args::parse(std::mem::take(&mut self.args), valued)
    }

    /// Returns the fault of an option that the subcommand does not have.
    pub(crate) fn unknown(&self, option: &str) -> Fault {
        crate::fault::unknown_option(&self.name, option)
    }
}

type Run = fn(&mut Call<'_>) -> Result<i32>;

/// All subcommands, sorted.
const TABLE: &[(&str, Run)] = &[
    ("add", add::add),
    ("am", am::run),
    ("annotate", blame::annotate),
    ("apply", apply::run),
    ("archive", archive::run),
    ("bisect", bisect::run),
    ("blame", blame::run),
    ("branch", branch::run),
    ("cat-file", object::cat_file),
    ("check-attr", check_attr::run),
    ("check-ignore", list::check_ignore),
    ("check-ref-format", plumbing::check_ref_format),
    ("checkout", checkout::checkout),
    ("cherry", cherry::run),
    ("cherry-pick", pick::cherry_pick),
    ("clean", clean::run),
    ("clone", clone::run),
    ("commit", commit::run),
    ("commit-tree", object::commit_tree),
    ("config", config::run),
    ("count-objects", upkeep::count_objects),
    ("describe", describe::run),
    ("diff", diff::run),
    ("diff-files", diff_files::run),
    ("diff-index", diff::index),
    ("diff-tree", diff::tree),
    ("fetch", remote::fetch),
    ("for-each-ref", refs::for_each),
    ("format-patch", format_patch::run),
    ("fsck", upkeep::fsck),
    ("gc", upkeep::nothing),
    ("grep", grep::run),
    ("hash-object", object::hash_object),
    ("init", init::run),
    ("log", log::log),
    ("ls-files", list::ls_files),
    ("ls-remote", remote::ls_remote),
    ("ls-tree", list::ls_tree),
    ("maintenance", upkeep::nothing),
    ("merge", merge::run),
    ("merge-base", refs::merge_base),
    ("merge-file", plumbing::merge_file),
    ("mktree", plumbing::mktree),
    ("mv", add::mv),
    ("name-rev", name_rev::run),
    ("notes", notes::run),
    ("pack-refs", upkeep::nothing),
    ("prune", upkeep::nothing),
    ("prune-packed", upkeep::nothing),
    ("pull", remote::pull),
    ("push", remote::push),
    ("read-tree", object::read_tree),
    ("rebase", rebase::rebase),
    ("reflog", log::reflog),
    ("remote", remote::remote),
    ("repack", upkeep::nothing),
    ("rerere", upkeep::nothing),
    ("reset", reset::run),
    ("restore", checkout::restore),
    ("rev-list", log::rev_list),
    ("rev-parse", rev_parse::run),
    ("revert", pick::revert),
    ("rm", add::rm),
    ("shortlog", log::shortlog),
    ("show", show::run),
    ("show-ref", refs::show_ref),
    ("stash", stash::run),
    ("status", status::run),
    ("stripspace", plumbing::stripspace),
    ("submodule", plumbing::submodule),
    ("switch", checkout::switch),
    ("symbolic-ref", refs::symbolic_ref),
    ("tag", tag::run),
    ("update-index", object::update_index),
    ("update-ref", refs::update_ref),
    ("var", config::var),
    ("whatchanged", plumbing::whatchanged),
    ("worktree", worktree::run),
    ("write-tree", object::write_tree),
];

/// Subcommands of git that need what a sandbox does not have, with the reason.
const ABSENT: &[(&str, &str)] = &[
    ("daemon", "a sandbox does not serve connections"),
    ("lfs", "files are stored in the repository itself"),
    ("send-email", "a sandbox sends no mail"),
    ("svn", "a sandbox has no Subversion"),
];

/// Version that is reported; scripts compare it.
const VERSION: &str = "git version 2.47.3 (cofferdam)";

const USAGE_TEXT: &str =
    "usage: git [-v | --version] [-C <path>] [-c <name>=<value>] [--git-dir=<path>]
           [--work-tree=<path>] [--no-pager] <command> [<args>]";

/// Longest chain of aliases.
const MAX_ALIASES: usize = 8;

/// Parses the general options and runs a subcommand.
pub(crate) fn run(args: Vec<Vec<u8>>, out: &mut Output) -> Result<i32> {
    let mut given = Vec::new();
    let mut rest = args.into_iter();
    let name = loop {
        let Some(arg) = rest.next() else {
            out.line(usage());
            return Ok(1);
        };
        if !arg.starts_with(b"-") {
            break text(&arg);
        }
        let shown = text(&arg);
        let (option, attached) = match shown.split_once('=') {
            Some((option, value)) => (option, Some(value.as_bytes().to_vec())),
            None => (shown.as_str(), None),
        };
        let mut value = || {
            attached.clone().or_else(|| rest.next()).ok_or_else(|| Fault {
                code: USAGE,
                text: format!("fatal: no value given for '{option}'\n{USAGE_TEXT}"),
            })
        };
        match option {
            "-v" | "--version" => {
                out.line(VERSION);
                return Ok(0);
            }
            "-h" | "--help" => {
                out.line(usage());
                return Ok(0);
            }
            "-C" => {
                let dir = value()?;
                cofferdam_guest_sys::chdir(&dir).map_err(|e| {
                    let reason = crate::fault::reason(&e);
                    fatal(format!("cannot change to '{}': {reason}", text(&dir)))
                })?;
            }
            "-c" => given.push(setting(&text(&value()?))?),
            // SAFETY: a process of this program has one thread.
            "--git-dir" => unsafe { std::env::set_var("GIT_DIR", bytes::path(&value()?)) },
            // SAFETY: as above.
            "--work-tree" => unsafe { std::env::set_var("GIT_WORK_TREE", bytes::path(&value()?)) },
            "--no-pager"
            | "-p"
            | "--paginate"
            | "-P"
            | "--no-optional-locks"
            | "--no-replace-objects"
            | "--literal-pathspecs"
            | "--no-lazy-fetch" => {}
            "--exec-path" => {
                out.line("/usr/lib/git-core");
                return Ok(0);
            }
            _ => {
                return Err(Fault {
                    code: USAGE,
                    text: format!("unknown option: {shown}\n{USAGE_TEXT}"),
                });
            }
        }
    };
    dispatch(name, rest.collect(), given, out)
}

fn setting(text: &str) -> Result<Setting> {
    let (key, value) = match text.split_once('=') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (text, None),
    };
    let key = normal_key(key).ok_or_else(|| crate::store::config::bad_key(key))?;
    Ok(Setting { key, value })
}

fn dispatch(
    mut name: String,
    mut args: Vec<Vec<u8>>,
    given: Vec<Setting>,
    out: &mut Output,
) -> Result<i32> {
    for _ in 0..MAX_ALIASES {
        if name == "help" || args.first().is_some_and(|arg| arg == b"--help") {
            out.line(usage());
            return Ok(0);
        }
        if name == "version" {
            out.line(VERSION);
            return Ok(0);
        }
        if let Ok(at) = TABLE.binary_search_by(|(known, _)| (*known).cmp(name.as_str())) {
            let run = TABLE[at].1;
            return run(&mut Call { name, args, given, out });
        }
        let config = match Repo::find(&given) {
            Ok(repo) => repo.config,
            Err(_) => Config::load(None, &given)?,
        };
        let Some(alias) = config.get(&format!("alias.{name}")).map(str::to_owned) else { break };
        if let Some(script) = alias.strip_prefix('!') {
            out.flush();
            let mut all: Vec<&[u8]> = vec![script.as_bytes()];
            all.extend(args.iter().map(Vec::as_slice));
            let whole = format!("{script} \"$@\"");
            return Ok(editor::shell(whole.as_bytes(), &all, editor::Stdout::Own));
        }
        let mut words = alias.split_whitespace().map(str::to_owned);
        name = words.next().unwrap_or_default();
        args.splice(..0, words.map(String::into_bytes));
    }
    if let Some((_, hint)) = ABSENT.iter().find(|(known, _)| *known == name) {
        return Err(fatal(format!("git {name} is not available in a sandbox: {hint}")));
    }
    Err(Fault {
        code: 1,
        text: format!("git: '{name}' is not a git command. See 'git --help'.{}", nearest(&name)),
    })
}

/// Returns the lines that suggest a command with a similar name.
fn nearest(name: &str) -> String {
    let near = TABLE.iter().map(|(known, _)| *known).filter(|known| distance(known, name) <= 2);
    let near: Vec<&str> = near.collect();
    match near[..] {
        [] => String::new(),
        [one] => format!("\n\nThe most similar command is\n\t{one}"),
        _ => format!("\n\nThe most similar commands are\n\t{}", near.join("\n\t")),
    }
}

/// Returns the number of letters that have to be changed, added or removed.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in two.iter().enumerate() {
            let cost = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[two.len()]
}

fn usage() -> String {
    let names: Vec<&str> = TABLE.iter().map(|(name, _)| *name).collect();
    let mut text = format!("{USAGE_TEXT}\n\nCommands:\n");
    let mut line = String::from("  ");
    for name in names {
        if line.len() + name.len() > 76 {
            text += line.trim_end();
            text.push('\n');
            line = String::from("  ");
        }
        line += name;
        line.push(' ');
    }
    text + line.trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn a_similar_name_is_suggested() {
        assert!(nearest("comit").contains("commit"));
        assert_eq!(nearest("zzzzzzz"), "");
    }
}
