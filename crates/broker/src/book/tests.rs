use std::collections::BTreeSet;

use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Access, Request};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::grant::{Grant, Holder, Span};
use crate::held::Source;
use crate::secret::SecretHeaders;
use crate::stamp::Stamp;

fn held(capability: &str, number: usize) -> Arc<Held> {
    let grant = Grant {
        id: GrantId::derive(&[0; 32], &[&number.to_le_bytes()]),
        capability: capability.parse().unwrap_or_else(|error| panic!("{error}")),
        span: Span::Always,
        holder: Holder::default(),
        by: "".into(),
        at: Stamp::from_micros(0),
        expires: None,
        uses: None,
        headers: SecretHeaders::default(),
    };
    Arc::new(Held::new(grant, Source::Ledger))
}

fn found(book: &Book, request: &Request) -> BTreeSet<GrantId> {
    let mut ids = BTreeSet::new();
    book.allowing(&Wanted::new(request), |held| {
        assert!(ids.insert(held.grant.id.clone()), "found twice: {}", held.text);
    });
    ids
}

fn capability_text() -> impl Strategy<Value = String> {
    let segment = || select(vec!["a", "b", "ab", "*", "**", "a*", "*b", r"\*", "é", "è", "x:y"]);
    let path = || prop::collection::vec(segment(), 1..5).prop_map(|parts| parts.join("/"));
    let url_segment = select(vec!["a", "b", "*", "**", "a*", "%2A", "%2f", "é"]);
    let url_path = prop::collection::vec(url_segment, 0..4)
        .prop_map(|parts| parts.iter().map(|part| format!("/{part}")).collect::<String>());
    let hosts = select(vec!["a.example", "*.a.example", "*.example", "b.a.example", "[::1]"]);
    let ports = select(vec!["", ":*", ":8080"]);
    let methods = select(vec!["", "GET@", "GET,PUT@"]);
    prop_oneof![
        path().prop_map(|path| format!("fs:read:/{path}")),
        path().prop_map(|path| format!("storage:local:read:{path}")),
        select(vec!["fs:read", "storage:local:read", "network:fetch"]).prop_map(str::to_owned),
        (methods, hosts, ports, url_path).prop_map(|(methods, host, port, path)| {
            format!("network:fetch:{methods}https://{host}{port}{path}")
        }),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let segment = select(vec!["a", "b", "ab", "aab", "*", "é", "x:y"]);
    let path = prop::collection::vec(segment, 1..5).prop_map(|parts| parts.join("/"));
    let hosts = select(vec!["a.example", "b.a.example", "c.b.a.example", "[::1]"]);
    (0..4, path, hosts, select(vec!["", ":8080"])).prop_map(|(kind, path, host, port)| match kind {
        0 => Request::Fs { access: Access::Read, path: format!("/{path}").parse().unwrap() },
        1 => Request::Storage {
            area: StorageArea::Local,
            access: Access::Read,
            key: Some(path.parse().unwrap()),
        },
        2 => Request::Storage { area: StorageArea::Local, access: Access::Read, key: None },
        _ => Request::Network {
            method: "GET".parse().unwrap(),
            url: format!("https://{host}{port}/{path}").parse().unwrap(),
        },
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The index finds what a look at each would find, also after some were taken out.
    #[test]
    fn search_finds_what_a_look_at_each_would(
        texts in prop::collection::vec(capability_text(), 0..24),
        requests in prop::collection::vec(request(), 1..8),
        removed in 0usize..24,
    ) {
        let all: Vec<_> = texts.iter().enumerate().map(|(i, text)| held(text, i)).collect();
        let mut book = Book::default();
        all.iter().for_each(|held| book.insert(held.clone()));
        let removed = all.get(removed).map(|held| held.grant.id.clone());
        if let Some(id) = &removed {
            prop_assert!(book.remove(id).is_some());
        }
        for request in &requests {
            let expect: BTreeSet<_> = all
                .iter()
                .filter(|held| held.grant.capability.allows(request) && Some(&held.grant.id) != removed.as_ref())
                .map(|held| held.grant.id.clone())
                .collect();
            prop_assert_eq!(found(&book, request), expect, "{}", request);
        }
    }
}

#[test]
fn removed_leaves_nothing_behind() {
    let mut book = Book::default();
    let texts = ["fs:read", "fs:read:/a", "fs:read:/a/**", "network:fetch:https://*.a/x"];
    for (i, text) in texts.iter().enumerate() {
        book.insert(held(text, i));
    }
    let ids: Vec<_> = book.iter().map(|held| held.grant.id.clone()).collect();
    ids.iter().for_each(|id| assert!(book.remove(id).is_some()));
    assert!(ids.iter().all(|id| book.remove(id).is_none()));
    for shelf in &book.shelves {
        let empty = shelf.exact.is_empty() && shelf.wild.is_empty() && shelf.hosts.is_empty();
        assert!(empty && shelf.all.is_empty() && shelf.lengths.is_empty());
    }
}

#[test]
fn same_id_replaces() {
    let mut book = Book::default();
    book.insert(held("fs:read:/a", 1));
    book.insert(held("fs:read:/b", 1));
    let request = |path: &str| Request::Fs { access: Access::Read, path: path.parse().unwrap() };
    assert!(found(&book, &request("/a")).is_empty());
    assert_eq!(found(&book, &request("/b")).len(), 1);
}
