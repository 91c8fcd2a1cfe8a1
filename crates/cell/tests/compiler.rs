//! Compiling modules from outside, and caching the results.

use std::future::Future;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use cofferdam_cell::{
    Compiler, Engine, GuestMemory, Import, Leave, Notice, Pool, Program, ProgramEngine, Unfit,
};

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

/// A handwritten module: one page of memory, and a `_start` that does nothing.
const MODULE: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x05\x03\x01\0\x01\
    \x07\x13\x02\x06memory\x02\0\x06_start\0\0\x0a\x04\x01\x02\0\x0b";

fn compile(engine: &Engine, cache: &Path, wasm: &[u8]) -> Result<u64, Unfit> {
    let programs = ProgramEngine::new(engine.alarm(), Pool { cells: 1, warm: 0 });
    let compiler = Compiler::<Nothing>::new(&programs, Some(cache.to_owned()), None);
    wait(compiler.compile("test", wasm.to_vec())).map(|image| image.memory_bytes())
}

#[test]
fn who_wants_to_know_is_told_of_each_module_that_is_compiled_and_when_that_is_over() {
    struct Over(Arc<AtomicUsize>);
    impl Drop for Over {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let (told, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let notice: Notice = {
        let (told, over) = (told.clone(), over.clone());
        Arc::new(move |name, bytes| {
            told.lock().expect("no panic").push((name.to_owned(), bytes));
            Box::new(Over(over.clone()))
        })
    };
    let engine = engine();
    let programs = ProgramEngine::new(engine.alarm(), Pool { cells: 1, warm: 0 });
    let compiler = Compiler::<Nothing>::new(&programs, None, Some(notice));
    for name in ["first", "again"] {
        wait(compiler.compile(name, MODULE.to_vec())).expect("a program");
    }
    assert_eq!(*told.lock().expect("no panic"), [("first".to_owned(), MODULE.len())]);
    assert_eq!(over.load(Ordering::Relaxed), 1);
}

fn engine() -> Engine {
    Engine::new(Pool { cells: 1, warm: 0 }).expect("an engine")
}

/// Returns an empty directory for this test.
fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn files(cache: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(cache).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// T-PROC-003.
#[test]
fn what_was_compiled_is_kept_for_this_user_alone() {
    let (engine, cache) = (engine(), scratch("kept"));
    assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
    let [file] = files(&cache).try_into().expect("one file");
    let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&cache), mode(&file)), (0o700, 0o600));
    let before = file.metadata().and_then(|m| m.modified()).expect("a time");
    assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
    assert_eq!(file.metadata().and_then(|m| m.modified()).expect("a time"), before, "written anew");
}

/// T-PROC-003.
#[test]
fn a_file_that_was_damaged_is_not_used_but_made_anew() {
    let (engine, cache) = (engine(), scratch("damaged"));
    assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
    let [file] = files(&cache).try_into().expect("one file");
    let whole = std::fs::read(&file).expect("readable");
    let middle = whole.len() / 2;
    for damaged in [whole[..middle].to_vec(), Vec::new(), {
        let mut flipped = whole.clone();
        flipped[middle] ^= 1;
        flipped
    }] {
        std::fs::write(&file, damaged).expect("writable");
        assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
        assert_eq!(std::fs::read(&file).expect("readable"), whole);
    }
}

/// T-PROC-003.
#[test]
fn a_directory_that_others_can_write_to_is_not_used() {
    let (engine, cache) = (engine(), scratch("open"));
    std::fs::create_dir_all(&cache).expect("made");
    std::fs::set_permissions(&cache, PermissionsExt::from_mode(0o777)).expect("ours");
    assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
    assert_eq!(files(&cache), [] as [PathBuf; 0]);
}

/// T-PROC-003.
#[test]
fn a_file_under_the_name_of_another_module_is_not_used() {
    let (engine, cache) = (engine(), scratch("swapped"));
    let mut other = MODULE.to_vec();
    // Two pages.
    let at = other.windows(3).position(|w| w == [1, 0, 1]).expect("the memory");
    other[at + 2] = 2;
    assert_eq!(compile(&engine, &cache, &other), Ok(131_072));
    let [of_other] = files(&cache).try_into().expect("one file");
    assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
    let of_module = files(&cache).into_iter().find(|f| *f != of_other).expect("a second file");
    std::fs::copy(&of_other, &of_module).expect("copied");
    assert_eq!(compile(&engine, &cache, MODULE), Ok(65536));
}

/// T-PROC-001.
#[test]
fn every_cut_of_a_module_is_refused() {
    let (engine, cache) = (engine(), scratch("cut"));
    for len in 0..MODULE.len() {
        // A module may end after any section, but then it lacks a required export.
        assert!(compile(&engine, &cache, &MODULE[..len]).is_err(), "{len}");
    }
}
