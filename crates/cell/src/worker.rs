//! The compile worker: this program, executed again to compile one module.
//!
//! Compiling a hostile module can take minutes and gigabytes, and the compiler cannot be
//! interrupted. A process can: it is killed when nobody waits for the module any more, and the
//! operating system limits its memory and its processor time (T-PROC-002).
//!
//! The worker reads the module from its standard input to the end, and writes a mark, the settings
//! it compiled for and the native code to its standard output. Both are pipes that only the worker
//! and this process hold, so the native code is as trusted as the program that the worker is.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::compile_worker::CompileWorker;
use crate::compiler;
use crate::program_image;
use crate::unfit::{MAX_MODULE, Unfit};

/// Name under which a program is executed as the compile worker.
const NAME: &str = "cofferdam-compiler";

/// Processor time of a worker, in seconds of all its threads together.
const MAX_SECONDS: u64 = 600;

/// Longest native code that a worker may write; it becomes memory of this process.
const MAX_NATIVE: u64 = 512 << 20;

/// Most compiling threads of a worker. The address space of each counts.
const MAX_THREADS: usize = 8;

/// Longest complaint of a worker that is looked at.
const MAX_COMPLAINT: u64 = 4096;

/// First byte of the output: native code follows, or the reason why there is none.
const COMPILED: u8 = 1;
const REFUSED: u8 = 2;

/// This program as its own worker, unless a compiler is given another.
static SELF: OnceLock<CompileWorker> = OnceLock::new();

/// Becomes the compile worker if this process was started as one. Otherwise returns, and from then
/// on modules from outside are compiled by this program, executed again.
///
/// A program calls this first in `main`, before it starts threads or reads secrets. Without it, and
/// without a worker that is named, modules are compiled on threads of this process, which cannot be
/// interrupted and whose memory is not limited.
pub fn become_compiler() {
    let mut words = std::env::args_os();
    if words.next() == Some(OsString::from(NAME)) {
        let memory = words.next().and_then(|word| word.to_str()?.parse().ok());
        std::process::exit(i32::from(serve(memory.unwrap_or(0)).is_err()));
    }
    let program = match cfg!(target_os = "linux") {
        // The program that runs, even if another file has its name by now.
        true => Some(PathBuf::from("/proc/self/exe")),
        false => std::env::current_exe().ok(),
    };
    if let Some(program) = program {
        let _ = SELF.set(CompileWorker::new(program));
    }
}

/// Returns the worker that [`become_compiler`] registered.
pub(crate) fn own() -> Option<CompileWorker> {
    SELF.get().cloned()
}

/// Kills a worker. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Killer(Arc<Mutex<Child>>);

impl Killer {
    pub(crate) fn kill(&self) {
        // Fails if the worker has ended, which is as well.
        let _ = self.0.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

/// Compiles a module in a worker. Hands `started` a way to end it early.
pub(crate) fn compile(
    by: &CompileWorker,
    wasm: &[u8],
    settings: &[u8; 32],
    started: impl FnOnce(Killer),
) -> Result<Vec<u8>, Unfit> {
    let program = by.program().display();
    let failed = |what: &str, error: io::Error| {
        Unfit::new(format!("cannot be compiled: {what} {program}: {error}"))
    };
    let mut child = spawn(by).map_err(|error| failed("no process of", error))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
        return Err(Unfit::new("cannot be compiled: the worker has no pipes"));
    };
    let worker = Killer(Arc::new(Mutex::new(child)));
    started(worker.clone());
    // A worker that ended early says why below.
    let _ = stdin.write_all(wasm);
    drop(stdin);
    let mut output = Vec::new();
    let read = stdout.take(MAX_NATIVE + 1).read_to_end(&mut output);
    let mut complaint = Vec::new();
    if read.is_err() || output.len() as u64 > MAX_NATIVE {
        worker.kill();
    } else {
        let _ = stderr.take(MAX_COMPLAINT).read_to_end(&mut complaint);
    }
    // Its output has ended, so it has nothing left to do.
    let status = worker.0.lock().unwrap_or_else(PoisonError::into_inner).wait();
    let status = status.map_err(|error| failed("cannot wait for", error))?;
    if output.len() as u64 > MAX_NATIVE {
        return Err(Unfit::too_large(MAX_NATIVE));
    }
    if !status.success() {
        return Err(end(status, &complaint, by.memory_bytes()));
    }
    let other = || Unfit::new(format!("cannot be compiled: {program} is of another build"));
    match output.split_first() {
        Some((&REFUSED, reason)) => Err(Unfit::new(String::from_utf8_lossy(reason))),
        Some((&COMPILED, rest)) => match rest.strip_prefix(settings) {
            Some(_) => Ok(output.split_off(1 + settings.len())),
            None => Err(other()),
        },
        Some(_) | None => Err(other()),
    }
}

fn spawn(worker: &CompileWorker) -> io::Result<Child> {
    let mut command = Command::new(worker.program());
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
    std::os::unix::process::CommandExt::arg0(&mut command, NAME);
    command
        .arg(worker.memory_bytes().to_string())
        .env_clear()
        .env("RAYON_NUM_THREADS", threads.to_string())
        // Otherwise each thread may reserve address space of its own for small allocations.
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Returns the reason of a worker that was ended by the system or by its own failure.
fn end(status: ExitStatus, complaint: &[u8], memory: u64) -> Unfit {
    use std::os::unix::process::ExitStatusExt;
    let cpu = rustix::process::Signal::XCPU.as_raw();
    let kill = rustix::process::Signal::KILL.as_raw();
    let says = |text: &str| String::from_utf8_lossy(complaint).contains(text);
    match status.signal() {
        _ if says("memory allocation of") || says("out of memory") => Unfit::too_large(memory),
        Some(signal) if signal == cpu => {
            Unfit::new(format!("takes more than {MAX_SECONDS} s of processor time to compile"))
        }
        Some(signal) if signal == kill => Unfit::new("was being compiled when that was ended"),
        Some(_) | None => Unfit::new("the compiler failed on this module"),
    }
}

/// Compiles the module on standard input. Runs in the worker.
fn serve(memory: u64) -> io::Result<()> {
    limit(memory)?;
    let mut wasm = Vec::new();
    io::stdin().lock().take(MAX_MODULE as u64 + 1).read_to_end(&mut wasm)?;
    let native = catch_unwind(AssertUnwindSafe(|| {
        let engine = program_image::foreign_engine().map_err(|error| error.to_string())?;
        let native = compiler::native_code(&engine, &wasm).map_err(|unfit| unfit.to_string())?;
        Ok::<_, String>((compiler::settings(&engine), native))
    }));
    let mut out = io::stdout().lock();
    match native {
        Ok(Ok((settings, native))) => {
            out.write_all(&[COMPILED])?;
            out.write_all(&settings)?;
            out.write_all(&native)?;
        }
        Ok(Err(reason)) => {
            out.write_all(&[REFUSED])?;
            out.write_all(reason.as_bytes())?;
        }
        // The message of the panic is on standard error.
        Err(_) => return Err(io::Error::other("panic")),
    }
    out.flush()
}

/// Limits this process for good, before it has read anything.
fn limit(memory: u64) -> io::Result<()> {
    let at_most = |limit| Rlimit { current: Some(limit), maximum: Some(limit) };
    setrlimit(Resource::Cpu, at_most(MAX_SECONDS))?;
    // A core file could be as long as the memory.
    setrlimit(Resource::Core, at_most(0))?;
    // The worker opens no file.
    setrlimit(Resource::Fsize, at_most(0))?;
    #[cfg(target_os = "linux")]
    {
        setrlimit(Resource::As, at_most(memory))?;
        let signal = Some(rustix::process::Signal::KILL);
        rustix::process::set_parent_process_death_signal(signal)?;
    }
    Ok(())
}
