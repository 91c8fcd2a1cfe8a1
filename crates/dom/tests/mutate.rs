//! Changes of the tree, and those that the DOM standard forbids.

use cofferdam_dom::position::{CONTAINED_BY, CONTAINS, FOLLOWING, PRECEDING};
use cofferdam_dom::{Budget, Cloning, DocumentKind, ErrorKind, NodeId, Tree};

struct Page {
    tree: Tree,
    document: NodeId,
}

fn page(body: &str) -> Page {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(body).unwrap();
    tree.pin(document).unwrap();
    Page { tree, document }
}

impl Page {
    fn get(&mut self, selector: &str) -> NodeId {
        self.tree.query_first(self.document, selector).unwrap().unwrap()
    }

    fn body(&mut self) -> String {
        let body = self.get("body");
        self.tree.inner_html(body).unwrap()
    }
}

#[test]
fn nodes_move_and_fragments_give_their_children_away() {
    let mut page = page("<i></i><b></b>");
    let (i, b, body) = (page.get("i"), page.get("b"), page.get("body"));
    page.tree.insert_before(body, b, Some(i)).unwrap();
    assert_eq!(page.body(), "<b></b><i></i>");
    let fragment = page.tree.parse_fragment(body, "1<u>2</u>").unwrap();
    page.tree.insert_before(body, fragment, Some(i)).unwrap();
    assert_eq!(page.body(), "<b></b>1<u>2</u><i></i>");
    assert_eq!(page.tree.children(fragment).unwrap(), []);
}

#[test]
fn a_node_before_itself_stays() {
    let mut page = page("<i></i><b></b>");
    let (i, body) = (page.get("i"), page.get("body"));
    page.tree.insert_before(body, i, Some(i)).unwrap();
    assert_eq!(page.body(), "<i></i><b></b>");
    page.tree.replace_child(body, i, i).unwrap();
    assert_eq!(page.body(), "<i></i><b></b>");
}

#[test]
fn a_node_cannot_go_into_itself() {
    let mut page = page("<div><p></p></div>");
    let (div, p) = (page.get("div"), page.get("p"));
    let error = page.tree.append_child(p, div).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::HierarchyRequest);
    assert_eq!(error.kind().dom_name(), "HierarchyRequestError");
}

#[test]
fn a_template_cannot_go_into_its_own_contents() {
    let mut page = page("<template></template>");
    let template = page.get("template");
    let contents = page.tree.template_contents(template).unwrap();
    let error = page.tree.append_child(contents, template).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::HierarchyRequest);
}

#[test]
fn a_document_has_one_element_and_no_text() {
    let mut page = page("<p></p>");
    let (document, p) = (page.document, page.get("p"));
    assert!(page.tree.append_child(document, p).is_err());
    let text = page.tree.create_text(document, "x").unwrap();
    assert!(page.tree.append_child(document, text).is_err());
    let doctype = page.tree.create_doctype(document, "html", "", "").unwrap();
    assert!(page.tree.append_child(document, doctype).is_err(), "after the element");
    let html = page.get("html");
    page.tree.insert_before(document, doctype, Some(html)).unwrap();
    let second = page.tree.create_doctype(document, "html", "", "").unwrap();
    assert!(page.tree.insert_before(document, second, Some(html)).is_err());
}

#[test]
fn a_reference_must_be_a_child() {
    let mut page = page("<div><p></p></div><i></i>");
    let (div, i, p) = (page.get("div"), page.get("i"), page.get("p"));
    let body = page.get("body");
    let error = page.tree.insert_before(body, i, Some(p)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(page.tree.remove_child(body, p).unwrap_err().kind(), ErrorKind::NotFound);
    page.tree.remove_child(div, p).unwrap();
    assert_eq!(page.tree.parent(p).unwrap(), None);
    assert_eq!(page.tree.owner_document(p).unwrap(), page.document);
}

#[test]
fn copies_are_deep_and_apart() {
    let mut page = page("<div class=a>x<p>y</p><template><b></b></template></div>");
    let div = page.get("div");
    let copy = page.tree.clone_node(div, Cloning::Deep, page.document).unwrap();
    assert_eq!(page.tree.outer_html(copy).unwrap(), page.tree.outer_html(div).unwrap());
    assert!(page.tree.is_equal(copy, div).unwrap());
    page.tree.set_attribute(copy, "CLASS", "b").unwrap();
    assert_eq!(page.tree.attribute(div, "class"), Some("a"));
    let alone = page.tree.clone_node(div, Cloning::Shallow, page.document).unwrap();
    assert_eq!(page.tree.outer_html(alone).unwrap(), "<div class=\"a\"></div>");
}

#[test]
fn text_is_joined() {
    let mut page = page("<p>a<b>b</b></p>");
    let p = page.get("p");
    let texts = ["", "c", "d", ""].map(|text| page.tree.create_text(p, text).unwrap());
    for node in texts {
        page.tree.append_child(p, node).unwrap();
    }
    page.tree.normalize(p).unwrap();
    assert_eq!(page.tree.children(p).unwrap().len(), 3);
    assert_eq!(page.tree.text_content(p).unwrap().unwrap(), "abcd");
    // The first text that is not empty takes the others, which keep their own.
    assert_eq!(page.tree.children(p).unwrap()[2], texts[1]);
    assert_eq!(page.tree.text_content(texts[2]).unwrap().unwrap(), "d");
    page.tree.set_text_content(p, "<x>").unwrap();
    assert_eq!(page.tree.outer_html(p).unwrap(), "<p>&lt;x&gt;</p>");
}

#[test]
fn positions_are_told() {
    let mut page = page("<div><p></p><i></i></div>");
    let (div, p, i) = (page.get("div"), page.get("p"), page.get("i"));
    assert_eq!(page.tree.compare_position(p, i).unwrap(), FOLLOWING);
    assert_eq!(page.tree.compare_position(i, p).unwrap(), PRECEDING);
    assert_eq!(page.tree.compare_position(p, div).unwrap(), CONTAINS | PRECEDING);
    assert_eq!(page.tree.compare_position(div, p).unwrap(), CONTAINED_BY | FOLLOWING);
    assert_eq!(page.tree.compare_position(p, p).unwrap(), 0);
}

#[test]
fn names_are_checked() {
    let mut page = page("<p>");
    let p = page.get("p");
    for name in ["", "a b", "a=b", "a>b"] {
        let error = page.tree.set_attribute(p, name, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidCharacter, "{name}");
    }
    page.tree.set_attribute(p, "@click", "x").unwrap();
}

#[test]
fn what_nobody_holds_is_freed_and_its_id_names_nothing() {
    let mut page = page("<div></div>");
    let div = page.get("div");
    let before = page.tree.usage();
    for _ in 0..100 {
        let fragment = page.tree.parse_fragment(div, "<p>text<b>x</b></p>").unwrap();
        page.tree.replace_children(div, Some(fragment)).unwrap();
        page.tree.collect();
    }
    let p = page.get("p");
    page.tree.replace_children(div, None).unwrap();
    page.tree.pin(p).unwrap();
    page.tree.collect();
    assert!(page.tree.exists(p), "held");
    page.tree.unpin(p);
    page.tree.collect();
    assert!(!page.tree.exists(p));
    assert_eq!(page.tree.text_content(p).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(page.tree.usage(), before);
}

#[test]
fn a_node_of_another_document_is_adopted() {
    let mut page = page("<p></p>");
    let other = page.tree.create_document(DocumentKind::Html).unwrap();
    let (p, document) = (page.get("p"), page.document);
    assert_eq!(page.tree.owner_document(p).unwrap(), document);
    page.tree.append_child(other, p).unwrap();
    assert_eq!(page.tree.owner_document(p).unwrap(), other);
}
