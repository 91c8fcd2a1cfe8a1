//! The option `--config FILE`: settings of a run as JSON, with the parameters of `exec` or
//! `sandbox.create` in `rpc`.

use cofferdam::{Limits, SandboxBuilder};
use serde_json::{Map, Value as Json};

use crate::methods;
use crate::place;
use crate::report::Failure;
use cofferdam_front::exec::{self, BadParams, Exec, Plan, Runnable, SandboxRef, bad, check_known};

/// Longest file of settings that is read.
const MAX_CONFIG: u64 = 256 << 20;

/// Settings of a run. The default is a sandbox without any.
#[derive(Default)]
pub(crate) struct Configured {
    /// Sandbox with everything but the limits.
    pub(crate) builder: SandboxBuilder,
    pub(crate) limits: Limits,
    /// Tool or program, if the file names one.
    pub(crate) runnable: Option<Runnable>,
    /// True if a person is asked, as with `--ask`.
    pub(crate) asks: bool,
    /// True if the file has the standard input of the run.
    pub(crate) has_stdin: bool,
}

/// Reads settings from a file.
pub(crate) fn read(file: &str) -> Result<Configured, Failure> {
    let bytes = place::read(file, MAX_CONFIG, "--config FILE")?;
    let failed = |what: String| Failure::usage(format!("--config {file}: {what}"));
    let params = serde_json::from_slice(&bytes).map_err(|error| {
        failed(format!("not JSON: {error}")).hint("cofferdam rpc --schema   (prints every member)")
    })?;
    parse(params).map_err(|BadParams(what)| failed(what))
}

fn parse(params: Json) -> Result<Configured, BadParams> {
    let Json::Object(params) = params else { return bad("not an object") };
    let limits = match params.get("limits") {
        Some(Json::Object(given)) => exec::limits(Limits::default(), given)?,
        // Other shapes are refused below.
        Some(_) | None => Limits::default(),
    };
    let has_stdin = exec::is_given(&params, "stdin");
    let (runnable, plan) = match params.contains_key("kind") {
        true => one_run(params)?,
        false => (None, sandbox(params)?),
    };
    if let Some(lent) = plan.lent.first() {
        return bad(format!("functions: {} needs a client of rpc to call it", lent.name));
    }
    let (builder, asks) = (plan.builder, plan.ask.is_some());
    Ok(Configured { builder, limits, runnable, asks, has_stdin })
}

/// Parses the parameters of `exec`.
fn one_run(params: Map<String, Json>) -> Result<(Option<Runnable>, Plan), BadParams> {
    let exec = Exec::parse(Json::Object(params))?;
    if exec.session.is_some() {
        return bad("session: needs rpc, where a cell is kept between runs");
    }
    match exec.sandbox {
        SandboxRef::Fresh(plan) => Ok((Some(exec.runnable), *plan)),
        SandboxRef::Kept(_) => bad("sandbox: needs rpc; the option --sandbox NAME keeps one"),
    }
}

/// Parses the parameters of `sandbox.create`.
fn sandbox(params: Map<String, Json>) -> Result<Plan, BadParams> {
    let known = methods::find("sandbox.create").map(|method| method.known()).unwrap_or_default();
    check_known(&params, &known)?;
    exec::sandbox(params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(params: Json, says: &str) {
        match parse(params) {
            Ok(_) => assert_eq!(says, ""),
            Err(BadParams(what)) => assert!(!says.is_empty() && what.starts_with(says), "{what}"),
        }
    }

    #[test]
    fn wrong_members_are_named() {
        check(json!({}), "");
        check(json!({ "limits": { "timeoutMs": 5 }, "env": { "A": "1" } }), "");
        check(json!({ "kind": "js", "code": "return 1", "args": [1] }), "");
        check(json!([]), "not an object");
        check(json!({ "limit": {} }), "limit: unknown parameter");
        check(json!({ "limits": 5 }), "limits: not an object");
        check(json!({ "limits": { "time": 5 } }), "limits.time: unknown limit");
        check(json!({ "kind": "js" }), "code: missing");
        check(json!({ "kind": "js", "code": "", "session": "s" }), "session: needs rpc");
        check(json!({ "kind": "js", "code": "", "sandbox": "s" }), "sandbox: needs rpc");
        check(json!({ "functions": [{ "name": "f" }] }), "functions: f needs a client");
    }
}
