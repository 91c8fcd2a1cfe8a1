//! Measures parsing and queries on generated pages: `--example measure`.

use cofferdam_dom::proxy::{Call, Grants, Proxy, Reach};
use cofferdam_dom::{Budget, Page, Tree};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() {
    let page = article(1_000_000);
    let budget = Budget { bytes: 1 << 30, nodes: 10_000_000, depth: 4096 };

    let parse = median(31, || {
        let mut tree = Tree::new(budget);
        black_box(tree.parse_html(&page).is_ok());
    });
    let rate = page.len() as f64 / parse.as_secs_f64() / 1e6;
    let mut tree = Tree::new(budget);
    let Ok(document) = tree.parse_html(&page) else { return };
    let used = tree.usage();
    println!("parse 1 MB: {parse:?}, {rate:.0} MB/s ({} nodes, {} bytes)", used.nodes, used.bytes);

    for selector in ["h1", "#last", ".footer", "article section > p a.ref", "h1, .footer"] {
        let time = median(1001, || {
            black_box(tree.query_first(document, selector).is_ok());
        });
        println!("querySelector('{selector}') repeated: {time:?}");
    }
    let inner = median(31, || {
        black_box(tree.inner_html(document).map_or(0, |html| html.len()));
    });
    println!("serialise 1 MB: {inner:?}");

    if let Ok(mut page) = Page::parse(&page, budget) {
        for (name, reach) in
            [("everything", Reach::Everything), ("inside main", Reach::Inside(vec!["main".into()]))]
        {
            let mut proxy = Proxy::new(Grants { read: reach, ..Grants::default() });
            let call = Call::QuerySelector { within: None, selector: "h1" };
            let time = median(1001, || {
                black_box(proxy.call(&mut page, &call).is_ok());
            });
            println!("proxy, {name}, querySelector('h1') repeated: {time:?}");
        }
    }

    let mut many = String::from("<!DOCTYPE html><title>many</title>");
    for n in 0..10_000 {
        many.push_str(&format!(
            "<div class='row r{}'><ul><li><a href='/{n}'>a</a><li><b>b</b><li><i class=x>c</i></ul><p>t<span>s</span></div>",
            n % 7
        ));
    }
    let mut tree = Tree::new(budget);
    let Ok(document) = tree.parse_html(&many) else { return };
    let all = tree.query_all(document, "*").map_or(0, |all| all.len());
    for selector in
        ["*", "div", ".row.r3 li:nth-child(2) > b", "div:has(i.x) p > span", "a[href$='7'], i.x"]
    {
        // A change before each query, so that no index can be used.
        let mut flip = 0;
        let time = median(31, || {
            flip += 1;
            let _ = tree.create_comment(document, "").and_then(|c| tree.append_child(document, c));
            black_box(tree.query_all(document, selector).map_or(0, |found| found.len()));
        });
        let found = tree.query_all(document, selector).map_or(0, |found| found.len());
        println!("querySelectorAll('{selector}') over {all} elements: {time:?}, {found} found");
    }
}

fn median(times: usize, mut work: impl FnMut()) -> Duration {
    let mut all: Vec<Duration> = (0..times)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    all.sort();
    all[times / 2]
}

fn article(bytes: usize) -> String {
    let mut page = String::from(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A page</title></head><body><main><article>",
    );
    let mut n = 0;
    while page.len() < bytes {
        n += 1;
        page.push_str(&format!(
            "<section id=\"s{n}\" class=\"part level-{}\"><h2 class=\"title\">Part {n} &amp; more</h2>\
             <p>It is a truth universally acknowledged, that a single man in possession of a good \
             fortune, must be in want of a <a class=\"ref\" href=\"/wiki/Wife_{n}\">wife</a>. However \
             little known the feelings or views of such a man may be on his first entering a \
             neighbourhood, this truth is so well fixed in the minds of the surrounding families.</p>\
             <ul><li>one <b>two</b><li>three <i>four</i></ul><img src=\"/i/{n}.png\" alt=\"\"></section>\n",
            n % 5
        ));
    }
    page.push_str("</article><h1>Last</h1><p class=footer id=last>end</p></main></body></html>");
    page
}
