//! The resolver against name servers made for the purpose, on loopback.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

use super::config::Machine;
use super::message::{Answer, Kind, Question, answer};
use super::*;

/// Reply of a name server to one question: bytes to send, or nothing.
type Reply = fn(&[u8], bool) -> Option<Vec<u8>>;

/// A folder with the files of a machine whose name server is on this port.
struct Folder(PathBuf);

impl Folder {
    fn new(hosts: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cofferdam-dns-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        let resolv = "nameserver 127.0.0.1\nsearch corp.example\noptions timeout:1 attempts:1\n";
        std::fs::write(path.join("resolv.conf"), resolv).unwrap();
        std::fs::write(path.join("hosts"), hosts).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Starts a name server; returns a resolver that asks it.
async fn resolver(reply: Reply) -> (Arc<MachineResolver>, Folder) {
    // The port has to be free for datagrams and for connections.
    let (datagrams, connections) = loop {
        let datagrams = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = datagrams.local_addr().unwrap();
        if let Ok(connections) = TcpListener::bind(address).await {
            break (datagrams, connections);
        }
    };
    let port = datagrams.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut bytes = [0; 1024];
        while let Ok((length, from)) = datagrams.recv_from(&mut bytes).await {
            if let Some(reply) = reply(&bytes[..length], false) {
                let _ = datagrams.send_to(&reply, from).await;
            }
        }
    });
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = connections.accept().await {
            let mut length = [0; 2];
            stream.read_exact(&mut length).await.unwrap();
            let mut bytes = vec![0; usize::from(u16::from_be_bytes(length))];
            stream.read_exact(&mut bytes).await.unwrap();
            if let Some(reply) = reply(&bytes, true) {
                let length = (reply.len() as u16).to_be_bytes();
                let _ = stream.write_all(&[&length[..], &reply].concat()).await;
            }
        }
    });
    let folder = Folder::new("10.9.8.7 pinned.example\n");
    (Arc::new(MachineResolver::on(Machine::of(&folder.0, port))), folder)
}

fn name_of(question: &[u8]) -> String {
    let (mut at, mut labels) = (12, Vec::new());
    while question[at] != 0 {
        let end = at + 1 + usize::from(question[at]);
        labels.push(String::from_utf8(question[at + 1..end].to_vec()).unwrap());
        at = end;
    }
    labels.join(".")
}

/// Returns an answer with these flags and records, each as name, type and data.
fn reply(question: &[u8], flags: u16, records: &[(&[u8], u16, &[u8])]) -> Vec<u8> {
    let mut bytes = question.to_vec();
    bytes[2..4].copy_from_slice(&(0x8180 | flags).to_be_bytes());
    bytes[6..8].copy_from_slice(&(records.len() as u16).to_be_bytes());
    for (name, kind, data) in records {
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(&kind.to_be_bytes());
        bytes.extend_from_slice(&[0, 1, 0, 0, 0, 60]);
        bytes.extend_from_slice(&(data.len() as u16).to_be_bytes());
        bytes.extend_from_slice(data);
    }
    bytes
}

/// Pointer to the name in the question.
const SAME: &[u8] = &[0xc0, 12];

fn is_six(question: &[u8]) -> bool {
    question[question.len() - 3] == 28
}

fn ordinary(question: &[u8], by_connection: bool) -> Option<Vec<u8>> {
    let name = name_of(question);
    let six = &[0x26, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1][..];
    Some(match name.as_str() {
        _ if name.starts_with("silent") => return None,
        "good.example" if is_six(question) => reply(question, 0, &[(SAME, 28, six)]),
        "good.example" | "intern.corp.example" => reply(question, 0, &[(SAME, 1, &[8, 8, 4, 4])]),
        "four.example" if is_six(question) => reply(question, 0, &[]),
        "four.example" => reply(question, 0, &[(SAME, 1, &[8, 8, 8, 8])]),
        "alias.example" => {
            let target = b"\x06target\x07example\0";
            let records: [(&[u8], u16, &[u8]); 3] = [
                (SAME, 5, target),
                (b"\x05other\0", 1, &[6, 6, 6, 6]),
                (b"\x06TARGET\x07example\0", 1, &[1, 2, 3, 4]),
            ];
            reply(question, 0, &records)
        }
        "long.example" if !by_connection => reply(question, 0x0200, &[]),
        "long.example" => reply(question, 0, &[(SAME, 1, &[9, 9, 9, 9])]),
        "broken.example" => reply(question, 2, &[]),
        _ => reply(question, 3, &[]),
    })
}

async fn check(name: &str, expect: &[&str]) {
    let (resolver, _folder) = resolver(ordinary).await;
    let mut found = resolver.resolve(name).await.unwrap();
    found.sort();
    let expect: Vec<IpAddr> = expect.iter().map(|text| text.parse().unwrap()).collect();
    assert_eq!(found, expect, "{name}");
}

#[tokio::test]
async fn both_kinds_of_addresses_are_found() {
    check("good.example", &["8.8.4.4", "2600::1"]).await;
    check("GOOD.example", &["8.8.4.4", "2600::1"]).await;
    check("four.example.", &["8.8.8.8"]).await;
}

#[tokio::test]
async fn hosts_file_comes_before_the_name_server() {
    check("pinned.example", &["10.9.8.7"]).await;
    check("app.localhost", &["127.0.0.1", "::1"]).await;
}

#[tokio::test]
async fn aliases_are_followed_and_other_names_left_out() {
    check("alias.example", &["1.2.3.4"]).await;
}

#[tokio::test]
async fn search_list_is_used() {
    check("intern", &["8.8.4.4"]).await;
}

#[tokio::test]
async fn answer_that_does_not_fit_is_fetched_by_a_connection() {
    check("long.example", &["9.9.9.9"]).await;
}

#[tokio::test]
async fn failures_say_what_is_wrong() {
    let (resolver, _folder) = resolver(ordinary).await;
    let error = async |name: &str| resolver.resolve(name).await.unwrap_err().to_string();
    assert_eq!(error("missing.example").await, "no such name");
    assert_eq!(error("broken.example").await, "the name servers cannot tell");
    assert_eq!(error("silent.example").await, "no name server answers");
    assert_eq!(error("a..example").await, "no such name");
}

/// T-NET-013.
#[tokio::test]
async fn lookups_without_an_answer_keep_no_other_waiting() {
    let (resolver, _folder) = resolver(ordinary).await;
    let waiting: Vec<_> = (0..200)
        .map(|number| {
            let resolver = resolver.clone();
            tokio::spawn(async move { resolver.resolve(&format!("silent{number}.example")).await })
        })
        .collect();
    // All 200 have begun when the runtime gets here again.
    tokio::task::yield_now().await;
    let found = tokio::time::timeout(Duration::from_millis(900), resolver.resolve("four.example"));
    assert!(found.await.expect("before the first of the others is over").is_ok());
    assert!(waiting.iter().all(|task| !task.is_finished()), "the others are still waiting");
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
    for task in waiting {
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
    }
    assert_eq!(resolver.lookups.available_permits(), MAX_LOOKUPS, "nothing is left of them");
}

/// T-NET-013.
#[tokio::test]
async fn forged_answers_are_ignored() {
    fn forged(question: &[u8], _: bool) -> Option<Vec<u8>> {
        let mut reply = reply(question, 0, &[(SAME, 1, &[6, 6, 6, 6])]);
        match name_of(question).as_str() {
            // Another number, another question.
            "number.example" => reply[0] ^= 1,
            "name.example" => reply[13] ^= 1,
            "kind.example" => reply[question.len() - 3] ^= 0x40,
            // A question.
            "query.example" => reply[2] &= 0x7f,
            _ => {}
        }
        Some(reply)
    }
    let (resolver, _folder) = resolver(forged).await;
    for name in ["number.example.", "name.example.", "kind.example.", "query.example."] {
        let error = resolver.resolve(name).await.unwrap_err();
        assert_eq!(error.to_string(), "no name server answers", "{name}");
    }
    assert!(resolver.resolve("fine.example").await.is_ok());
}

fn question() -> Question {
    Question::numbered(7, "a.example", Kind::Four).unwrap()
}

/// T-NET-013.
#[test]
fn every_cut_and_every_changed_byte_of_an_answer_is_harmless() {
    let question = question();
    let target = b"\x01b\xc0\x0e";
    let records: [(&[u8], u16, &[u8]); 2] =
        [(SAME, 5, target), (b"\x01b\xc0\x0e", 1, &[1, 2, 3, 4])];
    let whole = reply(question.bytes(), 0, &records);
    let expect = Answer::Addresses(vec!["1.2.3.4".parse().unwrap()]);
    assert_eq!(answer(&whole, &question), Some(expect));
    for length in 0..whole.len() {
        assert_eq!(answer(&whole[..length], &question), None, "{length}");
    }
    for at in 0..whole.len() {
        for value in 0..=255 {
            let mut changed = whole.clone();
            changed[at] = value;
            let _ = answer(&changed, &question);
        }
    }
}

/// T-NET-013.
#[test]
fn names_that_point_at_themselves_or_forwards_are_refused() {
    let question = question();
    for name in [&[0xc0, 27][..], &[0xc0, 40], &[0xff, 0xff], &[0x40, 1], &[63]] {
        let hostile = reply(question.bytes(), 0, &[(name, 1, &[1, 2, 3, 4])]);
        assert_eq!(answer(&hostile, &question), None, "{name:?}");
    }
}

#[test]
fn names_that_cannot_be_asked_for_are_no_questions() {
    let long = "a".repeat(64);
    let many = "a.".repeat(127) + "aa";
    for name in ["", ".", "a..b", ".a", &long, &many] {
        assert!(Question::numbered(1, name, Kind::Six).is_none(), "{name}");
    }
}
