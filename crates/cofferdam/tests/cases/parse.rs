//! Parses case files.

use std::collections::BTreeMap;

use cofferdam::{Boundary, Capability, Clock, Language, Limits};
use serde_json::Value as Json;

/// One heading and its blocks.
pub(crate) struct Case {
    pub(crate) claim: String,
    /// Line of the heading, counted from 1.
    pub(crate) line: usize,
    pub(crate) limits: Limits,
    pub(crate) files: Vec<(String, String)>,
    /// Links, with their targets.
    pub(crate) links: Vec<(String, String)>,
    pub(crate) grants: Vec<Capability>,
    pub(crate) page: Option<String>,
    pub(crate) boundary: Boundary,
    pub(crate) clock: Clock,
    pub(crate) is_session: bool,
    pub(crate) steps: Vec<Step>,
}

impl Case {
    /// Returns true if every step is a shell command. They share files and environment.
    fn is_shell(&self) -> bool {
        self.steps.iter().all(Step::is_shell)
    }
}

/// One tool or command, with its expectations.
pub(crate) struct Step {
    pub(crate) what: What,
    pub(crate) source: String,
    pub(crate) args: Option<Json>,
    /// Last line of the block of the tool.
    pub(crate) end: usize,
    pub(crate) expected: BTreeMap<Kind, Block>,
}

impl Step {
    fn is_shell(&self) -> bool {
        matches!(self.what, What::Shell)
    }
}

/// The kind of a step.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Tool { language: Language, is_module: bool },
    Shell,
}

/// Kinds of expectations, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Result,
    Notes,
    Error,
    Stdout,
    Stderr,
    PageOut,
    Events,
    Truncated,
    Exit,
}

impl Kind {
    const ALL: [Kind; 9] = [
        Kind::Result,
        Kind::Notes,
        Kind::Error,
        Kind::Stdout,
        Kind::Stderr,
        Kind::PageOut,
        Kind::Events,
        Kind::Truncated,
        Kind::Exit,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Result => "result",
            Kind::Notes => "notes",
            Kind::Error => "error",
            Kind::Stdout => "stdout",
            Kind::Stderr => "stderr",
            Kind::PageOut => "page-out",
            Kind::Events => "events",
            Kind::Truncated => "truncated",
            Kind::Exit => "exit",
        }
    }
}

/// A fenced block.
#[derive(Clone)]
pub(crate) struct Block {
    /// Text after the opening fence.
    pub(crate) info: String,
    pub(crate) text: String,
    /// Lines of the fences, counted from 1.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// An error in a case file, with its line.
pub(crate) struct Bad {
    pub(crate) line: usize,
    pub(crate) what: String,
}

fn bad<T>(line: usize, what: impl Into<String>) -> Result<T, Bad> {
    Err(Bad { line, what: what.into() })
}

pub(crate) fn parse(text: &str) -> Result<Vec<Case>, Bad> {
    let mut cases: Vec<Draft> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let number = at + 1;
        if let Some(claim) = line.strip_prefix("## ") {
            if cases.iter().any(|draft| draft.case.claim == claim) {
                return bad(number, format!("a second case of the name {claim:?}"));
            }
            finish(cases.last())?;
            cases.push(Draft::new(claim, number));
        }
        let Some(fence) = fence(line) else { continue };
        let mut block = Block {
            info: line[fence.len()..].trim().into(),
            text: String::new(),
            start: number,
            end: 0,
        };
        for (at, line) in lines.by_ref() {
            if line.trim_end() == fence {
                block.end = at + 1;
                break;
            }
            block.text.push_str(line);
            block.text.push('\n');
        }
        if block.end == 0 {
            return bad(number, "a block without an end");
        }
        block.text.pop();
        match cases.last_mut() {
            Some(draft) => draft.block(block)?,
            None => return bad(number, "a block before the first heading"),
        }
    }
    finish(cases.last())?;
    match cases.is_empty() {
        true => bad(1, "no cases; a case begins with `## claim`"),
        false => Ok(cases.into_iter().map(|draft| draft.case).collect()),
    }
}

/// Returns the backticks at the start of a line, if they open a block.
fn fence(line: &str) -> Option<&str> {
    let len = line.len() - line.trim_start_matches('`').len();
    (len >= 3).then(|| &line[..len])
}

fn finish(draft: Option<&Draft>) -> Result<(), Bad> {
    let Some(draft) = draft else { return Ok(()) };
    match draft.case.steps.len() {
        0 => bad(draft.case.line, "a case without a tool"),
        2.. if !draft.case.is_session && !draft.case.is_shell() => {
            bad(draft.case.line, "more than one tool and no `session`")
        }
        _ if draft.case.is_session && draft.case.steps.iter().any(Step::is_shell) => {
            bad(draft.case.line, "a `session` is for tools")
        }
        _ if draft.args.is_some() => bad(draft.case.line, "args after the last tool"),
        _ => Ok(()),
    }
}

/// A case that is being parsed.
struct Draft {
    case: Case,
    args: Option<Json>,
}

impl Draft {
    fn new(claim: &str, line: usize) -> Self {
        let case = Case {
            claim: claim.into(),
            line,
            limits: Limits::default(),
            files: Vec::new(),
            links: Vec::new(),
            grants: Vec::new(),
            page: None,
            boundary: Boundary::Worker,
            clock: Clock::Fixed(1_700_000_000_000.0),
            is_session: false,
            steps: Vec::new(),
        };
        Draft { case, args: None }
    }

    fn block(&mut self, block: Block) -> Result<(), Bad> {
        let case = &mut self.case;
        match block.info.as_str() {
            "js" | "js module" | "ts" | "ts module" | "py" | "sh" => case.steps.push(Step {
                what: match block.info.as_str() {
                    "sh" => What::Shell,
                    info => What::Tool {
                        language: match info.split(' ').next() {
                            Some("ts") => Language::TypeScript,
                            Some("py") => Language::Python,
                            _ => Language::JavaScript,
                        },
                        is_module: info.ends_with("module"),
                    },
                },
                source: block.text,
                args: self.args.take(),
                end: block.end,
                expected: BTreeMap::new(),
            }),
            "args" => match serde_json::from_str(&block.text) {
                Ok(args) => self.args = Some(args),
                Err(error) => return bad(block.start + error.line(), format!("args: {error}")),
            },
            "limits" => block.each(|line| {
                let (name, value) = line.split_once('=').ok_or("not NAME = NUMBER")?;
                let value = value.trim().replace('_', "").parse().map_err(|_| "not a number")?;
                case.limits.set(name.trim(), value).map_err(|e| e.to_string())
            })?,
            "files" => block.each(|line| {
                if let Some((link, target)) = line.split_once(" -> ") {
                    case.links.push((link.into(), target.into()));
                    return Ok(());
                }
                let (path, content) = line.split_once(": ").ok_or("not PATH: CONTENT")?;
                case.files.push((path.into(), content.into()));
                Ok(())
            })?,
            "grants" => block.each(|line| {
                case.grants.push(line.parse().map_err(|e| format!("{e}"))?);
                Ok(())
            })?,
            "clock" if block.text == "system" => case.clock = Clock::System,
            "clock" => return bad(block.start + 1, "not a clock; the other one is `system`"),
            "page" => case.page = Some(block.text),
            "boundary" if block.text == "iframe" => case.boundary = Boundary::Iframe,
            "boundary" => return bad(block.start + 1, "not a boundary; the other is `iframe`"),
            "session" => case.is_session = true,
            name => return self.expectation(name.to_owned(), block),
        }
        Ok(())
    }

    fn expectation(&mut self, name: String, block: Block) -> Result<(), Bad> {
        let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.name() == name) else {
            return bad(block.start, format!("{name:?}: unknown block"));
        };
        let Some(step) = self.case.steps.last_mut() else {
            return bad(block.start, format!("{name} before the tool it is expected of"));
        };
        if kind == Kind::Result
            && let Err(error) = serde_json::from_str::<Json>(&block.text)
        {
            return bad(block.start + error.line(), format!("result: {error}"));
        }
        let start = block.start;
        match step.expected.insert(kind, block) {
            Some(_) => bad(start, format!("a second {name} for one tool")),
            None => Ok(()),
        }
    }
}

impl Block {
    /// Parses the block line by line; an error names its line.
    fn each(&self, mut read: impl FnMut(&str) -> Result<(), String>) -> Result<(), Bad> {
        for (index, line) in self.text.lines().enumerate() {
            let read = read(line);
            read.map_err(|what| Bad {
                line: self.start + 1 + index,
                what: format!("{line}: {what}"),
            })?;
        }
        Ok(())
    }
}
