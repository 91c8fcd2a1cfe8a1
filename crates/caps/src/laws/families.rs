//! The partial order, checked on all pairs and triples of families with many nested members.

use crate::{Access, Capability, Request};

/// Compares each capability of the family with all others and with all requests.
fn check(texts: &[String], requests: &[Request]) {
    let all: Vec<Capability> =
        texts.iter().map(|t| t.parse().unwrap_or_else(|error| panic!("{error}"))).collect();
    let covers: Vec<Vec<bool>> =
        all.iter().map(|a| all.iter().map(|b| a.covers(b)).collect()).collect();
    let allows: Vec<Vec<bool>> =
        all.iter().map(|a| requests.iter().map(|r| a.allows(r)).collect()).collect();
    let mut chains = 0;
    for a in 0..all.len() {
        assert!(covers[a][a], "{} over itself", all[a]);
        for b in (0..all.len()).filter(|&b| covers[a][b]) {
            assert!(!covers[b][a] || all[a] == all[b], "{} and {}", all[a], all[b]);
            for (request, narrow) in allows[b].iter().enumerate() {
                assert!(!narrow || allows[a][request], "{} over {}", all[a], all[b]);
            }
            for c in (0..all.len()).filter(|&c| covers[b][c]) {
                assert!(covers[a][c], "{} over {} over {}", all[a], all[b], all[c]);
                chains += usize::from(all[a] != all[b] && all[b] != all[c]);
            }
        }
    }
    assert!(chains > 1000, "the family is too loose to show anything: {chains}");
}

/// Returns all sequences of one to three of the segments.
fn sequences(segments: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = segments.iter().map(|&s| s.to_owned()).collect();
    for from in [0, segments.len()] {
        let longer =
            all[from..].iter().flat_map(|a| segments.iter().map(move |b| format!("{a}/{b}")));
        let longer: Vec<String> = longer.collect();
        all.extend(longer);
    }
    all
}

#[test]
fn order_of_names() {
    let patterns = sequences(&["a", "*", "**", "a*", "*b", ""]);
    let texts: Vec<_> = patterns
        .iter()
        .filter(|pattern| !pattern.is_empty())
        .map(|pattern| format!("state:read:{pattern}"))
        .collect();
    let requests: Vec<_> = sequences(&["a", "b", "ab", ""])
        .iter()
        .filter_map(|name| Some(Request::State { access: Access::Read, name: name.parse().ok()? }))
        .collect();
    check(&texts, &requests);
}

#[test]
fn order_of_addresses() {
    let (mut texts, mut requests) = (vec!["network:fetch".to_owned()], Vec::new());
    for host in ["a", "*.a", "b.a", "*.b.a", "c.b.a"] {
        for port in ["", ":*", ":8443"] {
            for path in ["", "/", "/*", "/v1/*", "/v1/**", "/v1/x", "/*/x", "/v1/*%2F*"] {
                for methods in ["", "GET@", "GET,PUT@"] {
                    texts.push(format!("network:fetch:{methods}https://{host}{port}{path}"));
                }
            }
        }
    }
    for host in ["a", "b.a", "c.b.a", "a:8443", "c.b.a:8443"] {
        for path in ["", "v1", "v1/", "v1/x", "v1/x/y", "v1/x%2Fy", "y/x"] {
            for method in ["GET", "PUT", "POST"] {
                let url = format!("https://{host}/{path}").parse().unwrap();
                requests.push(Request::Network { method: method.parse().unwrap(), url });
            }
        }
    }
    check(&texts, &requests);
}
