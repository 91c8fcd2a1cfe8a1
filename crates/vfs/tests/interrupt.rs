//! Long operations end when their run is over, and leave nothing half done.
#![cfg(unix)]

mod scratch;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam_vfs::{Errno, HostDir, Interrupt, Limits, Mount, Open, Time, Tree, VPath};

use scratch::Scratch;

const NOW: Time = Time(1_000_000_000);
/// Bytes of the file that is copied up: many steps.
const LONG: usize = 4 << 20;

/// Mounts `long`, `d/0` to `d/99` and `d/e/f` at `/src`.
fn mounted(mount: Mount) -> (Tree, Scratch) {
    let place = Scratch::new();
    fs::create_dir_all(place.path().join("d/e")).unwrap();
    fs::write(place.path().join("long"), vec![7; LONG]).unwrap();
    fs::write(place.path().join("d/e/f"), "f").unwrap();
    for number in 0..100 {
        fs::write(place.path().join(format!("d/{number}")), "").unwrap();
    }
    let tree = Tree::new(Limits { bytes: 8 << 20, nodes: 1000, file: 8 << 20 }, NOW);
    let directory = HostDir::open_ambient(place.path()).unwrap();
    tree.mount(&VPath::new("/src").unwrap(), directory, mount, NOW).unwrap();
    (tree, place)
}

/// Returns a condition that holds after `steps` checks, and the count of checks.
fn after(steps: usize) -> (Interrupt, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    (Interrupt::new(move || seen.fetch_add(1, Ordering::Relaxed) >= steps), count)
}

#[test]
fn a_copy_that_is_interrupted_leaves_the_original_file() {
    let (tree, _place) = mounted(Mount::Overlay);
    let (until, checks) = after(20);
    let files = tree.as_guest(NOW).until(&until);
    let file = files.open("/src/long", Open::to_write()).unwrap();
    let before = tree.usage();
    assert_eq!(file.write(b"x", NOW).unwrap_err().errno(), Errno::Interrupted);
    assert!(checks.load(Ordering::Relaxed) < 30, "it went on after the end");
    assert_eq!(tree.usage(), before);
    let content = tree.as_guest(NOW).read_file("/src/long", LONG).unwrap();
    assert!(content.len() == LONG && content.iter().all(|byte| *byte == 7));
    // A run that has time left copies the same file.
    let file = tree.as_guest(NOW).open("/src/long", Open::to_write()).unwrap();
    assert_eq!(file.write(b"x", NOW).unwrap(), 1);
}

#[test]
fn a_listing_of_an_overlay_that_is_interrupted_is_made_again() {
    let (tree, _place) = mounted(Mount::Overlay);
    for steps in [0, 1, 50, 150] {
        let (until, _) = after(steps);
        let files = tree.as_guest(NOW).until(&until);
        assert_eq!(files.stat("/src/d/e/f").unwrap_err().errno(), Errno::Interrupted, "{steps}");
    }
    let files = tree.as_guest(NOW);
    let directory = files.open("/src/d", Open::to_read().directory()).unwrap();
    assert_eq!(directory.entries(0, 1000, NOW).unwrap().len(), 2 + 101);
}

#[test]
fn a_listing_of_a_real_directory_is_interrupted() {
    let (tree, _place) = mounted(Mount::ReadWrite);
    let (until, checks) = after(10);
    let files = tree.as_guest(NOW).until(&until);
    let directory = files.open("/src/d", Open::to_read().directory()).unwrap();
    assert_eq!(directory.entries(0, 1000, NOW).unwrap_err().errno(), Errno::Interrupted);
    assert_eq!(checks.load(Ordering::Relaxed), 11);
}

#[test]
fn a_rename_that_is_interrupted_moves_nothing() {
    let (tree, place) = mounted(Mount::ReadWrite);
    // Nearer to the top, so every link below would have to be looked at.
    let (until, _) = after(2);
    let files = tree.as_guest(NOW).until(&until);
    let moved = files.rename("/src/d/e", "/src/e");
    assert_eq!(moved.unwrap_err().errno(), Errno::Interrupted);
    assert!(place.path().join("d/e/f").exists() && !place.path().join("e").exists());
}

/// The path behind a link, as far as it could be followed.
fn reached(tree: &Tree, path: &str) -> (Errno, String) {
    let (error, reached) = tree.as_guest(NOW).resolve_far(path).unwrap_err();
    (error.errno(), reached.unwrap())
}

#[test]
fn a_path_that_fails_behind_a_link_is_told_as_if_it_existed() {
    let (tree, _place) = mounted(Mount::ReadWrite);
    let files = tree.as_guest(NOW);
    files.make_link("/src/d/../gone/x", "/to").unwrap();
    files.make_link("/src/long", "/into").unwrap();
    assert_eq!(reached(&tree, "/to/y"), (Errno::NotFound, "/src/gone/x/y".into()));
    assert_eq!(reached(&tree, "/into/y/./z"), (Errno::NotDirectory, "/src/long/y/z".into()));
    assert_eq!(reached(&tree, "/none/../a"), (Errno::NotFound, "/a".into()));
}
