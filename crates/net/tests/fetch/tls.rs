//! TLS against a local server that is certified as `secure.example`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;

use cofferdam_net::{Client, Dialer, FetchError, FetchErrorKind, Roots, Settings};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::fixture::{Judge, Names, Server, block_on, check_kind, request};

const AUTHORITY: &[u8] = include_bytes!("../tls/ca.der");
const CERTIFICATE: &[u8] = include_bytes!("../tls/server.der");
const KEY: &[u8] = include_bytes!("../tls/server.key.der");

struct To(SocketAddr);

impl Dialer for To {
    fn dial(&self, _checked: SocketAddr) -> SocketAddr {
        self.0
    }
}

/// Starts a server that is `secure.example` and returns the requested name and protocol.
fn serve() -> SocketAddr {
    let certificates = vec![CertificateDer::from(CERTIFICATE)];
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            let mut room = [0; 4096];
            // A client that does not trust this server has closed the connection.
            let Ok(count) = stream.read(&mut room) else {
                continue;
            };
            let head = String::from_utf8_lossy(&room[..count]).into_owned();
            let host = head.lines().find(|line| line.starts_with("host: ")).unwrap_or_default();
            let name = stream.conn.server_name().unwrap_or_default();
            let protocol = String::from_utf8_lossy(stream.conn.alpn_protocol().unwrap_or_default());
            let body = format!("{name} {protocol} {host}");
            let length = body.len();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
            let _ = stream.write_all(answer.as_bytes());
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    });
    address
}

fn get(url: &str, roots: Roots, address: SocketAddr, judge: &Judge) -> Result<String, FetchError> {
    let mut names = Names::default();
    names.set("private.example", &[&["10.0.0.1"]]);
    let (resolver, dialer) = (Arc::new(names), Arc::new(To(address)));
    let client = Client::new(Settings { resolver, dialer, roots, ..Settings::default() });
    let response = block_on(client.fetch(request("GET", url), judge))?;
    let body = block_on(response.body.bytes())?;
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

fn ours() -> Roots {
    Roots::Only(vec![AUTHORITY.to_vec()])
}

#[test]
fn server_that_proves_its_name_is_connected_to() {
    let body = get("https://secure.example:8443/", ours(), serve(), &Judge::default()).unwrap();
    assert_eq!(body, "secure.example http/1.1 host: secure.example:8443");
}

#[test]
fn server_with_another_name_is_refused() {
    let result = get("https://other.example/", ours(), serve(), &Judge::default());
    let error = check_kind(result, FetchErrorKind::Tls);
    assert!(error.to_string().starts_with("other.example: no secure connection: "), "{error}");
}

#[test]
fn certificate_for_a_name_does_not_cover_an_address() {
    let result = get("https://93.184.216.34/", ours(), serve(), &Judge::default());
    check_kind(result, FetchErrorKind::Tls);
}

#[test]
fn server_with_an_untrusted_certificate_is_refused() {
    let result = get("https://secure.example/", Roots::System, serve(), &Judge::default());
    assert!(matches!(result.unwrap_err().kind(), FetchErrorKind::Tls | FetchErrorKind::Stopped));
    let nobody = Roots::Only(Vec::new());
    let result = get("https://secure.example/", nobody, serve(), &Judge::default());
    let error = check_kind(result, FetchErrorKind::Stopped);
    let expect = "secure.example: no secure connections: this machine has no root certificates";
    assert_eq!(error.to_string(), expect);
}

#[test]
fn server_without_tls_is_an_error() {
    let server = Server::start(|mut exchange| exchange.say_bytes("200 OK", b"ok"));
    // The TLS greeting contains no end of a request head, so the server waits for more until the
    // time limit.
    let mut fetch = request("GET", "https://secure.example/");
    fetch.limits.time = std::time::Duration::from_millis(300);
    let (resolver, dialer) = (Arc::new(Names::default()), Arc::new(To(server.address)));
    let roots = ours();
    let client = Client::new(Settings { resolver, dialer, roots, ..Settings::default() });
    let error = block_on(client.fetch(fetch, &Judge::default())).unwrap_err();
    assert!(matches!(error.kind(), FetchErrorKind::Tls | FetchErrorKind::TimeLimit), "{error}");
    assert_eq!(server.heads(), [""; 0]);
}

#[test]
fn private_server_needs_a_grant_that_names_it_and_a_certificate() {
    let result = get("https://private.example/", ours(), serve(), &Judge::default());
    check_kind(result, FetchErrorKind::Address);
    let result = get("https://private.example/", ours(), serve(), &Judge::naming());
    check_kind(result, FetchErrorKind::Tls);
}
