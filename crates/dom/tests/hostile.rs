//! Sources designed to exhaust time, memory or stack.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam_dom::{
    Budget, Cloning, DocumentKind, ErrorKind, Interrupt, NodeId, NodeKind, Page, Tree,
};

fn small() -> Budget {
    Budget { bytes: 1 << 20, nodes: 10_000, depth: 100 }
}

fn depth(tree: &Tree, root: NodeId) -> usize {
    let (mut here, mut depth) = (root, 0);
    while let Some(next) = tree.last_child(here).unwrap() {
        here = next;
        depth += 1;
    }
    depth
}

/// Parses, copies, serialises, compares and frees a deep tree without recursion.
fn check_deep(open: &str) {
    let source = open.repeat(1_000_000);
    let budget = Budget { bytes: 1 << 30, nodes: 10_000_000, depth: 4096 };
    let mut tree = Tree::new(budget);
    let document = tree.parse_html(&source).unwrap();
    assert!(depth(&tree, document) < 1100, "{open}: {}", depth(&tree, document));
    let copy = tree.clone_node(document, Cloning::Deep, document).unwrap();
    assert!(tree.is_equal(document, copy).unwrap());
    assert!(!tree.outer_html(copy).unwrap().is_empty());
    tree.pin(document).unwrap();
    tree.collect();
    assert!(!tree.exists(copy));
}

#[test]
fn blocks_nested_a_million_deep() {
    check_deep("<div>");
}

#[test]
fn formatting_nested_a_million_deep() {
    check_deep("<b>");
}

#[test]
fn foreign_content_nested_a_million_deep() {
    check_deep("<svg>");
}

#[test]
fn templates_nested_a_million_deep() {
    check_deep("<template>");
}

#[test]
fn tables_nested_a_million_deep() {
    check_deep("<table><td>");
}

#[test]
fn end_tags_of_flattened_elements_close_nothing_else() {
    let source =
        format!("<main>{}x{}y</main>z", "<p><span>".repeat(600), "</span></p>".repeat(600));
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(&source).unwrap();
    let body = tree.query_first(document, "body").unwrap().unwrap();
    let html = tree.inner_html(body).unwrap();
    assert!(html.ends_with("y</main>z"), "{}", &html[html.len() - 60..]);
}

#[test]
fn xml_nested_too_deep_is_refused() {
    let mut tree = Tree::new(Budget::default());
    let error = tree.parse_xml(&"<a>".repeat(1_000_000)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded);
}

#[test]
fn a_page_larger_than_the_budget_is_refused_and_leaves_nothing() {
    let mut tree = Tree::new(small());
    for source in
        ["<p>".repeat(100_000), "x".repeat(2 << 20), format!("<p title='{}'>", "y".repeat(2 << 20))]
    {
        let error = tree.parse_html(&source).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::QuotaExceeded);
        tree.collect();
        assert_eq!(tree.usage().nodes, 0);
        assert_eq!(tree.usage().bytes, 0);
    }
}

#[test]
fn formatting_that_multiplies_stays_in_the_budget() {
    let formats: String = (0..400).map(|n| format!("<b id={n}>")).collect();
    let source = format!("<p>{formats}{}", "<p>".repeat(100_000));
    let mut tree = Tree::new(Budget { bytes: 8 << 20, nodes: 50_000, depth: 4096 });
    assert_eq!(tree.parse_html(&source).unwrap_err().kind(), ErrorKind::QuotaExceeded);
}

#[test]
fn a_tag_with_too_many_attributes_is_refused() {
    let attributes: String = (0..200_000).map(|n| format!(" a{n}")).collect();
    let mut tree = Tree::new(Budget::default());
    let error = tree.parse_html(&format!("<p{attributes}>")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded);
    assert!(tree.parse_xml(&format!("<p{attributes}/>")).is_err());
}

#[test]
fn a_tree_built_by_hand_has_the_same_depth() {
    let mut tree = Tree::new(small());
    let document = tree.create_document(DocumentKind::Html).unwrap();
    let mut top = tree.create_element(document, cofferdam_dom::html_name("p")).unwrap();
    let mut error = None;
    for _ in 0..200 {
        let next = tree.create_element(document, cofferdam_dom::html_name("p")).unwrap();
        if let Err(refused) = tree.append_child(next, top) {
            error = Some(refused);
            break;
        }
        top = next;
    }
    assert_eq!(error.map(|e| e.kind()), Some(ErrorKind::QuotaExceeded));
}

#[test]
fn a_copy_that_does_not_fit_leaves_nothing() {
    let mut tree = Tree::new(Budget { bytes: 1 << 20, nodes: 300, depth: 100 });
    let document = tree.parse_html(&"<p>x".repeat(100)).unwrap();
    let before = tree.usage();
    assert!(tree.clone_node(document, Cloning::Deep, document).is_err());
    assert_eq!(tree.usage(), before);
}

#[test]
fn numbers_that_were_never_ids_name_nothing() {
    let mut tree = Tree::new(small());
    let document = tree.parse_html("<p>").unwrap();
    for number in [u64::MAX, 1 << 40, 7 << 32, document.to_number() + (1 << 32)] {
        assert!(!tree.exists(NodeId::from_number(number)));
    }
    let same = NodeId::from_number(document.to_number());
    assert_eq!(tree.kind(same).unwrap(), NodeKind::Document);
}

#[test]
fn a_search_that_nobody_wants_any_more_ends_soon() {
    let mut page = Page::parse(&"<i></i>".repeat(2_000), small()).unwrap();
    // Each element visits all elements before it, about two million steps.
    let mut search = |interrupt: &Interrupt| {
        page.while_wanted(interrupt, |page| {
            let document = page.document();
            page.tree_mut().query_all(document, "b ~ i")
        })
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let interrupt = Interrupt::new(move || count.fetch_add(1, Ordering::SeqCst) == 2);
    assert_eq!(search(&interrupt).unwrap_err().kind(), ErrorKind::QuotaExceeded);
    assert_eq!(asked.load(Ordering::SeqCst), 3);
    assert_eq!(search(&Interrupt::default()).unwrap(), []);
}
