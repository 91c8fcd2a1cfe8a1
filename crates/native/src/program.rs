//! The program to run, as the caller names it, and as it is found on this machine.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cofferdam_broker::HostFolder;

use crate::managers;

/// Longest first line of a script that names its interpreter.
const MAX_SHEBANG: usize = 256;

/// Programs whose first argument that is a file is the script to run, with the letters of options
/// that code or the name of a module follows.
const INTERPRETERS: [(&str, &str); 14] = [
    ("bash", "c"),
    ("bun", "ep"),
    ("dash", "c"),
    ("deno", ""),
    ("lua", "e"),
    ("node", "ep"),
    ("nodejs", "ep"),
    ("perl", "eE"),
    ("php", "rBREF"),
    ("python", "cm"),
    ("ruby", "e"),
    ("sh", "c"),
    ("ts-node", "ep"),
    ("tsx", "ep"),
];

/// Words that code follows, in the programs that know them.
const CODE_WORDS: [&str; 3] = ["--eval", "--print", "eval"];

/// A program to run, with its world.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The command line.
    pub words: Vec<OsString>,
    /// Variables that the program gets.
    pub variables: BTreeMap<String, String>,
    /// Variables that the program gets only if they are granted.
    pub offered: BTreeMap<String, String>,
    /// Working directory in the sandbox; that of this process if `None`.
    pub directory: Option<PathBuf>,
    /// Folders of the host that are shown without a question.
    pub folders: Vec<HostFolder>,
    /// Files and folders of the host that are never shown.
    pub hidden: Vec<PathBuf>,
    /// Folders in which programs are looked for, separated by colons.
    pub search: OsString,
    /// Limits of the run.
    pub limits: Limits,
}

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time, without the time that a person is asked.
    pub time: Duration,
    /// Resident memory of all processes together.
    pub memory_bytes: u64,
    /// Output that is kept.
    pub stdout_bytes: u64,
    /// Errors that are kept.
    pub stderr_bytes: u64,
    /// Bytes in the program's own files.
    pub file_bytes: u64,
    /// Number of the program's own files.
    pub file_count: u64,
    /// Processes at once.
    pub processes: u64,
    /// Body of a request to the network, and of a response.
    pub fetch_bytes: u64,
}

impl Limits {
    /// Returns the limits of one request to the network. Its bodies are passed on and not kept, and
    /// it may take as long as the run.
    pub(crate) fn of_requests(&self) -> cofferdam_net::Limits {
        let bytes = usize::try_from(self.fetch_bytes).unwrap_or(usize::MAX);
        let usual = cofferdam_net::Limits::default();
        let time = self.time.max(usual.time);
        cofferdam_net::Limits { body_bytes: bytes, send_bytes: bytes, time, ..usual }
    }
}

/// A program that was found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The program.
    pub(crate) file: Located,
    /// Programs that interpret it, if it is a script.
    pub(crate) interpreters: Vec<Located>,
    /// Words behind the interpreter in its first line, if it is a script.
    pub(crate) line: Option<String>,
    /// The script among its arguments.
    pub(crate) script: Option<Script>,
}

/// A file with the name by which it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    /// Path in the sandbox, without links.
    pub(crate) path: PathBuf,
    /// Path in the sandbox by which it was found; differs if that is a link.
    pub(crate) named: PathBuf,
    /// Path on the host, without links.
    pub(crate) host: PathBuf,
    /// True if the name leads through a folder that is mounted at another path.
    pub(crate) is_mounted: bool,
}

impl Located {
    fn new(named: &Path) -> io::Result<Self> {
        let named = std::path::absolute(named)?;
        let host = fs::canonicalize(&named)?;
        Ok(Located { path: host.clone(), named, host, is_mounted: false })
    }

    /// Finds a file below a folder that is mounted at another path; `None` if there is none.
    fn mounted(named: &Path, program: &Program) -> Option<Self> {
        let named = program.base()?.join(named);
        let folder = nearest(&named, &program.folders)?;
        let host = fs::canonicalize(on_host(&named, &program.folders)).ok()?;
        let path = match host.strip_prefix(fs::canonicalize(&folder.host).ok()?) {
            Ok(rest) => Path::new(&folder.at).join(rest),
            Err(_) => host.clone(),
        };
        let is_mounted = folder.at != folder.host;
        is_mounted.then_some(Located { path, named, host, is_mounted })
    }
}

impl Program {
    /// Returns the working directory.
    pub(crate) fn base(&self) -> Option<PathBuf> {
        self.directory.clone().or_else(|| std::env::current_dir().ok())
    }
}

/// A script that an interpreter is to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// Absolute path in the sandbox.
    pub(crate) at: PathBuf,
    /// Path on the host, which differs below a mounted folder.
    pub(crate) host: PathBuf,
    /// Index among the words of the command line.
    pub(crate) index: usize,
}

/// Finds a program by its name or path.
pub(crate) fn find(program: &Program) -> io::Result<Found> {
    let word = program.words.first().map(OsString::as_os_str).unwrap_or_default();
    let is_path = word.as_encoded_bytes().contains(&b'/');
    let mounted = is_path.then(|| Located::mounted(Path::new(word), program)).flatten();
    let file = match mounted {
        Some(file) => file,
        None => Located::new(&locate(word, program)?)?,
    };
    let (interpreters, line) = interpreters(&file.host, program)?;
    let script = script(&file.path, program);
    Ok(Found { file, interpreters, line, script })
}

fn locate(word: &OsStr, program: &Program) -> io::Result<PathBuf> {
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    if word.as_encoded_bytes().contains(&b'/') {
        let path = PathBuf::from(word);
        return Ok(managers::behind(&path, program).unwrap_or(path));
    }
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
    };
    let mut found: Vec<_> = std::env::split_paths(&program.search)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(word))
        .filter(is_program)
        .collect();
    if let Some(path) = found.first().and_then(|first| managers::behind(first, program)) {
        return Ok(path);
    }
    // A shim is a script of a version manager, which would need the whole manager.
    let real = found.iter().position(|path| !path.parent().is_some_and(|p| p.ends_with("shims")));
    match (real, found.is_empty()) {
        (Some(index), _) => Ok(found.swap_remove(index)),
        (None, false) => Ok(found.swap_remove(0)),
        (None, true) => Err(missing()),
    }
}

/// Returns the programs that a script names in its first line, and the rest of that line.
pub(crate) fn interpreters(
    path: &Path,
    program: &Program,
) -> io::Result<(Vec<Located>, Option<String>)> {
    let mut first = Vec::new();
    File::open(path)?.take(MAX_SHEBANG as u64).read_to_end(&mut first)?;
    let Some((named, argument)) = shebang(&first) else { return Ok((Vec::new(), None)) };
    let missing = |name: &OsStr, error: io::Error| {
        let name = cofferdam_caps::visible(&name.to_string_lossy()).into_owned();
        io::Error::other(match error.kind() {
            io::ErrorKind::NotFound => format!("{name}, named in its first line: no such program"),
            _ => format!("{name}, named in its first line: {error}"),
        })
    };
    let interpreter = Located::new(&named).map_err(|error| missing(named.as_os_str(), error))?;
    let mut found = vec![interpreter];
    if named.file_name() == Some(OsStr::new("env"))
        && let Some(name) = argument.as_deref().and_then(after_env)
    {
        let name = OsStr::new(name);
        let located = locate(name, program).and_then(|path| Located::new(&path));
        found.push(located.map_err(|error| missing(name, error))?);
    }
    Ok((found, argument))
}

/// Returns the program among the words behind `env`, which may be options and variables.
fn after_env(words: &str) -> Option<&str> {
    words.split_ascii_whitespace().find(|word| !word.starts_with('-') && !word.contains('='))
}

/// Parses the first line of a script: its interpreter and the rest.
pub(crate) fn shebang(first: &[u8]) -> Option<(PathBuf, Option<String>)> {
    let line = first.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?.trim();
    let (program, rest) = match line.split_once([' ', '\t']) {
        Some((program, rest)) => (program, Some(rest.trim().to_owned())),
        None => (line, None),
    };
    (!program.is_empty()).then(|| (PathBuf::from(program), rest))
}

/// Returns true for an option, or letters of options together, that code follows.
fn is_followed_by_code(word: &OsStr, letters: &str) -> bool {
    let Some(word) = word.to_str() else { return false };
    let is_long = |known: &&str| {
        word.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    CODE_WORDS.iter().any(is_long)
        || short.is_some_and(|options| options.contains(|letter| letters.contains(letter)))
}

/// Returns the script among the arguments of an interpreter; `None` if it is told to run other code.
// T-NAT-016: the file that a line of code is given as its argument is no script.
pub(crate) fn script(path: &Path, program: &Program) -> Option<Script> {
    let name = base_name(path)?;
    let is_known = |(known, _): &&(&str, &str)| {
        let rest = name.strip_prefix(known);
        rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    let (_, letters) = INTERPRETERS.iter().find(is_known)?;
    let base = program.base()?;
    let words = program.words.iter().enumerate().skip(1);
    let words = words.filter(|(_, word)| !word.as_encoded_bytes().starts_with(b"-"));
    let scripts = words.map(|(index, word)| {
        let at = base.join(word);
        let host = on_host(&at, &program.folders);
        Script { at, host, index }
    });
    let script = scripts.into_iter().find(|script| script.host.is_file())?;
    let mut before = program.words[1..script.index].iter();
    (!before.any(|word| is_followed_by_code(word, letters))).then_some(script)
}

/// Returns the name of a program. The one of Bun's package for npm ends with `.exe` everywhere.
pub(crate) fn base_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    Some(name.strip_suffix(".exe").unwrap_or(name))
}

/// Returns the path on the host of a path in the sandbox.
pub(crate) fn on_host(at: &Path, folders: &[HostFolder]) -> PathBuf {
    let below = |folder: &HostFolder| {
        at.strip_prefix(&folder.at).ok().map(|rest| Path::new(&folder.host).join(rest))
    };
    nearest(at, folders).and_then(below).unwrap_or_else(|| at.to_owned())
}

/// Returns the innermost mounted folder around a path in the sandbox.
fn nearest<'a>(at: &Path, folders: &'a [HostFolder]) -> Option<&'a HostFolder> {
    let around = folders.iter().filter(|folder| at.starts_with(&folder.at));
    around.max_by_key(|folder| folder.at.len())
}

/// Returns the folder of a program's own installation, which has its `bin`. A program of the system
/// has its libraries in folders that every sandbox sees.
pub(crate) fn prefix<'a>(path: &'a Path, home: Option<&Path>) -> Option<&'a Path> {
    let prefix = path.parent().filter(|bin| bin.ends_with("bin"))?.parent()?;
    let is_own = !prefix.starts_with("/usr") && prefix != Path::new("/") && home != Some(prefix);
    is_own.then_some(prefix)
}

/// Returns the parts of an installation that are shown: libraries beside `bin`, and the file that
/// makes it an environment of Python.
pub(crate) fn installation(prefix: &Path) -> Vec<PathBuf> {
    let parts = ["lib", "lib64", "libexec", "include", "share", "pyvenv.cfg"];
    // T-NAT-001: `.local/share` of a home has the files of all programs, keys among them.
    let is_of_user = |part: &PathBuf| prefix.ends_with(".local") && part.ends_with("share");
    let is_part = |part: &PathBuf| {
        !is_of_user(part) && fs::symlink_metadata(part).is_ok_and(|found| !found.is_symlink())
    };
    parts.map(|name| prefix.join(name)).into_iter().filter(is_part).collect()
}

/// Returns the folder with programs of an installation that has its libraries beside them: a version
/// of Python or Node, a toolchain, a virtual environment. The `.local/bin` of a home has programs of
/// all kinds, which are asked about one by one.
pub(crate) fn programs_of(prefix: &Path) -> Option<PathBuf> {
    let has_libraries = ["lib", "lib64", "libexec"].iter().any(|name| prefix.join(name).is_dir());
    let bin = prefix.join("bin");
    let is_plain = fs::symlink_metadata(&bin).is_ok_and(|found| found.is_dir());
    (has_libraries && is_plain && !prefix.ends_with(".local")).then_some(bin)
}

/// Most entries of a folder with programs that are looked at.
const MAX_BESIDE: usize = 512;

/// Returns the links of the host that lead to a program, with the path that each leads to: the one
/// by which it was named, and those beside it, such as `python3` for `python3.11`. In folders of
/// the system they are there already.
pub(crate) fn links(file: &Located) -> Vec<(PathBuf, PathBuf)> {
    let Located { path, named, host, is_mounted } = file;
    // A mounted folder has its links.
    let named = if *is_mounted { path } else { named };
    if path != host || (path.starts_with("/usr") && named.starts_with("/usr")) {
        return Vec::new();
    }
    let named = crate::host::first_link(named);
    let folder = path.parent().filter(|folder| !folder.starts_with("/usr"));
    let beside = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
    let links = beside.take(MAX_BESIDE).flatten().filter_map(|entry| {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let leads_here = || fs::canonicalize(entry.path()).is_ok_and(|target| target == *path);
        (is_link && leads_here()).then(|| (entry.path(), path.to_owned()))
    });
    let mut found: Vec<_> = named.into_iter().chain(links).collect();
    found.sort();
    found.dedup();
    found
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(30),
            memory_bytes: 2 << 30,
            stdout_bytes: 1 << 20,
            stderr_bytes: 1 << 20,
            file_bytes: 256 << 20,
            file_count: 10_000,
            processes: 64,
            fetch_bytes: 256 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreter_of_a_script_is_in_its_first_line() {
        let check = |text: &str, expect: Option<(&str, Option<&str>)>| {
            let found = shebang(text.as_bytes());
            let expect = expect.map(|(p, rest)| (PathBuf::from(p), rest.map(str::to_owned)));
            assert_eq!(found, expect, "{text}");
        };
        check("#!/bin/sh\necho", Some(("/bin/sh", None)));
        check("#! /usr/bin/env python3\n", Some(("/usr/bin/env", Some("python3"))));
        check("echo", None);
        check("#!\n", None);
        assert_eq!(after_env("python3"), Some("python3"));
        assert_eq!(after_env("-S A=1 deno run --allow-net"), Some("deno"));
        assert_eq!(after_env("-S"), None);
    }

    #[test]
    fn versions_of_an_interpreter_are_known_and_other_programs_are_not() {
        let file = std::env::current_exe().unwrap();
        let words = vec!["x".into(), "-v".into(), file.clone().into_os_string()];
        let program = Program { words, directory: Some("/".into()), ..Program::default() };
        let find = |path: &str| script(Path::new(path), &program).map(|script| script.host);
        assert_eq!(find("/usr/bin/python3.11"), Some(file));
        assert_eq!(find("/usr/bin/python3-config"), None);
        assert_eq!(find("/usr/bin/cat"), None);
    }

    #[test]
    fn script_below_a_mount_is_found_on_the_host() {
        let mode = cofferdam_broker::FolderMode::ReadOnly;
        let folder = |at: &str, host: &str| HostFolder { at: at.into(), host: host.into(), mode };
        let folders = [folder("/work", "/home/me"), folder("/work/src", "/home/me/other")];
        let check = |at: &str, host: &str| {
            assert_eq!(on_host(Path::new(at), &folders), Path::new(host));
        };
        check("/work/main.py", "/home/me/main.py");
        check("/work/src/main.py", "/home/me/other/main.py");
        check("/srv/main.py", "/srv/main.py");
    }

    #[test]
    fn program_below_a_mount_is_that_of_the_mounted_folder() {
        let mode = cofferdam_broker::FolderMode::ReadOnly;
        let folder = HostFolder { at: "/w".into(), host: "/usr/bin".into(), mode };
        let find = |word: &str| {
            let folders = vec![folder.clone()];
            let (words, search) = (vec![word.into()], "/usr/bin".into());
            let directory = Some("/w".into());
            find(&Program { words, folders, directory, search, ..Program::default() }).unwrap().file
        };
        for word in ["./true", "/w/true"] {
            let found = find(word);
            assert!(found.is_mounted, "{word}");
            assert!(
                found.path.starts_with("/w") && found.host.starts_with("/usr/bin"),
                "{found:?}"
            );
        }
        assert!(!find("true").is_mounted);
        assert!(!find("/usr/bin/true").is_mounted);
    }

    #[test]
    fn name_of_a_program_has_no_ending() {
        assert_eq!(base_name(Path::new("/opt/bun.exe")), Some("bun"));
        assert_eq!(base_name(Path::new("/opt/bun")), Some("bun"));
    }

    #[test]
    fn installation_is_beside_the_program_and_never_a_home() {
        let home = Path::new("/home/me");
        let check = |path: &str, expect: Option<&str>| {
            assert_eq!(prefix(Path::new(path), Some(home)), expect.map(Path::new), "{path}");
        };
        check("/usr/bin/python3", None);
        check("/home/me/bin/x", None);
        check("/bin/x", None);
        check("/home/me/.venv/bin/python", Some("/home/me/.venv"));
        check("/opt/tool/tool", None);
    }

    /// T-NAT-001: programs that a user installed are in `~/.local/bin`.
    #[test]
    fn files_of_a_user_are_no_part_of_an_installation() {
        let folder = std::env::temp_dir().join(format!("cofferdam-prefix-{}", std::process::id()));
        for name in ["tool/share", "tool/lib", ".local/share", ".local/lib"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        let parts = |name: &str| installation(&folder.join(name)).len();
        assert_eq!((parts("tool"), parts(".local")), (2, 1));
        fs::remove_dir_all(&folder).unwrap();
    }
}
