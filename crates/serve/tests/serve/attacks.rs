//! Attempts to decide without being an approver, and to reach the server from where nobody should.

use hyper::{Method, StatusCode};
use serde_json::json;

use crate::fixture::{code, fixture, within};

/// A tool that needs a grant for a file.
const READER: &str = "return await btcp.fs.readFile('/data/a')";

/// T-SERVE-001.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_token_decides_nothing() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let params = json!({ "kind": "js", "code": READER, "wants": ["fs:read:/data/a"] });
    let run = fixture.post("/v1/exec", &params).token(&fixture.token);
    run.header("prefer", "respond-async").send().await;
    let question = fixture.question(&cookie).await;
    let decision = format!("/v1/questions/{}/decision", question["question"].as_str().unwrap());
    let yes = json!({ "seal": question["seal"], "allow": true, "span": "always" });
    let grant = json!({ "capability": "fs:read", "span": "always" });
    let attempts = [
        (Method::POST, decision.as_str(), &yes),
        (Method::POST, "/v1/grants", &grant),
        (Method::GET, "/v1/grants", &grant),
        (Method::GET, "/v1/audit", &grant),
        (Method::GET, "/v1/events", &grant),
        (Method::POST, "/v1/requests/req_0123456789/deny", &grant),
        (Method::DELETE, "/v1/grants/grt_0123456789", &grant),
    ];
    for (method, path, body) in &attempts {
        let call = fixture.call(method.clone(), path).json(body).origin(&fixture.origin());
        // The token alone, the token as a cookie, and a stolen look at the cookie beside the token.
        let forbidden = call.token(&fixture.token).send().await.status();
        assert_eq!(forbidden, StatusCode::FORBIDDEN, "{method} {path}");
        let call = fixture.call(method.clone(), path).json(body).origin(&fixture.origin());
        let as_cookie = call.cookie(&format!("cofferdam_approver={}", fixture.token)).send().await;
        assert_eq!(as_cookie.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
        let call = fixture.call(method.clone(), path).json(body).origin(&fixture.origin());
        let both = call.cookie(&cookie).token(&fixture.token).send().await.status();
        assert_eq!(both, StatusCode::FORBIDDEN, "{method} {path}");
        let call = fixture.call(method.clone(), path).json(body).origin(&fixture.origin());
        assert_eq!(call.send().await.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
    }
    // The value of the cookie is no token.
    let value = cookie.split_once('=').unwrap().1;
    let bearer = fixture.get("/v1/grants").token(value).send().await;
    assert_eq!(bearer.status(), StatusCode::FORBIDDEN);
    let bearer = fixture.get("/v1/runs").token(value).send().await;
    assert_eq!(bearer.status(), StatusCode::UNAUTHORIZED);
    assert!(fixture.server.broker().grants().unwrap().is_empty());
    assert_eq!(fixture.server.board().open().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_needs_the_seal_of_what_was_shown() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let params = json!({ "kind": "js", "code": READER, "wants": ["fs:read:/data/a"] });
    let run = fixture.post("/v1/exec", &params).token(&fixture.token);
    run.header("prefer", "respond-async").send().await;
    let question = fixture.question(&cookie).await;
    let path = format!("/v1/questions/{}/decision", question["question"].as_str().unwrap());
    let seal = question["seal"].as_str().unwrap();
    let flipped = format!("{:016x}", u64::from_str_radix(seal, 16).unwrap() ^ 1);
    for (body, expect) in [
        (json!({}), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "allow": true, "span": "once" }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "seal": seal }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "seal": seal, "allow": true }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "seal": flipped, "allow": true, "span": "once" }), StatusCode::CONFLICT),
        (json!({ "seal": "", "allow": true, "span": "once" }), StatusCode::CONFLICT),
        (
            json!({ "seal": seal, "decisions": [{ "capability": "fs:read:/b", "span": "once" }] }),
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
        (json!({ "seal": seal, "decisions": [null, null] }), StatusCode::UNPROCESSABLE_ENTITY),
    ] {
        let call = fixture.post(&path, &body).cookie(&cookie).origin(&fixture.origin());
        assert_eq!(call.send().await.status(), expect, "{body}");
    }
    assert_eq!(fixture.server.board().open().len(), 1);
    assert!(fixture.server.broker().grants().unwrap().is_empty());
}

/// T-SERVE-003.
#[tokio::test(flavor = "multi_thread")]
async fn another_site_decides_nothing() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let grant = json!({ "capability": "fs:read", "span": "always" });
    for origin in
        ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost.evil.example"]
    {
        let call = fixture.post("/v1/grants", &grant).cookie(&cookie).origin(origin);
        assert_eq!(call.send().await.status(), StatusCode::FORBIDDEN, "{origin}");
        let call = fixture.get("/v1/grants").cookie(&cookie).origin(origin);
        assert_eq!(call.send().await.status(), StatusCode::FORBIDDEN, "{origin}");
    }
    let without = fixture.post("/v1/grants", &grant).cookie(&cookie).send().await;
    assert_eq!(without.status(), StatusCode::FORBIDDEN);
    // A form can send these types without asking first.
    for media in
        ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]
    {
        let call = fixture.call(Method::POST, "/v1/grants").cookie(&cookie);
        let call = call.origin(&fixture.origin()).bytes(media, grant.to_string().into_bytes());
        assert_eq!(call.send().await.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE, "{media}");
    }
    assert!(fixture.server.broker().grants().unwrap().is_empty());
}

/// T-SERVE-004.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_resolves_here_is_not_ours() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let port = fixture.address.port();
    for host in [
        format!("evil.example:{port}"),
        "127.0.0.1".into(),
        format!("127.0.0.1.:{port}"),
        String::new(),
    ] {
        for path in ["/v1/grants", "/healthz", "/nothing"] {
            let call = fixture.get(path).cookie(&cookie).header("host", &host);
            assert_eq!(
                call.send().await.status(),
                StatusCode::MISDIRECTED_REQUEST,
                "{host} {path}"
            );
        }
    }
    for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}")] {
        let answer = fixture.get("/healthz").header("host", &host).send().await;
        assert_eq!(answer.status(), StatusCode::OK, "{host}");
    }
}

/// T-SERVE-005.
#[tokio::test(flavor = "multi_thread")]
async fn a_login_code_is_good_once() {
    let fixture = fixture().await;
    let code = code(&fixture.store);
    let send = |code: &str| {
        let body = json!({ "code": code });
        fixture.post("/v1/login", &body).origin(&fixture.origin()).send()
    };
    let (one, other) = tokio::join!(send(&code), send(&code));
    let mut statuses = [one.status().as_u16(), other.status().as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 401]);
    assert_eq!(send(&code).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(send("").await.status(), StatusCode::UNAUTHORIZED);
    let mut last = StatusCode::OK;
    for _ in 0..40 {
        last = send("0000-0000-0000").await.status();
    }
    assert_eq!(last, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_ends_when_a_person_signs_out() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let me = fixture.get("/v1/me").cookie(&cookie).send().await.json(StatusCode::OK).await;
    assert_eq!(me["approver"], "ann");
    let out = fixture.post("/v1/logout", &json!({})).cookie(&cookie).origin(&fixture.origin());
    assert_eq!(out.send().await.status(), StatusCode::NO_CONTENT);
    let me = fixture.get("/v1/me").cookie(&cookie).send().await;
    assert_eq!(me.status(), StatusCode::UNAUTHORIZED);
}

/// T-NET-012.
#[tokio::test(flavor = "multi_thread")]
async fn no_grant_covers_our_own_address() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let port = fixture.address.port();
    for host in ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "a.localhost"] {
        let grant = json!({ "capability": format!("network:fetch:http://{host}:{port}"), "span": "always" });
        let call = fixture.post("/v1/grants", &grant).cookie(&cookie).origin(&fixture.origin());
        assert_eq!(call.send().await.status(), StatusCode::FORBIDDEN, "{host}");
    }
    // A grant from elsewhere does not open it either.
    use cofferdam::permissions::{Span, Terms};
    for host in ["127.0.0.1", "localhost", "0.0.0.0"] {
        let capability = format!("network:fetch:http://{host}:{port}").parse().unwrap();
        fixture.server.broker().grant(Terms::new(capability, Span::Always)).unwrap();
        let code = format!("return (await fetch('http://{host}:{port}/healthz')).status");
        let answer = fixture.exec(json!({ "kind": "js", "code": code })).await;
        let message = answer["outcome"]["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("no grant opens"), "{answer}");
    }
}

/// T-NET-012. A yes could not open the address, so the run fails at once instead of waiting.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_our_own_address() {
    let fixture = fixture().await;
    let port = fixture.address.port();
    for host in ["127.0.0.1", "localhost", "a.localhost", "0.0.0.0", "[::ffff:127.0.0.1]"] {
        let url = format!("http://{host}:{port}/healthz");
        let code = format!("return (await fetch('{url}')).status");
        let answer = fixture.exec(json!({ "kind": "js", "code": code, "ask": true })).await;
        let message = answer["outcome"]["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("no grant opens"), "{host}: {answer}");
        let command = format!("curl -sS {url}");
        let answer =
            fixture.exec(json!({ "kind": "shell", "command": command, "ask": true })).await;
        let message = answer["outcome"]["stderr"].as_str().unwrap_or_default();
        assert!(message.contains("no grant opens"), "{host}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_is_refused_at_once() {
    let fixture = fixture().await;
    let agent = fixture.server.agent(&fixture.token).unwrap().unwrap();
    fixture.exec(json!({ "kind": "js", "code": "1" })).await;
    let now = cofferdam::permissions::Timestamp::now();
    assert_eq!(fixture.store.revoke_agent(&agent.id, now).unwrap(), 1);
    let answer = fixture.get("/v1/runs").token(&fixture.token).send().await;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(answer.0.headers()["www-authenticate"], "Bearer");
    let text = within(answer.text()).await;
    assert!(!text.contains(&fixture.token), "{text}");
}
