//! Questions, answers, and the [`Approver`] who gives them.
//!
//! These types are the interface to prompts and policies. The life of a question inside the broker
//! is in `open_question`.
//!
//! Meets T-PERM-007.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_caps::{Capability, Request, look_alikes, visible};
use sha2::{Digest, Sha256};

use crate::grant::{Grant, Span};
use crate::host_folders::HostFolders;
use crate::id::{QuestionId, RequestId};
use crate::identity::shown_identity;
use crate::particulars::Particulars;
use crate::place::{Place, PlaceSlot};
use crate::risk::Risk;

/// Most characters of the reason of a refusal.
pub const MAX_REASON: usize = 500;

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
    request: Option<RequestId>,
    wishes: Vec<Wish>,
    seal: Seal,
    /// Not sealed: known only after the question was opened.
    place: PlaceSlot,
}

/// Hash of a question's content.
///
/// An answer carries the seal of its question, so that approval of one question cannot be applied
/// to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
// T-PERM-005: a tool that grants itself something.
pub struct Seal(pub u64);

/// One capability that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    choices: Vec<Choice>,
    is_declared: bool,
    on_host: Option<String>,
    particulars: Particulars,
}

/// One capability that would satisfy a wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    capability: Capability,
    risk: Risk,
}

/// A wider choice that is most often meant; see [`Wish::usual`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usual<'a> {
    /// A folder and everything below it.
    Folder(&'a Choice),
    /// All addresses of one host, with the method that was asked for.
    Host(&'a Choice),
}

/// The decisions on one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub(crate) question: QuestionId,
    pub(crate) seal: Seal,
    pub(crate) by: Arc<str>,
    /// Reason of a refusal, for the run that asked.
    pub(crate) because: Option<Arc<str>>,
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

    /// Hears of the grants that its own answer led to, once they are in force.
    fn granted(&self, question: &Question, grants: &[Grant]) {
        let _ = (question, grants);
    }

    /// Returns true if the approver can show one question at a time only. The others then wait, and
    /// those that an answer has made needless are never asked.
    fn asks_one_at_a_time(&self) -> bool {
        false
    }
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
        mut wishes: Vec<Wish>,
    ) -> Self {
        wishes.iter_mut().for_each(|wish| wish.call_out(&tool));
        let seal = Seal::of(&id, &tool, &sandbox, &wishes);
        Self { id, tool, sandbox, run, request: None, wishes, seal, place: PlaceSlot::default() }
    }

    pub(crate) fn about(mut self, request: Option<RequestId>) -> Self {
        self.request = request;
        self
    }

    /// Returns the place in the tool that the question comes from, if the tool's engine has told
    /// it.
    pub fn place(&self) -> Option<&Place> {
        self.place.get()
    }

    /// Returns the slot for the place.
    pub fn place_slot(&self) -> &PlaceSlot {
        &self.place
    }

    /// Returns the id by which the question is answered.
    pub fn id(&self) -> &QuestionId {
        &self.id
    }

    /// Returns the hash of the content.
    pub fn seal(&self) -> Seal {
        self.seal
    }

    /// Returns the name of the tool and the first digits of its digest, with hidden characters
    /// escaped and a long name shortened in the middle.
    pub fn tool(&self) -> String {
        shown_identity(&self.tool)
    }

    /// Returns the name of the sandbox.
    pub fn sandbox(&self) -> &str {
        &self.sandbox
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the id of the request that caused the question; `None` if a tool asks for all that it
    /// declared.
    pub fn request(&self) -> Option<&RequestId> {
        self.request.as_ref()
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
        Self { question, seal, by: Arc::from(""), because: None, decisions }
    }

    /// Returns one decision for each wish, in order.
    pub fn decisions(&self) -> Vec<Decision> {
        self.decisions.clone()
    }

    /// Gives a reason for a refusal. The run that asked receives it, shortened to [`MAX_REASON`]
    /// characters; a reason of spaces alone is none.
    pub fn because(mut self, reason: &str) -> Self {
        let reason: String = reason.trim().chars().take(MAX_REASON).collect();
        self.because = (!reason.is_empty()).then(|| reason.into());
        self
    }

    /// Names the person who decided.
    pub fn by(mut self, who: &str) -> Self {
        self.by = who.into();
        self
    }
}

impl Wish {
    /// Creates the wish for a single request, with wider choices.
    ///
    /// For a file in a folder of the host they go up to that folder.
    pub(crate) fn for_request(request: &Request, folders: &HostFolders) -> Self {
        let suggested = request.suggestions();
        let on_host = match request {
            Request::Fs { path, .. } => folders.describe(path.as_str()),
            Request::Dom { .. }
            | Request::Env { .. }
            | Request::Network { .. }
            | Request::Process { .. }
            | Request::State { .. }
            | Request::Storage { .. }
            | Request::Function { .. } => None,
        };
        let folder = folders.of_request(request);
        let is_within = |capability: &Capability| {
            on_host.is_none() || folders.of_capability(capability) == folder
        };
        let narrowest = request.required();
        let choices = suggested.into_iter().filter(|one| *one == narrowest || is_within(one));
        let choices = choices.map(|capability| Choice::new(capability, folders)).collect();
        Self { choices, is_declared: false, on_host, particulars: Particulars::default() }
    }

    /// Adds the facts about an action. For a folder, the choices include all that is below it.
    pub(crate) fn with(mut self, particulars: &Particulars, folders: &HostFolders) -> Self {
        self.particulars = particulars.clone();
        if particulars.is_folder
            && let Ok(below) = format!("{}/**", self.wanted()).parse()
        {
            self.choices.insert(1, Choice::new(below, folders));
        }
        self
    }

    /// Adds the words of the wish, or of the tool that has it, that look like others.
    // T-PERM-022: a name that a person takes for another.
    fn call_out(&mut self, tool: &str) {
        let mut text = [tool, " ", &self.wanted().to_string(), " ", &self.words()].concat();
        for part in self.on_host.iter().chain(self.details().iter().map(|(_, text)| text)) {
            text.push(' ');
            text.push_str(part);
        }
        if let Some(words) = look_alikes(&text) {
            self.particulars.details.push(("careful", words));
        }
    }

    /// Creates the wish for a declared capability.
    pub(crate) fn declared(capability: Capability, folders: &HostFolders) -> Self {
        let on_host = folders.describe_capability(&capability);
        let choices = vec![Choice::new(capability, folders)];
        Self { choices, is_declared: true, on_host, particulars: Particulars::default() }
    }

    /// Returns a description of the action: `rename /data/a to /data/b`.
    pub fn words(&self) -> String {
        self.particulars.words.clone().unwrap_or_else(|| self.choices[0].words())
    }

    /// Returns further facts, such as the command line, each with its name. Hidden characters are
    /// escaped.
    pub fn details(&self) -> &[(&'static str, String)] {
        &self.particulars.details
    }

    /// Returns the real path of the file on the host and the effect of writes, with hidden
    /// characters escaped; `None` if the wish is not about a folder of the host.
    pub fn on_host(&self) -> Option<&str> {
        self.on_host.as_deref()
    }

    /// Returns the wider choice that is most often meant: the folder of a file with everything below
    /// it, or the host of an address.
    pub fn usual(&self) -> Option<Usual<'_>> {
        match self.wanted() {
            Capability::Fs(_) => {
                let folder = self.choices.get(1)?;
                folder.text().ends_with("/**").then_some(Usual::Folder(folder))
            }
            Capability::Network(_) => {
                let is_whole = |choice: &&Choice| matches!(&choice.capability, Capability::Network(n) if n.is_whole_origin());
                self.choices[1..].iter().find(is_whole).map(Usual::Host)
            }
            Capability::Dom(_)
            | Capability::Env(_)
            | Capability::Process(_)
            | Capability::State(_)
            | Capability::Storage(_)
            | Capability::Function(_) => None,
        }
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
    fn new(capability: Capability, folders: &HostFolders) -> Self {
        let risk = Risk::within(&capability, folders);
        Self { capability, risk }
    }

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
        self.risk
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
        for wish in wishes {
            add(&wish.wanted().to_string());
            add(wish.on_host.as_deref().unwrap_or_default());
            add(&wish.words());
            wish.details().iter().for_each(|(_, text)| add(text));
        }
        let bytes = hash.finalize();
        Self(bytes.iter().take(8).fold(0, |seal, byte| seal << 8 | u64::from(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_caps::Access;

    use super::*;
    use crate::host_folders::{FolderMode, HostFolder};
    use crate::id::Ids;
    use crate::risk::Level;

    fn question(wishes: Vec<Wish>) -> Question {
        let who = ("a\u{202e}b".into(), "s".into(), "r".into());
        Question::new(Ids::new([0; 32]).question(), who, wishes)
    }

    fn fetch() -> Wish {
        let url = "https://a.example/v1/x".parse().unwrap();
        Wish::for_request(
            &Request::Network { method: "GET".parse().unwrap(), url },
            &HostFolders::default(),
        )
    }

    fn capability(text: &str) -> Capability {
        text.parse().unwrap()
    }

    /// T-PERM-022.
    #[test]
    fn names_that_look_like_others_are_called_out() {
        let details = |path: &str, tool: &str| {
            let (path, folders) = (path.parse().unwrap(), HostFolders::default());
            let wish = Wish::for_request(&Request::Fs { access: Access::Read, path }, &folders);
            let who = (tool.into(), "s".into(), "r".into());
            let question = Question::new(Ids::new([0; 32]).question(), who, vec![wish]);
            question.wishes()[0].details().to_vec()
        };
        assert_eq!(details("/data/paypal", "a.js"), []);
        let mixes = "p\\u{430}ypal mixes the letters of several alphabets";
        let expect = [("careful", mixes.to_owned())];
        assert_eq!(details("/data/p\u{430}ypal", "a.js"), expect);
        assert_eq!(details("/data/paypal", "p\u{430}ypal"), expect);
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
    fn usual_choice_is_the_folder_or_the_host() {
        let text = |usual: Option<Usual<'_>>| match usual {
            Some(Usual::Folder(choice) | Usual::Host(choice)) => choice.text(),
            None => String::new(),
        };
        assert_eq!(text(fetch().usual()), "network:fetch:GET@https://a.example");
        let read = |path: &str, particulars: &Particulars| {
            let request = Request::Fs { access: Access::Read, path: path.parse().unwrap() };
            let folders = HostFolders::default();
            text(Wish::for_request(&request, &folders).with(particulars, &folders).usual())
        };
        assert_eq!(read("/data/a.txt", &Particulars::default()), "fs:read:/data/**");
        assert_eq!(read("/data", &Particulars::default().folder()), "fs:read:/data/**");
        assert_eq!(read("/a", &Particulars::default()), "");
        let variable = Request::Env { name: "A".parse().unwrap() };
        assert_eq!(Wish::for_request(&variable, &HostFolders::default()).usual(), None);
    }

    /// T-PERM-007.
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
        let asked =
            question(vec![Wish::declared(capability("fs:read:/a/**"), &HostFolders::default())]);
        let with = |text: &str| asked.allow_instead(capability(text), Span::Once);
        assert!(asked.takes(&with("fs:read:/a/b")));
        assert!(asked.takes(&with("fs:read")));
        assert!(!asked.takes(&with("fs:write:/a/b")));
    }

    #[test]
    fn choices_for_a_mounted_file_end_at_the_mount() {
        let (at, host) = ("/work/data".to_owned(), "/home/me/data".to_owned());
        let folders = HostFolders::new([HostFolder { at, host, mode: FolderMode::ReadWrite }]);
        let path = "/work/data/2024/jan/a.csv".parse().unwrap();
        let wish = Wish::for_request(&Request::Fs { access: Access::Write, path }, &folders);
        let texts: Vec<_> = wish.choices().iter().map(Choice::text).collect();
        let expect = [
            "fs:write:/work/data/2024/jan/a.csv",
            "fs:write:/work/data/2024/jan/**",
            "fs:write:/work/data/2024/**",
            "fs:write:/work/data/**",
        ];
        assert_eq!(texts, expect);
        let real = "/home/me/data/2024/jan/a.csv (mounted :rw: changes are real)";
        assert_eq!(wish.on_host(), Some(real));
        assert_eq!(wish.choices()[0].risk().level, Level::High);
    }

    #[test]
    fn seal_changes_with_the_question() {
        let one = question(vec![Wish::declared(capability("fs:read:/a"), &HostFolders::default())]);
        let other =
            question(vec![Wish::declared(capability("fs:read:/b"), &HostFolders::default())]);
        assert_eq!(one.id(), other.id());
        assert_ne!(one.seal(), other.seal());
    }
}
