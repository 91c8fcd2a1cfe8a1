//! Questions of runs, shown to a client as links to the console.
//!
//! A link opens the question; it needs a login there and authorises nothing by itself. An accepted
//! link means that the person was shown it, so the call goes on waiting. A declined one leaves the
//! question as it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{
    CallToolResponse, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    InputRequest, InputRequiredResult, ProtocolVersion,
};
use serde_json::{Value as Json, json};

use super::{Call, forms, report};
use crate::board::Shown;
use crate::runs::RunRecord;

/// The way in which a client can be asked about questions.
pub(super) enum Means {
    /// The call returns, and is retried with the client's answer.
    Retry,
    /// A request inside the call.
    Inside,
    /// None.
    None,
}

/// Answer of a client to a question. Only a form can decide, and `forms` has carried it out then.
pub(super) enum Answer {
    /// The person was shown the question.
    Seen,
    /// The client does not show it.
    Declined,
    /// Nothing that means anything.
    None,
}

/// Modes of asking that a client supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Link,
    Form,
}

impl Call<'_> {
    /// Returns the address of a question in the console, if there is a console.
    pub(super) fn link(&self, question: &str) -> Option<String> {
        let own = self.server().url();
        let url = match own.is_empty() {
            false => Some(own.to_owned()),
            true => self.server().store().fronts().ok()?.into_iter().find_map(|front| front.url),
        };
        url.map(|url| format!("{url}/requests/{question}"))
    }

    /// Returns the mode in which the client is asked about a question.
    fn mode(&self, shown: &Shown) -> Option<Mode> {
        let client = self.context.client_capabilities()?.elicitation?;
        if client.url.is_some() && self.link(&shown.question).is_some() {
            return Some(Mode::Link);
        }
        // A client that names no mode supports forms.
        let has_forms = client.form.is_some() || client.url.is_none();
        let may = self.server().settings().mcp_forms && forms::is_fit(shown);
        (has_forms && may).then_some(Mode::Form)
    }

    /// Returns the way in which the client can be asked about these questions.
    pub(super) fn means(&self, questions: &[Arc<Shown>]) -> Means {
        if !questions.iter().any(|shown| self.mode(shown).is_some()) {
            return Means::None;
        }
        let version = self.context.protocol_version();
        let is_stateless = version
            .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if is_stateless { Means::Retry } else { Means::Inside }
    }

    fn elicitation(&self, shown: &Shown) -> Option<ElicitRequestParams> {
        let message = words(shown);
        match self.mode(shown)? {
            Mode::Form => forms::form(shown, message),
            Mode::Link => Some(ElicitRequestParams::UrlElicitationParams {
                meta: None,
                message: format!("{message} Decide in the console."),
                url: self.link(&shown.question)?,
                elicitation_id: shown.question.clone(),
            }),
        }
    }

    /// Returns the result that asks the client to come back. Returns `None` if the call cannot be
    /// kept.
    pub(super) fn input_required(
        &self,
        run: &RunRecord,
        questions: &[Arc<Shown>],
        digest: [u8; 32],
    ) -> Option<InputRequiredResult> {
        let mut requests = BTreeMap::new();
        for shown in questions {
            if let Some(params) = self.elicitation(shown) {
                let request = InputRequest::Elicitation(ElicitRequest::new(params));
                requests.insert(shown.question.clone(), request);
            }
        }
        let state = self.mcp.states.seal(&self.agent.id, digest, &run.about.id)?;
        Some(InputRequiredResult::new(Some(requests), Some(state)))
    }

    /// Asks the client inside the call.
    pub(super) async fn elicit(&self, shown: &Shown) -> Answer {
        let Some(params) = self.elicitation(shown) else { return Answer::None };
        match self.context.peer.create_elicitation(params).await {
            Ok(result) => self.taken(shown, result).await,
            Err(_) => Answer::None,
        }
    }

    /// Takes the answer of a client that came back.
    pub(super) async fn answered(&self, question: &str, response: &Json) -> Answer {
        let Ok(result) = serde_json::from_value::<ElicitResult>(response.clone()) else {
            return Answer::None;
        };
        let own = |shown: &Arc<Shown>| shown.agent.as_deref() == Some(&*self.agent.id);
        match self.server().board().get(question).filter(own) {
            Some(shown) => self.taken(&shown, result).await,
            // Decided meanwhile.
            None => Answer::Seen,
        }
    }

    async fn taken(&self, shown: &Shown, result: ElicitResult) -> Answer {
        match (result.action, self.mode(shown)) {
            (ElicitationAction::Accept, Some(Mode::Form)) => {
                self.filled_in(shown, result.content).await
            }
            (ElicitationAction::Accept, Some(Mode::Link) | None) => Answer::Seen,
            (ElicitationAction::Decline | ElicitationAction::Cancel, _) => Answer::Declined,
            // Later revisions may add actions.
            _ => Answer::None,
        }
    }

    /// Reports that a run goes on waiting.
    pub(super) fn waits(&self, run: &RunRecord, first: &str) -> CallToolResponse {
        let questions = self.open(run);
        let id = &run.about.id;
        let mut text =
            format!("{first} The run {id} waits for a person. Needed:").trim().to_owned();
        for shown in &questions {
            for wish in &shown.wishes {
                let wanted = wish.choices.first().map_or("", |choice| &choice.capability);
                text += &format!("\n- {} ({wanted})", wish.words);
            }
            match self.link(&shown.question) {
                Some(url) => text += &format!("\n  Request {}: {url}", shown.question),
                None => {
                    let request = shown.request.as_deref().unwrap_or(&shown.question);
                    text += &format!("\n  Request {request}: start `cofferdam serve` to decide");
                }
            }
        }
        text += &format!("\nAfterwards continue the same run with run {{\"resume\": \"{id}\"}}.");
        let list = questions.iter().map(|shown| self.waiting(shown)).collect();
        report::waiting(id, list, text).into()
    }

    /// Describes a question that waits, for the agent.
    pub(super) fn waiting(&self, shown: &Shown) -> Json {
        let wish = |wish: &crate::board::ShownWish| {
            let wanted = wish.choices.first().map(|choice| &choice.capability);
            json!({ "words": wish.words, "capability": wanted })
        };
        json!({
            "id": shown.question,
            "request": shown.request,
            "run": shown.run,
            "status": "waiting",
            "wants": shown.wishes.iter().map(wish).collect::<Vec<_>>(),
            "url": self.link(&shown.question),
        })
    }
}

/// Describes a question for a person in one sentence.
fn words(shown: &Shown) -> String {
    let wishes: Vec<_> = shown.wishes.iter().map(|wish| wish.words.as_str()).collect();
    format!("{} asks to {}.", shown.tool, wishes.join(", and to "))
}
