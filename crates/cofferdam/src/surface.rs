//! Which members of `btcp` a tool sees: those of which something is granted, or that it declared.

use std::time::Instant;

use cofferdam_broker::Preview;
use cofferdam_caps::tool::ToolName;
use cofferdam_caps::{Kind, Request};

use crate::drive::{Course, FOREVER};
use crate::error::Error;
use crate::outcome::{Ending, ScriptError};
use crate::tool::Tool;

/// Members, and the kinds of capability that make each of them appear.
const MEMBERS: [(&str, &[Kind]); 7] = [
    ("dom", &[Kind::DomRead, Kind::DomWrite]),
    ("env", &[Kind::EnvRead]),
    ("exec", &[Kind::ProcessExec]),
    ("fs", &[Kind::FsRead, Kind::FsWrite]),
    ("localStorage", &[Kind::StorageLocalRead, Kind::StorageLocalWrite]),
    ("sessionStorage", &[Kind::StorageSessionRead, Kind::StorageSessionWrite]),
    ("state", &[Kind::StateRead, Kind::StateWrite]),
];

/// The members that a tool sees. What it declared is asked for first, all at once; a
/// declaration that makes no sense ends the run.
pub(crate) async fn members(
    course: &mut Course,
    tool: &Tool,
) -> Result<Result<Vec<String>, Ending>, Error> {
    let desk = &course.desk.clone();
    let declared = match tool.declared() {
        Ok(declared) => declared,
        Err(error) => {
            let (name, message) = ("SyntaxError".into(), error.to_string());
            return Ok(Err(Ending::Threw(ScriptError { name, message, ..Default::default() })));
        }
    };
    let mut members = Vec::new();
    if declared.iter().next().is_some() {
        desk.declare(&declared);
        let (began, waiting) = (Instant::now(), desk.ask_declared()?);
        let answered = course.term.switch.unless_stopped(began + FOREVER, waiting).await;
        // The time that somebody takes to decide is not the tool's.
        course.term.deadline += began.elapsed();
        // One who is stopped while waiting is stopped again before the first instruction.
        if let Ok(answered) = answered {
            answered?;
        }
    }
    let seen = desk.seen(&Kind::ALL)?;
    let is_seen = |kind: &Kind| seen[*kind as usize];
    for (member, kinds) in MEMBERS {
        if kinds.iter().any(is_seen) {
            let is_page = kinds.contains(&Kind::DomRead);
            let name = if is_page { course.world.boundary.page_member() } else { member };
            members.push(name.to_owned());
        }
    }
    if is_seen(&Kind::ToolCall) {
        for name in course.world.resources.functions.names() {
            let Ok(tool) = name.parse::<ToolName>() else { continue };
            let request = Request::Tool { name: tool };
            let is_granted = matches!(desk.would_grant(&request)?, Preview::Granted(..));
            if is_granted || declared.allowing(&request).next().is_some() {
                members.push(format!("tools.{name}"));
            }
        }
    }
    if course.console.is_some() || tool.script.input.is_some() {
        members.push("stdin".to_owned());
    }
    Ok(Ok(members))
}
