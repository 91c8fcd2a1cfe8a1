//! Files of the host below the folders that every program has for itself, such as `/tmp`.
//!
//! A missing file there is no request, because programs look for their own all the time. A path that
//! was granted by name is therefore shown from the start.

use std::path::{Component, Path, PathBuf};

use cofferdam_broker::Desk;
use cofferdam_caps::{Access, Capability, Kind, Request, Scope};
use cofferdam_walls::{Bind, HOME};

use crate::program::{Found, Program};
use crate::world::granted_bind;

/// Folders for the program's own files, where a folder of the host has to be asked about by name.
pub(crate) const PRIVATE: [&str; 3] = ["/tmp", "/var/tmp", HOME];

/// Most paths of the command line that are looked at.
const MAX_WORDS: usize = 100;

/// Returns true for a path below a private folder, and false for the folder itself.
fn is_below(path: &Path) -> bool {
    let is_plain = !path.components().any(|part| part == Component::ParentDir);
    let mut folders = PRIVATE.iter().map(Path::new);
    is_plain && folders.any(|private| path != private && path.starts_with(private))
}

/// Returns the paths below private folders that a grant names and the host has, with the way in
/// which they are shown.
pub(crate) fn granted(program: &Program, desk: &Desk) -> Vec<(PathBuf, Bind, Access)> {
    let held = desk.granted_kinds(&[Kind::FsRead, Kind::FsWrite]);
    let held = held.iter().filter_map(literal);
    let mut paths: Vec<_> = held.chain(words(program)).filter(|path| is_below(path)).collect();
    paths.sort();
    paths.dedup();
    let mut shown: Vec<(PathBuf, Bind, Access)> = Vec::new();
    for path in paths {
        let is_shown = |(folder, ..): &(PathBuf, Bind, Access)| path.starts_with(folder);
        if !shown.iter().any(is_shown)
            && let Some((bind, access)) = granted_bind(&path, desk)
        {
            shown.push((path, bind, access));
        }
    }
    shown
}

/// Returns the files of the host that the command line names and that the program does not see,
/// because its own folder is at their place, and the capabilities that would show them.
pub(crate) fn unseen(program: &Program, found: &Found, desk: &Desk) -> Vec<(PathBuf, Capability)> {
    let is_mounted =
        |path: &Path| program.folders.iter().any(|folder| path.starts_with(&folder.at));
    // The folders that the program works in are asked about.
    let script = found.script.as_ref().map(|script| script.at.as_path());
    let asked = [program.base(), script.and_then(Path::parent).map(Path::to_owned)];
    let is_asked = |path: &Path| {
        asked.iter().flatten().any(|folder| is_below(folder) && path.starts_with(folder))
    };
    let mut paths: Vec<_> = words(program).collect();
    paths.retain(|path| {
        is_below(path)
            && script != Some(path)
            && *path != found.file.path
            && !is_mounted(path)
            && !is_asked(path)
            && path.exists()
            && granted_bind(path, desk).is_none()
    });
    paths.dedup();
    let with_capability = |path: PathBuf| Some((path.clone(), shows(&path)?));
    paths.into_iter().filter_map(with_capability).collect()
}

/// Returns the capability to read a file, or a folder with everything below it; `None` for a name
/// that no capability can have.
fn shows(path: &Path) -> Option<Capability> {
    let is_folder = path.is_dir();
    // A folder is what any file in it may be widened to first.
    let within = if is_folder { path.join("x") } else { path.to_owned() };
    let path = within.to_str()?.parse().ok()?;
    let request = Request::Fs { access: Access::Read, path };
    match is_folder {
        true => request.suggestions().into_iter().nth(1),
        false => Some(request.required()),
    }
}

/// Returns the words of the command line as paths.
fn words(program: &Program) -> impl Iterator<Item = PathBuf> {
    let base = program.base().unwrap_or_else(|| "/".into());
    program.words.iter().skip(1).take(MAX_WORDS).map(move |word| base.join(word))
}

/// Returns the path that a capability begins with, up to its first star.
fn literal(capability: &Capability) -> Option<PathBuf> {
    let Capability::Fs(fs) = capability else { return None };
    let Scope::Only(pattern) = fs.scope() else { return None };
    let text = pattern.to_string();
    let path = text.split('/').take_while(|name| !name.contains(['*', '\\']));
    let path = path.collect::<Vec<_>>().join("/");
    path.starts_with('/').then(|| path.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capability_names_a_path_up_to_its_first_star() {
        let check = |text: &str, expect: Option<&str>| {
            let capability = text.parse().expect("a capability");
            assert_eq!(literal(&capability), expect.map(PathBuf::from), "{text}");
        };
        check("fs:read:/tmp/a/**", Some("/tmp/a"));
        check("fs:write:/tmp/a.txt", Some("/tmp/a.txt"));
        check("fs:read:/tmp/a*/b", Some("/tmp"));
        check("fs:read", None);
        check("env:read:TMPDIR", None);
    }

    #[test]
    fn private_folders_themselves_are_not_below_one() {
        let check =
            |path: &str, expect: bool| assert_eq!(is_below(Path::new(path)), expect, "{path}");
        check("/tmp/a", true);
        check("/var/tmp/a/b", true);
        check("/tmp", false);
        check("/tmpfiles/a", false);
        check("/tmp/../etc/passwd", false);
    }

    #[test]
    fn capability_that_shows_a_folder_shows_what_is_in_it() {
        let check = |path: &str, expect: &str| {
            let shown = shows(Path::new(path)).expect("a capability");
            assert_eq!(shown.to_string(), expect);
        };
        check("/tmp", "fs:read:/tmp/**");
        check("/tmp/no such * file", r"fs:read:/tmp/no such \* file");
    }
}
