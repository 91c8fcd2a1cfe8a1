//! The requests that a tool can make of a page, and their answers.

use super::snapshot::Snapshot;

/// The element that a call applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The first element that a selector matches.
    Selector(&'a str),
    /// An element returned earlier; not found if it has left the page.
    Handle(u32),
}

/// A request from a tool to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call<'a> {
    /// Finds the first match, below an element or anywhere.
    QuerySelector {
        /// Searches only below this element.
        within: Option<u32>,
        /// The selector.
        selector: &'a str,
    },
    /// Finds all matches, below an element or anywhere.
    QuerySelectorAll {
        /// Searches only below this element.
        within: Option<u32>,
        /// The selector.
        selector: &'a str,
    },
    /// Reads all text of an element.
    GetTextContent(Target<'a>),
    /// Reads the value of an attribute.
    GetAttribute(Target<'a>, &'a str),
    /// Reads the HTML inside an element.
    GetHtml(Target<'a>),
    /// Tests for the presence of an element.
    Exists(Target<'a>),
    /// Counts the elements that match a selector.
    Count(&'a str),
    /// Finds the first match; after [`Answer::Nothing`], ask again when the page has changed.
    WaitFor(&'a str),
    /// Replaces the content of an element with text.
    SetTextContent(Target<'a>, &'a str),
    /// Sets an attribute.
    SetAttribute(Target<'a>, &'a str, &'a str),
    /// Replaces the content of an element with markup.
    SetHtml(Target<'a>, &'a str),
    /// Appends markup to the content of an element.
    Append(Target<'a>, &'a str),
    /// Removes an element from the page.
    Remove(Target<'a>),
    /// Clicks an element, which is an event for the embedding program.
    Click(Target<'a>),
    /// Fills a field and records an event for the embedding program.
    Fill(Target<'a>, &'a str),
    /// Submits the form that an element is or belongs to, which is an event for the embedding
    /// program.
    Submit(Target<'a>),
}

impl Call<'_> {
    /// Returns true if the call changes the page or acts on it.
    pub fn writes(&self) -> bool {
        match self {
            Call::QuerySelector { .. }
            | Call::QuerySelectorAll { .. }
            | Call::GetTextContent(_)
            | Call::GetAttribute(..)
            | Call::GetHtml(_)
            | Call::Exists(_)
            | Call::Count(_)
            | Call::WaitFor(_) => false,
            Call::SetTextContent(..)
            | Call::SetAttribute(..)
            | Call::SetHtml(..)
            | Call::Append(..)
            | Call::Remove(_)
            | Call::Click(_)
            | Call::Fill(..)
            | Call::Submit(_) => true,
        }
    }

    /// Returns true if the call carries content that is sanitised unless a grant allows raw markup.
    pub fn brings_markup(&self) -> bool {
        match self {
            Call::SetTextContent(..)
            | Call::SetAttribute(..)
            | Call::SetHtml(..)
            | Call::Append(..) => true,
            Call::QuerySelector { .. }
            | Call::QuerySelectorAll { .. }
            | Call::GetTextContent(_)
            | Call::GetAttribute(..)
            | Call::GetHtml(_)
            | Call::Exists(_)
            | Call::Count(_)
            | Call::WaitFor(_)
            | Call::Remove(_)
            | Call::Click(_)
            | Call::Fill(..)
            | Call::Submit(_) => false,
        }
    }
}

/// The result of a [`Call`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// `null`: the element or the attribute does not exist.
    Nothing,
    /// The result of a test, or success of a change.
    Is(bool),
    /// Number of matches.
    Count(u32),
    /// Text, a value or markup.
    Text(String),
    /// A copy of an element.
    Element(Box<Snapshot>),
    /// Copies of elements.
    Elements(Vec<Snapshot>),
}
