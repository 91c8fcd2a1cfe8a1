//! The table of variables.

use std::rc::Rc;

use super::value::Var;
use crate::table::Table;

/// A variable name, shared between the table, scopes and copies.
pub type Name = Rc<[u8]>;

/// The currently visible variables.
pub type Vars = Table<Name, Var>;
