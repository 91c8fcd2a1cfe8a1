//! Hints for tools that use a member of `btcp` that no grant makes appear. The tool itself only
//! sees `undefined`.

use cofferdam::ScriptError;

/// Members of `btcp`, each with a capability that makes it appear.
const MEMBERS: [(&str, &str); 9] = [
    ("dom", "dom:read"),
    ("env", "env:read:NAME"),
    ("exec", "process:exec:NAME"),
    ("fs", "fs:read:/data/**"),
    ("functions", "function:call:NAME"),
    ("localStorage", "storage:local:read"),
    ("parentDOM", "dom:read"),
    ("sessionStorage", "storage:session:read"),
    ("state", "state:read:NAME"),
];

/// Returns the option that would help, judging by the error and the source of the tool.
pub(crate) fn hint(error: &ScriptError, source: &str) -> Option<String> {
    if error.name == "ReferenceError" {
        let is_page = ["document", "window", "DOMParser"]
            .iter()
            .any(|name| error.message == format!("{name} is not defined"));
        return is_page.then(|| "--boundary iframe   (gives the tool a document)".to_owned());
    }
    if error.name != "TypeError" || !source.contains("btcp") {
        return None;
    }
    let (member, capability) = match undefined_property(&error.message) {
        Some(property) => {
            MEMBERS.iter().find(|(member, _)| source.contains(&format!("{member}.{property}")))?
        }
        None if error.message == "not a function" => {
            MEMBERS.iter().find(|(member, _)| source.contains(&format!("btcp.{member}(")))?
        }
        None => return None,
    };
    Some(format!("--allow '{capability}'   (makes btcp.{member} available)"))
}

/// Returns the name of the property that was read from `undefined`.
fn undefined_property(message: &str) -> Option<&str> {
    let rest = message.strip_prefix("cannot read property '")?;
    rest.strip_suffix("' of undefined").filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, message: &str, source: &str, expected: Option<&str>) {
        let mut error = ScriptError::default();
        (error.name, error.message) = (name.into(), message.into());
        let hint = hint(&error, source);
        assert_eq!(hint.as_deref().and_then(|hint| hint.split("   ").next()), expected);
    }

    #[test]
    fn a_member_that_is_not_granted_is_named() {
        let message = "cannot read property 'count' of undefined";
        check("TypeError", message, "btcp.dom.count('li')", Some("--allow 'dom:read'"));
        let destructured = "const { dom } = btcp; return dom.count('li')";
        check("TypeError", message, destructured, Some("--allow 'dom:read'"));
        let source = "await btcp.exec('ls')";
        check("TypeError", "not a function", source, Some("--allow 'process:exec:NAME'"));
    }

    #[test]
    fn a_document_is_another_boundary() {
        let message = "document is not defined";
        check("ReferenceError", message, "document.title", Some("--boundary iframe"));
    }

    #[test]
    fn a_mistake_of_the_tool_is_its_own() {
        check("TypeError", "cannot read property 'x' of undefined", "btcp; y.x", None);
        check("ReferenceError", "y is not defined", "btcp.dom; y", None);
        check("Error", "cannot read property 'count' of undefined", "btcp.dom.count()", None);
    }
}
