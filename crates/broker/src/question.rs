use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};
use sha2::{Digest, Sha256};

use crate::grant::Span;
use crate::id::QuestionId;
use crate::risk::Risk;

/// Something for a person, a policy or another service to decide.
///
/// Texts of the tool are hostile: show [`tool`](Self::tool) and [`Choice::text`], which have
/// hidden characters spelled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    id: QuestionId,
    tool: Arc<str>,
    sandbox: Arc<str>,
    run: Arc<str>,
    wishes: Vec<Wish>,
    seal: Seal,
}

/// Stands for all that a question says. An answer carries it, so that nobody's yes to one
/// question is taken for a yes to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seal(pub u64);

/// One thing that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    choices: Vec<Choice>,
    is_declared: bool,
}

/// One capability that can be granted for a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    capability: Capability,
}

/// What was decided, of one question and of no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub(crate) question: QuestionId,
    pub(crate) seal: Seal,
    pub(crate) by: Arc<str>,
    /// For each wish in order, what is granted for it.
    pub(crate) decisions: Vec<Decision>,
}

/// What was decided of one wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// This capability, which may be wider than the wish; for something declared also narrower.
    Grant(Capability, Span),
    /// No.
    Deny,
}

/// Who decides. Implemented by the embedding program.
///
/// The future that is returned is dropped when nobody waits for the answer any more.
pub trait Approver: Send + Sync {
    /// Asks. One answer is taken; whatever does not fit the question is a no.
    fn ask(&self, question: Question) -> Pin<Box<dyn Future<Output = Answer> + Send>>;
}

/// Asks nobody and waits: for a grant from outside, or for
/// [`Broker::answer`](crate::Broker::answer). A run waits as long as its time limit allows.
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

    /// What to answer it by.
    pub fn id(&self) -> &QuestionId {
        &self.id
    }

    /// Stands for all that it says.
    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Whose wishes these are, fit to be shown.
    pub fn tool(&self) -> String {
        visible(&self.tool).into_owned()
    }

    /// In which sandbox.
    pub fn sandbox(&self) -> &str {
        &self.sandbox
    }

    /// In which run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What is wanted: one thing, or all that a tool declared.
    pub fn wishes(&self) -> &[Wish] {
        &self.wishes
    }

    /// A yes to exactly what is wanted.
    pub fn allow(&self, span: Span) -> Answer {
        let yes = |wish: &Wish| Decision::Grant(wish.wanted().clone(), span);
        self.answer(self.wishes.iter().map(yes).collect())
    }

    /// A yes to something wider, or for something declared narrower, than the only wish.
    pub fn allow_instead(&self, capability: Capability, span: Span) -> Answer {
        self.answer(vec![Decision::Grant(capability, span)])
    }

    /// A no to everything.
    pub fn deny(&self) -> Answer {
        self.answer(vec![Decision::Deny; self.wishes.len()])
    }

    /// A decision for each wish, in order.
    pub fn answer(&self, decisions: Vec<Decision>) -> Answer {
        Answer::new(self.id.clone(), self.seal, decisions)
    }

    /// Whether the answer is one to this question and says enough.
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
    /// An answer from elsewhere, to the question of this id as it was when it had this seal.
    pub fn new(question: QuestionId, seal: Seal, decisions: Vec<Decision>) -> Self {
        Self { question, seal, by: Arc::from(""), decisions }
    }

    /// What was decided, for each wish in order.
    pub fn decisions(&self) -> Vec<Decision> {
        self.decisions.clone()
    }

    /// Who decided.
    pub fn by(mut self, who: &str) -> Self {
        self.by = who.into();
        self
    }
}

impl Wish {
    /// To do one thing now.
    pub(crate) fn for_request(request: &Request) -> Self {
        let choices = request.suggestions().into_iter().map(|capability| Choice { capability });
        Self { choices: choices.collect(), is_declared: false }
    }

    /// Something a tool says that it will need.
    pub(crate) fn declared(capability: Capability) -> Self {
        Self { choices: vec![Choice { capability }], is_declared: true }
    }

    /// The narrowest that would do.
    pub fn wanted(&self) -> &Capability {
        &self.choices[0].capability
    }

    /// What can be granted for it: first what is wanted, then each wider than the one before.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }
}

impl Choice {
    /// What would be granted.
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// Its exact scope, fit to be shown.
    pub fn text(&self) -> String {
        visible(&self.capability.to_string()).into_owned()
    }

    /// The same in words: `read the file /data/a.txt`.
    pub fn words(&self) -> String {
        self.capability.describe()
    }

    /// What granting it would mean.
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
