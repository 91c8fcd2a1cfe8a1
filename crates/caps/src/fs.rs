//! `fs:read[:PATH]`, `fs:write[:PATH]`: files of the sandbox.

use std::fmt;

use crate::capability::Area;
use crate::error::{Error, ErrorKind};
use crate::kind::{Access, Kind};
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};
use crate::text::name_type;

/// Files and folders that may be read or changed.
///
/// `/data/**` includes `/data` itself, so that a readable folder can be listed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fs {
    access: Access,
    scope: Scope<Pattern>,
}

name_type! {
    /// A path in the sandbox: absolute, without `.`, `..` or empty segments.
    ///
    /// Construct it from a path whose links have been followed, because grants apply to resolved
    /// paths.
    FilePath, check
}

impl Fs {
    pub(crate) fn parse(access: Access, scope: Option<&str>) -> Result<Self, Error> {
        let path = |text: &str| check(text).and_then(|()| Pattern::parse(text)).map(Self::limit);
        Ok(Self { access, scope: Scope::parse(scope, path)? })
    }

    pub(crate) fn required(access: Access, path: &FilePath) -> Self {
        Self { access, scope: Scope::Only(Pattern::literal(&path.0)) }
    }

    /// Returns increasingly wide capabilities: the file, its folder, its topmost folder,
    /// everything.
    pub(crate) fn widening(access: Access, path: &FilePath) -> Vec<Self> {
        let path = Pattern::literal(&path.0);
        // The first segment is the empty one before the leading slash.
        let depth = path.segments().len();
        let folders = [depth - 1, 2, 1].into_iter().filter(|&folder| folder < depth);
        let mut scopes = vec![Scope::Only(path.clone())];
        scopes.extend(folders.map(|folder| Self::limit(path.below(folder))));
        scopes.dedup();
        scopes.into_iter().map(|scope| Self { access, scope }).collect()
    }

    fn limit(pattern: Pattern) -> Scope<Pattern> {
        match pattern == Pattern::literal("").below(1) {
            true => Scope::All,
            false => Scope::Only(pattern),
        }
    }

    /// Returns the direction of access.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the paths that this capability applies to.
    pub fn scope(&self) -> &Scope<Pattern> {
        &self.scope
    }
}

fn check(text: &str) -> Result<(), Error> {
    let bad = |reason| Err(Error::new(ErrorKind::BadPath, text, reason));
    let Some(relative) = text.strip_prefix('/') else {
        return bad("a path must be absolute, starting with /");
    };
    if relative.ends_with('/') {
        return bad("a path must not end in /; write /** for a folder and everything below it");
    }
    for segment in relative.split('/') {
        match segment {
            "" if !relative.is_empty() => return bad("a path must not have empty segments"),
            "." | ".." => return bad("a path must not contain . or .."),
            _ => {}
        }
    }
    Ok(())
}

impl Covers for Fs {
    fn covers(&self, other: &Self) -> bool {
        self.access == other.access && self.scope.covers(&other.scope)
    }
}

impl Area for Fs {
    fn kind(&self) -> Kind {
        match self.access {
            Access::Read => Kind::FsRead,
            Access::Write => Kind::FsWrite,
        }
    }

    fn describe(&self) -> String {
        let files = self.scope.describe("file", "files");
        match self.access {
            Access::Read => format!("read {files}"),
            Access::Write => format!("change {files}"),
        }
    }
}

impl fmt::Display for Fs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Access, Capability, ErrorKind, Request, fs::FilePath};

    fn request(path: &str) -> Request {
        Request::Fs { access: Access::Read, path: path.parse().unwrap() }
    }

    fn check(capability: &str, path: &str, expect: bool) {
        let capability = capability.parse::<Capability>().unwrap();
        assert_eq!(capability.allows(&request(path)), expect, "{capability} on {path}");
    }

    fn check_refused(path: &str) {
        assert_eq!(path.parse::<FilePath>().unwrap_err().kind(), ErrorKind::BadPath, "{path}");
        let error = format!("fs:read:{path}").parse::<Capability>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadPath, "{path}");
    }

    #[test]
    fn folder_is_covered_with_what_is_below_it() {
        check("fs:read:/data/**", "/data", true);
        check("fs:read:/data/**", "/data/x/y", true);
        check("fs:read:/data/**", "/database", false);
        check("fs:read:/data/*", "/data", false);
        check("fs:read:/data/*", "/data/x/y", false);
    }

    #[test]
    fn root_is_everything() {
        check("fs:read:/**", "/", true);
        check("fs:read:/", "/", true);
        check("fs:read:/", "/a", false);
        check("fs:read:/*", "/", false);
        assert_eq!("fs:read:/**".parse::<Capability>().unwrap().to_string(), "fs:read");
    }

    #[test]
    fn star_in_a_requested_path_is_a_letter() {
        let required = request(r"/data/*\**").required();
        assert_eq!(required.to_string(), r"fs:read:/data/\*\\\*\*");
        assert!(required.allows(&request(r"/data/*\**")));
        check(r"fs:read:/data/\*", "/data/x", false);
    }

    #[test]
    fn path_that_is_not_plain_is_refused() {
        for path in ["data", "/a/../b", "/..", "/./a", "//a", "/a//b", "/a/", "*", "~/a", "//"] {
            check_refused(path);
        }
    }

    #[test]
    fn dots_in_a_name_are_a_name() {
        check("fs:read:/a/.*", "/a/.env", true);
        check("fs:read:/a/...", "/a/...", true);
    }

    #[test]
    fn wider_choices_go_up_the_folders() {
        let choices = |path: &str| {
            let texts = request(path).suggestions();
            texts.iter().map(Capability::to_string).collect::<Vec<_>>().join(" ")
        };
        let deep = "fs:read:/a/b/c/d.txt fs:read:/a/b/c/** fs:read:/a/** fs:read";
        assert_eq!(choices("/a/b/c/d.txt"), deep);
        assert_eq!(choices("/a/d.txt"), "fs:read:/a/d.txt fs:read:/a/** fs:read");
        assert_eq!(choices("/d.txt"), "fs:read:/d.txt fs:read");
        assert_eq!(choices("/"), "fs:read:/ fs:read");
    }

    #[test]
    fn description_is_words() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("fs:read:/data/**"), "read files below /data");
        assert_eq!(describe("fs:write:/a.txt"), "change the file /a.txt");
        assert_eq!(describe("fs:read:/*.txt"), "read files that match /*.txt");
        assert_eq!(describe("fs:read"), "read any file");
        assert_eq!(describe("fs:read:/a\u{202e}b"), "read the file \"/a\\u{202e}b\"");
    }
}
