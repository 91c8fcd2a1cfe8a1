//! Methods of `rpc` about registered tools. They are those of the person who runs the client, so
//! their owner is nobody in particular, as with `cofferdam tool`.

use cofferdam_front::exec::{Exec, Runnable, check_known, text};
use cofferdam_serve::problem::Problem;
use cofferdam_serve::tools::{self, Manifest, Registered};
use serde_json::{Map, Value as Json, json};

use crate::kept::{Failed, Kept};
use crate::methods::Method;

/// Owner of the tools of this user.
const OWN: &str = "";

type Params = Map<String, Json>;

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Self {
        match problem.status().is_server_error() {
            true => Failed::Internal(problem.detail().to_owned()),
            false => Failed::Params(problem.detail().to_owned()),
        }
    }
}

/// Adds a tool, or a new version of one.
pub(crate) fn add(kept: &Kept, params: Params) -> Result<Json, Failed> {
    let (tool, is_new) = tools::add(&kept.host.tools, OWN, Manifest::parse(params)?)?;
    Ok(json!({ "tool": tool.to_json(), "isNew": is_new }))
}

/// Lists the tools.
pub(crate) fn list(kept: &Kept, _: Params) -> Result<Json, Failed> {
    let all = tools::list(&kept.host.tools, OWN)?;
    Ok(json!({ "tools": all.iter().map(Registered::to_json).collect::<Vec<_>>() }))
}

/// Returns a tool with its source and earlier versions.
pub(crate) fn show(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    Ok(json!({ "tool": tools::show(&kept.host.tools, OWN, &name(&mut params)?)? }))
}

/// Removes a tool with all its versions.
pub(crate) fn remove(kept: &Kept, mut params: Params) -> Result<Json, Failed> {
    tools::remove(&kept.host.tools, OWN, &name(&mut params)?)?;
    Ok(json!({ "removed": true }))
}

fn name(params: &mut Params) -> Result<String, Failed> {
    text(params, "name")?.ok_or_else(|| Failed::Params("name: missing".into()))
}

/// Returns the outcome of a run; of a registered tool with the mistake in its result, if it does not
/// fit the schema.
pub(crate) fn checked(tool: Option<&Registered>, outcome: Json) -> Json {
    let Some(tool) = tool else { return outcome };
    let mistake = tools::mistake(tool, &outcome);
    let mut object = json!({ "outcome": outcome });
    if let Some(mistake) = mistake {
        object["mistake"] = Json::from(&*mistake);
    }
    object
}

/// Prepares a call of a tool: a run with the tool's source, and the tool that its result is checked
/// by. The arguments are checked here, before a cell is taken.
pub(crate) fn prepare(
    kept: &Kept,
    method: &Method,
    params: Json,
) -> Result<(Exec, Registered), Failed> {
    let Json::Object(mut params) = params else {
        return Err(Failed::Params("params: not an object".into()));
    };
    check_known(&params, &method.known())?;
    let tool = tools::get(&kept.host.tools, OWN, &name(&mut params)?)?;
    let args = params.remove("args").filter(|args| !args.is_null()).unwrap_or_else(|| json!({}));
    let manifest = &tool.manifest;
    manifest.check_arguments(&args)?;
    params.insert("kind".into(), manifest.kind.as_str().into());
    params.insert("name".into(), manifest.name.as_str().into());
    params.insert("code".into(), manifest.source.as_str().into());
    params.insert("args".into(), args);
    let mut exec = Exec::parse(Json::Object(params))?;
    if let Runnable::Tool(mut script) = exec.runnable {
        for wanted in &manifest.wants {
            let parsed = wanted.parse::<cofferdam::Capability>();
            script = script.wants(parsed.map_err(|e| Failed::Params(format!("wants: {e}")))?);
        }
        exec.runnable = Runnable::Tool(script);
    }
    Ok((exec, tool))
}
