//! Prints scenes: in colour on a terminal, as plain lines in a pipe.

use std::io::Write;
use std::time::Duration;

use cofferdam::{Ending, Outcome, visible};

use crate::paint::{Paint, Tone};
use crate::report;

/// The output of scenes.
pub(super) struct Stage {
    paint: Paint,
    scenes: usize,
    shown: usize,
}

impl Stage {
    pub(super) fn new(scenes: usize) -> Self {
        Stage { paint: Paint::stdout(), scenes, shown: 0 }
    }

    /// Begins a scene with its title and a description.
    pub(super) fn scene(&mut self, title: &str, about: &str) {
        self.shown += 1;
        let number = self.paint.tone(Tone::Faint, &format!("{}/{}", self.shown, self.scenes));
        say(&format!("## {number} {}\n", self.paint.tone(Tone::Title, title)));
        say(&format!("{about}\n"));
    }

    /// Prints source code.
    pub(super) fn code(&self, source: &str) {
        source.lines().for_each(|line| say(&format!("    {line}")));
        say("");
    }

    /// Prints how a run ended, and how long it took.
    pub(super) fn outcome(&self, outcome: &Outcome) {
        for line in outcome.stdout.text().lines() {
            self.fact("printed", Tone::Faint, &visible(line));
        }
        match &outcome.ending {
            Ending::Returned(_) => {
                let result = outcome.result_json().unwrap_or_default().to_string();
                self.fact("returned", Tone::Good, &visible(&result));
            }
            Ending::Exited(code) => self.fact("exited", Tone::Good, &code.to_string()),
            ending => {
                let error = outcome.error().unwrap_or_default();
                let label = match ending {
                    Ending::Denied(_) => "denied",
                    Ending::Stopped(_) => "stopped",
                    _ => "threw",
                };
                self.fact(label, Tone::Bad, &visible(&error.message));
                let frames = error.stack.lines().map(str::trim_start);
                for frame in frames.filter(|line| line.starts_with("at ")) {
                    self.fact("", Tone::Faint, &visible(frame));
                }
            }
        }
        self.took(outcome.duration);
    }

    /// Prints a label and a text.
    pub(super) fn fact(&self, label: &str, tone: Tone, text: &str) {
        say(&format!("    {} {text}", self.paint.tone(tone, &format!("{label:<9}"))));
    }

    pub(super) fn took(&self, time: Duration) {
        self.fact("took", Tone::Faint, &format!("{:.3} ms\n", time.as_secs_f64() * 1e3));
    }

    /// Shows progress on a terminal.
    pub(super) fn progress(&self, done: usize, all: usize) {
        if self.paint.is_on() {
            let end = if done == all { "\r\x1b[K" } else { "" };
            let _ = write!(std::io::stderr(), "\r    {done} of {all}{end}");
        }
    }

    pub(super) fn end(&self) {
        let hint = self.paint.tone(Tone::Hint, "cofferdam run --help");
        let scenes = if self.shown == 1 { "scene" } else { "scenes" };
        say(&format!("End of the demo, {} {scenes}. Next: {hint}", self.shown));
    }
}

fn say(text: &str) {
    report::print(text);
}
