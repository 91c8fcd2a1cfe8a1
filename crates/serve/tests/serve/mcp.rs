//! MCP over HTTP: tools, questions, resources, in both revisions.

use hyper::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::client::Client;
use crate::fixture::{Fixture, Folder, agent, fixture, settings, start, within};

/// A script that needs a grant.
pub(crate) fn reader() -> Json {
    json!({ "language": "js", "why": "to add the numbers", "files": { "/data/a": "secret" },
        "code": "return String(await require('fs').promises.readFile('/data/a', 'utf8'))" })
}

/// A server whose calls wait for a person for one second.
pub(crate) async fn hasty() -> Fixture {
    start(cofferdam_serve::Settings { mcp_wait_seconds: 1, ..settings() }, Folder::new()).await
}

/// Capabilities of a client that shows links.
pub(crate) fn links() -> Json {
    json!({ "elicitation": { "url": {} } })
}

pub(crate) async fn decide(fixture: &Fixture, cookie: &str, question: &Json, allow: bool) {
    let path = format!("/v1/questions/{}/decision", question["question"].as_str().unwrap());
    let body = match allow {
        true => json!({ "seal": question["seal"], "allow": true, "span": "once" }),
        false => json!({ "seal": question["seal"], "allow": false, "reason": "use /data/b" }),
    };
    let answer = fixture.post(&path, &body).cookie(cookie).origin(&fixture.origin()).send().await;
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_in_both_revisions() {
    let fixture = fixture().await;
    let stateless = Client::stateless(&fixture, json!({}));
    let session = Client::with_session(&fixture, json!({})).await;
    for client in [&stateless, &session] {
        let result = client
            .tool(
                "run",
                json!({ "language": "ts", "code": "return 1 + args.n as number",
                "args": { "n": 2 } }),
            )
            .await;
        assert_eq!(result["structuredContent"]["result"], 3, "{result}");
        assert_eq!(result["isError"], false);
        let result = client
            .tool(
                "run",
                json!({ "language": "bash", "code": "cat; echo no >&2; exit 3",
                "stdin": "yes" }),
            )
            .await;
        let object = &result["structuredContent"];
        assert_eq!(
            (&object["stdout"], &object["stderr"], &object["exitCode"]),
            (&json!("yes"), &json!("no\n"), &json!(3)),
            "{result}"
        );
        // Names that models know from elsewhere.
        for (language, code) in [
            ("javascript", "console.log(1)"),
            ("typescript", "console.log(1 as number)"),
            ("py", "print(1)"),
            ("shell", "echo 1"),
        ] {
            let result = client.tool("run", json!({ "language": language, "code": code })).await;
            assert_eq!(result["structuredContent"]["stdout"], "1\n", "{language}: {result}");
        }
        let bad = client.tool("run", json!({ "language": "cobol", "code": "" })).await;
        assert_eq!(bad["isError"], true);
        assert!(bad["content"][0]["text"].as_str().unwrap().starts_with("language: unknown"));
    }
}

/// T-SERVE-001.
#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_tools_is_short_and_no_tool_grants() {
    let fixture = fixture().await;
    let client = Client::stateless(&fixture, json!({}));
    let list = client.send("tools/list", json!({})).await;
    assert!(list.to_string().len() <= 6 << 10, "{} bytes", list.to_string().len());
    let tools = list["result"]["tools"].as_array().expect("tools");
    let names: Vec<_> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    for tool in tools {
        assert!(tool["annotations"].is_object() && tool["outputSchema"].is_object(), "{tool}");
        let schema = tool["inputSchema"].to_string();
        let decides = ["grant", "approve", "allow", "deny", "revoke"];
        assert!(decides.iter().all(|word| !schema.contains(&format!("\"{word}"))), "{tool}");
    }
    let requests = tools.iter().find(|tool| tool["name"] == "requests").expect("requests");
    assert_eq!(requests["annotations"]["readOnlyHint"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_is_reported_and_resumed() {
    let fixture = hasty().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, json!({}));
    let mut messages = client.begin("run", reader()).await;
    let first = messages.next().await;
    assert_eq!(first["method"], "notifications/progress", "{first}");
    let result = messages.response().await["result"].clone();
    assert_eq!(result["isError"], true);
    let waiting = &result["structuredContent"]["waiting"][0];
    let question = fixture.question(&cookie).await;
    let link = format!("{}/requests/{}", fixture.origin(), question["question"].as_str().unwrap());
    assert_eq!(
        (&waiting["id"], &waiting["url"], &waiting["wants"][0]["capability"]),
        (&question["question"], &json!(link), &json!("fs:read:/data/a"))
    );
    assert!(result["content"][0]["text"].as_str().unwrap().contains(&link));
    // Still the same run, and still waiting.
    let run = result["structuredContent"]["run"].clone();
    let again = client.tool("run", json!({ "resume": run })).await;
    assert_eq!(again["structuredContent"]["status"], "waiting");
    let list = client.tool("requests", json!({})).await;
    assert_eq!(list["structuredContent"]["requests"][0]["id"], question["question"]);
    decide(&fixture, &cookie, &question, true).await;
    let done = client.tool("run", json!({ "resume": run })).await;
    assert_eq!(
        (&done["structuredContent"]["run"], &done["structuredContent"]["result"]),
        (&run, &json!("secret"))
    );
    // Another agent does not find it.
    let other = client.with_token(&agent(&fixture.store, "other", &[]));
    let foreign = other.tool("run", json!({ "resume": run })).await;
    assert_eq!(foreign["content"][0]["text"], "run: not found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_answered_by_coming_back() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, links());
    let result = client.tool("run", reader()).await;
    assert_eq!(result["resultType"], "input_required", "{result}");
    let question = fixture.question(&cookie).await;
    let id = question["question"].as_str().unwrap();
    let request = &result["inputRequests"][id];
    assert_eq!(
        (&request["method"], &request["params"]["mode"]),
        (&json!("elicitation/create"), &json!("url"))
    );
    let url = request["params"]["url"].as_str().unwrap();
    assert_eq!(url, format!("{}/requests/{id}", fixture.origin()));
    decide(&fixture, &cookie, &question, true).await;
    let done = client.send(
        "tools/call",
        json!({ "name": "run", "arguments": reader(),
        "requestState": result["requestState"], "inputResponses": { id: { "action": "accept" } } }),
    );
    let done = done.await["result"].clone();
    assert_eq!(done["structuredContent"]["result"], "secret", "{done}");
    assert_eq!(fixture.server.runs().all().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decline_leaves_the_question_open() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, links());
    let result = client.tool("run", reader()).await;
    let question = fixture.question(&cookie).await;
    let id = question["question"].as_str().unwrap();
    let declined = client.send("tools/call", json!({ "name": "run", "arguments": reader(),
        "requestState": result["requestState"], "inputResponses": { id: { "action": "decline" } } }));
    let declined = declined.await["result"].clone();
    assert_eq!(declined["structuredContent"]["status"], "waiting", "{declined}");
    assert_eq!(fixture.question(&cookie).await["question"], question["question"]);
    decide(&fixture, &cookie, &question, true).await;
    let run = &declined["structuredContent"]["run"];
    let done = client.tool("run", json!({ "resume": run })).await;
    assert_eq!(done["structuredContent"]["result"], "secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_sent_inside_the_call() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let client = Client::with_session(&fixture, links()).await;
    let mut messages = client.begin("run", reader()).await;
    let asked = messages.next_but_progress().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let question = fixture.question(&cookie).await;
    assert_eq!(asked["params"]["elicitationId"], question["question"]);
    let accepted = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": { "action": "accept" } });
    assert_eq!(client.post(accepted).await.status(), StatusCode::ACCEPTED);
    decide(&fixture, &cookie, &question, false).await;
    let result = messages.response().await["result"].clone();
    // The reason of the refusal reaches the agent.
    assert_eq!(result["isError"], true);
    let message = result["structuredContent"]["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(": use /data/b"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_call_cancels_its_run() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, json!({}));
    let messages = client.begin("run", reader()).await;
    fixture.question(&cookie).await;
    drop(messages);
    let run = fixture.server.runs().all()[0].clone();
    assert_eq!(within(run.outcome()).await["errorClass"], "CANCELLED");
}

#[tokio::test(flavor = "multi_thread")]
async fn long_output_is_a_resource() {
    let fixture = fixture().await;
    let client = Client::stateless(&fixture, json!({}));
    let result = client
        .tool(
            "run",
            json!({ "language": "js", "outputBytes": 100,
        "code": "console.log('x'.repeat(5000)); return { a: 'y'.repeat(5000) }" }),
        )
        .await;
    let object = &result["structuredContent"];
    assert!(object["stdout"].as_str().unwrap().len() < 200);
    assert!(object.get("result").is_none());
    let whole = client.send("resources/read", json!({ "uri": object["whole"]["result"] })).await;
    let text = whole["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Json>(text).unwrap()["a"].as_str().unwrap().len(), 5000);
    let other = client.with_token(&agent(&fixture.store, "other", &[]));
    let foreign = other.send("resources/read", json!({ "uri": object["whole"]["stdout"] })).await;
    assert!(foreign.get("error").is_some(), "{foreign}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_and_files_are_kept() {
    let fixture = fixture().await;
    let client = Client::stateless(&fixture, json!({}));
    let made = client.tool("sandbox", json!({ "action": "create", "name": "work" })).await;
    let id = made["structuredContent"]["sandbox"].clone();
    let file = |action: &str| json!({ "action": action, "sandbox": "work", "path": "/a/b" });
    let mut write = file("write");
    write["text"] = json!("hello");
    client.tool("files", write).await;
    let run = json!({ "language": "bash", "code": "cat /a/b /a/c", "sandbox": id,
        "files": { "/a/c": "!" } });
    assert_eq!(client.tool("run", run).await["structuredContent"]["stdout"], "hello!");
    assert_eq!(client.tool("files", file("read")).await["structuredContent"]["text"], "hello");
    let snapshot = client.tool("sandbox", json!({ "action": "snapshot", "sandbox": id })).await;
    let mut write = file("write");
    write["text"] = json!("other");
    client.tool("files", write).await;
    let snapshot = &snapshot["structuredContent"]["snapshot"];
    let restore = json!({ "action": "restore", "sandbox": id, "snapshot": snapshot });
    client.tool("sandbox", restore).await;
    let uri = format!("cofferdam://sandboxes/{}/files/a/b", id.as_str().unwrap());
    let read = client.send("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read["result"]["contents"][0]["text"], "hello", "{read}");
    let gone = client.tool("sandbox", json!({ "action": "destroy", "sandbox": id })).await;
    assert_eq!(gone["structuredContent"]["status"], "destroyed");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_declarations_name_what_a_tool_sees() {
    let fixture = fixture().await;
    let every = [
        "fs:read:/a",
        "process:exec:ls",
        "env:read:A",
        "storage:local:read:a",
        "storage:session:read:a",
    ];
    let token = agent(&fixture.store, "all", &every);
    let code = "const names = [];
        for (const [name, value] of Object.entries(btcp)) {
            names.push(name, ...(typeof value === 'object' ? Object.keys(value) : []));
        }
        return names";
    let params = json!({ "kind": "js", "code": code, "capabilities": every });
    let answer = fixture.post("/v1/exec", &params).token(&token).send().await;
    let outcome = answer.json(StatusCode::OK).await["outcome"].clone();
    let names = outcome["result"].as_array().unwrap().clone();
    assert!(names.len() > 15, "{outcome}");
    let client = Client::stateless(&fixture, json!({}));
    let read = client.send("resources/read", json!({ "uri": "cofferdam://api/tool.d.ts" })).await;
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    for name in names {
        let name = name.as_str().unwrap();
        let is_declared =
            [format!(" {name}("), format!(" {name}:")].iter().any(|d| text.contains(d));
        assert!(is_declared, "{name}");
    }
}

/// T-MCP-001.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_agent_of_a_session_uses_it() {
    let fixture = fixture().await;
    let session = Client::with_session(&fixture, json!({})).await;
    let none = fixture.post("/mcp", &json!({})).send().await;
    assert_eq!(none.status(), StatusCode::UNAUTHORIZED);
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let thief = Client::stateless(&fixture, json!({}))
        .in_session(session.session())
        .with_token(&agent(&fixture.store, "thief", &[]));
    assert_eq!(thief.post(ping.clone()).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(session.post(ping.clone()).await.status(), StatusCode::OK);
    let call = fixture.call(Method::POST, "/mcp").json(&ping).token(&fixture.token);
    let foreign = call.origin("http://evil.example").send().await;
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
}
