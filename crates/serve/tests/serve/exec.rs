//! Runs of agents.

use hyper::{Method, StatusCode};
use serde_json::json;

use crate::fixture::{agent, fixture, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_run_returns_its_outcome() {
    let fixture = fixture().await;
    let answer = fixture.exec(json!({ "kind": "js", "code": "return 1 + 1" })).await;
    assert_eq!(answer["outcome"]["result"], 2);
    let answer = fixture.exec(json!({ "kind": "shell", "command": "echo a; exit 3" })).await;
    assert_eq!(answer["outcome"]["exitCode"], 3);
    assert_eq!(answer["outcome"]["stdout"], "a\n");
    let path = format!("/v1/runs/{}", answer["run"].as_str().unwrap());
    let run = fixture.get(&path).token(&fixture.token).send().await.json(StatusCode::OK).await;
    assert_eq!((&run["status"], &run["kind"]), (&json!("ended"), &json!("shell")));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_can_be_taken_up_again() {
    let fixture = fixture().await;
    let params = json!({ "kind": "shell", "command": "echo a; echo b >&2; echo c" });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let mut answer = call.header("accept", "text/event-stream").send().await;
    let location = answer.0.headers()["location"].to_str().unwrap().to_owned();
    let text = answer.until("result").await;
    let out: String = data(&text, "stdout");
    assert_eq!((out.as_str(), data(&text, "stderr").as_str()), ("a\nc\n", "b\n"));
    let events = format!("{location}/events");
    let again = fixture.get(&events).token(&fixture.token).send().await.text().await;
    assert_eq!(again, text);
    let last = fixture.get(&events).token(&fixture.token).header("last-event-id", "1");
    let last = last.send().await.text().await;
    assert!(
        text.ends_with(&last) && last.len() < text.len() && last.starts_with("id: 2\n"),
        "{last}"
    );
    // Nobody else sees the run.
    let other = agent(&fixture.store, "other", &[]);
    for path in [&events, &location] {
        let answer = fixture.get(path).token(&other).send().await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }
    let answer = fixture.call(Method::DELETE, &location).token(&other).send().await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}

/// Returns the text of all events of a name.
fn data(stream: &str, name: &str) -> String {
    let events = stream.split("\n\n").filter(|event| event.contains(&format!("event: {name}\n")));
    let text = |event: &str| {
        let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        data["text"].as_str().unwrap().to_owned()
    };
    events.map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn output_streams_while_the_run_goes_on_and_a_run_can_be_cancelled() {
    let fixture = fixture().await;
    let params = json!({ "kind": "js", "code": "console.log('begun'); for (;;);" });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let mut answer = call.header("accept", "text/event-stream").send().await;
    let location = answer.0.headers()["location"].to_str().unwrap().to_owned();
    let text = answer.until("stdout").await;
    assert!(text.contains("begun") && !text.contains("event: result"), "{text}");
    let cancelled = fixture.call(Method::DELETE, &location).token(&fixture.token).send().await;
    assert_eq!(cancelled.status(), StatusCode::NO_CONTENT);
    assert!(answer.until("result").await.contains("CANCELLED"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_runs_once() {
    let fixture = fixture().await;
    let made = json!({ "name": "box" });
    let made = fixture.post("/v1/sandboxes", &made).token(&fixture.token).send().await;
    made.json(StatusCode::CREATED).await;
    let params = json!({ "kind": "shell", "command": "echo x >> f; wc -l < f", "sandbox": "box" });
    let send = |key: &'static str, params: serde_json::Value| {
        let call = fixture.post("/v1/exec", &params).token(&fixture.token);
        call.header("idempotency-key", key).send()
    };
    let first = send("k", params.clone()).await.json(StatusCode::OK).await;
    let second = send("k", params.clone()).await.json(StatusCode::OK).await;
    assert_eq!(first, second);
    assert_eq!(first["outcome"]["stdout"].as_str().unwrap().trim(), "1");
    let third = send("other", params).await.json(StatusCode::OK).await;
    assert_eq!(third["outcome"]["stdout"].as_str().unwrap().trim(), "2");
    let changed = send("k", json!({ "kind": "js", "code": "1" })).await;
    assert_eq!(changed.status(), StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_remembered_by_the_next_server() {
    let fixture = fixture().await;
    let params = json!({ "kind": "js", "code": "return Math.random()" });
    let first = fixture.post("/v1/exec", &params).token(&fixture.token);
    let first = first.header("idempotency-key", "k").send().await.json(StatusCode::OK).await;
    let token = fixture.token.clone();
    let folder = fixture.end().await;
    let next = crate::fixture::start(crate::fixture::settings(), folder).await;
    let second = next.post("/v1/exec", &params).token(&token);
    let second = second.header("idempotency-key", "k").send().await.json(StatusCode::OK).await;
    assert_eq!(first, second);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_may_wait_less_than_the_run_takes() {
    let fixture = fixture().await;
    let params = json!({ "kind": "js", "code": "for (;;);" });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let answer = call.header("prefer", "respond-async").send().await;
    let run = answer.json(StatusCode::ACCEPTED).await;
    assert_eq!(run["status"], "running");
    let path = format!("/v1/runs/{}", run["run"].as_str().unwrap());
    let cancelled = fixture.call(Method::DELETE, &path).token(&fixture.token).send().await;
    assert_eq!(cancelled.status(), StatusCode::NO_CONTENT);
    let record = fixture.server.runs().get(run["run"].as_str().unwrap()).unwrap();
    assert_eq!(within(record.outcome()).await["errorClass"], "CANCELLED");
}

/// T-SERVE-002.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_names_nothing_of_the_host() {
    let fixture = fixture().await;
    let token = agent(&fixture.store, "reader", &["fs:read:/data/**"]);
    let refused = [
        json!({ "kind": "js", "code": "1", "mounts": [{ "host": "/etc", "at": "/e" }] }),
        json!({ "kind": "js", "code": "1", "functions": [{ "name": "f" }] }),
        json!({ "kind": "wasm", "wasm": { "path": "/etc/passwd" } }),
        json!({ "kind": "js", "code": "1", "programs": { "p": { "path": "/etc/passwd" } } }),
        json!({ "kind": "js", "code": "1", "capabilities": ["network:fetch"] }),
        json!({ "kind": "js", "code": "1", "capabilities": ["fs:read"] }),
        json!({ "kind": "js", "code": "1", "limits": { "timeoutMs": 86_400_000 } }),
        json!({ "kind": "js", "code": "1", "limits": { "timeoutMs": 1e18 } }),
        json!({ "kind": "js", "code": "1", "limits": { "memoryBytes": u64::MAX } }),
    ];
    for params in refused {
        for path in ["/v1/exec", "/v1/sandboxes"] {
            let mut params = params.clone();
            if path == "/v1/sandboxes" {
                params.as_object_mut().unwrap().retain(|name, _| name != "kind" && name != "code");
            }
            let answer = fixture.post(path, &params).token(&token).send().await;
            assert_eq!(answer.status(), StatusCode::UNPROCESSABLE_ENTITY, "{path} {params}");
        }
    }
    let params = json!({ "kind": "js", "capabilities": ["fs:read:/data/a"], "files": { "/data/a": "x" },
        "code": "return await btcp.fs.readFile('/data/a', 'utf8')" });
    let answer = fixture.post("/v1/exec", &params).token(&token).send().await;
    assert_eq!(answer.json(StatusCode::OK).await["outcome"]["errorClass"], json!(null));
}
