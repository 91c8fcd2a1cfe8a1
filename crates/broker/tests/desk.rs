//! Verdicts of a desk, and their traces in ledger and log.

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use cofferdam_broker::{
    Action, Broker, Cost, Desk, Error, ErrorKind, Event, FolderMode, HostFolder, HostFolders,
    InMemory, Ledger, Line, Offered, Preview, Reason, Ruling, Sink, Span, Terms, Verdict,
};
use cofferdam_caps::{Access, Kind, Request};
use common::{Bell, Person, denied, fixture, get, key, permitted, poll, set};

fn terms(capability: &str, span: Span) -> Terms {
    Terms::new(capability.parse().unwrap(), span)
}

/// T-PERM-001.
#[test]
fn nothing_is_permitted_by_default() {
    let fixture = fixture(None);
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let denial = denied(&desk, &key("a"));
    assert_eq!(denial.error().required_permission(), "storage:local:read:a");
    assert_eq!(denial.reason(), &Reason::NotGranted);
}

#[test]
fn what_was_given_is_permitted_again_and_again() {
    let fixture = fixture(None);
    let desk = fixture.broker.permissions("s", &set(&["storage:local:read:a*"])).desk("r", "t");
    for _ in 0..3 {
        assert_eq!(permitted(&desk, &key("ab")).request(), &key("ab"));
    }
    denied(&desk, &key("b"));
}

#[test]
fn revocation_holds_on_the_next_check() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    for grant in [
        permissions.grant(terms("storage:local:read", Span::Session)).unwrap(),
        fixture.broker.grant(terms("storage:local:read", Span::Always)).unwrap(),
    ] {
        let _ = permitted(&desk, &key("a"));
        let _ = permitted(&desk, &key("a"));
        permissions.revoke(&grant.id, "alice").unwrap();
    }
    denied(&desk, &key("a"));
}

#[test]
fn given_capability_can_be_revoked_too() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&["env:read"]));
    let id = permissions.grants()[0].id.clone();
    permissions.revoke(&id, "").unwrap();
    assert!(permissions.grants().is_empty());
    assert_eq!(permissions.revoke(&id, "").unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn grant_made_after_a_denial_holds_on_the_next_check() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    denied(&desk, &key("a"));
    fixture.broker.grant(terms("storage:local:read:a", Span::Always)).unwrap();
    let _ = permitted(&desk, &key("a"));
}

#[test]
fn budget_is_a_number_of_permits() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    fixture.broker.grant(terms("storage:local:read", Span::Always).max(10)).unwrap();
    (0..10).for_each(|_| drop(permitted(&desk, &key("a"))));
    denied(&desk, &key("a"));
    assert!(fixture.broker.grants().unwrap().is_empty());
}

#[test]
fn once_is_for_all_of_one_run_and_ends_with_it() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    // One grant of the sandbox, one of the ledger.
    for in_ledger in [false, true] {
        let terms = terms("storage:local:read:a", Span::Once);
        let grant = match in_ledger {
            false => permissions.grant(terms).unwrap(),
            true => fixture.broker.grant(terms).unwrap(),
        };
        let (first, other) = (permissions.desk("1", "t"), permissions.desk("2", "t"));
        (0..3).for_each(|_| drop(permitted(&first, &key("a"))));
        denied(&other, &key("a"));
        let granted = [permissions.grants(), fixture.broker.grants().unwrap()].concat();
        assert!(granted.iter().any(|held| held.id == grant.id && held.run.is_some()));
        first.end("", Cost::default());
        denied(&first, &key("a"));
        denied(&permissions.desk("3", "t"), &key("a"));
        assert!(permissions.grants().is_empty() && fixture.broker.grants().unwrap().is_empty());
    }
}

#[test]
fn once_that_is_in_use_can_be_revoked() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    for in_ledger in [false, true] {
        let terms = terms("storage:local:read:a", Span::Once);
        let grant = match in_ledger {
            false => permissions.grant(terms).unwrap(),
            true => fixture.broker.grant(terms).unwrap(),
        };
        (0..2).for_each(|_| drop(permitted(&desk, &key("a"))));
        permissions.revoke(&grant.id, "").unwrap();
        denied(&desk, &key("a"));
    }
}

#[test]
fn tool_with_several_needs_runs_after_one_grant_of_each() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let first = permissions.desk("1", "t");
    ["a", "b", "a"].iter().for_each(|name| drop(denied(&first, &key(name))));
    let denials = first.denials();
    let needs: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    assert_eq!(needs, ["storage:local:read:a", "storage:local:read:b"]);
    for denial in &denials {
        let id = denial.error().request_id().parse().unwrap();
        let terms = fixture.broker.terms_for(&id, Span::Once).unwrap();
        fixture.broker.grant_request(&id, terms).unwrap();
    }
    let second = permissions.desk("2", "t");
    ["a", "b", "a"].iter().for_each(|name| drop(permitted(&second, &key(name))));
    assert!(second.denials().is_empty());
}

#[test]
fn unlimited_grant_is_used_before_a_counted_one() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&["storage:local:read"]));
    permissions.grant(terms("storage:local:read:a", Span::Once)).unwrap();
    let desk = permissions.desk("r", "t");
    (0..3).for_each(|_| drop(permitted(&desk, &key("a"))));
    assert_eq!(permissions.grants().len(), 2);
}

#[test]
fn grant_ends_at_its_time_within_a_run() {
    let fixture = fixture(None);
    let lasting = terms("storage:local:read", Span::Always).expires_in(Duration::from_micros(10));
    fixture.broker.grant(lasting).unwrap();
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let _ = permitted(&desk, &key("a"));
    fixture.clock.store(10, Ordering::Relaxed);
    let _ = permitted(&desk, &key("a"));
    fixture.clock.store(11, Ordering::Relaxed);
    denied(&desk, &key("a"));
}

#[test]
fn grant_is_for_its_holder() {
    let fixture = fixture(None);
    let (one, other) =
        (fixture.broker.permissions("s", &set(&[])), fixture.broker.permissions("x", &set(&[])));
    let session = terms("env:read", Span::Session).for_sandbox("s");
    fixture.broker.grant(session).unwrap();
    fixture.broker.grant(terms("storage:local:read", Span::Always).for_tool("t")).unwrap();
    let _ = permitted(&one.desk("r", "t"), &key("a"));
    let _ = permitted(&other.desk("r", "t"), &key("a"));
    denied(&one.desk("r", "u"), &key("a"));
    assert!(one.desk("r", "t").sees(Kind::EnvRead).unwrap());
    assert!(!other.desk("r", "t").sees(Kind::EnvRead).unwrap());
}

#[test]
fn session_grant_ends_with_the_permissions() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    permissions.grant(terms("storage:local:read", Span::Session)).unwrap();
    drop(permissions);
    denied(&fixture.broker.permissions("s", &set(&[])).desk("r", "t"), &key("a"));
}

#[test]
fn headers_come_with_the_grant_that_has_them() {
    let fixture = fixture(None);
    let secret = terms("network:fetch:https://a.example", Span::Always);
    fixture.broker.grant(secret.header("authorization", "s3cr3t").unwrap()).unwrap();
    let desk = fixture.broker.permissions("s", &set(&["network:fetch"])).desk("r", "t");
    let permit = permitted(&desk, &get("https://a.example/x?key=s3cr3t"));
    assert_eq!(permit.headers().expose().collect::<Vec<_>>(), [("authorization", "s3cr3t")]);
    assert!(permit.reaches_private_addresses());
    let permit = permitted(&desk, &get("https://b.example/x"));
    assert!(permit.headers().is_empty() && !permit.reaches_private_addresses());
    desk.done(&permit, Cost { micros: 5, bytes: 6 });
    desk.end("", Cost::default());
    let log: String = fixture.memory.lines().iter().map(Line::to_json).collect();
    assert!(!log.contains("s3cr3t"), "{log}");
    assert!(log.contains("GET https://a.example/x"), "{log}");
}

#[test]
fn the_same_request_has_the_same_id() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let id = |run: &str, tool: &str, name: &str| {
        denied(&permissions.desk(run, tool), &key(name)).error().request_id().to_owned()
    };
    assert_eq!(id("1", "t", "a"), id("2", "t", "a"));
    assert_ne!(id("1", "t", "a"), id("1", "t", "b"));
    assert_ne!(id("1", "t", "a"), id("1", "u", "a"));
}

/// T-PERM-006.
#[test]
fn hundred_thousand_requests_in_a_loop_are_one() {
    let fixture = fixture(None);
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    (0..100_000).for_each(|_| drop(denied(&desk, &key("a"))));
    let requests = fixture.broker.requests().unwrap();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].times, 1);
}

#[test]
fn many_different_requests_are_kept_up_to_a_cap() {
    let fixture = fixture(None);
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    (0..2_000).for_each(|i| drop(denied(&desk, &key(&i.to_string()))));
    assert_eq!(
        fixture.broker.requests().unwrap().len(),
        cofferdam_broker::MAX_KEPT_REQUESTS as usize
    );
}

#[test]
fn request_is_granted_by_its_id_to_the_tool_that_asked() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let id = denied(&permissions.desk("1", "t"), &key("a")).error().request_id().parse().unwrap();
    let narrow = terms("storage:local:read:b", Span::Always);
    let error = fixture.broker.grant_request(&id, narrow).unwrap_err();
    assert_eq!(error.to_string(), "storage:local:read:b: does not allow storage:local:read:a");
    let terms = fixture.broker.terms_for(&id, Span::Once).unwrap();
    fixture.broker.grant_request(&id, terms).unwrap();
    denied(&permissions.desk("2", "other"), &key("a"));
    let desk = permissions.desk("2", "t");
    (0..2).for_each(|_| drop(permitted(&desk, &key("a"))));
    drop(desk);
    denied(&permissions.desk("3", "t"), &key("a"));
}

#[test]
fn preview_asks_nobody_and_uses_nothing_up() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    permissions.grant(terms("storage:local:read", Span::Once)).unwrap();
    let lines = fixture.memory.lines().len();
    for _ in 0..3 {
        let preview = desk.would_grant(&key("a")).unwrap();
        assert_eq!(preview, Preview::Granted("storage:local:read".parse().unwrap(), Span::Once));
    }
    let preview = desk.would_grant(&get("https://a/")).unwrap();
    assert!(matches!(preview, Preview::WouldDeny(_)), "{preview:?}");
    assert_eq!(fixture.memory.lines().len(), lines);
    assert!(fixture.broker.requests().unwrap().is_empty());
}

#[test]
fn log_tells_the_run_in_order() {
    let fixture = fixture(None);
    let desk =
        fixture.broker.permissions("s", &set(&["storage:local:read:a"])).desk("r", "t\u{202e}");
    let _ = permitted(&desk, &key("a"));
    denied(&desk, &key("b\n"));
    desk.stopped(Event::Limit, "memory");
    desk.end("LIMIT_EXCEEDED", Cost { micros: 9, bytes: 0 });
    desk.end("again", Cost::default());
    drop(desk);
    let lines = fixture.memory.lines();
    let said: Vec<_> = lines.iter().map(|l| (l.event, l.ruling, l.target.as_deref())).collect();
    assert_eq!(
        said,
        [
            (Event::Start, None, Some("t\\u{202e}")),
            (Event::Check, Some(Ruling::Permit), Some("a")),
            (Event::Check, Some(Ruling::Deny), Some("b\\n")),
            (Event::Limit, None, Some("memory")),
            (Event::End, None, None),
        ]
    );
}

#[test]
fn dropped_run_hands_its_log_over() {
    let fixture = fixture(None);
    drop(fixture.broker.permissions("s", &set(&[])).desk("r", "t"));
    let events: Vec<_> = fixture.memory.lines().iter().map(|line| line.event).collect();
    assert_eq!(events, [Event::Start, Event::End]);
}

/// A sink that fails to write.
struct Full;

impl Sink for Full {
    fn offer(&self, _: Vec<Line>) -> Offered {
        Offered::Failed(Error::new(ErrorKind::Full, "log", "no room"))
    }

    fn commit(&self, _: Vec<Line>) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Full, "log", "no room"))
    }

    fn flush(&self) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Full, "log", "no room"))
    }
}

#[test]
fn without_a_log_nothing_acts_on_the_outside() {
    let memory = Arc::new(InMemory::with_key([1; 32]));
    let broker = Broker::setup(memory.clone(), Arc::new(Full)).open().unwrap();
    let desk =
        broker.permissions("s", &set(&["network:fetch", "storage:local:read"])).desk("r", "t");
    let Verdict::Denied(denial) = desk.check(&get("https://a/")) else { panic!("permitted") };
    assert!(matches!(denial.reason(), Reason::Unavailable(_)));
    assert!(!denial.error().to_json().contains("no room"));
    denied(&desk, &key("a"));
    assert!(broker.grant(terms("fs:read", Span::Always)).is_err());
    assert!(memory.grants().unwrap().is_empty());
}

#[test]
fn what_is_granted_is_known_until_it_changes() {
    let fixture = fixture(None);
    let permissions =
        fixture.broker.permissions("s", &set(&["dom:read:#a", "dom:write:raw@#a", "fs:read"]));
    let desk = permissions.desk("r", "t");
    let kinds = [Kind::DomRead, Kind::DomWrite];
    let texts = |list: &[cofferdam_caps::Capability]| -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    };
    let granted = desk.granted(&kinds).unwrap();
    assert_eq!(texts(&granted.lasting), ["dom:read:#a", "dom:write:raw@#a"]);
    assert!(granted.counted.is_empty() && desk.still(&granted).unwrap());
    let ends = terms("dom:read:#b", Span::Session).expires_in(Duration::from_secs(1));
    permissions.grant(ends).unwrap();
    assert!(!desk.still(&granted).unwrap());
    let granted = desk.granted(&kinds).unwrap();
    assert_eq!(granted.lasting.len(), 3);
    assert!(desk.still(&granted).unwrap());
    fixture.clock.fetch_add(1_000_000, Ordering::SeqCst);
    assert!(!desk.still(&granted).unwrap());
    fixture.broker.grant(terms("dom:read:#c", Span::Always).max(2)).unwrap();
    let granted = desk.granted(&kinds).unwrap();
    assert_eq!(texts(&granted.counted), ["dom:read:#c"]);
    assert!(!desk.still(&granted).unwrap());
}

#[test]
fn what_a_tool_declared_is_listed_with_its_first_denial() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&["env:read:HOME"]));
    let desk = permissions.desk("1", "t");
    desk.declare(&set(&[
        "storage:local:read:*",
        "env:read:HOME",
        "network:fetch:https://a.example",
    ]));
    assert!(desk.denials().is_empty());
    denied(&desk, &key("a"));
    let denials = desk.denials();
    let needs: Vec<_> = denials.iter().map(|d| d.error().required_permission()).collect();
    let declared = ["network:fetch:https://a.example", "storage:local:read:*"];
    assert_eq!(needs[0], "storage:local:read:a");
    assert!(needs.len() == 3 && declared.iter().all(|text| needs[1..].contains(text)), "{needs:?}");
    for denial in &denials {
        let id = denial.error().request_id().parse().unwrap();
        let terms = fixture.broker.terms_for(&id, Span::Once).unwrap();
        fixture.broker.grant_request(&id, terms).unwrap();
    }
    let again = permissions.desk("2", "t");
    let _ = permitted(&again, &key("b"));
    let _ = permitted(&again, &get("https://a.example/x"));
}

/// T-PERM-018.
#[test]
fn grant_for_a_file_is_bound_to_the_folder_of_the_host() {
    let fixture = fixture(None);
    let sandbox = |host: &str| {
        let permissions = fixture.broker.permissions("s", &set(&[]));
        let folder =
            HostFolder { at: "/data".into(), host: host.into(), mode: FolderMode::ReadOnly };
        permissions.set_host_folders(HostFolders::new([folder]));
        permissions
    };
    let read = || Request::Fs { access: Access::Read, path: "/data/a".parse().unwrap() };
    let (one, other) = (sandbox("/home/one"), sandbox("/home/other"));
    let id = denied(&one.desk("1", "t"), &read()).error().request_id().parse().unwrap();
    let terms = fixture.broker.terms_for(&id, Span::Always).unwrap();
    fixture.broker.grant_request(&id, terms).unwrap();
    let _ = permitted(&one.desk("2", "t"), &read());
    denied(&other.desk("3", "t"), &read());
    denied(&fixture.broker.permissions("s", &set(&[])).desk("4", "t"), &read());
    // A capability that a person names without a request applies wherever it fits.
    fixture.broker.grant(terms_of("fs:read:/data/**")).unwrap();
    let _ = permitted(&other.desk("5", "t"), &read());
}

fn terms_of(capability: &str) -> Terms {
    terms(capability, Span::Always)
}

/// Needs two requests; the second is taken when it is checked.
struct Both(&'static str, Option<&'static str>);

impl Action for Both {
    fn request(&self) -> Request {
        key(self.0)
    }

    fn further(&mut self) -> Option<Request> {
        self.1.take().map(key)
    }
}

#[test]
fn an_action_is_permitted_when_all_its_requests_are() {
    let fixture = fixture(None);
    let given = set(&["storage:local:read:a", "storage:local:read:b"]);
    let desk = fixture.broker.permissions("s", &given).desk("r", "t");
    let Verdict::Permit(permit) = desk.check(Both("a", Some("b"))) else { panic!("denied") };
    assert_eq!((permit.action().0, permit.request()), ("a", &key("a")));
    assert_eq!(permit.into_action().1, None);
    for (action, required) in [(Both("a", Some("c")), "c"), (Both("c", Some("a")), "c")] {
        let Verdict::Denied(denial) = desk.check(action) else { panic!("permitted") };
        let required = format!("storage:local:read:{required}");
        assert_eq!(denial.error().required_permission(), required);
    }
}

#[test]
fn each_request_of_an_action_is_asked_for() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&["storage:local:read:a"])).desk("r", "t");
    let bell = Arc::new(Bell::default());
    let Verdict::Ask(mut waiting) = desk.check(Both("b", Some("c"))) else { panic!("not asked") };
    for asked in 1..=2 {
        assert!(poll(&mut waiting, &bell).is_pending());
        assert_eq!(person.asked(), asked);
        person.says(person.question().allow(Span::Once));
    }
    let Poll::Ready(Ok(permit)) = poll(&mut waiting, &bell) else { panic!("not permitted") };
    assert_eq!(permit.request(), &key("b"));
    let Verdict::Ask(mut waiting) = desk.check(Both("a", Some("d"))) else { panic!("not asked") };
    assert!(poll(&mut waiting, &bell).is_pending());
    person.says(person.question().deny());
    let Poll::Ready(Err(denial)) = poll(&mut waiting, &bell) else { panic!("not denied") };
    assert_eq!(denial.error().required_permission(), "storage:local:read:d");
}

/// T-PERM-023. A command line has one sandbox in all its processes.
#[test]
fn a_kind_stays_restricted_in_the_next_process() {
    let memory = Arc::new(InMemory::new().unwrap());
    let open = || Broker::setup(memory.clone(), memory.clone()).keep_sessions().open().unwrap();
    let is_restricted = |sandbox: &str, tool: &str| {
        let desk = open().permissions(sandbox, &set(&[])).desk("r", tool);
        desk.is_restricted(Kind::ProcessExec).unwrap()
    };
    assert!(!is_restricted("s", "t"), "nothing is granted");
    let for_tool = terms("process:exec:ls", Span::Always).for_tool("t");
    let grant = open().grant(for_tool).unwrap();
    assert!(is_restricted("s", "t") && !is_restricted("s", "u"));
    open().revoke(&grant.id, "x").unwrap();
    assert!(is_restricted("s", "t") && !is_restricted("s", "u"), "revoked");
    let grant = open().grant(terms("process:exec:ls", Span::Always)).unwrap();
    assert!(is_restricted("s", "u"));
    open().revoke(&grant.id, "x").unwrap();
    assert!(is_restricted("s", "u") && is_restricted("s", "v"), "revoked, for every tool");
    assert!(!is_restricted("other", "u"), "another sandbox");
}

/// T-PERM-021.
#[test]
fn a_lasting_grant_is_for_the_code_with_its_modules() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let run = |modules: &[&str]| {
        fixture.clock.fetch_add(1, Ordering::Relaxed);
        let desk = permissions.desk("r", cofferdam_broker::identity("a.js", b"1"));
        modules.iter().for_each(|module| desk.loaded("/m.js", module.as_bytes()));
        desk
    };
    let is_allowed = |desk: &Desk| matches!(desk.check(key("a")), Verdict::Permit(_));
    let denial = denied(&run(&["1"]), &key("a"));
    let id = denial.error().request_id().parse().unwrap();
    fixture.broker.grant(fixture.broker.terms_for(&id, Span::Always).unwrap()).unwrap();
    assert!(is_allowed(&run(&["1"])));
    assert!(!is_allowed(&run(&["2"])), "the module changed");
    assert!(!is_allowed(&run(&[])), "the module is not loaded yet");
    let desk = run(&["1"]);
    assert!(is_allowed(&desk));
    desk.loaded("/n.js", b"3");
    assert!(!is_allowed(&desk), "one more module, which the grant does not know");
}

/// T-PERM-021.
#[test]
fn a_decision_about_a_run_holds_when_it_loads_more_code() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let tool = cofferdam_broker::identity("a.js", b"1");
    let desk = permissions.desk("r", tool.clone());
    permissions.grant(terms("storage:local:read:a", Span::Session).for_tool(&tool)).unwrap();
    desk.loaded("/m.js", b"1");
    let _ = permitted(&desk, &key("a"));
}

/// T-PERM-023.
#[test]
fn a_kind_stays_restricted_after_its_grant_is_gone() {
    let fixture = fixture(None);
    let permissions = fixture.broker.permissions("s", &set(&["storage:local:read:a"]));
    let is_restricted = |kind| permissions.desk("r", "t").is_restricted(kind).unwrap();
    assert!(is_restricted(Kind::StorageLocalRead), "given");
    assert!(!is_restricted(Kind::ProcessExec), "nothing is granted");
    let grant = permissions.grant(terms("process:exec:ls", Span::Session)).unwrap();
    permissions.revoke(&grant.id, "x").unwrap();
    assert!(is_restricted(Kind::ProcessExec), "granted and revoked between two runs");
    let other = fixture.broker.permissions("other", &set(&[]));
    assert!(!other.is_restricted(Kind::ProcessExec), "another sandbox");
    permissions.grant(terms("env:read:A", Span::Session).for_tool("else")).unwrap();
    assert!(!is_restricted(Kind::EnvRead), "for another tool");
}
