//! A question as a page shows it: who asks, for what, with which risk and why.

use std::collections::HashMap;
use std::sync::Arc;

use cofferdam::Capability;

use crate::board::{Shown, ShownChoice, ShownWish};
use crate::server::Server;

use super::words::{self, Moment};

/// Most characters of an agent's reason on a page; more would push the rest off the screen.
const MAX_WHY: usize = 600;

/// A question on a page.
pub(super) struct Asked {
    pub(super) id: String,
    pub(super) seal: String,
    pub(super) agent: Option<String>,
    pub(super) client: Option<String>,
    pub(super) tool: String,
    pub(super) digest: Option<String>,
    pub(super) sandbox: String,
    pub(super) run: String,
    /// True if the run goes on in this process, where its output can be seen.
    pub(super) is_here: bool,
    pub(super) why: Option<String>,
    pub(super) source: Option<String>,
    pub(super) at: Moment,
    pub(super) wishes: Vec<Wanted>,
    pub(super) risk: Risk,
}

/// One thing that is asked for.
pub(super) struct Wanted {
    /// Name of the field with its scope.
    pub(super) field: String,
    /// The action, in words.
    pub(super) words: String,
    pub(super) details: Vec<(String, String)>,
    pub(super) on_host: Option<String>,
    /// Exactly what is asked for.
    pub(super) exact: Scope,
    pub(super) wider: Vec<Scope>,
}

/// A capability that can be granted.
pub(super) struct Scope {
    /// Text of the capability.
    pub(super) capability: String,
    /// The same, with hidden characters escaped.
    pub(super) text: String,
    pub(super) words: String,
    pub(super) risk: Risk,
    /// Explanation of the risk.
    pub(super) reason: String,
    /// Part of the scope that was not asked for.
    pub(super) adds: String,
    /// True for the wider scope that is most often meant.
    pub(super) is_usual: bool,
}

impl Scope {
    /// Returns the capability as the value of a field.
    pub(super) fn value(&self) -> String {
        words::value(&self.capability)
    }
}

/// Level of risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Risk {
    Low,
    Medium,
    High,
}

impl Risk {
    /// Reads a level. An unknown word of another version counts as high.
    fn of(word: &str) -> Self {
        match word {
            "low" => Risk::Low,
            "medium" => Risk::Medium,
            _ => Risk::High,
        }
    }

    /// Returns the word for the level.
    pub(super) fn name(self) -> &'static str {
        match self {
            Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
        }
    }
}

impl Asked {
    /// Prepares a question for a page.
    pub(super) fn of(server: &Server, shown: &Shown, names: &HashMap<Arc<str>, String>) -> Self {
        let run = server.runs().get(&shown.run);
        let (tool, digest) = words::tool(&shown.tool);
        let wishes: Vec<_> = shown
            .wishes
            .iter()
            .enumerate()
            .map(|(index, wish)| wanted(wish, field(&shown.question, index)))
            .collect();
        Asked {
            id: shown.question.clone(),
            seal: shown.seal.clone(),
            agent: shown.agent_name.as_deref().map(words::text),
            client: shown.client.as_deref().map(words::text),
            tool,
            digest,
            sandbox: words::sandbox(&shown.sandbox, names),
            run: words::text(&shown.run),
            is_here: run.is_some(),
            why: shown.why.as_deref().map(why),
            source: run.map(|run| words::lines(&run.about.source)).filter(|text| !text.is_empty()),
            at: Moment::of(shown.asked),
            risk: wishes.iter().map(|wish| wish.exact.risk).max().unwrap_or(Risk::High),
            wishes,
        }
    }

    /// Returns the question in one line.
    pub(super) fn words(&self) -> String {
        match self.wishes.as_slice() {
            [one] => words::capital(&one.words),
            several => format!("{} things before it starts", several.len()),
        }
    }

    /// Returns the name of the agent, or of the tool if another process did not give one.
    pub(super) fn who(&self) -> &str {
        self.agent.as_deref().unwrap_or(&self.tool)
    }
}

/// Returns the name of the field with the scope of a wish.
pub(super) fn field(question: &str, index: usize) -> String {
    format!("scope:{question}:{index}")
}

fn why(text: &str) -> String {
    let shown = words::text(text);
    match shown.char_indices().nth(MAX_WHY) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}

fn wanted(wish: &ShownWish, field: String) -> Wanted {
    let usual = wish.usual;
    let mut scopes = wish.choices.iter().enumerate().map(|(index, choice)| {
        let is_usual = usual == Some(index);
        scope(choice, is_usual)
    });
    // Every wish has a choice; one of another version without any can only be denied.
    let exact = scopes.next().unwrap_or_else(|| Scope {
        capability: String::new(),
        text: String::new(),
        words: words::text(&wish.words),
        risk: Risk::High,
        reason: String::new(),
        adds: String::new(),
        is_usual: false,
    });
    Wanted {
        field,
        words: words::text(&wish.words),
        details: wish
            .details
            .iter()
            .map(|(name, text)| (words::capital(&words::text(name)), words::text(text)))
            .collect(),
        on_host: wish.on_host.as_deref().map(words::text),
        exact,
        wider: scopes.collect(),
    }
}

fn scope(choice: &ShownChoice, is_usual: bool) -> Scope {
    Scope {
        capability: choice.capability.clone(),
        text: words::text(&choice.text),
        words: words::capital(&words::text(&choice.words)),
        risk: Risk::of(&choice.risk),
        reason: words::text(&choice.reason),
        adds: adds(&choice.capability),
        is_usual,
    }
}

/// Says what a wider capability adds to the thing that was asked for.
fn adds(capability: &str) -> String {
    let scope = capability.splitn(3, ':').nth(2);
    let folder = scope.and_then(|scope| scope.strip_suffix("/**")).map(words::text);
    match (capability.parse::<Capability>(), folder) {
        (Ok(Capability::Fs(_)), Some(folder)) if folder.is_empty() => "every other file".to_owned(),
        (Ok(Capability::Fs(_)), Some(folder)) => format!("every other file below {folder}"),
        (Ok(Capability::Fs(_)), None) => "every other file".to_owned(),
        (Ok(Capability::Network(_)), _) => match scope {
            Some(scope) => format!("every other address that {} covers", words::text(scope)),
            None => "every other host".to_owned(),
        },
        (Ok(Capability::Env(_)), _) => "every other variable that it names".to_owned(),
        (Ok(Capability::Process(_)), _) => "every other command line that it names".to_owned(),
        (Ok(Capability::Function(_)), _) => "every other function that it names".to_owned(),
        (Ok(Capability::Dom(_)), _) => "every other part of the page that it names".to_owned(),
        (Ok(Capability::State(_) | Capability::Storage(_)), _) => {
            "every other key that it names".to_owned()
        }
        (Err(_), _) => "more than was asked for".to_owned(),
    }
}

/// Questions of one run that wait together.
pub(super) struct Group {
    pub(super) asked: Vec<Asked>,
    /// Scopes that answer all of them at once, from narrow to wide.
    pub(super) common: Vec<Scope>,
    /// Latest decision on the same capability, if the group is a single question.
    pub(super) earlier: Option<super::earlier::Earlier>,
}

impl Group {
    /// Groups questions by their runs, in the order of their first questions.
    pub(super) fn all(asked: Vec<Asked>) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for one in asked {
            let place = *places.entry(one.run.clone()).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(group) => group.asked.push(one),
                None => groups.push(Group { asked: vec![one], common: Vec::new(), earlier: None }),
            }
        }
        groups.iter_mut().for_each(Group::find_common);
        groups
    }

    fn find_common(&mut self) {
        let [first, others @ ..] = self.asked.as_mut_slice() else { return };
        let ([wish], false) = (first.wishes.as_slice(), others.is_empty()) else { return };
        let is_common = |scope: &&Scope| {
            others.iter().all(|other| match other.wishes.as_slice() {
                [wish] => wish.wider.iter().any(|wider| wider.capability == scope.capability),
                _ => false,
            })
        };
        let common = wish.wider.iter().filter(is_common).map(|scope| Scope {
            capability: scope.capability.clone(),
            text: scope.text.clone(),
            words: scope.words.clone(),
            risk: scope.risk,
            reason: scope.reason.clone(),
            adds: scope.adds.clone(),
            is_usual: false,
        });
        self.common = common.collect();
    }

    /// Returns the question that was asked first.
    pub(super) fn first(&self) -> Option<&Asked> {
        self.asked.first()
    }

    /// Returns the highest risk of the group.
    pub(super) fn risk(&self) -> Risk {
        self.asked.iter().map(|one| one.risk).max().unwrap_or(Risk::High)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope_of(capability: &str) -> Scope {
        Scope {
            capability: capability.into(),
            text: capability.into(),
            words: String::new(),
            risk: Risk::Medium,
            reason: String::new(),
            adds: String::new(),
            is_usual: false,
        }
    }

    fn asked(run: &str, exact: &str, wider: &[&str]) -> Asked {
        Asked {
            id: exact.into(),
            seal: String::new(),
            agent: None,
            client: None,
            tool: "t".into(),
            digest: None,
            sandbox: String::new(),
            run: run.into(),
            is_here: false,
            why: None,
            source: None,
            at: Moment::of(0),
            wishes: vec![Wanted {
                field: String::new(),
                words: String::new(),
                details: Vec::new(),
                on_host: None,
                exact: scope_of(exact),
                wider: wider.iter().map(|wider| scope_of(wider)).collect(),
            }],
            risk: Risk::Medium,
        }
    }

    #[test]
    fn questions_of_one_run_share_the_scopes_that_answer_all_of_them() {
        let groups = Group::all(vec![
            asked("r", "fs:read:/a/x", &["fs:read:/a/**", "fs:read"]),
            asked("s", "fs:read:/a/x", &["fs:read:/a/**"]),
            asked("r", "fs:read:/b/x", &["fs:read:/b/**", "fs:read"]),
        ]);
        assert_eq!(groups.iter().map(|group| group.asked.len()).collect::<Vec<_>>(), [2, 1]);
        let common: Vec<_> = groups[0].common.iter().map(|scope| &*scope.capability).collect();
        assert_eq!(common, ["fs:read"]);
        assert!(groups[1].common.is_empty());
    }

    #[test]
    fn a_wider_scope_says_what_it_adds() {
        let check = |capability, expect| assert_eq!(adds(capability), expect);
        check("fs:read:/data/**", "every other file below /data");
        check("fs:read:/**", "every other file");
        check("fs:read", "every other file");
        check("network:fetch", "every other host");
        check("env:read", "every other variable that it names");
        check("nonsense", "more than was asked for");
    }

    #[test]
    fn an_unknown_risk_is_high() {
        assert_eq!(Risk::of("none"), Risk::High);
    }
}
