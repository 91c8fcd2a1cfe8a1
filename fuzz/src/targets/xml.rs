//! XML: a document that parses without an error must be unchanged after writing and parsing it
//! again.

use cofferdam_dom::Tree;

use super::Target;
use super::html::{BUDGET, check_usage, well_linked};
use crate::cost;

pub const TARGET: Target = Target {
    name: "xml",
    run,
    words: &[
        "<a>",
        "</a>",
        "<a/>",
        "<?xml version='1.0'?>",
        "<!DOCTYPE a>",
        "<!ENTITY x 'y'>",
        "&x;",
        "<![CDATA[",
        "]]>",
        "<!--",
        "-->",
        "<?p q?>",
        " xmlns='u'",
        " xmlns:p='u'",
        "<p:a>",
        "p:b='c'",
        "&lt;",
        "&#10;",
        "&#xd800;",
        "'",
        "\"",
        "=",
        "\r\n",
        "\u{7f}",
        "\u{fffe}",
    ],
    repeats: &["<a>", "<a b='c'>", "&lt;", "<a xmlns:p='u'>", "<!--", "<a/>", "&#10;", "]]>"],
};

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut tree = Tree::new(BUDGET);
    let parsed = cost::within(text.len(), 64, 4 * BUDGET.bytes, || tree.parse_xml(&text));
    check_usage(&tree);
    let Ok(parsed) = parsed else { return };
    well_linked(&tree, parsed.document);
    let written = tree.outer_xml(parsed.document);
    let (None, Ok(written)) = (parsed.error, written) else { return };
    // The standard writes a carriage return in text literally, and parsing turns it into a newline.
    if written.contains('\r') {
        return;
    }
    let mut again = Tree::new(BUDGET);
    let Ok(reread) = again.parse_xml(&written) else { return };
    assert_eq!(reread.error, None, "{text:?} was written as {written:?}");
    assert_eq!(again.outer_xml(reread.document).expect("it was written once"), written);
}
