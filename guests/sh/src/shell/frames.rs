//! Functions and call frames.

use std::cell::OnceCell;
use std::rc::Rc;

use super::value::Var;
use super::vars::Name;
use crate::syntax::ast::{Command, Text};

/// A function. Subshells receive it packed and unpack it on the first call.
#[derive(Debug)]
pub struct Function {
    body: OnceCell<Rc<Command>>,
    packed: OnceCell<Vec<u8>>,
    /// Line of the definition.
    pub line: u32,
    /// Set by `export -f`.
    pub exported: bool,
    /// Set by `readonly -f`.
    pub readonly: bool,
    /// Set by `declare -ft`: the function's commands have the DEBUG and RETURN traps.
    pub traced: bool,
    /// File of the definition.
    pub source: Text,
}

impl Function {
    /// Creates a function from its syntax tree.
    pub fn new(body: Rc<Command>, line: u32, source: Text) -> Function {
        let function = Function::empty(line, source);
        let _ = function.body.set(body);
        function
    }

    /// Creates a function from its packed form.
    pub fn packed(packed: Vec<u8>, line: u32, source: Text) -> Function {
        let function = Function::empty(line, source);
        let _ = function.packed.set(packed);
        function
    }

    fn empty(line: u32, source: Text) -> Function {
        Function {
            body: OnceCell::new(),
            packed: OnceCell::new(),
            line,
            exported: false,
            readonly: false,
            traced: false,
            source,
        }
    }

    /// Returns a copy with other attributes.
    pub fn with(&self, exported: bool, readonly: bool) -> Function {
        Function {
            body: self.body.clone(),
            packed: self.packed.clone(),
            line: self.line,
            exported,
            readonly,
            traced: self.traced,
            source: self.source.clone(),
        }
    }

    /// Returns a copy that is traced, or not.
    pub fn traced(&self, traced: bool) -> Function {
        Function { traced, ..self.with(self.exported, self.readonly) }
    }

    /// Returns the syntax tree, unpacking it if necessary.
    pub fn body(&self) -> Rc<Command> {
        let body = self.body.get_or_init(|| {
            let packed = self.packed.get().map_or(&[][..], Vec::as_slice);
            Rc::new(crate::serial::unpack_command(packed))
        });
        body.clone()
    }

    /// Returns the packed form, packing the tree if necessary.
    pub fn bytes(&self) -> &[u8] {
        self.packed.get_or_init(|| match self.body.get() {
            Some(body) => crate::serial::pack_command(body),
            None => Vec::new(),
        })
    }
}

/// A running function call or sourced file.
#[derive(Debug, Default)]
pub struct Frame {
    /// `${FUNCNAME[0]}`
    pub name: Text,
    /// `${BASH_SOURCE[0]}`
    pub source: Text,
    /// `${BASH_LINENO[0]}`: line of the call.
    pub line: u32,
    /// False for a sourced file.
    pub is_function: bool,
    /// Variables shadowed by locals of this frame, with their outer values.
    pub saved: Vec<(Name, Option<Var>)>,
    /// Number of entries in `saved` that are assignments before the call; `unset` reveals their
    /// outer values.
    pub temporary: usize,
    /// Arguments of the call in `BASH_ARGV`; `None` if the call has no entry there.
    pub arguments: Option<Vec<Text>>,
    /// Options to restore at the end, set by `local -`.
    pub options: Option<super::options::Options>,
}

impl Frame {
    /// Returns true if a local of this frame hides an outer variable.
    pub fn shadows(&self, name: &[u8]) -> bool {
        self.saved.iter().any(|(known, _)| known.as_ref() == name)
    }
}
