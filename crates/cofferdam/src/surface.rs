//! Selects the members of `btcp` that a tool sees: those with a grant, and those that the tool
//! declared.

use cofferdam_broker::Preview;
use cofferdam_caps::function::FunctionName;
use cofferdam_caps::{Kind, Request};

use crate::drive::Course;
use crate::interrupted::Interrupted;
use crate::outcome::{Ending, ScriptError};
use crate::tool::Tool;

/// Members, with the kinds of capability that make each appear.
const MEMBERS: [(&str, &[Kind]); 7] = [
    ("dom", &[Kind::DomRead, Kind::DomWrite]),
    ("env", &[Kind::EnvRead]),
    ("exec", &[Kind::ProcessExec]),
    ("fs", &[Kind::FsRead, Kind::FsWrite]),
    ("localStorage", &[Kind::StorageLocalRead, Kind::StorageLocalWrite]),
    ("sessionStorage", &[Kind::StorageSessionRead, Kind::StorageSessionWrite]),
    ("state", &[Kind::StateRead, Kind::StateWrite]),
];

/// Returns the members that a tool sees. Declared capabilities are requested first, all at once; an
/// invalid declaration ends the run.
pub(crate) async fn members(course: &Course, tool: &Tool) -> Result<Vec<String>, Interrupted> {
    let desk = &course.desk.clone();
    let declared = match tool.declared() {
        Ok(declared) => declared,
        Err(error) => {
            let (name, message) = ("SyntaxError".into(), error.to_string());
            return Err(Ending::Threw(ScriptError { name, message, ..Default::default() }).into());
        }
    };
    let mut members = Vec::new();
    if declared.iter().next().is_some() {
        desk.declare(&declared);
        let answered = course.clock.ask(desk.ask_declared()?).await;
        // A run that was stopped while waiting is stopped again before its first instruction.
        if let Ok(answered) = answered {
            answered?;
        }
    }
    let seen = desk.seen(&Kind::ALL)?;
    let is_seen = |kind: &Kind| seen[*kind as usize];
    for (member, kinds) in MEMBERS {
        if kinds.iter().any(is_seen) {
            let is_page = kinds.contains(&Kind::DomRead);
            let name = if is_page { course.state.boundary.page_member() } else { member };
            members.push(name.to_owned());
        }
    }
    if is_seen(&Kind::FunctionCall) {
        for name in course.state.resources.functions.names() {
            let Ok(function) = name.parse::<FunctionName>() else { continue };
            let request = Request::Function { name: function };
            let is_granted = matches!(desk.would_grant(&request)?, Preview::Granted(..));
            if is_granted || declared.allowing(&request).next().is_some() {
                members.push(format!("functions.{name}"));
            }
        }
    }
    if course.console.is_some() {
        members.push("stdin".to_owned());
    }
    Ok(members)
}
