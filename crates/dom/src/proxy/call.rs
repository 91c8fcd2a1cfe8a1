use super::snapshot::Snapshot;

/// An element that a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target<'a> {
    /// The first element that a selector matches.
    Selector(&'a str),
    /// An element that was handed out before; it is nothing when it has left the page.
    Handle(u32),
}

/// What a tool can ask of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call<'a> {
    /// The first match, below an element or anywhere.
    QuerySelector {
        /// Below this element only.
        within: Option<u32>,
        /// The selector.
        selector: &'a str,
    },
    /// All matches, below an element or anywhere.
    QuerySelectorAll {
        /// Below this element only.
        within: Option<u32>,
        /// The selector.
        selector: &'a str,
    },
    /// All text of an element.
    GetTextContent(Target<'a>),
    /// The value of an attribute.
    GetAttribute(Target<'a>, &'a str),
    /// The HTML inside an element.
    GetHtml(Target<'a>),
    /// Whether there is such an element.
    Exists(Target<'a>),
    /// How many elements a selector matches.
    Count(&'a str),
    /// The first match; [`Answer::Nothing`] says to ask again when the page has changed.
    WaitFor(&'a str),
    /// Replaces what is inside an element by text.
    SetTextContent(Target<'a>, &'a str),
    /// Sets an attribute.
    SetAttribute(Target<'a>, &'a str, &'a str),
    /// Replaces what is inside an element by markup.
    SetHtml(Target<'a>, &'a str),
    /// Adds markup behind what is inside an element.
    Append(Target<'a>, &'a str),
    /// Takes an element out of the page.
    Remove(Target<'a>),
    /// Clicks on an element: an event for the embedding program.
    Click(Target<'a>),
    /// Fills a field, and tells the embedding program.
    Fill(Target<'a>, &'a str),
    /// Submits the form that an element is or belongs to: an event for the embedding program.
    Submit(Target<'a>),
}

impl Call<'_> {
    /// Whether it changes the page or acts on it.
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

    /// Whether it brings something that is sanitised, unless a grant says otherwise.
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

/// What comes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// `null`: no such element, or no such attribute.
    Nothing,
    /// Whether something is so, or was done.
    Is(bool),
    /// How many.
    Count(u32),
    /// Text, a value or markup.
    Text(String),
    /// A copy of an element.
    Element(Box<Snapshot>),
    /// Copies of elements.
    Elements(Vec<Snapshot>),
}
