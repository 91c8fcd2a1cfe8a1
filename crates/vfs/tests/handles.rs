//! Open files: their position, lifetime and permissions.

use cofferdam_vfs::{
    Access, At, Errno, Follow, Kind, Limits, Mode, Open, OpenFile, Seek, SetTime, Time, Tree,
};

const NOW: Time = Time(100);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

fn tree() -> Tree {
    let tree = Tree::new(Limits::default(), Time(1));
    tree.as_guest(Time(2)).write_file("/f", b"0123456789").unwrap();
    tree
}

fn open(tree: &Tree, how: Open) -> OpenFile {
    tree.as_guest(NOW).open("/f", how).unwrap()
}

fn read(file: &OpenFile, most: usize) -> String {
    let mut buffer = vec![0; most];
    let len = file.read(&mut buffer, NOW).unwrap();
    String::from_utf8_lossy(&buffer[..len]).into_owned()
}

#[test]
fn reading_moves_the_position_to_the_end() {
    let file = open(&tree(), Open::to_read());
    assert_eq!([read(&file, 4), read(&file, 99), read(&file, 1)], ["0123", "456789", ""]);
}

#[test]
fn seeking_counts_from_the_start_the_position_or_the_end() {
    let file = open(&tree(), Open::to_read());
    assert_eq!(file.seek(Seek::End(-3)).unwrap(), 7);
    assert_eq!(read(&file, 1), "7");
    assert_eq!(file.seek(Seek::Current(-2)).unwrap(), 6);
    assert_eq!(file.seek(Seek::Start(1 << 40)).unwrap(), 1 << 40);
    assert_eq!(read(&file, 1), "");
    for bad in [Seek::End(-11), Seek::Start(u64::MAX), Seek::Current(i64::MIN)] {
        assert_eq!(file.seek(bad).unwrap_err().errno(), Errno::Invalid);
    }
    assert_eq!(file.seek(Seek::Current(0)).unwrap(), 1 << 40);
}

#[test]
fn writing_past_the_end_leaves_a_hole_of_zeros() {
    let tree = tree();
    let file = open(&tree, Open::to_write().and_read());
    file.write_at(12, b"x", NOW).unwrap();
    assert_eq!(read(&file, 99), "0123456789\0\0x");
}

#[test]
fn appending_goes_to_the_end_wherever_the_position_is() {
    let tree = tree();
    let (a, b) = (open(&tree, Open::to_write().append()), open(&tree, Open::to_write().append()));
    for (file, text) in [(&a, "a"), (&b, "b"), (&a, "c")] {
        file.write(text.as_bytes(), NOW).unwrap();
    }
    assert_eq!(tree.as_guest(NOW).read_file("/f", MANY).unwrap(), b"0123456789abc");
    a.set_append(false);
    a.seek(Seek::Start(0)).unwrap();
    a.write(b"X", NOW).unwrap();
    assert_eq!(tree.as_guest(NOW).read_file("/f", MANY).unwrap(), b"X123456789abc");
}

#[test]
fn a_handle_does_what_it_was_opened_for() {
    let tree = tree();
    let (reader, writer) = (open(&tree, Open::to_read()), open(&tree, Open::to_write()));
    assert_eq!(reader.write(b"x", NOW).unwrap_err().errno(), Errno::BadHandle);
    assert_eq!(reader.set_size(0, NOW).unwrap_err().errno(), Errno::BadHandle);
    assert_eq!(writer.read(&mut [0], NOW).unwrap_err().errno(), Errno::BadHandle);
    assert_eq!(writer.entries(0, 1, NOW).unwrap_err().errno(), Errno::BadHandle);
    assert_eq!(reader.entries(0, 1, NOW).unwrap_err().errno(), Errno::NotDirectory);
}

#[test]
fn a_removed_file_stays_readable_and_charged_until_it_is_closed() {
    let tree = tree();
    let file = open(&tree, Open::to_read().and_write());
    tree.as_guest(NOW).remove_file("/f").unwrap();
    assert_eq!(file.stat().unwrap().links, 0);
    file.write_at(10, b"!", NOW).unwrap();
    assert_eq!(read(&file, 99), "0123456789!");
    assert_eq!((tree.usage().bytes, tree.usage().nodes), (11, 1));
    // A fork has no handles, so it does not have the file either.
    assert_eq!(tree.fork().usage(), Default::default());
    drop(file);
    assert_eq!(tree.usage(), Default::default());
}

#[test]
fn a_handle_follows_its_file_through_renames_and_replacement() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let file = open(&tree, Open::to_read());
    files.rename("/f", "/g").unwrap();
    files.write_file("/new", b"new").unwrap();
    files.rename("/new", "/g").unwrap();
    assert_eq!(read(&file, 99), "0123456789");
    assert_eq!(files.read_file("/g", MANY).unwrap(), b"new");
}

#[test]
fn a_mode_taken_away_does_not_close_what_is_open() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let file = open(&tree, Open::to_read());
    files.set_mode("/f", Mode::new(0)).unwrap();
    assert_eq!(read(&file, 2), "01");
    assert_eq!(files.open("/f", Open::to_read()).unwrap_err().errno(), Errno::Access);
    assert_eq!(files.access("/f", Access::Write).unwrap_err().errno(), Errno::Access);
    files.access("/f", Access::Exists).unwrap();
    tree.as_host(NOW).open("/f", Open::to_read()).unwrap();
}

#[test]
fn a_directory_without_permissions_hides_what_is_below() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.make_directories("/d/e", Mode::DIRECTORY).unwrap();
    files.set_mode("/d", Mode::new(0o600)).unwrap();
    assert_eq!(files.stat("/d/e").unwrap_err().errno(), Errno::Access);
    files.set_mode("/d", Mode::new(0o500)).unwrap();
    files.stat("/d/e").unwrap();
    assert_eq!(files.remove_directory("/d/e").unwrap_err().errno(), Errno::Access);
    assert_eq!(files.write_file("/d/f", b"").unwrap_err().errno(), Errno::Access);
}

#[test]
fn three_times_are_kept() {
    let tree = tree();
    let files = tree.as_guest(Time(50));
    let times = || {
        let stat = files.stat("/f").unwrap();
        [stat.accessed.0, stat.modified.0, stat.changed.0]
    };
    assert_eq!(times(), [2, 2, 2]);
    files.open("/f", Open::to_write()).unwrap().write(b"x", Time(60)).unwrap();
    assert_eq!(times(), [2, 60, 60]);
    files.open("/f", Open::to_read()).unwrap().read(&mut [0], Time(70)).unwrap();
    assert_eq!(times(), [70, 60, 60]);
    files.set_mode("/f", Mode::new(0o600)).unwrap();
    assert_eq!(times(), [70, 60, 50]);
    files.set_times("/f", SetTime::Omit, SetTime::At(Time(9))).unwrap();
    assert_eq!(times(), [70, 9, 50]);
    files.set_times("/f", SetTime::Now, SetTime::Omit).unwrap();
    assert_eq!(times(), [50, 9, 50]);
}

#[test]
fn a_change_of_entries_is_a_change_of_the_directory() {
    let tree = tree();
    let modified = || tree.as_guest(NOW).stat("/").unwrap().modified;
    tree.as_guest(Time(10)).make_directory("/d", Mode::DIRECTORY).unwrap();
    assert_eq!(modified(), Time(10));
    tree.as_guest(Time(11)).rename("/f", "/d/f").unwrap();
    assert_eq!(modified(), Time(11));
    tree.as_guest(Time(12)).remove_file("/d/f").unwrap();
    assert_eq!(modified(), Time(11));
}

#[test]
fn attributes_of_a_link_are_its_own() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.make_link("f", "/l").unwrap();
    let link = At::root("/l").follow(Follow::Never);
    files.set_times(link, SetTime::At(Time(7)), SetTime::At(Time(8))).unwrap();
    let stat = files.stat(link).unwrap();
    assert_eq!((stat.kind, stat.size, stat.modified), (Kind::Link, 1, Time(8)));
    assert_eq!(files.stat("/l").unwrap().modified, Time(2));
    assert_eq!(files.set_mode(link, Mode::FILE).unwrap_err().errno(), Errno::NotSupported);
}

#[test]
fn a_handle_of_one_tree_is_no_base_in_another() {
    let (a, b) = (tree(), tree());
    let root = a.as_guest(NOW).open("/", Open::default()).unwrap();
    let error = b.as_guest(NOW).stat(At::directory(&root, "f")).unwrap_err();
    assert_eq!(error.errno(), Errno::BadHandle);
}

#[test]
fn a_handle_from_before_a_restore_finds_its_file_or_nothing() {
    let tree = tree();
    let snapshot = tree.snapshot();
    let kept = open(&tree, Open::to_read());
    tree.as_guest(NOW).write_file("/g", b"later").unwrap();
    let lost = tree.as_guest(NOW).open("/g", Open::to_read()).unwrap();
    tree.restore(&snapshot);
    tree.as_guest(NOW).write_file("/h", b"another").unwrap();
    assert_eq!(read(&kept, 4), "0123");
    assert!(lost.read(&mut [0; 8], NOW).is_err());
    drop((kept, lost));
    assert_eq!(tree.as_guest(NOW).read_file("/f", MANY).unwrap(), b"0123456789");
    assert_eq!(tree.usage().nodes, 2);
}

#[test]
fn a_file_is_made_once_with_its_mode() {
    let tree = tree();
    let files = tree.as_guest(Time(2));
    files.make_file("/made", b"text", Mode::new(0o750)).unwrap();
    assert_eq!(files.stat("/made").unwrap().mode, Mode::new(0o750));
    assert_eq!(files.read_file("/made", 10).unwrap(), b"text");
    assert_eq!(files.make_file("/made", b"", Mode::FILE).unwrap_err().errno(), Errno::Exists);
    assert_eq!(files.make_file("/no/made", b"", Mode::FILE).unwrap_err().errno(), Errno::NotFound);
}
