//! The tool `requests`: an agent's own questions and what became of them. It only reads.

use std::sync::Arc;
use std::time::Duration;

use cofferdam::permissions::RequestId;
use cofferdam_front::exec::{check_known, number, text};
use serde_json::{Map, Value as Json, json};

use super::Call;
use crate::board::{Live, Shown};
use crate::problem::Problem;
use crate::server::blocking;

/// Longest wait of one call.
const MAX_WAIT: u64 = 600;

impl Call<'_> {
    pub(super) async fn requests(&self, mut given: Map<String, Json>) -> Result<Json, Problem> {
        check_known(&given, &["id", "waitSeconds"])?;
        let id = text(&mut given, "id")?;
        let seconds = number(&mut given, "waitSeconds")?.unwrap_or(0).min(MAX_WAIT);
        let mut live = self.server().board().listen();
        let waits = || self.waits_for(id.as_deref());
        let until = tokio::time::sleep(Duration::from_secs(seconds));
        tokio::pin!(until);
        while seconds > 0 && !waits().is_empty() {
            tokio::select! {
                () = self.context.ct.cancelled() => break,
                () = &mut until => break,
                heard = live.recv() => match heard {
                    Ok(Live::Closed(_)) => {}
                    Ok(Live::Asked(_) | Live::Run(_)) => continue,
                    // Too slow to hear everything, or the end.
                    Err(_) => {}
                },
            }
            // One that was closed is news, whichever it was.
            if id.is_none() {
                break;
            }
        }
        let open = waits();
        if open.is_empty()
            && let Some(id) = id
        {
            return self.settled(id).await;
        }
        let list: Vec<_> = open.iter().map(|shown| self.waiting(shown)).collect();
        Ok(json!({ "requests": list }))
    }

    /// Returns the agent's own questions that wait: all, or the one with this id.
    fn waits_for(&self, id: Option<&str>) -> Vec<Arc<Shown>> {
        let mut open = self.server().board().open();
        open.retain(|shown| {
            let is_meant =
                id.is_none_or(|id| shown.question == id || shown.request.as_deref() == Some(id));
            shown.agent.as_deref() == Some(&*self.agent.id) && is_meant
        });
        open
    }

    /// Returns what is known of a request that does not wait.
    async fn settled(&self, id: String) -> Result<Json, Problem> {
        let (server, agent) = (self.server().clone(), self.agent.id.clone());
        blocking(move || {
            let recorded = match id.parse::<RequestId>() {
                Ok(request) => server.broker().recorded(&request)?,
                Err(_) => None,
            };
            let is_own =
                |sandbox: &str| *agent == *sandbox || server.boxes().is_of(&agent, sandbox);
            match recorded.filter(|request| is_own(&request.sandbox)) {
                Some(request) => {
                    let mut object = cofferdam_front::json::request(&request);
                    object["request"] = id.into();
                    Ok(json!({ "requests": [object] }))
                }
                None => Ok(json!({ "requests": [] })),
            }
        })
        .await?
    }
}
