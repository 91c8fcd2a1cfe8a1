//! Questions and decisions.

use hyper::StatusCode;
use serde_json::{Value as Json, json};

use crate::fixture::{Fixture, agent, fixture, within};

/// A tool that needs a grant.
fn reader() -> Json {
    json!({ "kind": "js", "why": "to add the numbers", "files": { "/data/a": "secret" },
        "code": "return String(await require('fs').promises.readFile('/data/a', 'utf8'))" })
}

/// Starts a run that asks. Returns the run and its question.
async fn asking(fixture: &Fixture, cookie: &str) -> (String, Json) {
    let call = fixture.post("/v1/exec", &reader()).token(&fixture.token);
    let run = call.header("prefer", "respond-async").send().await;
    let run = run.json(StatusCode::ACCEPTED).await["run"].as_str().unwrap().to_owned();
    (run, fixture.question(cookie).await)
}

async fn decide(fixture: &Fixture, cookie: &str, question: &Json, body: Json) -> StatusCode {
    let path = format!("/v1/questions/{}/decision", question["question"].as_str().unwrap());
    let call = fixture.post(&path, &body).cookie(cookie).origin(&fixture.origin());
    call.send().await.status()
}

async fn outcome(fixture: &Fixture, run: &str) -> Json {
    let record = fixture.server.runs().get(run).unwrap();
    (*within(record.outcome()).await).clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_says_yes_and_the_run_goes_on() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, question) = asking(&fixture, &cookie).await;
    assert_eq!(question["why"], "to add the numbers");
    assert_eq!(question["run"], json!(run));
    assert_eq!(question["wishes"][0]["words"], "read the file /data/a");
    let shown = fixture.get(&format!("/v1/runs/{run}")).token(&fixture.token).send().await;
    assert_eq!(shown.json(StatusCode::OK).await["status"], "waiting");
    let yes = json!({ "seal": question["seal"], "allow": true, "span": "once" });
    assert_eq!(decide(&fixture, &cookie, &question, yes.clone()).await, StatusCode::OK);
    // At once, not when the run has heard of it.
    let open = fixture.get("/v1/questions").cookie(&cookie).send().await.json(StatusCode::OK).await;
    assert_eq!(open["questions"], json!([]));
    assert_eq!(outcome(&fixture, &run).await["result"], "secret");
    // An answer is given once.
    assert_eq!(decide(&fixture, &cookie, &question, yes).await, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_no_reaches_the_agent_with_its_reason() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, question) = asking(&fixture, &cookie).await;
    let no = json!({ "seal": question["seal"], "allow": false, "reason": "use /data/b" });
    assert_eq!(decide(&fixture, &cookie, &question, no).await, StatusCode::OK);
    let outcome = outcome(&fixture, &run).await;
    assert_eq!(outcome["errorClass"], "CAPABILITY_DENIED");
    let message = outcome["error"]["message"].as_str().unwrap();
    assert!(message.ends_with(": use /data/b"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wider_choice_is_granted_and_listed_and_revoked() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, question) = asking(&fixture, &cookie).await;
    let usual = question["wishes"][0]["usual"].as_u64().unwrap() as usize;
    let wider = &question["wishes"][0]["choices"][usual]["capability"];
    assert_eq!(wider, "fs:read:/data/**");
    let yes = json!({ "seal": question["seal"],
        "decisions": [{ "capability": wider, "span": "always" }] });
    assert_eq!(decide(&fixture, &cookie, &question, yes).await, StatusCode::OK);
    assert_eq!(outcome(&fixture, &run).await["result"], "secret");
    let list = fixture.get("/v1/grants").cookie(&cookie).send().await.json(StatusCode::OK).await;
    assert_eq!(
        (&list["grants"][0]["capability"], &list["grants"][0]["by"]),
        (wider, &json!("ann"))
    );
    // The next run does not ask.
    assert_eq!(fixture.exec(reader()).await["outcome"]["result"], "secret");
    let path = format!("/v1/grants/{}", list["grants"][0]["id"].as_str().unwrap());
    let revoked = fixture.call(hyper::Method::DELETE, &path);
    let revoked = revoked.cookie(&cookie).origin(&fixture.origin()).send().await;
    assert_eq!(revoked.status(), StatusCode::OK);
    let (_, question) = asking(&fixture, &cookie).await;
    assert_eq!(question["wishes"][0]["words"], "read the file /data/a");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_of_another_process_wakes_the_run() {
    use cofferdam::permissions::{Broker, Span, Terms};
    use std::sync::Arc;
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (run, _) = asking(&fixture, &cookie).await;
    let store = cofferdam_store::Store::open(fixture.store.path()).unwrap();
    let broker = Broker::setup(Arc::new(store.clone()), Arc::new(store)).open().unwrap();
    broker.grant(Terms::new("fs:read:/data/a".parse().unwrap(), Span::Always)).unwrap();
    assert_eq!(outcome(&fixture, &run).await["result"], "secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_server_says_yes_for_another() {
    use cofferdam_serve::{Server, server::Reached};
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    // A second process without a console, such as MCP on standard input.
    let store = cofferdam_store::Store::open(fixture.store.path()).unwrap();
    let settings = crate::fixture::settings();
    let other = Server::open(settings, store, Reached::default(), None).unwrap();
    let agent = other.agent(&fixture.token).unwrap().unwrap();
    let accepted = other.exec(&agent, reader(), Some("a client"), None).await.ok().unwrap();
    let cofferdam_serve::server::Accepted::Run(run) = accepted else { panic!("not run") };
    let question = fixture.question(&cookie).await;
    assert_eq!(question["client"], "a client");
    let yes = json!({ "seal": question["seal"], "allow": true, "span": "once" });
    assert_eq!(decide(&fixture, &cookie, &question, yes).await, StatusCode::OK);
    assert_eq!(within(run.outcome()).await["result"], "secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_sees_its_own_questions_alone() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let (_, question) = asking(&fixture, &cookie).await;
    let other = agent(&fixture.store, "other", &[]);
    let path = format!("/v1/questions/{}", question["question"].as_str().unwrap());
    let own = fixture.get(&path).token(&fixture.token).send().await;
    assert_eq!(own.status(), StatusCode::OK);
    let not_own = fixture.get(&path).token(&other).send().await;
    assert_eq!(not_own.status(), StatusCode::NOT_FOUND);
    let list = fixture.get("/v1/questions").token(&other).send().await.json(StatusCode::OK).await;
    assert_eq!(list["questions"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_wants_are_asked_for_together_before_the_tool_starts() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let mut params = reader();
    params["wants"] = json!(["fs:read:/data/**", "env:read:HOME"]);
    let call = fixture.post("/v1/exec", &params).token(&fixture.token);
    let run = call.header("prefer", "respond-async").send().await;
    let run = run.json(StatusCode::ACCEPTED).await["run"].as_str().unwrap().to_owned();
    let question = fixture.question(&cookie).await;
    assert_eq!(question["wishes"].as_array().unwrap().len(), 2);
    let yes = json!({ "seal": question["seal"], "allow": true, "span": "once" });
    assert_eq!(decide(&fixture, &cookie, &question, yes).await, StatusCode::OK);
    assert_eq!(outcome(&fixture, &run).await["result"], "secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_seal_is_refused_by_the_process_whose_run_waits() {
    use cofferdam_serve::{Server, server::Reached};
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let store = cofferdam_store::Store::open(fixture.store.path()).unwrap();
    let settings = crate::fixture::settings();
    let other = Server::open(settings, store, Reached::default(), None).unwrap();
    let agent = other.agent(&fixture.token).unwrap().unwrap();
    assert!(other.exec(&agent, reader(), None, None).await.is_ok());
    let question = fixture.question(&cookie).await;
    let stale = json!({ "seal": "0000000000000000", "allow": true, "span": "once" });
    assert_eq!(decide(&fixture, &cookie, &question, stale).await, StatusCode::CONFLICT);
    // The question still waits for the right answer.
    let no = json!({ "seal": question["seal"], "allow": false });
    assert_eq!(decide(&fixture, &cookie, &question, no).await, StatusCode::OK);
}
