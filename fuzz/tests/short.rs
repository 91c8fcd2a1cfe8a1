//! Runs every target on its corpus, on inputs derived from it, and on long inputs.
//!
//! `COFFERDAM_FUZZ_INPUTS` sets the number of derived inputs; `COFFERDAM_FUZZ_TARGET` selects one
//! target.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cofferdam_fuzz::mutate::{Numbers, mutated};
use cofferdam_fuzz::{TARGETS, Target, cost};

/// Number of derived inputs for each target.
const INPUTS: usize = 2000;

/// Stack size of the threads that run targets; equals that of a guest, because one target is a
/// guest.
const STACK: usize = 8 << 20;

/// Length of a long input.
const LONG: usize = 256 << 10;

/// CPU time allowed for a long input. A linear parser takes a hundredth of it; a parser that
/// restarts for each piece takes many times as much.
const MOST: Duration = Duration::from_secs(3);

fn kept(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a file of the corpus").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}: holds nothing", folder.display());
    files.into_iter().map(|path| (path.clone(), std::fs::read(&path).expect("a file"))).collect()
}

/// Runs `work` for each selected target, on a new thread with the stack of a guest.
fn for_each(work: fn(&Target)) {
    let only = std::env::var("COFFERDAM_FUZZ_TARGET").ok();
    let chosen = TARGETS.iter().filter(|target| only.as_deref().is_none_or(|o| o == target.name));
    let failed: Vec<&str> = chosen
        .filter(|target| {
            let target = **target;
            let thread = std::thread::Builder::new().name(target.name.into()).stack_size(STACK);
            let thread = thread.spawn(move || work(&target)).expect("a thread");
            thread.join().is_err()
        })
        .map(|target| target.name)
        .collect();
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// Runs one input; a failing input is printed so that it can be added to the corpus.
fn run(target: &Target, data: &[u8], from: &str) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(data))).is_err() {
        let shown = data.escape_ascii();
        panic!("{} fails on {from}, {} bytes:\n{shown}", target.name, data.len());
    }
}

#[test]
fn what_is_kept_holds() {
    for_each(|target| {
        for (path, data) in kept(target) {
            run(target, &data, &path.display().to_string());
        }
        run(target, b"", "nothing");
    });
}

#[test]
fn what_is_made_of_it_holds() {
    for_each(|target| {
        let inputs = std::env::var("COFFERDAM_FUZZ_INPUTS").ok();
        let inputs = inputs.map_or(INPUTS, |text| text.parse().expect("a number of inputs"));
        let kept: Vec<Vec<u8>> = kept(target).into_iter().map(|(_, data)| data).collect();
        let words: Vec<&[u8]> = target.words.iter().map(|word| word.as_bytes()).collect();
        let mut numbers = Numbers::new(7);
        for number in 0..inputs {
            run(target, &mutated(&mut numbers, &kept, &words), &format!("input {number}"));
        }
    });
}

#[test]
fn long_inputs_are_read_in_time() {
    for_each(|target| {
        for piece in target.repeats {
            let data = piece.repeat(LONG / piece.len());
            let before = cost::computed();
            run(target, data.as_bytes(), &format!("{piece:?} repeated"));
            let took = cost::computed() - before;
            assert!(took < MOST, "{} took {took:?} for {piece:?} repeated", target.name);
        }
    });
}
