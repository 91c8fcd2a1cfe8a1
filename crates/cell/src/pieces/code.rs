//! Encoding of the functions that are added to a module.

use super::{BYTES, Bulk, ELEMENTS};

// Parameters of an added function, in the order of the instruction that it replaces.
const TO: u8 = 0;
const FROM: u8 = 1;
const COUNT: u8 = 2;

const LOOP: u8 = 0x03;
const IF: u8 = 0x04;
const ELSE: u8 = 0x05;
const END: u8 = 0x0b;
const BR_IF: u8 = 0x0d;
const CALL: u8 = 0x10;
const LOCAL_GET: u8 = 0x20;
const LOCAL_SET: u8 = 0x21;
const MEMORY_SIZE: u8 = 0x3f;
const I32_CONST: u8 = 0x41;
const I64_CONST: u8 = 0x42;
const I32_GT_U: u8 = 0x4b;
const I64_LE_U: u8 = 0x58;
const I32_ADD: u8 = 0x6a;
const I32_SUB: u8 = 0x6b;
const I32_AND: u8 = 0x71;
const I64_ADD: u8 = 0x7c;
const I64_SHL: u8 = 0x86;
const I64_EXTEND_I32_U: u8 = 0xad;
const BULK: u8 = 0xfc;
const TABLE_SIZE: u8 = 16;
const NO_TYPE: u8 = 0x40;

/// Size of a page in bytes, as a power of two.
const PAGE_LOG2: i64 = 16;

pub(super) fn leb(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn signed(out: &mut Vec<u8>, mut value: i64) {
    while !(-0x40..0x40).contains(&value) {
        out.push(value as u8 & 0x7f | 0x80);
        value >>= 7;
    }
    out.push(value as u8 & 0x7f);
}

/// Writes a section of `count` items.
pub(super) fn section(out: &mut Vec<u8>, id: u8, count: u32, things: &[u8]) {
    let mut head = Vec::new();
    leb(&mut head, count);
    out.push(id);
    leb(out, (head.len() + things.len()) as u32);
    out.extend_from_slice(&head);
    out.extend_from_slice(things);
}

/// Writes the type `(i32, second, i32) -> ()`.
pub(super) fn function_type(out: &mut Vec<u8>, second: u8) {
    const FUNCTION: u8 = 0x60;
    const I32: u8 = 0x7f;
    out.extend_from_slice(&[FUNCTION, 3, I32, second, I32, 0]);
}

pub(super) fn call(out: &mut Vec<u8>, function: u32) {
    out.push(CALL);
    leb(out, function);
}

/// Returns a function that does what `bulk` does, but splits long operations.
///
/// ```text
/// if count > piece and everything is in bounds:
///     if the destination overlaps the end of the source: last piece first
///     else: first piece first
/// the rest at once
/// ```
pub(super) fn in_pieces(bulk: Bulk, data: &[u32], elements: &[u32]) -> Vec<u8> {
    let mut text = Text { out: vec![0], bulk };
    text.is_long();
    text.branch(IF);
    text.fits(TO, &text.room());
    if let Some(room) = text.source(data, elements) {
        text.fits(FROM, &room);
        text.out.push(I32_AND);
    }
    text.branch(IF);
    if text.may_overlap() {
        text.get(TO);
        text.get(FROM);
        text.out.push(I32_GT_U);
        text.branch(IF);
        text.backward();
        text.out.push(ELSE);
        text.forward();
        text.out.push(END);
    } else {
        text.forward();
    }
    text.out.extend_from_slice(&[END, END]);
    for parameter in [TO, FROM, COUNT] {
        text.get(parameter);
    }
    text.instruction();
    text.out.push(END);
    text.out
}

struct Text {
    out: Vec<u8>,
    bulk: Bulk,
}

impl Text {
    fn piece(&self) -> u32 {
        match self.bulk {
            Bulk::MemoryFill { .. } | Bulk::MemoryCopy { .. } | Bulk::MemoryInit { .. } => BYTES,
            Bulk::TableFill { .. } | Bulk::TableCopy { .. } | Bulk::TableInit { .. } => ELEMENTS,
        }
    }

    /// Returns true if source and destination are in the same memory or table.
    fn may_overlap(&self) -> bool {
        match self.bulk {
            Bulk::MemoryCopy { to, from } | Bulk::TableCopy { to, from } => to == from,
            _ => false,
        }
    }

    /// Writes the original instruction.
    fn instruction(&mut self) {
        let (code, first, second) = match self.bulk {
            Bulk::MemoryInit { memory, data } => (8, data, Some(memory)),
            Bulk::MemoryCopy { to, from } => (10, to, Some(from)),
            Bulk::MemoryFill { memory } => (11, memory, None),
            Bulk::TableInit { table, elements } => (12, elements, Some(table)),
            Bulk::TableCopy { to, from } => (14, to, Some(from)),
            Bulk::TableFill { table } => (17, table, None),
        };
        self.out.extend_from_slice(&[BULK, code]);
        leb(&mut self.out, first);
        if let Some(second) = second {
            leb(&mut self.out, second);
        }
    }

    /// Returns code for the size of the destination.
    fn room(&self) -> Vec<u8> {
        match self.bulk {
            Bulk::MemoryFill { memory: to }
            | Bulk::MemoryCopy { to, .. }
            | Bulk::MemoryInit { memory: to, .. } => memory_size(to),
            Bulk::TableFill { table: to }
            | Bulk::TableCopy { to, .. }
            | Bulk::TableInit { table: to, .. } => table_size(to),
        }
    }

    /// Returns code for the size of the source, if there is one. A dropped segment is empty, so the
    /// first piece traps.
    fn source(&self, data: &[u32], elements: &[u32]) -> Option<Vec<u8>> {
        let length = |lengths: &[u32], index: u32| {
            let mut out = vec![I64_CONST];
            signed(&mut out, lengths.get(index as usize).copied().unwrap_or(0).into());
            out
        };
        match self.bulk {
            Bulk::MemoryFill { .. } | Bulk::TableFill { .. } => None,
            Bulk::MemoryCopy { from, .. } => Some(memory_size(from)),
            Bulk::TableCopy { from, .. } => Some(table_size(from)),
            Bulk::MemoryInit { data: index, .. } => Some(length(data, index)),
            Bulk::TableInit { elements: index, .. } => Some(length(elements, index)),
        }
    }

    fn get(&mut self, parameter: u8) {
        self.out.extend_from_slice(&[LOCAL_GET, parameter]);
    }

    fn constant(&mut self, value: u32) {
        self.out.push(I32_CONST);
        signed(&mut self.out, value.into());
    }

    fn branch(&mut self, kind: u8) {
        self.out.extend_from_slice(&[kind, NO_TYPE]);
    }

    fn is_long(&mut self) {
        self.get(COUNT);
        self.constant(self.piece());
        self.out.push(I32_GT_U);
    }

    /// Tests that `parameter` + count is at most `room`, in 64 bits so that it cannot overflow.
    fn fits(&mut self, parameter: u8, room: &[u8]) {
        self.get(parameter);
        self.out.push(I64_EXTEND_I32_U);
        self.get(COUNT);
        self.out.extend_from_slice(&[I64_EXTEND_I32_U, I64_ADD]);
        self.out.extend_from_slice(room);
        self.out.push(I64_LE_U);
    }

    /// Moves a parameter by one piece.
    fn step(&mut self, parameter: u8, operation: u8) {
        self.get(parameter);
        self.constant(self.piece());
        self.out.extend_from_slice(&[operation, LOCAL_SET, parameter]);
    }

    fn again_while_long(&mut self) {
        self.is_long();
        self.out.extend_from_slice(&[BR_IF, 0, END]);
    }

    fn forward(&mut self) {
        self.branch(LOOP);
        self.get(TO);
        self.get(FROM);
        self.constant(self.piece());
        self.instruction();
        self.step(TO, I32_ADD);
        if !matches!(self.bulk, Bulk::MemoryFill { .. } | Bulk::TableFill { .. }) {
            self.step(FROM, I32_ADD);
        }
        self.step(COUNT, I32_SUB);
        self.again_while_long();
    }

    fn backward(&mut self) {
        self.branch(LOOP);
        self.step(COUNT, I32_SUB);
        for parameter in [TO, FROM] {
            self.get(parameter);
            self.get(COUNT);
            self.out.push(I32_ADD);
        }
        self.constant(self.piece());
        self.instruction();
        self.again_while_long();
    }
}

fn memory_size(memory: u32) -> Vec<u8> {
    let mut out = vec![MEMORY_SIZE];
    leb(&mut out, memory);
    out.extend_from_slice(&[I64_EXTEND_I32_U, I64_CONST]);
    signed(&mut out, PAGE_LOG2);
    out.push(I64_SHL);
    out
}

fn table_size(table: u32) -> Vec<u8> {
    let mut out = vec![BULK, TABLE_SIZE];
    leb(&mut out, table);
    out.push(I64_EXTEND_I32_U);
    out
}
