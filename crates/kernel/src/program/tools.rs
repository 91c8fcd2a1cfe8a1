//! Tools that a program runs: the command `js`.
//!
//! The program starts a tool, receives its output, and feeds it input. So a tool in a pipeline uses
//! the program's descriptors, is delayed with the program, and ends with it.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crate::shared::lock::lock;
use crate::shared::output::{Stream, Watcher};
use crate::shared::pieces::Pieces;

/// A tool that a program runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolLine {
    /// File name of the tool; its extension determines the language.
    pub name: String,
    /// Source of the tool.
    pub source: String,
    /// Arguments of the tool.
    pub arguments: Vec<String>,
    /// Working directory; the sandbox's if absent.
    pub cwd: Option<String>,
    /// Absolute path of the tool, if it is a file of the sandbox.
    pub path: Option<String>,
}

/// Runs tools in the sandbox of a program, under the grants of its run.
pub trait Tools: Send + Sync {
    /// Runs a tool to its end, and reports the end to the console. Dropping the future ends the
    /// tool.
    fn run(&self, line: ToolLine, console: Console) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// Event of a tool that its program receives.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    Printed(Stream, Vec<u8>),
    WantsInput,
    Ended(u8),
}

/// Connects a tool with the program that started it. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Console {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    printed: Pieces,
    input: VecDeque<Vec<u8>>,
    input_ended: bool,
    wants_input: bool,
    ended: Option<u8>,
    program: Option<Waker>,
    tool: Option<Waker>,
}

impl Console {
    /// Adds output of the tool.
    pub fn print(&self, stream: Stream, bytes: &[u8]) {
        let mut inner = lock(&self.inner);
        inner.printed.push(stream, bytes);
        wake(inner.program.take());
    }

    /// Reports the end of the tool.
    pub fn end(&self, code: u8) {
        let mut inner = lock(&self.inner);
        inner.ended = Some(code);
        wake(inner.program.take());
    }

    /// Waits for the next bytes of standard input; returns none at the end.
    pub(crate) async fn input(&self) -> Vec<u8> {
        poll_fn(|cx| {
            let mut inner = lock(&self.inner);
            if let Some(bytes) = inner.input.pop_front() {
                return Poll::Ready(bytes);
            }
            if inner.input_ended {
                return Poll::Ready(Vec::new());
            }
            inner.wants_input = true;
            inner.tool = Some(cx.waker().clone());
            wake(inner.program.take());
            Poll::Pending
        })
        .await
    }

    /// Waits until the tool reads standard input.
    pub async fn input_wanted(&self) {
        poll_fn(|cx| {
            let mut inner = lock(&self.inner);
            if inner.wants_input && inner.input.is_empty() {
                return Poll::Ready(());
            }
            inner.program = Some(cx.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// Adds input that the program read; no bytes for the end.
    pub fn feed(&self, bytes: &[u8]) {
        let mut inner = lock(&self.inner);
        inner.wants_input = false;
        match bytes.is_empty() {
            true => inner.input_ended = true,
            false => inner.input.push_back(bytes.to_vec()),
        }
        wake(inner.tool.take());
    }

    pub(crate) fn poll_heard(&self, cx: &Context<'_>) -> Poll<Heard> {
        let mut inner = lock(&self.inner);
        if let Some((stream, bytes)) = inner.printed.pop() {
            return Poll::Ready(Heard::Printed(stream, bytes));
        }
        if let Some(code) = inner.ended {
            return Poll::Ready(Heard::Ended(code));
        }
        if inner.wants_input && inner.input.is_empty() {
            return Poll::Ready(Heard::WantsInput);
        }
        inner.program = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Watcher for Console {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        self.print(stream, bytes);
    }

    fn passes_on(&self, _: Stream) -> bool {
        true
    }

    fn poll_room(&self, _: Stream, cx: &mut Context<'_>) -> Poll<()> {
        lock(&self.inner).printed.poll_room(cx)
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(console: &Console, expect: Poll<Heard>) {
        assert_eq!(console.poll_heard(&Context::from_waker(Waker::noop())), expect);
    }

    #[test]
    fn what_was_printed_is_heard_before_the_end() {
        let console = Console::default();
        check(&console, Poll::Pending);
        console.print(Stream::Out, b"a");
        console.end(3);
        check(&console, Poll::Ready(Heard::Printed(Stream::Out, b"a".to_vec())));
        check(&console, Poll::Ready(Heard::Ended(3)));
    }

    #[test]
    fn input_is_asked_for_when_it_is_wanted() {
        let console = Console::default();
        let mut cx = Context::from_waker(Waker::noop());
        let mut input = Box::pin(console.input());
        assert!(input.as_mut().poll(&mut cx).is_pending());
        check(&console, Poll::Ready(Heard::WantsInput));
        console.feed(b"x");
        check(&console, Poll::Pending);
        assert_eq!(input.as_mut().poll(&mut cx), Poll::Ready(b"x".to_vec()));
        console.feed(b"");
        assert_eq!(Box::pin(console.input()).as_mut().poll(&mut cx), Poll::Ready(Vec::new()));
    }
}
