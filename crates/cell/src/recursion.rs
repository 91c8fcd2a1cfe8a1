//! Chooses functions to check so that every cycle of calls has a check.

use std::collections::HashSet;

use wasmparser::{ElementItems, Operator, Parser, Payload, TypeRef};

/// Returns functions such that every cycle of calls contains one of them. The set is small but not
/// minimal: the functions that most calls pass through are chosen first.
pub(crate) fn breakers(wasm: &[u8]) -> wasmparser::Result<HashSet<u32>> {
    let mut graph = Graph::of(wasm)?;
    let mut breakers = graph.unknown.clone();
    loop {
        let component = graph.components();
        let taken = graph.busiest(&component);
        if taken.is_empty() {
            return Ok(breakers);
        }
        for function in taken {
            graph.calls[function].clear();
            breakers.insert(function as u32);
        }
    }
}

/// The graph of calls between functions.
struct Graph {
    calls: Vec<Vec<usize>>,
    /// Functions with calls whose targets are unknown.
    unknown: HashSet<u32>,
}

impl Graph {
    fn of(wasm: &[u8]) -> wasmparser::Result<Self> {
        let mut types = Vec::new();
        let mut in_tables = HashSet::new();
        let mut unknown = HashSet::new();
        let mut direct: Vec<HashSet<u32>> = Vec::new();
        let mut indirect: Vec<HashSet<u32>> = Vec::new();
        for payload in Parser::new(0).parse_all(wasm) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        if let TypeRef::Func(ty) = import?.ty {
                            types.push(ty);
                            direct.push(HashSet::new());
                            indirect.push(HashSet::new());
                        }
                    }
                }
                Payload::FunctionSection(functions) => {
                    for ty in functions {
                        types.push(ty?);
                    }
                }
                Payload::ElementSection(elements) => {
                    for element in elements {
                        if let ElementItems::Functions(functions) = element?.items {
                            for function in functions {
                                in_tables.insert(function?);
                            }
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => {
                    let (mut functions, mut through) = (HashSet::new(), HashSet::new());
                    for operator in body.get_operators_reader()? {
                        match operator? {
                            Operator::Call { function_index }
                            | Operator::ReturnCall { function_index } => {
                                functions.insert(function_index);
                            }
                            Operator::CallIndirect { type_index, .. }
                            | Operator::ReturnCallIndirect { type_index, .. } => {
                                through.insert(type_index);
                            }
                            Operator::CallRef { .. } | Operator::ReturnCallRef { .. } => {
                                unknown.insert(direct.len() as u32);
                            }
                            Operator::RefFunc { function_index } => {
                                in_tables.insert(function_index);
                            }
                            _ => {}
                        }
                    }
                    direct.push(functions);
                    indirect.push(through);
                }
                _ => {}
            }
        }
        let count = direct.len();
        // A call through a table may reach any function of its type in a table.
        let has_type = |ty: u32| {
            let types = &types;
            in_tables.iter().copied().filter(move |f| types.get(*f as usize) == Some(&ty))
        };
        let callees = direct.iter().zip(&indirect).map(|(direct, indirect)| {
            let mut all = direct.clone();
            all.extend(indirect.iter().flat_map(|ty| has_type(*ty)));
            let mut all: Vec<usize> = all.into_iter().map(|f| f as usize).collect();
            // Sorted, so that every build makes the same choice.
            all.sort_unstable();
            all.retain(|function| *function < count);
            all
        });
        Ok(Graph { calls: callees.collect(), unknown })
    }

    /// Returns the functions that call themselves and, for each remaining cycle, the busiest one.
    fn busiest(&self, component: &[usize]) -> Vec<usize> {
        let count = self.calls.len();
        let (mut into, mut out) = (vec![0usize; count], vec![0usize; count]);
        let mut taken = Vec::new();
        for (caller, callees) in self.calls.iter().enumerate() {
            if callees.contains(&caller) {
                taken.push(caller);
            }
            for &callee in callees.iter().filter(|callee| component[**callee] == component[caller])
            {
                out[caller] += 1;
                into[callee] += 1;
            }
        }
        let mut best: Vec<Option<(usize, usize)>> = vec![None; count];
        for function in 0..count {
            let through = into[function] * out[function];
            let best = &mut best[component[function]];
            if through > best.map_or(0, |(most, _)| most) {
                *best = Some((through, function));
            }
        }
        taken.extend(best.into_iter().flatten().map(|(_, function)| function));
        taken.sort_unstable();
        taken.dedup();
        taken
    }

    /// Returns the component of each function: functions that can reach each other share one.
    /// Tarjan's algorithm with an explicit stack.
    fn components(&self) -> Vec<usize> {
        const NONE: usize = usize::MAX;
        let count = self.calls.len();
        let (mut order, mut low) = (vec![NONE; count], vec![NONE; count]);
        let mut component = vec![NONE; count];
        let (mut open, mut next, mut found) = (Vec::new(), 0, 0);
        for root in 0..count {
            if order[root] != NONE {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((function, callee)) = path.pop() {
                if callee == 0 {
                    (order[function], low[function]) = (next, next);
                    next += 1;
                    open.push(function);
                }
                if let Some(&to) = self.calls[function].get(callee) {
                    path.push((function, callee + 1));
                    if order[to] == NONE {
                        path.push((to, 0));
                    } else if component[to] == NONE {
                        low[function] = low[function].min(order[to]);
                    }
                    continue;
                }
                if low[function] == order[function] {
                    while let Some(member) = open.pop() {
                        component[member] = found;
                        if member == function {
                            break;
                        }
                    }
                    found += 1;
                }
                if let Some(&(caller, _)) = path.last() {
                    low[caller] = low[caller].min(low[function]);
                }
            }
        }
        component
    }
}
