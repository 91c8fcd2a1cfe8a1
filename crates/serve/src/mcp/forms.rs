//! Questions as forms in the client, if the operator has allowed them.
//!
//! A form proves no person: some clients answer by themselves. So forms are off by default, exist
//! for questions of low and medium risk alone, have one required choice without a default, last for
//! the session at most, and are marked in the audit log by the name of the approver.
//!
//! Meets T-MCP-003.

use cofferdam::Capability;
use cofferdam::permissions::Span;
use rmcp::model::ElicitRequestParams;
use serde_json::{Value as Json, json};

use super::Call;
use super::asking::Answer;
use crate::board::Shown;
use crate::identity::Approver;
use crate::server::Decided;

/// Name of the one field.
const FIELD: &str = "decision";

/// Returns true if a question may be decided in a form.
pub(super) fn is_fit(shown: &Shown) -> bool {
    let is_low = |wish: &crate::board::ShownWish| {
        wish.choices.first().is_some_and(|choice| matches!(&*choice.risk, "low" | "medium"))
    };
    !shown.wishes.is_empty() && shown.wishes.iter().all(is_low)
}

/// Returns the form of a question.
pub(super) fn form(shown: &Shown, message: String) -> Option<ElicitRequestParams> {
    let schema = json!({
        "type": "object",
        "properties": { FIELD: {
            "type": "string",
            "title": shown.question,
            "description": "deny, allow once, or allow in this session",
            "enum": ["deny", "once", "session"],
        } },
        "required": [FIELD],
    });
    let requested_schema = serde_json::from_value(schema).ok()?;
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

impl Call<'_> {
    /// Carries out what a form says. Anything but one of the three words is no answer.
    pub(super) async fn filled_in(&self, shown: &Shown, content: Option<Json>) -> Answer {
        let Some(Json::Object(content)) = content else { return Answer::None };
        let word = content.get(FIELD).and_then(Json::as_str);
        let span = match word {
            Some("deny") => None,
            Some("once") => Some(Span::Once),
            Some("session") => Some(Span::Session),
            Some(_) | None => return Answer::None,
        };
        let Some(approver) = Approver::of_form(self.server().settings(), &self.agent) else {
            return Answer::None;
        };
        let decision = |wish: &crate::board::ShownWish| {
            let capability = wish.choices.first()?.capability.parse::<Capability>().ok()?;
            span.map(|span| (capability, span))
        };
        let decided = Decided {
            seal: shown.seal.clone(),
            decisions: shown.wishes.iter().map(decision).collect(),
            reason: None,
        };
        let proven = self.server().prove(&approver, vec![(shown.question.clone(), decided)], None);
        let Ok(proven) = proven else { return Answer::None };
        for one in proven {
            if self.server().decide(&approver, one).await.is_err() {
                return Answer::None;
            }
        }
        Answer::Seen
    }
}

#[cfg(test)]
mod tests {
    use crate::board::{ShownChoice, ShownWish};

    use super::*;

    fn shown(risks: &[&str]) -> Shown {
        let wish = |risk: &&str| ShownWish {
            words: "read the file /a".into(),
            details: Vec::new(),
            on_host: None,
            choices: vec![ShownChoice {
                capability: "fs:read:/a".into(),
                text: String::new(),
                words: String::new(),
                risk: (*risk).into(),
                reason: String::new(),
            }],
            usual: None,
        };
        Shown {
            question: "qst_1".into(),
            seal: "1".into(),
            request: None,
            tool: "a".into(),
            sandbox: "s".into(),
            run: "run_1".into(),
            agent: None,
            agent_name: None,
            client: None,
            why: None,
            asked: 1,
            wishes: risks.iter().map(wish).collect(),
        }
    }

    #[test]
    fn a_form_is_for_medium_risk_at_most() {
        assert!(is_fit(&shown(&["low", "medium"])));
        assert!(!is_fit(&shown(&["low", "high"])));
        assert!(!is_fit(&shown(&[])));
    }

    #[test]
    fn a_form_has_one_required_choice_without_a_default() {
        let form = json!(form(&shown(&["low"]), String::new()).unwrap());
        let schema = &form["requestedSchema"];
        assert_eq!(schema["required"], json!(["decision"]));
        let choice = &schema["properties"]["decision"];
        assert_eq!(choice["enum"], json!(["deny", "once", "session"]));
        assert!(choice.get("default").is_none());
    }
}
