//! Sandboxes that are kept, and their files.

use hyper::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::fixture::{Fixture, Folder, agent, fixture, settings, start, within};

async fn create(fixture: &Fixture, params: Json) -> String {
    let call = fixture.post("/v1/sandboxes", &params).token(&fixture.token);
    let made = call.send().await.json(StatusCode::CREATED).await;
    made["sandbox"].as_str().unwrap().to_owned()
}

async fn shell(fixture: &Fixture, sandbox: &str, command: &str) -> String {
    let params = json!({ "kind": "shell", "command": command, "sandbox": sandbox });
    fixture.exec(params).await["outcome"]["stdout"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sandbox_keeps_its_files_and_is_forked_restored_and_destroyed() {
    let fixture = fixture().await;
    let id = create(&fixture, json!({ "name": "work", "files": { "/a": "1" } })).await;
    shell(&fixture, "work", "echo 2 > /a").await;
    let post = |path: String, body: Json| fixture.post(&path, &body).token(&fixture.token).send();
    let snapshot = post(format!("/v1/sandboxes/{id}/snapshots"), json!({})).await;
    let snapshot = snapshot.json(StatusCode::CREATED).await["snapshot"].clone();
    let fork = post("/v1/sandboxes/work/fork".into(), json!({ "name": "copy" })).await;
    let fork = fork.json(StatusCode::CREATED).await["sandbox"].as_str().unwrap().to_owned();
    shell(&fixture, &id, "echo 3 > /a").await;
    assert_eq!(shell(&fixture, &fork, "cat /a").await, "2\n");
    let restored =
        post(format!("/v1/sandboxes/{id}/restore"), json!({ "snapshot": snapshot })).await;
    assert_eq!(restored.status(), StatusCode::NO_CONTENT);
    assert_eq!(shell(&fixture, &id, "cat /a").await, "2\n");
    let taken = post("/v1/sandboxes".into(), json!({ "name": "work" })).await;
    assert_eq!(taken.status(), StatusCode::CONFLICT);
    let gone =
        fixture.call(Method::DELETE, "/v1/sandboxes/work").token(&fixture.token).send().await;
    assert_eq!(gone.status(), StatusCode::NO_CONTENT);
    let gone = fixture.get("/v1/sandboxes/work").token(&fixture.token).send().await;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    let list = fixture.get("/v1/sandboxes").token(&fixture.token).send().await;
    let list = list.json(StatusCode::OK).await;
    assert_eq!(list["sandboxes"].as_array().unwrap().len(), 1);
    assert_eq!(list["sandboxes"][0]["name"], "copy");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_raw_bytes_in_whole_and_in_part() {
    let mut settings = settings();
    settings.file_bytes = 150_000;
    let fixture = start(settings, Folder::new()).await;
    let id = create(&fixture, json!({})).await;
    let path = format!("/v1/sandboxes/{id}/files/data/b.bin");
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let put = fixture.call(Method::PUT, &path).token(&fixture.token);
    let put = put.bytes("application/octet-stream", bytes.clone()).send().await;
    assert_eq!(put.status(), StatusCode::NO_CONTENT);
    let get = |range: &'static str| {
        let call = fixture.get(&path).token(&fixture.token);
        if range.is_empty() { call } else { call.header("range", range) }.send()
    };
    assert_eq!(get("").await.bytes().await, bytes);
    let part = get("bytes=10-19").await;
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.0.headers()["content-range"], "bytes 10-19/100000");
    assert_eq!(part.bytes().await, bytes[10..20]);
    assert_eq!(get("bytes=-5").await.bytes().await, bytes[99_995..]);
    assert_eq!(get("bytes=100000-").await.status(), StatusCode::RANGE_NOT_SATISFIABLE);
    let list = fixture.get(&format!("/v1/sandboxes/{id}/files/data?list=true"));
    let list = list.token(&fixture.token).send().await.json(StatusCode::OK).await;
    assert_eq!(list["entries"], json!([{ "name": "b.bin", "isFolder": false }]));
    let missing = fixture.get(&format!("/v1/sandboxes/{id}/files/none")).token(&fixture.token);
    assert_eq!(missing.send().await.status(), StatusCode::NOT_FOUND);
    let form = fixture.call(Method::PUT, &path).token(&fixture.token).bytes("text/plain", vec![1]);
    assert_eq!(form.send().await.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    // A body that is too long leaves the file as it was, and nothing beside it.
    let long = fixture.call(Method::PUT, &path).token(&fixture.token);
    let long = long.bytes("application/octet-stream", vec![0; 200_000]).send().await;
    assert_eq!(long.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(shell(&fixture, &id, "ls /data; wc -c < /data/b.bin").await, "b.bin\n100000\n");
    // No file of an agent becomes a page, and no other agent sees it.
    assert_eq!(get("").await.0.headers()["content-type"], "application/octet-stream");
    let other = agent(&fixture.store, "other", &[]);
    let stolen = fixture.get(&path).token(&other).send().await;
    assert_eq!(stolen.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_imported_again() {
    let fixture = fixture().await;
    let id = create(&fixture, json!({ "files": { "/a": "kept" } })).await;
    let archive = fixture.get(&format!("/v1/sandboxes/{id}/export")).token(&fixture.token);
    let archive = archive.send().await.bytes().await;
    let import = fixture.call(Method::POST, "/v1/sandboxes/import?name=copy").token(&fixture.token);
    let import = import.bytes("application/octet-stream", archive).send().await;
    import.json(StatusCode::CREATED).await;
    assert_eq!(shell(&fixture, "copy", "cat /a").await, "kept");
    let bad = fixture.call(Method::POST, "/v1/sandboxes/import").token(&fixture.token);
    let bad = bad.bytes("application/octet-stream", vec![7; 100]).send().await;
    assert_eq!(bad.status(), StatusCode::UNPROCESSABLE_ENTITY);
}

/// T-BOX-005.
#[tokio::test(flavor = "multi_thread")]
async fn an_export_over_http_is_sealed() {
    let fixture = fixture().await;
    let id = create(&fixture, json!({ "files": { "/a": "kept" } })).await;
    let archive = fixture.get(&format!("/v1/sandboxes/{id}/export")).token(&fixture.token);
    let ours = archive.send().await.bytes().await;
    let import = |query: &str, archive: &[u8]| {
        let path = format!("/v1/sandboxes/import{query}");
        let call = fixture.call(Method::POST, &path).token(&fixture.token);
        call.bytes("application/octet-stream", archive.to_vec()).send()
    };
    let made = import("?sealed=true", &ours).await.json(StatusCode::CREATED).await;
    assert_eq!(made["sealed"], true);
    let other = cofferdam::SealKey::derived_from(b"another store").seal(ours.to_vec());
    let made = import("", &other).await.json(StatusCode::CREATED).await;
    assert_eq!(made["sealed"], false);
    assert_eq!(import("?sealed=true", &other).await.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(import("?sealed=maybe", &ours).await.status(), StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_sandbox_is_saved_or_dropped_as_it_was_told() {
    let fixture = fixture().await;
    let params = |name: &str, on: &str| json!({ "name": name, "idleSeconds": 1, "onIdle": on });
    create(&fixture, params("kept", "save")).await;
    create(&fixture, params("lost", "drop")).await;
    shell(&fixture, "kept", "echo still here > /a; export X=1").await;
    within(async {
        while !fixture.server.boxes().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let list = fixture.get("/v1/sandboxes").token(&fixture.token).send().await;
    let list = list.json(StatusCode::OK).await;
    assert_eq!(list["sandboxes"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["sandboxes"][0]["status"], "saved");
    assert_eq!(shell(&fixture, "kept", "cat /a; echo $X").await, "still here\n1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_outlive_the_server() {
    let fixture = fixture().await;
    let id = create(&fixture, json!({ "name": "work", "limits": { "timeoutMs": 5000 } })).await;
    shell(&fixture, "work", "echo 1 > /a").await;
    let token = fixture.token.clone();
    let folder = fixture.end().await;
    let mut next = start(settings(), folder).await;
    next.token = token;
    assert_eq!(shell(&next, "work", "cat /a").await, "1\n");
    let shown = next.get("/v1/sandboxes/work").token(&next.token).send().await;
    assert_eq!(shown.json(StatusCode::OK).await["sandbox"], json!(id));
}
