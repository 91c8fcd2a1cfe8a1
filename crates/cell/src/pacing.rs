//! Inserts checks into a guest's code at build time, so that it can be stopped at any moment.
//!
//! A guest has a budget: a counter in a global that is added here. No code of the guest names that
//! global, so an attacker who controls the guest's memory still cannot reach it. The budget is
//! spent
//! - at the entry of every function with a loop, and of enough other functions that every cycle of
//!   calls has a check,
//! - at every [`LOOP`]th iteration of a loop, counted in a local of the function,
//! - before every instruction that copies or fills memory, according to its length.
//!
//! When the budget is exhausted, the guest asks the host (`pace`) whether the alarm has rung. If
//! so, it hands control to the host (`rest`), which yields the thread, asks the guest to stop, or
//! stops it.
//!
//! wasmtime's epochs do the same with two loads and a comparison in every iteration of every loop.
//! In QuickJS's interpreter, which is one large loop, that takes a sixth of the time; see
//! `bench/NOTES.md`.
//!
//! Meets T-CELL-001.

use std::collections::HashSet;

use wasm_encoder::reencode::{self, Reencode, utils};
use wasm_encoder::{
    BlockType, BranchHint, BranchHints, CodeSection, ConstExpr, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, GlobalSection, GlobalType, ImportSection,
    Instruction, Module, RawSection, SectionId, TypeSection, ValType,
};
use wasmparser::{FunctionBody, Operator, Parser, Payload, TypeRef};

use crate::contract::{EXPORT_GLOBAL, IMPORT_GROW, IMPORT_PACE, IMPORT_REST};
use crate::{Error, ErrorKind, recursion};

/// Budget between two checks with the host. It allows at most `BUDGET / ENTRY * LOOP` iterations of
/// loops: some 130,000, which take well under a millisecond.
const BUDGET: i32 = 16_384;

/// Price of entering a function.
const ENTRY: i32 = 16;

/// Iterations of a loop that are charged together, at a price of one each.
const LOOP: i32 = 128;

/// Number of copied or filled bytes that cost one, as a power of two.
const BYTES_LOG2: i32 = 4;

/// The party that grows a guest's memory.
#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a browser's engine asks nobody"))]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// The engine, which asks the host about limits.
    Engine,
    /// The host: a browser's engine asks nobody, so `memory.grow` becomes a call of the import
    /// `grow`, with the same operand and result, and `memory.size` one with the operand zero. The
    /// module's mutable globals are exported, so that an instance can be used again.
    Host,
}

/// Returns the module with checks. Its imports, exports and results stay the same.
pub(crate) fn pace(wasm: &[u8], growth: Growth) -> Result<Vec<u8>, Error> {
    let mut pass = Pass::look_at(wasm, growth)?;
    let mut module = Module::new();
    pass.parse_core_module(&mut module, Parser::new(0), wasm).map_err(failed)?;
    pass.with_hints(&module.finish())
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Image, format!("checks cannot be inserted: {error}"))
}

/// Facts about the module and the progress of the pass.
struct Pass {
    growth: Growth,
    /// Number of parameters of each type.
    params: Vec<u32>,
    /// Type of each defined function.
    functions: Vec<u32>,
    imported_functions: u32,
    globals: u32,
    /// Mutable globals of the module itself, by their indices.
    mutable_globals: Vec<u32>,
    /// False if a section with the added global has to be written.
    has_globals: bool,
    /// Functions that break cycles of calls.
    breakers: HashSet<u32>,
    /// Index of the current function among the defined ones.
    at: usize,
    hints: BranchHints,
    hints_here: Vec<BranchHint>,
}

/// The locals that a function needs for its checks.
struct Locals {
    rounds: u32,
    length: u32,
}

impl Pass {
    fn look_at(wasm: &[u8], growth: Growth) -> Result<Self, Error> {
        let mut pass = Pass {
            growth,
            params: Vec::new(),
            functions: Vec::new(),
            imported_functions: 0,
            globals: 0,
            mutable_globals: Vec::new(),
            has_globals: false,
            breakers: recursion::breakers(wasm).map_err(failed)?,
            at: 0,
            hints: BranchHints::new(),
            hints_here: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(wasm) {
            match payload.map_err(failed)? {
                Payload::TypeSection(types) => {
                    for ty in types.into_iter_err_on_gc_types() {
                        pass.params.push(ty.map_err(failed)?.params().len() as u32);
                    }
                }
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        match import.map_err(failed)?.ty {
                            TypeRef::Func(_) => pass.imported_functions += 1,
                            TypeRef::Global(_) => pass.globals += 1,
                            _ => {}
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    for ty in functions {
                        pass.functions.push(ty.map_err(failed)?);
                    }
                }
                Payload::GlobalSection(globals) => {
                    pass.has_globals = true;
                    for global in globals {
                        if global.map_err(failed)?.ty.mutable {
                            pass.mutable_globals.push(pass.globals);
                        }
                        pass.globals += 1;
                    }
                }
                _ => {}
            }
        }
        Ok(pass)
    }

    /// Returns the index of the added global, after all others.
    fn budget(&self) -> u32 {
        self.globals
    }

    /// Returns the number of functions added to the imports.
    fn added_import_count(&self) -> u32 {
        match self.growth {
            Growth::Engine => 2,
            Growth::Host => 3,
        }
    }

    /// Returns the index of the added function that asks the host and refills the budget.
    fn refill(&self) -> u32 {
        self.imported_functions + self.added_import_count() + self.functions.len() as u32
    }

    /// Returns the index of the added function that spends its argument.
    fn spend(&self) -> u32 {
        self.refill() + 1
    }

    /// Returns the index of the type of an added function: `()`, `() -> i32`, `(i32)`,
    /// `(i32) -> i32`.
    fn added_type(&self, which: u32) -> u32 {
        self.params.len() as u32 + which
    }

    /// Writes an `if` that is rarely taken, with a hint that moves it out of the hot path.
    fn unlikely(&mut self, to: &mut Function) {
        let branch_func_offset = to.byte_len() as u32;
        self.hints_here.push(BranchHint { branch_func_offset, branch_hint_value: 0 });
        to.instruction(&Instruction::If(BlockType::Empty));
    }

    /// Subtracts `price` and leaves on the stack whether the budget is exhausted.
    fn pay(&self, to: &mut Function, price: Instruction<'_>) {
        to.instruction(&Instruction::GlobalGet(self.budget()))
            .instruction(&price)
            .instruction(&Instruction::I32Sub)
            .instruction(&Instruction::GlobalSet(self.budget()))
            .instruction(&Instruction::GlobalGet(self.budget()))
            .instruction(&Instruction::I32Const(0))
            .instruction(&Instruction::I32LtS);
    }

    fn check_entry(&mut self, to: &mut Function) {
        self.pay(to, Instruction::I32Const(ENTRY));
        self.unlikely(to);
        to.instruction(&Instruction::Call(self.refill())).instruction(&Instruction::End);
    }

    fn check_round(&mut self, to: &mut Function, rounds: u32) {
        to.instruction(&Instruction::LocalGet(rounds))
            .instruction(&Instruction::I32Const(1))
            .instruction(&Instruction::I32Sub)
            .instruction(&Instruction::LocalTee(rounds))
            // Not `== 0`, which the compiler turns into a second live value.
            .instruction(&Instruction::I32Const(0))
            .instruction(&Instruction::I32LeS);
        self.unlikely(to);
        to.instruction(&Instruction::I32Const(LOOP))
            .instruction(&Instruction::LocalSet(rounds))
            .instruction(&Instruction::I32Const(LOOP))
            .instruction(&Instruction::Call(self.spend()))
            .instruction(&Instruction::End);
    }

    /// Charges for the length of a copy, which is on top of the stack.
    fn check_length(&self, to: &mut Function, length: u32) {
        to.instruction(&Instruction::LocalTee(length))
            .instruction(&Instruction::I32Const(BYTES_LOG2))
            .instruction(&Instruction::I32ShrU)
            .instruction(&Instruction::Call(self.spend()))
            .instruction(&Instruction::LocalGet(length));
    }

    fn added_imports(&self, imports: &mut ImportSection) {
        let module = cofferdam_abi::names::IMPORT_MODULE;
        imports.import(module, IMPORT_PACE, EntityType::Function(self.added_type(1)));
        imports.import(module, IMPORT_REST, EntityType::Function(self.added_type(0)));
        if self.growth == Growth::Host {
            imports.import(module, IMPORT_GROW, EntityType::Function(self.added_type(3)));
        }
    }

    fn added_functions(&self, code: &mut CodeSection) {
        let mut refill = Function::new([]);
        refill
            .instruction(&Instruction::I32Const(BUDGET))
            .instruction(&Instruction::GlobalSet(self.budget()))
            .instruction(&Instruction::Call(self.imported_functions))
            .instruction(&Instruction::If(BlockType::Empty))
            .instruction(&Instruction::Call(self.imported_functions + 1))
            .instruction(&Instruction::End)
            .instruction(&Instruction::End);
        code.function(&refill);
        let mut spend = Function::new([]);
        self.pay(&mut spend, Instruction::LocalGet(0));
        spend
            .instruction(&Instruction::If(BlockType::Empty))
            .instruction(&Instruction::Call(self.refill()))
            .instruction(&Instruction::End)
            .instruction(&Instruction::End);
        code.function(&spend);
    }

    fn added_global(&self, globals: &mut GlobalSection) {
        let ty = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(ty, &ConstExpr::i32_const(BUDGET));
    }

    /// Inserts the section of hints before the code.
    fn with_hints(&self, wasm: &[u8]) -> Result<Vec<u8>, Error> {
        let mut module = Module::new();
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload.map_err(failed)?;
            if matches!(payload, Payload::CodeSectionStart { .. }) {
                module.section(&self.hints);
            }
            if let Some((id, range)) = payload.as_section() {
                module.section(&RawSection { id, data: &wasm[range] });
            }
        }
        Ok(module.finish())
    }
}

type Done = Result<(), reencode::Error<std::convert::Infallible>>;

impl Reencode for Pass {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, reencode::Error<Self::Error>> {
        Ok(if index < self.imported_functions { index } else { index + self.added_import_count() })
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Done {
        utils::parse_type_section(self, types, section)?;
        types.ty().function([], []);
        types.ty().function([], [ValType::I32]);
        types.ty().function([ValType::I32], []);
        types.ty().function([ValType::I32], [ValType::I32]);
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Done {
        utils::parse_import_section(self, imports, section)?;
        self.added_imports(imports);
        Ok(())
    }

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Done {
        // A guest without host calls has no import section.
        if after == Some(SectionId::Type) && before != Some(SectionId::Import) {
            let mut imports = ImportSection::new();
            self.added_imports(&mut imports);
            module.section(&imports);
        }
        // Neither do all modules from outside have globals.
        let is_later = |section: SectionId| {
            section as u8 > SectionId::Global as u8 && section != SectionId::Tag
        };
        if !self.has_globals && before.is_none_or(is_later) {
            self.has_globals = true;
            let mut globals = GlobalSection::new();
            self.added_global(&mut globals);
            module.section(&globals);
        }
        Ok(())
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: wasmparser::FunctionSectionReader<'_>,
    ) -> Done {
        utils::parse_function_section(self, functions, section)?;
        functions.function(self.added_type(0)).function(self.added_type(2));
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Done {
        utils::parse_global_section(self, globals, section)?;
        self.added_global(globals);
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Done {
        utils::parse_export_section(self, exports, section)?;
        if self.growth == Growth::Host {
            for (number, index) in self.mutable_globals.iter().enumerate() {
                exports.export(&format!("{EXPORT_GLOBAL}{number}"), ExportKind::Global, *index);
            }
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: wasmparser::CodeSectionReader<'_>,
    ) -> Done {
        utils::parse_code_section(self, code, section)?;
        self.added_functions(code);
        Ok(())
    }

    fn parse_function_body(&mut self, code: &mut CodeSection, body: FunctionBody<'_>) -> Done {
        let ty = self.functions.get(self.at).copied().unwrap_or(u32::MAX);
        let mut index = self.params.get(ty as usize).copied().unwrap_or(0);
        let mut declared = Vec::new();
        for local in body.get_locals_reader()? {
            let (count, ty) = local?;
            index += count;
            declared.push((count, self.val_type(ty)?));
        }
        let needs = Needs::of(&body)?;
        let locals = Locals { rounds: index, length: index + u32::from(needs.rounds) };
        declared.push((u32::from(needs.rounds) + u32::from(needs.length), ValType::I32));

        let mut to = Function::new(declared);
        let original = self.imported_functions + self.at as u32;
        if needs.rounds || self.breakers.contains(&original) {
            self.check_entry(&mut to);
        }
        if needs.rounds {
            to.instruction(&Instruction::I32Const(LOOP));
            to.instruction(&Instruction::LocalSet(locals.rounds));
        }
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            let is_loop = matches!(operator, Operator::Loop { .. });
            if is_bulk(&operator) {
                self.check_length(&mut to, locals.length);
            }
            match operator {
                Operator::MemoryGrow { mem: 0 } if self.growth == Growth::Host => {
                    to.instruction(&Instruction::Call(self.imported_functions + 2));
                }
                // Nor does it ask about the size, which is less than the memory of an instance that
                // is used again.
                Operator::MemorySize { mem: 0 } if self.growth == Growth::Host => {
                    to.instruction(&Instruction::I32Const(0))
                        .instruction(&Instruction::Call(self.imported_functions + 2));
                }
                operator => {
                    to.instruction(&self.instruction(operator)?);
                }
            }
            if is_loop {
                self.check_round(&mut to, locals.rounds);
            }
        }
        code.function(&to);
        let function = original + self.added_import_count();
        let hints = std::mem::take(&mut self.hints_here);
        if !hints.is_empty() {
            self.hints.function_hints(function, hints);
        }
        self.at += 1;
        Ok(())
    }

    /// Drops custom sections such as names: their indices have changed, and nothing reads them.
    fn parse_custom_section(
        &mut self,
        _module: &mut Module,
        _section: wasmparser::CustomSectionReader<'_>,
    ) -> Done {
        Ok(())
    }
}

/// The locals that a function needs for its checks.
#[derive(Default)]
struct Needs {
    rounds: bool,
    length: bool,
}

impl Needs {
    fn of(body: &FunctionBody<'_>) -> wasmparser::Result<Self> {
        let mut needs = Needs::default();
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            needs.length |= is_bulk(&operator);
            needs.rounds |= matches!(operator, Operator::Loop { .. });
        }
        Ok(needs)
    }
}

/// Returns true for instructions whose duration depends on their last operand.
fn is_bulk(operator: &Operator<'_>) -> bool {
    matches!(
        operator,
        Operator::MemoryCopy { .. } | Operator::MemoryFill { .. } | Operator::MemoryInit { .. }
    )
}
