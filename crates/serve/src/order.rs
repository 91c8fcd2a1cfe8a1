//! Parameters that an agent may give.
//!
//! The shape is that of `rpc`, parsed by the same code. An agent is not the owner of this machine,
//! though: it names no files or folders of the host, lends no functions, begins with the
//! capabilities of its token at most, and stays within the largest limits that were set.
//!
//! Meets T-SERVE-002.

use std::sync::Arc;

use cofferdam::{Capability, Limits};
use cofferdam_front::exec::{self, BadParams, Exec, Plan, Runnable, array, bad, kind_of, text};
use cofferdam_front::fields::{EXEC, Field, names};
use serde_json::{Map, Value as Json};

use crate::identity::Agent;
use crate::settings::Settings;

/// Most characters of the reason that an agent gives.
const MAX_WHY: usize = 1_000;

/// Most characters of a source that the record of a run keeps.
const MAX_SOURCE: usize = 64 << 10;

/// A run that an agent orders.
pub struct Order {
    /// The run and its sandbox.
    pub exec: Exec,
    /// Reason for the run, in the words of the agent.
    pub why: Option<Arc<str>>,
    /// Kind of run.
    pub kind: Arc<str>,
    /// Source of the tool or text of the command; empty for a module.
    pub source: Arc<str>,
    /// Id of the kept sandbox that the run is in.
    pub sandbox: Option<Arc<str>>,
}

impl Order {
    /// Checks and parses the parameters of a run: those of `exec` in `rpc`, and `wants` and `why`.
    pub fn parse(params: Json, agent: &Agent, settings: &Settings) -> Result<Self, BadParams> {
        let Json::Object(mut params) = params else { return bad("params: not an object") };
        check_known(&params, EXEC, &["wants", "why"])?;
        let why = text(&mut params, "why")?;
        let why = why.map(|why| why.chars().take(MAX_WHY).collect::<String>().into());
        let mut wants = Vec::new();
        for item in array(&mut params, "wants")? {
            let Json::String(name) = item else { return bad("wants: not an array of strings") };
            let wanted = name.parse::<Capability>();
            wants.push(wanted.map_err(|error| BadParams(format!("wants: {error}")))?);
        }
        admit(&mut params, agent, settings)?;
        let word = |name: &str| params.get(name).and_then(Json::as_str);
        let source = word("code").or(word("command")).unwrap_or_default();
        let mut source: Arc<str> = source.chars().take(MAX_SOURCE).collect::<String>().into();
        let (kind, sandbox) =
            (kind_of(word("kind").unwrap_or_default()).into(), word("sandbox").map(Arc::from));
        let mut exec = Exec::parse(Json::Object(params))?;
        exec.runnable = match exec.runnable {
            Runnable::Tool(tool) => {
                Runnable::Tool(wants.into_iter().fold(tool, |tool, wanted| tool.wants(wanted)))
            }
            Runnable::Program(command) if wants.is_empty() => Runnable::Program(command),
            Runnable::Native(_) if !settings.native => {
                return bad(
                    "kind: \"native\" is not allowed here; the operator sets native = true",
                );
            }
            Runnable::Native(words) if wants.is_empty() => {
                source = words.join(" ").chars().take(MAX_SOURCE).collect::<String>().into();
                Runnable::Native(words)
            }
            Runnable::Program(_) | Runnable::Native(_) => {
                return bad("wants: only for kinds \"js\", \"ts\" and \"python\"");
            }
        };
        Ok(Order { exec, why, kind, source, sandbox })
    }
}

/// Checks and parses the parameters of a sandbox.
pub fn plan(
    mut params: Map<String, Json>,
    agent: &Agent,
    settings: &Settings,
) -> Result<Plan, BadParams> {
    admit(&mut params, agent, settings)?;
    exec::sandbox(params)
}

/// Parameters that only the owner of this machine may give.
const OF_OWNER: [&str; 3] = ["mounts", "functions", "stream"];

/// Refuses parameters that neither `rpc` nor `more` has. The list in the error is that of an agent.
pub(crate) fn check_known(
    params: &Map<String, Json>,
    fields: &[Field],
    more: &[&str],
) -> Result<(), BadParams> {
    let is_unknown = |key: &str| {
        !more.contains(&key) && !OF_OWNER.contains(&key) && !names(fields).contains(&key)
    };
    if !params.keys().any(|key| is_unknown(key)) {
        return Ok(());
    }
    let known = names(fields).into_iter().filter(|name| !OF_OWNER.contains(name));
    let known: Vec<&str> = known.chain(more.iter().copied()).collect();
    exec::check_known(params, &known)
}

/// Refuses parameters that only the owner of this machine may give.
fn admit(
    params: &mut Map<String, Json>,
    agent: &Agent,
    settings: &Settings,
) -> Result<(), BadParams> {
    let is_given = |value: &Json| match value {
        Json::Null | Json::Bool(false) => false,
        Json::Array(items) => !items.is_empty(),
        _ => true,
    };
    for name in OF_OWNER {
        if params.remove(name).is_some_and(|value| is_given(&value)) {
            return bad(format!("{name}: not for agents"));
        }
    }
    // A run asks unless the agent says otherwise. A kept sandbox was told when it was made.
    if !params.contains_key("sandbox") && params.get("ask").is_none_or(Json::is_null) {
        params.insert("ask".into(), true.into());
    }
    // A module is read from a file of this machine, unless it is one of the files given here.
    let path = params.get("wasm").and_then(|wasm| wasm.get("path")).and_then(Json::as_str);
    if let Some(path) = path
        && params.get("files").and_then(|files| files.get(path)).is_none()
    {
        return bad("wasm.path: not one of files; give it there, or give base64");
    }
    let programs = params.get("programs").and_then(Json::as_object);
    for (name, program) in programs.into_iter().flatten() {
        if program.get("path").is_some() {
            return bad(format!("programs.{name}.path: not for agents; give base64"));
        }
    }
    if let Some(Json::Array(items)) = params.get("capabilities") {
        for name in items.iter().filter_map(Json::as_str) {
            let Ok(wanted) = name.parse::<Capability>() else { continue };
            if !agent.capabilities.iter().any(|own| own.covers(&wanted)) {
                return bad(format!(
                    "capabilities: {name} is not one of this token's; use wants to ask for it"
                ));
            }
        }
    }
    if let Some(Json::Object(given)) = params.get("limits") {
        within(given, settings)?;
    }
    Ok(())
}

/// Refuses limits that are larger than the largest.
fn within(given: &Map<String, Json>, settings: &Settings) -> Result<(), BadParams> {
    let largest = exec::limits(Limits::default(), &settings.limits)?;
    let wanted = exec::limits(largest, given)?;
    for name in given.keys() {
        if let (Some(wanted), Some(most)) = (wanted.get(name), largest.get(name))
            && wanted > most
        {
            return bad(format!("limits.{name}: must be at most {most}"));
        }
    }
    Ok(())
}
