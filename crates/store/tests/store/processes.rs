//! Several processes with one store: changes, counts and wake-ups cross between them.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use cofferdam_broker::{Broker, Cost, FromOutside, Ledger, RequestStatus, Span, Terms, Verdict};
use cofferdam_caps::{CapabilitySet, Kind};
use cofferdam_store::Store;

use super::{Scratch, broker, is_permitted, key};

/// Names the store for a copy of this test program.
const STORE: &str = "COFFERDAM_TEST_STORE";

const PROCESSES: usize = 4;
const BUDGET: u32 = 25;

fn terms(name: &str, span: Span) -> Terms {
    Terms::new(key(name).required(), span)
}

#[test]
fn change_of_one_process_is_seen_by_the_next_check_of_another() {
    let scratch = Scratch::new();
    let (one, other) = (broker(&scratch.path()), broker(&scratch.path()));
    let desk = other.permissions("s", &CapabilitySet::default()).desk("r", "t");
    for _ in 0..5 {
        assert!(!is_permitted(&desk, &key("a")));
        let grant = one.grant(terms("a", Span::Always)).unwrap();
        assert!(is_permitted(&desk, &key("a")));
        assert!(is_permitted(&desk, &key("a")));
        one.revoke(&grant.id, "").unwrap();
    }
    assert!(!is_permitted(&desk, &key("a")));
}

#[test]
fn request_has_the_same_id_in_another_process() {
    let scratch = Scratch::new();
    let (one, other) = (broker(&scratch.path()), broker(&scratch.path()));
    let desk = one.permissions("s", &CapabilitySet::default()).desk("r", "t");
    assert!(!is_permitted(&desk, &key("a")));
    let request = other.requests().unwrap().remove(0);
    let granted = other.terms_for(&request.id, Span::Once).unwrap();
    other.grant_request(&request.id, granted).unwrap();
    assert!(is_permitted(&desk, &key("a")));
    desk.end("", Cost::default());
    assert!(!is_permitted(&desk, &key("a")));
    assert_eq!(one.requests().unwrap()[0].status, RequestStatus::Granted);
    other.deny_request(&request.id, "alice").unwrap();
    assert_eq!(one.requests().unwrap()[0].status, RequestStatus::Denied);
}

#[test]
fn headers_and_holders_read_back() {
    let scratch = Scratch::new();
    let secret = Terms::new("network:fetch:https://a.example".parse().unwrap(), Span::Session)
        .for_tool("t")
        .for_sandbox("s")
        .by("alice")
        .max(3)
        .header("authorization", "Bearer: s3cr3t")
        .unwrap();
    let grant = broker(&scratch.path()).grant(secret).unwrap();
    assert_eq!(broker(&scratch.path()).grants().unwrap(), [grant]);
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[test]
fn grant_of_another_process_wakes_a_waiting_run() {
    let scratch = Scratch::new();
    let store = Arc::new(Store::open(&scratch.path()).unwrap());
    let asking =
        Broker::setup(store.clone(), store).approver(Arc::new(FromOutside)).open().unwrap();
    let desk = asking.permissions("s", &CapabilitySet::default()).desk("r", "t");
    let Verdict::Ask(mut waiting) = desk.check(key("a")) else { panic!("not asked") };
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut poll = || {
        let context = &mut Context::from_waker(&waker);
        std::future::Future::poll(std::pin::Pin::new(&mut waiting), context)
    };
    assert!(poll().is_pending());
    broker(&scratch.path()).grant(terms("a", Span::Always)).unwrap();
    let permit = loop {
        match poll() {
            Poll::Ready(result) => break result,
            Poll::Pending => std::thread::park(),
        }
    };
    assert!(permit.is_ok());
}

/// The work of each child process below. Does nothing when run as a test.
#[test]
fn uses_up_as_many_permits_as_possible() {
    let Some(path) = std::env::var_os(STORE) else { return };
    let desk = broker(path.as_ref()).permissions("s", &CapabilitySet::default()).desk("r", "t");
    let used = (0..BUDGET).filter(|_| is_permitted(&desk, &key("a"))).count();
    println!("used={used};");
}

#[test]
fn once_is_one_run_whichever_process_uses_it_first() {
    let scratch = Scratch::new();
    let (first, other) = (broker(&scratch.path()), broker(&scratch.path()));
    first.grant(terms("a", Span::Once)).unwrap();
    let none = CapabilitySet::default();
    let (ours, theirs) = (
        first.permissions("s", &none).desk("r", "t"),
        other.permissions("s", &none).desk("r", "t"),
    );
    // Known to both before one of them uses it.
    assert!(ours.sees(Kind::StorageLocalRead).unwrap());
    assert!(theirs.sees(Kind::StorageLocalRead).unwrap());
    (0..3).for_each(|_| assert!(is_permitted(&ours, &key("a"))));
    assert!(!is_permitted(&theirs, &key("a")));
    // A run that never ends does not hold the grant for ever.
    let grants = first.grants().unwrap();
    assert!(grants[0].run.is_some() && grants[0].expires.is_some());
    drop(ours);
    assert!(other.grants().unwrap().is_empty());
}

#[test]
fn counted_grant_is_used_up_by_all_processes_together() {
    let scratch = Scratch::new();
    let first = broker(&scratch.path());
    first.grant(terms("a", Span::Always).max(BUDGET)).unwrap();
    let start = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "processes::uses_up_as_many_permits_as_possible", "--nocapture"]);
        command.env(STORE, scratch.path()).stdout(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..PROCESSES).map(|_| start()).collect();
    let used = |child: std::process::Child| -> u32 {
        let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let number = text.split_once("used=").and_then(|(_, rest)| rest.split_once(';'));
        number.unwrap_or_else(|| panic!("{text}")).0.parse().unwrap()
    };
    assert_eq!(children.into_iter().map(used).sum::<u32>(), BUDGET);
    assert!(Store::open(&scratch.path()).unwrap().grants().unwrap().is_empty());
}
