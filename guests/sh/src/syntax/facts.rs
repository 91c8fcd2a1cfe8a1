//! Questions about the syntax tree that several parts of the shell ask.

use super::ast::{
    Assign, AssignValue, DefaultOp, Element, Op, Part, Redirect, RedirectTo, TestOp, Word,
};

impl TestOp {
    /// Returns the operator as a script has it.
    pub fn text(self) -> &'static [u8] {
        match self {
            TestOp::Matches => b"==",
            TestOp::Equals => b"=",
            TestOp::Differs => b"!=",
            TestOp::Regex => b"=~",
            TestOp::Before => b"<",
            TestOp::After => b">",
            TestOp::Eq => b"-eq",
            TestOp::Ne => b"-ne",
            TestOp::Lt => b"-lt",
            TestOp::Le => b"-le",
            TestOp::Gt => b"-gt",
            TestOp::Ge => b"-ge",
            TestOp::Newer => b"-nt",
            TestOp::Older => b"-ot",
            TestOp::Same => b"-ef",
        }
    }
}

impl Redirect {
    /// Returns true if the expansion of the target may assign a variable.
    pub fn may_assign(&self) -> bool {
        match &self.to {
            RedirectTo::File(_, word)
            | RedirectTo::Copy(_, word)
            | RedirectTo::Both(_, word)
            | RedirectTo::String(word) => may_assign(&word.parts),
            RedirectTo::Here(here) => may_assign(&here.body.borrow().parts),
        }
    }
}

fn may_assign(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Double(parts) => may_assign(parts),
        Part::Param(param) => matches!(param.op, Op::Default(DefaultOp::Assign, ..)),
        Part::Arith(_) => true,
        Part::Literal(_)
        | Part::Quoted(_)
        | Part::Command(_)
        | Part::Process(..)
        | Part::Braces(_)
        | Part::Sequence(_) => false,
    })
}

impl Element {
    /// Returns the whole element as a word if braces in its value make it several words.
    pub fn braced(&self) -> Option<Word> {
        let index = self.index.as_ref()?;
        let is_brace = |part: &Part| matches!(part, Part::Braces(_) | Part::Sequence(_));
        if !self.value.parts.iter().any(is_brace) {
            return None;
        }
        let mut parts = vec![Part::Literal(b"[".to_vec())];
        parts.extend(index.parts.iter().cloned());
        parts.push(Part::Literal(if self.append { b"]+=".to_vec() } else { b"]=".to_vec() }));
        parts.extend(self.value.parts.iter().cloned());
        Some(Word::new(parts))
    }
}

impl Assign {
    /// Returns true for an array literal, `name=(…)`.
    pub fn is_array(&self) -> bool {
        matches!(self.value, AssignValue::Array(_))
    }
}
