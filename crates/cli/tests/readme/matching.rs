//! Compares output with a document.

/// Explains how the output differs from the expected lines; `…` alone on a line stands for any
/// lines.
pub(crate) fn lines(expected: &[String], printed: &[String]) -> Result<(), String> {
    match (expected.first(), printed.first()) {
        (None, None) => Ok(()),
        (None, Some(line)) => Err(format!("not expected: {line}")),
        (Some(first), _) if first == "…" => {
            let rest = &expected[1..];
            let fits = |from: usize| lines(rest, &printed[from..]).is_ok();
            match (0..=printed.len()).any(fits) {
                true => Ok(()),
                false => Err(format!("nothing fits behind …: {rest:?}")),
            }
        }
        // A tool that is killed without leaving by itself has no stack.
        (Some(first), line) if first.starts_with("    at ") && line != Some(first) => {
            lines(&expected[1..], printed)
        }
        (Some(first), None) => Err(format!("missing: {first}")),
        (Some(first), Some(line)) if line_fits(&masked(first), &masked(line)) => {
            lines(&expected[1..], &printed[1..])
        }
        (Some(first), Some(line)) => Err(format!("expected {first}\ninstead  {line}")),
    }
}

/// Compares one line; `…` stands for any text.
fn line_fits(expected: &str, line: &str) -> bool {
    match expected.split_once('…') {
        None => expected == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let mut starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            starts.any(|at| line_fits(after, &rest[at..]))
        }),
    }
}

/// Replaces times, dates and ids of runs, which differ in every run, by a star.
fn masked(line: &str) -> String {
    let mut masked = String::new();
    for word in line.split_inclusive([' ', ',', '"', '}']) {
        let end = word.trim_end_matches([' ', ',', '"', '}']).len();
        let (core, tail) = word.split_at(end);
        let is_time = core.contains('.') && core.parse::<f64>().is_ok()
            || core.strip_prefix(':').is_some_and(|number| number.parse::<f64>().is_ok())
                && masked.ends_with("executionTimeMs\"");
        let is_date = core.len() >= 20 && core.starts_with("20") && core.ends_with('Z');
        match is_time || is_date || core.starts_with("run_") {
            true => masked.push('*'),
            false => masked.push_str(core),
        }
        masked.push_str(tail);
    }
    masked
}

/// Returns the ids of requests and grants in a line.
pub(crate) fn ids(line: &str) -> Vec<&str> {
    let starts = ["req_", "grt_"].into_iter().flat_map(|mark| line.match_indices(mark));
    let mut starts: Vec<_> = starts.map(|(at, _)| at).collect();
    starts.sort_unstable();
    let is_id = |id: &&str| id[4..].chars().all(|c| c.is_ascii_alphanumeric());
    starts.into_iter().filter_map(|at| line.get(at..at + 14)).filter(is_id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: &[&str], printed: &[&str], is_same: bool) {
        let owned =
            |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert_eq!(lines(&owned(expected), &owned(printed)).is_ok(), is_same, "{expected:?}");
    }

    #[test]
    fn dots_stand_for_text_or_lines() {
        check(&["a", "…", "z"], &["a", "b", "c", "z"], true);
        check(&["a", "…"], &["a"], true);
        check(&["a…c"], &["abbc"], true);
        check(&["a…c"], &["abbd"], false);
        check(&["a"], &["a", "b"], false);
        check(&["a", "b"], &["a"], false);
    }

    #[test]
    fn a_place_in_the_tool_may_be_missing_but_not_another() {
        check(&["error", "    at tool (a.js)", "hint"], &["error", "hint"], true);
        check(&["error", "    at tool (a.js)"], &["error", "    at tool (a.js)"], true);
        check(&["error", "    at tool (a.js)"], &["error", "    at tool (b.js)"], false);
    }

    #[test]
    fn times_and_dates_may_differ_and_nothing_else() {
        check(&["took 5.591 ms"], &["took 0.100 ms"], true);
        check(&["limit of 200 ms"], &["limit of 201 ms"], false);
        check(&["at 2026-01-01T00:00:00.1Z"], &["at 2027-02-03T04:05:06.7Z"], true);
        check(&[r#"{"executionTimeMs":5}"#], &[r#"{"executionTimeMs":7.25}"#], true);
        check(&[r#"{"exitCode":5}"#], &[r#"{"exitCode":7}"#], false);
    }
}
