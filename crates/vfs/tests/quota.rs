//! Limits: never exceeded, charged before anything is written, returned in full.

use cofferdam_vfs::{Errno, Error, Limits, Mode, Open, Time, Tree, Usage};
use proptest::prelude::*;

const NOW: Time = Time(1);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;
const LIMITS: Limits = Limits { bytes: 200_000, nodes: 8, file: 1 << 30 };

fn tree() -> Tree {
    Tree::new(LIMITS, NOW)
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Errno {
    result.unwrap_err().errno()
}

#[test]
fn the_last_byte_fits_and_one_more_changes_nothing() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.write_file("/f", &vec![1; 200_000]).unwrap();
    let file = files.open("/f", Open::to_write()).unwrap();
    assert_eq!(refused(file.write_at(199_999, b"ab", NOW)), Errno::NoSpace);
    file.write_at(199_998, b"ab", NOW).unwrap();
    assert_eq!(files.read_file("/f", MANY).unwrap()[199_997..], [1, b'a', b'b']);
    assert_eq!(refused(files.write_file("/g", b"x")), Errno::NoSpace);
    assert_eq!(refused(files.stat("/g")), Errno::NotFound);
    files.write_file("/g", b"").unwrap();
}

#[test]
fn replacing_a_file_is_charged_the_difference() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.write_file("/f", &vec![1; 150_000]).unwrap();
    files.write_file("/f", &vec![2; 200_000]).unwrap();
    assert_eq!(refused(files.write_file("/f", &vec![3; 200_001])), Errno::NoSpace);
    assert_eq!(files.read_file("/f", MANY).unwrap(), vec![2; 200_000]);
}

#[test]
fn nodes_and_further_names_are_counted() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.write_file("/f", b"x").unwrap();
    for name in 1..8 {
        files.link("/f", &*format!("/{name}")).unwrap();
    }
    assert_eq!(tree.usage(), Usage { bytes: 1, nodes: 8 });
    assert_eq!(refused(files.link("/f", "/8")), Errno::NoSpace);
    assert_eq!(refused(files.make_directory("/d", Mode::DIRECTORY)), Errno::NoSpace);
    assert_eq!(refused(files.make_link("f", "/l")), Errno::NoSpace);
    assert_eq!(refused(files.open("/n", Open::to_write().create())), Errno::NoSpace);
    files.remove_file("/1").unwrap();
    files.make_link("f", "/l").unwrap();
}

#[test]
fn a_hole_is_free_but_bounded() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let file = files.open("/f", Open::to_write().create()).unwrap();
    file.set_size(1 << 30, NOW).unwrap();
    assert_eq!((tree.usage().bytes, file.stat().unwrap().size), (0, 1 << 30));
    assert_eq!(refused(files.read_file("/f", MANY)), Errno::FileTooLarge);
    assert_eq!(refused(file.set_size((1 << 30) + 1, NOW)), Errno::FileTooLarge);
    assert_eq!(refused(file.write_at(1 << 30, b"x", NOW)), Errno::FileTooLarge);
    assert_eq!(refused(file.write_at(u64::MAX, b"x", NOW)), Errno::FileTooLarge);
}

#[test]
fn scattered_bytes_cannot_go_around_the_limit() {
    let tree = tree();
    let file = tree.as_guest(NOW).open("/f", Open::to_write().create()).unwrap();
    let written = (0..1000u64).take_while(|at| file.write_at(at << 17, b"x", NOW).is_ok()).count();
    assert_eq!(written as u64, LIMITS.bytes / Limits::SCATTER + 1);
}

#[test]
fn lower_limits_let_a_tree_shrink_only() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.write_file("/f", &[1; 100]).unwrap();
    tree.set_limits(Limits { bytes: 10, ..LIMITS });
    let file = files.open("/f", Open::to_write()).unwrap();
    file.write_at(0, b"over", NOW).unwrap();
    assert_eq!(refused(file.write_at(100, b"x", NOW)), Errno::NoSpace);
    file.set_size(5, NOW).unwrap();
    file.write_at(5, b"x", NOW).unwrap();
}

#[derive(Clone, Debug)]
enum Op {
    Write(u8, u64, usize),
    Resize(u8, u64),
    MakeDirectory(u8),
    MakeLink(u8, usize),
    Link(u8, u8),
    Rename(u8, u8),
    Remove(u8),
    Hold(u8),
    LetGo,
}

fn op() -> impl Strategy<Value = Op> {
    let name = || 0..10u8;
    prop_oneof![
        (name(), 0..300_000u64, 0..150_000usize).prop_map(|(n, at, len)| Op::Write(n, at, len)),
        (name(), 0..300_000u64).prop_map(|(n, size)| Op::Resize(n, size)),
        name().prop_map(Op::MakeDirectory),
        (name(), 1..1300usize).prop_map(|(n, len)| Op::MakeLink(n, len)),
        (name(), name()).prop_map(|(a, b)| Op::Link(a, b)),
        (name(), name()).prop_map(|(a, b)| Op::Rename(a, b)),
        name().prop_map(Op::Remove),
        name().prop_map(Op::Hold),
        Just(Op::LetGo),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_limits_hold_and_all_is_given_back(ops in prop::collection::vec(op(), 1..80)) {
        let tree = tree();
        let files = tree.as_guest(NOW);
        let path = |name: u8| format!("/{name}");
        let mut held = Vec::new();
        for op in ops {
            // Other tests check the results of the operations.
            let _ = match op {
                Op::Write(name, at, len) => files
                    .open(&path(name), Open::to_write().create())
                    .and_then(|file| file.write_at(at, &vec![1; len], NOW).map(drop)),
                Op::Resize(name, size) => files.truncate(&path(name), size),
                Op::MakeDirectory(name) => files.make_directory(&path(name), Mode::DIRECTORY),
                Op::MakeLink(name, len) => files.make_link(&"no/".repeat(len), &path(name)),
                Op::Link(a, b) => files.link(&path(a), &path(b)),
                Op::Rename(a, b) => files.rename(&path(a), &path(b)),
                Op::Remove(name) => files
                    .remove_file(&path(name))
                    .or_else(|_| files.remove_directory(&path(name))),
                Op::Hold(name) => files.open(&path(name), Open::to_read()).map(|file| held.push(file)),
                Op::LetGo => { held.pop(); Ok(()) }
            };
            let usage = tree.usage();
            prop_assert!(usage.bytes <= LIMITS.bytes && usage.nodes <= LIMITS.nodes);
        }
        for name in 0..10 {
            let _ = files.remove_file(&path(name)).or_else(|_| files.remove_directory(&path(name)));
        }
        held.clear();
        prop_assert_eq!(tree.usage(), Usage::default());
    }
}
