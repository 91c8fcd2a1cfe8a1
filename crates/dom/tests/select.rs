//! Matching of selectors.

use cofferdam_dom::{Budget, ErrorKind, Tree};

const PAGE: &str = "<!DOCTYPE html><main id=m class='a b'><h1 id=t>T</h1>\
    <ul><li class=x>1<li>2<li class=X>3</ul>\
    <form><input type=checkbox checked><input disabled><fieldset disabled><input id=in></fieldset>\
    <a href=/x data-k='v w'>l</a></form><svg><linearGradient id=g></linearGradient></svg></main>";

fn check(selector: &str, expect: &str) {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(PAGE).unwrap();
    // The first rounds run without an index, later ones with it.
    for round in 0..3 {
        let found = tree.query_all(document, selector).unwrap();
        let names: Vec<String> = found
            .iter()
            .map(|&e| {
                let text = tree.text_content(e).unwrap().unwrap();
                format!("{}:{text}", tree.element_name(e).unwrap().local)
            })
            .collect();
        assert_eq!(names.join(" "), expect, "{selector}, round {round}");
        let first = tree.query_first(document, selector).unwrap();
        assert_eq!(first, found.first().copied());
    }
}

fn check_error(selector: &str, kind: ErrorKind) {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html("<p>").unwrap();
    let error = tree.query_first(document, selector).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.message().len() < 400, "{error}");
}

#[test]
fn simple_selectors_match() {
    check("h1", "h1:T");
    check("H1", "h1:T");
    check("#t", "h1:T");
    check(".x", "li:1");
    check("li.x", "li:1");
    check("p", "");
}

#[test]
fn combinators_match() {
    check("main > ul > li + li", "li:2 li:3");
    check("h1 ~ ul li:last-child", "li:3");
    check("ul li", "li:1 li:2 li:3");
}

#[test]
fn functions_match() {
    check("li:not(.x)", "li:2 li:3");
    check("li:is(.x, .X)", "li:1 li:3");
    check("li:nth-child(2n+1)", "li:1 li:3");
    check("ul:has(> .X)", "ul:123");
    check("a[data-k~=w]", "a:l");
    check("[DATA-K^='v']", "a:l");
    check("a:any-link", "a:l");
    check(":root > body > main:first-child > h1", "h1:T");
}

#[test]
fn states_of_forms_match() {
    check("input:checked", "input:");
    check("input:disabled", "input: input:");
    check("input:enabled", "input:");
}

/// Returns the ids of the elements of `body` that match.
fn ids(body: &str, selector: &str) -> String {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(&format!("<!DOCTYPE html><body>{body}")).unwrap();
    let found = tree.query_all(document, selector).unwrap();
    let id = |&element: &_| tree.attribute(element, "id").unwrap_or_default().to_owned();
    found.iter().map(id).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_fieldset_disables_neither_its_legend_nor_options() {
    let body = "<fieldset id=f disabled><p>x</p><legend><input id=a></legend>\
        <legend><input id=b></legend><fieldset id=g><select id=s><option id=o></select>\
        </fieldset></fieldset><select><optgroup id=u disabled><option id=p></select>";
    assert_eq!(ids(body, ":disabled"), "f b g s u p");
    assert_eq!(ids(body, "[id]:enabled"), "a o");
}

#[test]
fn only_controls_that_take_text_are_read_write() {
    let body = "<input id=a><input id=b readonly><input id=c type=checkbox><input id=d type=date>\
        <textarea id=e></textarea><textarea id=f disabled></textarea><input id=g type=range>\
        <div id=h contenteditable><p id=i><b id=j contenteditable=false></b></p></div>";
    assert_eq!(ids(body, ":read-write"), "a d e h i");
    assert_eq!(ids(body, "[id]:read-only"), "b c f g j");
}

#[test]
fn only_controls_that_are_checked_are_valid_or_invalid() {
    let body = "<input id=a required><input id=b required value=x><input id=c required disabled>\
        <input id=d readonly required><input id=e type=hidden><button id=f></button>\
        <button id=g type=reset></button><input id=h type=checkbox required><p id=i></p>\
        <input id=j type=number min=1 max=5 value=9><textarea id=k required>é</textarea>\
        <input id=l type=number max=5 value=9 disabled><input id=m type=range max=5 value=9>";
    assert_eq!(ids(body, ":valid"), "b f k m");
    assert_eq!(ids(body, ":invalid"), "a h j");
    assert_eq!(ids(body, ":out-of-range"), "j");
    assert_eq!(ids(body, ":in-range"), "m");
}

#[test]
fn defaults_placeholders_and_requirements_belong_to_their_controls() {
    let body = "<p id=a checked></p><input id=b type=radio checked><select><option id=c selected>\
        </select><input id=d placeholder=x><input id=e placeholder=x value=y>\
        <textarea id=f placeholder=x></textarea><textarea id=g placeholder=x>y</textarea>\
        <input id=h type=date placeholder=x><input id=i type=submit required><input id=j required>\
        <progress id=k></progress><progress id=l value=1></progress>";
    assert_eq!(ids(body, ":default"), "b c");
    assert_eq!(ids(body, ":placeholder-shown"), "d f");
    assert_eq!(ids(body, ":required"), "j");
    assert_eq!(ids(body, "input:optional"), "b d e h i");
    assert_eq!(ids(body, ":indeterminate"), "k");
}

#[test]
fn foreign_names_keep_their_case() {
    check("linearGradient", "linearGradient:");
    check("lineargradient", "");
}

#[test]
fn a_query_below_an_element_sees_what_is_around_it() {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(PAGE).unwrap();
    let ul = tree.query_first(document, "ul").unwrap().unwrap();
    assert_eq!(tree.query_all(ul, "main li").unwrap().len(), 3);
    assert_eq!(tree.query_all(ul, ":scope > li").unwrap().len(), 3);
    assert_eq!(tree.query_all(ul, "ul").unwrap(), []);
    let li = tree.query_first(ul, "li").unwrap().unwrap();
    assert_eq!(tree.closest(li, "main").unwrap(), tree.query_first(document, "main").unwrap());
    assert!(tree.matches(li, "ul > .x").unwrap());
    assert!(!tree.matches(li, ".X").unwrap());
}

#[test]
fn quirks_mode_folds_ids_and_classes() {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html("<p id=A class=B>").unwrap();
    for _ in 0..3 {
        assert!(tree.query_first(document, "#a.b").unwrap().is_some());
    }
}

#[test]
fn what_is_not_a_selector_is_shown() {
    check_error("li[", ErrorKind::Syntax);
    check_error("", ErrorKind::Syntax);
    check_error(":nonsense", ErrorKind::Syntax);
    check_error("> p", ErrorKind::Syntax);
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html("<p>").unwrap();
    let error = tree.query_first(document, "p:::").unwrap_err();
    assert_eq!(error.to_string(), "SyntaxError: 'p:::': not a valid selector");
}

#[test]
fn long_and_deep_selectors_are_refused() {
    check_error(&"a ".repeat(50_000), ErrorKind::Syntax);
    check_error(&"a ".repeat(8_000), ErrorKind::Syntax);
    check_error(&format!("{}a{}", ":is(".repeat(4_000), ")".repeat(4_000)), ErrorKind::Syntax);
    check_error(&format!("{}a{}", ":not(".repeat(100), ")".repeat(100)), ErrorKind::Syntax);
    check_error(&"[a".repeat(5_000), ErrorKind::Syntax);
}

#[test]
fn a_selector_that_would_not_end_is_ended() {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(&"<div>".repeat(400)).unwrap();
    let selector = format!("{}i{}", ":is(".repeat(20), " div)".repeat(20));
    let error = tree.query_all(document, &selector).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded, "{error}");
}
