//! Operations on a page, as sent with [`crate::Call::DomCall`].

macro_rules! operations {
    ($($(#[$doc:meta])* $number:literal $variant:ident,)+) => {
        /// One operation on a page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum DomOperation {
            $($(#[$doc])* $variant = $number,)+
        }

        impl DomOperation {
            /// Returns the operation with this number.
            pub const fn from_number(number: u8) -> Option<DomOperation> {
                match number {
                    $($number => Some(DomOperation::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

operations! {
    /// Finds the first match below the element of the handle, or anywhere.
    0 QuerySelector,
    /// Finds all matches below the element of the handle, or anywhere.
    1 QuerySelectorAll,
    /// Reads all text of an element.
    2 GetTextContent,
    /// Reads the attribute named `text`.
    3 GetAttribute,
    /// Reads the HTML inside an element.
    4 GetHtml,
    /// Tests for the presence of an element.
    5 Exists,
    /// Counts the elements that match a selector.
    6 Count,
    /// Like `QuerySelector`, repeated until there is a match.
    7 WaitFor,
    /// Replaces the content of an element with `text`.
    8 SetTextContent,
    /// Sets the attribute named `text` to `more`.
    9 SetAttribute,
    /// Replaces the content of an element with the markup `text`.
    10 SetHtml,
    /// Appends the markup `text` to the content of an element.
    11 Append,
    /// Removes an element.
    12 Remove,
    /// Clicks an element.
    13 Click,
    /// Sets the value of a field to `text`.
    14 Fill,
    /// Submits a form.
    15 Submit,
}
