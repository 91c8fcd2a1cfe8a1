//! A store in a file: durability, visibility between processes, and the errors if the file cannot
//! be used.

mod crash;
mod processes;
mod sandboxes;
mod trouble;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cofferdam_broker::{Broker, Desk, Verdict};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Access, Request};
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
