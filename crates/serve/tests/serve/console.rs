//! The console: its pages, its forms, and text that would like to be markup.

use hyper::{Method, StatusCode, header};
use serde_json::{Value as Json, json};

use crate::fixture::{Answer, Call, Fixture, code, fixture, within};

/// A tool that reads files one after the other, or all at once.
const READER: &str = "const fs = require('fs').promises; \
    return await Promise.all(args.map(path => fs.readFile(path, 'utf8')))";

/// Starts a run that reads files, and waits for that many questions.
async fn asking(fixture: &Fixture, cookie: &str, paths: &[&str], why: &str) -> (String, Vec<Json>) {
    let files: serde_json::Map<_, _> =
        paths.iter().map(|path| ((*path).to_owned(), json!("secret"))).collect();
    let params = json!({ "kind": "js", "code": READER, "args": paths, "files": files, "why": why });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let run = call.header("prefer", "respond-async").send().await;
    let run = run.json(StatusCode::ACCEPTED).await["run"].as_str().unwrap().to_owned();
    let questions = within(async {
        loop {
            let list = fixture.get("/v1/questions").cookie(cookie).send().await;
            let list = list.json(StatusCode::OK).await;
            let list = list["questions"].as_array().unwrap();
            if list.len() == paths.len() {
                return list.clone();
            }
            tokio::task::yield_now().await;
        }
    });
    (run, questions.await)
}

async fn outcome(fixture: &Fixture, run: &str) -> Json {
    let record = fixture.server.runs().get(run).unwrap();
    (*within(record.outcome()).await).clone()
}

fn word(json: &Json, name: &str) -> String {
    json[name].as_str().unwrap().to_owned()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A form as a browser sends it, without `Origin`.
fn form(fixture: &Fixture, path: &str, fields: &[(&str, &str)]) -> Call {
    let body: Vec<_> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
        .collect();
    let call = fixture.call(Method::POST, path);
    call.bytes("application/x-www-form-urlencoded", body.join("&").into_bytes())
}

async fn send(fixture: &Fixture, cookie: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    form(fixture, path, fields).cookie(cookie).origin(&fixture.origin()).send().await
}

async fn page(fixture: &Fixture, cookie: &str, path: &str) -> String {
    let answer = fixture.get(path).cookie(cookie).send().await;
    assert_eq!(answer.status(), StatusCode::OK, "{path}");
    assert_eq!(answer.0.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    let text = answer.text().await;
    // The content policy would block these.
    for forbidden in [" style=", "<style", " onclick=", " onload=", "<script>", "javascript:"] {
        assert!(!text.contains(forbidden), "{path} has {forbidden}");
    }
    text
}

fn location(answer: &Answer) -> &str {
    answer.0.headers()[header::LOCATION].to_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_without_a_cookie_lead_to_the_login() {
    let fixture = fixture().await;
    for (path, expect) in [
        ("/", "/login"),
        ("/requests/qst_1", "/login?to=/requests/qst_1"),
        ("/runs", "/login?to=/runs"),
        ("/runs/run_1", "/login?to=/runs/run_1"),
        ("/sandboxes", "/login?to=/sandboxes"),
        ("/sandboxes/sbx_1/files/a", "/login?to=/sandboxes/sbx_1/files/a"),
        ("/grants", "/login?to=/grants"),
        ("/audit", "/login?to=/audit"),
    ] {
        let answer = fixture.get(path).send().await;
        assert_eq!((answer.status(), location(&answer)), (StatusCode::SEE_OTHER, expect));
        let agent = fixture.get(path).token(&fixture.token).send().await;
        assert_eq!(agent.status(), StatusCode::FORBIDDEN, "{path}");
    }
    for path in
        ["/answer", "/earlier/req_1", "/runs/run_1/cancel", "/grants/grt_1/revoke", "/logout"]
    {
        let answer = form(&fixture, path, &[]).origin(&fixture.origin()).send().await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{path}");
        let agent = form(&fixture, path, &[]).origin(&fixture.origin()).token(&fixture.token);
        assert_eq!(agent.send().await.status(), StatusCode::FORBIDDEN, "{path}");
    }
}

/// T-SERVE-020.
#[tokio::test(flavor = "multi_thread")]
async fn text_of_an_agent_becomes_no_markup() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let hostile = "<script>alert(1)</script>\"'><img src=x>\u{202e}\u{200b}";
    let path = format!("/data/{hostile}");
    let params = json!({
        "kind": "js", "why": hostile, "args": [path], "files": { (path.clone()): "" },
        "code": format!("console.log(args[0]); await require('fs').promises.readFile(args[0]); // {hostile}"),
    });
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let call = call.header("prefer", "respond-async").header("user-agent", "<b>\"client\"</b>");
    let run =
        call.send().await.json(StatusCode::ACCEPTED).await["run"].as_str().unwrap().to_owned();
    let asked = fixture.question(&cookie).await;
    let question = word(&asked, "question");
    let create = json!({ "files": { (path.clone()): hostile } });
    let made = fixture.post("/v1/sandboxes", &create).token(&fixture.token).send().await;
    let sandbox = word(&made.json(StatusCode::CREATED).await, "sandbox");
    let places = [
        ("/".to_owned(), true),
        (format!("/requests/{question}"), true),
        ("/runs".to_owned(), true),
        (format!("/runs/{run}"), true),
        (format!("/sandboxes/{sandbox}/files/data"), true),
        (format!("/sandboxes/{sandbox}/files{}", encoded(&path).replace("%2F", "/")), true),
        (format!("/login?code={0}&to={0}", encoded(hostile)), true),
        ("/grants".to_owned(), false),
    ];
    for (place, has_text) in places {
        check_text(&fixture, &cookie, &place, has_text).await;
    }
    // A decision is in the audit log, and a question is not.
    let no = json!({ "seal": asked["seal"], "allow": false });
    let decision = fixture.post(&format!("/v1/questions/{question}/decision"), &no);
    let decision = decision.cookie(&cookie).origin(&fixture.origin()).send().await;
    assert_eq!(decision.status(), StatusCode::OK);
    let record = fixture.server.runs().get(&run).expect("the run is known");
    within(record.outcome()).await;
    for place in ["/audit".to_owned(), format!("/audit?text={}", encoded(hostile))] {
        check_text(&fixture, &cookie, &place, true).await;
    }
}

/// Checks that a page has no markup of the hostile text, and says if the text is on it.
async fn check_text(fixture: &Fixture, cookie: &str, place: &str, has_text: bool) {
    let text = page(fixture, cookie, place).await;
    assert!(!text.contains("<img src=x"), "{place}: {text}");
    assert!(!text.contains("<b>"), "{place}: {text}");
    let hidden = ['\u{202e}', '\u{200b}'];
    // The search field returns what was typed into it.
    let is_typed = place.starts_with("/audit?");
    assert!(is_typed || !text.contains(hidden), "{place}: {text}");
    assert_eq!(text.contains("alert(1)"), has_text, "{place}: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_says_who_asks_for_what_and_why() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, questions) = asking(&fixture, &cookie, &["/data/a"], "to add the numbers").await;
    let inbox = page(&fixture, &cookie, "/").await;
    let request =
        page(&fixture, &cookie, &format!("/requests/{}", word(&questions[0], "question"))).await;
    for text in [inbox, request] {
        for part in [
            "Read the file /data/a",
            "<code>fs:read:/data/a</code>",
            "low risk",
            "to add the numbers",
            "own words",
            "value=\"fs:read:/data/**\"",
            run.as_str(),
            "tester",
        ] {
            assert!(text.contains(part), "no {part}: {text}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_says_yes_and_the_next_page_shows_the_decision() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, questions) = asking(&fixture, &cookie, &["/data/a"], "").await;
    let (id, seal) = (word(&questions[0], "question"), word(&questions[0], "seal"));
    let (sealed, scope) = (format!("{id} {seal}"), format!("scope:{id}:0"));
    let fields = [("question", &*sealed), (&*scope, "fs:read:/data/a"), ("answer", "once")];
    let answer = send(&fixture, &cookie, "/answer", &fields).await;
    assert_eq!((answer.status(), location(&answer)), (StatusCode::SEE_OTHER, "/?said=allowed"));
    assert_eq!(outcome(&fixture, &run).await["result"], json!(["secret"]));
    // Once more is too late.
    let again = send(&fixture, &cookie, "/answer", &fields).await;
    assert_eq!(again.status(), StatusCode::CONFLICT);
    // The request is settled, although the ledger still has it.
    let inbox = page(&fixture, &cookie, "/").await;
    assert!(!inbox.contains("Asked for earlier"), "{inbox}");
    asking(&fixture, &cookie, &["/data/a"], "").await;
    let inbox = page(&fixture, &cookie, "/").await;
    assert!(inbox.contains(">allowed</span> before"), "{inbox}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_no_of_the_form_carries_its_reason() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, questions) = asking(&fixture, &cookie, &["/data/a"], "").await;
    let sealed = format!("{} {}", word(&questions[0], "question"), word(&questions[0], "seal"));
    let fields = [("question", &*sealed), ("reason", "use /data/b"), ("answer", "deny")];
    let answer = send(&fixture, &cookie, "/answer", &fields).await;
    assert_eq!(location(&answer), "/?said=denied");
    let message = word(&outcome(&fixture, &run).await["error"], "message");
    assert!(message.ends_with(": use /data/b"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_decides_nothing_with_another_seal_or_without_a_scope() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (_, questions) = asking(&fixture, &cookie, &["/data/a"], "").await;
    let (id, seal) = (word(&questions[0], "question"), word(&questions[0], "seal"));
    let flipped = format!("{:016x}", u64::from_str_radix(&seal, 16).unwrap() ^ 1);
    let scope = format!("scope:{id}:0");
    let (right, stale) = (format!("{id} {seal}"), format!("{id} {flipped}"));
    let exact = (&*scope, "fs:read:/data/a");
    for (fields, expect) in [
        (vec![("question", &*stale), exact, ("answer", "once")], StatusCode::CONFLICT),
        (vec![("question", &*id), exact, ("answer", "once")], StatusCode::UNPROCESSABLE_ENTITY),
        (vec![("question", &*right), ("answer", "once")], StatusCode::UNPROCESSABLE_ENTITY),
        (vec![("question", &*right), exact], StatusCode::UNPROCESSABLE_ENTITY),
        (vec![exact, ("answer", "once")], StatusCode::UNPROCESSABLE_ENTITY),
        (
            vec![("question", &*right), (&*scope, "fs:read:/b"), ("answer", "once")],
            StatusCode::UNPROCESSABLE_ENTITY,
        ),
    ] {
        let answer = send(&fixture, &cookie, "/answer", &fields).await;
        assert_eq!(answer.status(), expect, "{fields:?}");
    }
    assert_eq!(fixture.server.board().open().len(), 1);
    assert!(fixture.server.broker().grants().unwrap().is_empty());
}

/// T-SERVE-003.
#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_another_site_is_refused() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (_, questions) = asking(&fixture, &cookie, &["/data/a"], "").await;
    let sealed = format!("{} {}", word(&questions[0], "question"), word(&questions[0], "seal"));
    let fields = [("question", &*sealed), ("answer", "deny")];
    let login = code(&fixture.store);
    let sign_in = [("code", &*login)];
    for origin in [None, Some("null"), Some("http://evil.example")] {
        for (path, fields) in [("/answer", &fields[..]), ("/login", &sign_in[..])] {
            let mut call = form(&fixture, path, fields).cookie(&cookie);
            if let Some(origin) = origin {
                call = call.origin(origin);
            }
            let answer = call.send().await;
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} {origin:?}");
        }
    }
    assert_eq!(fixture.server.board().open().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_one_run_are_answered_together() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let paths = ["/data/a", "/data/b", "/data/c"];
    let (run, questions) = asking(&fixture, &cookie, &paths, "").await;
    let inbox = page(&fixture, &cookie, "/").await;
    assert!(inbox.contains("3 things in one run"), "{inbox}");
    assert!(inbox.contains("name=\"together\" value=\"fs:read:/data/**\""), "{inbox}");
    let one = format!("/requests/{}", word(&questions[0], "question"));
    let one = page(&fixture, &cookie, &one).await;
    assert!(one.contains("2 more of this run wait."), "{one}");
    let sealed: Vec<_> = questions
        .iter()
        .map(|one| format!("{} {}", word(one, "question"), word(one, "seal")))
        .collect();
    let scopes: Vec<_> =
        questions.iter().map(|one| format!("scope:{}:0", word(one, "question"))).collect();
    let exact: Vec<_> =
        questions.iter().map(|one| word(&one["wishes"][0]["choices"][0], "capability")).collect();
    let mut fields: Vec<_> = sealed.iter().map(|sealed| ("question", &**sealed)).collect();
    fields.extend(scopes.iter().zip(&exact).map(|(scope, exact)| (&**scope, &**exact)));
    fields.extend([("together", ""), ("answer", "once")]);
    let answer = send(&fixture, &cookie, "/answer", &fields).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{}", answer.text().await);
    assert_eq!(outcome(&fixture, &run).await["result"], json!(["secret", "secret", "secret"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_folder_answers_all_requests_for_its_files() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let paths = ["/data/a", "/data/b", "/data/c"];
    let (run, questions) = asking(&fixture, &cookie, &paths, "").await;
    let sealed: Vec<_> = questions
        .iter()
        .map(|one| format!("{} {}", word(one, "question"), word(one, "seal")))
        .collect();
    let mut fields: Vec<_> = sealed.iter().map(|sealed| ("question", &**sealed)).collect();
    fields.extend([("together", "fs:read:/data/**"), ("answer", "session")]);
    let answer = send(&fixture, &cookie, "/answer", &fields).await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER, "{}", answer.text().await);
    assert_eq!(outcome(&fixture, &run).await["result"], json!(["secret", "secret", "secret"]));
    let grants = page(&fixture, &cookie, "/grants").await;
    assert!(grants.contains("fs:read:/data/**"), "{grants}");
    // Every grant is revoked with its own form.
    for grant in fixture.server.broker().grants().unwrap() {
        let answer = send(&fixture, &cookie, &format!("/grants/{}/revoke", grant.id), &[]).await;
        assert_eq!(location(&answer), "/grants?said=revoked");
    }
    assert!(page(&fixture, &cookie, "/grants").await.contains("Nothing is granted"));
    let found = page(&fixture, &cookie, "/audit?event=revoke").await;
    assert!(found.contains("fs:read:/data/**"), "{found}");
    let other = page(&fixture, &cookie, "/audit?event=revoke&text=nowhere").await;
    assert!(other.contains("No line matches"), "{other}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_no_run_waits_for_is_decided_for_the_next() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, _) = asking(&fixture, &cookie, &["/data/a"], "").await;
    let answer = send(&fixture, &cookie, &format!("/runs/{run}/cancel"), &[]).await;
    assert_eq!(location(&answer), format!("/runs/{run}?said=cancelled"));
    assert_eq!(outcome(&fixture, &run).await["errorClass"], "CANCELLED");
    let shown = page(&fixture, &cookie, &format!("/runs/{run}")).await;
    assert!(shown.contains(">failed</span>"), "{shown}");
    let inbox = page(&fixture, &cookie, "/").await;
    assert!(inbox.contains("Asked for earlier"), "{inbox}");
    let request = fixture.server.broker().requests().unwrap()[0].id.to_string();
    let path = format!("/earlier/{request}");
    let answer = send(&fixture, &cookie, &path, &[("answer", "always")]).await;
    assert_eq!(location(&answer), "/?said=kept");
    assert_eq!(fixture.server.broker().grants().unwrap().len(), 1);
    assert!(!page(&fixture, &cookie, "/").await.contains("Asked for earlier"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_signs_in_once_and_out() {
    let fixture = fixture().await;
    let login = code(&fixture.store);
    let fields = [("code", &*login), ("to", "/grants")];
    let call = form(&fixture, "/login", &fields).origin(&fixture.origin());
    let answer = call.send().await;
    assert_eq!((answer.status(), location(&answer)), (StatusCode::SEE_OTHER, "/grants"));
    let cookie = answer.0.headers()[header::SET_COOKIE].to_str().unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict;"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    page(&fixture, &cookie, "/grants").await;
    // T-SERVE-005.
    let again = form(&fixture, "/login", &fields).origin(&fixture.origin()).send().await;
    assert_eq!(again.status(), StatusCode::UNAUTHORIZED);
    assert!(again.text().await.contains("wrong, used or too old"));
    let out = send(&fixture, &cookie, "/logout", &[]).await;
    assert_eq!(location(&out), "/login?said=out");
    let after = fixture.get("/grants").cookie(&cookie).send().await;
    assert_eq!(after.status(), StatusCode::SEE_OTHER);
}
