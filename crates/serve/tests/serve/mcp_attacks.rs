//! Attempts of a client of MCP to decide, and to use states that are not its own.

use cofferdam_serve::Settings;
use serde_json::{Value as Json, json};

use crate::client::Client;
use crate::fixture::{Folder, agent, fixture, settings, start};
use crate::mcp::{hasty, links, reader};

fn retry(arguments: Json, state: &Json, responses: Json) -> Json {
    json!({ "name": "run", "arguments": arguments, "requestState": state,
        "inputResponses": responses })
}

/// A response that refuses the state.
fn is_refused(response: &Json) -> bool {
    response["error"]["code"] == -32602
        && response["error"]["message"].as_str().unwrap().starts_with("requestState: not valid")
}

/// T-MCP-003.
#[tokio::test(flavor = "multi_thread")]
async fn an_empty_acceptance_grants_nothing() {
    let fixture = hasty().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, links());
    let result = client.tool("run", reader()).await;
    let question = fixture.question(&cookie).await;
    let id = question["question"].as_str().unwrap();
    let accept = json!({ id: { "action": "accept", "content": {} } });
    let response =
        client.send("tools/call", retry(reader(), &result["requestState"], accept)).await;
    assert_eq!(response["result"]["structuredContent"]["status"], "waiting", "{response}");
    assert_eq!(fixture.question(&cookie).await["question"], question["question"]);
    let grants = fixture.get("/v1/grants").cookie(&cookie).send().await;
    let grants = grants.json(hyper::StatusCode::OK).await;
    assert_eq!(grants["grants"], json!([]));
}

/// T-MCP-002.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_or_foreign_state_is_refused() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, links());
    let result = client.tool("run", reader()).await;
    fixture.question(&cookie).await;
    let state = result["requestState"].as_str().unwrap();
    let flipped = if state.starts_with('A') { "B" } else { "A" };
    for changed in [format!("{flipped}{}", &state[1..]), format!("{state}A"), String::new()] {
        let response = client.send("tools/call", retry(reader(), &json!(changed), json!({}))).await;
        assert!(is_refused(&response), "{response}");
    }
    let other =
        Client::stateless(&fixture, links()).with_token(&agent(&fixture.store, "other", &[]));
    let response = other.send("tools/call", retry(reader(), &json!(state), json!({}))).await;
    assert!(is_refused(&response), "{response}");
    // The state of one call does not go with another, and is used up by the attempt.
    let swapped = json!({ "language": "js", "code": "return 'another'" });
    for arguments in [swapped, reader()] {
        let response = client.send("tools/call", retry(arguments, &json!(state), json!({}))).await;
        assert!(is_refused(&response), "{response}");
    }
    assert_eq!(fixture.server.runs().all().len(), 1, "no attempt started a run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_is_used_once() {
    let fixture = fixture().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, links());
    let first = client.tool("run", reader()).await;
    fixture.question(&cookie).await;
    // Without an answer of the client it is asked again, with a new state.
    let second =
        client.send("tools/call", retry(reader(), &first["requestState"], json!({}))).await;
    assert_eq!(second["result"]["resultType"], "input_required", "{second}");
    assert_ne!(second["result"]["requestState"], first["requestState"]);
    let replay =
        client.send("tools/call", retry(reader(), &first["requestState"], json!({}))).await;
    assert!(is_refused(&replay), "{replay}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_state_is_refused() {
    let fixture = start(Settings { mcp_state_seconds: 0, ..settings() }, Folder::new()).await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, links());
    let result = client.tool("run", reader()).await;
    fixture.question(&cookie).await;
    let late = client.send("tools/call", retry(reader(), &result["requestState"], json!({}))).await;
    assert!(is_refused(&late), "{late}");
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_are_off_unless_the_operator_allows_them() {
    let fixture = hasty().await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, json!({ "elicitation": { "form": {} } }));
    let result = client.tool("run", reader()).await;
    assert_eq!(result["structuredContent"]["status"], "waiting", "{result}");
    fixture.question(&cookie).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_decides_only_with_its_one_choice() {
    let allowed = Settings { mcp_forms: true, mcp_wait_seconds: 1, ..settings() };
    let fixture = start(allowed, Folder::new()).await;
    let cookie = fixture.sign_in().await;
    let client = Client::stateless(&fixture, json!({ "elicitation": { "form": {} } }));
    let mut result = client.tool("run", reader()).await;
    let question = fixture.question(&cookie).await;
    let id = question["question"].as_str().unwrap();
    assert_eq!(result["inputRequests"][id]["params"]["mode"], "form", "{result}");
    let empty = [json!({}), json!({ "decision": "always" }), json!({ "decision": true })];
    for content in empty {
        let accept = json!({ id: { "action": "accept", "content": content } });
        let again =
            client.send("tools/call", retry(reader(), &result["requestState"], accept)).await;
        assert_eq!(again["result"]["resultType"], "input_required", "{again}");
        result = again["result"].clone();
    }
    let accept = json!({ id: { "action": "accept", "content": { "decision": "once" } } });
    let done = client.send("tools/call", retry(reader(), &result["requestState"], accept)).await;
    assert_eq!(done["result"]["structuredContent"]["result"], "secret", "{done}");
    let audit = fixture.get("/v1/audit").cookie(&cookie).send().await.text().await;
    assert!(audit.contains("a form in the client of tester"), "{audit}");
}
