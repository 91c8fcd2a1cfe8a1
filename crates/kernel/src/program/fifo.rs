//! Named pipes that are open, by the number of their node.
//!
//! The node is in the files; the content lives within one run, as long as a process has the pipe
//! open. Opening one end waits until the other end is opened, and counts as open from then on, so
//! that two processes that wait for each other meet.
//!
//! Meets T-PROC-009.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use cofferdam_vfs::Ino;

use crate::program::descriptor::Object;
use crate::program::pipe::{Pipe, Reader, Writer};

/// The named pipes that are open in a run.
#[derive(Default)]
pub(crate) struct Fifos(HashMap<(u64, Ino), Weak<Pipe>>);

impl Fifos {
    /// Returns the pipe of a node, creating it if no process has it open.
    pub(crate) fn of(&mut self, node: (u64, Ino), capacity: impl FnOnce() -> usize) -> Arc<Pipe> {
        if let Some(pipe) = self.0.get(&node).and_then(Weak::upgrade) {
            return pipe;
        }
        self.0.retain(|_, pipe| pipe.strong_count() > 0);
        let pipe = Pipe::closed(capacity());
        self.0.insert(node, Arc::downgrade(&pipe));
        pipe
    }
}

/// One end that is being opened, with the number of openings of the other end when this began.
#[derive(Debug)]
pub(crate) enum Opening {
    Read(Reader, u64),
    Write(Writer, u64),
}

impl Opening {
    pub(crate) fn to_read(pipe: &Arc<Pipe>) -> Self {
        let reader = Reader::open(pipe);
        let ever = reader.writers_ever();
        Opening::Read(reader, ever)
    }

    pub(crate) fn to_write(pipe: &Arc<Pipe>) -> Self {
        let writer = Writer::open(pipe);
        let ever = writer.readers_ever();
        Opening::Write(writer, ever)
    }

    /// Returns true if the other end has been opened.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        match self {
            Opening::Read(reader, ever) => reader.poll_met(cx, *ever),
            Opening::Write(writer, ever) => writer.poll_met(cx, *ever),
        }
    }

    /// Returns the object that is then open.
    pub(crate) fn into_object(self) -> Object {
        match self {
            Opening::Read(reader, _) => Object::PipeRead(reader),
            Opening::Write(writer, _) => Object::PipeWrite(writer),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;

    fn cx() -> Context<'static> {
        Context::from_waker(Waker::noop())
    }

    #[test]
    fn each_end_waits_for_the_other() {
        let pipe = Pipe::closed(8);
        let reader = Opening::to_read(&pipe);
        assert_eq!(reader.poll(&cx()), Poll::Pending);
        let writer = Opening::to_write(&pipe);
        assert_eq!((writer.poll(&cx()), reader.poll(&cx())), (Poll::Ready(()), Poll::Ready(())));
    }

    #[test]
    fn who_came_and_went_was_there() {
        let pipe = Pipe::closed(8);
        let reader = Opening::to_read(&pipe);
        drop(Opening::to_write(&pipe));
        assert_eq!(reader.poll(&cx()), Poll::Ready(()));
    }

    #[test]
    fn who_gave_up_waiting_is_not_open() {
        let pipe = Pipe::closed(8);
        drop(Opening::to_read(&pipe));
        assert_eq!(Opening::to_write(&pipe).poll(&cx()), Poll::Pending);
    }

    #[test]
    fn a_node_has_one_pipe_while_somebody_has_it_open() {
        let mut fifos = Fifos::default();
        let node = (1, Ino(1));
        let pipe = fifos.of(node, || 8);
        assert!(Arc::ptr_eq(&pipe, &fifos.of(node, || 8)));
        assert!(!Arc::ptr_eq(&pipe, &fifos.of((1, Ino(2)), || 8)));
        drop(pipe);
        fifos.of((1, Ino(3)), || 8);
        assert_eq!(fifos.0.len(), 1);
    }
}
