//! Decisions that came before, from the audit log.

use std::collections::HashMap;

use cofferdam::Capability;
use cofferdam::permissions::{Error, Event, Line, RecordedRequest, Ruling, Timestamp};
use cofferdam_store::{Filter, Store};

use super::words::{self, Moment};

/// Most lines of each kind that are read.
const MOST: u32 = 300;

/// A decision that came before.
#[derive(Clone)]
pub(super) struct Earlier {
    /// Capability that was asked for, as the log has it.
    pub(super) capability: String,
    pub(super) words: String,
    pub(super) is_yes: bool,
    /// Person who decided, and the reason.
    pub(super) note: String,
    pub(super) at: Moment,
    /// Time of a person's decision; `None` if the question was withdrawn, or nobody answered.
    pub(super) decided: Option<Timestamp>,
}

/// Returns the decisions on questions of a sandbox, latest first.
pub(super) fn of(store: &Store, sandbox: &str) -> Result<Vec<Earlier>, Error> {
    let lines = |event| {
        store.lines(&Filter {
            sandbox: Some(sandbox.to_owned()),
            event: Some(event),
            last: Some(MOST),
            ..Filter::default()
        })
    };
    let mut asked: HashMap<String, Vec<String>> = HashMap::new();
    for (_, line) in lines(Event::Question)? {
        if let (Some(id), Some(capability)) = (&line.id, &line.capability) {
            asked.entry(id.to_string()).or_default().push(capability.to_string());
        }
    }
    let mut all = Vec::new();
    for (_, line) in lines(Event::Answer)?.iter().rev() {
        let id = line.id.as_deref().unwrap_or_default();
        for capability in asked.get(id).map(Vec::as_slice).unwrap_or_default() {
            all.extend(earlier(line, capability));
        }
    }
    Ok(all)
}

fn earlier(line: &Line, capability: &str) -> Option<Earlier> {
    let is_yes = match line.ruling? {
        Ruling::Permit => true,
        Ruling::Deny => false,
        _ => return None,
    };
    let words = match capability.parse::<Capability>() {
        Ok(capability) => capability.describe(),
        Err(_) => words::text(capability),
    };
    Some(Earlier {
        capability: capability.to_owned(),
        words,
        is_yes,
        note: words::text(line.note.as_deref().unwrap_or_default()),
        at: line.time.into(),
        decided: line
            .note
            .as_deref()
            .is_some_and(|note| note.starts_with("by "))
            .then_some(line.time),
    })
}

/// Decisions by sandbox, each read from the log once.
#[derive(Default)]
pub(super) struct Known(HashMap<String, Vec<Earlier>>);

impl Known {
    /// Returns the decisions on questions of a sandbox, latest first.
    pub(super) fn of(&mut self, store: &Store, sandbox: &str) -> Result<&[Earlier], Error> {
        if !self.0.contains_key(sandbox) {
            self.0.insert(sandbox.to_owned(), of(store, sandbox)?);
        }
        Ok(self.0.get(sandbox).map(Vec::as_slice).unwrap_or_default())
    }

    /// Returns true if a person has decided about a request since it was last recorded. An answer
    /// for one run leaves the request open in the ledger.
    pub(super) fn settles(
        &mut self,
        store: &Store,
        request: &RecordedRequest,
    ) -> Result<bool, Error> {
        let capability = request.capability.to_string();
        let decisions = self.of(store, &request.sandbox)?;
        Ok(decisions.iter().any(|earlier| {
            earlier.capability == capability
                && earlier.decided.is_some_and(|decided| decided >= request.last)
        }))
    }
}
