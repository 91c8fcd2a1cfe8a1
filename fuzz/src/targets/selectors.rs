//! Selectors: the first line is a selector, the rest a page. All query methods must agree.

use cofferdam_dom::{ErrorKind, Tree};

use super::Target;
use super::html::BUDGET;

pub const TARGET: Target = Target {
    name: "selectors",
    run,
    words: &[
        "#a",
        ".b",
        "[c]",
        "[c='d' i]",
        "[c~=d]",
        "[c|=d]",
        "[c^=d]",
        "[c$=d]",
        "[c*=d]",
        ">",
        "+",
        "~",
        " ",
        ",",
        "*",
        ":not(",
        ":is(",
        ":where(",
        ":has(",
        ")",
        ":nth-child(2n+1 of ",
        "odd",
        ":root",
        ":scope",
        ":empty",
        ":first-child",
        ":last-of-type",
        ":checked",
        ":disabled",
        "::before",
        "|",
        "*|*",
        "\\",
        "\\31 ",
        "\n<div id=a class=b c=d><p>x</p></div>",
    ],
    repeats: &[":not(", "a ", "a>", "*+", ":is(a,", "[a]", ".a", ":has(a", "a,", ":nth-child("],
};

/// The page used if an input has none.
const PAGE: &str = "<!DOCTYPE html><div id=a class='b e'><p c=d>x</p><p class=b><i></i></p>\
    <form><input checked disabled><select><option selected>o</select></form></div><p id=a>";

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (selector, html) = text.split_once('\n').unwrap_or((text, PAGE));
    let mut tree = Tree::new(BUDGET);
    let Ok(document) = tree.parse_html(html) else { return };
    let all = match tree.query_all(document, selector) {
        Ok(all) => all,
        Err(error) => {
            let known = matches!(error.kind(), ErrorKind::Syntax | ErrorKind::QuotaExceeded);
            assert!(known, "{error}");
            return;
        }
    };
    assert_eq!(tree.query_first(document, selector).ok(), Some(all.first().copied()));
    let everything = tree.query_all(document, "*").expect("every element");
    let mut at = 0;
    for element in everything.into_iter().take(200) {
        let Ok(matches) = tree.matches(element, selector) else { return };
        // `all` is in document order, without duplicates.
        let found = all.get(at) == Some(&element);
        at += usize::from(found);
        // `:scope` is the document in `querySelectorAll` and the element in `matches`.
        if !selector.contains("scope") {
            assert_eq!(matches, found, "{selector:?} on {:?}", tree.outer_html(element));
            let closest = tree.closest(element, selector).expect("it was matched before");
            assert!(!matches || closest == Some(element));
        }
    }
}
