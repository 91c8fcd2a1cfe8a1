//! The parts of a page that a tool can and cannot reach.

use cofferdam_dom::proxy::{Answer, Call, EventKind, Grants, Proxy, Reach, Snapshot, Target};
use cofferdam_dom::{Budget, Error, ErrorKind, Page};

const PAGE: &str = "<!DOCTYPE html><body><p id=secret class=s>hidden <b>word</b></p>\
    <div class=open id=one><h1>Title</h1><p>a</p><p data-x=1>b</p></div>\
    <div class=open id=two><form id=f><input name=q value=1><textarea name=t>x</textarea>\
    <select name=s><option>u<option value=w>v</select><input type=submit name=go></form></div>\
    <p class=s>after</p></body>";

struct Fixture {
    page: Page,
    proxy: Proxy,
}

fn fixture(read: Reach, write: Reach) -> Fixture {
    let page = Page::parse(PAGE, Budget::default()).unwrap();
    Fixture { page, proxy: Proxy::new(Grants { read, write, raw: Reach::Nothing }) }
}

fn everything() -> Grants {
    Grants { read: Reach::Everything, write: Reach::Everything, raw: Reach::Nothing }
}

fn inside(selector: &str) -> Reach {
    Reach::Inside(vec![selector.to_owned()])
}

impl Fixture {
    fn call(&mut self, call: Call<'_>) -> Result<Answer, Error> {
        self.proxy.call(&mut self.page, &call)
    }

    fn first(&mut self, selector: &str) -> Option<Snapshot> {
        match self.call(Call::QuerySelector { within: None, selector }).unwrap() {
            Answer::Element(snapshot) => Some(*snapshot),
            _ => None,
        }
    }

    fn count(&mut self, selector: &str) -> u32 {
        match self.call(Call::Count(selector)).unwrap() {
            Answer::Count(count) => count,
            other => panic!("{other:?}"),
        }
    }

    fn html(&mut self, target: Target<'_>) -> Answer {
        self.call(Call::GetHtml(target)).unwrap()
    }
}

#[test]
fn an_element_comes_as_a_copy() {
    let mut fixture = fixture(Reach::Everything, Reach::Nothing);
    let copy = fixture.first("#one > p + p").unwrap();
    assert_eq!((&*copy.tag, &*copy.text, copy.cut), ("p", "b", false));
    assert_eq!(copy.attributes, [("data-x".to_owned(), "1".to_owned())]);
    assert_eq!(copy.html, "<p data-x=\"1\">b</p>");
    let one = fixture.first(".open").unwrap();
    assert_eq!((one.id.as_deref(), &one.classes[..]), (Some("one"), &["open".to_owned()][..]));
}

#[test]
fn nothing_granted_nothing_there() {
    let mut fixture = fixture(Reach::Nothing, Reach::Nothing);
    assert_eq!(fixture.first("*"), None);
    assert_eq!(fixture.count("*"), 0);
    assert_eq!(fixture.call(Call::Remove(Target::Selector("p"))).unwrap(), Answer::Is(false));
    let error = fixture.call(Call::Count("p[")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax);
}

#[test]
fn what_is_outside_does_not_exist() {
    let mut fixture = fixture(inside(".open"), Reach::Nothing);
    assert_eq!(fixture.count("*"), 12);
    for selector in [
        "#secret",
        "b",
        "body",
        "html",
        "p.s",
        ".s + .open",
        "body > .open",
        ":has(+ .s) *",
        "#one ~ div",
        "#one + #two",
        ".open:nth-child(2)",
        ".open:not(:first-child)",
        ".open:not(:last-child)",
        "body .open h1",
    ] {
        assert_eq!(fixture.count(selector), 0, "{selector}");
    }
    for selector in [".open", ":root", ".open:only-child", ":root > h1, :root > form"] {
        assert_eq!(fixture.count(selector), 2, "{selector}");
    }
}

#[test]
fn scopes_inside_each_other_are_one() {
    let mut fixture = fixture(Reach::Inside(vec!["h1".into(), "#one".into()]), Reach::Nothing);
    assert_eq!(fixture.count("h1"), 1);
    assert_eq!(fixture.count("#one > h1"), 1);
}

#[test]
fn a_handle_lasts_until_its_element_leaves() {
    let mut fixture = fixture(Reach::Everything, Reach::Everything);
    let copy = fixture.first("#one > p").unwrap();
    let target = Target::Handle(copy.handle);
    assert_eq!(fixture.first("#one > p").unwrap().handle, copy.handle);
    fixture.call(Call::SetTextContent(Target::Selector("h1"), "new")).unwrap();
    assert_eq!(fixture.html(target), Answer::Text("a".into()));
    let within = Call::QuerySelectorAll { within: Some(copy.handle), selector: "p" };
    assert_eq!(fixture.call(within).unwrap(), Answer::Elements(vec![]));
    assert_eq!(fixture.call(Call::Remove(target)).unwrap(), Answer::Is(true));
    assert_eq!(fixture.html(target), Answer::Nothing);
    assert_eq!(fixture.call(Call::Exists(target)).unwrap(), Answer::Is(false));
    assert_eq!(fixture.call(Call::Remove(target)).unwrap(), Answer::Is(false));
    assert_eq!(fixture.html(Target::Handle(99)), Answer::Nothing);
}

#[test]
fn a_handle_opens_nothing_that_is_not_granted() {
    let mut fixture = fixture(Reach::Everything, inside("#two"));
    let copy = fixture.first("#secret").unwrap();
    let set = Call::SetTextContent(Target::Handle(copy.handle), "x");
    assert_eq!(fixture.call(set).unwrap(), Answer::Is(false));
}

#[test]
fn writing_does_not_make_readable() {
    let mut fixture = fixture(inside(".open"), inside("#secret"));
    let set = Call::SetAttribute(Target::Selector("#secret"), "class", "open");
    assert_eq!(fixture.call(set).unwrap(), Answer::Is(true));
    assert_eq!(fixture.count("#secret"), 0);
}

#[test]
fn markup_is_sanitised() {
    let mut fixture = fixture(Reach::Everything, Reach::Everything);
    let mut check = |html: &str, expect: &str| {
        fixture.call(Call::SetHtml(Target::Selector("#one"), html)).unwrap();
        assert_eq!(fixture.html(Target::Selector("#one")), Answer::Text(expect.into()), "{html}");
    };
    check("<b onclick=x()>a</b>", "<b>a</b>");
    check("<script>x()</script>b", "b");
    check("<a href='java\tscript:x()'>l</a>", "<a>l</a>");
    check("<a href=' JAVASCRIPT:x()'>l</a>", "<a>l</a>");
    check("<a href='&#106;avascript:x()'>l</a>", "<a>l</a>");
    check("<a href='vbscript:x'>l</a><a href='data:text/html,x'>m</a>", "<a>l</a><a>m</a>");
    check("<a href='/a:b'>l</a>", "<a href=\"/a:b\">l</a>");
    check("<img src=x onerror=x() alt=y>", "<img src=\"x\" alt=\"y\">");
    check("<img src='data:image/svg+xml,<svg onload=x()>'>", "<img>");
    check(
        "<form action='javascript:x'><button formaction='javascript:x'>b</button></form>",
        "<form><button>b</button></form>",
    );
    check(
        "<iframe src=//x></iframe><object data=x></object><embed src=x><base href=//x><meta http-equiv=refresh content=0><link rel=stylesheet href=x>",
        "",
    );
    check("<svg><a xlink:href='javascript:x'><script>x</script></a></svg>z", "z");
    check(
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=x()&gt;'>",
        "",
    );
    check("<custom-thing><i>k</i></custom-thing>", "<i>k</i>");
    check("<p style='background:url(//x)'>s</p>", "<p>s</p>");
    check("<form id=attributes><input name=parentNode></form>", "<form><input></form>");
    check("<noscript><p title='</noscript><img src=x onerror=x()>'>", "");
    check("<template><script>x</script></template>t", "t");
    check("<!--x--><textarea></textarea><img onerror=x>", "<textarea></textarea><img>");
    check("<xmp><img onerror=x></xmp><plaintext><b>", "");
    check("<select><style></select><img src=x onerror=x()></style>", "<select></select>");
}

#[test]
fn markup_that_the_grant_allows_stays_as_it_is() {
    let page = Page::parse(PAGE, Budget::default()).unwrap();
    let all = || Reach::Everything;
    let proxy = Proxy::new(Grants { read: all(), write: all(), raw: all() });
    let mut fixture = Fixture { page, proxy };
    let html = "<script>x()</script><b onclick=\"y()\">z</b>";
    fixture.call(Call::SetHtml(Target::Selector("#one"), html)).unwrap();
    assert_eq!(fixture.html(Target::Selector("#one")), Answer::Text(html.into()));
}

#[test]
fn markup_stays_as_it_is_in_the_part_that_is_granted_so_and_nowhere_else() {
    let page = Page::parse(PAGE, Budget::default()).unwrap();
    let raw = inside("#one");
    let mut fixture = Fixture { page, proxy: Proxy::new(Grants { raw, ..everything() }) };
    let (html, clean) = ("<b onclick=\"y()\">z</b>", "<b>z</b>");
    for (target, expect) in [("#one", html), ("body", clean)] {
        fixture.call(Call::Append(Target::Selector(target), html)).unwrap();
        let Answer::Text(got) = fixture.html(Target::Selector(target)) else { panic!("{target}") };
        assert!(got.ends_with(expect), "{target}: {got}");
    }
    let onclick = Call::SetAttribute(Target::Selector("body"), "onclick", "x");
    assert_eq!(fixture.call(onclick).unwrap_err().kind(), ErrorKind::NotSupported);
    // A grant for raw markup does not include permission to write.
    fixture.proxy.regrant(Grants {
        read: Reach::Everything,
        raw: inside("#one"),
        ..Grants::default()
    });
    let set = Call::SetHtml(Target::Selector("#one"), html);
    assert_eq!(fixture.call(set).unwrap(), Answer::Is(false));
}

#[test]
fn what_a_grant_names_is_not_found_anew_when_another_grant_comes() {
    let mut fixture = fixture(inside(".open"), Reach::Everything);
    let before = fixture.count("*");
    let set = Call::SetAttribute(Target::Selector("#secret"), "class", "open");
    assert_eq!(fixture.call(set).unwrap(), Answer::Is(true));
    let read = Reach::Inside(vec![".open".into(), "#nothing".into()]);
    fixture.proxy.regrant(Grants { read, write: Reach::Everything, raw: Reach::Nothing });
    assert_eq!(fixture.count("*"), before);
    assert_eq!(fixture.count("#secret"), 0);
}

#[test]
fn attributes_that_run_or_load_are_refused() {
    let mut fixture = fixture(Reach::Everything, Reach::Everything);
    for (name, value) in [("onclick", "x"), ("STYLE", "x"), ("srcdoc", "x"), ("is", "x")] {
        let set = Call::SetAttribute(Target::Selector("h1"), name, value);
        assert_eq!(fixture.call(set).unwrap_err().kind(), ErrorKind::NotSupported, "{name}");
    }
    let set = Call::SetAttribute(Target::Selector("h1"), "title", "fine");
    assert_eq!(fixture.call(set).unwrap(), Answer::Is(true));
}

#[test]
fn code_is_not_a_tools_to_write() {
    let mut page = Page::parse("<script>a</script><style>b</style>", Budget::default()).unwrap();
    let mut proxy = Proxy::new(everything());
    for target in [Target::Selector("script"), Target::Selector("style")] {
        for call in [
            Call::SetTextContent(target, "x"),
            Call::SetHtml(target, "x"),
            Call::Append(target, "x"),
        ] {
            assert!(proxy.call(&mut page, &call).is_err(), "{call:?}");
        }
    }
}

#[test]
fn what_a_person_would_do_is_told_to_the_host() {
    let mut fixture = fixture(Reach::Everything, Reach::Everything);
    fixture.call(Call::Fill(Target::Selector("[name=q]"), "tea & cake")).unwrap();
    fixture.call(Call::Fill(Target::Selector("textarea"), "long")).unwrap();
    fixture.call(Call::Fill(Target::Selector("select"), "w")).unwrap();
    assert!(fixture.call(Call::Fill(Target::Selector("select"), "none")).is_err());
    assert!(fixture.call(Call::Fill(Target::Selector("h1"), "x")).is_err());
    fixture.call(Call::Click(Target::Selector("#one p"))).unwrap();
    fixture.call(Call::Submit(Target::Selector("textarea"))).unwrap();
    let events = fixture.page.take_events();
    let submit = &events[4];
    assert_eq!(submit.path, "html > body:nth-child(2) > div:nth-child(3) > form:nth-child(1)");
    let fields = [("q", "tea & cake"), ("t", "long"), ("s", "w")];
    let fields: Vec<_> = fields.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    assert_eq!(submit.kind, EventKind::Submit(fields));
    assert_eq!(events[3].kind, EventKind::Click);
    assert_eq!(fixture.page.take_events(), []);
}

#[test]
fn a_form_outside_the_scope_is_not_submitted() {
    let mut fixture = fixture(Reach::Nothing, inside("textarea"));
    assert_eq!(
        fixture.call(Call::Submit(Target::Selector("textarea"))).unwrap(),
        Answer::Is(false)
    );
}

#[test]
fn markup_in_a_loop_stays_in_the_budget() {
    let budget = Budget { bytes: 1 << 20, nodes: 2_000, depth: 600 };
    let mut page = Page::parse(PAGE, budget).unwrap();
    let mut proxy = Proxy::new(everything());
    let html = "<ul><li>x</ul>".repeat(100);
    for _ in 0..200 {
        let set = Call::SetHtml(Target::Selector("#one"), &html);
        assert_eq!(proxy.call(&mut page, &set).unwrap(), Answer::Is(true));
    }
    let big = "<ul><li>x</ul>".repeat(2_000);
    let error = proxy.call(&mut page, &Call::Append(Target::Selector("#one"), &big)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::QuotaExceeded);
    let count = proxy.call(&mut page, &Call::Count("li")).unwrap();
    assert_eq!(count, Answer::Count(100), "what does not fit changes nothing");
}

#[test]
fn long_answers_are_cut_and_said_to_be() {
    let mut page = Page::parse(&format!("<p>{}", "ü".repeat(100_000)), Budget::default()).unwrap();
    let mut proxy = Proxy::new(Grants { read: Reach::Everything, ..Grants::default() });
    let call = Call::QuerySelector { within: None, selector: "p" };
    let Answer::Element(copy) = proxy.call(&mut page, &call).unwrap() else { panic!() };
    assert!(copy.cut && copy.text.len() <= 64 * 1024);
    let text = proxy.call(&mut page, &Call::GetTextContent(Target::Handle(copy.handle))).unwrap();
    assert_eq!(text, Answer::Text("ü".repeat(100_000)));
}

#[test]
fn the_host_can_widen_what_is_there() {
    let mut fixture = fixture(inside(".new"), Reach::Nothing);
    assert_eq!(fixture.count("*"), 0);
    let document = fixture.page.document();
    let tree = fixture.page.tree_mut();
    let h1 = tree.query_first(document, "h1").unwrap().unwrap();
    tree.set_attribute(h1, "class", "new").unwrap();
    assert_eq!(fixture.count("*"), 1);
}

#[test]
fn the_very_selector_of_a_grant_finds_what_it_names() {
    let mut fixture = fixture(inside("body > .open p"), Reach::Nothing);
    assert_eq!(fixture.count("body > .open p"), 2);
    assert_eq!(fixture.first("body > .open p").unwrap().text, "a");
    assert_eq!(fixture.count("body > .open  p"), 0, "another text is another selector");
    assert_eq!(fixture.count("p"), 2);
}

#[test]
fn grants_that_change_are_looked_at_anew_and_handles_stay() {
    let mut fixture = fixture(Reach::Everything, Reach::Nothing);
    let (secret, one) =
        (fixture.first("#secret").unwrap().handle, fixture.first("#one").unwrap().handle);
    fixture.proxy.regrant(Grants { read: inside("#one"), ..Grants::default() });
    assert_eq!(fixture.html(Target::Handle(secret)), Answer::Nothing);
    assert!(matches!(fixture.html(Target::Handle(one)), Answer::Text(_)));
    fixture.proxy.regrant(Grants::default());
    assert_eq!(fixture.html(Target::Handle(one)), Answer::Nothing);
}

#[test]
fn what_is_text_where_scripts_run_is_not_written_to() {
    let page = "<body><noscript><div id=a><input id=b></div></noscript><p id=c>";
    let mut page = Page::parse(page, Budget::default()).unwrap();
    let mut proxy = Proxy::new(everything());
    let end = "</noscript><img src=x onerror=x()>";
    let attribute = format!("<b title='{end}'></b>");
    for call in [
        Call::SetAttribute(Target::Selector("#a"), "title", end),
        Call::SetHtml(Target::Selector("#a"), &attribute),
        Call::Append(Target::Selector("#a"), &attribute),
        Call::SetTextContent(Target::Selector("#a"), end),
        Call::Fill(Target::Selector("#b"), end),
    ] {
        let refused = proxy.call(&mut page, &call).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::NotSupported, "{call:?}");
    }
    let set = Call::SetAttribute(Target::Selector("#c"), "title", end);
    assert_eq!(proxy.call(&mut page, &set).unwrap(), Answer::Is(true));
}

#[test]
fn nothing_leaves_when_the_page_is_shown_or_a_form_is_sent() {
    let mut fixture = fixture(Reach::Everything, Reach::Everything);
    let check = |fixture: &mut Fixture, html: &str, expect: &str| {
        fixture.call(Call::SetHtml(Target::Selector("#one"), html)).unwrap();
        assert_eq!(fixture.html(Target::Selector("#one")), Answer::Text(expect.into()), "{html}");
    };
    for away in [
        "https://x.example/?s",
        "//x.example/",
        "\\\\x.example",
        "/\\x.example",
        "h\nttps:x",
        "\t//x",
        "blob:x",
    ] {
        check(&mut fixture, &format!("<img src=\"{away}\">"), "<img>");
        check(&mut fixture, &format!("<form action=\"{away}\"></form>"), "<form></form>");
    }
    for near in ["a.png", "/a/b.png?c#d", "./a:b", "?a=//b"] {
        let html = format!("<img src=\"{near}\">");
        check(&mut fixture, &html, &html);
    }
    let picture = "<img src=\"data:image/png;base64,AA\">";
    check(&mut fixture, picture, picture);
    check(&mut fixture, "<form action=\"data:image/png;base64,AA\"></form>", "<form></form>");
    check(&mut fixture, "<img src=\"data:image/svg+xml;base64,AA\">", "<img>");
}
