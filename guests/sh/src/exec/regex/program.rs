//! Translates an expression into the steps that [`super::backtrack`] runs.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::backtrack::referred;

/// Most steps of a program; repetition counts multiply them.
const MAX_STEPS: usize = 20_000;

/// An expression as a list of steps.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    /// Number of groups, with the whole match.
    pub(super) groups: usize,
    /// Number of positions that are remembered: two for each group, one for each repetition.
    pub(super) slots: usize,
}

/// One step; it goes on with the next one unless it says otherwise.
#[derive(Debug)]
pub(super) enum Step {
    Bytes(Box<[u8]>),
    Class(Members),
    Look(Place),
    /// Matches what a group has matched.
    Reference(usize),
    /// Remembers the position.
    Save(usize),
    /// Fails if the position is the remembered one.
    Progress(usize),
    /// Remembers another step to try.
    Split(usize),
    Jump(usize),
    Match,
}

/// A class of characters or of bytes.
#[derive(Debug)]
pub(super) struct Members(Class);

impl Members {
    /// Returns the length of the character at the start of the text, if it belongs to the class.
    pub(super) fn take(&self, text: &[u8]) -> Option<usize> {
        match &self.0 {
            Class::Unicode(class) => {
                let piece = text.utf8_chunks().next()?.valid();
                let c = piece.chars().next()?;
                let is_in = |range: &regex_syntax::hir::ClassUnicodeRange| {
                    (range.start()..=range.end()).contains(&c)
                };
                class.iter().any(is_in).then(|| c.len_utf8())
            }
            Class::Bytes(class) => {
                let byte = *text.first()?;
                let is_in = |range: &regex_syntax::hir::ClassBytesRange| {
                    (range.start()..=range.end()).contains(&byte)
                };
                class.iter().any(is_in).then_some(1)
            }
        }
    }
}

/// A condition on a position.
#[derive(Debug)]
pub(super) struct Place(Look);

impl Place {
    pub(super) fn holds(&self, text: &[u8], at: usize) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        let before = || {
            let chunk = text[..at].utf8_chunks().last();
            let last = chunk.and_then(|chunk| chunk.valid().chars().next_back());
            is_word(last)
        };
        let after = || {
            let chunk = text[at..].utf8_chunks().next();
            is_word(chunk.and_then(|chunk| chunk.valid().chars().next()))
        };
        match self.0 {
            Look::Start => at == 0,
            Look::End => at == text.len(),
            Look::WordStartUnicode | Look::WordStartAscii => !before() && after(),
            Look::WordEndUnicode | Look::WordEndAscii => before() && !after(),
            Look::WordUnicodeNegate | Look::WordAsciiNegate => before() == after(),
            // The translation uses no other conditions.
            _ => before() != after(),
        }
    }
}

impl Program {
    /// Translates an expression; `None` if it is invalid, too long or refers to a missing group.
    pub(super) fn new(text: &str, fold: bool) -> Option<Program> {
        let hir = ParserBuilder::new()
            .case_insensitive(fold)
            .dot_matches_new_line(true)
            .utf8(false)
            .build()
            .parse(text)
            .ok()?;
        let groups = hir.properties().explicit_captures_len() + 1;
        let mut program = Program { steps: Vec::new(), groups, slots: groups * 2 };
        program.add(&hir)?;
        program.push(Step::Match)?;
        Some(program)
    }

    fn push(&mut self, step: Step) -> Option<usize> {
        self.steps.push(step);
        (self.steps.len() <= MAX_STEPS).then(|| self.steps.len() - 1)
    }

    fn add(&mut self, hir: &Hir) -> Option<()> {
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => self.literal(&literal.0)?,
            HirKind::Class(class) => {
                self.push(Step::Class(Members(class.clone())))?;
            }
            HirKind::Look(look) => {
                self.push(Step::Look(Place(*look)))?;
            }
            HirKind::Capture(capture) => {
                let slot = capture.index as usize * 2;
                self.push(Step::Save(slot))?;
                self.add(&capture.sub)?;
                self.push(Step::Save(slot + 1))?;
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.add(part)?;
                }
            }
            HirKind::Alternation(parts) => {
                let mut ends = Vec::new();
                for (at, part) in parts.iter().enumerate() {
                    let split = match at + 1 < parts.len() {
                        true => Some(self.push(Step::Split(0))?),
                        false => None,
                    };
                    self.add(part)?;
                    if let Some(split) = split {
                        ends.push(self.push(Step::Jump(0))?);
                        self.steps[split] = Step::Split(self.steps.len());
                    }
                }
                for end in ends {
                    self.steps[end] = Step::Jump(self.steps.len());
                }
            }
            HirKind::Repetition(repetition) => {
                for _ in 0..repetition.min {
                    self.add(&repetition.sub)?;
                }
                match repetition.max {
                    Some(max) => {
                        let mut splits = Vec::new();
                        for _ in repetition.min..max {
                            splits.push(self.push(Step::Split(0))?);
                            self.add(&repetition.sub)?;
                        }
                        for split in splits {
                            self.steps[split] = Step::Split(self.steps.len());
                        }
                    }
                    None => self.endless(&repetition.sub)?,
                }
            }
        }
        Some(())
    }

    fn endless(&mut self, sub: &Hir) -> Option<()> {
        let slot = self.slots;
        self.slots += 1;
        let split = self.push(Step::Split(0))?;
        self.push(Step::Save(slot))?;
        self.add(sub)?;
        self.push(Step::Progress(slot))?;
        self.push(Step::Jump(split))?;
        self.steps[split] = Step::Split(self.steps.len());
        Some(())
    }

    /// Adds text, in which private characters stand for back-references.
    fn literal(&mut self, bytes: &[u8]) -> Option<()> {
        let mut plain: Vec<u8> = Vec::new();
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                match referred(c) {
                    Some(group) if group < self.groups => {
                        let before = std::mem::take(&mut plain);
                        if !before.is_empty() {
                            self.push(Step::Bytes(before.into()))?;
                        }
                        self.push(Step::Reference(group))?;
                    }
                    Some(_) => return None,
                    None => plain.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                }
            }
            plain.extend(chunk.invalid());
        }
        if !plain.is_empty() {
            self.push(Step::Bytes(plain.into()))?;
        }
        Some(())
    }
}
