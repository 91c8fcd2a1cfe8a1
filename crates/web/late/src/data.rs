//! Data that only late functions use.

use std::collections::{BTreeMap, BTreeSet};

use wasmparser::{Data, DataKind, FunctionBody, Operator, Parser, Payload};

use crate::split::{Written, unsupported};

/// Address and length of data.
pub(crate) type Range = [u32; 2];

/// Longest gap between two late ranges that are written as one. It holds constants, or nothing.
const GAP: u32 = 32;

/// Shortest range that divides a segment; a shorter one costs less as zeros.
const LONG: usize = 256;

/// Returns the constants in the code of a function that may be addresses of data.
pub(crate) fn numbers(body: &FunctionBody<'_>) -> Written<Vec<u32>> {
    let mut numbers = BTreeSet::new();
    for operator in body.get_operators_reader()? {
        match operator? {
            Operator::I32Const { value } => {
                numbers.insert(value as u32);
            }
            Operator::I32Load { memarg }
            | Operator::I64Load { memarg }
            | Operator::F32Load { memarg }
            | Operator::F64Load { memarg }
            | Operator::I32Load8S { memarg }
            | Operator::I32Load8U { memarg }
            | Operator::I32Load16S { memarg }
            | Operator::I32Load16U { memarg }
            | Operator::I64Load8S { memarg }
            | Operator::I64Load8U { memarg }
            | Operator::I64Load16S { memarg }
            | Operator::I64Load16U { memarg }
            | Operator::I64Load32S { memarg }
            | Operator::I64Load32U { memarg } => {
                numbers.insert(memarg.offset as u32);
            }
            _ => {}
        }
    }
    Ok(numbers.into_iter().collect())
}

/// Returns the constants that late code refers to, directly or through other constants, and that
/// nothing else does.
pub(crate) fn late(
    wasm: &[u8],
    constants: &[Range],
    kept: Vec<u32>,
    late: Vec<u32>,
) -> Written<Vec<Range>> {
    let all: BTreeMap<u32, u32> = constants.iter().map(|[at, len]| (*at, *len)).collect();
    let mut memory: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::DataSection(section) = payload? {
            for segment in section {
                let segment = segment?;
                memory.insert(address(&segment)?, segment.data.to_vec());
            }
        }
    }
    // Data that is not among the constants may refer to any of them.
    let mut kept = kept;
    for (at, bytes) in &memory {
        let words = bytes.as_chunks::<4>().0.iter().zip((*at..).step_by(4));
        let outside = words.filter(|(_, at)| containing(&all, *at).is_none());
        let addresses = outside.map(|(word, _)| u32::from_le_bytes(*word));
        kept.extend(addresses.filter(|address| all.contains_key(address)));
    }
    let (kept, late) = (reached(&all, &memory, kept), reached(&all, &memory, late));
    Ok(late.difference(&kept).map(|at| [*at, all[at]]).collect())
}

/// Joins ranges over short gaps, which are written again with the bytes that they have already.
pub(crate) fn joined(ranges: &[Range]) -> Vec<Range> {
    let mut joined: Vec<Range> = Vec::new();
    for [at, len] in ranges {
        match joined.last_mut() {
            Some([before, long]) if at - (*before + *long) <= GAP => *long = at + len - *before,
            _ => joined.push([*at, *len]),
        }
    }
    joined
}

/// Returns the constant that an address is in.
fn containing(all: &BTreeMap<u32, u32>, address: u32) -> Option<u32> {
    let (at, len) = all.range(..=address).next_back()?;
    (address < at + len).then_some(*at)
}

/// Returns the constants that code with these numbers refers to, directly or through others.
fn reached(
    all: &BTreeMap<u32, u32>,
    memory: &BTreeMap<u32, Vec<u8>>,
    numbers: Vec<u32>,
) -> BTreeSet<u32> {
    // Code may have the address of any part of a constant, or that of its end.
    let parts = numbers.into_iter().flat_map(|number| [number, number.saturating_sub(1)]);
    let mut open: Vec<u32> = parts.filter_map(|number| containing(all, number)).collect();
    let mut reached = BTreeSet::new();
    while let Some(at) = open.pop() {
        if !reached.insert(at) {
            continue;
        }
        let Some((start, bytes)) = memory.range(..=at).next_back() else { continue };
        let from = (at - start) as usize;
        let Some(bytes) = bytes.get(from..from + all[&at] as usize) else { continue };
        let skipped = (at.next_multiple_of(4) - at) as usize;
        let words = bytes.get(skipped..).unwrap_or_default().as_chunks::<4>().0;
        // Constants refer to the beginnings of others; any other number is just a number.
        let words = words.iter().map(|word| u32::from_le_bytes(*word));
        open.extend(words.filter(|word| all.contains_key(word)));
    }
    reached
}

/// Returns the places of ranges within the bytes of a segment.
pub(crate) fn within(segment: &Data<'_>, ranges: &[Range]) -> Written<Vec<(usize, usize)>> {
    let start = address(segment)?;
    let place = |[at, len]: &Range| {
        let from = at.checked_sub(start)? as usize;
        let to = from + *len as usize;
        (to <= segment.data.len()).then_some((from, to))
    };
    Ok(ranges.iter().filter_map(place).collect())
}

/// Returns the bytes of a segment without those of ranges, in pieces with their places. Short ranges
/// are zeros within a piece.
pub(crate) fn without(segment: &Data<'_>, ranges: &[Range]) -> Written<Vec<(usize, Vec<u8>)>> {
    let mut bytes = segment.data.to_vec();
    let (mut pieces, mut begin) = (Vec::new(), 0);
    for (from, to) in within(segment, ranges)? {
        bytes[from..to].fill(0);
        if to - from >= LONG {
            pieces.push((begin, bytes[begin..from].to_vec()));
            begin = to;
        }
    }
    pieces.push((begin, bytes[begin..].to_vec()));
    pieces.retain(|(_, bytes)| !bytes.is_empty());
    Ok(pieces)
}

/// Returns the address of a segment.
pub(crate) fn address(segment: &Data<'_>) -> Written<u32> {
    let DataKind::Active { memory_index: 0, offset_expr } = &segment.kind else {
        return Err(unsupported("a passive segment of data"));
    };
    match offset_expr.get_operators_reader().read() {
        Ok(Operator::I32Const { value }) => Ok(value as u32),
        _ => Err(unsupported("a computed address of data")),
    }
}

/// Returns the places of constants from the linker's map: lines of address, offset and size in
/// hexadecimal, and a name.
pub(crate) fn constants(map: &str) -> Vec<Range> {
    let constant = |line: &str| {
        let mut words = line.split_whitespace();
        let numbers = [words.next()?, words.next()?, words.next()?];
        let [at, _, len] = numbers.map(|number| u32::from_str_radix(number, 16).ok());
        let name = words.next()?;
        // Sections of the compiler's own; those without a name are parts of several constants.
        name.contains(":(.rodata.").then_some([at?, len?])
    };
    map.lines().filter_map(constant).filter(|[_, len]| *len > 0).collect()
}
