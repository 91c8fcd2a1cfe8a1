//! Scripts as Node runs them: arguments behind the file, a folder of code, standard input.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use cofferdam::{HostDir, Input, Mount, SandboxBuilder, Tool};

use crate::misuse;
use crate::permissions;
use crate::place::{Place, plain};
use crate::report::Failure;

/// Place of the tool's own code in the sandbox.
const CODE: &str = "/code";

/// Shows a folder as the tool's own code: read-only, and readable without a question.
pub(crate) fn with_code(sandbox: SandboxBuilder, folder: &str) -> Result<SandboxBuilder, Failure> {
    let directory = HostDir::open_ambient(Path::new(folder)).map_err(|error| {
        Failure::usage(format!("--code {folder}: {}", plain(&error))).hint("--code .")
    })?;
    let readable = permissions::parse(&format!("fs:read:{CODE}/**"), "--code")?;
    Ok(sandbox.mount(CODE, directory, Mount::ReadOnly).grant(readable))
}

/// Tells a tool its place in the sandbox, if its folder is shown there: as code, or by a mount.
pub(crate) fn placed(
    tool: Tool,
    file: &str,
    code: Option<&str>,
    place: &Place,
) -> Result<Tool, Failure> {
    let Ok(path) = Path::new(file).canonicalize() else { return Ok(tool) };
    let mounted = nearest(&path, &place.shown());
    let as_code = match code {
        Some(folder) => {
            let shown = [(PathBuf::from(folder), CODE.to_owned())];
            Some(nearest(&path, &shown).ok_or_else(|| {
                let own = Path::new(file).parent().filter(|own| *own != Path::new(""));
                let own = own.unwrap_or(Path::new(".")).display();
                Failure::usage(format!("--code {folder}: {file} is not in it"))
                    .hint(format!("--code {own}"))
            })?)
        }
        None => None,
    };
    // Files that a script names are more likely in a folder that was mounted for it than in its code.
    let cwd = match (&place.cwd, &mounted, &as_code) {
        (Some(cwd), _, _) => Some(cwd.clone()),
        (None, Some(found), _) | (None, None, Some(found)) => Some(found.folder()),
        (None, None, None) => None,
    };
    let tool = match cwd {
        Some(cwd) => tool.cwd(cwd),
        None => tool,
    };
    Ok(match as_code.or(mounted) {
        Some(found) => tool.at(found.path, found.root),
        None => tool,
    })
}

/// A file in the sandbox.
struct Shown {
    path: String,
    root: String,
}

impl Shown {
    fn folder(&self) -> String {
        match self.path.rsplit_once('/') {
            Some(("", _)) | None => "/".to_owned(),
            Some((folder, _)) => folder.to_owned(),
        }
    }
}

/// Finds a file of this machine in the folders that are shown; the innermost counts.
fn nearest(file: &Path, shown: &[(PathBuf, String)]) -> Option<Shown> {
    let found = shown.iter().filter_map(|(source, at)| {
        let source = source.canonicalize().ok()?;
        let rest = file.strip_prefix(&source).ok()?.to_str()?.to_owned();
        Some((source.as_os_str().len(), at.trim_end_matches('/'), rest))
    });
    let (_, at, rest) = found.max_by_key(|(length, _, _)| *length)?;
    let root = if at.is_empty() { "/".to_owned() } else { at.to_owned() };
    Some(Shown { path: format!("{at}/{rest}"), root })
}

/// Longest piece of standard input that is read at once.
const PIECE: usize = 64 << 10;

/// Gives a tool our own standard input. Nothing is read before the tool reads.
pub(crate) fn with_stdin(tool: Tool) -> Tool {
    let (input, tool) = tool.stream_stdin();
    let reader = Arc::new(Reader(input));
    let waker = Waker::from(reader.clone());
    if pin!(reader.0.wanted()).poll(&mut Context::from_waker(&waker)).is_ready() {
        reader.wake();
    }
    tool
}

/// Reads standard input for a tool, on a thread that starts with the tool's first read. Most tools
/// read nothing, and a thread takes a hundredth of a short run.
struct Reader(Input);

impl Wake for Reader {
    fn wake(self: Arc<Self>) {
        // Ends with the process: nothing else could end a read of standard input.
        std::thread::spawn(move || self.read());
    }
}

impl Reader {
    fn read(&self) {
        let Ok(executor) = tokio::runtime::Builder::new_current_thread().build() else { return };
        let mut buffer = vec![0; PIECE];
        loop {
            executor.block_on(self.0.wanted());
            let read = std::io::stdin().read(&mut buffer).unwrap_or(0);
            self.0.feed(&buffer[..read]);
            if read == 0 {
                return;
            }
        }
    }
}

/// Puts `--` before the first option behind the file of `run` that is not ours, so that it and all
/// that follows goes to the script. Returns `None` if the option is one of ours with a typing error.
pub(crate) fn split(error: &clap::Error, words: &[OsString]) -> Option<Vec<OsString>> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(typed))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return None;
    };
    let name = typed.split('=').next().unwrap_or(typed);
    if words.get(1)? != "run" || misuse::is_mistyped("run", name) {
        return None;
    }
    let begins = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with(name));
    let at = words.iter().position(begins)?;
    // Without a file before it, nothing is a script's.
    let has_file = words[2..at].iter().any(|word| Path::new(word).is_file());
    if !has_file || !name.starts_with('-') {
        return None;
    }
    let mut split = words.to_vec();
    split.insert(at, "--".into());
    Some(split)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_folder_that_is_shown_counts() {
        let base = std::env::current_dir().and_then(|at| at.canonicalize()).expect("a folder");
        let file = base.join("src/main.rs");
        let shown = [(base.clone(), "/work".to_owned()), (base.join("src"), "/src/".to_owned())];
        let found = nearest(&file, &shown).expect("a place");
        assert_eq!((found.path.as_str(), found.root.as_str()), ("/src/main.rs", "/src"));
        assert_eq!(found.folder(), "/src");
        let found = nearest(&file, &shown[..1]).expect("a place");
        assert_eq!((found.path.as_str(), found.root.as_str()), ("/work/src/main.rs", "/work"));
        assert!(nearest(Path::new("/nowhere"), &shown).is_none());
    }
}
