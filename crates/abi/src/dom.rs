//! What a tool can ask of a page, as the operation of [`crate::Call::DomCall`].

macro_rules! operations {
    ($($(#[$doc:meta])* $number:literal $variant:ident,)+) => {
        /// One operation on a page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum DomOperation {
            $($(#[$doc])* $variant = $number,)+
        }

        impl DomOperation {
            /// The operation of this number.
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
    /// The first match; the handle says below which element.
    0 QuerySelector,
    /// All matches; the handle says below which element.
    1 QuerySelectorAll,
    /// All text of an element.
    2 GetTextContent,
    /// `text` is the name.
    3 GetAttribute,
    /// The HTML inside an element.
    4 GetHtml,
    /// Whether there is such an element.
    5 Exists,
    /// How many elements a selector matches.
    6 Count,
    /// As the first, asked again and again.
    7 WaitFor,
    /// `text` replaces what is inside.
    8 SetTextContent,
    /// `text` is the name, `more` the value.
    9 SetAttribute,
    /// `text` is markup that replaces what is inside.
    10 SetHtml,
    /// `text` is markup that goes behind what is inside.
    11 Append,
    /// Takes an element out.
    12 Remove,
    /// Clicks on an element.
    13 Click,
    /// `text` is the value of a field.
    14 Fill,
    /// Submits a form.
    15 Submit,
}
