//! Buffer for the audit lines of one run.
//!
//! It is apart from the desk because it decides when lines are written: in batches, merged if the
//! log is slow, and never lost without failing the run.

use crate::audit::{Line, Offered, Ruling, Sink};
use crate::error::Error;

/// Lines that a run collects before it offers them to the sink.
const BATCH: usize = 256;

/// Most lines that a run keeps while the sink is busy; beyond this it waits for the sink.
const MAX_KEPT: usize = 16 * BATCH;

/// Number of recent lines that a new line is compared with.
const MAX_LOOKED_AT: usize = 32;

/// Audit lines of one run that the sink does not have yet.
#[derive(Debug, Default)]
pub(crate) struct AuditBuffer {
    lines: Vec<Line>,
    /// Number of lines at which a busy sink is tried again.
    hand_over_at: usize,
    failed: Option<Error>,
}

impl AuditBuffer {
    /// Adds a line that need not be written before the call proceeds.
    ///
    /// A denial equal to a recent line only raises that line's count, so that a tool which repeats
    /// a denied call does not fill the disk.
    pub(crate) fn note(&mut self, line: Line, sink: &dyn Sink) -> Result<(), Error> {
        if line.ruling == Some(Ruling::Deny) {
            add(&mut self.lines, line);
        } else {
            self.lines.push(line);
        }
        match self.lines.len() >= self.hand_over_at.max(BATCH) {
            true => self.hand_over(sink),
            false => self.failed.clone().map_or(Ok(()), Err),
        }
    }

    /// Writes the pending lines and then `line`, and waits until they are durable.
    pub(crate) fn commit(&mut self, line: Line, sink: &dyn Sink) -> Result<(), Error> {
        self.lines.push(line);
        let result = sink.commit(std::mem::take(&mut self.lines));
        self.keep_failure(result)
    }

    /// Offers the pending lines to the sink; waits only if more than [`MAX_KEPT`] are pending.
    pub(crate) fn hand_over(&mut self, sink: &dyn Sink) -> Result<(), Error> {
        if self.lines.is_empty() {
            return self.failed.clone().map_or(Ok(()), Err);
        }
        // A short run adds no more lines, so allocating a full batch would be wasted.
        let room = if self.lines.len() < BATCH { 0 } else { BATCH };
        let lines = std::mem::replace(&mut self.lines, Vec::with_capacity(room));
        let result = match sink.offer(lines) {
            Offered::Taken => {
                self.hand_over_at = BATCH;
                Ok(())
            }
            Offered::Failed(error) => Err(error),
            Offered::Busy(lines) => {
                // A tool in a loop makes calls faster than they can be written. One line then
                // stands for many equal ones.
                self.lines = fold(lines);
                self.hand_over_at = self.lines.len() + BATCH;
                match self.lines.len() > MAX_KEPT {
                    true => sink.commit(std::mem::take(&mut self.lines)),
                    false => Ok(()),
                }
            }
        };
        self.keep_failure(result)
    }

    /// Remembers a failure. Once a line is lost, every further check of the run fails.
    fn keep_failure(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = result {
            self.failed = Some(error);
        }
        self.failed.clone().map_or(Ok(()), Err)
    }
}

/// Merges equal lines; each merged line keeps the place of its first occurrence.
fn fold(lines: Vec<Line>) -> Vec<Line> {
    let mut kept = Vec::with_capacity(lines.len());
    lines.into_iter().for_each(|line| add(&mut kept, line));
    kept
}

/// Appends a line, or adds its count and cost to an equal recent line.
///
/// Only the last [`MAX_LOOKED_AT`] lines are compared: loops repeat recent lines, and a longer
/// search would take quadratic time.
fn add(lines: &mut Vec<Line>, line: Line) {
    let mut near = lines.iter_mut().rev().take(MAX_LOOKED_AT);
    match near.find(|other| other.says_the_same(&line)) {
        Some(other) => {
            other.times = other.times.saturating_add(line.times);
            other.cost.micros = other.cost.micros.saturating_add(line.cost.micros);
            other.cost.bytes = other.cost.bytes.saturating_add(line.cost.bytes);
        }
        None => lines.push(line),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::audit::Event;
    use crate::error::ErrorKind;
    use crate::timestamp::Timestamp;

    /// A sink that accepts lines only while `open` is true.
    #[derive(Default)]
    struct Gate {
        open: Mutex<bool>,
        lines: Mutex<Vec<Line>>,
    }

    impl Sink for Gate {
        fn offer(&self, lines: Vec<Line>) -> Offered {
            match *self.open.lock().unwrap() {
                true => {
                    self.lines.lock().unwrap().extend(lines);
                    Offered::Taken
                }
                false => Offered::Busy(lines),
            }
        }

        fn commit(&self, lines: Vec<Line>) -> Result<(), Error> {
            self.lines.lock().unwrap().extend(lines);
            Ok(())
        }

        fn flush(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    fn line(target: usize) -> Line {
        let mut line = Line::new(Timestamp::from_micros(0), Event::Check);
        line.target = Some(target.to_string().into());
        line
    }

    #[test]
    fn busy_sink_costs_no_memory_and_no_count() {
        let (gate, mut buffer) = (Gate::default(), AuditBuffer::default());
        (0..100_000).for_each(|i| buffer.note(line(i % 3), &gate).unwrap());
        assert!(buffer.lines.len() <= 2 * BATCH);
        *gate.open.lock().unwrap() = true;
        buffer.hand_over(&gate).unwrap();
        let lines = gate.lines.lock().unwrap();
        assert_eq!(lines.iter().map(|line| u64::from(line.times)).sum::<u64>(), 100_000);
    }

    #[test]
    fn same_denial_over_and_over_is_one_line_that_counts() {
        let (gate, mut buffer) = (Gate::default(), AuditBuffer::default());
        *gate.open.lock().unwrap() = true;
        for i in 0..100_000 {
            let mut line = line(i % 3);
            line.ruling = Some(Ruling::Deny);
            buffer.note(line, &gate).unwrap();
        }
        buffer.hand_over(&gate).unwrap();
        let times: Vec<u32> = gate.lines.lock().unwrap().iter().map(|line| line.times).collect();
        assert_eq!(times, [33_334, 33_333, 33_333]);
    }

    #[test]
    fn lines_that_differ_are_written_when_there_are_too_many() {
        let (gate, mut buffer) = (Gate::default(), AuditBuffer::default());
        (0..20_000).for_each(|i| buffer.note(line(i), &gate).unwrap());
        assert!(buffer.lines.len() <= MAX_KEPT + BATCH);
        buffer.commit(line(20_000), &gate).unwrap();
        let lines = gate.lines.lock().unwrap();
        let targets: Vec<usize> =
            lines.iter().map(|line| line.target.as_ref().unwrap().parse().unwrap()).collect();
        assert_eq!(targets, (0..=20_000).collect::<Vec<_>>());
    }

    #[test]
    fn log_that_lost_a_line_stays_lost() {
        struct Broken;
        impl Sink for Broken {
            fn offer(&self, _: Vec<Line>) -> Offered {
                Offered::Failed(Error::new(ErrorKind::Full, "log", "no room"))
            }

            fn commit(&self, _: Vec<Line>) -> Result<(), Error> {
                Err(Error::new(ErrorKind::Full, "log", "no room"))
            }

            fn flush(&self) -> Result<(), Error> {
                Ok(())
            }
        }
        let mut buffer = AuditBuffer::default();
        assert!(buffer.commit(line(0), &Broken).is_err());
        assert!(buffer.note(line(1), &Broken).is_err());
    }
}
