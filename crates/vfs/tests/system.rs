//! Content from the kernel: system areas, devices and provided files.

use std::sync::Arc;

use cofferdam_vfs::{
    Access, At, Caller, DeviceId, Errno, Error, Follow, Item, Kind, Limits, Mode, Node, Open,
    Provider, SetTime, Time, Tree, Usage, VPath,
};

const NOW: Time = Time(1);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

fn path(text: &str) -> VPath {
    VPath::new(text).unwrap()
}

/// Creates `/bin/ls` and `/dev/null` in system areas, and a file of the guest.
fn tree() -> Tree {
    let tree = Tree::new(Limits::default(), NOW);
    let host = tree.as_host(NOW);
    host.make_directory("/bin", Mode::DIRECTORY).unwrap();
    host.write_file("/bin/ls", b"\0asm").unwrap();
    tree.protect(&path("/bin")).unwrap();
    host.make_directory("/dev", Mode::DIRECTORY).unwrap();
    host.make_device("/dev/null", DeviceId(3), Mode::new(0o666)).unwrap();
    tree.protect(&path("/dev")).unwrap();
    tree.as_guest(NOW).write_file("/own", b"own").unwrap();
    tree
}

fn closed(result: Result<(), Error>, expect: Errno) {
    assert_eq!(result.unwrap_err().errno(), expect);
}

#[test]
fn a_guest_reads_a_system_area_and_changes_nothing_in_it() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    assert_eq!(files.read_file("/bin/ls", MANY).unwrap(), b"\0asm");
    closed(files.write_file("/bin/ls", b""), Errno::ReadOnly);
    closed(files.write_file("/bin/new", b""), Errno::ReadOnly);
    closed(files.make_directory("/bin/new", Mode::DIRECTORY), Errno::ReadOnly);
    closed(files.make_link("x", "/bin/new"), Errno::ReadOnly);
    closed(files.remove_file("/bin/ls"), Errno::ReadOnly);
    closed(files.rename("/bin/ls", "/own"), Errno::ReadOnly);
    closed(files.rename("/own", "/bin/ls"), Errno::ReadOnly);
    closed(files.rename("/bin", "/bin2"), Errno::ReadOnly);
    closed(files.remove_directory("/bin"), Errno::ReadOnly);
    closed(files.set_mode("/bin/ls", Mode::FILE), Errno::ReadOnly);
    closed(files.set_times("/bin/ls", SetTime::Now, SetTime::Now), Errno::ReadOnly);
    closed(files.truncate("/bin/ls", 0), Errno::ReadOnly);
    closed(files.access("/bin/ls", Access::Write), Errno::ReadOnly);
    closed(files.link("/bin/ls", "/mine"), Errno::CrossDevice);
    let open = files.open("/bin/ls", Open::to_read()).unwrap();
    closed(open.set_mode(Mode::FILE, NOW), Errno::ReadOnly);
}

#[test]
fn the_host_fills_a_system_area_at_no_charge() {
    let tree = tree();
    let own = Usage { bytes: 3, nodes: 1 };
    assert_eq!(tree.usage(), own);
    tree.as_host(NOW).write_file("/bin/cat", &[0; 1000]).unwrap();
    assert_eq!(tree.usage(), own);
    closed(tree.as_guest(NOW).write_file("/bin/cat", b""), Errno::ReadOnly);
    assert_eq!(
        tree.fork().as_guest(NOW).write_file("/bin/cat", b"").unwrap_err().errno(),
        Errno::ReadOnly
    );
}

#[test]
fn a_device_opens_for_writing_and_is_left_to_the_kernel() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let device = files.open("/dev/null", Open::to_write().and_read().truncate()).unwrap();
    assert_eq!(device.kind(), Kind::Device(DeviceId(3)));
    assert_eq!(device.write(b"x", NOW).unwrap_err().errno(), Errno::NoDevice);
    assert_eq!(device.read(&mut [0], NOW).unwrap_err().errno(), Errno::NoDevice);
    closed(files.remove_file("/dev/null"), Errno::ReadOnly);
    files.access("/dev/null", Access::Write).unwrap();
    closed(files.make_device("/mine", DeviceId(3), Mode::FILE), Errno::NotPermitted);
    closed(files.make_fifo("/dev/pipe", Mode::FILE), Errno::ReadOnly);
    files.make_fifo("/mine", Mode::FILE).unwrap();
    assert_eq!(files.stat("/mine").unwrap().kind, Kind::Device(DeviceId::FIFO));
    closed(files.make_fifo("/mine", Mode::FILE), Errno::Exists);
    files.remove_file("/mine").unwrap();
}

struct Proc;

impl Provider for Proc {
    fn item(&self, caller: Caller, names: &[&str]) -> Option<Item> {
        Some(match names {
            [] => Item::Directory(vec!["self".into(), "7".into(), "../etc".into()]),
            ["self"] => Item::Link(caller.0.to_string()),
            ["7"] => Item::Directory(vec!["cmdline".into(), "cwd".into(), "fd".into()]),
            ["7", "cmdline"] => Item::File(b"sh\0".to_vec()),
            ["7", "cwd"] => Item::Link("/bin".into()),
            ["7", "fd"] => Item::Device(DeviceId(9)),
            _ => return None,
        })
    }
}

#[test]
fn made_files_are_found_read_and_closed_to_change() {
    let tree = tree();
    tree.provide(&path("/proc"), Arc::new(Proc), NOW).unwrap();
    let files = tree.as_guest(NOW).asked_by(Caller(7));
    assert_eq!(files.read_file("/proc/self/cmdline", MANY).unwrap(), b"sh\0");
    assert_eq!(files.resolve("/proc/self/cmdline").unwrap(), path("/proc/7/cmdline"));
    assert_eq!(files.resolve("/proc/7/cwd/ls").unwrap(), path("/bin/ls"));
    assert_eq!(files.resolve("/proc/7/../..").unwrap(), path("/"));
    assert_eq!(files.read_link("/proc/self").unwrap(), "7");
    assert_eq!(
        files.open("/proc/7/fd", Open::to_read()).unwrap().kind(),
        Kind::Device(DeviceId(9))
    );
    closed(files.stat("/proc/8").map(drop), Errno::NotFound);
    closed(files.stat("/proc/7/cmdline/").map(drop), Errno::NotDirectory);
    closed(files.write_file("/proc/new", b""), Errno::ReadOnly);
    closed(files.write_file("/proc/7/cmdline", b""), Errno::ReadOnly);
    closed(files.remove_file("/proc/7/cmdline"), Errno::ReadOnly);
    closed(files.make_directory("/proc/d", Mode::DIRECTORY), Errno::ReadOnly);
    closed(files.make_directory("/proc/7", Mode::DIRECTORY), Errno::Exists);
    closed(files.rename("/proc/7", "/seven"), Errno::CrossDevice);
    closed(files.link("/proc/7/cmdline", "/c"), Errno::CrossDevice);
    closed(files.remove_directory("/proc"), Errno::Busy);
    closed(files.rename("/proc", "/p"), Errno::CrossDevice);
    // Another process sees another `self`.
    closed(tree.as_guest(NOW).read_file("/proc/self/cmdline", MANY).map(drop), Errno::NotFound);
}

#[test]
fn a_listing_of_made_files_shows_names_only() {
    let tree = tree();
    tree.provide(&path("/proc"), Arc::new(Proc), NOW).unwrap();
    let directory = tree.as_guest(NOW).open("/proc", Open::to_read()).unwrap();
    let names: Vec<_> = directory.entries(0, 99, NOW).unwrap();
    let names: Vec<_> = names.iter().map(|entry| &*entry.name).collect();
    assert_eq!(names, [".", "..", "self", "7"]);
    assert_eq!(directory.path().unwrap(), path("/proc"));
    let confined = At::beneath(&directory, "..").follow(Follow::Never);
    closed(tree.as_guest(NOW).stat(confined).map(drop), Errno::NotCapable);
}

#[test]
fn a_walk_shows_where_mounts_are_and_what_is_the_systems() {
    let tree = tree();
    tree.provide(&path("/proc"), Arc::new(Proc), NOW).unwrap();
    let walked: Vec<_> = tree
        .snapshot()
        .walk()
        .map(|walked| {
            let walked = walked.unwrap();
            let mount = matches!(walked.node, Node::Mount);
            (walked.path.to_string(), walked.system, mount)
        })
        .collect();
    let expect = [
        ("/", false, false),
        ("/bin", true, false),
        ("/bin/ls", true, false),
        ("/dev", true, false),
        ("/dev/null", true, false),
        ("/own", false, false),
        ("/proc", false, true),
    ];
    assert_eq!(walked, expect.map(|(path, system, mount)| (path.to_string(), system, mount)));
}
