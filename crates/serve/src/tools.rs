//! The registry of tools: scripts with a name, a description and schemas, kept in the store.
//!
//! An agent adds tools for itself; a person adds them for everyone (`cofferdam tool add`). Adding
//! grants nothing. A run of a registered tool is known to the broker by the tool's name and the hash
//! of its source, so that a grant does not carry over to a changed source.
//!
//! Meets T-MCP-004.

mod schema;

use std::sync::Arc;

use cofferdam::Capability;
use cofferdam::permissions::{Timestamp, identity};
use cofferdam_front::exec::{BadParams, array, bad, check_known, kind_of, text};
use cofferdam_store::{Store, ToolVersion};
use serde_json::{Map, Value as Json, json};

use crate::identity::Agent;
use crate::problem::Problem;
use crate::secret;
use crate::server::{Accepted, Server};

/// Longest name of a tool.
const MAX_NAME: usize = 64;

/// Longest description.
const MAX_DESCRIPTION: usize = 4 << 10;

/// Longest source.
const MAX_SOURCE: usize = 1 << 20;

/// Most capabilities that a tool may want.
const MAX_WANTS: usize = 64;

/// Most tools of one owner.
const MAX_TOOLS: usize = 256;

/// Names of tools that MCP has by itself.
const RESERVED: [&str; 5] = ["run", "files", "sandbox", "requests", "tools"];

/// A registered tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// Name by which it is called.
    pub name: String,
    /// Description for a model.
    pub description: String,
    /// Kind of run: `js` or `ts`.
    pub kind: String,
    /// The script.
    pub source: String,
    /// Schema of the arguments.
    pub parameters: Json,
    /// Schema of the result.
    pub returns: Option<Json>,
    /// Capabilities that are asked for before it starts.
    pub wants: Vec<String>,
}

impl Manifest {
    /// Checks and parses a manifest.
    pub fn parse(mut fields: Map<String, Json>) -> Result<Self, BadParams> {
        let known = ["name", "description", "kind", "source", "parameters", "returns", "wants"];
        check_known(&fields, &known)?;
        let mut need = |name: &str| {
            let value = text(&mut fields, name)?;
            value.ok_or_else(|| BadParams(format!("{name}: missing")))
        };
        let (name, description, source) = (need("name")?, need("description")?, need("source")?);
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_fit) {
            return bad(format!("name: not 1 to {MAX_NAME} letters, digits, - and _"));
        }
        if RESERVED.contains(&name.as_str()) {
            return bad(format!("name: {name} is a tool of the server"));
        }
        for (field, text, most) in
            [("description", &description, MAX_DESCRIPTION), ("source", &source, MAX_SOURCE)]
        {
            if text.trim().is_empty() || text.len() > most {
                return bad(format!("{field}: not 1 to {most} bytes"));
            }
        }
        let kind = text(&mut fields, "kind")?.unwrap_or_else(|| "js".into());
        let kind = kind_of(&kind).to_owned();
        if !matches!(kind.as_str(), "js" | "ts" | "python") {
            return bad("kind: must be \"js\", \"ts\" or \"python\"");
        }
        let parameters = fields.remove("parameters").filter(|schema| !schema.is_null());
        let parameters = parameters.unwrap_or_else(|| json!({ "type": "object" }));
        if parameters["type"] != "object" {
            return bad("parameters: not a schema of type \"object\"");
        }
        let returns = fields.remove("returns").filter(|schema| !schema.is_null());
        schema::compile("parameters", &parameters)?;
        if let Some(returns) = &returns {
            schema::compile("returns", returns)?;
        }
        let mut wants = Vec::new();
        for item in array(&mut fields, "wants")? {
            let Json::String(item) = item else { return bad("wants: not an array of strings") };
            item.parse::<Capability>().map_err(|error| BadParams(format!("wants: {error}")))?;
            wants.push(item);
        }
        if wants.len() > MAX_WANTS {
            return bad(format!("wants: more than {MAX_WANTS}"));
        }
        Ok(Manifest { name, description, kind, source, parameters, returns, wants })
    }

    /// Returns the manifest as JSON.
    pub fn to_json(&self) -> Json {
        json!({
            "name": self.name,
            "description": self.description,
            "kind": self.kind,
            "parameters": self.parameters,
            "returns": self.returns,
            "wants": self.wants,
            "source": self.source,
        })
    }

    /// Returns the hash by which versions are told apart.
    pub fn hash(&self) -> String {
        let digest = secret::hash(&self.to_json().to_string());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the tool as the broker knows it: the name and the hash of the source.
    pub fn identity(&self) -> String {
        identity(&self.name, self.source.as_bytes())
    }

    /// Checks arguments against their schema.
    pub fn check_arguments(&self, arguments: &Json) -> Result<(), BadParams> {
        schema::check("arguments", &self.parameters, arguments)
    }

    /// Checks a result against its schema.
    pub fn check_result(&self, result: &Json) -> Result<(), BadParams> {
        match &self.returns {
            Some(returns) => schema::check("result", returns, result),
            None => Ok(()),
        }
    }
}

/// A tool in the store.
#[derive(Debug, Clone)]
pub struct Registered {
    /// Agent that it belongs to; empty for a tool of the person.
    pub owner: String,
    /// Hash of the manifest.
    pub hash: String,
    /// Time at which this version was added.
    pub at: Timestamp,
    /// The manifest.
    pub manifest: Manifest,
}

impl Registered {
    fn of(version: ToolVersion) -> Result<Self, Problem> {
        let Ok(Json::Object(fields)) = serde_json::from_str(&version.manifest) else {
            return Err(Problem::internal("a registered tool has no manifest"));
        };
        let manifest = Manifest::parse(fields)?;
        Ok(Registered { owner: version.owner, hash: version.hash, at: version.at, manifest })
    }

    /// Returns the tool as JSON, without its source.
    pub fn to_json(&self) -> Json {
        let mut object = self.manifest.to_json();
        if let Some(object) = object.as_object_mut() {
            object.remove("source");
        }
        object["hash"] = self.hash.as_str().into();
        object["identity"] = self.manifest.identity().into();
        object["isOwn"] = (!self.owner.is_empty()).into();
        object["at"] = self.at.to_string().into();
        object
    }
}

/// Adds a tool for an owner. Returns it, and true if this version is new.
pub fn add(store: &Store, owner: &str, manifest: Manifest) -> Result<(Registered, bool), Problem> {
    let all = store.tools()?;
    let is_named = |tool: &&ToolVersion| tool.name == manifest.name;
    if !owner.is_empty() && all.iter().filter(is_named).any(|tool| tool.owner.is_empty()) {
        let detail = format!("name: {} is a tool of the person", manifest.name);
        return Err(Problem::conflict("taken", detail));
    }
    let of_owner = all.iter().filter(|tool| tool.owner == owner);
    if of_owner.clone().count() >= MAX_TOOLS && !of_owner.clone().any(|tool| is_named(&tool)) {
        let detail = format!("{MAX_TOOLS} tools are registered already; remove one first");
        return Err(Problem::conflict("full", detail));
    }
    let version = ToolVersion {
        owner: owner.to_owned(),
        name: manifest.name.clone(),
        hash: manifest.hash(),
        manifest: manifest.to_json().to_string(),
        at: Timestamp::now(),
        is_current: true,
    };
    let is_new = store.add_tool(&version)?;
    Ok((Registered::of(version)?, is_new))
}

/// Returns the tools that an agent may call: the person's and its own.
pub fn list(store: &Store, agent: &str) -> Result<Vec<Registered>, Problem> {
    let mut tools: Vec<Registered> = Vec::new();
    // Those of the person come first: their owner is empty.
    for version in store.tools()? {
        let is_seen = version.owner.is_empty() || version.owner == agent;
        if is_seen && !tools.iter().any(|tool| tool.manifest.name == version.name) {
            tools.push(Registered::of(version)?);
        }
    }
    Ok(tools)
}

/// Returns a tool that an agent may call.
pub fn get(store: &Store, agent: &str, name: &str) -> Result<Registered, Problem> {
    let found = match store.tool("", name)? {
        Some(found) => Some(found),
        None => store.tool(agent, name)?,
    };
    Registered::of(found.ok_or_else(|| Problem::not_found("tool"))?)
}

/// Returns a tool that an agent may call, with its source and earlier versions.
pub fn show(store: &Store, agent: &str, name: &str) -> Result<Json, Problem> {
    let tool = get(store, agent, name)?;
    let mut object = tool.to_json();
    object["source"] = tool.manifest.source.as_str().into();
    let mut earlier = Vec::new();
    for version in store.tool_versions(&tool.owner, name)? {
        if !version.is_current {
            let version = Registered::of(version)?;
            let mut object = version.to_json();
            object["source"] = version.manifest.source.into();
            earlier.push(object);
        }
    }
    object["earlier"] = earlier.into();
    Ok(object)
}

/// Returns the tools of all owners.
pub fn everyones(store: &Store) -> Result<Vec<Registered>, Problem> {
    store.tools()?.into_iter().map(Registered::of).collect()
}

/// Returns the versions of a tool, the current one first. The list is empty if there is no such
/// tool.
pub fn versions(store: &Store, owner: &str, name: &str) -> Result<Vec<Registered>, Problem> {
    store.tool_versions(owner, name)?.into_iter().map(Registered::of).collect()
}

/// Returns the tools of all owners, each with its owner.
pub fn all(store: &Store) -> Result<Vec<Json>, Problem> {
    let mut tools = Vec::new();
    for tool in everyones(store)? {
        let mut object = tool.to_json();
        object["owner"] = if tool.owner.is_empty() { Json::Null } else { tool.owner.into() };
        tools.push(object);
    }
    Ok(tools)
}

/// Removes a tool of an owner.
pub fn remove(store: &Store, owner: &str, name: &str) -> Result<(), Problem> {
    match store.remove_tool(owner, name)? {
        true => Ok(()),
        false => Err(Problem::not_found("tool")),
    }
}

impl Server {
    /// Starts a registered tool for an agent. The arguments are checked before anything else.
    pub async fn call_tool(
        &self,
        agent: &Agent,
        tool: &Registered,
        arguments: Json,
        (client, key): (Option<&str>, Option<&str>),
    ) -> Result<Accepted, Problem> {
        let manifest = &tool.manifest;
        manifest.check_arguments(&arguments)?;
        let params = json!({
            "kind": manifest.kind,
            "name": manifest.name,
            "code": manifest.source,
            "args": arguments,
            "wants": manifest.wants,
        });
        self.exec(agent, params, client, key).await
    }
}

/// Returns the mistake in the result of a run, if it does not fit the schema of its tool.
pub fn mistake(tool: &Registered, outcome: &Json) -> Option<Arc<str>> {
    if !outcome["errorClass"].is_null() {
        return None;
    }
    tool.manifest.check_result(&outcome["result"]).err().map(|bad| bad.0.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Map<String, Json> {
        let json = json!({
            "name": "sum", "description": "Adds numbers", "source": "return args.a + args.b",
            "parameters": { "type": "object", "properties": { "a": { "type": "number" } },
                "required": ["a"] },
            "returns": { "type": "number" }, "wants": ["fs:read:/data/**"],
        });
        json.as_object().unwrap().clone()
    }

    fn refused(name: &str, value: Json, expect: &str) {
        let mut fields = fields();
        fields.insert(name.into(), value);
        let error = Manifest::parse(fields).err().map(|bad| bad.0).unwrap_or_default();
        assert!(error.starts_with(expect), "{error}");
    }

    #[test]
    fn a_manifest_is_checked() {
        assert!(Manifest::parse(fields()).is_ok());
        refused("name", json!("run"), "name: run is a tool of the server");
        refused("name", json!("a b"), "name: not 1 to 64");
        refused("source", json!(" "), "source: not 1 to");
        refused("kind", json!("bash"), "kind: must be");
        refused("parameters", json!({ "type": "array" }), "parameters: not a schema of type");
        refused("parameters", json!({ "type": "object", "required": 1 }), "parameters: not a JSON");
        refused("returns", json!({ "type": "nothing" }), "returns: not a JSON Schema");
        refused("wants", json!(["fly"]), "wants: ");
        refused("grants", json!([]), "grants: unknown parameter");
    }

    #[test]
    fn arguments_and_results_are_checked() {
        let manifest = Manifest::parse(fields()).ok().unwrap();
        let error = |result: Result<(), BadParams>| result.err().map(|bad| bad.0);
        assert_eq!(error(manifest.check_arguments(&json!({ "a": 1 }))), None);
        let wrong = error(manifest.check_arguments(&json!({ "a": "1" }))).unwrap();
        assert!(wrong.starts_with("arguments/a: "), "{wrong}");
        assert!(error(manifest.check_arguments(&json!({}))).is_some());
        assert!(error(manifest.check_result(&json!("x"))).is_some());
        assert_eq!(error(manifest.check_result(&json!(3))), None);
    }

    #[test]
    fn a_changed_source_is_another_tool() {
        let one = Manifest::parse(fields()).ok().unwrap();
        let mut other = one.clone();
        other.source += " ";
        assert_ne!(one.identity(), other.identity());
        assert_ne!(one.hash(), other.hash());
        let mut described = one.clone();
        described.description += "!";
        assert_eq!(one.identity(), described.identity());
        assert_ne!(one.hash(), described.hash());
    }

    #[test]
    fn an_agent_cannot_take_a_name_of_the_person() {
        let store = Store::in_memory().unwrap();
        let manifest = Manifest::parse(fields()).ok().unwrap();
        assert!(add(&store, "agt_1", manifest.clone()).unwrap().1);
        assert_eq!(list(&store, "agt_2").unwrap().len(), 0);
        let mut other = manifest.clone();
        other.source += " ";
        assert!(add(&store, "", other.clone()).unwrap().1);
        // The person's comes first.
        assert_eq!(get(&store, "agt_1", "sum").unwrap().manifest.source, other.source);
        assert_eq!(list(&store, "agt_1").unwrap().len(), 1);
        assert!(add(&store, "agt_1", manifest).is_err());
        assert!(remove(&store, "agt_2", "sum").is_err());
    }
}
