//! Overlays: changes are listed, forked and applied.
#![cfg(unix)]

mod scratch;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use cofferdam_vfs::{
    Difference, Errno, HostDir, Limits, Mode, Mount, Open, SetTime, Time, Tree, VPath,
};

use scratch::Scratch;

const NOW: Time = Time(1_000_000_000);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

fn at() -> VPath {
    VPath::new("/src").unwrap()
}

/// Mounts an overlay with `a`, `b`, `d/e/f` and a link `l`, at `/src`.
fn overlay() -> (Tree, Scratch) {
    let place = Scratch::new();
    fs::create_dir_all(place.path().join("d/e")).unwrap();
    for name in ["a", "b", "d/e/f"] {
        fs::write(place.path().join(name), name).unwrap();
    }
    symlink("a", place.path().join("l")).unwrap();
    let tree = Tree::new(Limits { bytes: 10_000, nodes: 10, file: 1 << 20 }, NOW);
    let directory = HostDir::open_ambient(place.path()).unwrap();
    tree.mount(&at(), directory, Mount::Overlay, NOW).unwrap();
    (tree, place)
}

/// Returns the changes, one line each.
fn changes(tree: &Tree) -> Vec<String> {
    let sign = |difference| match difference {
        Difference::Added => '+',
        Difference::Changed => '*',
        Difference::Removed => '-',
    };
    let list = tree.changes(&at()).unwrap();
    list.iter().map(|change| format!("{}{}", sign(change.difference), change.path)).collect()
}

/// Returns every path of a real directory with its content, sorted.
fn real(place: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut stack = vec![place.to_path_buf()];
    while let Some(directory) = stack.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(place).unwrap().display().to_string();
            if path.is_symlink() {
                found.push((name, format!("-> {}", path.read_link().unwrap().display())));
            } else if path.is_dir() {
                found.push((name, "/".into()));
                stack.push(path);
            } else {
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn reading_changes_nothing_and_costs_nothing() {
    let (tree, _place) = overlay();
    let files = tree.as_guest(NOW);
    assert_eq!(files.read_file("/src/d/e/f", MANY).unwrap(), b"d/e/f");
    assert_eq!(files.read_file("/src/l", MANY).unwrap(), b"a");
    let written = files.open("/src/a", Open::to_write()).unwrap();
    drop(written);
    assert_eq!(changes(&tree), [""; 0]);
    assert_eq!(tree.usage(), Default::default());
}

#[test]
fn changes_are_listed_and_the_real_directory_is_untouched() {
    let (tree, place) = overlay();
    let before = real(place.path());
    let files = tree.as_guest(NOW);
    files.open("/src/a", Open::to_write().append()).unwrap().write(b"!", NOW).unwrap();
    files.remove_file("/src/b").unwrap();
    files.write_file("/src/d/new", b"new").unwrap();
    files.rename("/src/d/e", "/src/moved").unwrap();
    files.remove_file("/src/l").unwrap();
    files.make_directory("/src/l", Mode::DIRECTORY).unwrap();
    assert_eq!(files.read_file("/src/a", MANY).unwrap(), b"a!");
    assert_eq!(files.read_file("/src/moved/f", MANY).unwrap(), b"d/e/f");
    let mut list = changes(&tree);
    list.sort();
    let expect = [
        "*/src/a",
        "*/src/l",
        "+/src/d/new",
        "+/src/moved",
        "+/src/moved/f",
        "-/src/b",
        "-/src/d/e",
    ];
    assert_eq!(list, expect);
    assert_eq!(real(place.path()), before);
}

#[test]
fn restored_files_are_not_changes() {
    let (tree, _place) = overlay();
    let files = tree.as_guest(NOW);
    files.rename("/src/d/e/f", "/src/g").unwrap();
    files.rename("/src/g", "/src/d/e/f").unwrap();
    files.write_file("/src/n", b"").unwrap();
    files.remove_file("/src/n").unwrap();
    assert_eq!(changes(&tree), [""; 0]);
}

#[test]
fn applied_changes_are_real_and_no_longer_listed() {
    let (tree, place) = overlay();
    let files = tree.as_guest(NOW);
    files.write_file("/src/a", b"new a").unwrap();
    files.set_mode("/src/a", Mode::new(0o755)).unwrap();
    files.set_times("/src/a", SetTime::Omit, SetTime::At(Time(77_000_000_000))).unwrap();
    files.rename("/src/d", "/src/dd").unwrap();
    files.rename("/src/b", "/src/dd/e/b").unwrap();
    files.remove_file("/src/l").unwrap();
    files.make_directory("/src/l", Mode::DIRECTORY).unwrap();
    files.make_link("../a", "/src/l/up").unwrap();
    files.set_mode("/src/l", Mode::new(0o500)).unwrap();
    tree.apply_changes(&at()).unwrap();
    let expect = [
        ("a", "new a"),
        ("dd", "/"),
        ("dd/e", "/"),
        ("dd/e/b", "b"),
        ("dd/e/f", "d/e/f"),
        ("l", "/"),
        ("l/up", "-> ../a"),
    ];
    assert_eq!(real(place.path()), expect.map(|(name, text)| (name.into(), text.into())));
    let stat = rustix::fs::stat(place.path().join("a")).unwrap();
    assert_eq!((stat.st_mode & 0o777, stat.st_mtime), (0o755, 77));
    let stat = rustix::fs::stat(place.path().join("l")).unwrap();
    assert_eq!(stat.st_mode & 0o777, 0o500);
    assert_eq!(changes(&tree), [""; 0]);
    files.write_file("/src/dd/e/b", b"again").unwrap();
    files.remove_file("/src/a").unwrap();
    assert_eq!(changes(&tree), ["-/src/a", "*/src/dd/e/b"]);
    tree.apply_changes(&at()).unwrap();
    assert!(!place.path().join("a").exists());
    assert_eq!(fs::read(place.path().join("dd/e/b")).unwrap(), b"again");
}

#[test]
fn a_link_that_leads_out_is_not_applied_and_neither_is_anything_else() {
    let (tree, place) = overlay();
    let before = real(place.path());
    let files = tree.as_guest(NOW);
    files.remove_file("/src/a").unwrap();
    files.make_link("/etc/passwd", "/src/evil").unwrap();
    assert_eq!(tree.apply_changes(&at()).unwrap_err().errno(), Errno::NotPermitted);
    assert_eq!(real(place.path()), before);
    files.remove_file("/src/evil").unwrap();
    tree.apply_changes(&at()).unwrap();
    assert!(!place.path().join("a").exists());
}

#[test]
fn a_fork_has_changes_of_its_own() {
    let (tree, _place) = overlay();
    tree.as_guest(NOW).write_file("/src/a", b"1").unwrap();
    let fork = tree.fork();
    fork.as_guest(NOW).remove_file("/src/a").unwrap();
    fork.as_guest(NOW).write_file("/src/d/e/f", b"2").unwrap();
    assert_eq!(changes(&tree), ["*/src/a"]);
    assert_eq!(changes(&fork), ["-/src/a", "*/src/d/e/f"]);
    assert_eq!(tree.as_guest(NOW).read_file("/src/d/e/f", MANY).unwrap(), b"d/e/f");
}

#[test]
fn copied_up_files_are_charged_before_they_are_read() {
    let (tree, place) = overlay();
    fs::write(place.path().join("big"), vec![1; 20_000]).unwrap();
    let files = tree.as_guest(NOW);
    assert_eq!(files.read_file("/src/big", MANY).unwrap().len(), 20_000);
    let file = files.open("/src/big", Open::to_write()).unwrap();
    assert_eq!(file.write_at(0, b"x", NOW).unwrap_err().errno(), Errno::NoSpace);
    assert_eq!(tree.usage(), Default::default());
    files.open("/src/big", Open::to_write().truncate()).unwrap();
    assert_eq!(changes(&tree), ["*/src/big"]);
}

#[test]
fn nothing_is_moved_across_the_border_of_an_overlay() {
    let (tree, _place) = overlay();
    let files = tree.as_guest(NOW);
    files.write_file("/own", b"").unwrap();
    assert_eq!(files.rename("/src/a", "/a").unwrap_err().errno(), Errno::CrossDevice);
    assert_eq!(files.rename("/own", "/src/own").unwrap_err().errno(), Errno::CrossDevice);
    assert_eq!(files.link("/src/a", "/a").unwrap_err().errno(), Errno::CrossDevice);
    files.link("/src/a", "/src/d/a").unwrap();
    assert_eq!(files.stat("/src/a").unwrap().links, 2);
}

#[test]
fn unread_directories_are_not_treated_as_empty() {
    let (tree, _place) = overlay();
    let files = tree.as_guest(NOW);
    assert_eq!(files.remove_directory("/src/d").unwrap_err().errno(), Errno::NotEmpty);
    files.make_directory("/src/n", Mode::DIRECTORY).unwrap();
    assert_eq!(files.rename("/src/n", "/src/d").unwrap_err().errno(), Errno::NotEmpty);
    assert_eq!(files.write_file("/src/d/e", b"").unwrap_err().errno(), Errno::IsDirectory);
}

#[test]
fn only_an_overlay_has_changes() {
    let (tree, _place) = overlay();
    tree.as_guest(NOW).make_directory("/plain", Mode::DIRECTORY).unwrap();
    let plain = VPath::new("/plain").unwrap();
    assert_eq!(tree.changes(&plain).unwrap_err().errno(), Errno::Invalid);
    assert_eq!(tree.apply_changes(&VPath::root()).unwrap_err().errno(), Errno::Busy);
}
