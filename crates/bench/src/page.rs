//! Measures a browser library that runs on a page, in a document of the tool's own.

use std::time::{Duration, Instant};

use cofferdam::{Boundary, Error, Limits, Sandbox, Tool};
use serde_json::json;

use crate::{micros, report};

/// Measures complete calls: parse the page, extract the article, drop the cell.
pub(crate) async fn measure(readability: &str, html: &str) -> Result<(), Error> {
    let source = format!(
        "{readability}
        const page = new DOMParser().parseFromString(args.html, 'text/html');
        const article = new Readability(page).parse();
        return `${{article.title}}: ${{article.length}}`;"
    );
    // The source is the library and a few lines.
    let limits = Limits::default().with_time(Duration::from_secs(30)).with_source_bytes(1 << 20);
    let sandbox = Sandbox::builder().limits(limits).boundary(Boundary::Iframe).build()?;
    let tool = Tool::javascript(source).args(json!({ "html": html })).named("readability.js");
    let mut samples = Vec::new();
    let mut check = json!(null);
    for round in 0..24 {
        let began = Instant::now();
        let outcome = sandbox.run(&tool).await?;
        let took = micros(began.elapsed()) / 1e3;
        check = outcome.result_json().unwrap_or_else(|| panic!("page: {:?}", outcome.error()));
        if round >= 4 {
            samples.push(took);
        }
    }
    report("page", "ms", &mut samples, Some(check));
    Ok(())
}
