//! A scraper over saved pages: one tool per page, which sees one element of the page.
//!
//! The pages are hostile, like anything from the web. They are parsed on the host, and no script of
//! theirs runs. The tool gets copies of the elements that its grant names, and nothing else.
//!
//! `cargo run --release --workspace --example scraper`

use cofferdam::{Ending, Sandbox, Tool};

const PAGES: &[(&str, &str)] = &[
    (
        "shop.html",
        "<!DOCTYPE html><title>Shop</title>
         <table id=prices><tr><td>tea<td>3<tr><td>milk<td>2</table>
         <form><input name=token value=s3cr3t></form>",
    ),
    (
        "market.html",
        "<title>Market</title><div id=login>user: admin</div>
         <table id=prices><tr><td>tea<td>2.5<tr><td>bread<td>4
         <tr><td><script>alert(1)</script>jam<td>5</table>",
    ),
    ("empty.html", "<title>Nothing here"),
];

const TOOL: &str = "
const rows = await btcp.dom.querySelectorAll('#prices tr');
const prices = {};
for (const row of rows) {
    const [name, price] = await btcp.dom.querySelectorAll('td', row);
    prices[name.text.trim()] = Number(price.text);
}
if (await btcp.dom.exists('input, #login')) throw new Error('it sees more than it should');
return prices;
";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = Tool::javascript(TOOL);
    for (name, html) in PAGES {
        let sandbox = Sandbox::builder().page(*html).grant("dom:read:#prices".parse()?).build()?;
        let outcome = sandbox.run(&tool).await?;
        match outcome.ending {
            Ending::Returned(_) => {
                println!("{name}: {}", outcome.result_json().unwrap_or_default());
            }
            _ => println!("{name}: {}", outcome.error().unwrap_or_default().message),
        }
    }
    Ok(())
}
