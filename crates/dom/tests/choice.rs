//! Chosen options, and what counts as a change of the structure.

use cofferdam_dom::{Budget, Cloning, NodeId, Tree};

struct Page {
    tree: Tree,
    document: NodeId,
}

fn page(markup: &str) -> Page {
    let mut tree = Tree::new(Budget::default());
    let document = tree.parse_html(markup).unwrap();
    Page { tree, document }
}

impl Page {
    fn one(&mut self, selector: &str) -> NodeId {
        self.tree.query_first(self.document, selector).unwrap().unwrap()
    }

    /// The texts of the chosen options.
    fn chosen(&mut self) -> String {
        let found = self.tree.query_all(self.document, "option:checked").unwrap();
        found.into_iter().map(|id| self.tree.text_content(id).unwrap().unwrap()).collect()
    }
}

fn check(markup: &str, expect: &str) {
    assert_eq!(page(markup).chosen(), expect, "{markup}");
}

#[test]
fn a_select_shows_the_last_marked_option_or_the_first_that_is_enabled() {
    check("<select><option>a<option>b</select>", "a");
    check("<select><option disabled>a<option>b</select>", "b");
    check("<select><optgroup disabled><option>a</optgroup><option>b</select>", "b");
    check("<select><option selected>a<option selected>b<option>c</select>", "b");
    check("<select><option disabled>a</select>", "");
    check("<select size=2><option>a<option>b</select>", "");
    check("<select multiple><option selected>a<option selected>b<option>c</select>", "ab");
    check("<datalist><option>a<option selected>b</datalist>", "b");
}

#[test]
fn a_choice_holds_until_options_come_or_go() {
    let mut page = page("<select><option>a<option id=b>b<option selected>c</select>");
    let (select, b) = (page.one("select"), page.one("#b"));
    page.tree.clear_selected(select).unwrap();
    assert_eq!(page.chosen(), "");
    page.tree.set_selected(b, true).unwrap();
    assert_eq!(page.chosen(), "b");
    page.tree.clear_selected(select).unwrap();
    page.tree.remove_child(select, b).unwrap();
    assert_eq!(page.chosen(), "a");
}

#[test]
fn an_attribute_decides_again_unless_a_call_chose_that_option() {
    let mut page = page("<select multiple><option id=a>a<option id=b>b</select>");
    let (select, a, b) = (page.one("select"), page.one("#a"), page.one("#b"));
    page.tree.set_selected(a, true).unwrap();
    page.tree.clear_selected(select).unwrap();
    page.tree.set_attribute(a, "selected", "").unwrap();
    page.tree.set_attribute(b, "selected", "").unwrap();
    assert_eq!(page.chosen(), "b");
    page.tree.reset_checked(a).unwrap();
    assert_eq!(page.chosen(), "ab");
}

#[test]
fn copies_keep_ticks_and_forget_choices() {
    let mut page = page("<form><input type=checkbox><select><option>a<option>b</select></form>");
    let (form, input) = (page.one("form"), page.one("input"));
    let b = page.one("option:last-child");
    page.tree.set_checked(input, true).unwrap();
    page.tree.set_selected(b, true).unwrap();
    let copy = page.tree.clone_node(form, Cloning::Deep, page.document).unwrap();
    let found = page.tree.query_all(copy, ":checked").unwrap();
    let texts = found.into_iter().map(|id| page.tree.text_content(id).unwrap().unwrap());
    assert_eq!(texts.collect::<Vec<_>>(), ["", "a"]);
}

/// Asking for each option searches each only once, whatever is marked.
#[test]
fn many_options_are_searched_in_time() {
    for option in ["<option>", "<option selected>", "<option disabled>"] {
        let mut page = page(&format!("<select>{}</select>", option.repeat(20_000)));
        assert!(page.tree.query_all(page.document, "option:checked").unwrap().len() <= 1);
    }
}

#[test]
fn only_nodes_that_come_or_go_change_the_structure() {
    let mut page = page("<p>a</p><input type=checkbox>");
    let (p, input) = (page.one("p"), page.one("input"));
    let (version, structure) = (page.tree.version(), page.tree.structure());
    page.tree.set_attribute(p, "a", "b").unwrap();
    page.tree.set_checked(input, true).unwrap();
    assert_eq!(page.tree.structure(), structure);
    assert_ne!(page.tree.version(), version);
    let body = page.one("body");
    page.tree.remove_child(body, p).unwrap();
    assert_ne!(page.tree.structure(), structure);
}

#[test]
fn the_most_specific_selector_that_matches_counts() {
    let mut page = page("<p id=a class=b>");
    let p = page.one("p");
    let mut of = |list: &str| page.tree.specificity(p, list).unwrap();
    assert_eq!(of("i"), None);
    assert!(of("p") < of(".b") && of(".b") < of("#a") && of("#a") < of("p#a"));
    assert_eq!(of("p, #a, i#a.c"), of("#a"));
}
