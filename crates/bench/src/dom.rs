//! Measures the host's page: parsing, queries, and the cost of a tool's calls.

use std::hint::black_box;
use std::time::Instant;

use cofferdam::dom::{Budget, Tree};
use cofferdam::{Error, Sandbox, Tool};

use crate::{micros, report};

/// A budget that no measurement reaches.
const BUDGET: Budget = Budget { bytes: 1 << 30, nodes: 10_000_000, depth: 4096 };

pub(crate) async fn measure() -> Result<(), Error> {
    let page = article(1_000_000);
    let mut samples: Vec<f64> = (0..60)
        .map(|_| {
            let mut tree = Tree::new(BUDGET);
            let began = Instant::now();
            black_box(tree.parse_html(&page).is_ok());
            page.len() as f64 / micros(began.elapsed())
        })
        .collect();
    report("dom/parse", "MB/s", &mut samples[10..], None);
    look_through();
    reads(page).await
}

/// Measures queries over 100,000 elements. The tree changes before each query, so that no cached
/// index helps.
fn look_through() {
    let mut tree = Tree::new(BUDGET);
    let Ok(document) = tree.parse_html(&many()) else { return };
    for selector in ["*", ".row.r3 li:nth-child(2) > b", "div:has(i.x) p > span"] {
        let mut samples = Vec::new();
        let mut found = 0;
        for _ in 0..30 {
            let _ = tree.create_comment(document, "").and_then(|c| tree.append_child(document, c));
            let began = Instant::now();
            found = tree.query_all(document, selector).map_or(0, |found| found.len());
            samples.push(micros(began.elapsed()) / 1e3);
        }
        report(&format!("dom/all {selector}"), "ms", &mut samples, Some(found.into()));
    }
}

/// Measures a tool's calls, each of which crosses into the host.
async fn reads(page: String) -> Result<(), Error> {
    let read = |text: &str| text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    let sandbox = Sandbox::builder().page(page).grant(read("dom:read")).build()?;
    for call in ["getTextContent('h1')", "exists('#last')", "querySelector('h1')"] {
        loops(&sandbox, call, 200).await?;
    }
    let sandbox = Sandbox::builder().page(many()).grant(read("dom:read")).build()?;
    loops(&sandbox, "count('.row.r3 li:nth-child(2) > b')", 10).await?;
    let source = "const { dom } = btcp, samples = [];
        for (let round = 0; round < 20; round++) {
            const began = performance.now();
            await dom.querySelectorAll('.r3');
            samples.push(performance.now() - began);
        }
        return samples;";
    let mut samples = run(&sandbox, source).await?;
    report("dom/tool querySelectorAll('.r3')", "ms", &mut samples, None);
    Ok(())
}

async fn loops(sandbox: &Sandbox, call: &str, rounds: u32) -> Result<(), Error> {
    let source = format!(
        "const {{ dom }} = btcp, samples = [];
        for (let round = 0; round < {rounds}; round++) {{
            const began = performance.now();
            for (let i = 0; i < 100; i++) await dom.{call};
            samples.push((performance.now() - began) * 10);
        }}
        return samples;"
    );
    let mut samples = run(sandbox, &source).await?;
    report(&format!("dom/tool {call}"), "us", &mut samples, None);
    Ok(())
}

async fn run(sandbox: &Sandbox, source: &str) -> Result<Vec<f64>, Error> {
    let outcome = sandbox.run(&Tool::javascript(source)).await?;
    let result = outcome.result_json().unwrap_or_else(|| panic!("{:?}", outcome.error()));
    let items = result.as_array().cloned().unwrap_or_default();
    Ok(items.iter().filter_map(serde_json::Value::as_f64).collect())
}

/// Returns an article of at least `bytes` bytes: paragraphs, lists, links, some attributes.
fn article(bytes: usize) -> String {
    let mut page = String::from(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>A page</title></head>\
         <body><main><article>",
    );
    let mut n = 0;
    while page.len() < bytes {
        n += 1;
        page.push_str(&format!(
            "<section id=\"s{n}\" class=\"part level-{}\"><h2 class=\"title\">Part {n} &amp; \
             more</h2><p>It is a truth universally acknowledged, that a single man in possession \
             of a good fortune, must be in want of a <a class=\"ref\" \
             href=\"/wiki/Wife_{n}\">wife</a>. However little known the feelings or views of such \
             a man may be on his first entering a neighbourhood, this truth is so well fixed in \
             the minds of the surrounding families.</p><ul><li>one <b>two</b><li>three \
             <i>four</i></ul><img src=\"/i/{n}.png\" alt=\"\"></section>\n",
            n % 5
        ));
    }
    page.push_str("</article><h1>Last</h1><p class=footer id=last>end</p></main></body></html>");
    page
}

/// Returns a page of 100,004 elements.
fn many() -> String {
    let mut page = String::from("<!DOCTYPE html><title>many</title>");
    for n in 0..10_000 {
        page.push_str(&format!(
            "<div class='row r{}'><ul><li><a href='/{n}'>a</a><li><b>b</b><li><i class=x>c</i></ul>\
             <p>t<span>s</span></div>",
            n % 7
        ));
    }
    page
}
