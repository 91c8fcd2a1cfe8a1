//! One process: serves the imports of one program.

use std::sync::Arc;
use std::task::{Context, Poll};

use cofferdam_cell::{GuestMemory, Import, Leave, Program};
use cofferdam_vfs::Mode;

use crate::program::calls::{self, Spawning};
use crate::program::descriptor::Descriptors;
use crate::program::fifo::Opening;
use crate::program::last_words::LastWords;
use crate::program::memory::Memory;
use crate::program::spawn::Launch;
use crate::program::system::System;
use crate::program::tools::Console;
use crate::program::wasi;
use crate::shared::call_error::Working;
use crate::shared::crossing::Progress;
use crate::shared::lock::lock;
use crate::shared::streams::Streams;

/// One process of a run.
pub struct Process {
    pub(crate) system: Arc<System>,
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) env: Vec<Vec<u8>>,
    pub(crate) cwd: String,
    /// State that the parent handed over; empty after it was fetched.
    pub(crate) state: Vec<u8>,
    pub(crate) descriptors: Descriptors,
    /// Permission bits that new files and directories lack.
    pub(crate) mask: u32,
    /// True for a command of the sandbox, false for any other program.
    pub(crate) is_command: bool,
    /// True if relative names begin in `cwd`; see [`crate::program::wasi`].
    pub(crate) begins_in_cwd: bool,

    /// Bytes moved so far by the call under way.
    pub(crate) progress: usize,
    /// Time at which the call under way gives up waiting, on the monotonic clock.
    pub(crate) until: Option<u64>,
    /// Progress of the crossing under way.
    pub(crate) crossing: Progress,
    /// The named pipe that is being opened.
    pub(crate) opening: Option<Opening>,
    /// The spawn under way.
    pub(crate) spawning: Option<Spawning>,
    /// The request to the network under way.
    pub(crate) working: Option<Working>,
    /// Responses that are not read to the end.
    pub(crate) streams: Streams,
    /// The tool that the process started.
    pub(crate) console: Option<Console>,
    /// Buffer for joining short slices.
    pub(crate) scratch: Vec<u8>,
    /// Message of a command without memory, as far as it has come.
    pub(crate) last_words: LastWords,
}

impl Process {
    pub(crate) fn new(system: &Arc<System>, pid: u32, parent: u32, launch: Launch) -> Self {
        Process {
            system: system.clone(),
            pid,
            parent,
            argv: launch.argv,
            env: launch.env,
            cwd: launch.cwd,
            state: launch.state,
            descriptors: launch.descriptors,
            mask: launch.mask,
            is_command: launch.is_command,
            begins_in_cwd: launch.begins_in_cwd,
            progress: 0,
            until: None,
            crossing: Progress::default(),
            opening: None,
            spawning: None,
            working: None,
            streams: Streams::default(),
            last_words: LastWords::default(),
            console: None,
            scratch: Vec::new(),
        }
    }

    /// Returns the permission bits of a new file.
    pub(crate) fn mode(&self, bits: u32) -> Mode {
        Mode::new(bits & !self.mask)
    }

    /// Arranges to be woken at a time of the monotonic clock.
    pub(crate) fn wake_at(&mut self, at: u64, cx: &Context<'_>) {
        self.until = Some(at);
        lock(&self.system.timers).insert((at, self.pid), cx.waker().clone());
    }

    pub(crate) fn forget_timer(&mut self) {
        if let Some(at) = self.until.take() {
            lock(&self.system.timers).remove(&(at, self.pid));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.forget_timer();
    }
}

impl Program for Process {
    fn poll_import(
        &mut self,
        import: Import,
        args: &[u64],
        memory: GuestMemory<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<u32, Leave>> {
        wasi::serve(self, import, args, &mut Memory(memory), cx)
    }

    fn poll_cross(
        &mut self,
        requests: &[u8],
        answer: &mut Vec<u8>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Leave>> {
        calls::poll_cross(self, requests, answer, cx)
    }
}
