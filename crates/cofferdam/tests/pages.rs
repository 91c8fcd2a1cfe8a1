//! The page of a sandbox: held in this process, held elsewhere, copied for a fork.

use std::sync::{Arc, Mutex};
use std::thread;

use cofferdam::dom::proxy::{Grants, Proxy, Reach};
use cofferdam::dom::{Budget, Page};
use cofferdam::page::{Answered, Asked, Elsewhere};
use cofferdam::permissions::{Span, Terms};
use cofferdam::{Ending, Outcome, Sandbox, SandboxBuilder, Tool};
use serde_json::{Value as Json, json};

/// A page on another thread, like a browser tab. It records the grants of each call.
struct Tab {
    page: Arc<Mutex<(Page, Proxy)>>,
    reached: Arc<Mutex<Vec<Grants>>>,
}

impl Tab {
    fn new(html: &str) -> Self {
        let page = Page::parse(html, Budget::default()).expect("a page");
        let page = Arc::new(Mutex::new((page, Proxy::default())));
        Tab { page, reached: Arc::default() }
    }
}

impl Elsewhere for Tab {
    fn answer(&self, asked: Asked) -> Answered {
        let (grants, page) = (asked.grants.clone(), self.page.clone());
        self.reached.lock().expect("no panic").push(grants.clone());
        let (send, receive) = tokio::sync::oneshot::channel();
        thread::spawn(move || {
            let (page, proxy) = &mut *page.lock().expect("no panic");
            proxy.regrant(grants);
            let _ = send.send(proxy.call(page, &asked.call()));
        });
        Box::pin(async move { receive.await.expect("an answer") })
    }
}

fn granted(capabilities: &[&str]) -> SandboxBuilder {
    let parse = |text: &&str| text.parse().expect("a capability");
    capabilities.iter().map(parse).fold(Sandbox::builder(), SandboxBuilder::grant)
}

async fn run(sandbox: &Sandbox, source: &str) -> Outcome {
    sandbox.run(&Tool::javascript(source)).await.expect("a sandbox that works")
}

#[track_caller]
fn check(outcome: &Outcome, result: Json) {
    assert_eq!(outcome.result_json(), Some(result), "{:?}", outcome.error());
}

const SHOP: &str = "<h1>Shop</h1><ul id=cart><li>bread</ul><p id=card>4711</p>";

#[tokio::test]
async fn a_page_elsewhere_is_read_and_changed() {
    let sandbox = granted(&["dom:read", "dom:write"]).page_elsewhere(Tab::new(SHOP));
    let sandbox = sandbox.build().expect("a sandbox");
    let source = "await btcp.dom.setTextContent('h1', 'Closed');
        return [await btcp.dom.getTextContent('h1'), (await btcp.dom.querySelector('li')).text,
            await btcp.dom.querySelector('video')]";
    check(&run(&sandbox, source).await, json!(["Closed", "bread", null]));
    assert_eq!(sandbox.page_html(), None);
}

#[tokio::test]
async fn a_page_elsewhere_is_told_what_may_be_reached() {
    let tab = Tab::new(SHOP);
    let reached = tab.reached.clone();
    let sandbox = granted(&["dom:read:#cart"]).page_elsewhere(tab).build().expect("a sandbox");
    let source = "return [await btcp.dom.count('li'), await btcp.dom.exists('#card')]";
    check(&run(&sandbox, source).await, json!([1, false]));
    let reached = reached.lock().expect("no panic");
    let cart = Grants { read: Reach::Inside(vec!["#cart".to_owned()]), ..Grants::default() };
    assert_eq!(*reached, [cart.clone(), cart]);
}

#[tokio::test]
async fn a_page_elsewhere_is_not_asked_without_leave() {
    let tab = Tab::new(SHOP);
    let reached = tab.reached.clone();
    let sandbox = granted(&["dom:read"]).page_elsewhere(tab).build().expect("a sandbox");
    let outcome = run(&sandbox, "await btcp.dom.remove('#card')").await;
    assert!(matches!(outcome.ending, Ending::Denied(_)), "{:?}", outcome.ending);
    assert!(reached.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn what_is_wrong_elsewhere_is_thrown() {
    let sandbox = granted(&["dom:read"]).page_elsewhere(Tab::new(SHOP)).build();
    let source = "try { await btcp.dom.count('li[') } catch (error) { return error.name }";
    check(&run(&sandbox.expect("a sandbox"), source).await, json!("SyntaxError"));
}

#[tokio::test]
async fn a_fork_has_a_page_of_its_own() {
    let sandbox = granted(&["dom:read", "dom:write"]).page(SHOP).build().expect("a sandbox");
    let fork = sandbox.fork().expect("a fork");
    run(&fork, "await btcp.dom.setTextContent('h1', 'Fork')").await;
    check(&run(&fork, "return btcp.dom.getTextContent('h1')").await, json!("Fork"));
    check(&run(&sandbox, "return btcp.dom.getTextContent('h1')").await, json!("Shop"));
}

#[tokio::test]
async fn markup_is_sanitised_unless_the_grant_says_otherwise() {
    let source = "await btcp.dom.setHTML('h1', '<b onclick=x()>new</b><script>x()</script>')";
    let page = |builder: SandboxBuilder| async move {
        let sandbox = builder.page(SHOP).build().expect("a sandbox");
        run(&sandbox, source).await;
        sandbox.page_html().expect("a page")
    };
    let sanitised = page(granted(&["dom:read", "dom:write"])).await;
    assert!(sanitised.contains("<h1><b>new</b></h1>"), "{sanitised}");
    let raw = page(granted(&["dom:read", "dom:write:raw@h1"])).await;
    assert!(raw.contains(r#"<b onclick="x()">new</b><script>x()</script>"#), "{raw}");
}

#[tokio::test]
async fn a_counted_grant_is_used_up_by_what_it_allows_and_by_nothing_else() {
    let sandbox = granted(&["dom:read", "dom:write:#cart"]).page(SHOP).build().expect("a sandbox");
    for (capability, max) in [("dom:write:#card", 2), ("dom:write:raw@#cart", 1)] {
        let terms = Terms::new(capability.parse().expect("a capability"), Span::Session).max(max);
        sandbox.grant(terms).expect("a grant");
    }
    let source = "const { dom } = btcp, html = '<b onclick=\"x()\"></b>';
        const card = (await dom.querySelector('#card')).handle;
        return [
          await dom.append('#cart', html), await dom.append('#cart', html),
          await dom.setTextContent('#cart', 'sold'),
          await dom.setTextContent('#card', '1'), await dom.setTextContent(card, '2'),
          await dom.setTextContent(card, '3'), await dom.setTextContent('p', '4'),
          await dom.getTextContent('#card'), await dom.getTextContent('#cart'),
        ]";
    let expect = json!([true, true, true, true, true, false, false, "2", "sold"]);
    check(&run(&sandbox, source).await, expect);
    let left: Vec<_> = sandbox
        .permissions()
        .grants()
        .iter()
        .map(|grant| (grant.uses, grant.capability.to_string()))
        .collect();
    assert!(left.contains(&(Some(0), "dom:write:raw@#cart".to_owned())), "{left:?}");
    assert!(left.contains(&(Some(0), "dom:write:#card".to_owned())), "{left:?}");
}
