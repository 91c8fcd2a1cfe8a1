//! Parsing of HTML documents and fragments.

use super::feed::{Parse, feed};
use super::nesting::{DEEPEST_OPEN, Nesting};
use super::plain;
use super::sink::{Deep, Sink};
use crate::error::{Error, ErrorKind};
use crate::node::{Data, DocumentKind, NIL, NodeId, Quirks};
use crate::tree::{Tree, is_html};
use html5ever::TokenizerResult;
use html5ever::buffer_queue::BufferQueue;
use html5ever::interface::QuirksMode;
use html5ever::local_name;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::State;
use html5ever::tokenizer::{TokenSink, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

/// Bytes of HTML per node in documents with few tags. Documents with more nodes only cost time.
const BYTES_PER_NODE: usize = 48;

struct Html<'t> {
    tokenizer: Tokenizer<Nesting<'t>>,
    input: BufferQueue,
}

impl Html<'_> {
    fn run(&mut self) {
        // The tokenizer stops at scripts and encoding declarations; both are ignored here.
        while !matches!(self.tokenizer.feed(&self.input), TokenizerResult::Done) {}
    }

    /// Ends the parse. Returns the placeholder node and the first failure.
    fn finish(self) -> (u32, Result<(), Error>) {
        self.tokenizer.end();
        let sink = &self.tokenizer.sink.builder.sink;
        (sink.spill, sink.failure.take().map_or(Ok(()), Err))
    }
}

impl Parse for Html<'_> {
    fn piece(&mut self, piece: StrTendril) {
        self.input.push_back(piece);
        self.run();
    }

    fn plain(&mut self, whole: &StrTendril, at: usize) -> Option<usize> {
        let sink = &self.tokenizer.sink;
        #[cfg(test)]
        if plain::IS_OFF.get() {
            return None;
        }
        if sink.is_raw.get() {
            return None;
        }
        let (token, len) = plain::read(whole, at)?;
        // Scripts and encoding declarations are ignored here as well.
        let _ = sink.process_token(token, 1);
        Some(len)
    }

    fn ends(&self) -> Option<u64> {
        Some(self.tokenizer.sink.ends.get())
    }

    fn tokens(&self) -> u64 {
        self.tokenizer.sink.tokens.get()
    }

    fn failure(&self) -> Option<Error> {
        self.tokenizer.sink.builder.sink.failure.borrow().clone()
    }
}

impl Tree {
    /// Parses HTML into a new document. Every text is valid HTML; only an exhausted budget is an
    /// error.
    pub fn parse_html(&mut self, source: &str) -> Result<NodeId, Error> {
        self.expect_nodes(source.len() / BYTES_PER_NODE);
        let document = self.create_document(DocumentKind::Html)?;
        let level = DEEPEST_OPEN.min(self.account.budget.depth);
        let sink = Sink::new(self, document.slot, document.slot, Deep::Flatten, level)?;
        let builder = TreeBuilder::new(sink, options(QuirksMode::NoQuirks));
        let tokenizer = Tokenizer::new(Nesting::new(builder), tokenizer_options(State::Data));
        let mut parse = Html { tokenizer, input: BufferQueue::default() };
        let fed = feed(&mut parse, source.strip_prefix('\u{feff}').unwrap_or(source));
        let (spill, finished) = parse.finish();
        self.destroy(spill);
        if let Err(error) = fed.and(finished) {
            self.destroy(document.slot);
            return Err(error);
        }
        Ok(document)
    }

    /// Parses `source` as the content of `context` and returns the nodes in a fragment.
    pub fn parse_fragment(&mut self, context: NodeId, source: &str) -> Result<NodeId, Error> {
        let context = self.slot(context)?;
        if self.element(context).is_none() {
            let text = "markup: the context is not an element";
            return Err(Error::new(ErrorKind::NotSupported, text));
        }
        let owner = self.document_of(context);
        let quirks = match self.document_kind(owner).1 {
            Quirks::None => QuirksMode::NoQuirks,
            Quirks::Full => QuirksMode::Quirks,
        };
        let form = std::iter::once(context)
            .chain(self.ancestors_at(context))
            .find(|&a| self.element(a).is_some_and(|e| is_html(&e.name, &local_name!("form"))));
        let scratch = self.allocate(Data::Fragment(NIL), owner)?;
        let above = self.depth_of(context, self.account.budget.depth);
        let level = DEEPEST_OPEN.min(self.account.budget.depth).saturating_sub(above).max(8);
        let sink = Sink::new(self, scratch, owner, Deep::Flatten, level)?;
        let builder = TreeBuilder::new_for_fragment(sink, context, form, options(quirks));
        let state = builder.tokenizer_state_for_context_elem(false);
        let tokenizer = Tokenizer::new(Nesting::new(builder), tokenizer_options(state));
        tokenizer.sink.is_raw.set(state != State::Data);
        let mut parse = Html { tokenizer, input: BufferQueue::default() };
        let fed = feed(&mut parse, source.strip_prefix('\u{feff}').unwrap_or(source));
        let (spill, finished) = parse.finish();
        self.destroy(spill);
        if let Err(error) = fed.and(finished) {
            self.destroy(scratch);
            return Err(error);
        }
        // The builder created a root element; the parsed nodes are its children.
        let root = self.node(scratch).first;
        if root != NIL {
            let mut child = self.node(root).first;
            while child != NIL {
                let next = self.node(child).next;
                self.unlink(child);
                self.link(scratch, child, NIL);
                child = next;
            }
            self.destroy(root);
        }
        Ok(self.id(scratch))
    }
}

fn tokenizer_options(state: State) -> TokenizerOpts {
    // The byte order mark was already removed, since the fast path may consume the beginning.
    TokenizerOpts { initial_state: Some(state), discard_bom: false, ..TokenizerOpts::default() }
}

fn options(quirks_mode: QuirksMode) -> TreeBuilderOpts {
    TreeBuilderOpts { scripting_enabled: false, quirks_mode, ..TreeBuilderOpts::default() }
}
