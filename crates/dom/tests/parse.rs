//! Parsing of HTML and XML, and serialising the result.

use cofferdam_dom::{Budget, DocumentKind, Named, NodeId, Tree, qualified_name};

fn tree() -> Tree {
    Tree::new(Budget::default())
}

fn check(source: &str, expect: &str) {
    let mut tree = tree();
    let document = tree.parse_html(source).unwrap();
    assert_eq!(tree.outer_html(document).unwrap(), expect);
}

fn check_fragment(context: &str, source: &str, expect: &str) {
    let mut tree = tree();
    let document = tree.create_document(DocumentKind::Html).unwrap();
    let context = tree.create_element(document, cofferdam_dom::html_name(context)).unwrap();
    let fragment = tree.parse_fragment(context, source).unwrap();
    assert_eq!(tree.inner_html(fragment).unwrap(), expect);
}

fn check_xml(source: &str, expect: &str) {
    let mut tree = tree();
    let parsed = tree.parse_xml(source).unwrap();
    assert_eq!(parsed.error, None);
    assert_eq!(tree.outer_xml(parsed.document).unwrap(), expect);
}

#[test]
fn a_document_gets_what_it_leaves_out() {
    check(
        "<!doctype html><title>x</title><p>one<p>two",
        "<!DOCTYPE html><html><head><title>x</title></head><body><p>one</p><p>two</p></body></html>",
    );
}

#[test]
fn formatting_is_adopted_by_blocks() {
    check("<b>1<p>2</b>3", "<html><head></head><body><b>1</b><p><b>2</b>3</p></body></html>");
}

#[test]
fn text_in_tables_goes_in_front_of_them() {
    check(
        "<table>x<tr><td>y",
        "<html><head></head><body>x<table><tbody><tr><td>y</td></tr></tbody></table></body></html>",
    );
}

#[test]
fn templates_keep_their_contents_apart() {
    let mut tree = tree();
    let document = tree.parse_html("<template><tr><td>x</template>").unwrap();
    let template = tree.query_first(document, "template").unwrap().unwrap();
    assert_eq!(tree.children(template).unwrap(), []);
    assert_eq!(tree.query_first(document, "td").unwrap(), None);
    let contents = tree.template_contents(template).unwrap();
    assert!(tree.query_first(contents, "td").unwrap().is_some());
    assert_eq!(tree.outer_html(template).unwrap(), "<template><tr><td>x</td></tr></template>");
}

#[test]
fn foreign_content_keeps_its_case() {
    check_fragment(
        "div",
        "<svg viewbox='0 0 1 1'><foreignobject><p>x</foreignobject></svg>",
        "<svg viewBox=\"0 0 1 1\"><foreignObject><p>x</p></foreignObject></svg>",
    );
}

#[test]
fn a_fragment_depends_on_its_context() {
    check_fragment("tr", "<td>1<td>2", "<td>1</td><td>2</td>");
    check_fragment("div", "<td>1<td>2", "12");
    check_fragment("textarea", "<b>&amp;", "&lt;b&gt;&amp;");
    check_fragment("template", "<td>1", "<td>1</td>");
}

#[test]
fn noscript_is_markup_because_no_script_runs() {
    check_fragment("div", "<noscript><p>x</noscript>", "<noscript><p>x</p></noscript>");
}

#[test]
fn attributes_and_text_are_escaped_as_the_standard_says() {
    check_fragment(
        "div",
        "<a title='\"&lt;&gt;&amp;&nbsp;'>\"&lt;&gt;&amp;&nbsp;</a>",
        "<a title=\"&quot;&lt;&gt;&amp;&nbsp;\">\"&lt;&gt;&amp;&nbsp;</a>",
    );
}

#[test]
fn raw_text_is_not_escaped_and_void_elements_do_not_end() {
    check_fragment(
        "div",
        "<style>a>b{}</style><br><img src=x><script>1<2</script>",
        "<style>a>b{}</style><br><img src=\"x\"><script>1<2</script>",
    );
}

#[test]
fn xml_keeps_namespaces_and_instructions() {
    check_xml(
        "<?style x?><a xmlns=\"urn:a\" xmlns:p=\"urn:p\"><p:b p:c=\"1\" d=\"&lt;\"/>t</a>",
        "<?style x?><a xmlns=\"urn:a\" xmlns:p=\"urn:p\"><p:b p:c=\"1\" d=\"&lt;\"/>t</a>",
    );
}

#[test]
fn xml_that_is_not_well_formed_says_so() {
    let mut tree = tree();
    assert!(tree.parse_xml("<a><b></a>").unwrap().error.is_some());
    assert!(tree.parse_xml("<a>").unwrap().error.is_some());
    assert!(tree.parse_xml("").unwrap().error.is_some());
    assert!(tree.parse_xml("<a/>").unwrap().error.is_none());
}

#[test]
fn html_written_as_xml_is_well_formed() {
    let mut tree = tree();
    let document = tree.parse_html("<p>a<br>b<div></div><svg><path d=x></svg>").unwrap();
    let body = tree.query_first(document, "body").unwrap().unwrap();
    assert_eq!(
        tree.outer_xml(body).unwrap(),
        "<body xmlns=\"http://www.w3.org/1999/xhtml\"><p>a<br />b</p><div></div>\
         <svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"x\"/></svg></body>"
    );
}

#[test]
fn xml_declares_what_a_script_left_out() {
    let mut tree = tree();
    let document = tree.create_document(DocumentKind::Xml).unwrap();
    let mut make = |name: &str, namespace: &str| -> NodeId {
        let name = qualified_name(namespace, name, Named::Element).unwrap();
        tree.create_element(document, name).unwrap()
    };
    let (a, b, c) = (make("p:a", "urn:p"), make("b", ""), make("p:c", "urn:other"));
    tree.append_child(a, b).unwrap();
    tree.append_child(b, c).unwrap();
    let name = qualified_name("urn:q", "q:x", Named::Attribute).unwrap();
    tree.set_attribute_ns(b, name, "1").unwrap();
    assert_eq!(
        tree.outer_xml(a).unwrap(),
        "<p:a xmlns:p=\"urn:p\"><b xmlns:ns1=\"urn:q\" ns1:x=\"1\"><p:c xmlns:p=\"urn:other\"/></b></p:a>"
    );
}
