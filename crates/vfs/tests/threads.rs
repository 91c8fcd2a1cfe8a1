//! Several threads on one tree.

use std::thread;

use cofferdam_vfs::{Limits, Open, Time, Tree};

const NOW: Time = Time(1);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

#[test]
fn appends_from_many_threads_are_all_there_and_whole() {
    let tree = Tree::new(Limits::default(), NOW);
    tree.as_guest(NOW).write_file("/log", b"").unwrap();
    thread::scope(|scope| {
        for writer in b'a'..b'e' {
            let tree = &tree;
            scope.spawn(move || {
                let file = tree.as_guest(NOW).open("/log", Open::to_write().append()).unwrap();
                for _ in 0..200 {
                    file.write(&[writer; 1000], NOW).unwrap();
                }
            });
        }
    });
    let bytes = tree.as_guest(NOW).read_file("/log", MANY).unwrap();
    assert_eq!(bytes.len(), 4 * 200 * 1000);
    assert!(bytes.chunks(1000).all(|line| line.iter().all(|byte| *byte == line[0])));
}

#[test]
fn a_reader_sees_all_of_a_replaced_file_or_none_of_it_and_forks_stand_still() {
    const SIZE: usize = 300_000;
    let tree = Tree::new(Limits::default(), NOW);
    tree.as_guest(NOW).write_file("/f", &vec![0; SIZE]).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..100 {
                tree.as_guest(NOW).write_file("/f", &vec![round; SIZE]).unwrap();
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let file = tree.as_guest(NOW).open("/f", Open::to_read()).unwrap();
                let mut bytes = vec![0; SIZE];
                for _ in 0..100 {
                    assert_eq!(file.read_at(0, &mut bytes, NOW).unwrap(), SIZE);
                    assert!(bytes.iter().all(|byte| *byte == bytes[0]));
                    let fork = tree.fork();
                    let first = fork.as_guest(NOW).read_file("/f", MANY).unwrap();
                    assert_eq!(first, fork.as_guest(NOW).read_file("/f", MANY).unwrap());
                }
            });
        }
    });
}

#[test]
fn directories_moved_about_at_once_never_make_a_circle() {
    let tree = Tree::new(Limits::default(), NOW);
    let names = ["a", "b", "c", "d"];
    for name in names {
        tree.as_guest(NOW)
            .make_directory(&*format!("/{name}"), cofferdam_vfs::Mode::DIRECTORY)
            .unwrap();
    }
    thread::scope(|scope| {
        for seed in 0..4usize {
            let tree = &tree;
            scope.spawn(move || {
                for step in 0..400 {
                    let (a, b) = (names[(seed + step) % 4], names[(seed * 3 + step / 2) % 4]);
                    let files = tree.as_guest(NOW);
                    let _ = files.rename(&*format!("/{a}"), &*format!("/{b}/{a}"));
                    let _ = files.rename(&*format!("/{b}/{a}"), &*format!("/{a}"));
                }
            });
        }
    });
    assert_eq!(tree.snapshot().walk().count(), 5);
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Tree>();
    shared::<cofferdam_vfs::Snapshot>();
    shared::<cofferdam_vfs::OpenFile>();
}
