//! The audit log, live events, health and numbers.

use hyper::StatusCode;
use serde_json::json;

use crate::fixture::fixture;

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_filtered_and_read_in_pages() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let mut runs = Vec::new();
    for _ in 0..5 {
        let answer = fixture.exec(json!({ "kind": "js", "code": "return 1" })).await;
        runs.push(answer["run"].clone());
    }
    let get = |query: &str| fixture.get(&format!("/v1/audit{query}")).cookie(&cookie).send();
    let ends = get("?event=end&limit=2").await.json(StatusCode::OK).await;
    let lines = ends["lines"].as_array().unwrap();
    assert_eq!(lines.iter().map(|line| &line["run"]).collect::<Vec<_>>(), [&runs[3], &runs[4]]);
    let before = format!("?event=end&limit=2&before={}", lines[0]["number"]);
    let page = get(&before).await.json(StatusCode::OK).await;
    assert_eq!(page["lines"][1]["run"], runs[2]);
    let of_run = get(&format!("?run={}", runs[0].as_str().unwrap())).await;
    let of_run = of_run.json(StatusCode::OK).await;
    assert_eq!(of_run["lines"].as_array().unwrap().len(), 2);
    let bad = get("?event=nothing").await;
    assert_eq!(bad.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let mut stream = fixture.get("/v1/audit?event=end").cookie(&cookie);
    stream = stream.header("accept", "text/event-stream");
    let mut stream = stream.send().await;
    assert!(stream.until("line").await.contains("\"event\":\"end\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_and_runs_are_told_as_they_happen() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let mut live = fixture.get("/v1/events").cookie(&cookie).send().await;
    assert_eq!(live.0.headers()["content-type"], "text/event-stream");
    let params = json!({ "kind": "js", "code": "return await fetch('https://a.example')" });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    call.header("prefer", "respond-async").send().await;
    let text = live.until("asked").await;
    assert!(text.contains("event: run\n") && text.contains("https://a.example"), "{text}");
    fixture.server.runs().all()[0].cancel();
    live.until("closed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn health_readiness_and_numbers_need_no_credential() {
    let fixture = fixture().await;
    fixture.exec(json!({ "kind": "js", "code": "throw 1" })).await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(fixture.get(path).send().await.status(), StatusCode::OK, "{path}");
    }
    let text = fixture.get("/metrics").send().await.text().await;
    for line in [
        "cofferdam_runs_started_total 1",
        "cofferdam_runs_ended_total{class=\"EXECUTION_ERROR\"} 1",
        "cofferdam_http_requests_total{method=\"POST\",route=\"/v1/exec\",status=\"200\"} 1",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let unknown = fixture.get("/nothing").send().await;
    let headers = unknown.0.headers();
    assert_eq!(headers["content-type"], "application/problem+json");
    assert!(headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert_eq!(headers["cache-control"], "no-store");
    assert!(headers.contains_key("x-request-id"));
    assert_eq!(unknown.json(StatusCode::NOT_FOUND).await["code"], "not-found");
}
