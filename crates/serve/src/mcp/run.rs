//! The tool `run`.

use cofferdam_front::exec::{bad, kind_of, number, object, text};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use serde_json::{Map, Value as Json, json};

use super::follow::{Begun, Follow};
use super::{Call, arguments, failed, report, state};
use crate::problem::Problem;
use crate::server::{Accepted, blocking};

impl Call<'_> {
    pub(super) async fn run(
        &self,
        params: CallToolRequestParams,
    ) -> Result<CallToolResponse, ErrorData> {
        let digest = state::digest(&params.name, params.arguments.as_ref());
        let retry = self.retry(&params, digest)?;
        let responses = params.input_responses.clone().unwrap_or_default();
        let mut given = arguments(params);
        let most = match number(&mut given, "outputBytes") {
            Ok(most) => most.map_or(report::OUTPUT_BYTES, |most| {
                usize::try_from(most).unwrap_or(usize::MAX).min(report::MAX_OUTPUT_BYTES)
            }),
            Err(bad) => return Ok(failed(&bad.into()).into()),
        };
        let begun = match retry {
            Some(run) => Ok(Begun::Run(run)),
            None => self.begin(given).await,
        };
        match begun {
            Ok(begun) => self.follow(begun, Follow { digest, responses, most, tool: None }).await,
            Err(problem) => Ok(failed(&problem).into()),
        }
    }

    /// Starts a run, or finds the one to go on with.
    async fn begin(&self, mut given: Map<String, Json>) -> Result<Begun, Problem> {
        if let Some(id) = text(&mut given, "resume")? {
            if let Some(name) = given.keys().next() {
                return Err(Problem::params(format!("{name}: given together with resume")));
            }
            return Ok(Begun::Run(self.own_run(&id)?));
        }
        let is_kept = given.get("sandbox").is_some_and(|name| !name.is_null());
        let files = match is_kept {
            true => object(&mut given, "files")?,
            false => Map::new(),
        };
        let params = exec_params(given)?;
        if !files.is_empty() {
            let name = params["sandbox"].as_str().unwrap_or_default().to_owned();
            let (server, agent) = (self.server().clone(), self.agent.id.clone());
            blocking(move || {
                let kept = server.boxes().kept(&server, &agent, &name)?;
                for (path, content) in files {
                    let bytes = super::files::content(&path, content)?;
                    kept.sandbox.write_file(&path, &bytes)?;
                }
                Ok::<_, Problem>(())
            })
            .await??;
        }
        let client = self.client();
        match self.server().exec(&self.agent, params, client.as_deref(), None).await? {
            Accepted::Run(run) => Ok(Begun::Run(run)),
            Accepted::Earlier(known) => Ok(Begun::Ended(known)),
        }
    }
}

/// Converts the arguments of the tool to those of `exec`.
fn exec_params(mut given: Map<String, Json>) -> Result<Json, Problem> {
    let known = ["language", "code", "args", "stdin", "files", "sandbox", "session", "wants"];
    let known: Vec<_> = known.into_iter().chain(["why", "limits"]).collect();
    cofferdam_front::exec::check_known(&given, &known)?;
    let language = text(&mut given, "language")?.ok_or_else(|| {
        Problem::params(
            "language: missing; must be \"ts\", \"js\", \"python\", \"bash\" or \"wasm\"",
        )
    })?;
    let code = text(&mut given, "code")?;
    if language == "native" {
        return native(given, code);
    }
    let code = code.ok_or_else(|| Problem::params("code: missing"))?;
    let args = given.remove("args").filter(|args| !args.is_null());
    match (kind_of(&language), args) {
        (kind @ ("ts" | "js" | "python"), args) => {
            given.insert("kind".into(), kind.into());
            given.insert("code".into(), code.into());
            given.extend(args.map(|args| ("args".to_owned(), args)));
        }
        ("shell", None) => {
            given.insert("kind".into(), "shell".into());
            given.insert("command".into(), code.into());
        }
        ("shell", Some(_)) => return Ok(bad("args: not for bash")?),
        ("wasm", args) => {
            given.insert("kind".into(), "wasm".into());
            given.insert("wasm".into(), json!({ "base64": code }));
            match args {
                Some(Json::Array(items)) => {
                    let argv = std::iter::once(Json::from("program.wasm")).chain(items);
                    given.insert("argv".into(), argv.collect());
                }
                Some(_) => return Ok(bad("args: not an array of strings")?),
                None => {}
            }
        }
        _ => {
            return Ok(bad(format!(
                "language: unknown {language:?}; must be \"ts\", \"js\", \"python\", \"bash\" or \
                 \"wasm\""
            ))?);
        }
    }
    Ok(Json::Object(given))
}

/// Converts the arguments of a run of a native program: `args` is its command line.
fn native(mut given: Map<String, Json>, code: Option<String>) -> Result<Json, Problem> {
    if code.is_some() {
        return Ok(bad("code: not for native; args is the command line")?);
    }
    match given.remove("args") {
        Some(Json::Array(words)) => given.insert("argv".into(), words.into()),
        _ => return Ok(bad("args: must be the command line of the program, as strings")?),
    };
    given.insert("kind".into(), "native".into());
    Ok(Json::Object(given))
}
