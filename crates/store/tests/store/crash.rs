//! Durability: a killed process loses nothing that it reported as done.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use cofferdam_broker::{Broker, Event, Ledger, Line, Sink, Span, Terms, Timestamp};
use cofferdam_store::{Filter, Options, Store, WriterStart};

use super::{Scratch, key};

const STORE: &str = "COFFERDAM_TEST_CRASH";

/// Grants and logs until it is killed, and prints each completed step. Does nothing when run as a
/// test.
#[test]
fn grants_until_it_is_killed() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let store = Arc::new(Store::open(path.as_ref()).unwrap());
    let broker = Broker::setup(store.clone(), store.clone()).open().unwrap();
    let mut out = std::io::stdout();
    for number in 0.. {
        let terms = Terms::new(key(&number.to_string()).required(), Span::Always);
        let grant = broker.grant(terms).unwrap();
        let mut line = Line::new(Timestamp::now(), Event::Check);
        line.note = Some(number.to_string().into());
        store.commit(vec![line]).unwrap();
        writeln!(out, "done {number} {}", grant.id).unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn completed_changes_survive_a_kill() {
    let scratch = Scratch::new();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::grants_until_it_is_killed", "--nocapture"])
        .env(STORE, scratch.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    // The first line follows output of the test harness.
    let done = lines.filter_map(|line| Some(line.split_once("done ")?.1.to_owned()));
    let done: Vec<String> = done.take(20).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(done.len(), 20);
    let store = Store::open(&scratch.path()).unwrap();
    let grants = store.grants().unwrap();
    let log = store.lines(&Filter { event: Some(Event::Check), ..Filter::default() }).unwrap();
    for line in done {
        let (number, id) = line.split_once(' ').unwrap();
        assert!(grants.iter().any(|grant| grant.id.as_str() == id), "{line}");
        assert!(log.iter().any(|(_, line)| line.note.as_deref() == Some(number)), "{line}");
    }
}

#[test]
fn lines_of_one_run_are_there_after_a_flush_and_after_the_end() {
    let scratch = Scratch::new();
    let options = Options { writer: WriterStart::WhenNeeded, ..Options::default() };
    let open = || Store::open_with(&scratch.path(), &options).unwrap();
    let run = |events: &[Event]| -> Vec<Line> {
        events.iter().map(|event| Line::new(Timestamp::now(), *event)).collect()
    };
    let count = || open().lines(&Filter::default()).unwrap().len();
    let store = open();
    store.offer(run(&[Event::Start, Event::End]));
    store.flush().unwrap();
    assert_eq!(count(), 2);
    store.offer(run(&[Event::Start, Event::End]));
    drop(store);
    assert_eq!(count(), 4);
    // A second run needs the thread, and so does one that goes on.
    let store = open();
    store.offer(run(&[Event::Start, Event::End]));
    store.offer(run(&[Event::Start, Event::End]));
    store.flush().unwrap();
    assert_eq!(count(), 8);
    let other = open();
    other.offer(run(&[Event::Start]));
    other.flush().unwrap();
    assert_eq!(count(), 9);
    drop((store, other));
    assert_eq!(count(), 9);
}

#[test]
fn offered_lines_are_there_after_a_flush_and_after_the_end() {
    let scratch = Scratch::new();
    let line = || vec![Line::new(Timestamp::now(), Event::Start)];
    let store = Store::open(&scratch.path()).unwrap();
    store.offer(line());
    store.flush().unwrap();
    assert_eq!(Store::open(&scratch.path()).unwrap().lines(&Filter::default()).unwrap().len(), 1);
    store.offer(line());
    drop(store);
    assert_eq!(Store::open(&scratch.path()).unwrap().lines(&Filter::default()).unwrap().len(), 2);
}
