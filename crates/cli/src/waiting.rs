//! Requests that wait in the run of a server: their list, and their answers from the terminal.

use cofferdam::permissions::Span;
use cofferdam::{Capability, visible};
use cofferdam_serve::board::{Reply, Shown};
use cofferdam_serve::elsewhere::{self, NotAnswered};
use cofferdam_store::Store;
use serde_json::{Value as Json, json};

use crate::permissions::who;
use crate::report::Failure;

/// The requests that wait in any process.
pub(crate) struct Waiting(Vec<Shown>);

impl Waiting {
    pub(crate) fn read(store: &Store) -> Result<Self, Failure> {
        elsewhere::waiting(store).map(Waiting).map_err(Failure::from_broker)
    }

    /// Returns all of them, oldest first.
    pub(crate) fn all(&self) -> &[Shown] {
        &self.0
    }

    /// Returns the oldest request with this id, of a request or of a question. Fails if the text can
    /// only be the id of a question, and none with this id waits.
    pub(crate) fn find(&self, text: &str) -> Result<Option<&Shown>, Failure> {
        let found = self.0.iter().find(|shown| shown.is_named(text));
        if found.is_none() && text.starts_with("qst_") {
            let message = format!("{}: no run waits for this any more", visible(text));
            return Err(Failure::usage(message).hint("cofferdam requests   (lists what waits)"));
        }
        Ok(found)
    }
}

/// An answer that can be given.
pub(crate) struct Answer<'a> {
    shown: &'a Shown,
    reply: Reply,
}

impl<'a> Answer<'a> {
    /// Prepares a yes to everything that is asked, or to `capability` in place of a single wish.
    pub(crate) fn grant(
        shown: &'a Shown,
        capability: Option<&Capability>,
        span: Span,
    ) -> Result<Self, Failure> {
        let decision = |capability: String| Some((capability, span.name().to_owned()));
        let decisions = match (capability, shown.wishes.as_slice()) {
            (Some(capability), [_]) => vec![decision(capability.to_string())],
            (Some(_), wishes) => {
                let message =
                    format!("--capability: {} asks for {} things", shown.id(), wishes.len());
                return Err(Failure::usage(message)
                    .hint("cofferdam grant ID   (grants exactly what is asked)"));
            }
            (None, wishes) => {
                let exact = wishes.iter().filter_map(|wish| wish.choices.first());
                exact.map(|choice| decision(choice.capability.clone())).collect()
            }
        };
        Ok(Answer { shown, reply: reply(shown, decisions, None) })
    }

    /// Prepares a no to everything that is asked.
    pub(crate) fn deny(shown: &'a Shown, reason: Option<String>) -> Self {
        let decisions = vec![None; shown.wishes.len()];
        Answer { shown, reply: reply(shown, decisions, reason) }
    }

    /// Returns the capabilities that the answer grants.
    pub(crate) fn capabilities(&self) -> impl Iterator<Item = Capability> {
        let granted = self.reply.decisions.iter().flatten();
        granted.filter_map(|(capability, _)| capability.parse().ok())
    }

    /// Gives the answer. Returns when the run has it.
    pub(crate) fn give(&self, store: &Store) -> Result<(), Failure> {
        let id = self.shown.id();
        elsewhere::answer(store, self.shown, &self.reply).map_err(|error| match error {
            NotAnswered::Gone => Failure::usage(format!("{id}: no run waits for this any more")),
            NotAnswered::Refused(why) => Failure::usage(visible(&why).into_owned()),
            NotAnswered::Unresponsive => {
                Failure::usage(format!("{id}: the process whose run waits does not respond"))
                    .hint("cofferdam requests   (lists what waits)")
            }
            NotAnswered::Store(error) => Failure::from_broker(error),
        })
    }

    /// Describes the answer for a person.
    pub(crate) fn text(&self) -> String {
        let (id, run) = (self.shown.id(), visible(&self.shown.run));
        let granted: Vec<_> = self.reply.decisions.iter().flatten().collect();
        match granted.first() {
            Some((_, span)) => {
                let capabilities: Vec<_> =
                    granted.iter().map(|(capability, _)| visible(capability)).collect();
                format!("granted {id} {} {span}; {run} goes on", capabilities.join(" "))
            }
            None => format!("denied {id}; {run} goes on without"),
        }
    }

    /// Describes the answer as JSON.
    pub(crate) fn json(&self) -> Json {
        let granted: Vec<_> = self
            .reply
            .decisions
            .iter()
            .flatten()
            .map(|(capability, span)| json!({ "capability": capability, "span": span }))
            .collect();
        let status = if granted.is_empty() { "denied" } else { "granted" };
        json!({
            "id": self.shown.id(),
            "question": self.shown.question,
            "run": self.shown.run,
            "status": status,
            "granted": granted,
            "reason": self.reply.reason,
        })
    }
}

fn reply(shown: &Shown, decisions: Vec<Option<(String, String)>>, reason: Option<String>) -> Reply {
    Reply { seal: shown.seal.clone(), decisions, reason, by: who() }
}
