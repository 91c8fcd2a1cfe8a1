//! Says at a terminal what is waited for, where that takes longer than a moment.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::paint::{Paint, Tone};

/// What is over by then needs no word.
const MOMENT: Duration = Duration::from_millis(400);

/// How often the seconds are counted on.
const TICK: Duration = Duration::from_millis(200);

/// Work under way; the line goes when it is dropped. In pipes and logs there is none.
pub(crate) struct Busy {
    shown: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Busy {
    /// `text` says what is done and to what.
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
            // It has nothing to say that could fail.
            let _ = shown.join();
        }
    }
}

fn show(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
}
