//! HTML pages.

use cofferdam_dom::{Budget, NodeId, NodeKind, Tree};

use super::Target;
use crate::cost;

pub const TARGET: Target = Target {
    name: "html",
    run,
    words: &[
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<a ",
        "<table>",
        "<tr>",
        "<td>",
        "<select>",
        "<option>",
        "<svg>",
        "<math>",
        "<mi>",
        "<foreignObject>",
        "<template>",
        "</template>",
        "<script>",
        "</script>",
        "<style>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE html>",
        "&amp;",
        "&#x0;",
        "&notin;",
        "<frameset>",
        "<plaintext>",
        "<textarea>",
        "<title>",
        "<form>",
        " id='",
        "\0",
        "<br/>",
        "</br>",
        "<body>",
        "<html a=b>",
        "<noscript>",
        "<pre>\n",
    ],
    repeats: &[
        "<p>",
        "<b>",
        "<a>",
        "<table>",
        "<div>",
        "<b><p>",
        "<a><table>",
        "<svg>",
        "<template>",
        "&amp;",
        "<!--",
        "<select>",
        "<font><div>",
        "x<b>",
        "<i></p>",
        "<td>",
        "</p>",
        "<a b=c>",
        "a=b ",
    ],
};

/// A budget small enough that fuzzing reaches its limits.
pub(super) const BUDGET: Budget = Budget { bytes: 1 << 20, nodes: 4000, depth: 128 };

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut tree = Tree::new(BUDGET);
    // The budget covers the tree; the parser and the index may take as much again.
    let parsed = cost::within(text.len(), 64, 4 * BUDGET.bytes, || tree.parse_html(&text));
    check_usage(&tree);
    let Ok(document) = parsed else { return };
    well_linked(&tree, document);
    let written = tree.outer_html(document).expect("a document can be written");
    let mut again = Tree::new(BUDGET);
    if let Ok(document) = again.parse_html(&written) {
        well_linked(&again, document);
        assert!(again.outer_html(document).is_ok());
    }
    assert!(tree.outer_xml(document).is_ok());
}

pub(super) fn check_usage(tree: &Tree) {
    let used = tree.usage();
    assert!(used.nodes <= BUDGET.nodes && used.bytes <= BUDGET.bytes, "{used:?}");
}

/// Asserts that the links between nodes agree in both directions, that no node occurs twice, and
/// that none is too deep.
pub(super) fn well_linked(tree: &Tree, root: NodeId) {
    let mut stack = vec![(root, 0)];
    let mut met = 0;
    while let Some((node, depth)) = stack.pop() {
        met += 1;
        assert!(met <= BUDGET.nodes, "a tree that is none");
        assert!(depth <= BUDGET.depth, "deeper than the budget");
        let children = tree.children(node).expect("a node");
        assert_eq!(tree.first_child(node).expect("a node"), children.first().copied());
        assert_eq!(tree.last_child(node).expect("a node"), children.last().copied());
        for (at, child) in children.iter().enumerate() {
            assert_eq!(tree.parent(*child).expect("a node"), Some(node));
            let before = at.checked_sub(1).map(|at| children[at]);
            assert_eq!(tree.previous_sibling(*child).expect("a node"), before);
            assert_eq!(tree.next_sibling(*child).expect("a node"), children.get(at + 1).copied());
            stack.push((*child, depth + 1));
        }
        match tree.kind(node).expect("a node") {
            NodeKind::Element | NodeKind::Document | NodeKind::Fragment => {}
            NodeKind::Text
            | NodeKind::CData
            | NodeKind::ProcessingInstruction
            | NodeKind::Comment
            | NodeKind::Doctype => assert!(children.is_empty()),
        }
    }
}
