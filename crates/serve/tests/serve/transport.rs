//! Limits of bodies and rates, and the end of the server.

use hyper::{Method, StatusCode};
use serde_json::json;

use crate::fixture::{Folder, fixture, settings, start, within};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_too_fast_is_told_when_to_come_back() {
    let mut settings = settings();
    (settings.rate, settings.burst) = (1, 5);
    let fixture = start(settings, Folder::new()).await;
    let mut statuses = Vec::new();
    for _ in 0..8 {
        let answer = fixture.get("/v1/runs").token(&fixture.token).send().await;
        if answer.status() == StatusCode::TOO_MANY_REQUESTS {
            assert_eq!(answer.0.headers()["retry-after"], "1");
        }
        statuses.push(answer.status());
    }
    assert_eq!(statuses[..5], [StatusCode::OK; 5]);
    assert!(statuses[5..].contains(&StatusCode::TOO_MANY_REQUESTS));
    // Others are not slowed down.
    assert_eq!(fixture.get("/healthz").send().await.status(), StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_has_a_longest_length() {
    let mut settings = settings();
    settings.body_bytes = 1000;
    let fixture = start(settings, Folder::new()).await;
    let params = json!({ "kind": "js", "code": "x".repeat(2000) });
    let answer = fixture.post("/v1/exec", &params).token(&fixture.token).send().await;
    assert_eq!(answer.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let call = fixture.call(hyper::Method::POST, "/v1/exec").token(&fixture.token);
    let answer = call.bytes("application/json", b"{".to_vec()).send().await;
    assert_eq!(answer.json(StatusCode::BAD_REQUEST).await["code"], "bad-request");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_waits_for_runs_and_cancels_those_that_wait() {
    let mut settings = settings();
    settings.drain_seconds = 1;
    let fixture = start(settings, Folder::new()).await;
    let run = |code: &str| {
        let params = json!({ "kind": "js", "code": code });
        let call = fixture.post("/v1/exec", &params).token(&fixture.token);
        call.header("prefer", "respond-async").send()
    };
    let ids = [
        run("await new Promise(r => setTimeout(r, 200)); return 'done'").await,
        run("for (;;);").await,
        run("return await fetch('https://a.example')").await,
    ];
    let mut records = Vec::new();
    for answer in ids {
        let id = answer.json(StatusCode::ACCEPTED).await["run"].as_str().unwrap().to_owned();
        records.push(fixture.server.runs().get(&id).unwrap());
    }
    let store = fixture.store.clone();
    let _folder = fixture.end().await;
    let outcome = |index: usize| records[index].outcome();
    assert_eq!(within(outcome(0)).await["result"], "done");
    assert_eq!(within(outcome(1)).await["errorClass"], "CANCELLED");
    assert_eq!(within(outcome(2)).await["errorClass"], "CANCELLED");
    let filter = cofferdam_store::Filter {
        event: Some(cofferdam::permissions::Event::End),
        ..Default::default()
    };
    assert_eq!(store.lines(&filter).unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_runs_of_an_agent_are_refused() {
    let mut settings = settings();
    settings.runs_per_agent = 2;
    let fixture = start(settings, Folder::new()).await;
    let send = || {
        let params = json!({ "kind": "js", "code": "for (;;);" });
        let call = fixture.post("/v1/exec", &params).token(&fixture.token);
        call.header("prefer", "respond-async").send()
    };
    assert_eq!(send().await.status(), StatusCode::ACCEPTED);
    assert_eq!(send().await.status(), StatusCode::ACCEPTED);
    let refused = send().await;
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(refused.0.headers().contains_key("retry-after"));
    fixture.server.runs().all().iter().for_each(|run| run.cancel());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_streams_at_once() {
    cofferdam_serve::listen::raise_open_files();
    let fixture = fixture().await;
    let params = json!({ "kind": "js", "code": "return await fetch('https://a.example')" });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let run = call.header("prefer", "respond-async").send().await;
    let run = run.json(StatusCode::ACCEPTED).await["run"].as_str().unwrap().to_owned();
    let path = format!("/v1/runs/{run}/events");
    let mut streams = Vec::new();
    for _ in 0..1_000 {
        streams.push(fixture.get(&path).token(&fixture.token).send().await);
    }
    for stream in &mut streams {
        stream.until("asking").await;
    }
    fixture.server.runs().get(&run).unwrap().cancel();
    for stream in &mut streams {
        stream.until("result").await;
    }
}

/// Sends a request over any stream and returns the whole answer.
async fn plain<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(
    mut stream: S,
    host: &str,
) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let mut answer = Vec::new();
    within(async {
        // A server that turns a client away closes the connection.
        let _ = stream.write_all(request.as_bytes()).await;
        let _ = stream.read_to_end(&mut answer).await;
    })
    .await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// Starts a server on a socket that is not an address of loopback.
async fn serve(
    settings: cofferdam_serve::Settings,
    folder: &Folder,
) -> Option<std::net::SocketAddr> {
    use cofferdam_serve::server::Reached;
    use cofferdam_serve::{Server, listen};
    let store = cofferdam_store::Store::open(&folder.0.join("store.db")).unwrap();
    let socket = listen::Socket::bind(&settings).await.unwrap();
    let (url, address) = (socket.url(&settings), socket.address());
    let reached = Reached { url: Some(url), addresses: address.into_iter().collect() };
    let server = Server::open(settings, store, reached, None).unwrap();
    tokio::spawn(listen::serve(server, socket, std::future::pending()));
    address
}

/// T-SERVE-007.
#[tokio::test(flavor = "multi_thread")]
async fn only_listed_users_connect_to_the_socket_file() {
    let own = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap());
    for (peers, is_served) in [(vec![], true), (vec![own], true), (vec![own + 1], false)] {
        let folder = Folder::new();
        let mut settings = settings();
        let path = folder.0.join("socket");
        (settings.unix, settings.peers) = (Some(path.clone()), peers.clone());
        serve(settings, &folder).await;
        let stream = tokio::net::UnixStream::connect(&path).await.unwrap();
        let answer = plain(stream, "localhost").await;
        assert_eq!(answer.starts_with("HTTP/1.1 200"), is_served, "{peers:?}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tls_is_spoken_and_cookies_are_secure() {
    use base64::Engine as _;
    use std::sync::Arc;
    use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
    use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};
    let folder = Folder::new();
    let pem = |name: &str, kind: &str, der: &[u8]| {
        let text = base64::engine::general_purpose::STANDARD.encode(der);
        let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
        let path = folder.0.join(name);
        let text = format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", lines.join("\n"));
        std::fs::write(&path, text).unwrap();
        Some(path)
    };
    let mut settings = settings();
    settings.hosts = vec!["secure.example".into()];
    settings.url = Some("https://secure.example".into());
    settings.tls_cert =
        pem("cert.pem", "CERTIFICATE", include_bytes!("../../../net/tests/tls/server.der"));
    settings.tls_key =
        pem("key.pem", "PRIVATE KEY", include_bytes!("../../../net/tests/tls/server.key.der"));
    let address = serve(settings, &folder).await.unwrap();
    let mut roots = RootCertStore::empty();
    let authority = include_bytes!("../../../net/tests/tls/ca.der");
    roots.add(CertificateDer::from(&authority[..])).unwrap();
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config));
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("secure.example").unwrap();
    let stream = connector.connect(name, stream).await.unwrap();
    let answer = plain(stream, "secure.example").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // A client that does not speak TLS is not answered in the clear.
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    assert!(!plain(stream, "secure.example").await.contains("HTTP/1.1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_describes_every_route() {
    let fixture = fixture().await;
    let document = fixture.get("/openapi.json").send().await.json(StatusCode::OK).await;
    assert_eq!(document["openapi"], "3.1.0");
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer} leads nowhere");
    }
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let method: hyper::Method = method.to_ascii_uppercase().parse().unwrap();
            let real = path.replace("{id}", "x").replace("{path}", "x");
            let answer = fixture.call(method.clone(), &real).send().await;
            let status = answer.status();
            // Routes for all answer, the others ask for a credential.
            let is_there = status.is_success()
                || [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN].contains(&status);
            assert!(is_there, "{method} {path}: {status}");
        }
    }
    assert_eq!(document["paths"]["/v1/exec"]["post"]["security"], json!([{ "agent": [] }]));
    let decision = &document["paths"]["/v1/questions/{id}/decision"]["post"];
    assert_eq!(decision["security"], json!([{ "approver": [] }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_router_are_problems_as_well() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let wrong = fixture.call(Method::PATCH, "/v1/exec").token(&fixture.token).send().await;
    assert_eq!(wrong.0.headers()["allow"], "POST");
    assert_eq!(wrong.json(StatusCode::METHOD_NOT_ALLOWED).await["code"], "method-not-allowed");
    let query = fixture.get("/v1/audit?limit=many").cookie(&cookie).send().await;
    assert_eq!(query.0.headers()["content-type"], "application/problem+json");
    let query = query.json(StatusCode::BAD_REQUEST).await;
    assert!(query["detail"].as_str().unwrap().contains("limit"), "{query}");
}
