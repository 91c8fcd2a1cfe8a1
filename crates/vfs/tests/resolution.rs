//! Path resolution: results, caps and confinement.

use cofferdam_vfs::{
    At, Errno, Follow, Kind, Limits, Mode, NAME_MAX, Open, PATH_MAX, Time, Tree, VPath,
};
use proptest::prelude::*;

const NOW: Time = Time(5);
/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

/// Creates `/a/b/file` and links of every kind.
fn tree() -> Tree {
    let tree = Tree::new(Limits::default(), NOW);
    let files = tree.as_guest(NOW);
    files.make_directories("/a/b", Mode::DIRECTORY).unwrap();
    files.make_directory("/z", Mode::DIRECTORY).unwrap();
    files.write_file("/a/b/file", b"x").unwrap();
    for (target, path) in [
        ("b/file", "/a/relative"),
        ("/a/b/file", "/a/absolute"),
        ("../z", "/a/up"),
        ("/a/b", "/deep"),
        ("../../../../a", "/a/b/over"),
        ("nowhere", "/a/dangling"),
        ("loop", "/loop"),
    ] {
        files.make_link(target, path).unwrap();
    }
    tree
}

fn check(path: &str, expect: Result<&str, Errno>) {
    let tree = tree();
    let found = tree.as_guest(NOW).resolve(path);
    let found = found.as_ref().map(VPath::as_str).map_err(|error| error.errno());
    assert_eq!(found, expect, "{path}");
}

#[test]
fn a_path_is_made_physical() {
    check("/", Ok("/"));
    check("//a/./b/", Ok("/a/b"));
    check("/a/relative", Ok("/a/b/file"));
    check("/a/absolute", Ok("/a/b/file"));
    check("/a/b/over/b", Ok("/a/b"));
}

#[test]
fn dot_dot_goes_up_from_where_a_link_led() {
    check("/deep/..", Ok("/a"));
    check("/deep/../..", Ok("/"));
    check("/a/up/../deep", Ok("/a/b"));
    check("/../../a", Ok("/a"));
}

#[test]
fn the_last_name_need_not_exist_but_all_before_it_must() {
    check("/a/new", Ok("/a/new"));
    check("/a/dangling", Ok("/a/nowhere"));
    check("/new/file", Err(Errno::NotFound));
    check("/new/..", Err(Errno::NotFound));
    check("", Err(Errno::NotFound));
}

#[test]
fn a_file_has_nothing_below() {
    check("/a/b/file/", Err(Errno::NotDirectory));
    check("/a/b/file/.", Err(Errno::NotDirectory));
    check("/a/b/file/..", Err(Errno::NotDirectory));
    check("/a/relative/x", Err(Errno::NotDirectory));
}

#[test]
fn lengths_are_capped() {
    check(&format!("/{}", "n".repeat(NAME_MAX + 1)), Err(Errno::NameTooLong));
    check(&"/.".repeat(PATH_MAX / 2), Err(Errno::NameTooLong));
    check(&"/.".repeat(PATH_MAX / 2 - 1), Ok("/"));
    check("/a\0b", Err(Errno::Invalid));
}

#[test]
fn forty_links_are_followed_and_no_more() {
    check("/loop", Err(Errno::Loop));
    let tree = tree();
    let files = tree.as_guest(NOW);
    files.write_file("/0", b"").unwrap();
    for link in 1..=41 {
        files.make_link(&(link - 1).to_string(), &*format!("/{link}")).unwrap();
    }
    assert_eq!(files.stat("/40").unwrap().kind, Kind::File);
    let error = files.stat("/41").unwrap_err();
    assert_eq!(error.errno(), Errno::Loop);
}

fn check_beneath(path: &str, expect: Result<&str, Errno>) {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let directory = files.open("/a", Open::default().directory()).unwrap();
    let found = files.resolve(At::beneath(&directory, path));
    let found = found.as_ref().map(VPath::as_str).map_err(|error| error.errno());
    assert_eq!(found, expect, "{path}");
}

#[test]
fn a_confined_path_stays_below_its_directory() {
    check_beneath("b/file", Ok("/a/b/file"));
    check_beneath("b/..", Ok("/a"));
    check_beneath("b/../relative", Ok("/a/b/file"));
    for out in ["..", "../a", "b/../..", "/a", "/", "up", "absolute", "b/over"] {
        check_beneath(out, Err(Errno::NotCapable));
    }
}

#[test]
fn below_the_root_an_absolute_link_leaves_nothing_but_an_absolute_path_is_refused() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let root = files.open("/", Open::default()).unwrap();
    let path = files.resolve(At::beneath(&root, "a/absolute")).unwrap();
    assert_eq!(path.as_str(), "/a/b/file");
    for out in ["/a", "..", "a/b/over"] {
        let error = files.resolve(At::beneath(&root, out)).unwrap_err();
        assert_eq!(error.errno(), Errno::NotCapable, "{out}");
    }
}

#[test]
fn a_path_from_a_directory_follows_it_when_it_moves() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let directory = files.open("/a/b", Open::default()).unwrap();
    files.rename("/a/b", "/z/c").unwrap();
    assert_eq!(directory.path().unwrap().as_str(), "/z/c");
    assert_eq!(files.resolve(At::directory(&directory, "../x")).unwrap().as_str(), "/z/x");
    assert_eq!(files.resolve(At::directory(&directory, "/a")).unwrap().as_str(), "/a");
}

#[test]
fn a_resolved_path_that_was_swapped_for_a_link_leads_nowhere() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let path = files.resolve("/a/b/file").unwrap();
    assert_eq!(files.read_file(&path, MANY).unwrap(), b"x");
    files.rename("/a/b", "/a/moved").unwrap();
    files.make_link("moved", "/a/b").unwrap();
    assert_eq!(files.read_file(&path, MANY).unwrap_err().errno(), Errno::Loop);
    assert_eq!(files.read_file(path.as_str(), MANY).unwrap(), b"x");
}

#[test]
fn a_directory_nested_beyond_any_path_is_still_a_directory() {
    let tree = tree();
    let files = tree.as_guest(NOW);
    let mut here = files.open("/z", Open::default()).unwrap();
    for _ in 0..PATH_MAX / 200 + 2 {
        let name = "d".repeat(200);
        files.make_directory(At::directory(&here, &name), Mode::DIRECTORY).unwrap();
        here = files.open(At::directory(&here, &name), Open::default()).unwrap();
    }
    files.write_file(At::directory(&here, "f"), b"y").unwrap();
    assert_eq!(files.read_file(At::directory(&here, "f"), MANY).unwrap(), b"y");
    assert_eq!(here.path().unwrap_err().errno(), Errno::NameTooLong);
    assert_eq!(files.resolve(At::directory(&here, "..")).unwrap_err().errno(), Errno::NameTooLong);
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["a", "b", "c", "l", "m", ".", ".."])
}

fn path() -> impl Strategy<Value = String> {
    (prop::bool::weighted(0.2), prop::collection::vec(name(), 1..6)).prop_map(
        |(absolute, names)| if absolute { "/" } else { "" }.to_string() + &names.join("/"),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn whatever_the_links_say_a_confined_path_is_within_and_physical(
        links in prop::collection::vec((path(), path()), 0..12),
        directories in prop::collection::vec(path(), 0..12),
        asked in prop::collection::vec(path(), 1..20),
    ) {
        let tree = Tree::new(Limits::default(), NOW);
        let files = tree.as_guest(NOW);
        files.make_directory("/jail", Mode::DIRECTORY).unwrap();
        let jail = files.open("/jail", Open::default()).unwrap();
        let top = VPath::new("/jail").unwrap();
        for path in &directories {
            let _ = files.make_directory(At::directory(&jail, path), Mode::DIRECTORY);
        }
        for (target, path) in &links {
            let _ = files.make_link(target, At::directory(&jail, path));
        }
        for path in &asked {
            let Ok(found) = files.resolve(At::beneath(&jail, path)) else { continue };
            prop_assert!(found.is_within(&top), "{path} led to {found}");
            prop_assert_eq!(&files.resolve(At::directory(&jail, path)).unwrap(), &found);
            // A resolved path contains no link, so it resolves to itself.
            if files.stat(&found).is_ok_and(|stat| stat.kind != Kind::Link) {
                prop_assert_eq!(&files.resolve(&found).unwrap(), &found);
            }
            let kept = files.resolve(At::beneath(&jail, path).follow(Follow::Never));
            prop_assert!(kept.is_ok_and(|kept| kept.is_within(&top)));
        }
    }
}
