//! A call follows its run to the end, or to the point where a person has to decide.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, InputResponses, ProgressNotificationParam,
};
use serde_json::Value as Json;
use tokio::time::Instant;

use super::asking::{Answer, Means};
use super::{Call, report};
use crate::board::Shown;
use crate::problem::Problem;
use crate::runs::{Phase, RunRecord};
use crate::tools::{self, Registered};

/// Interval of progress notifications.
const PROGRESS_EVERY: Duration = Duration::from_secs(1);

/// A run that a call follows.
pub(super) enum Begun {
    /// A run that goes on, or has ended.
    Run(Arc<RunRecord>),
    /// A run of which only the end is known.
    Ended(Json),
}

/// The part of a call that its following needs.
pub(super) struct Follow {
    /// Digest of the call, for states.
    pub(super) digest: [u8; 32],
    /// Answers of the client to what an earlier round asked for.
    pub(super) responses: InputResponses,
    /// Most bytes of each output.
    pub(super) most: usize,
    /// The registered tool that was called.
    pub(super) tool: Option<Registered>,
}

impl Follow {
    fn ended(&self, run: &str, outcome: &Json) -> CallToolResponse {
        match &self.tool {
            None => report::ended(run, outcome, self.most).into(),
            Some(tool) => {
                let mistake = tools::mistake(tool, outcome);
                report::of_tool(run, outcome, mistake.as_deref(), self.most).into()
            }
        }
    }
}

impl Call<'_> {
    /// Returns a run of this agent.
    pub(super) fn own_run(&self, id: &str) -> Result<Arc<RunRecord>, Problem> {
        let run = self.server().runs().get(id).filter(|run| run.about.agent == self.agent.id);
        run.ok_or_else(|| Problem::not_found("run"))
    }

    /// Returns the run that a retried call goes on with. A state that does not fit refuses the
    /// call: it must not start a second run.
    // T-MCP-002.
    pub(super) fn retry(
        &self,
        params: &CallToolRequestParams,
        digest: [u8; 32],
    ) -> Result<Option<Arc<RunRecord>>, ErrorData> {
        let Some(text) = &params.request_state else { return Ok(None) };
        let opened = self.mcp.states.open_once(text, &self.agent.id, digest);
        let run = opened.ok().and_then(|id| self.own_run(&id).ok());
        let refused = || ErrorData::invalid_params("requestState: not valid (any more)", None);
        run.map(Some).ok_or_else(refused)
    }

    pub(super) async fn follow(
        &self,
        begun: Begun,
        follow: Follow,
    ) -> Result<CallToolResponse, ErrorData> {
        let run = match begun {
            Begun::Run(run) => run,
            Begun::Ended(known) => {
                let id = known["run"].as_str().unwrap_or_default();
                return Ok(follow.ended(id, &known["outcome"]));
            }
        };
        let mut steps = Steps::new(self);
        // Questions that the client has been asked about, in this round or an earlier one.
        let mut asked = HashSet::new();
        for (question, response) in &follow.responses {
            match self.answered(question, response).await {
                Answer::Seen => drop(asked.insert(question.clone())),
                Answer::Declined => return Ok(self.waits(&run, "The client declined.")),
                Answer::None => {}
            }
        }
        loop {
            if let Phase::Ended(outcome) = run.phase() {
                return Ok(follow.ended(&run.about.id, &outcome));
            }
            let open = self.open(&run);
            let fresh: Vec<_> =
                open.iter().filter(|shown| !asked.contains(&shown.question)).cloned().collect();
            let means = match fresh.is_empty() {
                true => Means::None,
                false => self.means(&fresh),
            };
            match means {
                Means::Retry => match self.input_required(&run, &fresh, follow.digest) {
                    Some(result) => return Ok(result.into()),
                    None => return Ok(self.waits(&run, "")),
                },
                Means::Inside => {
                    let Some(shown) = fresh.first() else { continue };
                    asked.insert(shown.question.clone());
                    steps.is_patient();
                    let answer = tokio::select! {
                        answer = self.elicit(shown) => answer,
                        () = closed(&run, &shown.question) => Answer::Seen,
                        () = steps.until_cancelled() => Answer::None,
                    };
                    match answer {
                        Answer::Seen => steps.is_patient(),
                        Answer::Declined => return Ok(self.waits(&run, "The client declined.")),
                        Answer::None if self.context.ct.is_cancelled() => {}
                        Answer::None => steps.is_patient(),
                    }
                }
                Means::None => {}
            }
            match steps.next(&run, &open).await {
                Step::Changed => {}
                Step::Late => return Ok(self.waits(&run, "Nobody has decided yet.")),
                Step::Cancelled => {
                    run.cancel();
                    let outcome = run.outcome().await;
                    return Ok(follow.ended(&run.about.id, &outcome));
                }
            }
        }
    }

    /// Returns the questions that a run waits for.
    pub(super) fn open(&self, run: &RunRecord) -> Vec<Arc<Shown>> {
        run.questions().iter().filter_map(|id| self.server().board().get(id)).collect()
    }
}

/// Waits until a run does not wait for this question any more.
async fn closed(run: &RunRecord, question: &str) {
    loop {
        let last = run.last_event();
        let waits = run.questions().iter().any(|open| **open == *question);
        if !waits {
            return;
        }
        run.event_after(last).await;
    }
}

/// Steps of following a run: changes, progress and the end of patience.
struct Steps<'a> {
    call: &'a Call<'a>,
    patience: Duration,
    /// End of patience with a person, while the run waits for one.
    until: Option<Instant>,
    progress: u32,
    ticks: tokio::time::Interval,
}

enum Step {
    Changed,
    Late,
    Cancelled,
}

impl<'a> Steps<'a> {
    fn new(call: &'a Call<'a>) -> Self {
        let patience = Duration::from_secs(call.server().settings().mcp_wait_seconds);
        let first = Instant::now() + PROGRESS_EVERY;
        let ticks = tokio::time::interval_at(first, PROGRESS_EVERY);
        Steps { call, patience, until: None, progress: 0, ticks }
    }

    /// Begins to wait for a person anew.
    fn is_patient(&mut self) {
        self.until = Some(Instant::now() + self.patience);
    }

    /// Reports progress until the call is cancelled.
    async fn until_cancelled(&mut self) {
        loop {
            tokio::select! {
                () = self.call.context.ct.cancelled() => return,
                _ = self.ticks.tick() => self.report("waiting for a person").await,
            }
        }
    }

    /// Waits for the next change of the run, and reports progress meanwhile.
    async fn next(&mut self, run: &RunRecord, open: &[Arc<Shown>]) -> Step {
        let waits_for = |open: &[Arc<Shown>]| -> Vec<String> {
            open.iter().map(|shown| shown.question.clone()).collect()
        };
        let before = waits_for(open);
        match open.is_empty() {
            true => self.until = None,
            false if self.until.is_none() => {
                self.is_patient();
                self.report_waiting(open).await;
            }
            false => {}
        }
        loop {
            let last = run.last_event();
            let is_changed =
                matches!(run.phase(), Phase::Ended(_)) || waits_for(&self.call.open(run)) != before;
            if is_changed {
                return Step::Changed;
            }
            let until = self.until;
            let late = async move {
                match until {
                    Some(until) => tokio::time::sleep_until(until).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.call.context.ct.cancelled() => return Step::Cancelled,
                () = run.event_after(last) => continue,
                () = late => return Step::Late,
                _ = self.ticks.tick() => {}
            }
            self.report_waiting(open).await;
        }
    }

    /// Sends a progress notification that says what the run waits for.
    async fn report_waiting(&mut self, open: &[Arc<Shown>]) {
        let words = match open.first().and_then(|shown| shown.wishes.first()) {
            Some(wish) => format!("waiting for a person: {}", wish.words),
            None => "running".to_owned(),
        };
        self.report(&words).await;
    }

    /// Sends a progress notification, if the client wants any.
    async fn report(&mut self, words: &str) {
        let Some(token) = self.call.context.meta.get_progress_token() else { return };
        self.progress += 1;
        let progress = ProgressNotificationParam::new(token, self.progress.into());
        // A client that does not listen any more cancels the call, or comes back.
        let _ = self.call.context.peer.notify_progress(progress.with_message(words)).await;
    }
}
