//! Methods about single files, with the names and results that the shared-memory bridge has.

use cofferdam::Sandbox;
use cofferdam_vfs::{Errno, Error, Kind, Mode, Stat, Time};
use serde_json::{Value as Json, json};

use crate::methods::{Failed, Params, required};

/// Longest file that is handed to the page.
const MAX_READ: usize = 256 << 20;

/// Reads a file.
pub(crate) fn read(sandbox: &Sandbox, path: &str) -> Result<Vec<u8>, Failed> {
    sandbox.files()?.read_file(path, MAX_READ).map_err(failed)
}

/// Fails with the code of the error if a path is no folder.
pub(crate) fn check_folder(sandbox: &Sandbox, path: &str) -> Result<(), Failed> {
    match sandbox.files()?.stat(path).map_err(failed)?.kind {
        Kind::Directory => Ok(()),
        Kind::File | Kind::Link | Kind::Device(_) | Kind::Other => {
            Err(failed(Error::new(Errno::NotDirectory, path)))
        }
    }
}

/// Carries out one operation: `stat`, `mkdir`, `unlink`, `rmdir`, `rename` or `chmod`.
pub(crate) fn operate(sandbox: &Sandbox, name: &str, params: &mut Params) -> Result<Json, Failed> {
    let files = sandbox.files()?;
    if name == "rename" {
        let (from, to) = (required(params, "oldPath")?, required(params, "newPath")?);
        return done(files.rename(from.as_str(), to.as_str()));
    }
    let path = required(params, "path")?;
    let path = path.as_str();
    match name {
        "stat" => {
            let found = files.stat(path).map_err(failed)?;
            Ok(described(&found))
        }
        "mkdir" => done(files.make_directory(path, Mode::DIRECTORY)),
        "unlink" => done(files.remove_file(path)),
        "rmdir" => done(files.remove_directory(path)),
        _ => {
            let mode = params.get("mode").and_then(Json::as_u64).filter(|mode| *mode <= 0o7777);
            let mode = mode.ok_or_else(|| Failed("mode: not between 0 and 0o7777".into()))?;
            done(files.set_mode(path, Mode::new(mode as u32)))
        }
    }
}

fn done(result: Result<(), Error>) -> Result<Json, Failed> {
    result.map(|()| json!({ "ok": true })).map_err(failed)
}

/// Formats an error with its code in front, which the bridge takes off again.
fn failed(error: Error) -> Failed {
    Failed(format!("{}: {error}", error.errno().name()))
}

fn described(stat: &Stat) -> Json {
    let kind = match stat.kind {
        Kind::File => "file",
        Kind::Directory => "dir",
        Kind::Link => "symlink",
        Kind::Device(_) | Kind::Other => "other",
    };
    json!({
        "type": kind,
        "size": stat.size,
        "permissions": stat.mode.bits(),
        "mtime": millis(stat.modified),
        "ctime": millis(stat.changed),
        "atime": millis(stat.accessed),
    })
}

fn millis(time: Time) -> f64 {
    time.0 as f64 / 1e6
}
