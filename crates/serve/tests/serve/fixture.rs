//! A server on a free port of loopback with a store of its own, and a client.

use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::body::Bytes;
use cofferdam::Capability;
use cofferdam::permissions::Timestamp;
use cofferdam_serve::server::Reached;
use cofferdam_serve::{Server, Settings, listen, secret};
use cofferdam_store::{Agent, Credential, Store};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::Value as Json;
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// Longest time that anything in a test may take.
pub(crate) const SOON: Duration = Duration::from_secs(20);

pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) address: SocketAddr,
    pub(crate) store: Store,
    pub(crate) folder: Folder,
    /// Token of the agent `tester`.
    pub(crate) token: String,
    end: Option<oneshot::Sender<()>>,
    served: tokio::task::JoinHandle<Result<(), String>>,
}

/// A folder that is removed at the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let path = std::env::temp_dir().join(secret::id("cofferdam-serve-"));
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn settings() -> Settings {
    Settings { listen: SocketAddr::from(([127, 0, 0, 1], 0)), cells: 16, ..Settings::default() }
}

pub(crate) async fn fixture() -> Fixture {
    start(settings(), Folder::new()).await
}

pub(crate) async fn start(settings: Settings, folder: Folder) -> Fixture {
    let store = Store::open(&folder.0.join("store.db")).unwrap();
    let socket = listen::Socket::bind(&settings).await.unwrap();
    let address = socket.address().unwrap();
    let reached = Reached { url: Some(socket.url(&settings)), addresses: vec![address] };
    let server = Server::open(settings, store.clone(), reached, None).unwrap();
    let (end, ended) = oneshot::channel::<()>();
    let served = tokio::spawn(listen::serve(server.clone(), socket, async {
        let _ = ended.await;
    }));
    let token = agent(&store, "tester", &[]);
    Fixture { server, address, store, folder, token, end: Some(end), served }
}

/// Adds an agent and returns its token.
pub(crate) fn agent(store: &Store, name: &str, capabilities: &[&str]) -> String {
    let token = secret::token().unwrap();
    let agent = Agent {
        id: secret::id("agt_"),
        name: format!("{name} {}", secret::id("")),
        capabilities: capabilities.iter().map(|c| c.parse::<Capability>().unwrap()).collect(),
        at: Timestamp::now(),
        revoked: None,
    };
    store.add_agent(&agent, &secret::hash(&token)).unwrap();
    token
}

/// Adds a login code.
pub(crate) fn code(store: &Store) -> String {
    let code = secret::code().unwrap();
    let (hash, now) = (secret::hash(&secret::plain_code(&code)), Timestamp::now());
    let life = (now, now.after(SOON));
    store.add_credential(Credential::Code, &hash, "ann", life).unwrap();
    code
}

impl Fixture {
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Call {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str, body: &Json) -> Call {
        self.call(Method::POST, path).json(body)
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.address.to_string())
            .body(Full::default())
            .unwrap();
        Call { address: self.address, request }
    }

    /// Runs as the agent, and returns the answer.
    pub(crate) async fn exec(&self, params: Json) -> Json {
        let answer = self.post("/v1/exec", &params).token(&self.token).send().await;
        answer.json(StatusCode::OK).await
    }

    /// Signs in and returns the cookie.
    pub(crate) async fn sign_in(&self) -> String {
        let body = serde_json::json!({ "code": code(&self.store) });
        let answer = self.post("/v1/login", &body).origin(&self.origin()).send().await;
        assert_eq!(answer.status(), StatusCode::NO_CONTENT);
        let cookie = answer.0.headers()[header::SET_COOKIE].to_str().unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict;"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    /// Waits for a question and returns it, as an approver sees it.
    pub(crate) async fn question(&self, cookie: &str) -> Json {
        within(async {
            loop {
                let list = self.get("/v1/questions").cookie(cookie).send().await;
                let list = list.json(StatusCode::OK).await;
                if let Some(question) = list["questions"].get(0) {
                    return question.clone();
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    /// Ends the server as SIGTERM does.
    pub(crate) async fn end(mut self) -> Folder {
        drop(self.end.take());
        within(&mut self.served).await.unwrap().unwrap();
        self.folder
    }
}

/// Fails if something takes too long.
pub(crate) async fn within<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(SOON, future).await.expect("in time")
}

pub(crate) struct Call {
    address: SocketAddr,
    request: Request<Full<Bytes>>,
}

impl Call {
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.request.headers_mut().insert(name, value.parse().unwrap());
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn cookie(self, cookie: &str) -> Self {
        self.header("cookie", cookie)
    }

    pub(crate) fn origin(self, origin: &str) -> Self {
        self.header("origin", origin)
    }

    pub(crate) fn json(self, body: &Json) -> Self {
        self.bytes("application/json", body.to_string().into_bytes())
    }

    pub(crate) fn bytes(self, media: &str, bytes: Vec<u8>) -> Self {
        let mut call = self.header("content-type", media);
        *call.request.body_mut() = Full::new(bytes.into());
        call
    }

    pub(crate) async fn send(self) -> Answer {
        within(async {
            let stream = TcpStream::connect(self.address).await.unwrap();
            let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
            tokio::spawn(connection);
            Answer(sender.send_request(self.request).await.unwrap())
        })
        .await
    }
}

pub(crate) struct Answer(pub(crate) Response<hyper::body::Incoming>);

impl Answer {
    pub(crate) fn status(&self) -> StatusCode {
        self.0.status()
    }

    pub(crate) async fn bytes(self) -> Vec<u8> {
        within(self.0.into_body().collect()).await.unwrap().to_bytes().to_vec()
    }

    pub(crate) async fn text(self) -> String {
        String::from_utf8(self.bytes().await).unwrap()
    }

    pub(crate) async fn json(self, expect: StatusCode) -> Json {
        let status = self.status();
        let text = self.text().await;
        assert_eq!(status, expect, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Reads a stream until an event of this name, and returns the text so far.
    pub(crate) async fn until(&mut self, event: &str) -> String {
        let mut text = String::new();
        let end = format!("event: {event}\n");
        within(async {
            // An event ends with an empty line.
            while !text.split_once(&end).is_some_and(|(_, rest)| rest.contains("\n\n")) {
                let frame = self.0.body_mut().frame().await;
                let frame = frame.unwrap_or_else(|| panic!("ended without {event}: {text}"));
                if let Some(data) = frame.unwrap().data_ref() {
                    text += &String::from_utf8_lossy(data);
                }
            }
        })
        .await;
        text
    }
}
