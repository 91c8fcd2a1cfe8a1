//! A client of MCP that speaks both revisions over raw HTTP, and attacks as well as it asks.

use http_body_util::BodyExt;
use hyper::{Method, StatusCode};
use serde_json::{Value as Json, json};

use crate::fixture::{Answer, Fixture, within};

pub(crate) struct Client<'a> {
    fixture: &'a Fixture,
    token: String,
    /// Capabilities that the client declares.
    capabilities: Json,
    /// Session of the 2025 revision; `None` speaks the one of 2026.
    session: Option<String>,
}

impl<'a> Client<'a> {
    /// A client of the stateless revision.
    pub(crate) fn stateless(fixture: &'a Fixture, capabilities: Json) -> Self {
        Client { fixture, token: fixture.token.clone(), capabilities, session: None }
    }

    /// A client with a session, of the revision of 2025.
    pub(crate) async fn with_session(fixture: &'a Fixture, capabilities: Json) -> Self {
        let mut client = Client::stateless(fixture, capabilities.clone());
        client.session = Some(String::new());
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "tester", "version": "1" } });
        let begun = client.post(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": params }));
        let begun = begun.await;
        assert_eq!(begun.status(), StatusCode::OK);
        client.session = Some(begun.0.headers()["mcp-session-id"].to_str().unwrap().to_owned());
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(client.post(told).await.status(), StatusCode::ACCEPTED);
        client
    }

    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.token = token.to_owned();
        self
    }

    pub(crate) fn session(&self) -> &str {
        self.session.as_deref().unwrap()
    }

    pub(crate) fn in_session(mut self, session: &str) -> Self {
        self.session = Some(session.to_owned());
        self
    }

    /// Posts a message.
    pub(crate) async fn post(&self, message: Json) -> Answer {
        let mut call = self.fixture.call(Method::POST, "/mcp").json(&message);
        call = call.header("accept", "application/json, text/event-stream");
        call = match self.session.as_deref() {
            None => {
                let method = message["method"].as_str().unwrap();
                let name = message["params"]["name"].as_str();
                let name = name.or(message["params"]["uri"].as_str());
                call =
                    call.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
                match name {
                    Some(name) => call.header("mcp-name", name),
                    None => call,
                }
            }
            Some("") => call,
            Some(session) => {
                call.header("mcp-protocol-version", "2025-11-25").header("mcp-session-id", session)
            }
        };
        call.token(&self.token).send().await
    }

    fn request(&self, method: &str, mut params: Json) -> Json {
        if self.session.is_none() {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
        }
        json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
    }

    /// Sends a request and returns its response, result or error.
    pub(crate) async fn send(&self, method: &str, params: Json) -> Json {
        let mut stream = Messages::of(self.post(self.request(method, params)).await);
        stream.response().await
    }

    /// Calls a tool and returns the result.
    pub(crate) async fn tool(&self, name: &str, arguments: Json) -> Json {
        let params = json!({ "name": name, "arguments": arguments });
        let response = self.send("tools/call", params).await;
        assert!(response.get("error").is_none(), "{response}");
        response["result"].clone()
    }

    /// Begins to call a tool, and returns the messages of the server.
    pub(crate) async fn begin(&self, name: &str, arguments: Json) -> Messages {
        let mut request =
            self.request("tools/call", json!({ "name": name, "arguments": arguments }));
        request["params"]["_meta"]["progressToken"] = json!("p1");
        Messages::of(self.post(request).await)
    }
}

/// Messages that the server sends in one response.
pub(crate) struct Messages {
    answer: Answer,
    text: String,
    is_stream: bool,
}

impl Messages {
    pub(crate) fn of(answer: Answer) -> Self {
        let media = answer.0.headers()["content-type"].to_str().unwrap();
        let is_stream = media.starts_with("text/event-stream");
        Messages { is_stream, answer, text: String::new() }
    }

    /// Returns the next message.
    pub(crate) async fn next(&mut self) -> Json {
        within(async {
            loop {
                if self.is_stream
                    && let Some((event, rest)) = self.text.split_once("\n\n")
                {
                    let data: String = event
                        .lines()
                        .filter_map(|line| line.strip_prefix("data:"))
                        .map(str::trim)
                        .collect();
                    self.text = rest.to_owned();
                    match serde_json::from_str(&data) {
                        Ok(message) => return message,
                        // The first event has no message.
                        Err(_) => continue,
                    }
                }
                match self.answer.0.body_mut().frame().await {
                    Some(frame) => {
                        if let Some(data) = frame.unwrap().data_ref() {
                            self.text += &String::from_utf8_lossy(data);
                        }
                    }
                    None => return serde_json::from_str(&self.text).unwrap(),
                }
            }
        })
        .await
    }

    /// Returns the next message that is a request of the server, or the response.
    pub(crate) async fn next_but_progress(&mut self) -> Json {
        loop {
            let message = self.next().await;
            if message["method"] != "notifications/progress" {
                return message;
            }
        }
    }

    /// Returns the response to the request.
    pub(crate) async fn response(&mut self) -> Json {
        loop {
            let message = self.next().await;
            if message.get("result").is_some() || message.get("error").is_some() {
                return message;
            }
        }
    }
}
