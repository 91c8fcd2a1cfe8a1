//! Questions, answers, and waiting runs.

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use cofferdam_broker::{
    Answer, Bounds, Cost, ErrorKind, Event, FromOutside, MAX_QUESTIONS, Preview, Reason, Ruling,
    Seal, Span, Terms,
};
use common::{Bell, Person, asked, denied, fixture, get, key, permitted, poll, set};

#[test]
fn answer_lets_the_run_go_on() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    let question = person.question();
    assert_eq!(question.wishes()[0].choices()[0].text(), "storage:local:read:a");
    person.says(question.allow(Span::Session).by("alice"));
    assert!(bell.0.load(Ordering::SeqCst) > 0);
    let Poll::Ready(Ok(permit)) = poll(&mut waiting, &bell) else { panic!("not permitted") };
    assert_eq!(permit.request(), &key("a"));
    let _ = permitted(&desk, &key("a"));
    assert!(fixture.broker.questions().is_empty());
}

#[test]
fn no_is_remembered_for_the_run() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    person.says(person.question().deny());
    let Poll::Ready(Err(denial)) = poll(&mut waiting, &bell) else { panic!("not denied") };
    assert_eq!(denial.reason(), &Reason::Refused);
    (0..100_000).for_each(|_| drop(denied(&desk, &key("a"))));
    assert_eq!(person.asked(), 1);
    drop(asked(&permissions.desk("r2", "t"), &key("a")));
}

#[test]
fn the_reason_of_a_no_reaches_the_run_and_the_log() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    let question = person.question();
    assert_eq!(question.request(), Some(waiting.request_id()));
    person.says(question.deny().by("alice").because(" use b\u{202e} instead "));
    let Poll::Ready(Err(denial)) = poll(&mut waiting, &bell) else { panic!("not denied") };
    assert_eq!(denial.reason(), &Reason::RefusedBecause("use b\u{202e} instead".into()));
    assert!(denial.error().message().ends_with("): use b\\u{202e} instead"), "{denial}");
    assert_eq!(denied(&desk, &key("a")).reason(), &Reason::Refused);
    let notes: Vec<_> = fixture.memory.lines().into_iter().filter_map(|line| line.note).collect();
    assert!(notes.contains(&"by alice: use b\\u{202e} instead".into()), "{notes:?}");
}

#[test]
fn the_same_question_is_asked_once() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let bell = Arc::new(Bell::default());
    let desks: Vec<_> = (0..10).map(|run| permissions.desk(run.to_string(), "t")).collect();
    let mut all: Vec<_> = desks.iter().map(|desk| asked(desk, &key("a"))).collect();
    all.iter_mut().for_each(|waiting| assert!(poll(waiting, &bell).is_pending()));
    assert_eq!(person.asked(), 1);
    // The future that polled the approver so far is dropped; another takes over.
    drop(all.remove(0));
    person.says(person.question().allow(Span::Session));
    for waiting in &mut all {
        assert!(matches!(poll(waiting, &bell), Poll::Ready(Ok(_))));
    }
}

#[test]
fn once_is_for_one_of_the_runs_that_wait() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let (desk, later) = (permissions.desk("1", "t"), permissions.desk("2", "t"));
    let bell = Arc::new(Bell::default());
    let (mut one, mut other) = (asked(&desk, &key("a")), asked(&later, &key("a")));
    assert!(poll(&mut one, &bell).is_pending() && poll(&mut other, &bell).is_pending());
    person.says(person.question().allow(Span::Once));
    assert!(matches!(poll(&mut one, &bell), Poll::Ready(Ok(_))));
    assert!(poll(&mut other, &bell).is_pending());
    assert_eq!(person.asked(), 2);
    person.says(person.question().deny());
    assert!(matches!(poll(&mut other, &bell), Poll::Ready(Err(_))));
    let _ = permitted(&desk, &key("a"));
}

#[test]
fn grant_from_outside_wakes_those_it_is_for() {
    let fixture = fixture(Some(Arc::new(FromOutside)));
    let permissions = fixture.broker.permissions("s", &set(&[]));
    let desk = permissions.desk("r", "t");
    let (bell, other_bell) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    let (mut a, mut b) = (asked(&desk, &key("a")), asked(&desk, &key("b")));
    assert!(poll(&mut a, &bell).is_pending() && poll(&mut b, &other_bell).is_pending());
    let terms = |name: &str, span| Terms::new(key(name).required(), span);
    fixture.broker.grant(terms("a", Span::Always)).unwrap();
    assert_eq!(other_bell.0.load(Ordering::SeqCst), 0);
    assert!(bell.0.load(Ordering::SeqCst) > 0);
    assert!(matches!(poll(&mut a, &bell), Poll::Ready(Ok(_))));
    permissions.grant(terms("b", Span::Once)).unwrap();
    assert!(other_bell.0.load(Ordering::SeqCst) > 0);
    assert!(matches!(poll(&mut b, &other_bell), Poll::Ready(Ok(_))));
}

#[test]
fn denial_from_outside_ends_the_waiting() {
    let fixture = fixture(Some(Arc::new(FromOutside)));
    let denying = fixture.broker.permissions_within("s", &set(&[]), None, Bounds::default());
    denied(&denying.desk("0", "t"), &key("a"));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    fixture.broker.deny_request(&waiting.request_id().clone(), "alice").unwrap();
    assert!(bell.0.load(Ordering::SeqCst) > 0);
    assert!(matches!(poll(&mut waiting, &bell), Poll::Ready(Err(_))));
    assert_eq!(denied(&desk, &key("a")).reason(), &Reason::Refused);
}

/// T-PERM-005.
#[test]
fn late_answers_and_answers_to_another_question_are_refused() {
    let fixture = fixture(Some(Arc::new(FromOutside)));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &get("https://a/x")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    let question = fixture.broker.questions().remove(0);
    let refused = |answer| fixture.broker.answer(answer).unwrap_err().kind();
    let changed =
        Answer::new(question.id().clone(), Seal(1), question.allow(Span::Once).decisions());
    assert_eq!(refused(changed), ErrorKind::Late);
    let narrow = "network:fetch:https://a/y".parse().unwrap();
    assert_eq!(refused(question.allow_instead(narrow, Span::Once)), ErrorKind::NotEnough);
    fixture.broker.answer(question.allow(Span::Once)).unwrap();
    assert_eq!(refused(question.allow(Span::Always)), ErrorKind::Late);
    assert!(matches!(poll(&mut waiting, &bell), Poll::Ready(Ok(_))));
    assert!(fixture.broker.grants().unwrap().is_empty());
}

/// T-PERM-005.
#[test]
fn answer_of_an_approver_that_does_not_fit_is_a_no() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    person.says(person.question().allow_instead(key("b").required(), Span::Always));
    assert!(matches!(poll(&mut waiting, &bell), Poll::Ready(Err(_))));
    assert!(fixture.broker.grants().unwrap().is_empty());
}

#[test]
fn dropped_waiting_leaves_nothing() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    let question = person.question();
    drop(waiting);
    assert_eq!(person.withdrawn.load(Ordering::SeqCst), 1);
    assert!(fixture.broker.questions().is_empty());
    let error = fixture.broker.answer(question.allow(Span::Always)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Late);
    assert_eq!(Arc::strong_count(&bell), 1);
}

/// T-PERM-006.
#[test]
fn run_cannot_ask_without_end() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let waiting: Vec<_> = (0..MAX_QUESTIONS).map(|i| asked(&desk, &key(&i.to_string()))).collect();
    assert_eq!(denied(&desk, &key("one too many")).reason(), &Reason::TooMany);
    drop(waiting);
}

#[test]
fn declared_capabilities_are_asked_for_at_once() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let permissions = fixture.broker.permissions("s", &set(&["env:read"]));
    let desk = permissions.desk("r", "t");
    desk.declare(&set(&["storage:local:read:a/**", "fs:read:/x", "env:read:HOME"]));
    let (mut all, bell) = (desk.ask_declared().unwrap(), Arc::new(Bell::default()));
    assert!(poll(&mut all, &bell).is_pending());
    let question = person.question();
    assert_eq!(question.wishes().len(), 2);
    person.says(question.allow(Span::Once));
    assert!(matches!(poll(&mut all, &bell), Poll::Ready(Ok(()))));
    // For a declared capability, `once` means this run.
    (0..3).for_each(|_| drop(permitted(&desk, &key("a/b"))));
    desk.end("", cofferdam_broker::Cost::default());
    drop(asked(&permissions.desk("r2", "t"), &key("a/b")));
}

#[test]
fn preview_knows_that_somebody_would_be_asked() {
    let fixture = fixture(Some(Arc::new(FromOutside)));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    assert_eq!(desk.would_grant(&key("a")).unwrap(), Preview::WouldAsk(key("a").required()));
    assert!(fixture.broker.questions().is_empty());
}

#[test]
fn log_has_question_and_answer() {
    let person = Arc::new(Person::default());
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
    assert!(poll(&mut waiting, &bell).is_pending());
    person.says(person.question().allow(Span::Once).by("ali\u{202e}ce"));
    assert!(poll(&mut waiting, &bell).is_ready());
    drop((waiting, desk));
    let mut events: Vec<_> = fixture.memory.lines().iter().map(|line| line.event.name()).collect();
    events.sort_unstable();
    assert_eq!(events, ["answer", "check", "end", "grant", "question", "start"]);
    let answer =
        fixture.memory.lines().into_iter().find(|line| line.event == Event::Answer).unwrap();
    assert_eq!(answer.note.as_deref(), Some("by ali\\u{202e}ce"));
}

#[test]
fn ten_thousand_runs_wait_on_one_thread() {
    let fixture = fixture(Some(Arc::new(FromOutside)));
    let bell = Arc::new(Bell::default());
    let permissions: Vec<_> =
        (0..10_000).map(|i| fixture.broker.permissions(&format!("s{i}"), &set(&[]))).collect();
    let mut all: Vec<_> = permissions.iter().map(|s| asked(&s.desk("r", "t"), &key("a"))).collect();
    all.iter_mut().for_each(|waiting| assert!(poll(waiting, &bell).is_pending()));
    assert_eq!(fixture.broker.questions().len(), 10_000);
    fixture.broker.grant(Terms::new(key("a").required(), Span::Always)).unwrap();
    assert!(bell.0.load(Ordering::SeqCst) >= 10_000);
    for waiting in &mut all {
        assert!(matches!(poll(waiting, &bell), Poll::Ready(Ok(_))));
    }
    drop(all);
    assert!(fixture.broker.questions().is_empty());
}

/// T-DOM-008.
#[test]
fn nobody_is_asked_about_what_lies_outside_the_bounds() {
    let person = Arc::new(Person::default());
    let fixture = fixture(None);
    let within = ["network:fetch:https://a.example".parse().unwrap()];
    let bounds = Bounds::connections(within, "connect-src https://a.example");
    let permissions =
        fixture.broker.permissions_within("s", &set(&[]), Some(person.clone()), bounds);
    let desk = permissions.desk("r", "t");
    let terms = |text: &str, span| Terms::new(text.parse().unwrap(), span);
    // Neither a lasting grant nor one of the sandbox helps.
    fixture.broker.grant(terms("network:fetch", Span::Always)).unwrap();
    permissions.grant(terms("network:fetch:https://b.example", Span::Session)).unwrap();
    let _ = permitted(&desk, &get("https://a.example/x"));
    let outside = get("https://b.example/x");
    let denial = denied(&desk, &outside);
    assert_eq!(denial.reason(), &Reason::Outside("connect-src https://a.example".into()));
    assert_eq!(
        denial.to_string(),
        "not allowed to send GET requests to https://b.example/x: \
         blocked by connect-src https://a.example"
    );
    assert!(matches!(desk.would_grant(&outside).unwrap(), Preview::WouldDeny(_)));
    desk.declare(&set(&["network:fetch:https://b.example/v1"]));
    let (mut all, bell) = (desk.ask_declared().unwrap(), Arc::new(Bell::default()));
    assert!(poll(&mut all, &bell).is_ready());
    assert_eq!(person.asked(), 0);
    assert!(fixture.broker.requests().unwrap().is_empty(), "nothing that could be granted");
    desk.end("", Cost::default());
    let lines = fixture.memory.lines();
    let line = lines.iter().find(|line| line.ruling == Some(Ruling::Deny)).expect("a line");
    assert_eq!(line.note.as_deref(), Some("blocked by connect-src https://a.example"));
}

#[test]
fn answer_to_one_question_settles_those_that_wait() {
    let person = Arc::new(Person { is_slow: true, ..Person::default() });
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let bell = Arc::new(Bell::default());
    let mut all: Vec<_> = (0..200).map(|i| asked(&desk, &key(&format!("k{i}")))).collect();
    all.iter_mut().for_each(|waiting| assert!(poll(waiting, &bell).is_pending()));
    assert_eq!(person.asked(), 1);
    let wide = "storage:local:read:*".parse().unwrap();
    person.says(person.question().allow_instead(wide, Span::Once));
    for waiting in &mut all {
        assert!(matches!(poll(waiting, &bell), Poll::Ready(Ok(_))));
    }
    assert_eq!(person.asked(), 1);
    assert_eq!(person.granted.lock().unwrap().len(), 1);
}

#[test]
fn waiting_questions_count_when_they_are_shown() {
    let person = Arc::new(Person { is_slow: true, ..Person::default() });
    let fixture = fixture(Some(person.clone()));
    let desk = fixture.broker.permissions("s", &set(&[])).desk("r", "t");
    let bell = Arc::new(Bell::default());
    let mut all: Vec<_> = (0..100).map(|i| asked(&desk, &key(&format!("k{i}")))).collect();
    let mut reasons = Vec::new();
    for waiting in &mut all {
        let mut answer = poll(waiting, &bell);
        if answer.is_pending() {
            person.says(person.question().deny());
            answer = poll(waiting, &bell);
        }
        let Poll::Ready(Err(denial)) = answer else { panic!("not denied") };
        reasons.push(denial);
    }
    assert_eq!(person.asked(), cofferdam_broker::MAX_QUESTIONS as usize);
    assert_eq!(reasons[63].reason(), &Reason::Refused);
    assert_eq!(reasons[64].reason(), &Reason::TooMany);
    assert!(reasons[64].to_string().contains("has asked 64 questions"), "{}", reasons[64]);
}

#[test]
fn session_is_kept_where_the_embedder_says_so() {
    for keeps in [false, true] {
        let person = Arc::new(Person::default());
        let memory = Arc::new(cofferdam_broker::InMemory::with_key([1; 32]));
        let mut setup = cofferdam_broker::Broker::setup(memory.clone(), memory);
        if keeps {
            setup = setup.keep_sessions();
        }
        let broker = setup.approver(person.clone()).open().unwrap();
        let desk = broker.permissions("s", &set(&[])).desk("r", "t");
        let (mut waiting, bell) = (asked(&desk, &key("a")), Arc::new(Bell::default()));
        assert!(poll(&mut waiting, &bell).is_pending());
        person.says(person.question().allow(Span::Session));
        assert!(matches!(poll(&mut waiting, &bell), Poll::Ready(Ok(_))));
        let later = broker.permissions("s", &set(&[])).desk("r2", "t");
        let is_permitted = matches!(later.check(key("a")), cofferdam_broker::Verdict::Permit(_));
        assert_eq!(is_permitted, keeps);
        let elsewhere = broker.permissions("other", &set(&[])).desk("r3", "t");
        drop(asked(&elsewhere, &key("a")));
    }
}
