//! `cofferdam run`: one tool in one fresh cell.

use std::io::Read;
use std::path::Path;

use cofferdam::{Boundary, Ending, Language, Limits, Outcome, Tool, Value, json, shell_word};

use crate::absent;
use crate::config_file::{self, Configured};
use crate::interrupt;
use crate::named::Named;
use crate::nearby;
use crate::paint::Tone;
use crate::permissions::PermissionArgs;
use crate::place::{self, Place, plain};
use crate::report::{self, Failure};
use crate::script;
use cofferdam_front::exec::Runnable;

/// Run a JavaScript, TypeScript or Python tool in a fresh cell.
///
/// A tool is a script as Node runs it, the body of an async function of `(btcp, args)`, or a module
/// with a default export. In Python it is a script, which may define `tool(btcp, args)`. Its standard
/// output and error are passed on; a value that it returns is printed last, as JSON on standard
/// output.
///
/// A tool may only compute, unless something is granted: with --allow, by answering --ask, or with
/// `cofferdam grant` and the id that a denial prints.
///
/// Exit codes: 0 finished, 1 the tool threw, reached a limit or was denied a permission, 124 time
/// limit, 125 cancelled (Ctrl-C), 2 wrong call; `process.exit` sets any other.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam run tool.js --args '{\"n\":3}'
  echo 'return args.a + args.b' | cofferdam run - --args '{\"a\":1,\"b\":2}'
  cofferdam run tool.ts --json --limit timeoutMs=1000
  cofferdam run report.py input.csv --mount .:/home/user --allow 'fs:read:/home/user/**'
  cofferdam run project/main.js input.csv --code project
  cofferdam run tool.js --mount ./data:/data --allow 'fs:read:/data/**'
  cofferdam run scrape.js --page page.html --allow dom:read
  cofferdam run render.js --boundary iframe
  cofferdam run tool.js --sandbox work
  cofferdam run tool.js --config sandbox.json
  cofferdam run tool.js --ask")]
pub(crate) struct Run {
    /// Tool to run: .js, .mjs, .ts, .mts or .py; `-` reads it from standard input
    #[arg(required_unless_present = "config")]
    file: Option<String>,

    /// Arguments of a script, as in `process.argv` or `sys.argv`; options that are not ours, and everything behind
    /// `--`, are the script's too
    #[arg(value_name = "ARGS")]
    arguments: Vec<String>,

    /// A folder with the tool's own code, its modules and `node_modules` or `site-packages`: the tool
    /// may read all of it, at /code
    #[arg(long, value_name = "FOLDER")]
    code: Option<String>,

    /// Arguments of the tool, as JSON
    #[arg(long, value_name = "JSON")]
    args: Option<String>,

    /// Print the whole outcome as JSON
    #[arg(long)]
    json: bool,

    /// Language of the tool, for standard input or a file with another ending
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    lang: Option<Lang>,

    /// Page that the tool sees as `btcp.dom`, with --allow dom:read and dom:write
    #[arg(long, value_name = "FILE")]
    page: Option<String>,

    /// Write the page to this file when the tool is done
    #[arg(long, value_name = "FILE", requires = "page")]
    page_out: Option<String>,

    /// Globals of the tool: those of a worker (the default), or also a `window` and `document` of
    /// its own
    #[arg(long, value_enum, value_name = "BOUNDARY")]
    boundary: Option<Around>,

    /// Settings as JSON: the parameters of `sandbox.create` in rpc, or of `exec` with the tool in
    /// them; other options add to them
    #[arg(long, value_name = "FILE")]
    config: Option<String>,

    #[command(flatten)]
    named: Named,

    /// Print the content security policy that --allow amounts to, and run nothing
    #[arg(long)]
    explain_policy: bool,

    #[command(flatten)]
    place: Place,

    #[command(flatten)]
    permissions: PermissionArgs,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Lang {
    Js,
    Ts,
    Py,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Around {
    Worker,
    Iframe,
}

impl From<Around> for Boundary {
    fn from(around: Around) -> Self {
        match around {
            Around::Worker => Boundary::Worker,
            Around::Iframe => Boundary::Iframe,
        }
    }
}

/// Longest page that is read from a file.
const MAX_PAGE: u64 = 256 << 20;

impl Run {
    pub(crate) fn run(mut self) -> Result<u8, Failure> {
        let configured = self.config.as_deref().map(config_file::read).transpose()?;
        let configured = configured.unwrap_or_default();
        let limits = self.place.limits_over(configured.limits)?;
        if configured.asks {
            self.permissions.also_ask();
        }
        let Configured { builder, runnable, has_stdin, .. } = configured;
        let runnable = self.runnable(runnable, &limits)?;
        if let Some(file) = &self.page_out {
            place::check_target("--page-out", file)?;
        }
        let tool = match &runnable {
            Runnable::Tool(tool) => Some(tool.identity()),
            Runnable::Program(_) | Runnable::Native(_) => None,
        };
        self.permissions.open_ahead(tool.as_deref())?;
        let runtime = place::runtime_for_one_run(place::cells(&limits))?;
        let interrupts = match &runnable {
            Runnable::Tool(tool) => {
                let boundary = self.boundary.map_or(Boundary::Worker, Boundary::from);
                interrupt::after(runtime.tool_loader(tool, boundary))?
            }
            Runnable::Program(_) => interrupt::after(|| ())?,
            Runnable::Native(_) => return Err(not_native()),
        };
        let kept = self.named.open()?;
        let builder = builder.runtime(&runtime).limits(limits);
        let mut builder = kept.iter().fold(builder, |builder, kept| kept.fill(builder));
        if let Some(boundary) = self.boundary {
            builder = builder.boundary(boundary.into());
        }
        if let Some(file) = &self.page {
            builder = builder.page(page(file)?);
        }
        if let Some(folder) = &self.code {
            builder = script::with_code(builder, folder)?;
        }
        let (mut builder, broker) = self.permissions.fill(self.place.fill(builder)?)?;
        if !self.json {
            builder = builder.watcher(report::streams(&limits));
        }
        let sandbox = match &kept {
            Some(kept) => builder.build().map_err(|error| kept.blamed(error))?,
            None => builder.build()?,
        };
        if self.explain_policy {
            report::print(&format!(
                "{}",
                cofferdam::visible(&sandbox.content_policy().to_string())
            ));
            return Ok(0);
        }
        self.place.check_cwd(&sandbox)?;
        interrupts.cancel(&sandbox);
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        let reads_stdin = !has_stdin && self.file.as_deref() != Some("-");
        let (outcome, source) = match runnable {
            Runnable::Tool(tool) => {
                let tool = if reads_stdin { script::with_stdin(tool) } else { tool };
                let outcome = executor.block_on(sandbox.run(&tool))?;
                (outcome, tool.source().to_owned())
            }
            Runnable::Program(command) => {
                let command = if reads_stdin { place::with_stdin(command) } else { command };
                (executor.block_on(sandbox.run_program(command))?, String::new())
            }
            Runnable::Native(_) => return Err(not_native()),
        };
        broker.flush().map_err(Failure::from_broker)?;
        self.print(&outcome, &source);
        if let Some(kept) = &kept {
            kept.save(&sandbox)?;
        }
        if let (Some(file), Some(html)) = (&self.page_out, sandbox.page_html()) {
            std::fs::write(file, html)
                .map_err(|e| Failure::usage(format!("--page-out {file}: {}", plain(&e))))
                .map_err(|failure| failure.hint("--page-out out.html"))?;
        }
        Ok(outcome.exit_code())
    }

    /// Returns the tool of the command line, or the tool or program of the settings.
    fn runnable(&self, given: Option<Runnable>, limits: &Limits) -> Result<Runnable, Failure> {
        match (&self.file, given) {
            (Some(file), None) => Ok(Runnable::Tool(self.tool(file, limits)?)),
            (None, Some(Runnable::Tool(tool))) => Ok(Runnable::Tool(self.with_arguments(tool)?)),
            (None, Some(Runnable::Program(command))) => {
                Ok(Runnable::Program(match &self.place.cwd {
                    Some(cwd) => command.cwd(cwd),
                    None => command,
                }))
            }
            (None, Some(Runnable::Native(_))) => Err(not_native()),
            (Some(file), Some(_)) => {
                Err(Failure::usage(format!("{file}: --config has a tool or program of its own"))
                    .hint("leave out the file, or `kind` and `code` in the settings"))
            }
            (None, None) => Err(Failure::usage("--config: has no tool; a file is needed")
                .hint("cofferdam run FILE --config FILE")),
        }
    }

    // T-PERM-008: a grant used by another tool of the same name.
    fn tool(&self, name: &str, limits: &Limits) -> Result<Tool, Failure> {
        let mut tool = if name == "-" {
            let source = read(place::stdin(), "standard input", limits)?;
            Tool::javascript(source)
        } else {
            let path = Path::new(name);
            let file = std::fs::File::open(path).map_err(|e| {
                let meant = nearby::meant(name)
                    .filter(|_| e.kind() == std::io::ErrorKind::NotFound)
                    .map(|meant| format!("cofferdam run {}", shell_word(&meant)));
                let hint = "cofferdam run FILE, or - for standard input".to_owned();
                Failure::usage(format!("{}: {}", name, plain(&e))).hint(meant.unwrap_or(hint))
            })?;
            if file.metadata().is_ok_and(|m| m.is_dir()) {
                return Err(Failure::usage(format!("{}: is a directory", name)).hint(format!(
                    "cofferdam run {}",
                    shell_word(&format!("{}/tool.js", name.trim_end_matches('/')))
                )));
            }
            if let Some(failure) = other_kind(path, name) {
                return Err(failure);
            }
            let source = read(file, name, limits)?;
            let last = path.file_name().map_or("tool.js".into(), |last| last.to_string_lossy());
            Tool::from_file_name(&last, source)
        };
        match self.lang {
            Some(Lang::Js) => tool = tool.language(Language::JavaScript),
            Some(Lang::Ts) => tool = tool.language(Language::TypeScript),
            Some(Lang::Py) => {
                tool = tool.language(Language::Python);
                if name == "-" {
                    tool = tool.named("tool.py");
                }
            }
            None => {}
        }
        tool = script::placed(tool, name, self.code.as_deref(), &self.place)?;
        self.with_arguments(tool.argv(&self.arguments))
    }

    fn with_arguments(&self, mut tool: Tool) -> Result<Tool, Failure> {
        if let Some(args) = &self.args {
            let args = serde_json::from_str(args).map_err(|e| {
                Failure::usage(format!("--args: not JSON: {e}")).hint("--args '{\"n\":3}'")
            })?;
            tool = tool.args(args);
        }
        Ok(tool)
    }

    fn print(&self, outcome: &Outcome, source: &str) {
        if self.json {
            report::json(&outcome.to_json());
            return;
        }
        // A script that returns nothing has printed what it had to say.
        if let Some(value) = outcome.result().filter(|value| **value != Value::Undefined) {
            let converted = json::to_json(value);
            report::json(&converted.json);
            let is_plain_undefined = |n: &&json::Note| n.path == "$" && n.was == "undefined";
            for note in converted.notes.iter().filter(|note| !is_plain_undefined(note)) {
                let path = cofferdam::visible(&note.path);
                let text = format!("{path}: {} became {}", note.was, note.became);
                report::labelled(Tone::Note, "note", &text);
            }
        }
        report::outcome(outcome);
        if let Ending::Threw(error) = &outcome.ending
            && let Some(hint) = absent::hint(error, source)
        {
            report::labelled(Tone::Hint, "hint", &hint);
        }
    }
}

/// Names the verb to use for a file that is not a tool.
fn other_kind(path: &Path, name: &str) -> Option<Failure> {
    let failure = |what: &str| Failure::usage(format!("{name}: {what}, not a tool"));
    let name = shell_word(name);
    match path.extension()?.to_str()? {
        "wasm" => Some(failure("a WebAssembly module").hint(format!("cofferdam wasm {name}"))),
        "sh" | "bash" => Some(failure("a shell script").hint(format!("cofferdam sh {name}"))),
        "html" | "htm" => Some(
            failure("a page").hint(format!("cofferdam run tool.js --page {name} --allow dom:read")),
        ),
        "tsx" | "jsx" => {
            Some(failure("JSX").hint("compile it to .ts or .js first; JSX is not supported"))
        }
        "rb" | "pl" => Some(failure("another language").hint(
            "write the tool in JavaScript, TypeScript or Python, or run an interpreter made for \
             WASI: cofferdam wasm INTERPRETER.wasm",
        )),
        _ => None,
    }
}

/// Reads a page. Invalid UTF-8 is replaced, as in browsers.
fn page(file: &str) -> Result<String, Failure> {
    let failed = |what: String| {
        let meant = nearby::meant(file).filter(|_| !Path::new(file).exists());
        let meant = meant.unwrap_or_else(|| "page.html".to_owned());
        Failure::usage(format!("--page {file}: {what}"))
            .hint(format!("--page {}", shell_word(&meant)))
    };
    let opened = std::fs::File::open(file).map_err(|e| failed(plain(&e)))?;
    let mut bytes = Vec::new();
    let read = opened.take(MAX_PAGE + 1).read_to_end(&mut bytes);
    read.map_err(|e| failed(plain(&e)))?;
    if bytes.len() as u64 > MAX_PAGE {
        return Err(failed(format!("longer than {MAX_PAGE} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Most bytes that are read of a tool that is too long, to report its length.
const MAX_READ: u64 = 64 << 20;

fn not_native() -> Failure {
    Failure::usage("--config: kind: \"native\" is no tool").hint("cofferdam exec -- PROGRAM")
}

/// Reads the source of a tool.
// T-CELL-017: a source that is too long.
fn read(from: impl Read, name: &str, limits: &Limits) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(limits.source_bytes().saturating_add(1).max(MAX_READ))
        .read_to_end(&mut bytes)
        .map_err(|e| Failure::usage(format!("{name}: {}", plain(&e))))?;
    if bytes.len() as u64 > limits.source_bytes() {
        // The cut may be in the middle of a character; the source is too long in any case.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Failure::usage(format!("{name}: not UTF-8 at byte {at}"))
            .hint("save the tool as UTF-8 text")
    })
}
