//! Shows on a terminal that work is under way, if it takes longer than a moment.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::paint::{Paint, Tone};

/// Delay before the line appears; shorter work shows nothing.
const MOMENT: Duration = Duration::from_millis(400);

/// Interval at which the line is updated.
const TICK: Duration = Duration::from_millis(200);

/// Work under way. The line disappears when this is dropped, and never appears in pipes and logs.
pub(crate) struct Busy {
    shown: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Busy {
    /// Announces work; `text` names the work and its object.
    pub(crate) fn new(text: String) -> Self {
        if !std::io::stderr().is_terminal() || !Paint::stderr().is_on() {
            return Busy { shown: None };
        }
        let (end, ended) = channel();
        let shown = std::thread::spawn(move || {
            let began = Instant::now();
            let mut wait = MOMENT;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = TICK;
                let seconds = began.elapsed().as_secs_f64();
                let line = Paint::stderr().tone(Tone::Faint, &format!("{text}, {seconds:.1} s"));
                show(&format!("\r\x1b[2K{line}"));
            }
            if wait == TICK {
                show("\r\x1b[2K");
            }
        });
        Busy { shown: Some((end, shown)) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some((end, shown)) = self.shown.take() {
            drop(end);
            // The thread ignores write errors, so it cannot have failed.
            let _ = shown.join();
        }
    }
}

fn show(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
