//! A store in a file: durability, visibility between processes, and the errors if the file cannot
//! be used.

mod crash;
mod many;
mod one_run;
mod processes;
mod sandboxes;
mod trouble;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cofferdam_broker::{Broker, Desk, Ledger, Part, Span, Terms, Verdict};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Access, CapabilitySet, Request};
use cofferdam_store::Store;

/// A folder that is removed at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("store-{}-{number}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.join("data/store.db")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn broker(path: &Path) -> Broker {
    let store = Arc::new(Store::open(path).unwrap());
    Broker::setup(store.clone(), store).open().unwrap()
}

fn key(key: &str) -> Request {
    let (area, access) = (StorageArea::Local, Access::Read);
    Request::Storage { area, access, key: Some(key.parse().unwrap()) }
}

fn is_permitted(desk: &Desk, request: &Request) -> bool {
    match desk.check(request) {
        Verdict::Permit(_) => true,
        Verdict::Denied(_) => false,
        Verdict::Ask(_) => panic!("nobody was to be asked"),
    }
}

#[test]
fn grants_for_other_tools_are_not_read_at_the_start() {
    let scratch = Scratch::new();
    let path = scratch.path();
    let terms = || Terms::new(key("k").required(), Span::Always);
    broker(&path).grant(terms().for_tool("one.js")).unwrap();
    let store = Store::open(&path).unwrap();
    assert!(store.changes(0).unwrap().grants.is_empty());
    assert_eq!(store.grants_for(Some("one.js"), Part::All).unwrap().len(), 1);
    assert!(store.grants_for(Some("two.js"), Part::All).unwrap().is_empty());
    assert_eq!(store.grants().unwrap().len(), 1);
    let permissions = broker(&path).permissions("s", &CapabilitySet::default());
    assert!(is_permitted(&permissions.desk("r1", "one.js"), &key("k")));
    assert!(!is_permitted(&permissions.desk("r2", "two.js"), &key("k")));
}

#[test]
fn grant_for_a_tool_that_was_not_asked_about_arrives_and_goes() {
    let scratch = Scratch::new();
    let path = scratch.path();
    let (ours, other) = (broker(&path), broker(&path));
    let permissions = ours.permissions("s", &CapabilitySet::default());
    let desk = permissions.desk("r", "one.js");
    assert!(!is_permitted(&desk, &key("k")));
    let terms = Terms::new(key("k").required(), Span::Always).for_tool("one.js");
    let grant = other.grant(terms.clone()).unwrap();
    assert!(is_permitted(&permissions.desk("r2", "one.js"), &key("k")));
    other.revoke(&grant.id, "").unwrap();
    assert!(!is_permitted(&permissions.desk("r3", "one.js"), &key("k")));
}
