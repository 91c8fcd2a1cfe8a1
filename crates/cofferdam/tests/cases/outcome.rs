//! Runs a case, and describes what happened as the text that would be expected.

use std::collections::BTreeMap;

use cofferdam::dom::proxy::{Event, EventKind};
use cofferdam::{Command, Ending, Error, Language, Outcome, Position, Random, Sandbox, Tool, json};
use serde_json::Value as Json;

use crate::parse::{Case, Kind, Step, What};

/// The outcome of one step.
pub(crate) type Happened = Result<Became, Error>;

/// An outcome, and its effect on the page.
pub(crate) struct Became {
    outcome: Outcome,
    /// The page as HTML; empty if it is unchanged.
    page: String,
    events: String,
}

/// Runs the steps of a case.
pub(crate) fn run(case: &Case) -> Vec<Happened> {
    let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    executor.block_on(async {
        let sandbox = match sandbox(case) {
            Ok(sandbox) => sandbox,
            Err(error) => return case.steps.iter().map(|_| Err(error.clone())).collect(),
        };
        let mut happened = Vec::new();
        for step in &case.steps {
            let before = sandbox.page_html();
            let What::Tool { language, is_module } = step.what else {
                let outcome = sandbox.run_program(Command::shell(&step.source)).await;
                let became =
                    |outcome| Became { outcome, page: String::new(), events: String::new() };
                happened.push(outcome.map(became));
                continue;
            };
            let tool = tool(step, language, is_module);
            let outcome = match case.is_session {
                true => match sandbox.session("case") {
                    Ok(session) => session.run(&tool).await,
                    Err(error) => Err(error),
                },
                false => sandbox.run(&tool).await,
            };
            let page = sandbox.page_html().filter(|page| before.as_ref() != Some(page));
            let events: Vec<_> = sandbox.page_events().iter().map(event).collect();
            let became = |outcome| Became {
                outcome,
                page: page.unwrap_or_default(),
                events: events.join("\n"),
            };
            happened.push(outcome.map(became));
        }
        happened
    })
}

fn event(event: &Event) -> String {
    let kind = match &event.kind {
        EventKind::Click => "click".to_owned(),
        EventKind::Fill(value) => format!("fill {value:?}"),
        EventKind::Submit(fields) => format!("submit {fields:?}"),
    };
    format!("{kind} {}", event.path)
}

fn sandbox(case: &Case) -> Result<Sandbox, Error> {
    let mut builder =
        Sandbox::builder().limits(case.limits).clock(case.clock).random(Random::Seeded(1));
    builder = builder.boundary(case.boundary);
    if let Some(html) = &case.page {
        builder = builder.page(html);
    }
    for (path, content) in &case.files {
        builder = builder.file(path, content.as_bytes());
    }
    for (path, target) in &case.links {
        builder = builder.link(path, target);
    }
    for capability in &case.grants {
        builder = builder.grant(capability.clone());
    }
    builder.build()
}

fn tool(step: &Step, language: Language, is_module: bool) -> Tool {
    let mut tool = match language {
        Language::TypeScript => Tool::typescript(&step.source),
        Language::Python => Tool::python(&step.source),
        _ => Tool::javascript(&step.source),
    };
    if is_module {
        tool = tool.module();
    }
    match &step.args {
        Some(args) => tool.args(args.clone()),
        None => tool,
    }
}

/// Runs a case and returns the differences from its expectations.
pub(crate) fn differences(case: &Case) -> Vec<String> {
    let happened = run(case);
    let mut wrong = Vec::new();
    for (step, happened) in case.steps.iter().zip(&happened) {
        let actual = describe(happened);
        for kind in step.expected.keys().chain(actual.keys()) {
            let expected = step.expected.get(kind).map(|block| block.text.as_str());
            let text = actual.get(kind).map(String::as_str);
            if !agree(*kind, expected, text, happened) {
                let shown = |text: Option<&str>| text.unwrap_or("(nothing)").to_owned();
                let (name, line) = (kind.name(), step.end);
                let (expected, text) = (shown(expected), shown(text));
                let difference = format!(
                    "{name} of the tool that ends at line {line}\n  expected: {expected}\n  got:      {text}"
                );
                if !wrong.contains(&difference) {
                    wrong.push(difference);
                }
            }
        }
    }
    wrong
}

/// Returns the blocks that describe exactly what happened.
pub(crate) fn describe(happened: &Happened) -> BTreeMap<Kind, String> {
    let mut blocks = BTreeMap::new();
    let Became { outcome, page, events } = match happened {
        Ok(became) => became,
        Err(error) => {
            blocks.insert(Kind::Error, format!("REFUSED {error}"));
            return blocks;
        }
    };
    if let Some(value) = outcome.result()
        && *value != cofferdam::Value::Undefined
    {
        let converted = json::to_json(value);
        let compact = converted.json.to_string();
        let pretty = serde_json::to_string_pretty(&converted.json).expect("JSON");
        blocks.insert(Kind::Result, if compact.len() <= 100 { compact } else { pretty });
        let note = |n: &json::Note| format!("{}: {} -> {}", n.path, n.was, n.became);
        let notes = converted.notes.iter().map(note).collect::<Vec<_>>().join("\n");
        blocks.insert(Kind::Notes, notes);
    }
    if let (Some(class), Some(error)) = (outcome.error_class(), outcome.error()) {
        let name = if error.name.is_empty() { String::new() } else { format!("{}: ", error.name) };
        let message = error.message.replace('\n', "\\n");
        let mut text = format!("{} {name}{message}", class.name()).trim_end().to_owned();
        // The id of a request differs each time; the capability to grant does not.
        if let Ending::Denied(denied) = &outcome.ending {
            text = format!("{} {}", class.name(), denied.required_permission());
        }
        if let Some(Position { line, column }) = error.position {
            text.push_str(&format!("\nline {line}, column {column}"));
        }
        blocks.insert(Kind::Error, text);
    }
    blocks.insert(Kind::Stdout, without_last_line_end(outcome.stdout.text()));
    blocks.insert(Kind::Stderr, without_ids(&without_last_line_end(outcome.stderr.text())));
    blocks.insert(Kind::PageOut, without_last_line_end(page.clone()));
    blocks.insert(Kind::Events, events.clone());
    let cut = [("stdout", outcome.stdout.is_cut), ("stderr", outcome.stderr.is_cut)];
    let cut: Vec<_> = cut.iter().filter(|(_, is_cut)| *is_cut).map(|(name, _)| *name).collect();
    blocks.insert(Kind::Truncated, cut.join("\n"));
    // A class of error implies its exit code.
    if let Ending::Exited(code @ 1..) = outcome.ending {
        blocks.insert(Kind::Exit, code.to_string());
    }
    blocks.retain(|_, text| !text.is_empty());
    blocks
}

/// Removes the ids of requests, which differ each time.
fn without_ids(text: &str) -> String {
    let mut parts = text.split("req_");
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        whole.push_str("req_…");
        whole.push_str(part.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
    }
    whole
}

fn without_last_line_end(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

fn agree(kind: Kind, expected: Option<&str>, actual: Option<&str>, happened: &Happened) -> bool {
    match (kind, expected, actual) {
        (Kind::Result, Some(expected), Some(actual)) => {
            let parse = |text| serde_json::from_str::<Json>(text).expect("JSON");
            parse(expected) == parse(actual)
        }
        (Kind::Error, Some(expected), Some(actual)) => {
            let stack = stack(happened);
            let is_there =
                |line: &&str| actual.lines().any(|l| l == *line) || stack.contains(*line);
            expected.lines().next() == actual.lines().next()
                && expected.lines().all(|line| is_there(&line.trim()))
                && actual.lines().all(|line| expected.lines().any(|l| l == line))
        }
        _ => expected == actual,
    }
}

/// Returns the stack of the failure.
pub(crate) fn stack(happened: &Happened) -> String {
    let error = happened.as_ref().ok().and_then(|became| became.outcome.error());
    error.map_or(String::new(), |error| error.stack)
}
