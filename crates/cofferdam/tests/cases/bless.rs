//! Rewrites the expectations of case files to what happens.

use crate::outcome::{self, Happened};
use crate::parse::{Case, Kind, Step};

/// Returns the file with its expectations replaced, missing ones added and wrong ones removed.
pub(crate) fn rewrite(text: &str, cases: &[Case]) -> String {
    let mut lines: Vec<Option<String>> = text.lines().map(|line| Some(line.to_owned())).collect();
    for case in cases {
        for (step, happened) in case.steps.iter().zip(outcome::run(case)) {
            rewrite_step(&mut lines, step, &happened);
        }
    }
    lines.into_iter().flatten().map(|line| line + "\n").collect()
}

fn rewrite_step(lines: &mut [Option<String>], step: &Step, happened: &Happened) {
    let actual = outcome::describe(happened);
    let mut last = step.end;
    for (kind, block) in &step.expected {
        let mut kept = lines[block.start - 1].take().filter(|_| actual.contains_key(kind));
        lines[block.start..block.end].iter_mut().for_each(|line| *line = None);
        if let Some(opening) = &mut kept {
            let text = with_stack_lines(*kind, &actual[kind], &block.text, happened);
            let fence = opening.trim_end_matches(kind.name()).to_owned();
            opening.push_str(&format!("\n{text}\n{fence}"));
        }
        lines[block.start - 1] = kept;
        last = last.max(block.end);
    }
    let mut added = String::new();
    for (kind, text) in actual.iter().filter(|(kind, _)| !step.expected.contains_key(kind)) {
        added.push_str(&format!("\n```{}\n{text}\n```", kind.name()));
    }
    if !added.is_empty() {
        let end = lines[last - 1].take();
        lines[last - 1] =
            Some(end.unwrap_or_default() + &added).map(|text| match text.strip_prefix('\n') {
                Some(text) => text.to_owned(),
                None => text,
            });
    }
}

/// Keeps those lines of an error that its stack still has.
fn with_stack_lines(kind: Kind, actual: &str, before: &str, happened: &Happened) -> String {
    let mut text = actual.to_owned();
    if kind == Kind::Error {
        let stack = outcome::stack(happened);
        let asked = before.lines().skip(1).filter(|line| stack.contains(line.trim()));
        asked.for_each(|line| text.push_str(&format!("\n{line}")));
    }
    text
}
