//! The compile worker: limits, the end with its caller, and what it refuses.
//!
//! The test program is its own worker, so that it has a `main` of its own.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use cofferdam_cell::{
    CompileWorker, Compiler, Compiling, Engine, GuestMemory, Import, Leave, Notice, Pool, Program,
    ProgramEngine, Unfit,
};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    cofferdam_cell::become_compiler();
    let trial = |name: &str, test: fn()| {
        Trial::test(name, move || {
            test();
            Ok::<(), Failed>(())
        })
    };
    let trials = vec![
        trial("a_module_is_compiled_by_a_process", a_module_is_compiled_by_a_process),
        trial("a_reason_comes_back_from_the_worker", a_reason_comes_back_from_the_worker),
        trial(
            "a_module_that_takes_much_memory_is_a_limit",
            a_module_that_takes_much_memory_is_a_limit,
        ),
        trial("a_worker_ends_with_its_caller", a_worker_ends_with_its_caller),
        trial("a_module_that_waits_is_given_up", a_module_that_waits_is_given_up),
        trial("a_program_that_is_no_worker_is_named", a_program_that_is_no_worker_is_named),
    ];
    // One after the other: the tests look at the processes that this one has started.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit();
}

struct Nothing;

impl Program for Nothing {
    fn poll_import(
        &mut self,
        _: Import,
        _: &[u64],
        _: GuestMemory<'_>,
        _: &mut Context<'_>,
    ) -> Poll<Result<u32, Leave>> {
        Poll::Ready(Ok(0))
    }

    fn poll_cross(
        &mut self,
        _: &[u8],
        _: &mut Vec<u8>,
        _: &mut Context<'_>,
    ) -> Poll<Result<(), Leave>> {
        Poll::Ready(Ok(()))
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn wait<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// A compiler with the engine that it needs.
struct Fixture {
    compiler: Compiler<Nothing>,
    _engine: Engine,
    /// Names of the modules that were compiled.
    compiled: Arc<Mutex<Vec<String>>>,
}

impl Fixture {
    fn new(worker: CompileWorker) -> Self {
        let engine = Engine::new(Pool { cells: 1, warm: 0 }).expect("an engine");
        let pool = Pool { cells: 1, warm: 0 };
        let programs = ProgramEngine::new(engine.alarm(), pool);
        let compiled = Arc::<Mutex<Vec<String>>>::default();
        let notice: Notice = {
            let compiled = compiled.clone();
            Arc::new(move |name, _| {
                compiled.lock().expect("no panic").push(name.to_owned());
                Box::new(())
            })
        };
        let compiler = Compiler::with_worker(&programs, None, Some(notice), Some(worker));
        Fixture { compiler, _engine: engine, compiled }
    }

    fn compile(&self, name: &str, wasm: &[u8]) -> Compiling<Nothing> {
        self.compiler.compile(name, wasm.to_vec())
    }

    fn result(&self, wasm: &[u8]) -> Result<u64, Unfit> {
        wait(self.compile("test", wasm)).map(|image| image.memory_bytes())
    }
}

fn this_program() -> CompileWorker {
    CompileWorker::new(std::env::current_exe().expect("a path"))
}

/// Returns a module with one large function: `loops` loops, each of which uses two of many
/// variables. Compiling it takes time and memory out of proportion.
fn bomb(loops: u32) -> Vec<u8> {
    const VARIABLES: u32 = 1000;
    let mut body = vec![1];
    number(&mut body, VARIABLES);
    body.push(0x7f);
    for at in 0..loops {
        let (one, other) = (at % VARIABLES, (at * 7 + 3) % VARIABLES);
        let variable = |op: u8, index: u32, body: &mut Vec<u8>| {
            body.push(op);
            number(body, index);
        };
        body.extend([0x03, 0x40]);
        variable(0x20, one, &mut body);
        body.extend([0x41, 1, 0x6a]);
        variable(0x21, other, &mut body);
        variable(0x20, other, &mut body);
        body.extend([0x04, 0x40]);
        variable(0x20, other, &mut body);
        variable(0x21, one, &mut body);
        body.extend([0x0b, 0x0b]);
    }
    body.push(0x0b);
    let mut code = vec![2, 2, 0, 0x0b];
    number(&mut code, body.len() as u32);
    code.extend(body);
    let mut wasm = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x03\x02\0\0\x05\x03\x01\0\x01\
        \x07\x13\x02\x06memory\x02\0\x06_start\0\0\x0a"
        .to_vec();
    number(&mut wasm, code.len() as u32);
    wasm.extend(code);
    wasm
}

fn number(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Returns the processes that this one has started and that have not ended.
fn workers() -> Vec<PathBuf> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("a list").flatten();
    let children = tasks.flat_map(|task| {
        let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        text.split_whitespace().map(|pid| Path::new("/proc").join(pid)).collect::<Vec<_>>()
    });
    children
        .filter(|path| {
            let words = std::fs::read(path.join("cmdline")).unwrap_or_default();
            words.starts_with(b"cofferdam-compiler")
        })
        .collect()
}

/// Waits until `is_so`; fails after a minute.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::yield_now();
    }
}

fn memory_of_this_process() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    let kilobytes = line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok());
    kilobytes.expect("a number") << 10
}

fn a_module_is_compiled_by_a_process() {
    let fixture = Fixture::new(this_program());
    assert_eq!(fixture.result(&bomb(1)), Ok(65536));
    assert_eq!(*fixture.compiled.lock().expect("no panic"), ["test"]);
    assert_eq!(workers(), [] as [PathBuf; 0]);
}

fn a_reason_comes_back_from_the_worker() {
    let fixture = Fixture::new(this_program());
    let mut wasm = bomb(1);
    // An unknown instruction.
    let end = wasm.len() - 2;
    wasm[end] = 0xff;
    let unfit = fixture.result(&wasm).expect_err("a reason");
    assert!(unfit.to_string().starts_with("is not a valid module: "), "{unfit}");
    assert_eq!(unfit.limit(), None);
}

/// T-PROC-002.
fn a_module_that_takes_much_memory_is_a_limit() {
    const LIMIT: u64 = 400 << 20;
    let fixture = Fixture::new(this_program().with_memory_bytes(LIMIT));
    let before = memory_of_this_process();
    let unfit = fixture.result(&bomb(320_000)).expect_err("a limit");
    assert_eq!(unfit.limit(), Some(LIMIT), "{unfit}");
    assert_eq!(unfit.to_string(), "takes more than 400 MiB of memory to compile");
    let grown = memory_of_this_process() - before;
    assert!(grown < 64 << 20, "this process took {grown} bytes more");
}

/// T-PROC-002.
fn a_worker_ends_with_its_caller() {
    let fixture = Fixture::new(this_program());
    let compiling = fixture.compile("slow", &bomb(200_000));
    until("a worker", || !workers().is_empty());
    drop(compiling);
    until("the end of the worker", || workers().is_empty());
    // The next module has its turn.
    assert_eq!(fixture.result(&bomb(1)), Ok(65536));
}

/// T-PROC-002.
fn a_module_that_waits_is_given_up() {
    let fixture = Fixture::new(this_program());
    let slow: Vec<_> = (0..2).map(|n| fixture.compile("slow", &bomb(200_000 + n))).collect();
    until("two workers", || workers().len() == 2);
    let waiting: Vec<_> = (0..62).map(|n| fixture.compile("waits", &bomb(100 + n))).collect();
    let full = wait(fixture.compile("late", &bomb(2))).err().expect("no room");
    assert_eq!(full.to_string(), "too many modules are being compiled");
    drop(waiting);
    drop(slow);
    until("the end of the workers", || workers().is_empty());
    until("room", || fixture.result(&bomb(1)).is_ok());
    assert!(!fixture.compiled.lock().expect("no panic").contains(&"waits".to_owned()));
}

fn a_program_that_is_no_worker_is_named() {
    let reason = |program: &str| {
        let unfit = Fixture::new(CompileWorker::new(program)).result(&bomb(1));
        unfit.expect_err("a reason").to_string()
    };
    let missing = reason("/no/such/program");
    assert!(missing.starts_with("cannot be compiled: no process of /no/such/program"), "{missing}");
    assert_eq!(reason("/bin/echo"), "cannot be compiled: /bin/echo is of another build");
    assert_eq!(reason("/bin/false"), "the compiler failed on this module");
}
