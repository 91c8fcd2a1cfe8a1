//! Stores with so many grants that each request reads its own.

use std::sync::Arc;
use std::time::Duration;

use cofferdam_broker::{Broker, Discard, Grant, Ledger, Span, Terms};
use cofferdam_caps::{Access, Capability, CapabilitySet, Kind, Request};
use cofferdam_store::Store;
use rusqlite::Connection;

use super::{Scratch, broker, is_permitted, key};

/// More grants than are read together.
const MANY: usize = 100;

const SCOPED: [&str; 14] = [
    "fs:read:/data/a.txt",
    "fs:read:/data/b*",
    "fs:read:/data/deep/**",
    "fs:read:/data/*/end",
    "fs:read:/d\u{e9}/**",
    "fs:write:/out/**",
    "storage:local:read:one",
    "storage:local:read:two*",
    "network:fetch:https://a.example",
    "network:fetch:GET@https://b.example/v1/**",
    "network:fetch:https://*.c.example",
    "network:fetch:https://*.d.example/x/*",
    "network:fetch:https://e.example:*/y",
    "env:read:HOME",
];

fn capability(text: &str) -> Capability {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn file(path: &str) -> Request {
    Request::Fs { access: Access::Read, path: path.parse().unwrap() }
}

fn fetch(method: &str, url: &str) -> Request {
    Request::Network { method: method.parse().unwrap(), url: url.parse().unwrap() }
}

fn requests() -> Vec<Request> {
    let paths = ["/", "/data", "/data/a.txt", "/data/a.txtx", "/data/b", "/data/bc", "/data/b/c"];
    let deep = ["/data/deep", "/data/deep/x/y", "/data/x/end", "/data/x/y/end", "/d\u{e9}/x"];
    let near = ["/out/a", "/d\u{e8}/x", "/d", "/data/deeper", "/filler/7", "/filler/7/x"];
    let urls = [
        "https://a.example/",
        "https://a.example/x",
        "https://b.example/v1/x",
        "https://b.example/v2",
        "https://c.example/",
        "https://x.c.example/",
        "https://y.x.c.example/z",
        "https://x.d.example/x/1",
        "https://x.d.example/y",
        "https://e.example:8443/y",
        "https://e.example/z",
    ];
    let names = ["one", "on", "two", "twofold", "three"];
    let mut all: Vec<_> = paths.into_iter().chain(deep).chain(near).map(file).collect();
    all.extend(urls.into_iter().flat_map(|url| [fetch("GET", url), fetch("POST", url)]));
    all.extend(names.map(key));
    all.extend(["HOME", "USER"].map(|name| Request::Env { name: name.parse().unwrap() }));
    all
}

/// Makes the scoped grants and others of the same kinds that allow none of the requests but one.
fn fill(scratch: &Scratch, tool: Option<&str>) -> Vec<Capability> {
    let fillers = (0..MANY).map(|number| format!("fs:read:/filler/{number}"));
    let names = (0..MANY).map(|number| format!("storage:local:read:filler-{number}"));
    let all: Vec<Capability> = SCOPED
        .iter()
        .map(|text| capability(text))
        .chain(fillers.chain(names).map(|t| capability(&t)))
        .collect();
    // One grant is made the normal way and serves as the template for the others.
    let store = Store::open(&scratch.path()).unwrap();
    let broker = Broker::setup(Arc::new(store.clone()), Arc::new(Discard)).open().unwrap();
    let terms = Terms::new(all[0].clone(), Span::Always);
    let terms = match tool {
        Some(tool) => terms.for_tool(tool),
        None => terms,
    };
    let first = broker.grant(terms).unwrap();
    let others = all.iter().enumerate().skip(1).map(|(number, capability)| Grant {
        id: format!("grt_{number:0>10}").parse().unwrap(),
        capability: capability.clone(),
        ..first.clone()
    });
    store.add_all(&others.collect::<Vec<_>>()).unwrap();
    all
}

fn check_all(scratch: &Scratch, granted: &[Capability]) {
    let permissions = broker(&scratch.path()).permissions("s", &CapabilitySet::default());
    let desk = permissions.desk("r", "one.js");
    let (mut permitted, mut denied) = (0, 0);
    for request in requests() {
        let expect = granted.iter().any(|capability| capability.allows(&request));
        assert_eq!(is_permitted(&desk, &request), expect, "{request:?}");
        if expect { permitted += 1 } else { denied += 1 }
    }
    assert!(permitted > 10 && denied > 10, "{permitted} permitted, {denied} denied");
}

#[test]
fn request_finds_its_grants_among_many() {
    let scratch = Scratch::new();
    check_all(&scratch, &fill(&scratch, None));
}

#[test]
fn request_finds_the_grants_of_its_tool_among_many() {
    let scratch = Scratch::new();
    check_all(&scratch, &fill(&scratch, Some("one.js")));
    let permissions = broker(&scratch.path()).permissions("s", &CapabilitySet::default());
    let other = permissions.desk("r", "two.js");
    assert!(requests().iter().all(|request| !is_permitted(&other, request)));
}

#[test]
fn nothing_of_many_is_read_at_the_start() {
    let scratch = Scratch::new();
    fill(&scratch, None);
    let store = Store::open(&scratch.path()).unwrap();
    assert!(store.changes(0).unwrap().grants.is_empty());
    assert!(store.has_more_than(None, MANY).unwrap());
    assert!(!store.has_more_than(Some("one.js"), 0).unwrap());
}

#[test]
fn list_of_a_kind_has_all_of_many() {
    let scratch = Scratch::new();
    let all = fill(&scratch, None);
    let permissions = broker(&scratch.path()).permissions("s", &CapabilitySet::default());
    let desk = permissions.desk("r", "one.js");
    let listed = desk.granted(&[Kind::FsRead]).unwrap().lasting;
    assert_eq!(listed.len(), all.iter().filter(|c| c.kind() == Kind::FsRead).count());
}

#[test]
fn kind_is_seen_only_where_it_is_granted() {
    let scratch = Scratch::new();
    let path = scratch.path();
    fill(&scratch, None);
    let ours = broker(&path);
    let sees = |sandbox: &str, kind| {
        let permissions = ours.permissions(sandbox, &CapabilitySet::default());
        permissions.desk("r", "one.js").sees(kind).unwrap()
    };
    assert!(sees("s", Kind::FsRead) && sees("s", Kind::NetworkFetch));
    assert!(!sees("s", Kind::DomRead) && !sees("s", Kind::ProcessExec));
    // Another process grants to one sandbox, first for a while and then for good.
    let other = broker(&path);
    let terms = || Terms::new(capability("dom:read"), Span::Session).for_sandbox("s");
    let short = other.grant(terms().expires_in(Duration::from_secs(60))).unwrap();
    assert!(sees("s", Kind::DomRead) && !sees("t", Kind::DomRead));
    let long = other.grant(terms()).unwrap();
    other.revoke(&short.id, "").unwrap();
    assert!(sees("s", Kind::DomRead));
    other.revoke(&long.id, "").unwrap();
    assert!(!sees("s", Kind::DomRead));
}

#[test]
fn grant_among_many_arrives_and_goes() {
    let scratch = Scratch::new();
    fill(&scratch, None);
    let (ours, other) = (broker(&scratch.path()), broker(&scratch.path()));
    let permissions = ours.permissions("s", &CapabilitySet::default());
    let permitted = |run: &str| is_permitted(&permissions.desk(run, "one.js"), &file("/new/x"));
    assert!(!permitted("r1"));
    let grant = other.grant(Terms::new(capability("fs:read:/new/**"), Span::Always)).unwrap();
    assert!(permitted("r2"));
    other.revoke(&grant.id, "").unwrap();
    assert!(!permitted("r3"));
}

#[test]
fn grants_of_version_3_are_found() {
    let scratch = Scratch::new();
    let all = fill(&scratch, None);
    let file = Connection::open(scratch.path()).unwrap();
    file.execute_batch(
        "DROP INDEX grants_by_key; DROP INDEX grants_by_place; DROP INDEX requests_denied;
        ALTER TABLE grants DROP COLUMN key; ALTER TABLE grants DROP COLUMN kind;
        CREATE INDEX grants_by_tool ON grants (tool) WHERE NOT gone;
        ALTER TABLE meta DROP COLUMN spooled;
        PRAGMA user_version = 3;",
    )
    .unwrap();
    drop(file);
    check_all(&scratch, &all);
}
