//! Markup from a tool. After sanitising, it must not run code or load resources, also after being
//! parsed again.

use cofferdam_dom::proxy::{self, Call, Grants, Proxy, Reach};
use cofferdam_dom::{NodeId, Page, Tree};

use super::Target;
use super::html::BUDGET;

pub const TARGET: Target = Target {
    name: "sanitise",
    run,
    words: &[
        "<a href='javascript:x()'>",
        "<img src=x onerror=x()>",
        "<svg>",
        "</svg>",
        "<math>",
        "<mtext>",
        "<mglyph>",
        "<style>",
        "</style>",
        "<script>",
        "</script>",
        "<title>",
        "</title>",
        "<textarea>",
        "<noscript>",
        "<template>",
        "<table>",
        "<select>",
        "<form>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<xmp>",
        "<iframe srcdoc=",
        "<foreignObject>",
        "<annotation-xml ",
        "\" onload=x ",
        "'",
        ">",
        "<",
        "&lt;img onerror=x&gt;",
        "jav&#9;ascript:",
        "<object data=x>",
        "<base href=//e>",
        "<img src=//e>",
        "<form action=https://e>",
        "<meta http-equiv=refresh ",
        " style='",
        "<plaintext>",
        "</br>",
        "\0",
    ],
    repeats: &["<p>", "<b>", "<a href=x>", "<svg>", "&lt;", "<!--", "<table>", "<b><p>"],
};

/// Elements that must not remain in sanitised markup.
const BAD: &str = "script, style, iframe, object, embed, base, meta, link, svg, math, template, \
    noscript, frame, frameset, applet, portal";

/// Attributes whose value is a URL.
const LEADING: [&str; 9] =
    ["href", "src", "action", "formaction", "data", "poster", "background", "cite", "srcset"];

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut page = Page::parse("<!DOCTYPE html><div id=d></div>", BUDGET).expect("a small page");
    let mut proxy = Proxy::new(Grants { write: Reach::Everything, ..Grants::default() });
    // Markup that changes with every parse is refused.
    let call = Call::SetHtml(proxy::Target::Selector("#d"), &text);
    if proxy.call(&mut page, &call).is_err() {
        return;
    }
    let (document, written) = (page.document(), page.html());
    harmless(page.tree_mut(), document, &text);
    let mut again = Tree::new(BUDGET);
    if let Ok(document) = again.parse_html(&written) {
        harmless(&mut again, document, &text);
    }
}

fn harmless(tree: &mut Tree, root: NodeId, text: &str) {
    let found = tree.query_first(root, BAD).expect("a selector");
    assert_eq!(found.map(|found| tree.outer_html(found)), None, "from {text:?}");
    for element in tree.query_all(root, "*").expect("a selector") {
        for attribute in tree.attributes(element) {
            let value: String = attribute.value().chars().filter(|c| *c > ' ').collect();
            let value = value.to_ascii_lowercase();
            let runs = ["javascript:", "vbscript:", "data:text/html"];
            // URLs that are fetched when the page is shown, or that receive what a person types.
            let leaves = matches!(attribute.local_name(), "src" | "action")
                && ["http", "//", "\\\\", "/\\"].iter().any(|start| value.starts_with(start));
            let is_bad = attribute.local_name().starts_with("on")
                || attribute.local_name() == "srcdoc"
                || leaves
                || LEADING.contains(&attribute.local_name())
                    && runs.iter().any(|scheme| value.starts_with(scheme));
            assert!(!is_bad, "{:?} from {text:?}", tree.outer_html(element));
        }
    }
}
