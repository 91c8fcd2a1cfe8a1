//! Attempts to get out, from C: none may succeed.

use std::net::UdpSocket;
use std::os::unix::net::UnixListener;
use std::sync::OnceLock;

use libtest_mimic::{Failed, Trial};

use crate::world::{Folder, Office, out, program};

const PROBES: &str = include_str!("probes.c");

/// Probes of which the result is checked one by one.
fn names() -> Vec<&'static str> {
    let list = PROBES.split("probes[] = {").nth(1).expect("a list of probes");
    let names = list.split("PROBE(").skip(1);
    names.map(|rest| rest.split(')').next().expect("a name")).collect()
}

/// Milliseconds for each race; ten seconds in a long run.
fn race() -> String {
    std::env::var("COFFERDAM_RACE_MS").unwrap_or_else(|_| "500".to_owned())
}

/// T-NAT-001, T-NAT-002, T-NAT-003, T-NAT-004, T-NAT-005, T-NAT-006, T-NAT-007, T-NAT-008: each by
/// several probes.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<_> = names()
        .into_iter()
        .map(|name| {
            Trial::test(format!("escape::{name}"), move || match result(name).as_deref() {
                Some("held") => Ok(()),
                found => Err(Failed::from(format!("{name}: {found:?}"))),
            })
        })
        .collect();
    trials.push(Trial::test("escape::there_are_a_hundred_probes", || {
        assert!(names().len() >= 100, "{}", names().len());
        Ok(())
    }));
    trials
}

fn result(name: &str) -> Option<String> {
    static RESULTS: OnceLock<String> = OnceLock::new();
    let results = RESULTS.get_or_init(run);
    results.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(' ')?.to_owned()))
}

/// Runs all probes in one sandbox, beside things of the host that they look for.
fn run() -> String {
    let folder = Folder::new();
    let source = folder.write("probes.c", PROBES);
    let compiled = folder.text("bin/probes");
    std::fs::create_dir(folder.path("bin")).expect("a folder");
    let compiler = std::process::Command::new("cc")
        .args(["-O1", "-w", "-o", &compiled, &source, "-lpthread"])
        .output()
        .expect("a C compiler");
    assert!(compiler.status.success(), "{}", String::from_utf8_lossy(&compiler.stderr));
    let secret = folder.write("secret/key", "SECRET-OF-THE-HOST\n");
    let socket = folder.text("socket");
    let _listener = UnixListener::bind(&socket).expect("a socket");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    udp.set_nonblocking(true).expect("a socket");
    let port = udp.local_addr().expect("an address").port().to_string();
    let host = std::process::id().to_string();
    let mut probes = program(&[&compiled, &secret, &host, &port, &socket, &race()]);
    probes.offered.insert("PROBE_SECRET".into(), "1".into());
    let (ran, _) = Office::new(&[]).run(probes);
    let mut text = out(&ran);
    if udp.recv(&mut [0; 16]).is_ok() {
        text = text.replace("socket_udp held", "socket_udp ESCAPED reached the host");
    }
    assert!(secret_is_whole(&folder), "the secret was changed");
    text
}

fn secret_is_whole(folder: &Folder) -> bool {
    folder.read("secret/key") == "SECRET-OF-THE-HOST\n"
}
