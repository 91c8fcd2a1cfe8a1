//! Parsing of XML documents, with the checks for well-formedness that xml5ever leaves out.

use super::feed::{Parse, feed};
use super::scan::scan;
use super::sink::{Deep, Sink};
use crate::error::Error;
use crate::node::{DocumentKind, NodeId};
use crate::tree::Tree;
use html5ever::tendril::StrTendril;
use html5ever::{QualName, local_name, ns};
use std::cell::Cell;
use xml5ever::buffer_queue::BufferQueue;
use xml5ever::tokenizer::{
    ProcessResult, TagKind, Token, TokenSink, XmlTokenizer, XmlTokenizerOpts,
};
use xml5ever::tree_builder::{XmlTreeBuilder, XmlTreeBuilderOpts};

/// The result of parsing XML.
#[derive(Debug, Clone)]
pub struct ParsedXml {
    /// The document, as far as the source could be parsed.
    pub document: NodeId,
    /// The first error, if the source is not well-formed.
    pub error: Option<String>,
}

/// The tokenizer's message for a character reference with an invalid number.
const REFERENCE: &str = "Invalid numeric character reference";

/// Sits between the tokenizer and the tree builder and adds checks that both leave out.
struct Mended<'t> {
    builder: XmlTreeBuilder<u32, Sink<'t>>,
    tokens: Cell<u64>,
    /// Number of open elements.
    open: Cell<u32>,
    /// True if XML allows every character reference in the source.
    references_fit: bool,
}

impl Mended<'_> {
    fn complain(&self, text: &'static str) {
        self.builder.sink.complaint.borrow_mut().get_or_insert(text.into());
    }
}

impl TokenSink for Mended<'_> {
    type Handle = u32;

    fn process_token(&self, token: Token) -> ProcessResult<u32> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        if self.builder.sink.failure.borrow().is_some() {
            return ProcessResult::Continue;
        }
        let mut declared = Vec::new();
        match &token {
            Token::Tag(tag) => {
                // The tokenizer does not validate names.
                let mut names = std::iter::once(&tag.name).chain(tag.attrs.iter().map(|a| &a.name));
                if tag.kind != TagKind::ShortTag && !names.all(is_xml_name) {
                    self.complain("invalid name of an element or attribute");
                }
                match tag.kind {
                    TagKind::StartTag => self.open.set(self.open.get() + 1),
                    TagKind::EndTag | TagKind::ShortTag => {
                        self.open.set(self.open.get().saturating_sub(1));
                    }
                    TagKind::EmptyTag => {}
                }
                // The builder consumes namespace declarations, but they must stay in the document.
                // The tokenizer returns attributes in reverse order.
                declared
                    .extend(tag.attrs.iter().rev().filter(|a| is_declaration(&a.name)).cloned());
            }
            // The XML declaration is not part of the document.
            Token::ProcessingInstruction(pi) if *pi.target == *"xml" => {
                return ProcessResult::Continue;
            }
            // The tokenizer rejects references that HTML forbids, such as a carriage return.
            Token::ParseError(text) if self.references_fit && *text == REFERENCE => {
                return ProcessResult::Continue;
            }
            Token::EndOfFile if self.open.get() > 0 => self.complain("an element is not closed"),
            _ => {}
        }
        let result = self.builder.process_token(token);
        if !declared.is_empty() {
            for attribute in &mut declared {
                attribute.name.ns = ns!(xmlns);
            }
            self.builder.sink.declare(declared);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }
}

/// Returns true if the text after `&#` is the number of a character that XML allows and that the
/// tokenizer returns unchanged.
fn is_reference(rest: &str) -> bool {
    let (digits, radix) = match rest.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (rest, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let number = u32::from_str_radix(&digits[..end], radix).ok().and_then(char::from_u32);
    matches!(
        number,
        Some(
            '\t'
            | '\n'
            | '\r'
            | ' '..='\u{7f}'
            | '\u{a0}'..='\u{fffd}'
            | '\u{10000}'..='\u{10ffff}',
        )
    )
}

/// Returns true if XML allows the character in a document.
fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

fn is_xml_name(name: &QualName) -> bool {
    name.prefix.as_deref().is_none_or(is_name) && is_name(&name.local)
}

/// Returns true if XML allows this name; the prefix has already been split off.
fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(begins_name) && chars.all(continues_name)
}

fn begins_name(c: char) -> bool {
    matches!(c, 'A'..='Z' | '_' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}'
        | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}'
        | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{10000}'..='\u{effff}')
}

fn continues_name(c: char) -> bool {
    begins_name(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}'
            | '\u{203f}'..='\u{2040}')
}

fn is_declaration(name: &QualName) -> bool {
    name.prefix.as_deref() == Some("xmlns")
        || name.prefix.is_none() && name.local == local_name!("xmlns")
}

struct Xml<'t> {
    tokenizer: XmlTokenizer<Mended<'t>>,
    input: BufferQueue,
}

impl Parse for Xml<'_> {
    fn piece(&mut self, piece: StrTendril) {
        self.input.push_back(piece);
        while !matches!(self.tokenizer.feed(&self.input), html5ever::TokenizerResult::Done) {}
    }

    fn tokens(&self) -> u64 {
        self.tokenizer.sink.tokens.get()
    }

    fn failure(&self) -> Option<Error> {
        self.tokenizer.sink.builder.sink.failure.borrow().clone()
    }
}

impl Tree {
    /// Parses XML into a new document. External entities and document types are not loaded.
    pub fn parse_xml(&mut self, source: &str) -> Result<ParsedXml, Error> {
        let document = self.create_document(DocumentKind::Xml)?;
        let deepest = self.account.budget.depth;
        let sink = Sink::new(self, document.slot, document.slot, Deep::Refuse, deepest)?;
        let scanned = scan(source);
        let whole = source;
        let source = &*scanned.source;
        let references_fit = source.split("&#").skip(1).all(is_reference);
        let builder = XmlTreeBuilder::new(sink, XmlTreeBuilderOpts::default());
        let mended = Mended { builder, tokens: Cell::new(0), open: Cell::new(0), references_fit };
        let tokenizer = XmlTokenizer::new(mended, XmlTokenizerOpts::default());
        let mut parse = Xml { tokenizer, input: BufferQueue::default() };
        let mut fed = feed(&mut parse, source);
        parse.tokenizer.end();
        if !whole.chars().all(is_character) {
            parse.tokenizer.sink.complain("XML does not allow this character");
        }
        if let Some(complaint) = scanned.complaint {
            parse.tokenizer.sink.complain(complaint);
        }
        let sink = &parse.tokenizer.sink.builder.sink;
        if let Some(error) = sink.failure.take() {
            fed = fed.and(Err(error));
        }
        let spill = sink.spill;
        let mut error = sink.complaint.take().map(|complaint| complaint.into_owned());
        self.destroy(spill);
        match fed.and_then(|()| scanned.restore(self, document.slot)) {
            Ok(true) => {}
            Ok(false) => {
                error.get_or_insert("a CDATA section outside of the root element".into());
            }
            Err(error) => {
                self.destroy(document.slot);
                return Err(error);
            }
        }
        Ok(ParsedXml { document, error })
    }
}
