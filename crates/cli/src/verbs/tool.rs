//! `cofferdam tool`: registered tools of this user.

use cofferdam::{Sandbox, visible};
use cofferdam_serve::tools::{self, Manifest, Registered};
use serde_json::{Map, Value as Json, json};

use crate::interrupt;
use crate::permissions::{PermissionArgs, store};
use crate::place::{self, Place};
use crate::report::{self, Failure};

/// Longest manifest or source.
const MAX_FILE: u64 = 2 << 20;

/// Register tools: scripts with a name, a description and schemas.
///
/// Tools that are added here can be called by every agent; those that agents add are their own.
/// Adding grants nothing. A manifest is JSON: name, description, kind (js or ts), source, parameters
/// and returns (JSON Schema), wants (capabilities to ask for). With a script in place of a manifest,
/// the options give the rest.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam tool add sum.json
  cofferdam tool add sum.ts --name sum --description 'Adds numbers'
  cofferdam tool list
  cofferdam tool call sum '{\"a\":1,\"b\":2}'
  cofferdam tool remove sum")]
pub(crate) struct Tool {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Add a tool, or a new version of one
    Add(Add),
    /// List tools
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Print a tool with its source and earlier versions, as JSON
    Show {
        /// Name of the tool
        name: String,
    },
    /// Call a tool
    Call(Box<Call>),
    /// Remove a tool with all its versions
    Remove {
        /// Name of the tool
        name: String,
    },
}

#[derive(clap::Args)]
struct Add {
    /// Manifest (.json) or script (.js, .ts)
    file: String,

    /// Name of the tool
    #[arg(long)]
    name: Option<String>,

    /// Description for a model
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,

    /// JSON Schema of the arguments, as JSON
    #[arg(long, value_name = "JSON")]
    parameters: Option<String>,

    /// JSON Schema of the result, as JSON
    #[arg(long, value_name = "JSON")]
    returns: Option<String>,

    /// Capability that the tool asks for; may be repeated
    #[arg(long, value_name = "CAPABILITY")]
    wants: Vec<String>,
}

#[derive(clap::Args)]
struct Call {
    /// Name of the tool
    name: String,

    /// Arguments, as JSON
    #[arg(value_name = "JSON", default_value = "{}")]
    args: String,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    permissions: PermissionArgs,
}

impl Tool {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self.action {
            Action::Add(add) => add.run(),
            Action::List { json } => list(json),
            Action::Show { name } => {
                report::json(&tools::show(&store()?, "", &name).map_err(failed)?);
                Ok(0)
            }
            Action::Call(call) => call.run(),
            Action::Remove { name } => {
                tools::remove(&store()?, "", &name).map_err(failed)?;
                Ok(0)
            }
        }
    }
}

fn failed(problem: cofferdam_serve::problem::Problem) -> Failure {
    Failure::usage(visible(problem.detail()).to_string()).hint("cofferdam tool list")
}

impl Add {
    fn run(self) -> Result<u8, Failure> {
        let wrong = |text: String| Failure::usage(text).hint("cofferdam tool add --help");
        let fields = self.fields()?;
        let manifest = Manifest::parse(fields).map_err(|bad| wrong(visible(&bad.0).to_string()))?;
        let (tool, is_new) = tools::add(&store()?, "", manifest).map_err(failed)?;
        let shown = cofferdam::permissions::shown_identity(&tool.manifest.identity());
        let word = if is_new { "added" } else { "unchanged" };
        report::note(&format!("{word}: {shown}"));
        Ok(0)
    }

    fn fields(&self) -> Result<Map<String, Json>, Failure> {
        let text = place::read(&self.file, MAX_FILE, "cofferdam tool add FILE")?;
        let file = &self.file;
        let text =
            String::from_utf8(text).map_err(|_| Failure::usage(format!("{file}: not UTF-8")))?;
        let parse = |name: &str, text: &str| {
            serde_json::from_str::<Json>(text)
                .map_err(|error| Failure::usage(format!("{name}: not JSON: {error}")))
        };
        let mut fields = match file.ends_with(".json") {
            true => match parse(file, &text)? {
                Json::Object(fields) => fields,
                _ => return Err(Failure::usage(format!("{file}: not an object"))),
            },
            false => {
                let kind = match file.rsplit('.').next() {
                    Some("py") => "python",
                    Some("ts" | "mts" | "cts") => "ts",
                    _ => "js",
                };
                let mut fields = Map::new();
                fields.insert("kind".into(), kind.into());
                fields.insert("source".into(), text.into());
                fields
            }
        };
        let texts = [("name", &self.name), ("description", &self.description)];
        for (name, value) in texts {
            fields.extend(value.as_ref().map(|value| (name.to_owned(), json!(value))));
        }
        for (name, value) in [("parameters", &self.parameters), ("returns", &self.returns)] {
            if let Some(value) = value {
                fields.insert(name.to_owned(), parse(&format!("--{name}"), value)?);
            }
        }
        if !self.wants.is_empty() {
            fields.insert("wants".into(), json!(self.wants));
        }
        Ok(fields)
    }
}

fn list(as_json: bool) -> Result<u8, Failure> {
    let all = tools::list(&store()?, "").map_err(failed)?;
    if all.is_empty() && !as_json {
        report::note("no tools");
    }
    for tool in all {
        match as_json {
            true => report::json(&tool.to_json()),
            false => {
                let shown = cofferdam::permissions::shown_identity(&tool.manifest.identity());
                let about = tool.manifest.description.lines().next().unwrap_or_default();
                report::print(&format!("{shown}  {}", visible(about)));
            }
        }
    }
    Ok(0)
}

impl Call {
    fn run(mut self) -> Result<u8, Failure> {
        let tool = tools::get(&store()?, "", &self.name).map_err(failed)?;
        let args: Json = serde_json::from_str(&self.args)
            .map_err(|error| Failure::usage(format!("arguments: not JSON: {error}")))?;
        let checked = tool.manifest.check_arguments(&args);
        checked.map_err(|bad| {
            Failure::usage(visible(&bad.0).to_string())
                .hint(format!("cofferdam tool show {}", self.name))
        })?;
        let script = script(&tool, args)?;
        let limits = self.place.limits()?;
        let runtime = place::runtime_for_one_run(place::cells(&limits))?;
        let builder = Sandbox::builder().runtime(&runtime).limits(limits);
        let (builder, broker) = self.permissions.fill(self.place.fill(builder)?)?;
        let sandbox = builder.watcher(report::streams(&limits)).build()?;
        let _interrupts = interrupt::cancels(&sandbox)?;
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|error| Failure::usage(format!("executor: {error}")))?;
        let outcome = executor.block_on(sandbox.run(&script))?;
        broker.flush().map_err(Failure::from_broker)?;
        let known = outcome.to_json();
        if let Some(mistake) = tools::mistake(&tool, &known) {
            return Err(Failure::usage(format!("{}: {}", self.name, visible(&mistake))));
        }
        if outcome.result().is_some() {
            report::json(&known["result"]);
        }
        report::outcome(&outcome);
        Ok(outcome.exit_code())
    }
}

/// Makes a run of a registered tool.
fn script(tool: &Registered, args: Json) -> Result<cofferdam::Tool, Failure> {
    let manifest = &tool.manifest;
    let source = manifest.source.clone();
    let mut script = cofferdam::Tool::from_file_name(&manifest.name, source).args(args);
    script = script.language(match manifest.kind.as_str() {
        "ts" => cofferdam::Language::TypeScript,
        "python" => cofferdam::Language::Python,
        _ => cofferdam::Language::JavaScript,
    });
    for wanted in &manifest.wants {
        script = script.wants(crate::permissions::parse(wanted, "wants")?);
    }
    Ok(script)
}
