//! Splits a module in two: what it begins with, and functions that few runs need.
//!
//! The second module works on the memory, the table and the globals of the first, which exports
//! them. A call from the first into the second goes through the table, whose entries the second
//! module fills in when it is instantiated. Such a call traps before that, so the host has to have
//! the second module loaded at the places where it begins to need one of its functions.

use std::collections::{BTreeMap, BTreeSet};

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ElementSection, Elements, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, ImportSection, Instruction, MemoryType, Module,
    RawSection, TableSection, TableType, TypeSection,
};
use wasmparser::{
    ElementItems, ElementKind, FunctionBody, KnownCustom, Name, Operator, Parser, Payload, TypeRef,
};

use crate::data::{self, Range};

/// Module that the second module imports from; its names are exports of the first.
const FIRST: &str = "first";

/// A module in two parts.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The module, without its late functions and late data.
    pub(crate) first: Vec<u8>,
    /// The module with the late functions and data. Its imports are the exports of the first.
    pub(crate) late: Vec<u8>,
}

/// Splits a module. Functions for whose names `is_late` returns true are late, and so are those that
/// nothing but late functions call. Constants that nothing but late functions refer to are late as
/// well; `constants` are the places of all. The module needs names of its functions.
pub(crate) fn split(
    wasm: &[u8],
    is_late: impl Fn(&str) -> bool,
    constants: &[Range],
) -> Result<Parts, String> {
    let facts = Facts::look_at(wasm).map_err(failed)?;
    let plan = Plan::new(facts, is_late)?;
    let numbers = &plan.facts.numbers;
    let (kept, late): (Vec<_>, Vec<_>) =
        (0..).zip(numbers).partition(|(function, _)| plan.is_kept(*function));
    let only = |of: Vec<(u32, &Vec<u32>)>| {
        of.into_iter().flat_map(|(_, numbers)| numbers.clone()).collect()
    };
    let ranges = data::late(wasm, constants, only(kept), only(late)).map_err(failed)?;
    let first = plan.first(wasm, &ranges).map_err(failed)?;
    let late = plan.late(wasm, &data::joined(&ranges)).map_err(failed)?;
    Ok(Parts { first, late })
}

fn failed(error: impl std::fmt::Display) -> String {
    format!("the module cannot be split: {error}")
}

pub(crate) type Written<T> = Result<T, reencode::Error<String>>;

/// Facts about a module.
#[derive(Default)]
struct Facts {
    imported: u32,
    /// Type of each function, imported ones included.
    types: Vec<u32>,
    /// Functions that each function calls; none for imported ones.
    calls: Vec<Vec<u32>>,
    /// Constants in the code of each function, which may be addresses.
    numbers: Vec<Vec<u32>>,
    names: BTreeMap<u32, String>,
    exported: Vec<u32>,
    /// Functions in the table, by their places.
    table: BTreeMap<u32, u32>,
    table_type: Option<wasmparser::TableType>,
    memory: Option<wasmparser::MemoryType>,
    globals: Vec<wasmparser::GlobalType>,
}

impl Facts {
    fn look_at(wasm: &[u8]) -> Written<Self> {
        let mut facts = Facts::default();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Func(ty) => facts.types.push(ty),
                            _ => return Err(unsupported("an import that is not a function")),
                        }
                    }
                    facts.imported = facts.types.len() as u32;
                    facts.calls.resize(facts.types.len(), Vec::new());
                    facts.numbers.resize(facts.types.len(), Vec::new());
                }
                Payload::FunctionSection(section) => {
                    for ty in section {
                        facts.types.push(ty?);
                    }
                }
                Payload::TableSection(section) => {
                    for table in section {
                        if facts.table_type.replace(table?.ty).is_some() {
                            return Err(unsupported("a second table"));
                        }
                    }
                }
                Payload::MemorySection(section) => {
                    for memory in section {
                        facts.memory = Some(memory?);
                    }
                }
                Payload::GlobalSection(section) => {
                    for global in section {
                        facts.globals.push(global?.ty);
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        if export.kind == wasmparser::ExternalKind::Func {
                            facts.exported.push(export.index);
                        }
                    }
                }
                Payload::StartSection { func, .. } => facts.exported.push(func),
                Payload::ElementSection(section) => {
                    for element in section {
                        facts.element(element?)?;
                    }
                }
                Payload::DataCountSection { .. } => {
                    return Err(unsupported("segments of data that instructions use"));
                }
                Payload::CodeSectionEntry(body) => {
                    facts.calls.push(calls(&body)?);
                    facts.numbers.push(data::numbers(&body)?);
                }
                Payload::CustomSection(section) => {
                    if let KnownCustom::Name(names) = section.as_known() {
                        for name in names {
                            let Name::Function(functions) = name? else { continue };
                            for naming in functions {
                                let naming = naming?;
                                facts.names.insert(naming.index, naming.name.to_owned());
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(facts)
    }

    fn element(&mut self, element: wasmparser::Element<'_>) -> Written<()> {
        let ElementKind::Active { table_index: None | Some(0), offset_expr } = element.kind else {
            return Err(unsupported("a passive segment of the table"));
        };
        let Ok(Operator::I32Const { value }) = offset_expr.get_operators_reader().read() else {
            return Err(unsupported("a computed place in the table"));
        };
        let ElementItems::Functions(functions) = element.items else {
            return Err(unsupported("expressions in the table"));
        };
        for (place, function) in (value as u32..).zip(functions) {
            self.table.insert(place, function?);
        }
        Ok(())
    }
}

pub(crate) fn unsupported(what: &str) -> reencode::Error<String> {
    reencode::Error::UserError(format!("it has {what}"))
}

fn calls(body: &FunctionBody<'_>) -> Written<Vec<u32>> {
    let mut called = BTreeSet::new();
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::Call { function_index } => {
                called.insert(function_index);
            }
            Operator::RefFunc { .. } | Operator::ReturnCall { .. } => {
                return Err(unsupported("references to functions"));
            }
            _ => {}
        }
    }
    Ok(called.into_iter().collect())
}

/// The places of functions in both modules.
struct Plan {
    facts: Facts,
    /// New index of each function that stays, by the old one.
    kept: BTreeMap<u32, u32>,
    /// Index in the late module of each late function, and of each kept one that late ones call.
    late: BTreeMap<u32, u32>,
    /// Kept functions that the late module imports, in this order.
    imports: Vec<u32>,
    /// Places in the table through which late functions are called.
    places: BTreeMap<u32, u32>,
}

impl Plan {
    fn new(facts: Facts, is_late: impl Fn(&str) -> bool) -> Result<Self, String> {
        if facts.names.is_empty() {
            return Err(failed("its functions have no names"));
        }
        let count = facts.types.len() as u32;
        let is_named =
            |f: &u32| *f >= facts.imported && facts.names.get(f).is_some_and(|name| is_late(name));
        let named: BTreeSet<u32> = (0..count).filter(is_named).collect();
        if let Some(export) = facts.exported.iter().find(|export| named.contains(export)) {
            return Err(failed(format!("function {export} is an export")));
        }
        // Everything else that can be reached without a late function stays.
        let mut kept: BTreeSet<u32> = (0..facts.imported).collect();
        let roots = facts.exported.iter().chain(facts.table.values());
        let mut open: Vec<u32> = roots.copied().filter(|f| !named.contains(f)).collect();
        while let Some(function) = open.pop() {
            if kept.insert(function) {
                let calls = facts.calls[function as usize].iter();
                open.extend(calls.filter(|f| !named.contains(f)));
            }
        }
        let late: Vec<u32> = (0..count).filter(|f| !kept.contains(f)).collect();
        let called = |by: &mut dyn Iterator<Item = &u32>| -> BTreeSet<u32> {
            by.flat_map(|f| facts.calls[*f as usize].iter().copied()).collect()
        };
        let imports: Vec<u32> =
            called(&mut late.iter()).into_iter().filter(|f| kept.contains(f)).collect();
        let first_place = facts.table_type.map_or(0, |table| table.initial as u32);
        let entered = called(&mut kept.iter()).into_iter().filter(|f| !kept.contains(f));
        let places = entered.zip(first_place..).collect();
        let late = imports.iter().chain(&late).copied().zip(0..).collect();
        Ok(Plan { kept: kept.into_iter().zip(0..).collect(), late, imports, places, facts })
    }

    fn is_kept(&self, function: u32) -> bool {
        self.kept.contains_key(&function)
    }

    fn table(&self) -> Option<TableType> {
        let table = self.facts.table_type?;
        let more = self.places.len() as u64;
        Some(TableType {
            element_type: wasm_encoder::RefType::FUNCREF,
            table64: false,
            minimum: table.initial + more,
            maximum: table.maximum.map(|most| most + more),
            shared: false,
        })
    }

    /// Writes the module that stays.
    fn first(&self, wasm: &[u8], ranges: &[Range]) -> Written<Vec<u8>> {
        let mut module = Module::new();
        let mut writer = Writer { indices: &self.kept, plan: self };
        let mut code = CodeSection::new();
        let mut at = self.facts.imported;
        for payload in Parser::new(0).parse_all(wasm) {
            let payload = payload?;
            match payload {
                Payload::FunctionSection(_) => {
                    let mut section = FunctionSection::new();
                    for function in self.kept.keys().skip(self.facts.imported as usize) {
                        section.function(self.facts.types[*function as usize]);
                    }
                    module.section(&section);
                }
                Payload::TableSection(_) => {
                    let mut section = TableSection::new();
                    self.table().map(|table| section.table(table));
                    module.section(&section);
                }
                Payload::ExportSection(given) => {
                    let mut section = ExportSection::new();
                    writer.parse_export_section(&mut section, given)?;
                    section.export("t", ExportKind::Table, 0);
                    for global in 0..self.facts.globals.len() as u32 {
                        section.export(&format!("g{global}"), ExportKind::Global, global);
                    }
                    for (number, function) in self.imports.iter().enumerate() {
                        section.export(&number.to_string(), ExportKind::Func, self.kept[function]);
                    }
                    module.section(&section);
                }
                Payload::ElementSection(_) => {
                    let stays = |(_, function): &(&u32, &u32)| self.is_kept(**function);
                    let stays = self.facts.table.iter().filter(stays);
                    module.section(&elements(stays.map(|(at, f)| (*at, self.kept[f]))));
                }
                Payload::CodeSectionEntry(body) => {
                    if self.is_kept(at) {
                        writer.parse_function_body(&mut code, body)?;
                    }
                    at += 1;
                    if at as usize == self.facts.types.len() {
                        module.section(&code);
                    }
                }
                Payload::DataSection(section) => {
                    let mut data = DataSection::new();
                    for segment in section {
                        let segment = segment?;
                        for (from, bytes) in data::without(&segment, ranges)? {
                            let at = data::address(&segment)? + from as u32;
                            data.active(0, &ConstExpr::i32_const(at as i32), bytes);
                        }
                    }
                    module.section(&data);
                }
                Payload::CodeSectionStart { .. } | Payload::CustomSection(_) => {}
                _ => {
                    if let Some((id, range)) = payload.as_section() {
                        module.section(&RawSection { id, data: &wasm[range] });
                    }
                }
            }
        }
        Ok(module.finish())
    }

    /// Writes the late module.
    fn late(&self, wasm: &[u8], ranges: &[Range]) -> Written<Vec<u8>> {
        let mut writer = Writer { indices: &self.late, plan: self };
        let mut types = TypeSection::new();
        let (mut code, mut data) = (CodeSection::new(), DataSection::new());
        let mut at = self.facts.imported;
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::TypeSection(section) => writer.parse_type_section(&mut types, section)?,
                Payload::CodeSectionEntry(body) => {
                    if !self.is_kept(at) {
                        writer.parse_function_body(&mut code, body)?;
                    }
                    at += 1;
                }
                Payload::DataSection(section) => {
                    for segment in section {
                        let segment = segment?;
                        for (from, to) in data::within(&segment, ranges)? {
                            let at = data::address(&segment)? + from as u32;
                            let bytes = segment.data[from..to].iter().copied();
                            data.active(0, &ConstExpr::i32_const(at as i32), bytes);
                        }
                    }
                }
                _ => {}
            }
        }
        let mut imports = ImportSection::new();
        let memory = self.facts.memory.map(|memory| MemoryType {
            minimum: memory.initial,
            maximum: memory.maximum,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        if let Some(memory) = memory {
            imports.import(FIRST, "memory", memory);
        }
        if let Some(table) = self.table() {
            imports.import(FIRST, "t", table);
        }
        for (number, global) in self.facts.globals.iter().enumerate() {
            let ty = writer.global_type(*global)?;
            imports.import(FIRST, &format!("g{number}"), ty);
        }
        for (number, function) in self.imports.iter().enumerate() {
            let ty = EntityType::Function(self.facts.types[*function as usize]);
            imports.import(FIRST, &number.to_string(), ty);
        }
        let mut functions = FunctionSection::new();
        for function in (0..self.facts.types.len() as u32).filter(|f| !self.is_kept(*f)) {
            functions.function(self.facts.types[function as usize]);
        }
        let own = self.facts.table.iter().filter(|(_, f)| !self.is_kept(**f));
        let entered = self.places.iter().map(|(function, place)| (place, function));
        let entries: BTreeMap<u32, u32> =
            own.chain(entered).map(|(place, function)| (*place, self.late[function])).collect();
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions);
        module.section(&elements(entries.into_iter())).section(&code).section(&data);
        Ok(module.finish())
    }
}

/// Returns segments that put functions into their places of the table.
fn elements(entries: impl Iterator<Item = (u32, u32)>) -> ElementSection {
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (place, function) in entries {
        match runs.last_mut() {
            Some((first, run)) if *first + run.len() as u32 == place => run.push(function),
            _ => runs.push((place, vec![function])),
        }
    }
    let mut section = ElementSection::new();
    for (place, run) in runs {
        let offset = ConstExpr::i32_const(place as i32);
        section.active(None, &offset, Elements::Functions(run.into()));
    }
    section
}

/// Writes functions with the indices of one of the modules.
struct Writer<'a> {
    indices: &'a BTreeMap<u32, u32>,
    plan: &'a Plan,
}

impl Reencode for Writer<'_> {
    type Error = String;

    fn function_index(&mut self, index: u32) -> Written<u32> {
        self.indices.get(&index).copied().ok_or_else(|| unsupported("a use of a late function"))
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Written<()> {
        let mut locals = Vec::new();
        for local in body.get_locals_reader()? {
            let (count, ty) = local?;
            locals.push((count, self.val_type(ty)?));
        }
        let mut to = Function::new(locals);
        for operator in body.get_operators_reader()? {
            match operator? {
                Operator::Call { function_index }
                    if !self.indices.contains_key(&function_index) =>
                {
                    let place = self.plan.places[&function_index];
                    let type_index = self.plan.facts.types[function_index as usize];
                    to.instruction(&Instruction::I32Const(place as i32))
                        .instruction(&Instruction::CallIndirect { type_index, table_index: 0 });
                }
                operator => {
                    to.instruction(&self.instruction(operator)?);
                }
            }
        }
        code.function(&to);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        GlobalSection, GlobalType, MemorySection, NameMap, NameSection, RefType, ValType,
    };

    use super::*;

    /// A module of four functions: `first` calls `gate`, which calls `deep` and `shared`; `first`
    /// calls `shared` as well. The table has `first` and `deep`. Each reads one constant.
    fn module() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        let mut functions = FunctionSection::new();
        (0..4).for_each(|_| drop(functions.function(0)));
        let mut tables = TableSection::new();
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: 3,
            maximum: Some(3),
            shared: false,
        });
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        let mut globals = GlobalSection::new();
        let global = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        globals.global(global, &ConstExpr::i32_const(0));
        let mut exports = ExportSection::new();
        exports.export("memory", ExportKind::Memory, 0).export("run", ExportKind::Func, 0);
        let mut table = ElementSection::new();
        table.active(None, &ConstExpr::i32_const(1), Elements::Functions((&[0, 2]).into()));
        let mut code = CodeSection::new();
        for (address, calls) in [(1024, &[1, 3][..]), (1032, &[2, 3]), (1040, &[]), (1048, &[])] {
            let mut function = Function::new([]);
            function.instruction(&Instruction::I32Const(address));
            for call in calls {
                function.instruction(&Instruction::Call(*call)).instruction(&Instruction::I32Add);
            }
            code.function(function.instruction(&Instruction::End));
        }
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(1024), *b"aaaa----bbbb----cccc----dddd");
        let mut map = NameMap::new();
        for (index, name) in ["first", "gate", "deep", "shared"].iter().enumerate() {
            map.append(index as u32, name);
        }
        let mut names = NameSection::new();
        names.functions(&map);
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&tables).section(&memories);
        module.section(&globals).section(&exports).section(&table).section(&code);
        module.section(&data).section(&names);
        module.finish()
    }

    fn parts() -> Parts {
        let constants = [[1024, 4], [1032, 4], [1040, 4], [1048, 4]];
        split(&module(), |name| name == "gate", &constants).expect("two parts")
    }

    #[test]
    fn functions_that_only_late_ones_call_are_late() {
        let facts = |wasm: &[u8]| Facts::look_at(wasm).expect("a module");
        let first = facts(&parts().first);
        // `deep` is in the table, so others may call it.
        assert_eq!((first.types.len(), first.calls[0].as_slice()), (3, &[2][..]));
        let plan = Plan::new(facts(&module()), |name| name == "gate" || name == "deep");
        let plan = plan.expect("a plan");
        assert_eq!(plan.kept.keys().copied().collect::<Vec<_>>(), [0, 3]);
        assert_eq!((plan.imports.as_slice(), plan.places[&1]), (&[3][..], 3));
    }

    #[test]
    fn both_parts_are_modules() {
        let Parts { first, late } = parts();
        wasmparser::validate(&first).expect("a module");
        wasmparser::validate(&late).expect("a module");
    }

    #[test]
    fn constants_of_late_functions_are_zero_until_they_are_loaded() {
        let Parts { first, late } = parts();
        let has = |wasm: &[u8], text: &[u8]| wasm.windows(text.len()).any(|part| part == text);
        assert!(has(&first, b"aaaa----\0\0\0\0----cccc----dddd"));
        assert!(has(&late, b"bbbb") && !has(&late, b"aaaa"));
    }

    #[test]
    fn an_export_cannot_be_late() {
        let error = split(&module(), |name| name == "first", &[]).expect_err("an export");
        assert_eq!(error, "the module cannot be split: function 0 is an export");
    }

    #[test]
    fn names_are_needed() {
        let error = split(&parts().first, |_| true, &[]).expect_err("no names");
        assert_eq!(error, "the module cannot be split: its functions have no names");
    }
}
