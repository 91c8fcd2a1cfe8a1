//! Registered tools over HTTP and MCP.

use hyper::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::client::Client;
use crate::fixture::{Fixture, agent, fixture};
use crate::mcp::{decide, hasty};

fn sum() -> Json {
    json!({
        "name": "sum", "description": "Adds two numbers", "source": "return { sum: args.a + args.b }",
        "parameters": { "type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": { "a": { "type": "number" }, "b": { "type": "number" } } },
        "returns": { "type": "object", "properties": { "sum": { "type": "number" } } },
    })
}

async fn add(fixture: &Fixture, manifest: &Json) -> (StatusCode, Json) {
    let answer = fixture.post("/v1/tools", manifest).token(&fixture.token).send().await;
    let status = answer.status();
    (status, serde_json::from_str(&answer.text().await).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_added_called_and_removed() {
    let fixture = fixture().await;
    let (status, added) = add(&fixture, &sum()).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    assert_eq!(add(&fixture, &sum()).await.0, StatusCode::OK);
    let call = json!({ "args": { "a": 1, "b": 2 } });
    let called = fixture.post("/v1/tools/sum/call", &call).token(&fixture.token).send().await;
    let called = called.json(StatusCode::OK).await;
    assert_eq!(called["outcome"]["result"], json!({ "sum": 3 }), "{called}");
    let list = fixture.get("/v1/tools").token(&fixture.token).send().await;
    let list = list.json(StatusCode::OK).await;
    assert_eq!(list["tools"][0]["name"], "sum");
    assert!(list["tools"][0].get("source").is_none());
    // It belongs to the agent that added it.
    let other = agent(&fixture.store, "other", &[]);
    let foreign = fixture.post("/v1/tools/sum/call", &call).token(&other).send().await;
    assert_eq!(foreign.status(), StatusCode::NOT_FOUND);
    let removed = fixture.call(Method::DELETE, "/v1/tools/sum").token(&fixture.token).send().await;
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    let gone = fixture.get("/v1/tools/sum").token(&fixture.token).send().await;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_start_nothing() {
    let fixture = fixture().await;
    add(&fixture, &sum()).await;
    for args in [
        json!({ "a": 1 }),
        json!({ "a": 1, "b": "2" }),
        json!([]),
        json!({ "a": 1, "b": 2, "c": 3 }),
    ] {
        let call = fixture.post("/v1/tools/sum/call", &json!({ "args": args }));
        let refused = call.token(&fixture.token).send().await;
        assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY, "{args}");
    }
    assert_eq!(fixture.server.runs().all().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_breaks_its_promise_is_reported() {
    let fixture = fixture().await;
    let mut manifest = sum();
    manifest["source"] = json!("return { sum: 'much' }");
    add(&fixture, &manifest).await;
    let call = json!({ "args": { "a": 1, "b": 2 } });
    let called = fixture.post("/v1/tools/sum/call", &call).token(&fixture.token).send().await;
    let called = called.json(StatusCode::OK).await;
    assert!(called["mistake"].as_str().unwrap().starts_with("result/sum: "), "{called}");
    let client = Client::stateless(&fixture, json!({}));
    let result = client.tool("sum", json!({ "a": 1, "b": 2 })).await;
    assert_eq!(result["isError"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn registered_tools_are_tools_of_mcp() {
    let fixture = fixture().await;
    let client = Client::stateless(&fixture, json!({}));
    let mut given = sum();
    given["action"] = json!("add");
    let added = client.tool("tools", given).await;
    assert_eq!(added["structuredContent"]["isNew"], true, "{added}");
    let list = client.send("tools/list", json!({})).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    let own = tools.iter().find(|tool| tool["name"] == "sum").unwrap();
    assert_eq!(own["inputSchema"], sum()["parameters"]);
    assert_eq!(own["outputSchema"], sum()["returns"]);
    let result = client.tool("sum", json!({ "a": 2, "b": 3 })).await;
    assert_eq!(result["structuredContent"], json!({ "sum": 5 }), "{result}");
    let wrong = client.tool("sum", json!({ "a": 2 })).await;
    assert_eq!(wrong["isError"], true);
    let none = client.send("tools/call", json!({ "name": "nothing" })).await;
    assert_eq!(none["error"]["code"], -32602);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_hears_of_a_new_tool() {
    let fixture = fixture().await;
    let client = Client::with_session(&fixture, json!({})).await;
    let call = fixture.call(Method::GET, "/mcp").header("accept", "text/event-stream");
    let call = call.header("mcp-session-id", client.session()).token(&fixture.token);
    let mut stream = crate::client::Messages::of(call.send().await);
    // The person adds it, in another process.
    let store = cofferdam_store::Store::open(fixture.store.path()).unwrap();
    let manifest = sum().as_object().unwrap().clone();
    let manifest = cofferdam_serve::tools::Manifest::parse(manifest).ok().unwrap();
    cofferdam_serve::tools::add(&store, "", manifest).ok().unwrap();
    assert_eq!(stream.next().await["method"], "notifications/tools/list_changed");
}

/// T-MCP-004.
#[tokio::test(flavor = "multi_thread")]
async fn a_grant_does_not_carry_over_to_a_changed_source() {
    let fixture = hasty().await;
    let cookie = fixture.sign_in().await;
    let read = |more: &str| {
        json!({ "name": "read", "description": "Reads", "wants": ["env:read:HOME"],
            "source": format!("return 'read'{more}") })
    };
    add(&fixture, &read("")).await;
    let client = Client::stateless(&fixture, json!({}));
    let waits = client.tool("read", json!({})).await;
    assert_eq!(waits["structuredContent"]["status"], "waiting", "{waits}");
    let question = fixture.question(&cookie).await;
    assert!(question["tool"].as_str().unwrap().starts_with("read#"), "{question}");
    let path = format!("/v1/questions/{}/decision", question["question"].as_str().unwrap());
    let always = json!({ "seal": question["seal"], "allow": true, "span": "always" });
    let call = fixture.post(&path, &always).cookie(&cookie).origin(&fixture.origin());
    assert_eq!(call.send().await.status(), StatusCode::OK);
    let done = client.tool("run", json!({ "resume": waits["structuredContent"]["run"] })).await;
    assert_eq!(done["structuredContent"]["result"], "read");
    let again = client.tool("read", json!({})).await;
    assert_eq!(again["content"][0]["text"], "\"read\"", "{again}");
    // The same name with another source asks again.
    add(&fixture, &read(" + '!'")).await;
    let changed = client.tool("read", json!({})).await;
    assert_eq!(changed["structuredContent"]["status"], "waiting", "{changed}");
    let question = fixture.question(&cookie).await;
    decide(&fixture, &cookie, &question, false).await;
}

/// T-MCP-004.
#[tokio::test(flavor = "multi_thread")]
async fn the_console_shows_what_changed_in_a_tool() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let manifest = |source: &str| {
        json!({ "name": "peek", "description": "<b>Reads</b>", "source": source,
            "wants": ["fs:read:/data/a"] })
    };
    add(&fixture, &manifest("// <i>one</i>\nreturn 1")).await;
    let page = |path: String| {
        let call = fixture.get(&path).cookie(&cookie);
        async move { call.send().await.text().await }
    };
    let list = page("/tools".into()).await;
    assert!(list.contains("peek") && list.contains("&#60;b&#62;Reads"), "{list}");
    assert!(!list.contains("<b>"), "{list}");
    add(&fixture, &manifest("// <i>one</i>\nreturn 2")).await;
    let start = list.find("/tools/agt_").expect("a link");
    let path = list[start..].split('"').next().unwrap().to_owned();
    let shown = page(path.clone()).await;
    assert!(shown.contains("removed:</span>return 1"), "{shown}");
    assert!(shown.contains("added:</span>return 2"), "{shown}");
    assert!(!shown.contains("<i>"), "{shown}");
    // The question of the changed version shows the change.
    let call = fixture.post("/v1/tools/peek/call", &json!({ "args": {} })).token(&fixture.token);
    let calling = tokio::spawn(call.send());
    let question = fixture.question(&cookie).await;
    let asked = page(format!("/requests/{}", question["question"].as_str().unwrap())).await;
    assert!(asked.contains("added:</span>return 2"), "{asked}");
    let removed = fixture.call(Method::POST, &format!("{path}/remove")).cookie(&cookie);
    let removed = removed.origin(&fixture.origin());
    let removed = removed.bytes("application/x-www-form-urlencoded", Vec::new()).send().await;
    assert_eq!(removed.status(), StatusCode::SEE_OTHER);
    assert!(page("/tools".into()).await.contains("No tool is registered"));
    decide(&fixture, &cookie, &question, false).await;
    calling.await.unwrap().json(StatusCode::OK).await;
}
