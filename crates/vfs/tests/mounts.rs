//! Real directories in a tree: read, changed and never left.
#![cfg(unix)]

mod scratch;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use cofferdam_vfs::{
    Access, At, Errno, Error, HostDir, Kind, Limits, Mode, Mount, Open, Seek, SetTime, Time, Tree,
    VPath,
};

use scratch::Scratch;

const NOW: Time = Time(1);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

/// Mounts a real directory with `sub/file` and links that point outside, at `/m`.
fn mounted(mount: Mount) -> (Tree, Scratch) {
    let place = Scratch::new();
    fs::create_dir(place.path().join("sub")).unwrap();
    fs::write(place.path().join("sub/file"), b"real").unwrap();
    symlink("/etc/passwd", place.path().join("passwd")).unwrap();
    symlink("../../../../../../etc", place.path().join("climb")).unwrap();
    symlink("sub/file", place.path().join("link")).unwrap();
    let tree = Tree::new(Limits { bytes: 100_000, nodes: 20, file: 1 << 20 }, NOW);
    let directory = HostDir::open_ambient(place.path()).unwrap();
    tree.mount(&VPath::new("/m").unwrap(), directory, mount, NOW).unwrap();
    (tree, place)
}

#[test]
fn changes_of_real_files_are_recognised() {
    for (mount, outside) in
        [(Mount::ReadOnly, false), (Mount::Overlay, false), (Mount::ReadWrite, true)]
    {
        let (tree, _place) = mounted(mount);
        let is_outside = |path| tree.as_guest(NOW).changes_outside(&VPath::new(path).unwrap());
        for path in ["/m/sub/file", "/m/new", "/m/new/folder/file"] {
            assert_eq!(is_outside(path), outside, "{mount:?} {path}");
        }
        for path in ["/", "/new", "/new/file"] {
            assert!(!is_outside(path), "{mount:?} {path}");
        }
    }
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Errno {
    result.unwrap_err().errno()
}

const ALL: [Mount; 3] = [Mount::ReadOnly, Mount::Overlay, Mount::ReadWrite];

/// A byte that is not UTF-8 is a character of a private area, in listings and in paths.
#[test]
fn names_of_any_bytes_are_listed_read_and_changed() {
    let place = Scratch::new();
    let real = |name: &[u8]| place.path().join(OsStr::from_bytes(name));
    fs::create_dir(real(b"d\xff")).unwrap();
    fs::write(real(b"d\xff/\xe9t\xe9"), b"summer").unwrap();
    symlink(OsStr::from_bytes(b"d\xff/\xe9t\xe9"), real(b"link\xfe")).unwrap();
    let tree = Tree::new(Limits { bytes: 100_000, nodes: 20, file: 1 << 20 }, NOW);
    let directory = HostDir::open_ambient(place.path()).unwrap();
    tree.mount(&VPath::new("/m").unwrap(), directory, Mount::ReadWrite, NOW).unwrap();
    let guest = tree.as_guest(NOW);

    let names = |path: &str| -> Vec<String> {
        let directory = guest.open(path, Open::to_read()).unwrap();
        let listed = directory.entries(0, 99, NOW).unwrap();
        listed.into_iter().skip(2).map(|entry| entry.name).collect()
    };
    assert_eq!(names("/m"), ["d\u{efff}", "link\u{effe}"]);
    assert_eq!(names("/m/d\u{efff}"), ["\u{efe9}t\u{efe9}"]);
    let read = |path: &str| guest.read_file(path, MANY);
    assert_eq!(read("/m/link\u{effe}").unwrap(), b"summer");
    assert_eq!(guest.read_link("/m/link\u{effe}").unwrap(), "d\u{efff}/\u{efe9}t\u{efe9}");

    guest.rename("/m/d\u{efff}/\u{efe9}t\u{efe9}", "/m/\u{ef80}").unwrap();
    assert_eq!(fs::read(real(b"\x80")).unwrap(), b"summer");
    guest.remove_file("/m/\u{ef80}").unwrap();
    guest.make_directory("/m/new\u{efff}", Mode::DIRECTORY).unwrap();
    assert!(real(b"new\xff").is_dir() && !real(b"\x80").exists());
    // T-PERM-024: the bytes of `é` have one text.
    fs::write(real("é".as_bytes()), b"one text").unwrap();
    assert_eq!(read("/m/é").unwrap(), b"one text");
    assert_eq!(refused(read("/m/\u{efc3}\u{efa9}")), Errno::IllegalSequence);
}

#[test]
fn real_files_are_read_and_listed() {
    for mount in ALL {
        let (tree, _place) = mounted(mount);
        let files = tree.as_guest(NOW);
        assert_eq!(files.read_file("/m/sub/file", MANY).unwrap(), b"real");
        assert_eq!(files.read_file("/m/sub/../link", MANY).unwrap(), b"real");
        assert_eq!(files.stat("/m/sub/..").unwrap().kind, Kind::Directory);
        let directory = files.open("/m", Open::to_read()).unwrap();
        let names = directory.entries(0, 99, NOW).unwrap();
        let names: Vec<_> = names.iter().map(|entry| &*entry.name).collect();
        assert_eq!(names, [".", "..", "climb", "link", "passwd", "sub"]);
        assert_eq!(directory.entries(3, 1, NOW).unwrap()[0].name, "link");
        let file = files.open(At::beneath(&directory, "sub/file"), Open::to_read()).unwrap();
        assert_eq!(file.seek(Seek::End(-2)).unwrap(), 2);
        assert_eq!(refused(files.stat(At::beneath(&directory, "../m"))), Errno::NotCapable);
        assert_eq!(refused(files.stat(At::beneath(&directory, "passwd"))), Errno::NotCapable);
        assert_eq!(refused(files.stat(At::beneath(&directory, "climb"))), Errno::NotCapable);
    }
}

#[test]
fn a_link_in_a_mount_is_a_path_of_the_sandbox() {
    for mount in ALL {
        let (tree, _place) = mounted(mount);
        let files = tree.as_guest(NOW);
        assert_eq!(refused(files.read_file("/m/passwd", MANY)), Errno::NotFound);
        assert_eq!(refused(files.read_file("/m/climb/passwd", MANY)), Errno::NotFound);
        files.make_directory("/etc", Mode::DIRECTORY).unwrap();
        files.write_file("/etc/passwd", b"ours").unwrap();
        assert_eq!(files.read_file("/m/passwd", MANY).unwrap(), b"ours");
        assert_eq!(files.read_file("/m/climb/passwd", MANY).unwrap(), b"ours");
        assert_eq!(files.resolve("/m/climb/passwd").unwrap().as_str(), "/etc/passwd");
        assert_eq!(files.resolve("/m/link").unwrap().as_str(), "/m/sub/file");
    }
}

#[test]
fn a_read_only_mount_shows_what_is_there_now_and_takes_nothing() {
    let (tree, place) = mounted(Mount::ReadOnly);
    let files = tree.as_guest(NOW);
    fs::write(place.path().join("late"), b"late").unwrap();
    assert_eq!(files.read_file("/m/late", MANY).unwrap(), b"late");
    assert_eq!(refused(files.write_file("/m/sub/file", b"")), Errno::ReadOnly);
    assert_eq!(refused(files.write_file("/m/new", b"")), Errno::ReadOnly);
    assert_eq!(refused(files.make_directory("/m/new", Mode::DIRECTORY)), Errno::ReadOnly);
    assert_eq!(refused(files.remove_file("/m/late")), Errno::ReadOnly);
    assert_eq!(refused(files.rename("/m/late", "/m/later")), Errno::ReadOnly);
    assert_eq!(refused(files.set_mode("/m/late", Mode::FILE)), Errno::ReadOnly);
    assert_eq!(refused(files.set_times("/m/late", SetTime::Now, SetTime::Now)), Errno::ReadOnly);
    assert_eq!(refused(files.make_link("x", "/m/new")), Errno::ReadOnly);
    assert_eq!(refused(tree.as_host(NOW).write_file("/m/new", b"")), Errno::ReadOnly);
    assert_eq!(refused(files.access("/m/late", Access::Write)), Errno::ReadOnly);
    let open = files.open("/m/late", Open::to_read()).unwrap();
    assert_eq!(refused(open.set_mode(Mode::FILE, NOW)), Errno::ReadOnly);
}

#[test]
fn a_read_write_mount_changes_the_real_files() {
    let (tree, place) = mounted(Mount::ReadWrite);
    let files = tree.as_guest(NOW);
    let real = |name: &str| fs::read(place.path().join(name));
    files.write_file("/m/new", b"new").unwrap();
    assert_eq!(real("new").unwrap(), b"new");
    files.write_file("/m/link", b"through").unwrap();
    assert_eq!(real("sub/file").unwrap(), b"through");
    let file = files.open("/m/new", Open::to_write().append()).unwrap();
    file.write(b"er", NOW).unwrap();
    file.set_size(4, NOW).unwrap();
    assert_eq!(real("new").unwrap(), b"newe");
    files.make_directory("/m/dir", Mode::DIRECTORY).unwrap();
    files.rename("/m/new", "/m/dir/moved").unwrap();
    files.link("/m/dir/moved", "/m/dir/twin").unwrap();
    files.set_times("/m/dir/twin", SetTime::Omit, SetTime::At(Time(5_000_000_007))).unwrap();
    let stat = files.stat("/m/dir/moved").unwrap();
    assert_eq!((stat.links, stat.modified), (2, Time(5_000_000_007)));
    files.set_mode("/m/dir/moved", Mode::new(0o4755)).unwrap();
    assert_eq!(files.stat("/m/dir/moved").unwrap().mode, Mode::new(0o755));
    assert_eq!(refused(files.remove_directory("/m/dir")), Errno::NotEmpty);
    files.remove_file("/m/dir/moved").unwrap();
    files.remove_file("/m/dir/twin").unwrap();
    files.remove_directory("/m/dir").unwrap();
    assert!(!place.path().join("dir").exists());
    assert_eq!(refused(files.rename("/m/sub/file", "/file")), Errno::CrossDevice);
}

#[test]
fn no_link_is_made_that_leaves_the_mount_on_the_real_machine() {
    let (tree, place) = mounted(Mount::ReadWrite);
    let files = tree.as_guest(NOW);
    for target in ["/etc/passwd", "../x", "sub/../../x"] {
        assert_eq!(refused(files.make_link(target, "/m/new")), Errno::NotPermitted);
    }
    files.make_link("../link", "/m/sub/inner").unwrap();
    assert_eq!(refused(files.rename("/m/sub/inner", "/m/outer")), Errno::NotPermitted);
    files.make_directory("/m/sub/deep", Mode::DIRECTORY).unwrap();
    files.make_link("../../link", "/m/sub/deep/inner").unwrap();
    assert_eq!(refused(files.rename("/m/sub/deep", "/m/deep")), Errno::NotPermitted);
    assert!(fs::symlink_metadata(place.path().join("deep")).is_err());
}

#[test]
fn guests_add_no_more_to_a_real_disk_than_the_limits_allow() {
    let (tree, place) = mounted(Mount::ReadWrite);
    let files = tree.as_guest(NOW);
    files.write_file("/m/a", &[1; 60_000]).unwrap();
    assert_eq!(refused(files.write_file("/m/b", &[1; 60_000])), Errno::NoSpace);
    let file = files.open("/m/a", Open::to_write()).unwrap();
    assert_eq!(refused(file.set_size(200_000, NOW)), Errno::NoSpace);
    assert_eq!(refused(file.set_size(2 << 20, NOW)), Errno::FileTooLarge);
    files.remove_file("/m/a").unwrap();
    files.write_file("/m/b", &[1; 60_000]).unwrap();
    let made = (0..99).take_while(|n| files.write_file(&*format!("/m/n{n}"), b"").is_ok()).count();
    assert_eq!(made, 19);
    assert_eq!(fs::metadata(place.path().join("b")).unwrap().len(), 60_000);
}

#[test]
fn pipes_and_sockets_are_seen_but_never_opened() {
    for mount in [Mount::ReadOnly, Mount::ReadWrite] {
        let (tree, place) = mounted(mount);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            place.path().join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        let files = tree.as_guest(NOW);
        assert_eq!(files.stat("/m/pipe").unwrap().kind, Kind::Other);
        assert_eq!(refused(files.open("/m/pipe", Open::to_read())), Errno::NoDevice);
    }
}

#[test]
fn a_mount_that_disappears_is_an_error() {
    for mount in ALL {
        let (tree, place) = mounted(mount);
        let files = tree.as_guest(NOW);
        let directory = files.open("/m", Open::to_read()).unwrap();
        let file = files.open("/m/sub/file", Open::to_read()).unwrap();
        fs::remove_dir_all(place.path()).unwrap();
        // The machine keeps open files alive.
        assert_eq!(file.read(&mut [0; 9], NOW).unwrap(), 4);
        assert_eq!(refused(files.read_file("/m/sub/file", MANY)), Errno::NotFound);
        let _ = directory.entries(0, 99, NOW);
        let _ = files.write_file("/m/new", b"");
        let _ = files.rename("/m/sub", "/m/other");
        let _ = files.remove_directory("/m/sub");
        let _ = files.make_link("x", "/m/link");
        let _ = tree.changes(&VPath::new("/m").unwrap());
        files.write_file("/own", b"").unwrap();
    }
}

#[test]
fn a_mount_point_stays_where_it_is_until_unmounted() {
    for mount in ALL {
        let (tree, place) = mounted(mount);
        let files = tree.as_guest(NOW);
        let at = VPath::new("/m").unwrap();
        assert_eq!(refused(files.remove_directory("/m")), Errno::Busy);
        assert!(files.rename("/m", "/n").is_err());
        files.make_directory("/d", Mode::DIRECTORY).unwrap();
        assert!(files.rename("/d", "/m").is_err());
        let again = HostDir::open_ambient(place.path()).unwrap();
        assert_eq!(refused(tree.mount(&at, again, mount, NOW)), Errno::Busy);
        let open = files.open("/m/sub/file", Open::to_read()).unwrap();
        tree.unmount(&at, NOW).unwrap();
        assert_eq!(refused(files.stat("/m")), Errno::NotFound);
        assert_eq!(open.read(&mut [0; 9], NOW).unwrap(), 4);
        drop(open);
        files.remove_directory("/d").unwrap();
        assert_eq!(tree.usage(), Default::default());
        assert!(Path::new(place.path()).join("sub/file").exists());
        assert_eq!(refused(tree.unmount(&at, NOW)), Errno::NotFound);
    }
}

#[test]
fn a_link_swapped_in_by_the_machine_is_not_followed() {
    let (tree, place) = mounted(Mount::ReadWrite);
    let files = tree.as_guest(NOW);
    let directory = files.open("/m/sub", Open::to_read()).unwrap();
    let outside = Scratch::new();
    fs::write(outside.path().join("file"), b"secret").unwrap();
    fs::rename(place.path().join("sub"), place.path().join("away")).unwrap();
    symlink(outside.path(), place.path().join("sub")).unwrap();
    // The handle still refers to `sub`; a plain `open` would follow the link out.
    assert_eq!(
        refused(files.read_file(At::directory(&directory, "file"), MANY)),
        Errno::NotDirectory
    );
    assert!(files.write_file(At::directory(&directory, "new"), b"").is_err());
    assert!(!outside.path().join("new").exists());
}
