//! `cofferdam grant`: grants a request or a capability.

use std::time::Duration;

use cofferdam::permissions::{ErrorKind, RequestId, Span, Terms};
use cofferdam::{Capability, visible};
use cofferdam_serve::board::Shown;

use crate::permissions::{SANDBOX, broker, is_file_name, own_addresses, parse, quoted, who};
use crate::report::{self, Failure};
use crate::waiting::{Answer, Waiting};

/// Grant requests that wait or were denied, or capabilities.
///
/// A run of a server that waits for the request goes on at once.
///
/// A request is granted to the tool that made it, and covers exactly what was requested unless
/// --capability is given. Without --session or --always it is granted once, which means for one
/// run: the next that needs it. If one of several requests cannot be granted, none is.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam grant req_6aq2m9x0zt
  cofferdam grant req_6aq2m9x0zt req_0m3k8w1q5d --session
  cofferdam grant req_6aq2m9x0zt --always --expires 1h
  cofferdam grant req_6aq2m9x0zt --session --capability 'network:fetch:https://example.com'
  cofferdam grant 'network:fetch:GET@https://example.com' --always --header 'authorization=Bearer …'")]
pub(crate) struct Grant {
    /// Ids of requests, or capabilities
    #[arg(required = true, value_name = "REQUEST")]
    what: Vec<String>,

    /// Grant it for one run, the next that needs it (the default)
    #[arg(long, group = "span")]
    once: bool,

    /// Grant it for 12 hours at most, as [s] does at the prompt of --ask
    #[arg(long, group = "span")]
    session: bool,

    /// Grant it until it is revoked
    #[arg(long, group = "span")]
    always: bool,

    /// End the grant after this time: 90s, 15m, 1h, 7d
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,

    /// End the grant after this number of calls
    #[arg(long, value_name = "CALLS")]
    max: Option<u32>,

    /// Grant this capability instead of exactly what was requested
    #[arg(long, value_name = "CAPABILITY")]
    capability: Option<String>,

    /// Send this header with each request to the granted origin; the tool never sees it
    #[arg(long = "header", value_name = "NAME=VALUE")]
    headers: Vec<String>,

    /// Print the grant as JSON
    #[arg(long)]
    json: bool,
}

impl Grant {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let (store, broker) = broker()?;
        let span = match (self.session, self.always) {
            (true, _) => Span::Session,
            (_, true) => Span::Always,
            (false, false) => Span::Once,
        };
        // All terms are made before the first grant, so that a wrong id grants nothing.
        let waiting = Waiting::read(&store)?;
        let (mut asked, mut answers) = (Vec::new(), Vec::new());
        for text in &self.what {
            if let Some(shown) = waiting.find(text)? {
                answers.push(self.answer(shown, span)?);
                continue;
            }
            asked.push(match text.parse::<RequestId>() {
                Ok(id) => {
                    let terms = broker.terms_for(&id, span).map_err(refused)?;
                    let terms = match &self.capability {
                        Some(text) => terms.with_capability(parse(text, "--capability")?),
                        None => terms,
                    };
                    broker.check_terms(&id, &terms).map_err(refused)?;
                    (Some(id), self.complete(terms)?)
                }
                Err(_) => {
                    let mut terms = Terms::new(capability(text)?, span);
                    if span == Span::Session {
                        terms = terms.for_sandbox(SANDBOX);
                    }
                    (None, self.complete(terms)?)
                }
            });
        }
        let own = own_addresses(&store)?;
        let of_answers = answers.iter().flat_map(Answer::capabilities);
        for capability in
            asked.iter().map(|(_, terms)| terms.capability().clone()).chain(of_answers)
        {
            if let Some(origin) = own.named_by(&capability) {
                return Err(Failure::usage(format!(
                    "{capability}: {origin} is the address of a Cofferdam server, which no run may \
                     reach"
                )));
            }
        }
        for answer in &answers {
            answer.give(&store)?;
            match self.json {
                true => report::json(&answer.json()),
                false => report::print(&answer.text()),
            }
        }
        for (id, terms) in asked {
            let granted = match id {
                Some(id) => broker.grant_request(&id, terms),
                None => broker.grant(terms),
            };
            let grant = granted.map_err(refused)?;
            match self.json {
                true => report::json(&cofferdam_front::json::grant(&grant)),
                false => report::print(&format!("{}", visible(&grant.to_string()))),
            }
        }
        Ok(0)
    }

    /// Prepares the answer to a request that waits.
    fn answer<'a>(&self, shown: &'a Shown, span: Span) -> Result<Answer<'a>, Failure> {
        let lasting = [
            ("--expires", self.expires.is_some()),
            ("--max", self.max.is_some()),
            ("--header", !self.headers.is_empty()),
        ];
        if let Some((option, _)) = lasting.iter().find(|(_, is_given)| *is_given) {
            let (id, exact) = (shown.id(), shown.wishes.first().and_then(|w| w.choices.first()));
            let capability = exact.map_or("CAPABILITY", |choice| &choice.capability);
            let message = format!("{option}: {id} waits, and a run that waits gets a plain yes");
            return Err(Failure::usage(message)
                .hint(format!("cofferdam grant {id}"))
                .hint(format!("cofferdam grant {} --always {option} …", quoted(capability))));
        }
        let capability = self.capability.as_deref();
        let capability = capability.map(|text| parse(text, "--capability")).transpose()?;
        Answer::grant(shown, capability.as_ref(), span)
    }

    fn complete(&self, mut terms: Terms) -> Result<Terms, Failure> {
        terms = terms.by(&who());
        if let Some(text) = &self.expires {
            terms = terms.expires_in(duration(text)?);
        }
        if let Some(max) = self.max {
            terms = terms.max(max);
        }
        for text in &self.headers {
            let Some((name, value)) = text.split_once('=') else {
                return Err(Failure::usage("--header: not NAME=VALUE")
                    .hint("--header 'authorization=Bearer …'"));
            };
            terms = terms
                .header(name, value)
                .map_err(|error| Failure::usage(format!("--header {}: {error}", visible(name))))?;
        }
        Ok(terms)
    }
}

fn refused(error: cofferdam::permissions::Error) -> Failure {
    let hint = match error.kind() {
        ErrorKind::NotFound => "cofferdam requests   (lists what was denied)",
        _ => "cofferdam grant --help",
    };
    Failure::from_broker(error).or_hint(hint)
}

/// Parses the capability to grant, if the argument is not the id of a request.
fn capability(text: &str) -> Result<Capability, Failure> {
    let id = text.parse::<RequestId>();
    match id {
        Err(error) if text.starts_with("req_") => {
            Err(Failure::usage(format!("{}: {error}", visible(text))).hint("cofferdam requests"))
        }
        Ok(_) | Err(_) if is_file_name(text) => {
            let message = format!("{}: is a file, not a request or a capability", visible(text));
            Err(Failure::usage(message)
                .hint("cofferdam requests   (lists the ids of requests)")
                .hint("cofferdam grant 'fs:read:/data/**'   (for example)"))
        }
        Ok(_) | Err(_) => parse(text, "cofferdam grant"),
    }
}

/// Parses a duration: `90s`, `15m`, `1h`, `7d`.
fn duration(text: &str) -> Result<Duration, Failure> {
    let bad = || Failure::usage(format!("--expires {text}: not a duration")).hint("--expires 1h");
    let unit = match text.chars().last() {
        Some('s') => 1,
        Some('m') => 60,
        Some('h') => 3600,
        Some('d') => 86_400,
        _ => return Err(bad()),
    };
    let number: u64 = text[..text.len() - 1].parse().map_err(|_| bad())?;
    number.checked_mul(unit).filter(|n| *n > 0).map(Duration::from_secs).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_not_taken_for_an_address() {
        let failure = capability("total.js").expect_err("a wrong call");
        assert_eq!(failure.message, "total.js: is a file, not a request or a capability");
        assert!(failure.hints.iter().all(|hint| !hint.contains("network")), "{:?}", failure.hints);
    }

    #[test]
    fn times_have_a_unit_and_are_not_nothing() {
        assert_eq!(duration("90s").ok(), Some(Duration::from_secs(90)));
        assert_eq!(duration("1h").ok(), Some(Duration::from_secs(3600)));
        for bad in ["", "1", "h", "0s", "-1h", "1x", "99999999999999999999d"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
