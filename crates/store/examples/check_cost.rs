//! Measures the cost of a check: with a grant of the sandbox, with a grant in the store, with
//! 100,000 grants in the store, and on first use; and the cost of opening a store with few and with
//! many grants. Prints medians; asserts nothing.
//!
//! `cargo run --release -p cofferdam-store --example check_cost`

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam_broker::{Broker, Desk, Grant, Holder, Ledger, Span, Terms, Verdict};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Access, CapabilitySet, Request};
use cofferdam_store::Store;

const GRANTS: usize = 100_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("cofferdam-check-cost-{}", std::process::id()));
    let result = measure(&folder.join("store.db"))
        .and_then(|()| measure_start(&folder.join("few.db"), 10))
        .and_then(|()| measure_start(&folder.join("many.db"), GRANTS));
    std::fs::remove_dir_all(&folder)?;
    result
}

fn measure(path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let store = Arc::new(Store::open(path)?);
    let broker = Broker::setup(store.clone(), store.clone()).open()?;
    let given: CapabilitySet = ["storage:local:read".parse()?].into_iter().collect();

    let desk = broker.permissions("s", &given).desk("r", "given.js");
    show("storage call, granted to the sandbox", || permitted(&desk, &key("k")));

    broker.grant(Terms::new("storage:session:read:k".parse()?, Span::Always))?;
    let desk = broker.permissions("s", &CapabilitySet::default()).desk("r", "t.js");
    show("storage call, granted in the store", || permitted(&desk, &session_key("k")));

    show("revoke and grant in the store, seen by a check", || {
        let grant = broker.grant(Terms::new(name("x"), Span::Always)).expect("granted");
        permitted(&desk, &session_key("x"));
        broker.revoke(&grant.id, "").expect("revoked");
    });

    fill(path, &store)?;
    let began = Instant::now();
    let broker = Broker::setup(store.clone(), store.clone()).open()?;
    println!("{GRANTS} grants read in {:?}", began.elapsed());
    let desk = broker.permissions("s", &CapabilitySet::default()).desk("r", "t.js");
    let mut number = 0;
    show("first check of a key, one grant of 100,000 names it", || {
        number = (number + 7919) % (GRANTS / 4);
        permitted(&desk, &session_key(&format!("user/{number}/name")));
    });
    show("first check of a key, one pattern of 100,000 fits", || {
        number = (number + 7919) % (GRANTS / 4);
        permitted(&desk, &session_key(&format!("team/{number}-x")));
    });
    show("check seen before, 100,000 grants", || permitted(&desk, &session_key("user/1/name")));
    show("first look at an address, one grant of 100,000 names its host", || {
        number = (number + 7919) % (GRANTS / 4);
        let url = format!("https://h{number}.example/v1/a").parse().expect("a URL");
        let request = Request::Network { method: "GET".parse().expect("a method"), url };
        assert!(desk.would_grant(&request).is_ok());
    });
    println!("(the last makes a URL of a text first)");
    Ok(())
}

/// Opens a store with grants for as many tools, as a process does that runs one of them.
fn measure_start(path: &Path, grants: usize) -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::open(path)?;
    let broker =
        Broker::setup(Arc::new(store.clone()), Arc::new(cofferdam_broker::Discard)).open()?;
    let first = broker.grant(Terms::new(name("k"), Span::Always).for_tool("tool 0"))?;
    let made = (1..grants).map(|i| Grant {
        id: format!("grt_{i:0>10}").parse().expect("an id"),
        holder: Holder { tool: Some(format!("tool {i}").into()), ..first.holder.clone() },
        ..first.clone()
    });
    store.add_all(&made.collect::<Vec<_>>())?;
    drop((broker, store));
    show(&format!("open, first check and close, {grants} grants for other tools"), || {
        let store = Arc::new(Store::open(path).expect("a store"));
        let broker = Broker::setup(store.clone(), store).open().expect("a broker");
        let desk = broker.permissions("s", &CapabilitySet::default()).desk("r", "tool 0");
        permitted(&desk, &session_key("k"));
    });
    Ok(())
}

/// Adds 100,000 grants in one transaction instead of one transaction each.
fn fill(path: &Path, store: &Store) -> Result<(), Box<dyn std::error::Error>> {
    let began = Instant::now();
    let other = Store::open(path)?;
    let broker =
        Broker::setup(Arc::new(other.clone()), Arc::new(cofferdam_broker::Discard)).open()?;
    // One grant is made the normal way and serves as the template for the others.
    let first = broker.grant(Terms::new(name("user/0/name"), Span::Always))?;
    let texts = (1..GRANTS).map(|i| match i % 4 {
        0 => format!("storage:session:read:user/{}/name", i / 4),
        1 => format!("storage:session:read:team/{}-*", i / 4),
        2 => format!("network:fetch:GET@https://h{}.example/v1/**", i / 4),
        _ => format!("fs:read:/data/{}/**", i / 4),
    });
    let grants = texts.enumerate().map(|(i, text)| {
        let id = format!("grt_{:0>10}", i + 1).parse().expect("an id");
        Ok(Grant { id, capability: text.parse()?, ..first.clone() })
    });
    let grants = grants.collect::<Result<Vec<_>, cofferdam_caps::Error>>()?;
    store.add_all(&grants)?;
    println!("{} grants written in {:?}", store.grants()?.len(), began.elapsed());
    Ok(())
}

fn permitted(desk: &Desk, request: &Request) {
    match desk.check(request) {
        Verdict::Permit(permit) => drop(std::hint::black_box(permit)),
        other => panic!("{other:?}"),
    }
}

fn key(key: &str) -> Request {
    let (area, access) = (StorageArea::Local, Access::Read);
    Request::Storage { area, access, key: key.parse().ok() }
}

fn session_key(key: &str) -> Request {
    let (area, access) = (StorageArea::Session, Access::Read);
    Request::Storage { area, access, key: key.parse().ok() }
}

fn name(key: &str) -> cofferdam_caps::Capability {
    session_key(key).required()
}

fn show(what: &str, mut run: impl FnMut()) {
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < Duration::from_millis(700) && times.len() < 2_000_000 {
        let before = Instant::now();
        run();
        times.push(before.elapsed());
    }
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    let (median, slow) = (at(0.5), at(0.99));
    println!("{what}: {median:?} at the median, {slow:?} at 99 %, {} times", times.len());
}
