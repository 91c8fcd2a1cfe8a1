//! Suggestions for misspelled capability names.

use strsim::levenshtein;

use crate::capability::Capability;
use crate::kind::Kind;
use crate::visible::visible;

/// Longest name that suggestions are computed for, far above the longest known name.
const MAX_GUESSED: usize = 64;

/// Most letters that may be wrong, missing or superfluous; a transposition counts as two.
const MAX_TYPOS: usize = 3;

/// Names that other systems use for our areas.
const AREAS: &[(&str, &str)] = &[
    ("command", "process"),
    ("document", "dom"),
    ("environment", "env"),
    ("exec", "process"),
    ("file", "fs"),
    ("files", "fs"),
    ("filesystem", "fs"),
    ("http", "network"),
    ("https", "network"),
    ("localStorage", "storage:local"),
    ("net", "network"),
    ("page", "dom"),
    ("sessionStorage", "storage:session"),
    ("shell", "process"),
    ("subprocess", "process"),
    ("tool", "function"),
    ("web", "network"),
];

/// Names that other systems use for our actions; the action depends on the area.
const ACTIONS: &[(&str, &[&str])] = &[
    ("append", &["write"]),
    ("connect", &["fetch"]),
    ("create", &["write"]),
    ("delete", &["write", "fetch"]),
    ("get", &["read", "fetch"]),
    ("invoke", &["call", "exec"]),
    ("list", &["read"]),
    ("post", &["fetch"]),
    ("put", &["write", "fetch"]),
    ("remove", &["write"]),
    ("request", &["fetch"]),
    ("run", &["exec", "call"]),
    ("set", &["write"]),
    ("spawn", &["exec"]),
    ("use", &["call"]),
];

/// Returns the capability that `text` probably means, with its scope if that is valid.
pub(crate) fn meant(text: &str) -> Option<String> {
    // A longer name with a shorter scope is preferred only if it has fewer typos.
    let (_, kind, scope) = [2, 3, 1]
        .into_iter()
        .filter_map(|words| {
            let (name, scope) = split_after(text, words)?;
            let (typos, kind) = nearest(name)?;
            Some((typos, kind, scope))
        })
        .min_by_key(|(typos, ..)| *typos)?;
    let Some(scope) = scope else { return Some(kind.to_string()) };
    match format!("{kind}:{scope}").parse::<Capability>() {
        Ok(capability) => Some(visible(&capability.to_string()).into_owned()),
        // The bare name would grant everything, which was not the intent.
        Err(_) => Some(format!("{kind}:{}", kind.scope())),
    }
}

/// Splits the text after `words` parts between colons.
fn split_after(text: &str, words: usize) -> Option<(&str, Option<&str>)> {
    let mut colons = text.match_indices(':').map(|(at, _)| at);
    match colons.nth(words - 1) {
        Some(at) => Some((&text[..at], Some(&text[at + 1..]))),
        None => (text.split(':').count() == words).then_some((text, None)),
    }
}

fn nearest(name: &str) -> Option<(usize, Kind)> {
    if name.len() > MAX_GUESSED {
        return None;
    }
    let (area, action) = name.split_once(':').unwrap_or((name, ""));
    let area = AREAS.iter().find(|(other, _)| *other == area).map_or(area, |(_, ours)| ours);
    let actions =
        ACTIONS.iter().find(|(other, _)| *other == action).map_or(&[][..], |(_, ours)| ours);
    let read_as = |action: &str| match action {
        "" => area.to_owned(),
        action => format!("{area}:{action}"),
    };
    // A synonym counts as one typo.
    let same = |kind: &Kind| actions.iter().any(|action| read_as(action) == kind.name());
    if let Some(kind) = Kind::ALL.into_iter().find(same) {
        return Some((1, kind));
    }
    let written = read_as(action);
    let in_area = |kind: &Kind| kind.name().starts_with(&format!("{area}:"));
    let (typos, known_area, kind) = Kind::ALL
        .into_iter()
        .map(|kind| (levenshtein(&written, kind.name()), in_area(&kind), kind))
        .min_by_key(|(typos, known_area, _)| (!known_area, *typos))?;
    (known_area || typos <= MAX_TYPOS).then_some((typos, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        assert_eq!(meant(input).as_deref(), Some(expect), "{input}");
    }

    #[test]
    fn swapped_letters_are_put_right() {
        check("fs:raed", "fs:read");
        check("fs:wirte:/data/**", "fs:write:/data/**");
        check("storage:lcoal:read:theme", "storage:local:read:theme");
    }

    #[test]
    fn words_of_other_systems_are_known() {
        check("network:get", "network:fetch");
        check("file:read", "fs:read");
        check("file:read:/a", "fs:read:/a");
        check("net:connect", "network:fetch");
        check("fs:delete:/a", "fs:write:/a");
        check("shell:run:git", "process:exec:git");
        check("localStorage:get:theme", "storage:local:read:theme");
    }

    #[test]
    fn area_alone_finds_its_first_action() {
        check("fs", "fs:read");
        check("network", "network:fetch");
        check("process", "process:exec");
    }

    #[test]
    fn missing_middle_is_filled_in() {
        check("storage:read", "storage:local:read");
        check("storage:read:theme", "storage:local:read:theme");
    }

    #[test]
    fn case_is_put_right() {
        check("FS:read", "fs:read");
    }

    #[test]
    fn scope_that_would_not_do_is_not_widened_to_everything() {
        check("file:read:data", "fs:read:PATH");
        check("network:get:a.example", "network:fetch:[METHODS@]URL-PATTERN");
    }

    #[test]
    fn text_far_from_everything_has_no_neighbour() {
        assert_eq!(meant("teleport:home"), None);
        assert_eq!(meant(""), None);
        assert_eq!(meant(&"fsraed".repeat(1000)), None);
    }
}
