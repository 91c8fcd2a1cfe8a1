//! Finds the blocks of a document.

/// A `console` block.
pub(crate) struct Block {
    pub(crate) steps: Vec<Step>,
    pub(crate) is_pictured: bool,
}

/// A command and its expected output.
pub(crate) struct Step {
    /// Line in the document, counted from 1.
    pub(crate) line: usize,
    pub(crate) command: String,
    pub(crate) printed: Vec<String>,
}

/// Comment in front of a block that is part of the picture.
const PICTURED: &str = "<!-- pictured -->";

impl Block {
    /// Returns all blocks of a document, in order.
    pub(crate) fn all(text: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        let (mut is_inside, mut is_pictured) = (false, false);
        for (number, line) in text.lines().enumerate() {
            match (is_inside, line) {
                (false, "```console") => {
                    blocks.push(Block { steps: Vec::new(), is_pictured });
                    (is_inside, is_pictured) = (true, false);
                }
                (false, line) => is_pictured = line == PICTURED,
                (true, "```") => is_inside = false,
                (true, line) => {
                    let steps = &mut blocks.last_mut().expect("one is open").steps;
                    add(steps, number + 1, line);
                }
            }
        }
        for step in blocks.iter_mut().flat_map(|block| &mut block.steps) {
            // Empty lines between steps are for readers.
            while step.printed.last().is_some_and(String::is_empty) {
                step.printed.pop();
            }
        }
        blocks
    }
}

fn add(steps: &mut Vec<Step>, line: usize, text: &str) {
    match text.strip_prefix("$ ") {
        Some(command) => {
            steps.push(Step { line, command: command.to_owned(), printed: Vec::new() });
        }
        None => {
            let step = steps.last_mut();
            let step = step.unwrap_or_else(|| panic!("line {line}: no command before {text:?}"));
            step.printed.push(text.to_owned());
        }
    }
}

/// Returns the targets of links and pictures that are files of the repository.
pub(crate) fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with('#')).collect()
}
