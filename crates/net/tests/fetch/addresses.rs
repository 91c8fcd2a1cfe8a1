//! Addresses and names: reachable, refused and rebound ones, and the resulting errors.

use std::sync::Arc;

use cofferdam_net::{FetchErrorKind, SystemResolver};

use crate::fixture::{
    Fixture, Judge, Names, PUBLIC, Server, block_on, check_kind, direct_client, request,
};

#[test]
fn every_spelling_of_loopback_is_refused() {
    let server = Server::start(|mut exchange| exchange.say_bytes("200 OK", b"ok"));
    let client = direct_client(Arc::new(SystemResolver));
    for host in [
        "127.0.0.1",
        "127.0.0.1.",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0X7F.0x0.0.1",
        "017700000001",
        "0177.0.0.01",
        "%31%32%37.0.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
        "@127.0.0.1",
        "0",
        "0.0.0.0",
        "127.255.255.254",
        "localhost",
        "LOCALHOST.",
        "ｌocalhost",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
    ] {
        let fetch = request("GET", &format!("http://{host}:{}/", server.address.port()));
        let result = block_on(client.fetch(fetch, &Judge::default()));
        let error = check_kind(result, FetchErrorKind::Address);
        assert!(error.to_string().contains("which needs a grant that names this origin"));
    }
    assert_eq!(server.heads(), [""; 0]);
}

#[test]
fn grant_that_names_it_opens_loopback() {
    let server = Server::start(|mut exchange| exchange.say_bytes("200 OK", b"ok"));
    let client = direct_client(Arc::new(SystemResolver));
    for host in ["127.0.0.1", "0x7f.1", "localhost"] {
        let fetch = request("GET", &format!("http://{host}:{}/", server.address.port()));
        let response = block_on(client.fetch(fetch, &Judge::naming())).unwrap();
        assert_eq!(block_on(response.body.bytes()).unwrap(), "ok");
    }
}

/// The name first resolves to a public address, then to a private one. The checked address is
/// dialled, and the name is not resolved again in between.
#[test]
fn name_that_changes_its_mind_is_asked_once() {
    let mut names = Names::default();
    names.set("rebind.example", &[&[PUBLIC], &["127.0.0.1"]]);
    let fixture = Fixture::with_names(names, |mut exchange| exchange.say_bytes("200 OK", b"ok"));
    assert_eq!(fixture.get("http://rebind.example/").unwrap(), "ok");
    assert_eq!(fixture.names.asked(), ["rebind.example"]);
    assert_eq!(fixture.dialled(), [format!("{PUBLIC}:80").parse().unwrap()]);

    for judge in [Judge::default(), Judge::naming()] {
        let result = fixture.fetch(request("GET", "http://rebind.example/"), &judge);
        check_kind(result, FetchErrorKind::Address);
    }
    assert_eq!(fixture.dialled().len(), 1);
}

#[test]
fn one_private_address_among_public_ones_spoils_the_name() {
    let mut names = Names::default();
    names.set("mixed.example", &[&[PUBLIC, "10.0.0.1"]]);
    names.set("many.example", &[&[PUBLIC, PUBLIC, PUBLIC, PUBLIC, PUBLIC, "::1"]]);
    let fixture = Fixture::with_names(names, |_| {});
    for url in ["http://mixed.example/", "http://many.example/"] {
        check_kind(fixture.get(url), FetchErrorKind::Address);
    }
    assert_eq!(fixture.dialled(), []);
}

#[test]
fn private_address_is_not_disclosed() {
    let mut names = Names::default();
    names.set("intranet.example", &[&["10.1.2.3"]]);
    let fixture = Fixture::with_names(names, |_| {});
    let error = fixture.get("http://intranet.example/secret?q=1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "intranet.example: resolves to a private address, \
         which needs a grant that names this origin"
    );
}

#[test]
fn name_without_address_is_an_error() {
    let mut names = Names::default();
    names.set("empty.example", &[&[]]);
    let fixture = Fixture::with_names(names, |_| {});
    let error = check_kind(fixture.get("http://empty.example/"), FetchErrorKind::Resolve);
    assert_eq!(error.to_string(), "empty.example: no address found");
}

#[test]
fn address_that_does_not_answer_gives_way_to_the_next() {
    let mut names = Names::default();
    // Nothing listens at the first address; this client dials without the detour.
    let server = Server::start(|mut exchange| exchange.say_bytes("200 OK", b"ok"));
    names.set("two.localhost", &[&["127.0.0.2", "127.0.0.1"]]);
    let client = direct_client(Arc::new(names));
    let url = format!("http://two.localhost:{}/", server.address.port());
    let response = block_on(client.fetch(request("GET", &url), &Judge::naming())).unwrap();
    assert_eq!(response.status, 200);
    assert!(
        server.heads()[0].contains(&format!("host: two.localhost:{}\n", server.address.port()))
    );
}

#[test]
fn port_of_another_protocol_is_refused_before_the_authority_is_asked() {
    let fixture = Fixture::friendly();
    let judge = Judge::naming();
    for port in [22, 25, 53, 6667] {
        let fetch = request("GET", &format!("http://a.example:{port}/"));
        check_kind(fixture.fetch(fetch, &judge), FetchErrorKind::BadPort);
    }
    assert_eq!(judge.asked(), [""; 0]);
}

#[test]
fn refused_connection_is_an_error_that_names_the_port() {
    let mut names = Names::default();
    names.set("gone.localhost", &[&["127.0.0.1"]]);
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let client = direct_client(Arc::new(names));
    let fetch = request("GET", &format!("http://gone.localhost:{port}/"));
    let error = block_on(client.fetch(fetch, &Judge::naming())).unwrap_err();
    assert_eq!(error.kind(), FetchErrorKind::Connect);
    let start = format!("gone.localhost: cannot connect to port {port}: ");
    assert!(error.to_string().starts_with(&start), "{error}");
}
