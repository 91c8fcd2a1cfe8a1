//! A look at XML before it is parsed: sections that the tokenizer does not keep apart, and errors that
//! it forgives.

use crate::error::Error;
use crate::node::{Data, NIL, NodeKind};
use crate::tree::Tree;
use std::borrow::Cow;
use std::ops::Range;

/// Target of the instructions that stand for CDATA sections while the source is parsed.
const MARK: &str = "cofferdam-cdata";

/// The source to parse, and the sections that were taken out of it.
pub(super) struct Scanned<'s> {
    pub(super) source: Cow<'s, str>,
    sections: Vec<&'s str>,
    /// The first error.
    pub(super) complaint: Option<&'static str>,
}

/// Takes CDATA sections and the internal subset of a document type out of `source`.
pub(super) fn scan(source: &str) -> Scanned<'_> {
    let mut scanned =
        Scanned { source: Cow::Borrowed(source), sections: Vec::new(), complaint: None };
    if source.contains(MARK) {
        return scanned;
    }
    let mut out = String::new();
    let (mut at, mut kept) = (0, 0);
    while let Some(found) = source[at..].find('<') {
        at += found;
        let rest = &source[at..];
        let after = |mark: &str| rest.find(mark).map_or(source.len(), |end| at + end + mark.len());
        if rest.starts_with("<!--") {
            at = after("-->");
        } else if rest.starts_with("<?") {
            at = after("?>");
        } else if let Some(text) = rest.strip_prefix("<![CDATA[") {
            let Some(end) = text.find("]]>") else {
                scanned.complaint = Some("a CDATA section is not closed");
                break;
            };
            out.push_str(&source[kept..at]);
            out.push_str(&format!("<?{MARK} {}?>", scanned.sections.len()));
            scanned.sections.push(&text[..end]);
            at = after("]]>");
            kept = at;
        } else if rest.starts_with("<!") {
            let (subset, end) = doctype(source, at);
            if !subset.is_empty() {
                out.push_str(&source[kept..subset.start]);
                kept = subset.end;
            }
            at = end;
        } else {
            match tag(source.as_bytes(), at + 1) {
                Ok(end) => at = end,
                Err(complaint) => {
                    scanned.complaint = Some(complaint);
                    break;
                }
            }
        }
    }
    if kept > 0 {
        out.push_str(&source[kept..]);
        scanned.source = Cow::Owned(out);
    }
    scanned
}

/// Returns the internal subset of the declaration at `start`, and the end of the declaration.
fn doctype(source: &str, start: usize) -> (Range<usize>, usize) {
    let (mut quote, mut open) = (None, None);
    let mut subset = 0..0;
    for (offset, byte) in source.bytes().enumerate().skip(start) {
        match (quote, byte) {
            (Some(end), byte) if byte == end => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[') if open.is_none() => open = Some(offset),
            (None, b']') => {
                if let Some(open) = open.take() {
                    subset = open..offset + 1;
                }
            }
            (None, b'>') if open.is_none() => return (subset, offset + 1),
            (None, _) => {}
        }
    }
    (0..0, source.len())
}

/// Returns the end of the tag whose name begins at `at`, or an error in its attributes.
fn tag(source: &[u8], mut at: usize) -> Result<usize, &'static str> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let get = |at: usize| source.get(at).copied();
    let skip = |mut at: usize, test: &dyn Fn(u8) -> bool| {
        while get(at).is_some_and(test) {
            at += 1;
        }
        at
    };
    let is_name = |byte: u8| !is_space(byte) && !matches!(byte, b'>' | b'/' | b'=' | b'<');
    // The tokenizer checks end tags.
    if get(at) == Some(b'/') {
        return Ok(skip(at, &|byte| byte != b'>' && byte != b'<'));
    }
    at = skip(at, &is_name);
    loop {
        at = skip(at, &is_space);
        match get(at) {
            None | Some(b'>' | b'<') => return Ok(at),
            Some(b'/') => {
                at += 1;
                continue;
            }
            Some(_) => {}
        }
        at = skip(skip(at, &is_name), &is_space);
        if get(at) != Some(b'=') {
            return Err("an attribute has no value");
        }
        at = skip(at + 1, &is_space);
        let Some(quote @ (b'"' | b'\'')) = get(at) else {
            return Err("the value of an attribute is not quoted");
        };
        at = skip(at + 1, &|byte| byte != quote && byte != b'<');
        if get(at) != Some(quote) {
            return Err("the value of an attribute is not closed, or contains '<'");
        }
        at += 1;
    }
}

impl Scanned<'_> {
    /// Puts the sections into the document; true if all are inside an element.
    pub(super) fn restore(&self, tree: &mut Tree, document: u32) -> Result<bool, Error> {
        let mut inside = true;
        if self.sections.is_empty() {
            return Ok(inside);
        }
        let mut here = document;
        while here != NIL {
            if let Data::Instruction(instruction) = &tree.node(here).data
                && *instruction.target == *MARK
                && let Some(text) =
                    instruction.data.trim().parse().ok().and_then(|at: usize| self.sections.get(at))
            {
                let old = tree.node(here).data.bytes();
                tree.account.charge(text.len())?;
                tree.account.refund(old);
                tree.node_mut(here).data =
                    Data::CData(text.replace("\r\n", "\n").replace('\r', "\n"));
                let spare = text.len() - tree.node(here).data.bytes();
                tree.account.refund(spare);
                inside &= tree.kind_at(tree.node(here).parent) == NodeKind::Element;
            }
            here = tree.following(here, document);
        }
        tree.touch();
        Ok(inside)
    }
}
