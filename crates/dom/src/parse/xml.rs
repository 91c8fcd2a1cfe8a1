use super::feed::{Parse, feed};
use super::sink::{Deep, Sink};
use crate::error::Error;
use crate::node::{DocumentKind, NodeId};
use crate::tree::Tree;
use html5ever::tendril::StrTendril;
use std::cell::Cell;
use xml5ever::buffer_queue::BufferQueue;
use xml5ever::tokenizer::{
    ProcessResult, Token, TokenSink, XmlTokenizer, XmlTokenizerOpts,
};
use xml5ever::tree_builder::{XmlTreeBuilder, XmlTreeBuilderOpts};

/// A document, and what was wrong with its source.
#[derive(Debug, Clone)]
pub struct ParsedXml {
    /// As much as could be read.
    pub document: NodeId,
    /// The first error, when the source is not well-formed.
    pub error: Option<String>,
}

struct Counted<'t> {
    builder: XmlTreeBuilder<u32, Sink<'t>>,
    tokens: Cell<u64>,
}

impl TokenSink for Counted<'_> {
    type Handle = u32;

    fn process_token(&self, token: Token) -> ProcessResult<u32> {
        if !matches!(token, Token::ParseError(_)) {
            self.tokens.set(self.tokens.get() + 1);
        }
        if self.builder.sink.failure.borrow().is_some() {
            return ProcessResult::Continue;
        }
        self.builder.process_token(token)
    }

    fn end(&self) {
        self.builder.end();
    }
}

struct Xml<'t> {
    tokenizer: XmlTokenizer<Counted<'t>>,
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
    /// A new document out of XML. External entities and document types are not followed.
    pub fn parse_xml(&mut self, source: &str) -> Result<ParsedXml, Error> {
        let document = self.create_document(DocumentKind::Xml)?;
        let deepest = self.account.budget.depth;
        let sink = Sink::new(self, document.slot, document.slot, Deep::Refuse, deepest)?;
        let builder = XmlTreeBuilder::new(sink, XmlTreeBuilderOpts::default());
        let counted = Counted { builder, tokens: Cell::new(0) };
        let tokenizer = XmlTokenizer::new(counted, XmlTokenizerOpts::default());
        let mut parse = Xml { tokenizer, input: BufferQueue::default() };
        let mut fed = feed(&mut parse, source);
        parse.tokenizer.end();
        let sink = &parse.tokenizer.sink.builder.sink;
        if let Some(error) = sink.failure.take() {
            fed = fed.and(Err(error));
        }
        let error = sink.complaint.take().map(|complaint| complaint.into_owned());
        if let Err(error) = fed {
            self.destroy(document.slot);
            return Err(error);
        }
        Ok(ParsedXml { document, error })
    }
}
