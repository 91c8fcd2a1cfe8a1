//! Functions and their calls.

use std::cell::OnceCell;
use std::rc::Rc;

use super::value::Var;
use super::vars::Name;
use crate::syntax::ast::{Command, Text};

/// A function. It travels to subshells packed, and is unpacked when it is first called.
#[derive(Debug)]
pub struct Function {
    body: OnceCell<Rc<Command>>,
    packed: OnceCell<Vec<u8>>,
    /// Where it was defined.
    pub line: u32,
    /// `export -f`
    pub exported: bool,
    /// `readonly -f`
    pub readonly: bool,
    /// The file it came from.
    pub source: Text,
}

impl Function {
    /// From its tree.
    pub fn new(body: Rc<Command>, line: u32, source: Text) -> Function {
        let function = Function::empty(line, source);
        let _ = function.body.set(body);
        function
    }

    /// From its packed form.
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
            source,
        }
    }

    /// The same with other attributes.
    pub fn with(&self, exported: bool, readonly: bool) -> Function {
        Function {
            body: self.body.clone(),
            packed: self.packed.clone(),
            line: self.line,
            exported,
            readonly,
            source: self.source.clone(),
        }
    }

    /// Its tree.
    pub fn body(&self) -> Rc<Command> {
        let body = self.body.get_or_init(|| {
            let packed = self.packed.get().map_or(&[][..], Vec::as_slice);
            Rc::new(crate::serial::unpack_command(packed))
        });
        body.clone()
    }

    /// Its packed form.
    pub fn bytes(&self) -> &[u8] {
        self.packed.get_or_init(|| match self.body.get() {
            Some(body) => crate::serial::pack_command(body),
            None => Vec::new(),
        })
    }
}

/// A call of a function, or a file being sourced.
#[derive(Debug, Default)]
pub struct Frame {
    /// `${FUNCNAME[0]}`
    pub name: Text,
    /// `${BASH_SOURCE[0]}`
    pub source: Text,
    /// `${BASH_LINENO[0]}`: where it was called.
    pub line: u32,
    /// False for a sourced file.
    pub is_function: bool,
    /// What names that are local here were outside.
    pub saved: Vec<(Name, Option<Var>)>,
    /// How many of those stood in front of the call: `unset` uncovers them.
    pub temporary: usize,
    /// Options to put back, where `local -` was said.
    pub options: Option<super::options::Options>,
}
