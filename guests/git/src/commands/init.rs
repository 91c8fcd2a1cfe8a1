//! `git init`.

use std::fs;

use super::Call;
use crate::args::{Arg, Valued, value_text};
use crate::bytes::{self, join, normal, text};
use crate::fault::{At, Result, fatal};
use crate::repo::current_dir;
use crate::store::config::Config;
use crate::store::refs;

const DESCRIPTION: &str =
    "Unnamed repository; edit this file 'description' to name the repository.\n";
const HINT: &str =
    "hint: Using 'master' as the name for the initial branch. This default branch name
hint: is subject to change. To configure the initial branch name to use in all
hint: of your new repositories, which will suppress this warning, call:
hint:\nhint: \tgit config --global init.defaultBranch <name>
hint:\nhint: Names commonly chosen instead of 'master' are 'main', 'trunk' and
hint: 'development'. The just-created branch can be renamed via this command:
hint:\nhint: \tgit branch -m <name>";
const EXCLUDE: &str = "# git ls-files --others --exclude-from=.git/info/exclude
# Lines that start with '#' are comments.
# For a project mostly in C, the following would be a good set of
# exclude patterns (uncomment them if you want to use them):
# *.[oa]
# *~
";

/// Runs `git init`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let (mut is_quiet, mut is_bare) = (false, false);
    let (mut branch, mut dir) = (None, None);
    let valued = Valued {
        short: "b",
        long: &["--initial-branch", "--template", "--separate-git-dir", "--object-format"],
        ..Valued::default()
    };
    for arg in call.parse(&valued)? {
        match arg {
            Arg::Option(name, value) => match name.as_str() {
                "-q" | "--quiet" => is_quiet = true,
                "--bare" => is_bare = true,
                "-b" | "--initial-branch" => branch = Some(value_text(&value)),
                "--template" | "--shared" => {}
                "--object-format" if value.as_deref() == Some(b"sha1") => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) => dir = Some(operand),
            Arg::Dashes => {}
        }
    }
    let root = normal(&join(&current_dir(), dir.as_deref().unwrap_or_default()));
    let config = Config::load(None, &call.given)?;
    let branch = branch.or_else(|| config.get("init.defaultbranch").map(str::to_owned));
    let is_chosen = branch.is_some();
    let branch = branch.unwrap_or_else(|| "master".to_owned());
    let git_dir = if is_bare { root } else { join(&root, b".git") };
    let is_new = create(&git_dir, is_bare, &branch)?;
    if is_new && !is_chosen && !is_quiet {
        call.out.note(HINT)?;
    }
    if !is_quiet {
        let verb = if is_new { "Initialized empty" } else { "Reinitialized existing" };
        call.out.line(format!("{verb} Git repository in {}/", text(&git_dir)));
    }
    Ok(0)
}

/// Makes the directories and files of a repository; returns false if it exists already.
pub(crate) fn create(git_dir: &[u8], is_bare: bool, branch: &str) -> Result<bool> {
    if !refs::is_valid_name(branch.as_bytes()) {
        return Err(fatal(format!("invalid initial branch name: '{branch}'")));
    }
    let is_new = !bytes::path(&join(git_dir, b"HEAD")).exists();
    for dir in
        ["branches", "hooks", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"]
    {
        let dir = join(git_dir, dir.as_bytes());
        fs::create_dir_all(bytes::path(&dir)).at(&dir)?;
    }
    let log = if is_bare { "" } else { "\tlogallrefupdates = true\n" };
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = {is_bare}\n{log}"
    );
    let files = [
        ("HEAD", format!("ref: refs/heads/{branch}\n")),
        ("config", config),
        ("description", DESCRIPTION.to_owned()),
        ("info/exclude", EXCLUDE.to_owned()),
    ];
    for (name, content) in files {
        let file = join(git_dir, name.as_bytes());
        if !bytes::path(&file).exists() {
            fs::write(bytes::path(&file), content).at(&file)?;
        }
    }
    Ok(is_new)
}
