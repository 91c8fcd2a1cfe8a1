//! The sandbox's files, for tools.

use std::sync::Arc;

use cofferdam_abi::Malformed;
use cofferdam_abi::Value;
use cofferdam_caps::fs::FilePath;
use cofferdam_caps::{Access, Request};
use cofferdam_vfs::{self as vfs, At, Errno, Files, Follow, Kind, Mode, Open, VPath};

use crate::program::furniture::HOME;
use crate::shared::call_error::{CallError, Done, name, nothing, packed};
use crate::shared::crossing::CallIo;
use crate::shared::resources::Resources;
use crate::tool::kernel::{Kernel, Served};

/// Longest file that is read in one call; it is host memory until the guest has taken it.
const MAX_READ: usize = 15 << 20;

/// Most entries that a listing has.
const MAX_ENTRIES: usize = 100_000;

/// The path that a name stands for, and what is wrong with it where something is.
///
/// The check comes first either way, so that a tool learns nothing of files it may not see.
struct Target {
    checked: String,
    found: Result<VPath, vfs::Error>,
}

/// What to do with a link at the end of a path.
fn target(files: Files<'_>, path: &str, follow: Follow) -> Target {
    let absolute = absolute(path);
    match files.resolve(At::root(&absolute).follow(follow)) {
        Ok(found) => Target { checked: found.as_str().to_owned(), found: Ok(found) },
        Err(error) => Target { checked: lexical(&absolute), found: Err(error) },
    }
}

/// A path that is not absolute begins in [`HOME`].
fn absolute(path: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{HOME}/{path}"),
    }
}

/// `.` and `..` taken out, as far as the path itself tells.
fn lexical(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

impl Target {
    fn request(&self, access: Access) -> Result<Request, CallError> {
        let path: FilePath = name(self.checked.parse())?;
        Ok(Request::Fs { access, path })
    }
}

/// An error as Node has them: a code, and a message that begins with it.
fn failed(error: &vfs::Error) -> CallError {
    let code = error.errno().name();
    CallError::new("Error", format!("{code}: {error}"))
        .with("code", code)
        .with("path", error.path())
}

/// The files as a tool uses them, at this moment.
fn files<'a>(resources: &'a Resources, now: vfs::Time) -> Files<'a> {
    resources.files.as_guest(now)
}

/// Checks one access to one path, then does `work` on exactly the path that was checked.
fn on(
    kernel: &mut Kernel,
    io: &mut CallIo<'_, '_>,
    path: &str,
    (access, follow): (Access, Follow),
    work: impl FnOnce(Files<'_>, &VPath) -> Result<Vec<u8>, vfs::Error> + Send + 'static,
) -> Served {
    let now = kernel.file_time();
    let resources: Arc<Resources> = kernel.settings.resources.clone();
    let target = target(files(&resources, now), path, follow);
    let request = vec![target.request(access)?];
    kernel.guarded(request, io.answer, move |_| {
        let done = target.found.and_then(|path| work(files(&resources, now), &path));
        done.map_err(|error| failed(&error))
    })
}

pub(super) fn read(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.string()?;
    on(kernel, io, &path, (Access::Read, Follow::Link), |files, path| {
        files.read_file(path, MAX_READ)
    })
}

pub(super) fn write(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.string()?;
    let append = flag(io)?;
    let content = io.fields.take(io.fields.remaining())?.to_vec();
    let now = kernel.file_time();
    on(kernel, io, &path, (Access::Write, Follow::Link), move |files, path| {
        if append {
            let file = files.open(path, Open::to_write().append().create().mode(Mode::FILE))?;
            let mut rest = content.as_slice();
            while !rest.is_empty() {
                let written = file.write(rest, now)?;
                rest = &rest[written.min(rest.len())..];
            }
        } else {
            files.write_file(path, &content)?;
        }
        Ok(Vec::new())
    })
}

pub(super) fn list(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.string()?;
    let now = kernel.file_time();
    on(kernel, io, &path, (Access::Read, Follow::Link), move |files, path| {
        let folder = files.open(path, Open::to_read().directory())?;
        let (mut listed, mut from) = (Vec::new(), 0);
        loop {
            let entries = folder.entries(from, vfs::LISTING_MAX, now)?;
            let Some(last) = entries.last() else { break };
            from = last.next;
            let named = entries.into_iter().filter(|e| e.name != "." && e.name != "..");
            listed.extend(named.map(|entry| (entry.name, kind(entry.kind))));
            if listed.len() > MAX_ENTRIES {
                break;
            }
        }
        listed.truncate(MAX_ENTRIES);
        listed.sort_unstable();
        let pair = |(name, kind): (String, &str)| {
            Value::Array(vec![Value::String(name), Value::String(kind.to_owned())])
        };
        // Packing a list of texts cannot fail.
        Ok(packed(&Value::Array(listed.into_iter().map(pair).collect())).unwrap_or_default())
    })
}

pub(super) fn look(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.string()?;
    let follow = if flag(io)? { Follow::Link } else { Follow::Never };
    on(kernel, io, &path, (Access::Read, follow), |files, path| {
        let stat = files.stat(path)?;
        let number = |name: &str, n: f64| (name.to_owned(), Value::Number(n));
        let ms = |time: vfs::Time| time.0 as f64 / 1e6;
        let shown = Value::Object(vec![
            ("type".to_owned(), Value::String(kind(stat.kind).to_owned())),
            number("size", stat.size as f64),
            number("mode", f64::from(stat.mode.bits())),
            number("nlink", stat.links as f64),
            number("ino", stat.ino.0 as f64),
            number("atimeMs", ms(stat.accessed)),
            number("mtimeMs", ms(stat.modified)),
            number("ctimeMs", ms(stat.changed)),
        ]);
        Ok(packed(&shown).unwrap_or_default())
    })
}

pub(super) fn make_folder(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.string()?;
    let parents = flag(io)?;
    if parents {
        // What is missing on the way is no error here, so the path is taken as it reads.
        return make_folders(kernel, io, &path);
    }
    on(kernel, io, &path, (Access::Write, Follow::Never), |files, path| {
        files.make_directory(path, Mode::DIRECTORY).map(|()| Vec::new())
    })
}

/// Makes the missing folders of a path one after the other; each is checked by its own name.
fn make_folders(kernel: &mut Kernel, io: &mut CallIo<'_, '_>, path: &str) -> Served {
    let now = kernel.file_time();
    let resources = kernel.settings.resources.clone();
    let absolute = lexical(&absolute(path));
    let mut targets = Vec::new();
    let mut requests = Vec::new();
    for end in (1..=absolute.len())
        .filter(|end| absolute[*end..].starts_with('/') || *end == absolute.len())
    {
        let at = &absolute[..end];
        if files(&resources, now).stat(at).is_ok_and(|stat| stat.kind == Kind::Directory) {
            continue;
        }
        let target = target(files(&resources, now), at, Follow::Never);
        requests.push(target.request(Access::Write)?);
        targets.push(at.to_owned());
    }
    kernel.guarded(requests, io.answer, move |_| {
        for folder in targets {
            let made = files(&resources, now).make_directory(folder.as_str(), Mode::DIRECTORY);
            match made {
                Ok(()) => {}
                Err(error) => return Err(failed(&error)),
            }
        }
        nothing()
    })
}

pub(super) fn remove(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.string()?;
    let flags = io.fields.u8()?;
    let (recursive, force, folder) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
    let now = kernel.file_time();
    let resources = kernel.settings.resources.clone();
    let target = target(files(&resources, now), &path, Follow::Never);
    // Everything below goes too, so everything below is asked about.
    let below = match (&target.found, recursive) {
        (Ok(root), true) => below(files(&resources, now), root, now),
        (Ok(_) | Err(_), _) => Ok(Vec::new()),
    };
    let mut requests = vec![target.request(Access::Write)?];
    for (path, _) in below.as_deref().unwrap_or_default() {
        requests.push(access(path, Access::Write)?);
    }
    kernel.guarded(requests, io.answer, move |_| {
        let files = files(&resources, now);
        let removed = target.found.and_then(|root| {
            // Children come after their parents, so from the end on every folder is empty.
            for (path, kind) in below?.iter().rev() {
                match kind {
                    Kind::Directory => files.remove_directory(path)?,
                    Kind::File | Kind::Link | Kind::Device(_) | Kind::Other => {
                        files.remove_file(path)?
                    }
                }
            }
            let is_folder = files.stat(&root)?.kind == Kind::Directory;
            match is_folder && (recursive || folder) {
                true => files.remove_directory(&root),
                false => files.remove_file(&root),
            }
        });
        match removed {
            Err(error) if force && error.errno() == Errno::NotFound => nothing(),
            Err(error) => Err(failed(&error)),
            Ok(()) => nothing(),
        }
    })
}

/// Everything below a folder, parents before their children; nothing where it is no folder.
fn below(files: Files<'_>, root: &VPath, now: vfs::Time) -> Result<Vec<(VPath, Kind)>, vfs::Error> {
    let mut found = Vec::new();
    if files.stat(root)?.kind != Kind::Directory {
        return Ok(found);
    }
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let open = files.open(&folder, Open::to_read().directory())?;
        let mut from = 0;
        loop {
            let entries = open.entries(from, vfs::LISTING_MAX, now)?;
            let Some(last) = entries.last() else { break };
            from = last.next;
            for entry in entries.iter().filter(|e| e.name != "." && e.name != "..") {
                let text = format!("{}/{}", folder.as_str().trim_end_matches('/'), entry.name);
                let path = VPath::new(&text).map_err(|errno| vfs::Error::new(errno, &text))?;
                if entry.kind == Kind::Directory {
                    folders.push(path.clone());
                }
                found.push((path, entry.kind));
            }
            if found.len() > MAX_ENTRIES {
                return Err(vfs::Error::new(Errno::FileTooLarge, root.as_str()));
            }
        }
    }
    Ok(found)
}

fn access(path: &VPath, access: Access) -> Result<Request, CallError> {
    let path: FilePath = name(path.as_str().parse())?;
    Ok(Request::Fs { access, path })
}

/// A move makes content appear under another name, where the tool may be allowed to read it: so
/// it needs to read and to write what moves, and to write where it goes.
pub(super) fn rename(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (from, to) = (io.fields.string()?, io.fields.string()?);
    let now = kernel.file_time();
    let resources = kernel.settings.resources.clone();
    let from = target(files(&resources, now), &from, Follow::Never);
    let to = target(files(&resources, now), &to, Follow::Never);
    let below = match &from.found {
        Ok(root) => below(files(&resources, now), root, now).unwrap_or_default(),
        Err(_) => Vec::new(),
    };
    let mut requests =
        vec![from.request(Access::Write)?, from.request(Access::Read)?, to.request(Access::Write)?];
    for (path, _) in &below {
        requests.push(access(path, Access::Write)?);
        requests.push(access(path, Access::Read)?);
    }
    kernel.guarded(requests, io.answer, move |_| -> Done {
        let moved = from
            .found
            .and_then(|from| to.found.and_then(|to| files(&resources, now).rename(&from, &to)));
        moved.map(|()| Vec::new()).map_err(|error| failed(&error))
    })
}

fn flag(io: &mut CallIo<'_, '_>) -> Result<bool, Malformed> {
    Ok(io.fields.u8()? != 0)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        Kind::Link => "symlink",
        Kind::Device(_) => "device",
        Kind::Other => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::lexical;

    #[test]
    fn dots_are_taken_out_and_never_lead_above_the_root() {
        assert_eq!(lexical("/a/./b/../c"), "/a/c");
        assert_eq!(lexical("/../../x"), "/x");
        assert_eq!(lexical("/"), "/");
    }
}
