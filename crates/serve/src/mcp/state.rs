//! States of calls that wait for a person (`requestState` of the protocol).
//!
//! A state is a random handle of something kept here: nothing in it can be forged, and nothing can
//! be read from it. It is good for one retry of the same call by the same agent, until it expires.
//! It says which run to go on with. It grants nothing.
//!
//! Meets T-MCP-002.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value as Json};

use crate::secret;

/// Most states at once. A call that finds no room reports that it waits.
const MAX_STATES: usize = 65_536;

/// States that were handed out and not used yet, by the hash of their text.
pub(super) struct States {
    life: Duration,
    open: Mutex<HashMap<[u8; 32], Kept>>,
}

struct Kept {
    agent: Arc<str>,
    call: [u8; 32],
    run: Arc<str>,
    expires: Instant,
}

/// Reason why a state was refused. A client is told no more than that it was.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Never handed out, changed, or used before.
    Unknown,
    /// Handed out for another call.
    OtherCall,
    /// Too old.
    Expired,
}

impl States {
    pub(super) fn new(life: Duration) -> Self {
        States { life, open: Mutex::default() }
    }

    /// Hands out a state. Returns `None` if there is no room, or no randomness.
    pub(super) fn seal(&self, agent: &Arc<str>, call: [u8; 32], run: &Arc<str>) -> Option<String> {
        self.seal_at(agent, call, run, Instant::now())
    }

    fn seal_at(
        &self,
        agent: &Arc<str>,
        call: [u8; 32],
        run: &Arc<str>,
        now: Instant,
    ) -> Option<String> {
        let text = URL_SAFE_NO_PAD.encode(secret::random().ok()?);
        let mut open = self.open();
        if open.len() >= MAX_STATES {
            open.retain(|_, kept| kept.expires > now);
        }
        if open.len() >= MAX_STATES {
            return None;
        }
        let (agent, run, expires) = (agent.clone(), run.clone(), now + self.life);
        open.insert(secret::hash(&text), Kept { agent, call, run, expires });
        Some(text)
    }

    /// Uses a state up, and returns the run that it belongs to.
    pub(super) fn open_once(
        &self,
        text: &str,
        agent: &str,
        call: [u8; 32],
    ) -> Result<Arc<str>, Refused> {
        self.open_at(text, agent, call, Instant::now())
    }

    fn open_at(
        &self,
        text: &str,
        agent: &str,
        call: [u8; 32],
        now: Instant,
    ) -> Result<Arc<str>, Refused> {
        let hash = secret::hash(text);
        let mut open = self.open();
        // Another agent does not use it up.
        if open.get(&hash).is_none_or(|kept| *kept.agent != *agent) {
            return Err(Refused::Unknown);
        }
        let kept = open.remove(&hash).ok_or(Refused::Unknown)?;
        match (kept.expires > now, secret::is_equal(&kept.call, &call)) {
            (true, true) => Ok(kept.run),
            (true, false) => Err(Refused::OtherCall),
            (false, _) => Err(Refused::Expired),
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<[u8; 32], Kept>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a digest of a call. The order of members does not matter.
pub(super) fn digest(tool: &str, arguments: Option<&Map<String, Json>>) -> [u8; 32] {
    let mut text = format!("{tool}\n");
    if let Some(arguments) = arguments {
        write_sorted(&Json::Object(arguments.clone()), &mut text);
    }
    secret::hash(&text)
}

fn write_sorted(value: &Json, text: &mut String) {
    match value {
        Json::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                *text += &Json::from(name.as_str()).to_string();
                text.push(':');
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Json::Array(items) => {
            text.push('[');
            for item in items {
                write_sorted(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            *text += &value.to_string();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names() -> (Arc<str>, Arc<str>) {
        ("agt_1".into(), "run_1".into())
    }

    #[test]
    fn a_state_is_good_for_one_retry_of_the_same_call() {
        let (states, (agent, run)) = (States::new(Duration::from_secs(9)), names());
        let state = states.seal(&agent, [1; 32], &run).unwrap();
        assert_eq!(states.open_once(&state, "agt_2", [1; 32]), Err(Refused::Unknown));
        assert_eq!(states.open_once(&state, "agt_1", [1; 32]), Ok(run.clone()));
        assert_eq!(states.open_once(&state, "agt_1", [1; 32]), Err(Refused::Unknown));
        let state = states.seal(&agent, [1; 32], &run).unwrap();
        assert_eq!(states.open_once(&state, "agt_1", [2; 32]), Err(Refused::OtherCall));
        assert_eq!(states.open_once(&state, "agt_1", [1; 32]), Err(Refused::Unknown));
    }

    #[test]
    fn a_state_expires() {
        let (states, (agent, run)) = (States::new(Duration::from_secs(9)), names());
        let now = Instant::now();
        let state = states.seal_at(&agent, [1; 32], &run, now).unwrap();
        let late = now + Duration::from_secs(9);
        assert_eq!(states.open_at(&state, "agt_1", [1; 32], late), Err(Refused::Expired));
    }

    #[test]
    fn the_order_of_members_does_not_matter() {
        let one = json!({ "code": "1", "files": { "a": "1", "b": [2, 3] } });
        let other = json!({ "files": { "b": [2, 3], "a": "1" }, "code": "1" });
        let of = |value: &Json| digest("run", value.as_object());
        assert_eq!(of(&one), of(&other));
        assert_ne!(of(&one), of(&json!({ "code": "1", "files": { "a": "1", "b": [3, 2] } })));
        assert_ne!(of(&one), digest("files", one.as_object()));
    }
}
