//! The index compared with a linear search over random grants and requests.

use std::collections::BTreeSet;

use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Access, Request};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::grant::{Grant, Holder, Span};
use crate::held_grant::Source;
use crate::secret::SecretHeaders;
use crate::timestamp::Timestamp;

fn held(capability: &str, number: usize) -> Arc<HeldGrant> {
    let grant = Grant {
        id: GrantId::derive(&[0; 32], &[&number.to_le_bytes()]),
        capability: capability.parse().unwrap_or_else(|error| panic!("{error}")),
        span: Span::Always,
        holder: Holder::default(),
        by: "".into(),
        at: Timestamp::from_micros(0),
        expires: None,
        uses: None,
        run: None,
        headers: SecretHeaders::default(),
    };
    Arc::new(HeldGrant::new(grant, Source::Ledger))
}

fn found(index: &GrantIndex, request: &Request) -> BTreeSet<GrantId> {
    let mut ids = BTreeSet::new();
    index.allowing(&Query::new(request), |held| {
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

    /// The index finds the same grants as a linear search, also after a removal.
    #[test]
    fn index_finds_what_a_linear_search_finds(
        texts in prop::collection::vec(capability_text(), 0..24),
        requests in prop::collection::vec(request(), 1..8),
        removed in 0usize..24,
    ) {
        let all: Vec<_> = texts.iter().enumerate().map(|(i, text)| held(text, i)).collect();
        let mut index = GrantIndex::default();
        all.iter().for_each(|held| index.insert(held.clone()));
        let removed = all.get(removed).map(|held| held.grant.id.clone());
        if let Some(id) = &removed {
            prop_assert!(index.remove(id).is_some());
        }
        for request in &requests {
            let expect: BTreeSet<_> = all
                .iter()
                .filter(|held| held.grant.capability.allows(request) && Some(&held.grant.id) != removed.as_ref())
                .map(|held| held.grant.id.clone())
                .collect();
            prop_assert_eq!(found(&index, request), expect, "{}", request);
        }
    }
}

#[test]
fn removed_leaves_nothing_behind() {
    let mut index = GrantIndex::default();
    let texts = ["fs:read", "fs:read:/a", "fs:read:/a/**", "network:fetch:https://*.a/x"];
    for (i, text) in texts.iter().enumerate() {
        index.insert(held(text, i));
    }
    let ids: Vec<_> = index.iter().map(|held| held.grant.id.clone()).collect();
    ids.iter().for_each(|id| assert!(index.remove(id).is_some()));
    assert!(ids.iter().all(|id| index.remove(id).is_none()));
    for scopes in &index.by_kind {
        let empty = scopes.exact.is_empty() && scopes.wild.is_empty() && scopes.hosts.is_empty();
        assert!(empty && scopes.all.is_empty() && scopes.lengths.is_empty());
    }
}

#[test]
fn same_id_replaces() {
    let mut index = GrantIndex::default();
    index.insert(held("fs:read:/a", 1));
    index.insert(held("fs:read:/b", 1));
    let request = |path: &str| Request::Fs { access: Access::Read, path: path.parse().unwrap() };
    assert!(found(&index, &request("/a")).is_empty());
    assert_eq!(found(&index, &request("/b")).len(), 1);
}

#[test]
fn ending_a_run_removes_its_own_grants_alone() {
    let run = |number: u8| RunId::derive(&[0; 32], &[&[number]]);
    let (lasting, bound, other) =
        (held("fs:read:/a", 1), held("fs:read:/b", 2), held("fs:read:/c", 3));
    let mut index = GrantIndex::default();
    [&lasting, &bound, &other].into_iter().for_each(|held| index.insert(held.clone()));
    assert!(
        index.bind(&bound, &run(1)) && index.bind(&bound, &run(1)) && index.bind(&other, &run(2))
    );
    assert!(!index.bind(&other, &run(1)), "it belongs to another run");
    index.remove_of_run(&run(1));
    assert!(!index.has_of_run(&run(1)) && index.has_of_run(&run(2)));
    let left: BTreeSet<_> = index.iter().map(|held| held.grant.id.clone()).collect();
    assert_eq!(left, BTreeSet::from([lasting.grant.id.clone(), other.grant.id.clone()]));
    index.remove(&other.grant.id);
    assert!(!index.has_of_run(&run(2)));
    // A grant that is removed before it is bound stays removed.
    index.remove(&lasting.grant.id);
    assert!(index.bind(&lasting, &run(3)) && !index.has_of_run(&run(3)));
}
