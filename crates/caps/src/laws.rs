//! Properties of all capabilities and requests, checked on generated ones.

mod families;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::dom::Markup;
use crate::network::{FetchUrl, HostName};
use crate::storage::StorageArea;
use crate::{Access, Capability, Kind, MAX_CAPABILITY_LEN, MAX_NAME_LEN, Request, visible};

/// Generates patterns from few pieces, so that patterns and names often match.
fn pattern_text() -> impl Strategy<Value = String> {
    let segment =
        select(vec!["a", "b", "ab", "*", "**", "a*", "*b", "*a*", r"\*", r"\\", "é", "x:y"]);
    prop::collection::vec(segment, 1..5).prop_map(|segments| segments.join("/"))
}

fn flat_text() -> impl Strategy<Value = String> {
    let piece = select(vec!["a", "b", r"\*", r"\\", "é", ".", "-"]);
    let pieces = prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat());
    prop::collection::vec(pieces, 1..4).prop_map(|parts| parts.join("*"))
}

fn name_text() -> impl Strategy<Value = String> {
    let segment = select(vec!["a", "b", "ab", "*", "**", "aab", r"\", "é", "x:y", r"\*"]);
    prop::collection::vec(segment, 1..5).prop_map(|segments| segments.join("/"))
}

fn host_text() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => select(vec!["a.example", "b.a.example"]),
        1 => select(vec!["c.b.a.example", "127.0.0.1", "[::1]", "Ä.example."]),
    ]
}

fn url_pattern_text() -> impl Strategy<Value = String> {
    let methods = select(vec!["", "", "GET@", "GET,PUT@", "PUT,GET,HEAD@"]);
    let below = select(vec!["", "*."]);
    let port = select(vec!["", ":80", ":443", ":8080", ":*"]);
    let segment =
        select(vec!["a", "b", "*", "**", "a*", "%2A", "%2f", "", "é", "%41", "*%2F*", "%"]);
    let path = prop::collection::vec(segment, 0..4)
        .prop_map(|segments| segments.iter().map(|s| format!("/{s}")).collect::<String>());
    (methods, select(vec!["http", "https"]), below, host_text(), port, path).prop_map(
        |(methods, scheme, below, host, port, path)| {
            let below = if host.starts_with(['1', '[']) { "" } else { below };
            format!("{methods}{scheme}://{below}{host}{port}{path}")
        },
    )
}

fn scope_text(kind: Kind) -> BoxedStrategy<String> {
    match kind {
        Kind::DomRead => select(vec!["#a", "*", "a:hover", "a b"]).prop_map(str::to_owned).boxed(),
        Kind::DomWrite => {
            let selectors = vec!["#a", "*", "a b", "raw@#a", "raw@*", "raw@a b", "raw"];
            select(selectors).prop_map(str::to_owned).boxed()
        }
        Kind::EnvRead | Kind::ProcessExec => {
            flat_text().prop_filter("a folder", |t| !matches!(t.as_str(), "." | "..")).boxed()
        }
        Kind::FsRead | Kind::FsWrite => pattern_text().prop_map(|t| format!("/{t}")).boxed(),
        Kind::NetworkFetch => url_pattern_text().boxed(),
        Kind::StateRead
        | Kind::StateWrite
        | Kind::StorageLocalRead
        | Kind::StorageLocalWrite
        | Kind::StorageSessionRead
        | Kind::StorageSessionWrite
        | Kind::FunctionCall => pattern_text().boxed(),
    }
}

fn capability_text(kind: Kind) -> BoxedStrategy<String> {
    prop_oneof![
        1 => Just(kind.to_string()),
        9 => scope_text(kind).prop_map(move |scope| format!("{kind}:{scope}")),
    ]
    .boxed()
}

fn capability(kind: Kind) -> impl Strategy<Value = Capability> {
    capability_text(kind).prop_map(|text| text.parse().unwrap_or_else(|error| panic!("{error}")))
}

fn request(kind: Kind) -> BoxedStrategy<Request> {
    let url = (select(vec!["http", "https"]), host_text(), select(vec!["", ":8080"]), name_text())
        .prop_map(|(scheme, host, port, path)| {
            format!("{scheme}://{host}{port}/{path}?q").parse::<FetchUrl>().unwrap()
        });
    let access = match kind.name().ends_with("write") {
        true => Access::Write,
        false => Access::Read,
    };
    let area = match kind.name().contains("local") {
        true => StorageArea::Local,
        false => StorageArea::Session,
    };
    match kind {
        Kind::DomRead | Kind::DomWrite => {
            let markup = match access {
                Access::Read => vec![Markup::Sanitised],
                Access::Write => vec![Markup::Sanitised, Markup::Raw],
            };
            (select(markup), prop::option::of(select(vec!["#a", "*", "a b"])))
                .prop_map(move |(markup, s)| {
                    let selector = s.map(|s| s.parse().unwrap());
                    Request::Dom { access, markup, selector }
                })
                .boxed()
        }
        Kind::EnvRead => {
            flat_text().prop_map(|t| Request::Env { name: t.parse().unwrap() }).boxed()
        }
        Kind::ProcessExec => flat_text()
            .prop_filter_map("a folder", |t| Some(Request::Process { command: t.parse().ok()? }))
            .boxed(),
        Kind::FsRead | Kind::FsWrite => name_text()
            .prop_map(move |t| Request::Fs { access, path: format!("/{t}").parse().unwrap() })
            .boxed(),
        Kind::NetworkFetch => (select(vec!["GET", "PUT", "PATCH"]), url)
            .prop_map(|(method, url)| Request::Network { method: method.parse().unwrap(), url })
            .boxed(),
        Kind::StateRead | Kind::StateWrite => name_text()
            .prop_map(move |t| Request::State { access, name: t.parse().unwrap() })
            .boxed(),
        Kind::StorageLocalRead
        | Kind::StorageLocalWrite
        | Kind::StorageSessionRead
        | Kind::StorageSessionWrite => prop::option::of(name_text())
            .prop_map(move |t| Request::Storage {
                area,
                access,
                key: t.map(|t| t.parse().unwrap()),
            })
            .boxed(),
        Kind::FunctionCall => {
            name_text().prop_map(|t| Request::Function { name: t.parse().unwrap() }).boxed()
        }
    }
}

/// Generates kinds; the network is most frequent, since its scopes have the most parts.
fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::NetworkFetch), select(Kind::ALL.to_vec())]
}

fn three() -> impl Strategy<Value = [Capability; 3]> {
    kind().prop_flat_map(|kind| {
        (capability(kind), capability(kind), capability(kind)).prop_map(|(a, b, c)| [a, b, c])
    })
}

fn two_and_request() -> impl Strategy<Value = (Capability, Capability, Request)> {
    kind().prop_flat_map(|kind| (capability(kind), capability(kind), request(kind)))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_printed_reads_back_as_the_same(text in kind().prop_flat_map(capability_text)) {
        let read: Capability = text.parse().unwrap();
        let printed = read.to_string();
        let again: Capability = printed.parse().unwrap();
        prop_assert_eq!(&again, &read);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn covering_is_a_partial_order([a, b, c] in three()) {
        prop_assert!(a.covers(&a));
        prop_assert!(!(a.covers(&b) && b.covers(&c)) || a.covers(&c));
        prop_assert!(!(a.covers(&b) && b.covers(&a)) || a.to_string() == b.to_string());
        prop_assert!(!a.may_hand_on(&b) || a.covers(&b));
        prop_assert!(!(a.may_hand_on(&b) && b.may_hand_on(&c)) || a.may_hand_on(&c));
    }

    #[test]
    fn wider_allows_whatever_the_narrower_allows((a, b, request) in two_and_request()) {
        prop_assert!(!(a.covers(&b) && b.allows(&request)) || a.allows(&request));
    }

    #[test]
    fn required_allows_its_request_and_no_other(
        (one, other) in kind().prop_flat_map(|kind| (request(kind), request(kind)))
    ) {
        let required = one.required();
        prop_assert!(required.allows(&one));
        prop_assert_eq!(required.to_string().parse::<Capability>().unwrap(), required.clone());
        // A request for everything, or for raw markup, allows narrower requests of the same kind.
        if let Request::Dom { selector: None, .. }
        | Request::Dom { markup: Markup::Raw, .. }
        | Request::Storage { key: None, .. } = &one
        {
            return Ok(());
        }
        prop_assert_eq!(required.allows(&other), one == other, "{} on {}", one, other);
    }

    #[test]
    fn suggestions_widen_step_by_step(request in kind().prop_flat_map(request)) {
        let steps = request.suggestions();
        prop_assert_eq!(&steps[0], &request.required());
        for pair in steps.windows(2) {
            prop_assert!(pair[1].may_hand_on(&pair[0]) && !pair[0].covers(&pair[1]));
        }
    }

    #[test]
    fn stars_mean_what_a_slow_reading_says(pattern in pattern_text(), name in name_text()) {
        let capability: Capability = format!("state:read:{pattern}").parse().unwrap();
        let request = Request::State { access: Access::Read, name: name.parse().unwrap() };
        let slow = slow_match(&split(&pattern), &split(&name));
        prop_assert_eq!(capability.allows(&request), slow, "{} on {}", pattern, name);
    }

    #[test]
    fn no_text_breaks_the_reader(text in any::<String>(), kind in kind()) {
        for text in [text.clone(), format!("{kind}:{text}"), format!("{kind}:/{text}")] {
            let shown = match text.parse::<Capability>() {
                Ok(capability) => {
                    let printed = capability.to_string();
                    prop_assert_eq!(printed.parse::<Capability>(), Ok(capability.clone()));
                    capability.describe()
                }
                Err(error) => error.to_string(),
            };
            prop_assert_eq!(visible(&shown), shown.as_str());
        }
    }

    #[test]
    fn pattern_and_request_agree_on_the_host(host in "[a-c0-9x.*%üß①:-]{1,9}|\\[[0-9a-f:.]{2,9}\\]") {
        let named = host.parse::<HostName>().ok();
        let url = format!("http://{host}/").parse::<FetchUrl>().ok();
        // A colon in a URL separates the port; a host alone has none.
        if named.is_some() || !host.contains(':') {
            prop_assert_eq!(named, url.map(|url| url.origin().host.clone()));
        }
    }

    #[test]
    fn no_request_gets_out_of_its_folder(
        pieces in prop::collection::vec(
            select(vec!["/", "..", ".", "%2f", "%5C", "\\", "%2e", "%2E", ";", "%3b", "a", "%", "2", "f"]), 0..9),
    ) {
        let Ok(url) = format!("https://a/v1/{}", pieces.concat()).parse::<FetchUrl>() else {
            return Ok(());
        };
        let path = careless_server(url.path());
        let request = Request::Network { method: "GET".parse().unwrap(), url };
        let folder: Capability = "network:fetch:https://a/v1/**".parse().unwrap();
        let one: Capability = "network:fetch:https://a/v1/*".parse().unwrap();
        prop_assert!(!folder.allows(&request) || path.first().is_some_and(|s| s == "v1"), "{path:?}");
        prop_assert!(!one.allows(&request) || path.len() <= 2, "{path:?}");
    }
}

#[test]
fn longest_request_has_a_capability_that_reads_back() {
    let stars = "*".repeat(MAX_NAME_LEN - 1);
    let url = format!("https://a/{}", &stars[1..]);
    let requests = [
        Request::Fs { access: Access::Write, path: format!("/{stars}").parse().unwrap() },
        Request::Network { method: "GET".parse().unwrap(), url: url.parse().unwrap() },
    ];
    for request in requests {
        let text = request.required().to_string();
        assert!(text.len() <= MAX_CAPABILITY_LEN);
        assert_eq!(text.parse::<Capability>().unwrap(), request.required());
    }
}

fn split(text: &str) -> Vec<&str> {
    text.split('/').collect()
}

/// Matches by the literal definition of a pattern, without regard to cost.
fn slow_match(pattern: &[&str], name: &[&str]) -> bool {
    match pattern {
        [] => name.is_empty(),
        ["**", rest @ ..] => (0..=name.len()).any(|skip| slow_match(rest, &name[skip..])),
        [first, rest @ ..] => match name {
            [] => false,
            [segment, others @ ..] => slow_segment(first, segment) && slow_match(rest, others),
        },
    }
}

fn slow_segment(pattern: &str, text: &str) -> bool {
    if pattern == "*" {
        return !text.is_empty();
    }
    if let Some(rest) = pattern.strip_prefix('*') {
        let ends = (0..=text.len()).filter(|&at| text.is_char_boundary(at));
        return ends.into_iter().any(|at| slow_segment_rest(rest, &text[at..]));
    }
    slow_segment_rest(pattern, text)
}

fn slow_segment_rest(pattern: &str, text: &str) -> bool {
    let literal = pattern.strip_prefix('\\').unwrap_or(pattern);
    match literal.chars().next() {
        None => text.is_empty(),
        Some('*') if literal.len() == pattern.len() => {
            let ends = (0..=text.len()).filter(|&at| text.is_char_boundary(at));
            ends.into_iter().any(|at| slow_segment_rest(&literal[1..], &text[at..]))
        }
        Some(c) => match text.strip_prefix(c) {
            Some(rest) => slow_segment_rest(&literal[c.len_utf8()..], rest),
            None => false,
        },
    }
}

/// Models a server that cuts parameters, decodes, accepts either slash, and only then resolves
/// dots.
fn careless_server(path: &str) -> Vec<String> {
    let decoded = ["%2f", "%2F", "%5c", "%5C", "\\"]
        .iter()
        .fold(path.to_owned(), |path, slash| path.replace(slash, "/"));
    let decoded =
        decoded.replace("%2e", ".").replace("%2E", ".").replace("%3b", ";").replace("%3B", ";");
    let mut segments = Vec::new();
    for segment in decoded.split('/') {
        match segment.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name.to_owned()),
        }
    }
    segments
}
