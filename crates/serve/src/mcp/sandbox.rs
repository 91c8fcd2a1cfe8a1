//! The tool `sandbox`.

use cofferdam_front::exec::{bad, check_known, text};
use serde_json::{Map, Value as Json, json};

use super::Call;
use crate::identity::Caller;
use crate::problem::Problem;
use crate::server::blocking;

impl Call<'_> {
    pub(super) async fn sandbox(&self, mut given: Map<String, Json>) -> Result<Json, Problem> {
        let action = text(&mut given, "action")?;
        let action = action.ok_or_else(|| Problem::params("action: missing"))?;
        let (server, agent) = (self.server().clone(), self.agent.clone());
        blocking(move || {
            let boxes = server.boxes();
            let mut need = |name: &str| {
                let value = text(&mut given, name)?;
                value.ok_or_else(|| Problem::params(format!("{name}: missing")))
            };
            match action.as_str() {
                "create" => Ok(short(&boxes.create(&server, &agent, given, None)?.to_json())),
                "list" => {
                    check_known(&given, &[])?;
                    let list = boxes.list(&server, &Caller::Agent(agent))?;
                    Ok(json!({ "sandboxes": list.iter().map(short).collect::<Vec<_>>() }))
                }
                "fork" => {
                    let id = need("sandbox")?;
                    Ok(short(&boxes.fork(&server, &agent, &id, given)?.to_json()))
                }
                "snapshot" => {
                    let id = need("sandbox")?;
                    check_known(&given, &[])?;
                    let snapshot = boxes.snapshot(&server, &agent, &id)?;
                    Ok(json!({ "sandbox": id, "snapshot": snapshot }))
                }
                "restore" => {
                    let (id, snapshot) = (need("sandbox")?, need("snapshot")?);
                    check_known(&given, &[])?;
                    boxes.restore(&server, &agent, &id, &snapshot)?;
                    Ok(json!({ "sandbox": id, "snapshot": snapshot }))
                }
                "destroy" => {
                    let id = need("sandbox")?;
                    check_known(&given, &[])?;
                    boxes.destroy(&server, &agent, &id)?;
                    Ok(json!({ "sandbox": id, "status": "destroyed" }))
                }
                other => Ok(bad(format!(
                    "action: unknown {other:?}; must be \"create\", \"list\", \"fork\", \
                     \"snapshot\", \"restore\" or \"destroy\""
                ))?),
            }
        })
        .await?
    }
}

/// Returns the fields of a sandbox that a model needs.
fn short(sandbox: &Json) -> Json {
    let field = |name: &str| sandbox[name].clone();
    json!({ "sandbox": field("sandbox"), "name": field("name"), "status": field("status") })
}
