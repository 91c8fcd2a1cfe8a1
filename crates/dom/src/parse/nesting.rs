//! Keeps the stack of open elements short.
//!
//! For most tags a tree builder looks through all of its open elements, so that markup nested a
//! million deep would take hours. Browsers put elements below level 512 beside each other; here
//! such an element is closed as soon as it is open, which gives the same tree, and its own end tag
//! is swallowed when it comes.

use super::sink::Sink;
use html5ever::LocalName;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use std::cell::{Cell, RefCell};

/// The level below which elements stand beside each other.
pub(super) const DEEPEST_OPEN: u32 = 512;

/// How many elements a parse puts beside each other that way; more of them are left out.
///
/// Each takes a look at all open elements, which are as many as can be.
const MAX_FLAT: u32 = 50_000;

/// How many end tags of closed elements are remembered.
const REMEMBERED: usize = 4096;

/// How many of them are looked at for one end tag.
const LOOKED_AT: usize = 64;

pub(super) struct Nesting<'t> {
    pub(super) builder: TreeBuilder<u32, Sink<'t>>,
    closed: RefCell<Vec<LocalName>>,
    flat: Cell<u32>,
    /// Whether the next element would be too deep as well.
    bottom: Cell<bool>,
    pub(super) tokens: Cell<u64>,
    /// Tags, comments and document types among them.
    pub(super) ends: Cell<u64>,
    /// Whether what follows is text of an element that has other rules for it.
    pub(super) is_raw: Cell<bool>,
}

impl<'t> Nesting<'t> {
    pub(super) fn new(builder: TreeBuilder<u32, Sink<'t>>) -> Nesting<'t> {
        Nesting {
            builder,
            closed: RefCell::new(Vec::new()),
            flat: Cell::new(0),
            bottom: Cell::new(false),
            tokens: Cell::new(0),
            ends: Cell::new(0),
            is_raw: Cell::new(false),
        }
    }

    fn swallows(&self, end: &Tag) -> bool {
        let mut closed = self.closed.borrow_mut();
        let from = closed.len().saturating_sub(LOOKED_AT);
        match closed[from..].iter().rposition(|name| *name == end.name) {
            None => false,
            Some(at) => {
                closed.truncate(from + at);
                true
            }
        }
    }

    fn remember(&self, name: LocalName) {
        let mut closed = self.closed.borrow_mut();
        if closed.len() >= REMEMBERED {
            closed.drain(..REMEMBERED / 2);
        }
        closed.push(name);
    }

    fn close(&self, name: LocalName, line: u64) {
        self.remember(name.clone());
        self.flat.set(self.flat.get() + 1);
        self.bottom.set(true);
        let end = Tag {
            kind: TagKind::EndTag,
            name,
            self_closing: false,
            attrs: Vec::new(),
            had_duplicate_attributes: false,
        };
        let _ = self.builder.process_token(Token::TagToken(end), line);
    }
}

impl TokenSink for Nesting<'_> {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
        match token {
            Token::ParseError(_) => {}
            Token::TagToken(_) | Token::CommentToken(_) | Token::DoctypeToken(_) => {
                self.tokens.set(self.tokens.get() + 1);
                self.ends.set(self.ends.get() + 1);
                self.is_raw.set(false);
            }
            Token::CharacterTokens(_) | Token::NullCharacterToken | Token::EOFToken => {
                self.tokens.set(self.tokens.get() + 1);
            }
        }
        if self.builder.sink.failure.borrow().is_some() {
            return TokenSinkResult::Continue;
        }
        let opened = match &token {
            Token::TagToken(tag) => match tag.kind {
                TagKind::EndTag if self.swallows(tag) => return TokenSinkResult::Continue,
                TagKind::EndTag => {
                    self.bottom.set(false);
                    None
                }
                TagKind::StartTag if self.bottom.get() && self.flat.get() >= MAX_FLAT => {
                    if !tag.self_closing && !is_never_open(&tag.name) {
                        self.remember(tag.name.clone());
                    }
                    return TokenSinkResult::Continue;
                }
                TagKind::StartTag => Some(tag.name.clone()),
            },
            _ => None,
        };
        self.builder.sink.too_deep.set(false);
        let result = self.builder.process_token(token, line);
        if matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext) {
            self.is_raw.set(true);
        }
        if let Some(name) = opened
            && self.builder.sink.too_deep.get()
            && matches!(result, TokenSinkResult::Continue)
            && !is_never_open(&name)
        {
            self.close(name, line);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements whose end tag would be another element, or an error.
fn is_never_open(name: &str) -> bool {
    crate::serialize::is_void(name) || matches!(name, "html" | "head" | "body" | "image")
}
