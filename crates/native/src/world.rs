//! The world of a program before anything is granted during the run.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cofferdam_broker::{Desk, FolderMode, Preview, Verdict};
use cofferdam_caps::{Access, Capability, Request};
use cofferdam_walls::{self as walls, Bind, Code, Content, Entry, HOME, Plan, UnixSockets};

use crate::deno;
use crate::files::{is_granted, is_granted_whole};
use crate::installed;
use crate::network::PROXY;
use crate::private::{self, PRIVATE};
use crate::program::{self, Found, Located, Program};
use crate::silent::Surroundings;

/// Folders in which the program finds further programs.
const SEARCH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Files of root certificates. The one in them is that of the run.
const TRUSTED: [&str; 4] = [
    CERTIFICATE,
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/cert.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
];

/// Root certificate of the run.
const CERTIFICATE: &str = "/etc/cofferdam/ca.pem";

/// Variables that name root certificates.
const TRUST_VARIABLES: [&str; 7] = [
    "CURL_CA_BUNDLE",
    "DENO_CERT",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_FILE",
];

/// Files for runtimes, for comfort alone: names and contents. Runtimes behind the walls load them
/// before the program; others can.
pub const SHIMS: [(&str, &str); 3] = [
    ("preload.cjs", include_str!("shims/preload.cjs")),
    ("python/sitecustomize.py", include_str!("shims/sitecustomize.py")),
    ("wrapper.mjs", include_str!("shims/wrapper.mjs")),
];

/// Variables through which runtimes load the shims, and one that keeps Deno from looking for a newer
/// version of itself, which would be a request.
const SHIM_VARIABLES: [(&str, &str); 4] = [
    ("DENO_NO_UPDATE_CHECK", "1"),
    ("NODE_OPTIONS", "--require /etc/cofferdam/preload.cjs"),
    ("BUN_OPTIONS", "--preload=/etc/cofferdam/bun.cjs"),
    ("PYTHONPATH", "/etc/cofferdam/python"),
];

/// Files that Bun loads in place of `preload.cjs`: the same, and one that puts it off.
const SHIMS_OF_BUN: [(&str, &str); 2] =
    [("bun.cjs", SHIMS[0].1), ("bun-code.cjs", include_str!("shims/bun-code.cjs"))];

/// Variable that makes Bun put `preload.cjs` off, for code of its command line: 0.7 ms.
const BUN_LOADS_LATE: (&str, &str) = ("BUN_OPTIONS", "--preload=/etc/cofferdam/bun-code.cjs");

/// Returns a shim in the form that Bun's own bundler writes, which Bun runs as it is. It would
/// translate another file first, and keep the result in the home folder of the run: 1.5 ms.
fn for_bun(shim: &str) -> String {
    let lines = shim.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let lines: Vec<_> = lines.collect();
    let head = "// @bun @bun-cjs\n(function(exports, require, module, __filename, __dirname) {";
    format!("{head}{}\n}})\n", lines.join("\n"))
}

/// Makes Bun translate files where it runs them. Otherwise it starts threads for the shim alone, which
/// takes 2 ms. A program of 200 files starts a fifth sooner with threads, so that it keeps them.
const BUN_WITHOUT_THREADS: (&str, &str) = ("BUN_FEATURE_FLAG_DISABLE_ASYNC_TRANSPILER", "1");

/// Options of Bun that are followed by code.
const BUN_CODE_OPTIONS: [&str; 4] = ["-e", "-p", "--eval", "--print"];

/// Returns true if Bun runs code from its command line rather than files.
fn is_code_for_bun(file: &Path, words: &[OsString]) -> bool {
    let is_option = |word: &OsString| BUN_CODE_OPTIONS.iter().any(|option| word == option);
    program::base_name(file) == Some("bun") && words.iter().skip(1).any(is_option)
}

/// Open files of a process.
const OPEN_FILES: u64 = 4096;

/// The plan of a sandbox and the entries in it that no grant may cover.
pub(crate) struct World {
    pub(crate) plan: Plan,
    /// Entries that every sandbox has.
    pub(crate) system: Vec<Entry>,
    pub(crate) fixed: Vec<PathBuf>,
    /// Folders that are granted whole and mounted from the start.
    pub(crate) granted: Vec<(PathBuf, Access)>,
    /// Programs that may be started without a question.
    pub(crate) programs: Vec<PathBuf>,
    /// Folders with the programs of their installations.
    pub(crate) bins: Vec<PathBuf>,
    /// Folders of the installations of those programs.
    pub(crate) prefixes: Vec<PathBuf>,
    pub(crate) surroundings: Surroundings,
    /// Folders of `PATH` with programs of the user's own.
    pub(crate) own: Vec<PathBuf>,
}

impl World {
    /// Returns true if something of the sandbox is at a path or below it.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.system.iter().chain(&self.plan.entries).any(|entry| entry.at.starts_with(path))
    }
}

/// Makes the plan for a program.
pub(crate) fn plan(program: &Program, found: &Found, desk: &Desk, certificate: &str) -> World {
    let system = walls::system();
    let mut entries = Vec::new();
    for at in TRUSTED {
        entries.push(Entry::new(at, Content::Text(certificate.to_owned())));
    }
    let shims = SHIMS.map(|(name, shim)| (name, shim.to_owned()));
    let shims_of_bun = SHIMS_OF_BUN.map(|(name, shim)| (name, for_bun(shim)));
    for (name, shim) in shims.into_iter().chain(shims_of_bun) {
        entries.push(Entry::new(Path::new("/etc/cofferdam").join(name), Content::Text(shim)));
    }
    let home = program.offered.get("HOME").map(PathBuf::from);
    let files = || found.interpreters.iter().chain([&found.file]);
    let programs: Vec<_> = files().map(|file| file.path.clone()).collect();
    // A mounted folder shows the installations in it.
    let unmounted = files().filter(|file| file.path == file.host);
    let paths = unmounted.flat_map(|file| {
        let named = (!file.is_mounted).then_some(&file.named);
        std::iter::once(&file.path).chain(named)
    });
    let mut prefixes: Vec<_> =
        paths.filter_map(|path| program::prefix(path, home.as_deref())).collect();
    prefixes.sort();
    prefixes.dedup();
    // A folder that is mounted at its own path shows what is in it.
    let is_shown = |path: &Path| {
        let mut folders = program.folders.iter();
        folders.any(|folder| path.starts_with(&folder.at))
            && program::on_host(path, &program.folders) == path
    };
    for part in prefixes.iter().flat_map(|prefix| program::installation(prefix)) {
        if !is_shown(&part) {
            entries.push(Entry::new(part.clone(), Content::Host(Bind::code(part))));
        }
    }
    let bins = prefixes.iter().filter_map(|prefix| program::programs_of(prefix));
    let bins: Vec<_> = bins.filter(|bin| !is_shown(bin)).collect();
    for bin in &bins {
        entries.push(Entry::new(bin, Content::Host(Bind::read_only(bin))));
    }
    for (at, target) in files().flat_map(program::links) {
        let is_in_bin = bins.iter().any(|bin| at.starts_with(bin));
        if !is_shown(&at)
            && !is_in_bin
            && !system.iter().chain(&entries).any(|entry| entry.at == at)
        {
            entries.push(Entry::new(at, Content::Link(target)));
        }
    }
    let start = |file: &Located| Entry::new(&file.path, Content::Host(Bind::code(&file.host)));
    let is_covered = |file: &&Located| file.path != file.host || is_shown(&file.path);
    entries.extend(files().filter(|file| !is_covered(file)).map(start));
    let own_code = match is_granted_to_start_all(desk) {
        true => Code::Allowed,
        false => Code::Refused,
    };
    for folder in &program.folders {
        let content = match folder.mode {
            FolderMode::ReadOnly => {
                Content::Host(Bind { code: Code::Allowed, ..Bind::read_only(&folder.host) })
            }
            FolderMode::ReadWrite => {
                Content::Host(Bind { code: own_code, ..Bind::read_write(&folder.host) })
            }
            FolderMode::Overlay => Content::Overlay(folder.host.clone().into()),
        };
        entries.push(Entry::new(&folder.at, content));
    }
    entries.extend(files().filter(is_covered).map(start));
    let mut fixed: Vec<_> = system.iter().chain(&entries).map(|entry| entry.at.clone()).collect();
    let is_mounted =
        |path: &Path| program.folders.iter().any(|folder| path.starts_with(&folder.at));
    let directory = program.base().unwrap_or_else(|| "/".into());
    let (mut granted, mut windows) = (Vec::new(), 0);
    for folder in
        [Some(directory.as_path()), found.script.as_ref().and_then(|script| script.at.parent())]
    {
        let Some(folder) = folder.filter(|folder| !is_mounted(folder)) else { continue };
        let is_there = system.iter().chain(&entries).any(|entry| entry.at == folder);
        if folder.parent().is_some() && !is_there {
            let content = match granted_bind(folder, desk) {
                Some((bind, access)) => {
                    granted.push((folder.to_owned(), access));
                    Content::Host(bind)
                }
                None => empty(folder),
            };
            // A window covers what is below it: a program in it comes later.
            let index = match content == Content::Window {
                true => windows,
                false => entries.len(),
            };
            windows += usize::from(content == Content::Window);
            entries.insert(index, Entry::new(folder, content));
            // A process that works in a folder does not see what is mounted over it later.
            fixed.push(folder.to_owned());
        }
    }
    for (at, bind, access) in private::granted(program, desk) {
        let is_there = system.iter().chain(&entries).any(|entry| entry.at == at);
        if !is_there && !is_mounted(&at) && !granted.iter().any(|(above, _)| at.starts_with(above))
        {
            granted.push((at.clone(), access));
            fixed.push(at.clone());
            entries.push(Entry::new(at, Content::Host(bind)));
        }
    }
    let shown = |at: &Path| {
        let is_host = |entry: &&Entry| matches!(entry.content, Content::Host(_));
        let folder = at.parent();
        is_mounted(at)
            || system.iter().chain(&entries).filter(is_host).any(|entry| Some(&*entry.at) == folder)
    };
    if let Some(script) = found.script.as_ref().filter(|script| !shown(&script.at)) {
        let source = std::fs::canonicalize(&script.host).unwrap_or_else(|_| script.host.clone());
        entries.push(Entry::new(&script.at, Content::Host(Bind::read_only(source))));
    }
    let own = installed::folders(program);
    let plan = Plan {
        entries,
        program: found.file.path.clone(),
        arguments: program.words.clone(),
        variables: variables(program, found, &directory, &own, desk),
        directory,
        limits: walls::Limits {
            memory_bytes: program.limits.memory_bytes,
            processes: program.limits.processes,
            file_bytes: program.limits.file_bytes,
            file_count: program.limits.file_count,
            open_files: OPEN_FILES,
        },
        hidden: program.hidden.clone(),
        own_code,
        unix_sockets: match deno::is_asking(program, found) {
            true => UnixSockets::Asked,
            false => UnixSockets::Refused,
        },
    };
    let prefixes = prefixes.into_iter().map(Path::to_owned).collect();
    let folders = program.folders.iter().map(|folder| PathBuf::from(&folder.at));
    let script = found.script.as_ref().and_then(|script| script.at.parent());
    let folders = folders.chain(script.map(Path::to_owned)).chain([plan.directory.clone()]);
    let words = program.words.iter().skip(1).map(|word| plan.directory.join(word));
    let surroundings = Surroundings::new(folders.collect(), words);
    World { plan, system, fixed, granted, programs, bins, prefixes, surroundings, own }
}

/// Returns true if one grant allows every program. Files that the program makes can be code then:
/// there is no program that it may not start.
pub(crate) fn is_granted_to_start_all(desk: &Desk) -> bool {
    let Ok(all) = "process:exec".parse::<Capability>() else { return false };
    let Ok(command) = "any".parse() else { return false };
    match desk.would_grant(&Request::Process { command }) {
        Ok(Preview::Granted(grant, _)) => grant.covers(&all),
        Ok(_) | Err(_) => false,
    }
}

/// Returns the way in which a path of the host is shown, if its grants allow all of it.
pub(crate) fn granted_bind(path: &Path, desk: &Desk) -> Option<(Bind, Access)> {
    // A link would show another path than the one that was checked.
    let source = std::fs::canonicalize(path).ok().filter(|source| source == path)?;
    let is_folder = source.is_dir();
    let is_granted = |access| match is_folder {
        true => is_granted_whole(desk, path, access),
        false => {
            let checked = path.to_str().and_then(|path| path.parse().ok());
            checked.is_some_and(|path| is_granted(desk, &Request::Fs { access, path }))
        }
    };
    if !is_granted(Access::Read) {
        return None;
    }
    let access = if is_granted(Access::Write) { Access::Write } else { Access::Read };
    Some((permitted_bind(&source, access, desk), access))
}

/// Returns the way in which a permitted path is shown. Libraries of a package are code; a program is
/// started only if that is granted too.
pub(crate) fn permitted_bind(path: &Path, access: Access, desk: &Desk) -> Bind {
    match access {
        Access::Read => Bind { code: Code::Allowed, ..Bind::read_only(path) },
        Access::Write if is_granted_to_start_all(desk) => {
            Bind { code: Code::Allowed, ..Bind::read_write(path) }
        }
        Access::Write => Bind::read_write(path),
    }
}

fn empty(folder: &Path) -> Content {
    match PRIVATE.iter().any(|private| folder.starts_with(private)) {
        true if PRIVATE.iter().any(|private| folder == Path::new(private)) => Content::Folder,
        true => Content::Window,
        false => Content::Folder,
    }
}

/// Returns the environment: a few fixed variables, those that were given, and of the offered ones
/// those that are granted.
fn variables(
    program: &Program,
    found: &Found,
    directory: &Path,
    own: &[PathBuf],
    desk: &Desk,
) -> Vec<(OsString, OsString)> {
    let search = installed::search(program, own, SEARCH);
    let mut folders: Vec<_> = std::env::split_paths(&search).collect();
    for path in [&found.file.path, &found.file.named] {
        let bin = path.parent().unwrap_or(Path::new("/usr/bin"));
        if !folders.iter().any(|folder| folder == bin) {
            folders.insert(0, bin.to_owned());
        }
    }
    let search = std::env::join_paths(folders).unwrap_or(search);
    let mut all: BTreeMap<String, OsString> = BTreeMap::new();
    for (name, value) in [
        ("HOME", HOME),
        ("USER", "user"),
        ("LOGNAME", "user"),
        ("LANG", "C.UTF-8"),
        ("TMPDIR", "/tmp"),
        ("SHELL", "/bin/sh"),
    ] {
        all.insert(name.to_owned(), value.into());
    }
    all.insert("PATH".to_owned(), search);
    for (name, value) in SHIM_VARIABLES {
        all.insert(name.to_owned(), value.into());
    }
    if is_code_for_bun(&found.file.path, &program.words) {
        for (name, value) in [BUN_WITHOUT_THREADS, BUN_LOADS_LATE] {
            all.insert(name.to_owned(), value.into());
        }
    }
    for name in TRUST_VARIABLES {
        all.insert(name.to_owned(), CERTIFICATE.into());
    }
    all.insert("PROXY_URL".to_owned(), format!("http://localhost:{PROXY}").into());
    all.insert("PWD".to_owned(), directory.into());
    if deno::is_asking(program, found) {
        all.insert(deno::VARIABLE.to_owned(), deno::SOCKET.into());
    }
    for (name, value) in &program.offered {
        if all.contains_key(name) {
            continue;
        }
        let Ok(parsed) = name.parse() else { continue };
        let request = Request::Env { name: parsed };
        // Asked for only if it is granted: a program reads few of the variables there are.
        if matches!(desk.would_grant(&request), Ok(Preview::Granted(..)))
            && let Verdict::Permit(_permit) = desk.check(request)
        {
            all.insert(name.clone(), value.into());
        }
    }
    all.extend(program.variables.iter().map(|(name, value)| (name.clone(), value.into())));
    all.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_for_bun_is_told_from_files_and_other_programs() {
        let check = |file: &str, words: &[&str], expect: bool| {
            let words: Vec<_> = words.iter().map(OsString::from).collect();
            assert_eq!(is_code_for_bun(Path::new(file), &words), expect, "{file} {words:?}");
        };
        check("/opt/bun", &["bun", "-e", "1"], true);
        check("/opt/bun", &["bun", "--smol", "--print", "1"], true);
        check("/opt/bun.exe", &["bun", "-e", "1"], true);
        check("/opt/bun", &["bun", "main.ts"], false);
        check("/opt/bun", &["-e"], false);
        check("/usr/bin/node", &["node", "-e", "1"], false);
    }
}
