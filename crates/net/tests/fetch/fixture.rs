//! A server, a resolver and an authority that follow a test's script and record all calls.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use cofferdam_caps::network::{FetchUrl, Method};
use cofferdam_net::{
    Authority, Client, Dialer, Direct, Fetch, FetchError, FetchErrorKind, HeaderValue, Later,
    NotAuthorised, Passage, Resolver, Response, Roots, Settings,
};

/// Address of every name that a test does not set.
pub(crate) const PUBLIC: &str = "93.184.216.34";

/// Longest wait for something that must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Runs a future on this thread to its end.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::park(),
        }
    }
}

/// One request as the server received it.
pub(crate) struct Exchange {
    /// Request line and headers, names in lower case.
    pub(crate) head: String,
    pub(crate) stream: BufReader<TcpStream>,
}

impl Exchange {
    pub(crate) fn path(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn say(&mut self, text: &str) {
        // Many tests let the client go first.
        let _ = self.stream.get_mut().write_all(text.as_bytes());
    }

    pub(crate) fn say_bytes(&mut self, head: &str, body: &[u8]) {
        self.say(&format!("HTTP/1.1 {head}\r\ncontent-length: {}\r\n\r\n", body.len()));
        let _ = self.stream.get_mut().write_all(body);
    }

    /// Reads a body of declared length.
    pub(crate) fn body(&mut self) -> String {
        let length = self.head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        self.stream.read_exact(&mut body).unwrap();
        String::from_utf8(body).unwrap()
    }

    /// Reads a chunked body up to and including its last chunk.
    pub(crate) fn chunks(&mut self) -> String {
        let mut body = Vec::new();
        while !body.ends_with(b"0\r\n\r\n") {
            let mut byte = [0];
            self.stream.read_exact(&mut byte).unwrap();
            body.push(byte[0]);
        }
        String::from_utf8(body).unwrap()
    }

    /// Waits until the client closes the connection; discards what it sends.
    pub(crate) fn wait_for_close(&mut self) {
        self.stream.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
        match io::copy(&mut self.stream, &mut io::sink()) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
            Err(error) => panic!("the connection stays open: {error}"),
        }
    }
}

/// A server on loopback that records the heads of all requests.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(Exchange) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (answer, noted) = (Arc::new(answer), heads.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (answer, noted) = (answer.clone(), noted.clone());
                thread::spawn(move || {
                    let Some(exchange) = read_head(stream.unwrap()) else {
                        return;
                    };
                    noted.lock().unwrap().push(exchange.head.clone());
                    answer(exchange);
                });
            }
        });
        Self { address, heads }
    }

    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

fn read_head(stream: TcpStream) -> Option<Exchange> {
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            return Some(Exchange { head, stream });
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) => head += &format!("{}: {value}\n", name.to_lowercase()),
            None => head += &format!("{}\n", line.trim_end()),
        }
    }
}

/// A resolver that returns the next list of addresses for each lookup of a name, and repeats the
/// last one.
#[derive(Default)]
pub(crate) struct Names {
    answers: HashMap<String, Vec<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl Names {
    pub(crate) fn set(&mut self, name: &str, answers: &[&[&str]]) {
        let parse = |list: &&[&str]| list.iter().map(|ip| ip.parse().unwrap()).collect();
        self.answers.insert(name.to_owned(), answers.iter().map(parse).collect());
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, domain: &'a str) -> Later<'a, io::Result<Vec<IpAddr>>> {
        let mut asked = self.asked.lock().unwrap();
        let before = asked.iter().filter(|name| *name == domain).count();
        asked.push(domain.to_owned());
        let found = match self.answers.get(domain) {
            None => vec![PUBLIC.parse().unwrap()],
            Some(answers) => answers[before.min(answers.len() - 1)].clone(),
        };
        Box::pin(async { Ok(found) })
    }
}

/// A dialer that connects every checked address to one server.
pub(crate) struct Detour {
    to: SocketAddr,
    dialled: Mutex<Vec<SocketAddr>>,
}

impl Dialer for Detour {
    fn dial(&self, checked: SocketAddr) -> SocketAddr {
        self.dialled.lock().unwrap().push(checked);
        self.to
    }
}

/// An authority that allows everything except one URL, and records every question.
#[derive(Default)]
pub(crate) struct Judge {
    pub(crate) names_origin: bool,
    /// Origin, header name, value.
    pub(crate) secrets: Vec<(&'static str, &'static str, &'static str)>,
    /// The URL that is refused.
    pub(crate) forbids: Option<&'static str>,
    pub(crate) takes: Duration,
    pub(crate) questions: Mutex<Vec<String>>,
}

impl Judge {
    pub(crate) fn naming() -> Self {
        Self { names_origin: true, ..Self::default() }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.questions.lock().unwrap().clone()
    }
}

impl Authority for Judge {
    fn allow<'a>(
        &'a self,
        method: &'a Method,
        url: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, NotAuthorised>> {
        self.questions.lock().unwrap().push(format!("{method} {}", url.as_str()));
        Box::pin(async move {
            thread::sleep(self.takes);
            if self.forbids == Some(url.as_str()) {
                return Err(NotAuthorised::new("not granted").with_cause(42_u32));
            }
            let of_origin = |(origin, ..): &&(&str, _, _)| *origin == url.origin().to_string();
            let secrets = self.secrets.iter().filter(of_origin);
            let header = |(_, name, value): &(_, &'static str, &'static str)| {
                (name.parse().unwrap(), HeaderValue::from_static(value))
            };
            let secret_headers = secrets.map(header).collect();
            Ok(Passage { secret_headers, names_origin: self.names_origin })
        })
    }
}

/// A client whose connections all end at one server.
pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) names: Arc<Names>,
    pub(crate) client: Client,
    detour: Arc<Detour>,
}

impl Fixture {
    pub(crate) fn new(answer: impl Fn(Exchange) + Send + Sync + 'static) -> Self {
        Self::with_names(Names::default(), answer)
    }

    pub(crate) fn with_names(
        names: Names,
        answer: impl Fn(Exchange) + Send + Sync + 'static,
    ) -> Self {
        let server = Server::start(answer);
        let names = Arc::new(names);
        let detour = Arc::new(Detour { to: server.address, dialled: Mutex::default() });
        let client = Client::new(settings(&names, &detour));
        Self { server, names, client, detour }
    }

    pub(crate) fn settings(&self) -> Settings {
        settings(&self.names, &self.detour)
    }

    /// Creates a fixture whose server responds `ok` to everything.
    pub(crate) fn friendly() -> Self {
        Self::new(|mut exchange| exchange.say_bytes("200 OK", b"ok"))
    }

    /// Returns the checked addresses in the order of their connections.
    pub(crate) fn dialled(&self) -> Vec<SocketAddr> {
        self.detour.dialled.lock().unwrap().clone()
    }

    pub(crate) fn fetch(&self, fetch: Fetch, judge: &Judge) -> Result<Response, FetchError> {
        block_on(self.client.fetch(fetch, judge))
    }

    /// Returns the whole body of a GET.
    pub(crate) fn get(&self, url: &str) -> Result<String, FetchError> {
        self.run(request("GET", url))
    }

    /// Returns the whole body of the response to `fetch`.
    pub(crate) fn run(&self, fetch: Fetch) -> Result<String, FetchError> {
        let response = self.fetch(fetch, &Judge::default())?;
        let body = block_on(response.body.bytes())?;
        Ok(String::from_utf8(body.to_vec()).unwrap())
    }
}

fn settings(names: &Arc<Names>, detour: &Arc<Detour>) -> Settings {
    let roots = Roots::Only(Vec::new());
    Settings { resolver: names.clone(), dialer: detour.clone(), roots, ..Settings::default() }
}

/// Creates a client that dials the checked addresses.
pub(crate) fn direct_client(resolver: Arc<dyn Resolver>) -> Client {
    let dialer = Arc::new(Direct);
    Client::new(Settings { resolver, dialer, ..Settings::default() })
}

pub(crate) fn request(method: &str, url: &str) -> Fetch {
    Fetch::new(method.parse().unwrap(), url.parse().unwrap())
}

#[track_caller]
pub(crate) fn check_kind<T>(result: Result<T, FetchError>, expect: FetchErrorKind) -> FetchError {
    match result {
        Ok(_) => panic!("not an error of kind {expect:?}"),
        Err(error) => {
            assert_eq!(error.kind(), expect, "{error}");
            error
        }
    }
}
