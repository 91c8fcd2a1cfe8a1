//! Properties that hold for any markup, checked on combinations of troublesome pieces.

use cofferdam_dom::proxy::{Answer, Call, Grants, Proxy, Reach, Target};
use cofferdam_dom::{Budget, NodeId, Page, Tree};
use proptest::prelude::*;
use proptest::sample::select;

const PIECES: &[&str] = &[
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<a href='javascript:x()'>",
    "<a href=\"jav&#x09;ascript:x\">",
    "<img src=x onerror=x()>",
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<mtext>",
    "<mglyph>",
    "<style>",
    "</style>",
    "<script>",
    "</script>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<noscript>",
    "</noscript>",
    "<template>",
    "</template>",
    "<table>",
    "<td>",
    "<select>",
    "<option>",
    "</select>",
    "<form>",
    "</form>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<xmp>",
    "</xmp>",
    "<iframe>",
    "</iframe>",
    "<foreignObject>",
    "<annotation-xml encoding='text/html'>",
    "\" onload=x ",
    "'",
    ">",
    "<",
    "&lt;img src=x onerror=x()&gt;",
    "text",
    "<p title='</style><img onerror=x>'>",
    "<desc>",
    "<br>",
    "<plaintext>",
    "</br>",
    "<input onfocus=x autofocus>",
    "<object data=x>",
];

/// Returns the first construct below `root` that could run or load anything.
fn harm(tree: &mut Tree, root: NodeId) -> Option<String> {
    let bad = "script, style, iframe, object, embed, base, meta, link, svg, math, template";
    if let Some(found) = tree.query_first(root, bad).unwrap() {
        return tree.outer_html(found).ok();
    }
    for element in tree.query_all(root, "*").unwrap() {
        for attribute in tree.attributes(element) {
            let value = attribute.value().to_ascii_lowercase();
            let value: String = value.chars().filter(|c| *c > ' ').collect();
            if attribute.local_name().starts_with("on") || value.starts_with("javascript:") {
                return tree.outer_html(element).ok();
            }
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn sanitised_markup_is_harmless_and_stays_so(pieces in prop::collection::vec(select(PIECES), 0..14)) {
        let html = pieces.concat();
        let mut page = Page::parse("<!DOCTYPE html><div id=d></div>", Budget::default()).unwrap();
        let mut proxy = Proxy::new(Grants { write: Reach::Everything, ..Grants::default() });
        match proxy.call(&mut page, &Call::SetHtml(Target::Selector("#d"), &html)) {
            Ok(answer) => prop_assert_eq!(answer, Answer::Is(true)),
            // Markup that never settles is refused.
            Err(_) => return Ok(()),
        }
        let document = page.document();
        let written = page.html();
        let tree = page.tree_mut();
        let div = tree.query_first(document, "#d").unwrap().unwrap();
        prop_assert_eq!(harm(tree, div), None);
        let again = tree.parse_html(&written).unwrap();
        let body = tree.query_first(again, "body").unwrap().unwrap();
        prop_assert_eq!(harm(tree, body), None);
    }

    #[test]
    fn any_markup_parses_and_is_written(pieces in prop::collection::vec(select(PIECES), 0..20)) {
        let mut tree = Tree::new(Budget::default());
        let document = tree.parse_html(&pieces.concat()).unwrap();
        prop_assert!(tree.outer_html(document).is_ok());
        prop_assert!(tree.outer_xml(document).is_ok());
    }
}
