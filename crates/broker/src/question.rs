//! Questions, answers, and the [`Approver`] who gives them.
//!
//! These types are the interface to prompts and policies. The life of a question inside the broker
//! is in `open_question`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};
use sha2::{Digest, Sha256};

use crate::grant::Span;
use crate::id::QuestionId;
use crate::risk::Risk;

/// A request for a decision by a person, a policy or another service.
///
/// Texts from the tool are hostile. [`tool`](Self::tool) and [`Choice::text`] escape hidden
/// characters, so show those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    id: QuestionId,
    tool: Arc<str>,
    sandbox: Arc<str>,
    run: Arc<str>,
    wishes: Vec<Wish>,
    seal: Seal,
}

/// Hash of a question's content.
///
/// An answer carries the seal of its question, so that approval of one question cannot be applied
/// to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seal(pub u64);

/// One capability that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    choices: Vec<Choice>,
    is_declared: bool,
}

/// One capability that would satisfy a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    capability: Capability,
}

/// The decisions on one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub(crate) question: QuestionId,
    pub(crate) seal: Seal,
    pub(crate) by: Arc<str>,
    /// One decision for each wish, in order.
    pub(crate) decisions: Vec<Decision>,
}

/// The decision on one wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Grants a capability, which may be wider than the wish; for a declared wish also narrower.
    Grant(Capability, Span),
    /// Grants nothing.
    Deny,
}

/// Decides questions; implemented by the embedder.
///
/// The returned future is dropped when no run waits for the answer any more.
pub trait Approver: Send + Sync {
    /// Asks a question. An answer that does not fit the question counts as a refusal.
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>>;
}

/// An approver that never answers.
///
/// A run waits until a grant is made, [`Broker::answer`](crate::Broker::answer) is called, or its
/// time limit is reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct FromOutside;

impl Approver for FromOutside {
    fn ask(&self, _: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
        Box::pin(std::future::pending())
    }
}

impl Question {
    pub(crate) fn new(
        id: QuestionId,
        (tool, sandbox, run): (Arc<str>, Arc<str>, Arc<str>),
        wishes: Vec<Wish>,
    ) -> Self {
        let seal = Seal::of(&id, &tool, &sandbox, &wishes);
        Self { id, tool, sandbox, run, wishes, seal }
    }

    /// Returns the id by which the question is answered.
    pub fn id(&self) -> &QuestionId {
        &self.id
    }

    /// Returns the hash of the content.
    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Returns the name of the tool, with hidden characters escaped.
    pub fn tool(&self) -> String {
        visible(&self.tool).into_owned()
    }

    /// Returns the name of the sandbox.
    pub fn sandbox(&self) -> &str {
        &self.sandbox
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns what is asked for: one wish, or all that a tool declared.
    pub fn wishes(&self) -> &[Wish] {
        &self.wishes
    }

    /// Creates an answer that grants exactly what is asked for.
    pub fn allow(&self, span: Span) -> Answer {
        let yes = |wish: &Wish| Decision::Grant(wish.wanted().clone(), span);
        self.answer(self.wishes.iter().map(yes).collect())
    }

    /// Creates an answer that grants another capability for the only wish.
    ///
    /// The capability must cover the wish; for a declared wish it may also be narrower.
    pub fn allow_instead(&self, capability: Capability, span: Span) -> Answer {
        self.answer(vec![Decision::Grant(capability, span)])
    }

    /// Creates an answer that grants nothing.
    pub fn deny(&self) -> Answer {
        self.answer(vec![Decision::Deny; self.wishes.len()])
    }

    /// Creates an answer from one decision for each wish, in order.
    pub fn answer(&self, decisions: Vec<Decision>) -> Answer {
        Answer::new(self.id.clone(), self.seal, decisions)
    }

    /// Returns true if the answer decides every wish and each grant fits its wish.
    pub(crate) fn takes(&self, answer: &Answer) -> bool {
        let fits = |(wish, decision): (&Wish, &Decision)| match decision {
            Decision::Deny => true,
            Decision::Grant(capability, _) if wish.is_declared => {
                capability.covers(wish.wanted()) || wish.wanted().covers(capability)
            }
            Decision::Grant(capability, _) => capability.covers(wish.wanted()),
        };
        answer.decisions.len() == self.wishes.len()
            && self.wishes.iter().zip(&answer.decisions).all(fits)
    }
}

impl Answer {
    /// Creates an answer to the question with this id and seal.
    pub fn new(question: QuestionId, seal: Seal, decisions: Vec<Decision>) -> Self {
        Self { question, seal, by: Arc::from(""), decisions }
    }

    /// Returns one decision for each wish, in order.
    pub fn decisions(&self) -> Vec<Decision> {
        self.decisions.clone()
    }

    /// Names the person who decided.
    pub fn by(mut self, who: &str) -> Self {
        self.by = who.into();
        self
    }
}

impl Wish {
    /// Creates the wish for a single request, with wider choices.
    pub(crate) fn for_request(request: &Request) -> Self {
        let choices = request.suggestions().into_iter().map(|capability| Choice { capability });
        Self { choices: choices.collect(), is_declared: false }
    }

    /// Creates the wish for a declared capability.
    pub(crate) fn declared(capability: Capability) -> Self {
        Self { choices: vec![Choice { capability }], is_declared: true }
    }

    /// Returns the narrowest capability that satisfies the wish.
    pub fn wanted(&self) -> &Capability {
        &self.choices[0].capability
    }

    /// Returns the choices, each wider than the one before; the first is
    /// [`wanted`](Self::wanted).
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }
}

impl Choice {
    /// Returns the capability that this choice grants.
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// Returns the exact text of the capability, with hidden characters escaped.
    pub fn text(&self) -> String {
        visible(&self.capability.to_string()).into_owned()
    }

    /// Returns a description of the capability: `read the file /data/a.txt`.
    pub fn words(&self) -> String {
        self.capability.describe()
    }

    /// Returns the risk of granting the capability.
    pub fn risk(&self) -> Risk {
        Risk::of(&self.capability)
    }
}

impl Seal {
    fn of(id: &QuestionId, tool: &str, sandbox: &str, wishes: &[Wish]) -> Self {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        [id.as_str(), tool, sandbox].into_iter().for_each(&mut add);
        wishes.iter().for_each(|wish| add(&wish.wanted().to_string()));
        let bytes = hash.finalize();
        Self(bytes.iter().take(8).fold(0, |seal, byte| seal << 8 | u64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Ids;

    fn question(wishes: Vec<Wish>) -> Question {
        let who = ("a\u{202e}b".into(), "s".into(), "r".into());
        Question::new(Ids::new([0; 32]).question(), who, wishes)
    }

    fn fetch() -> Wish {
        let url = "https://a.example/v1/x".parse().unwrap();
        Wish::for_request(&Request::Network { method: "GET".parse().unwrap(), url })
    }

    fn capability(text: &str) -> Capability {
        text.parse().unwrap()
    }

    #[test]
    fn choices_go_from_narrow_to_wide() {
        let wish = fetch();
        let words: Vec<_> = wish.choices().iter().map(Choice::words).collect();
        assert_eq!(words[0], "send GET requests to https://a.example/v1/x");
        assert_eq!(words.last().unwrap(), "send requests to https://a.example/…");
        assert!(wish.choices().windows(2).all(|w| w[1].capability.covers(&w[0].capability)));
    }

    #[test]
    fn name_of_the_tool_hides_nothing() {
        assert_eq!(question(vec![fetch()]).tool(), "a\\u{202e}b");
    }

    #[test]
    fn answer_has_to_be_enough() {
        let asked = question(vec![fetch()]);
        let with = |text: &str| asked.allow_instead(capability(text), Span::Once);
        assert!(asked.takes(&asked.allow(Span::Once)));
        assert!(asked.takes(&with("network:fetch:https://a.example")));
        assert!(!asked.takes(&with("network:fetch:GET@https://a.example/v1/y")));
        assert!(asked.takes(&asked.deny()));
        assert!(!asked.takes(&asked.answer(vec![])));
    }

    #[test]
    fn declared_wish_can_be_granted_in_part() {
        let asked = question(vec![Wish::declared(capability("fs:read:/a/**"))]);
        let with = |text: &str| asked.allow_instead(capability(text), Span::Once);
        assert!(asked.takes(&with("fs:read:/a/b")));
        assert!(asked.takes(&with("fs:read")));
        assert!(!asked.takes(&with("fs:write:/a/b")));
    }

    #[test]
    fn seal_changes_with_the_question() {
        let one = question(vec![Wish::declared(capability("fs:read:/a"))]);
        let other = question(vec![Wish::declared(capability("fs:read:/b"))]);
        assert_eq!(one.id(), other.id());
        assert_ne!(one.seal(), other.seal());
    }
}
