//! The sandbox's files, for tools.

use cofferdam_abi::{Malformed, Value};
use cofferdam_vfs::{self as vfs, Errno, Follow, Kind, Mode};

use crate::permitted::Removal;
use crate::shared::call_error::{CallError, Done, name, nothing, packed};
use crate::shared::crossing::CallIo;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn read(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let path = io.fields.str()?;
    read_then(kernel, path, io.answer, |_| ())
}

/// Reads a module. The guest's loader asks with this call before the module runs, so a module that
/// changed cannot keep its own loading from being noticed.
// T-PERM-021: a module that changed.
pub(super) fn read_module(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, desk) = (io.fields.str()?, kernel.settings.desk.clone());
    let name = path.to_owned();
    read_then(kernel, path, io.answer, move |module| desk.loaded(&name, module))
}

/// Reads a file, and hands its content to `seen` before the guest has it.
fn read_then(
    kernel: &mut Kernel,
    path: &str,
    answer: &mut Vec<u8>,
    seen: impl FnOnce(&[u8]) + Send + 'static,
) -> Served {
    let now = kernel.file_time();
    let file = name(kernel.settings.resources.files(now).to_read(path, Follow::Link))?;
    let most = kernel.settings.call_bytes;
    kernel.with_permit(file, answer, move |resources, permit| {
        let content = resources.files(now).read(permit, most).map_err(|error| {
            let is_too_long = error.errno() == Errno::FileTooLarge;
            let mut refused = CallError::from(error);
            if is_too_long {
                refused.message += &format!(" (more than {most} bytes, the limit callBytes)");
            }
            refused
        })?;
        seen(&content);
        Ok(content)
    })
}

pub(super) fn write(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, append, now) = (io.fields.str()?, flag(io)?, kernel.file_time());
    let content = io.fields.take(io.fields.remaining())?.to_vec();
    let file = name(kernel.settings.resources.files(now).to_write(path, Follow::Link))?;
    kernel.with_permit(file, io.answer, move |resources, permit| {
        let files = resources.files(now);
        match append {
            true => files.append(permit, &content)?,
            false => files.write(permit, &content)?,
        }
        nothing()
    })
}

pub(super) fn list(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, now) = (io.fields.str()?, kernel.file_time());
    let folder = name(kernel.settings.resources.files(now).to_read(path, Follow::Link))?;
    kernel.with_permit(folder, io.answer, move |resources, permit| {
        let pair = |(name, kind): (String, Kind)| {
            Value::Array(vec![Value::String(name), Value::String(kind_name(kind).to_owned())])
        };
        let listed = resources.files(now).list(permit)?;
        packed(&Value::Array(listed.into_iter().map(pair).collect()))
    })
}

pub(super) fn look(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, now) = (io.fields.str()?, kernel.file_time());
    let follow = if flag(io)? { Follow::Link } else { Follow::Never };
    let file = name(kernel.settings.resources.files(now).to_read(path, follow))?;
    kernel.with_permit(file, io.answer, move |resources, permit| {
        let stat = resources.files(now).stat(permit)?;
        let number = |name: &str, n: f64| (name.to_owned(), Value::Number(n));
        let ms = |time: vfs::Time| time.0 as f64 / 1e6;
        packed(&Value::Object(vec![
            ("type".to_owned(), Value::String(kind_name(stat.kind).to_owned())),
            number("size", stat.size as f64),
            number("mode", f64::from(stat.mode.bits())),
            number("nlink", stat.links as f64),
            number("ino", stat.ino.0 as f64),
            number("atimeMs", ms(stat.accessed)),
            number("mtimeMs", ms(stat.modified)),
            number("ctimeMs", ms(stat.changed)),
        ]))
    })
}

pub(super) fn make_folder(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, parents, now) = (io.fields.str()?, flag(io)?, kernel.file_time());
    let files = kernel.settings.resources.files(now);
    if !parents {
        let folder = name(files.to_write(path, Follow::Never))?;
        return kernel.with_permit(folder, io.answer, move |resources, permit| {
            resources.files(now).make_folder(permit)?;
            nothing()
        });
    }
    let folders = name(files.to_make(path))?;
    kernel.with_permit(folders, io.answer, move |resources, permit| {
        resources.files(now).make_folders(permit)?;
        nothing()
    })
}

pub(super) fn remove(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, flags, now) = (io.fields.str()?, io.fields.u8()?, kernel.file_time());
    let force = flags & 2 != 0;
    let how = match (flags & 1 != 0, flags & 4 != 0) {
        (true, _) => Removal::Recursive,
        (false, true) => Removal::Folder,
        (false, false) => Removal::File,
    };
    let file = name(kernel.settings.resources.files(now).to_remove(path, how))?;
    kernel.with_permit(file, io.answer, move |resources, permit| -> Done {
        match resources.files(now).remove(permit) {
            Err(error) if force && error.errno() == Errno::NotFound => nothing(),
            Err(error) => Err(error.into()),
            Ok(()) => nothing(),
        }
    })
}

pub(super) fn rename(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (from, to, now) = (io.fields.str()?, io.fields.str()?, kernel.file_time());
    let file = name(kernel.settings.resources.files(now).to_rename(from, to))?;
    kernel.with_permit(file, io.answer, move |resources, permit| {
        resources.files(now).rename(permit)?;
        nothing()
    })
}

/// Permission bits that a tool may set; the bits beyond them change whom a program runs as.
const MODES: u32 = 0o777;

pub(super) fn set_mode(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (path, mode, now) = (io.fields.str()?, io.fields.u32()?, kernel.file_time());
    let file = name(kernel.settings.resources.files(now).to_write(path, Follow::Link))?;
    kernel.with_permit(file, io.answer, move |resources, permit| {
        resources.files(now).set_mode(permit, Mode::new(mode & MODES))?;
        nothing()
    })
}

fn flag(io: &mut CallIo<'_, '_>) -> Result<bool, Malformed> {
    Ok(io.fields.u8()? != 0)
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Directory => "directory",
        Kind::Link => "symlink",
        Kind::Device(_) => "device",
        Kind::Other => "other",
    }
}

/// Errors are as Node has them: a code, and a message that begins with it.
impl From<vfs::Error> for CallError {
    fn from(error: vfs::Error) -> Self {
        let code = error.errno().name();
        CallError::new("Error", format!("{code}: {error}"))
            .with("code", code)
            .with("path", error.path())
    }
}
