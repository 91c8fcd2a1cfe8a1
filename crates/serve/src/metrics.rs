//! Numbers of the server for Prometheus.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use serde_json::Value as Json;

/// Numbers of the server.
pub struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    runs: Counter,
    ended: Family<Ended, Counter>,
    seconds: Histogram,
    live: Gauge,
    questions: Gauge,
    sandboxes: Gauge,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Ended {
    class: String,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("cofferdam");
        let requests = Family::<Answered, Counter>::default();
        registry.register("http_requests", "Requests by route and status", requests.clone());
        let runs = Counter::default();
        registry.register("runs_started", "Runs that were started", runs.clone());
        let ended = Family::<Ended, Counter>::default();
        registry.register("runs_ended", "Runs that have ended, by class", ended.clone());
        let seconds = Histogram::new(exponential_buckets(0.000_1, 4.0, 12));
        registry.register("run_seconds", "Time from start to end of runs", seconds.clone());
        let (live, questions, sandboxes) = (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("runs_live", "Runs under way or waiting", live.clone());
        registry.register("questions_open", "Questions that wait for an answer", questions.clone());
        registry.register("sandboxes", "Sandboxes that are kept in memory", sandboxes.clone());
        Metrics { registry, requests, runs, ended, seconds, live, questions, sandboxes }
    }

    pub(crate) fn answered(&self, method: &axum::http::Method, route: &str, status: u16) {
        // A client chooses the method, so only those that routes have become labels.
        let method = ["GET", "POST", "PUT", "DELETE", "HEAD"]
            .into_iter()
            .find(|known| method.as_str() == *known)
            .unwrap_or("other");
        self.requests.get_or_create(&Answered { method, route: route.to_owned(), status }).inc();
    }

    pub(crate) fn run_started(&self) {
        self.runs.inc();
    }

    pub(crate) fn run_ended(&self, outcome: &Json, time: Duration) {
        let class = outcome["errorClass"].as_str().unwrap_or("FINISHED").to_owned();
        self.ended.get_or_create(&Ended { class }).inc();
        self.seconds.observe(time.as_secs_f64());
    }

    /// Returns all numbers in the text format of Prometheus.
    pub fn text(&self, live: usize, questions: usize, sandboxes: usize) -> String {
        let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        self.live.set(number(live));
        self.questions.set(number(questions));
        self.sandboxes.set(number(sandboxes));
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
