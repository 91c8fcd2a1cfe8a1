//! Splits long fills and copies, so that a guest can be stopped within one (T-CELL-001,
//! T-PROC-013).
//!
//! Clocks are checked at the start of functions and in loops. `memory.fill`,
//! `memory.copy`, `memory.init` and their counterparts for tables are single instructions, whatever
//! their length. Each of them is replaced by a call of a function, added after the module's own,
//! that executes short operations directly and long ones in a loop. Operations that are out of
//! bounds are left to the original instruction, which traps before it writes anything.
//!
//! Everything else is copied byte for byte. The module must be valid; otherwise an index beyond the
//! last function could refer to an added one. The engine refuses 64-bit memories and tables.

mod code;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use wasmparser::{
    DataKind, ElementItems, ElementKind, Operator, Parser, Payload, RefType, Result, TypeRef,
};

use code::{leb, section};

/// Bytes that are filled or copied at once, which takes some 50 microseconds including first
/// touches of pages.
const BYTES: u32 = 256 << 10;

/// Table elements that are set at once.
const ELEMENTS: u32 = 8 << 10;

/// Version of the transformation; a change invalidates cached modules.
pub(crate) const VERSION: u8 = 1;

const TYPES: u8 = 1;
const CODE: u8 = 10;

/// An instruction whose duration depends on an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Bulk {
    MemoryFill { memory: u32 },
    MemoryCopy { to: u32, from: u32 },
    MemoryInit { memory: u32, data: u32 },
    TableFill { table: u32 },
    TableCopy { to: u32, from: u32 },
    TableInit { table: u32, elements: u32 },
}

impl Bulk {
    fn of(operator: &Operator<'_>) -> Option<Bulk> {
        Some(match *operator {
            Operator::MemoryFill { mem } => Bulk::MemoryFill { memory: mem },
            Operator::MemoryCopy { dst_mem, src_mem } => {
                Bulk::MemoryCopy { to: dst_mem, from: src_mem }
            }
            Operator::MemoryInit { data_index, mem } => {
                Bulk::MemoryInit { memory: mem, data: data_index }
            }
            Operator::TableFill { table } => Bulk::TableFill { table },
            Operator::TableCopy { dst_table, src_table } => {
                Bulk::TableCopy { to: dst_table, from: src_table }
            }
            Operator::TableInit { elem_index, table } => {
                Bulk::TableInit { table, elements: elem_index }
            }
            _ => return None,
        })
    }
}

/// Returns the module with its long instructions split. Its imports, exports and results stay the
/// same.
pub(crate) fn split(wasm: &[u8]) -> Result<Cow<'_, [u8]>> {
    let survey = Survey::of(wasm)?;
    if survey.added.is_empty() {
        return Ok(Cow::Borrowed(wasm));
    }
    survey.rewrite(wasm).map(Cow::Owned)
}

/// Facts about a module.
#[derive(Default)]
struct Survey {
    types: u32,
    functions: u32,
    /// Element type of each table.
    tables: Vec<RefType>,
    /// Length of each data segment; zero for active segments, which cannot be copied from.
    data: Vec<u32>,
    elements: Vec<u32>,
    /// Positions of the bulk instructions.
    found: Vec<(Range<usize>, Bulk)>,
    order: HashMap<Bulk, u32>,
    added: Vec<Bulk>,
}

impl Survey {
    fn of(wasm: &[u8]) -> Result<Self> {
        let mut survey = Survey::default();
        for payload in Parser::new(0).parse_all(wasm) {
            survey.look_at(payload?)?;
        }
        let found = std::mem::take(&mut survey.found);
        survey.found = found.into_iter().filter(|(_, bulk)| survey.can_be_long(*bulk)).collect();
        for (_, bulk) in &survey.found {
            survey.order.entry(*bulk).or_insert_with(|| {
                survey.added.push(*bulk);
                survey.added.len() as u32 - 1
            });
        }
        Ok(survey)
    }

    fn look_at(&mut self, payload: Payload<'_>) -> Result<()> {
        match payload {
            Payload::TypeSection(types) => {
                for group in types {
                    self.types += group?.types().len() as u32;
                }
            }
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    match import?.ty {
                        TypeRef::Func(_) | TypeRef::FuncExact(_) => self.functions += 1,
                        TypeRef::Table(table) => self.tables.push(table.element_type),
                        TypeRef::Memory(_) | TypeRef::Global(_) | TypeRef::Tag(_) => {}
                    }
                }
            }
            Payload::FunctionSection(functions) => self.functions += functions.count(),
            Payload::TableSection(tables) => {
                for table in tables {
                    self.tables.push(table?.ty.element_type);
                }
            }
            Payload::ElementSection(elements) => {
                for element in elements {
                    let element = element?;
                    let count = match element.items {
                        ElementItems::Functions(functions) => functions.count(),
                        ElementItems::Expressions(_, expressions) => expressions.count(),
                    };
                    let is_passive = matches!(element.kind, ElementKind::Passive);
                    self.elements.push(if is_passive { count } else { 0 });
                }
            }
            Payload::DataSection(data) => {
                for data in data {
                    let data = data?;
                    let is_passive = matches!(data.kind, DataKind::Passive);
                    self.data.push(if is_passive { data.data.len() as u32 } else { 0 });
                }
            }
            Payload::CodeSectionEntry(body) => {
                // The first byte of all bulk instructions.
                if !body.as_bytes().contains(&0xfc) {
                    return Ok(());
                }
                let mut operators = body.get_operators_reader()?;
                while !operators.eof() {
                    let (operator, at) = operators.read_with_offset()?;
                    if let Some(bulk) = Bulk::of(&operator) {
                        self.found.push((at..operators.original_position(), bulk));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns true if the instruction can exceed one piece and its type can be encoded.
    fn can_be_long(&self, bulk: Bulk) -> bool {
        let is_over = |counts: &[u32], index: u32, piece: u32| {
            counts.get(index as usize).is_some_and(|count| *count > piece)
        };
        match bulk {
            Bulk::MemoryFill { .. } | Bulk::MemoryCopy { .. } | Bulk::TableCopy { .. } => true,
            Bulk::MemoryInit { data, .. } => is_over(&self.data, data, BYTES),
            Bulk::TableInit { elements, .. } => is_over(&self.elements, elements, ELEMENTS),
            Bulk::TableFill { table } => self.reference(table).is_some(),
        }
    }

    /// Returns the encoded type of a table's elements.
    fn reference(&self, table: u32) -> Option<u8> {
        match *self.tables.get(table as usize)? {
            RefType::FUNCREF => Some(0x70),
            RefType::EXTERNREF => Some(0x6f),
            _ => None,
        }
    }

    fn rewrite(&self, wasm: &[u8]) -> Result<Vec<u8>> {
        let mut out = Vec::with_capacity(wasm.len() + self.found.len() + 128 * self.added.len());
        out.extend_from_slice(&wasm[..8]);
        let count = self.added.len() as u32;
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            match &payload {
                Payload::CodeSectionStart { count: old, .. } => {
                    section(&mut out, CODE, old + count, &self.bodies(wasm)?);
                    continue;
                }
                // This section refers to instructions by their offset.
                Payload::CustomSection(custom) if custom.name().starts_with("metadata.code.") => {
                    continue;
                }
                _ => {}
            }
            let Some((id, range)) = payload.as_section() else { continue };
            let (old, rest) = match &payload {
                Payload::TypeSection(types) => {
                    (types.count(), &wasm[types.original_position()..range.end])
                }
                Payload::FunctionSection(functions) => {
                    (functions.count(), &wasm[functions.original_position()..range.end])
                }
                _ => {
                    out.push(id);
                    leb(&mut out, range.len() as u32);
                    out.extend_from_slice(&wasm[range]);
                    continue;
                }
            };
            let mut content = rest.to_vec();
            for (index, bulk) in self.added.iter().enumerate() {
                match id {
                    TYPES => code::function_type(&mut content, self.second(*bulk)),
                    _ => leb(&mut content, self.types + index as u32),
                }
            }
            section(&mut out, id, old + count, &content);
        }
        Ok(out)
    }

    /// Returns the type of the second parameter; the others are indices and counts.
    fn second(&self, bulk: Bulk) -> u8 {
        const I32: u8 = 0x7f;
        match bulk {
            Bulk::TableFill { table } => self.reference(table).unwrap_or(I32),
            _ => I32,
        }
    }

    /// Writes the module's functions with calls inserted, followed by the added ones.
    fn bodies(&self, wasm: &[u8]) -> Result<Vec<u8>> {
        let (mut out, mut found) = (Vec::new(), self.found.iter().peekable());
        for payload in Parser::new(0).parse_all(wasm) {
            let Payload::CodeSectionEntry(body) = payload? else { continue };
            let range = body.range();
            let (mut copied, mut text) = (range.start, Vec::with_capacity(range.len()));
            while let Some((at, bulk)) = found.next_if(|(at, _)| at.start < range.end) {
                text.extend_from_slice(&wasm[copied..at.start]);
                code::call(&mut text, self.functions + self.order[bulk]);
                copied = at.end;
            }
            text.extend_from_slice(&wasm[copied..range.end]);
            leb(&mut out, text.len() as u32);
            out.extend_from_slice(&text);
        }
        for bulk in &self.added {
            let text = code::in_pieces(*bulk, &self.data, &self.elements);
            leb(&mut out, text.len() as u32);
            out.extend_from_slice(&text);
        }
        Ok(out)
    }
}
