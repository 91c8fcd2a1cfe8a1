//! Paths. Each line performs an operation on a tree, and no path may escape the folder that
//! confines it.

use std::collections::HashSet;

use cofferdam_vfs::{
    At, Errno, Files, Follow, Kind, Limits, Mode, Node, Open, OpenFile, Time, Tree, VPath,
};

use super::{Target, lines};

pub const TARGET: Target = Target {
    name: "paths",
    run,
    words: &[
        "d a\n",
        "f a/b\n",
        "l ../.. a\n",
        "l / a\n",
        "l a b\n",
        "n a b\n",
        "m a b\n",
        "x a\n",
        "../",
        "./",
        "//",
        "/jail/",
        "/etc/passwd",
        "/outside",
        "...",
        "a/b/c",
        "\0",
        "ä",
    ],
    repeats: &["d a\nm a b\n", "l a a\n", "../", "a/", "./", "f a\nx a\n"],
};

const NOW: Time = Time(1);

/// Largest number of lines that are executed; each is checked in three ways.
const MOST: usize = 64;

pub fn run(data: &[u8]) {
    let Some(texts) = lines(data) else { return };
    let limits = Limits { bytes: 4096, nodes: 64, ..Limits::default() };
    let tree = Tree::new(Limits::NONE, NOW);
    let host = tree.as_host(NOW);
    for folder in ["/jail", "/outside", "/etc"] {
        host.make_directory(folder, Mode::DIRECTORY).expect("an empty tree has room");
    }
    host.write_file("/etc/passwd", b"root").expect("room");
    let etc = VPath::new("/etc").expect("a path");
    tree.protect(&etc).expect("a folder");
    let before = tree.usage();
    let fits = Limits { bytes: before.bytes + 4096, nodes: before.nodes + 64, ..limits };
    tree.set_limits(fits);
    let files = tree.as_guest(NOW);
    let jail = files.open("/jail", Open::default().directory()).expect("a folder");
    for text in texts.into_iter().take(MOST) {
        step(files, &jail, text);
        let used = tree.usage();
        assert!(used.bytes <= fits.bytes && used.nodes <= fits.nodes, "{used:?} after {text:?}");
    }
    assert_eq!(files.read_file("/etc/passwd", 9).expect("still there"), b"root");
    every_name_is_found(&tree);
}

fn step(files: Files<'_>, jail: &OpenFile, text: &str) {
    let (what, rest) = text.split_at_checked(2).unwrap_or(("", text));
    let (one, two) = rest.split_once(' ').unwrap_or((rest, "b"));
    let at = |path| At::directory(jail, path);
    match what {
        "d " => drop(files.make_directory(at(one), Mode::DIRECTORY)),
        "f " => drop(files.write_file(at(one), two.as_bytes())),
        "l " => drop(files.make_link(one, at(two))),
        "n " => drop(files.link(at(one), at(two))),
        "m " => drop(files.rename(at(one), at(two))),
        "x " => drop(files.remove_file(at(one)).or_else(|_| files.remove_directory(at(one)))),
        _ => {}
    }
    held(files, jail, one);
    held(files, jail, two);
}

/// Asserts that a path that is resolved beneath the folder stays in it, and otherwise resolves as
/// it does without the confinement.
fn held(files: Files<'_>, jail: &OpenFile, path: &str) {
    // Looked up each time, because an earlier line may have moved the folder.
    let Ok(top) = jail.path() else { return };
    let free = files.resolve(At::directory(jail, path));
    match files.resolve(At::beneath(jail, path)) {
        Ok(found) => {
            assert!(found.is_within(&top), "{path:?} led to {found}, out of {top}");
            assert_eq!(free.as_ref().ok(), Some(&found), "{path:?}");
            normal(&found);
            // The resolved path contains no links, so it resolves to itself.
            match files.stat(&found) {
                Ok(stat) if stat.kind != Kind::Link => {
                    assert_eq!(files.resolve(&found).as_ref().ok(), Some(&found));
                }
                Ok(_) => {}
                Err(error) => assert_eq!(error.errno(), Errno::NotFound, "{found}"),
            }
        }
        Err(error) if error.errno() == Errno::NotCapable => {}
        Err(error) => assert_eq!(free.map_err(|e| e.errno()), Err(error.errno()), "{path:?}"),
    }
    if let Ok(found) = files.resolve(At::beneath(jail, path).follow(Follow::Never)) {
        assert!(found.is_within(&top), "{path:?} led to {found}, out of {top}");
    }
}

fn normal(path: &VPath) {
    assert_eq!(VPath::new(path.as_str()).as_ref(), Ok(path));
    assert!(path.names().all(|name| !matches!(name, "." | "..") && !name.contains('\0')));
}

/// Asserts that a walk yields every name once, and that each is found under its path.
fn every_name_is_found(tree: &Tree) {
    let mut met = HashSet::new();
    for walked in tree.snapshot().walk() {
        let Ok(walked) = walked else { continue };
        assert!(met.insert(walked.path.clone()), "{} comes twice", walked.path);
        normal(&walked.path);
        let stat = tree.as_host(NOW).stat(&walked.path).expect("what was met is there");
        assert_eq!(stat.ino, walked.stat.ino);
        assert_eq!(stat.kind == Kind::Link, matches!(walked.node, Node::Link(_)));
    }
}
