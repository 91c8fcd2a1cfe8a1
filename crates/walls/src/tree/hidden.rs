//! Files and folders of the host that stay hidden below a mount that shows what is around them.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::plan::Writing;
use crate::sys::mount::{self, Depth};
use crate::sys::process;

/// The hidden paths below the source of a mount, relative to it.
// T-NAT-009: grants and the audit log below a folder that was granted.
pub(crate) struct Hidden<'a>(Vec<&'a Path>);

impl<'a> Hidden<'a> {
    /// Finds the hidden paths below a source.
    pub(crate) fn below(hidden: &'a [PathBuf], source: &Path) -> Self {
        Hidden(hidden.iter().filter_map(|path| path.strip_prefix(source).ok()).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Covers the paths with nothing, in a mount at a path. If the program can write there, it can
    /// change the way to them neither.
    pub(crate) fn cover(&self, at: &Path, writing: Writing) -> io::Result<()> {
        if writing == Writing::Allowed {
            self.make(at)?;
            self.hold(at)?;
        }
        for rest in &self.0 {
            let at = join(at, rest);
            let Ok(found) = fs::symlink_metadata(&at) else { continue };
            match found.is_dir() {
                true => {
                    let flags =
                        libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
                    mount::mount(c"tmpfs", &at, flags, "mode=000,size=4k,nr_inodes=2")?;
                }
                false => {
                    let null = mount::clone(None, Path::new("/dev/null"), Depth::One)?;
                    mount::attach(null.as_fd(), &at)?;
                }
            }
        }
        Ok(())
    }

    /// Makes missing folders, up to the hidden ones: the program could make them.
    pub(crate) fn make(&self, at: &Path) -> io::Result<()> {
        let missing = |path: &Path| match fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(true),
            // In a folder of another user, the program can make nothing either.
            Err(error) => match path.parent().map(fs::metadata) {
                Some(Ok(parent)) if parent.uid() != process::user_and_group().0 => Ok(false),
                Some(_) | None => Err(error),
            },
            Ok(()) => Ok(true),
        };
        for rest in &self.0 {
            for path in ways(at, rest).chain([join(at, rest)]) {
                if !missing(&path)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Mounts each folder on the way on itself. The kernel moves and removes no folder on which
    /// something is mounted, so that the program cannot put its own in that place.
    pub(crate) fn hold(&self, at: &Path) -> io::Result<()> {
        for path in self.0.iter().flat_map(|rest| ways(at, rest)) {
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            // The program could remove the link and make a folder.
            if found.is_symlink() {
                let text = format!("{} is a link on the way to hidden files", path.display());
                return Err(io::Error::other(text));
            }
            let folder = mount::clone(None, &path, Depth::Tree)?;
            mount::attach(folder.as_fd(), &path)?;
        }
        Ok(())
    }

    /// Returns the mounts that [`Self::hold`] makes.
    pub(crate) fn held(&self, at: &Path) -> impl Iterator<Item = PathBuf> {
        self.0.iter().flat_map(move |rest| ways(at, rest)).filter(|path| path.is_dir())
    }
}

/// Returns the folders between a mount and a path below it.
fn ways(at: &Path, rest: &Path) -> impl Iterator<Item = PathBuf> {
    let mut ways: Vec<_> = rest.ancestors().skip(1).map(|way| at.join(way)).collect();
    // The last one is the mount itself.
    ways.pop();
    ways.reverse();
    ways.into_iter()
}

fn join(at: &Path, rest: &Path) -> PathBuf {
    if rest.as_os_str().is_empty() { at.to_owned() } else { at.join(rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn way_to_a_hidden_path_is_between_it_and_its_mount() {
        let check = |rest: &str, expect: &[&str]| {
            let found: Vec<_> = ways(Path::new("/home/me"), Path::new(rest)).collect();
            assert_eq!(found, expect.iter().map(PathBuf::from).collect::<Vec<_>>(), "{rest}");
        };
        check("", &[]);
        check("store", &[]);
        check(".local/share/store", &["/home/me/.local", "/home/me/.local/share"]);
    }

    #[test]
    fn paths_elsewhere_are_not_below_a_source() {
        let hidden = [PathBuf::from("/home/me/store"), PathBuf::from("/srv/store")];
        assert_eq!(Hidden::below(&hidden, Path::new("/home")).0, [Path::new("me/store")]);
        assert!(Hidden::below(&hidden, Path::new("/home/you")).is_empty());
    }
}
