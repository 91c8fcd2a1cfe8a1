//! The table of variables.

use std::rc::Rc;

use super::value::Var;
use crate::table::Table;

/// Names are shared between the table, scopes and copies.
pub type Name = Rc<[u8]>;

/// Variables that are visible now.
pub type Vars = Table<Name, Var>;
