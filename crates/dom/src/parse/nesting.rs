//! Limits the stack of open elements.
//!
//! For most tags a tree builder searches all of its open elements, so markup nested a million
//! levels deep would take hours. Browsers make elements below level 512 siblings. Here such an
//! element is closed as soon as it is opened, which produces the same tree, and its own end tag is
//! dropped when it arrives.

use super::sink::Sink;
use html5ever::LocalName;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;
use std::cell::{Cell, RefCell};

/// Level below which elements become siblings.
pub(super) const DEEPEST_OPEN: u32 = 512;

/// Most elements that one parse flattens; further ones are dropped.
///
/// Each of them costs a search of all open elements, which are then at their maximum.
const MAX_FLAT: u32 = 50_000;

/// Most end tags of closed elements that are remembered.
const REMEMBERED: usize = 4096;

/// Most remembered end tags that are searched for one end tag.
const LOOKED_AT: usize = 64;

pub(super) struct Nesting<'t> {
    pub(super) builder: TreeBuilder<u32, Sink<'t>>,
    closed: RefCell<Vec<LocalName>>,
    flat: Cell<u32>,
    /// True if the next element would also be too deep.
    bottom: Cell<bool>,
    pub(super) tokens: Cell<u64>,
    /// Tokens that are tags, comments or document types.
    pub(super) ends: Cell<u64>,
    /// True if the text that follows belongs to an element with its own tokenizer rules.
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

/// Returns true for elements whose end tag would create another element or be an error.
fn is_never_open(name: &str) -> bool {
    crate::serialize::is_void(name) || matches!(name, "html" | "head" | "body" | "image")
}
