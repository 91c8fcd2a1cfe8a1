//! Commands that a tool has started and reads while they run.
//!
//! A command advances while the tool waits for its next event. Its output waits here until the
//! tool takes it, bounded by the limits of output.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use crate::program::pipe::Writer;
use crate::shared::call_error::{CallError, Working, nothing};
use crate::shared::lock::lock;
use crate::shared::numbered::Numbered;
use crate::shared::output::{Stream, Watcher};
use crate::shared::pieces::{MAX_PIECE, Pieces};
use crate::tool::commands::Finished;

/// Most commands of a tool that run at once.
// T-PROC-008: memory of the host that processes use.
const MAX_CHILDREN: usize = 64;

/// Kinds of events: the first byte of each.
const ENDED: u8 = 0;
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STOPPED: u8 = 3;

/// A command under way.
pub(crate) type Work = Pin<Box<dyn Future<Output = Result<Finished, String>> + Send>>;

/// The commands of one run, by number. Clones share their content.
#[derive(Clone, Default)]
pub(crate) struct Children {
    running: Arc<Mutex<Numbered<Child>>>,
}

struct Child {
    command: Arc<Mutex<Command>>,
    /// Standard input; `None` once it has ended.
    stdin: Option<Arc<Writer>>,
}

struct Command {
    /// `None` once the command has ended or was stopped.
    work: Option<Work>,
    ended: Option<Result<Finished, String>>,
    printed: Arc<Printed>,
    reader: Option<Waker>,
}

/// Output that the tool has not taken.
#[derive(Default)]
pub(crate) struct Printed {
    /// True if the tool takes the output while the command runs, which waits for it. Otherwise the
    /// output is kept up to the limit.
    is_streamed: bool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    pieces: Pieces,
    /// Bytes of standard error that were printed so far and are kept.
    stderr: usize,
}

impl Watcher for Printed {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        let mut waiting = lock(&self.waiting);
        if stream == Stream::Err && !self.is_streamed {
            waiting.stderr += bytes.len();
        }
        waiting.pieces.push(stream, bytes);
    }

    fn passes_on(&self, _: Stream) -> bool {
        self.is_streamed
    }

    fn poll_room(&self, _: Stream, cx: &mut Context<'_>) -> Poll<()> {
        match self.is_streamed {
            true => lock(&self.waiting).pieces.poll_room(cx),
            false => Poll::Ready(()),
        }
    }
}

impl Children {
    /// Adds a command that has been started, and returns its number.
    pub(crate) fn add(
        &self,
        work: Work,
        printed: Arc<Printed>,
        stdin: Option<Writer>,
    ) -> Result<u32, CallError> {
        let mut running = lock(&self.running);
        if running.len() >= MAX_CHILDREN {
            let message = format!("more than {MAX_CHILDREN} commands at once");
            return Err(CallError::new("RangeError", message));
        }
        let command = Command { work: Some(work), ended: None, printed, reader: None };
        let stdin = stdin.map(Arc::new);
        Ok(running.add(Child { command: Arc::new(Mutex::new(command)), stdin }))
    }

    /// Waits for the next event of a command: a piece of output, or the end, after which the command
    /// has no number any more.
    pub(crate) fn next(&self, number: u32) -> Result<Working, CallError> {
        let command = lock(&self.running).get(number).map(|child| child.command.clone());
        let command = command.ok_or_else(ended)?;
        let children = self.clone();
        Ok(Box::pin(async move {
            let event = poll_fn(|cx| lock(&command).poll_event(cx)).await;
            match event.first() {
                Some(&(STDOUT | STDERR)) => {}
                Some(_) | None => drop(lock(&children.running).remove(number)),
            }
            Ok(event)
        }))
    }

    /// Writes to standard input of a command, and ends it if `last`. Bytes for a command that does
    /// not read any more are dropped.
    pub(crate) fn feed(&self, number: u32, piece: &[u8], last: bool) -> Result<Working, CallError> {
        if piece.len() > MAX_PIECE {
            let message = format!("a piece of input of more than {MAX_PIECE} bytes");
            return Err(CallError::new("RangeError", message));
        }
        let mut running = lock(&self.running);
        let child = running.get_mut(number).ok_or_else(ended)?;
        let stdin = if last { child.stdin.take() } else { child.stdin.clone() };
        let piece = piece.to_vec();
        Ok(Box::pin(async move {
            if let Some(stdin) = stdin {
                stdin.write_all(&piece).await;
            }
            nothing()
        }))
    }

    /// Ends a command and everything that it has started.
    pub(crate) fn stop(&self, number: u32) {
        let Some(command) = lock(&self.running).get(number).map(|child| child.command.clone())
        else {
            return;
        };
        let mut command = lock(&command);
        let (work, reader) = (command.work.take(), command.reader.take());
        drop(command);
        drop(work);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

fn ended() -> CallError {
    CallError::new("TypeError", "the command has ended")
}

impl Command {
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Vec<u8>> {
        if let Some(piece) = self.printed.next() {
            return Poll::Ready(piece);
        }
        if let Some(work) = &mut self.work
            && let Poll::Ready(done) = work.as_mut().poll(cx)
        {
            (self.work, self.ended) = (None, Some(done));
        }
        if let Some(piece) = self.printed.next() {
            return Poll::Ready(piece);
        }
        match (self.ended.take(), &self.work) {
            (Some(done), _) => Poll::Ready(self.end(done)),
            (None, None) => Poll::Ready(vec![STOPPED]),
            (None, Some(_)) => {
                self.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Packs the end: the exit code, and the reason that was not printed by the command itself.
    fn end(&self, done: Result<Finished, String>) -> Vec<u8> {
        let (code, reason) = match done {
            Ok(finished) => {
                let printed = lock(&self.printed.waiting).stderr;
                (finished.exit_code, finished.stderr.get(printed..).unwrap_or_default().to_vec())
            }
            Err(message) => (1, format!("{message}\n").into_bytes()),
        };
        [&[ENDED][..], &code.to_le_bytes(), &reason].concat()
    }
}

impl Printed {
    /// Creates the output of a command that the tool reads while it runs.
    pub(crate) fn streamed() -> Self {
        Printed { is_streamed: true, ..Printed::default() }
    }

    /// Takes the output so far, as that of a command that was ended.
    pub(crate) fn take_all(&self) -> Finished {
        let mut all = Finished { exit_code: 1, stdout: Vec::new(), stderr: Vec::new() };
        let mut waiting = lock(&self.waiting);
        while let Some((stream, bytes)) = waiting.pieces.pop() {
            match stream {
                Stream::Out => all.stdout.extend(bytes),
                Stream::Err => all.stderr.extend(bytes),
            }
        }
        all
    }

    fn next(&self) -> Option<Vec<u8>> {
        let (stream, bytes) = lock(&self.waiting).pieces.pop()?;
        let kind = match stream {
            Stream::Out => STDOUT,
            Stream::Err => STDERR,
        };
        Some([&[kind][..], &bytes].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::pieces::MAX_WAITING;

    fn cx() -> Context<'static> {
        Context::from_waker(Waker::noop())
    }

    fn event(children: &Children, number: u32) -> Poll<Vec<u8>> {
        let mut next = children.next(number).expect("a command");
        next.as_mut().poll(&mut cx()).map(|event| event.expect("an event"))
    }

    #[test]
    fn output_comes_before_the_command_has_ended() {
        let (children, printed) = (Children::default(), Arc::<Printed>::default());
        let (mut polls, seen) = (0, printed.clone());
        let work = poll_fn(move |_| {
            polls += 1;
            seen.saw(Stream::Out, format!("{polls}").as_bytes());
            if polls < 3 {
                return Poll::Pending;
            }
            Poll::Ready(Ok(Finished {
                exit_code: 7,
                stderr: b"why\n".to_vec(),
                ..Default::default()
            }))
        });
        let number = children.add(Box::pin(work), printed, None).expect("a number");
        assert_eq!(event(&children, number), Poll::Ready(b"\x011".to_vec()));
        assert_eq!(event(&children, number), Poll::Ready(b"\x012".to_vec()));
        assert_eq!(event(&children, number), Poll::Ready(b"\x013".to_vec()));
        assert_eq!(event(&children, number), Poll::Ready(b"\0\x07\0\0\0why\n".to_vec()));
        assert!(children.next(number).is_err(), "it has ended");
    }

    #[test]
    fn a_streamed_command_waits_until_its_output_was_taken() {
        let printed = Printed::streamed();
        let has_room = || printed.poll_room(Stream::Out, &mut cx()).is_ready();
        assert!(printed.passes_on(Stream::Err) && has_room());
        printed.saw(Stream::Out, &[b'a'; MAX_WAITING]);
        assert!(!has_room());
        assert_eq!(printed.next().map(|piece| piece.len()), Some(MAX_WAITING + 1));
        assert!(has_room());
    }

    #[test]
    fn a_command_that_is_stopped_is_dropped() {
        let (children, alive) = (Children::default(), Arc::new(()));
        let held = alive.clone();
        let work = poll_fn(move |_| {
            let _ = &held;
            Poll::Pending
        });
        let number = children.add(Box::pin(work), Arc::default(), None).expect("a number");
        assert_eq!(event(&children, number), Poll::Pending);
        children.stop(number);
        assert_eq!(Arc::strong_count(&alive), 1);
        assert_eq!(event(&children, number), Poll::Ready(vec![STOPPED]));
        children.stop(number);
    }

    /// T-PROC-008.
    #[test]
    fn commands_at_once_are_bounded() {
        let children = Children::default();
        let add = || children.add(Box::pin(std::future::pending()), Arc::default(), None);
        assert!((0..MAX_CHILDREN).all(|_| add().is_ok()));
        assert!(add().is_err());
    }
}
