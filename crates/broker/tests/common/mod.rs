//! Fixture of the broker tests: a broker in memory, a clock set by hand, an approver in the test.

#![allow(dead_code, reason = "each test file uses a part")]

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use cofferdam_broker::{
    Answer, Approver, Broker, Denial, Desk, InMemory, Permit, Question, Timestamp, Verdict, Waiting,
};
use cofferdam_caps::storage::StorageArea;
use cofferdam_caps::{Access, CapabilitySet, Request};

/// A broker in memory with a clock that the test sets.
pub(crate) struct Fixture {
    pub(crate) memory: Arc<InMemory>,
    pub(crate) broker: Broker,
    pub(crate) clock: Arc<AtomicU64>,
}

pub(crate) fn fixture(approver: Option<Arc<dyn Approver>>) -> Fixture {
    let memory = Arc::new(InMemory::with_key([1; 32]));
    let clock = Arc::new(AtomicU64::new(1));
    let hands = clock.clone();
    let mut setup = Broker::setup(memory.clone(), memory.clone())
        .fixed_ids([2; 32])
        .clock(Arc::new(move || Timestamp::from_micros(hands.load(Ordering::Relaxed))));
    if let Some(approver) = approver {
        setup = setup.approver(approver);
    }
    Fixture { memory, broker: setup.open().unwrap(), clock }
}

pub(crate) fn set(texts: &[&str]) -> CapabilitySet {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

pub(crate) fn key(key: &str) -> Request {
    let (area, access) = (StorageArea::Local, Access::Read);
    Request::Storage { area, access, key: Some(key.parse().unwrap()) }
}

pub(crate) fn get(url: &str) -> Request {
    Request::Network { method: "GET".parse().unwrap(), url: url.parse().unwrap() }
}

pub(crate) fn permitted(desk: &Desk, request: &Request) -> Permit<Request> {
    match desk.check(request.clone()) {
        Verdict::Permit(permit) => permit,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn denied(desk: &Desk, request: &Request) -> Denial {
    match desk.check(request.clone()) {
        Verdict::Denied(denial) => denial,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn asked(desk: &Desk, request: &Request) -> Waiting<Request> {
    match desk.check(request.clone()) {
        Verdict::Ask(waiting) => waiting,
        other => panic!("{other:?}"),
    }
}

/// A waker that counts its calls.
#[derive(Default)]
pub(crate) struct Bell(pub(crate) AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn poll<F: Future + Unpin>(future: &mut F, bell: &Arc<Bell>) -> Poll<F::Output> {
    let waker = Waker::from(bell.clone());
    Pin::new(future).poll(&mut Context::from_waker(&waker))
}

/// An approver that keeps questions until the test answers them.
#[derive(Default)]
pub(crate) struct Person {
    pub(crate) questions: Mutex<Vec<Question>>,
    answers: Arc<Mutex<Vec<Answer>>>,
    waiting: Arc<Mutex<Vec<Waker>>>,
    pub(crate) withdrawn: Arc<AtomicUsize>,
}

impl Person {
    /// Returns the latest question.
    pub(crate) fn question(&self) -> Question {
        self.questions.lock().unwrap().last().expect("a question").clone()
    }

    pub(crate) fn asked(&self) -> usize {
        self.questions.lock().unwrap().len()
    }

    pub(crate) fn says(&self, answer: Answer) {
        self.answers.lock().unwrap().push(answer);
        self.waiting.lock().unwrap().drain(..).for_each(Waker::wake);
    }
}

struct Listening {
    answers: Arc<Mutex<Vec<Answer>>>,
    waiting: Arc<Mutex<Vec<Waker>>>,
    withdrawn: Arc<AtomicUsize>,
    is_done: bool,
}

impl Future for Listening {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let answer = self.answers.lock().unwrap().pop();
        match answer {
            Some(answer) => {
                self.is_done = true;
                Poll::Ready(answer)
            }
            None => {
                self.waiting.lock().unwrap().push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        if !self.is_done {
            self.withdrawn.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Approver for Person {
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        self.questions.lock().unwrap().push(question);
        Box::pin(Listening {
            answers: self.answers.clone(),
            waiting: self.waiting.clone(),
            withdrawn: self.withdrawn.clone(),
            is_done: false,
        })
    }
}
