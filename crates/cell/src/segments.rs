//! Joins the data segments of an image that lie close to each other.
//!
//! An image has a segment for every stretch of memory between two short runs of zeros, ten thousand
//! of them in a guest with a heap. Zeros cost nothing in a compressed file, and each segment costs
//! its address.

use wasm_encoder::reencode::{self, Reencode};
use wasm_encoder::{ConstExpr, DataCountSection, DataSection, Module, RawSection};
use wasmparser::{DataKind, Operator, Parser, Payload};

/// Longest run of zeros that becomes part of a segment.
const GAP: usize = 64;

type Result<T> = std::result::Result<T, reencode::Error>;

/// An active segment of the first memory.
struct Segment {
    at: usize,
    bytes: Vec<u8>,
}

/// Returns the module with fewer segments. Segments before the last passive one stay, because
/// instructions know them by their numbers.
pub(crate) fn join(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::new();
    let (data, count) = joined(wasm)?;
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        match payload {
            Payload::DataCountSection { .. } => {
                module.section(&DataCountSection { count });
            }
            Payload::DataSection(_) => {
                module.section(&data);
            }
            _ => {
                if let Some((id, range)) = payload.as_section() {
                    module.section(&RawSection { id, data: &wasm[range] });
                }
            }
        }
    }
    Ok(module.finish())
}

/// Returns the new section of data and the number of its segments.
fn joined(wasm: &[u8]) -> Result<(DataSection, u32)> {
    let mut section = DataSection::new();
    let mut open: Option<Segment> = None;
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        if let Payload::DataSection(data) = payload? {
            all = data.into_iter().collect::<std::result::Result<_, _>>()?;
        }
    }
    let is_passive = |data: &wasmparser::Data<'_>| matches!(data.kind, DataKind::Passive);
    let first = all.iter().rposition(is_passive).map_or(0, |last| last + 1);
    for (index, data) in all.into_iter().enumerate() {
        let at = address(&data).filter(|_| index >= first);
        let Some(at) = at else {
            close(&mut section, open.take());
            reencode::RoundtripReencoder.parse_data(&mut section, data)?;
            continue;
        };
        match &mut open {
            Some(before)
                if at >= before.at + before.bytes.len()
                    && at - before.at - before.bytes.len() <= GAP =>
            {
                before.bytes.resize(at - before.at, 0);
                before.bytes.extend_from_slice(data.data);
            }
            _ => {
                let next = Segment { at, bytes: data.data.to_vec() };
                close(&mut section, open.replace(next));
            }
        }
    }
    close(&mut section, open);
    let count = section.len();
    Ok((section, count))
}

fn close(section: &mut DataSection, segment: Option<Segment>) {
    if let Some(Segment { at, bytes }) = segment {
        section.active(0, &ConstExpr::i32_const(at as i32), bytes);
    }
}

/// Returns the address of an active segment of the first memory, if it is a constant.
fn address(data: &wasmparser::Data<'_>) -> Option<usize> {
    let DataKind::Active { memory_index: 0, offset_expr } = &data.kind else { return None };
    let mut operators = offset_expr.get_operators_reader();
    let Ok(Operator::I32Const { value }) = operators.read() else { return None };
    matches!(operators.read(), Ok(Operator::End)).then_some(value as u32 as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns kind, address and length of each segment after joining.
    fn check(segments: &str, expected: &[(Option<usize>, usize)]) {
        let text = format!(
            r#"(module (memory 1) {segments} (func (data.drop 0) (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 0))))"#
        );
        let joined = join(&wat::parse_str(text).expect("a module")).expect("a module");
        wasmparser::validate(&joined).expect("a valid module");
        let mut found = Vec::new();
        for payload in Parser::new(0).parse_all(&joined) {
            if let Payload::DataSection(data) = payload.expect("a section") {
                let data = data.into_iter().map(|data| data.expect("a segment"));
                found.extend(data.map(|data| (address(&data), data.data.len())));
            }
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn segments_with_a_short_gap_are_joined() {
        let near =
            r#"(data (i32.const 8) "abc") (data (i32.const 75) "d") (data (i32.const 200) "e")"#;
        check(near, &[(Some(8), 68), (Some(200), 1)]);
    }

    #[test]
    fn segments_that_overlap_stay() {
        let over =
            r#"(data (i32.const 8) "abcd") (data (i32.const 10) "d") (data (i32.const 4) "e")"#;
        check(over, &[(Some(8), 4), (Some(10), 1), (Some(4), 1)]);
    }

    #[test]
    fn passive_segments_keep_their_numbers() {
        let mixed = r#"(data "pas") (data (i32.const 8) "a") (data (i32.const 9) "b")"#;
        check(mixed, &[(None, 3), (Some(8), 2)]);
        let last = r#"(data (i32.const 8) "a") (data (i32.const 9) "b") (data "pas")"#;
        check(last, &[(Some(8), 1), (Some(9), 1), (None, 3)]);
    }
}
