//! Runs a program on a text and tries every way to match, which finds the longest match and knows
//! what each group matched on the way.

use super::Groups;
use super::program::{Program, Step};

/// First of nine private characters that stand for `\1` to `\9` in a translated expression.
const REFERENCES: u32 = 0xf_0000;
/// Steps after which a search gives up: what was found until then counts.
const MAX_STEPS: usize = 500_000;

/// Returns the character that stands for a back-reference.
pub(super) fn reference(digit: char) -> char {
    let number = digit.to_digit(10).unwrap_or_default();
    char::from_u32(REFERENCES + number).unwrap_or(digit)
}

/// Returns the number of the group that the character refers to.
pub(super) fn referred(c: char) -> Option<usize> {
    let number = u32::from(c).checked_sub(REFERENCES)?;
    (1..=9).contains(&number).then_some(number as usize)
}

/// Returns true if the translated expression has a back-reference.
pub(super) fn has_references(text: &str) -> bool {
    text.chars().any(|c| referred(c).is_some())
}

/// A change to undo, or another way to try.
enum Branch {
    Try { step: usize, at: usize },
    Restore { slot: usize, value: Option<usize> },
}

impl Program {
    /// Returns the groups of the longest match that starts at a position.
    pub(super) fn longest(&self, text: &[u8], start: usize) -> Option<Groups> {
        let mut slots: Vec<Option<usize>> = vec![None; self.slots];
        let mut branches = vec![Branch::Try { step: 0, at: start }];
        let mut best: Option<Vec<Option<usize>>> = None;
        let mut budget = MAX_STEPS;
        while let Some(branch) = branches.pop() {
            let (mut step, mut at) = match branch {
                Branch::Try { step, at } => (step, at),
                Branch::Restore { slot, value } => {
                    slots[slot] = value;
                    continue;
                }
            };
            loop {
                if budget == 0 {
                    return best.map(|slots| self.groups(&slots));
                }
                budget -= 1;
                match &self.steps[step] {
                    Step::Bytes(bytes) => match text[at..].starts_with(bytes) {
                        true => at += bytes.len(),
                        false => break,
                    },
                    Step::Class(class) => match class.take(&text[at..]) {
                        Some(length) => at += length,
                        None => break,
                    },
                    Step::Look(look) => {
                        if !look.holds(text, at) {
                            break;
                        }
                    }
                    Step::Reference(group) => {
                        let (Some(from), Some(to)) = (slots[group * 2], slots[group * 2 + 1])
                        else {
                            break;
                        };
                        let Some(rest) = text[at..].strip_prefix(&text[from..to]) else { break };
                        at = text.len() - rest.len();
                    }
                    Step::Save(slot) => {
                        branches.push(Branch::Restore { slot: *slot, value: slots[*slot] });
                        slots[*slot] = Some(at);
                    }
                    // A repetition that matched nothing would repeat forever.
                    Step::Progress(slot) => {
                        if slots[*slot] == Some(at) {
                            break;
                        }
                    }
                    Step::Split(other) => branches.push(Branch::Try { step: *other, at }),
                    Step::Jump(to) => {
                        step = *to;
                        continue;
                    }
                    Step::Match => {
                        slots[1] = Some(at);
                        let longest = best.as_ref().and_then(|slots| slots[1]);
                        if longest.is_none_or(|end| at > end) {
                            slots[0] = Some(start);
                            best = Some(slots.clone());
                        }
                        if at == text.len() {
                            return best.map(|slots| self.groups(&slots));
                        }
                        break;
                    }
                }
                step += 1;
            }
        }
        best.map(|slots| self.groups(&slots))
    }

    fn groups(&self, slots: &[Option<usize>]) -> Groups {
        slots[..self.groups * 2]
            .chunks(2)
            .map(|pair| Some(pair[0]?..pair[1]?).filter(|range| range.start <= range.end))
            .collect()
    }
}
