//! `dom:read[:SELECTOR]`, `dom:write[:[raw@]SELECTOR]`: the sandbox's page.
//!
//! Markup that a tool writes into a page is sanitised, so that it can neither run nor load
//! anything. With `raw@` it is inserted unchanged; `dom:write:raw@*` allows that for the whole
//! page.

use std::fmt;

use crate::capability::Area;
use crate::error::{Error, ErrorKind};
use crate::kind::{Access, Kind};
use crate::scope::{Covers, Scope};
use crate::text::name_type;
use crate::visible::quoted;

/// Prefix of a selector for unsanitised markup. No valid selector begins with it.
const RAW: &str = "raw@";

/// The page, or the elements inside a selector, that may be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dom {
    access: Access,
    markup: Markup,
    scope: Scope<Selector>,
}

/// Treatment of markup and attributes written to a page; irrelevant for reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Markup {
    /// Removes everything that could run or load anything.
    Sanitised,
    /// Inserts markup unchanged. Includes permission to insert sanitised markup.
    Raw,
}

name_type! {
    /// A CSS selector as text: selectors are equal if they are spelled alike.
    ///
    /// The owner of the document determines the elements that match.
    Selector, check
}

impl Dom {
    pub(crate) fn parse(access: Access, scope: Option<&str>) -> Result<Self, Error> {
        let (markup, scope) = match (access, scope.and_then(|text| text.strip_prefix(RAW))) {
            (Access::Write, Some("*")) => (Markup::Raw, None),
            (Access::Write, Some("")) => {
                let reason = "nothing after raw@; write raw@* for the whole page";
                return Err(Error::new(ErrorKind::EmptyScope, "", reason));
            }
            (Access::Write, Some(selector)) => (Markup::Raw, Some(selector)),
            (Access::Read, Some(_)) | (_, None) => (Markup::Sanitised, scope),
        };
        let scope = Scope::parse(scope, |text| Ok(Scope::Only(text.parse()?)))?;
        Ok(Self { access, markup, scope })
    }

    pub(crate) fn required(access: Access, markup: Markup, selector: Option<&Selector>) -> Self {
        let (markup, selector) = match (access, markup) {
            (Access::Read, _) | (Access::Write, Markup::Sanitised) => (Markup::Sanitised, selector),
            // In the raw form, the selector `*` denotes the whole page.
            (Access::Write, Markup::Raw) => (Markup::Raw, selector.filter(|s| s.as_str() != "*")),
        };
        Self { access, markup, scope: selector.cloned().map_or(Scope::All, Scope::Only) }
    }

    /// Returns the selector, then the whole page. Sanitised requests are never widened to raw ones.
    pub(crate) fn widening(
        access: Access,
        markup: Markup,
        selector: Option<&Selector>,
    ) -> Vec<Self> {
        let mut steps = vec![Self::required(access, markup, selector)];
        if steps[0].scope.only().is_some() {
            steps.push(Self::required(access, markup, None));
        }
        steps
    }

    /// Returns the direction of access.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Returns the treatment of markup.
    pub fn markup(&self) -> Markup {
        self.markup
    }

    /// Returns the selector that limits this capability, if any.
    pub fn scope(&self) -> &Scope<Selector> {
        &self.scope
    }
}

fn check(text: &str) -> Result<(), Error> {
    let bad = |reason| Err(Error::new(ErrorKind::BadName, text, reason));
    if text.trim() != text {
        return bad("a selector must not have spaces around it");
    }
    // A tool could otherwise make up a selector that reads as permission for raw markup.
    if text.starts_with(RAW) {
        return bad("raw@ is only allowed in dom:write, once, before a selector");
    }
    Ok(())
}

impl Covers for Selector {
    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

impl Covers for Dom {
    fn covers(&self, other: &Self) -> bool {
        self.access == other.access
            && self.markup >= other.markup
            && self.scope.covers(&other.scope)
    }
}

impl Area for Dom {
    fn kind(&self) -> Kind {
        match self.access {
            Access::Read => Kind::DomRead,
            Access::Write => Kind::DomWrite,
        }
    }

    fn describe(&self) -> String {
        let verb = match self.access {
            Access::Read => "read",
            Access::Write => "change",
        };
        let how = match self.markup {
            Markup::Sanitised => "",
            Markup::Raw => ", with scripts and whatever else the tool writes",
        };
        match &self.scope {
            Scope::All => format!("{verb} the page{how}"),
            Scope::Only(selector) => format!("{verb} the page inside {}{how}", quoted(&selector.0)),
        }
    }
}

impl fmt::Display for Dom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, scope) = (self.kind(), &self.scope);
        match (self.markup, scope) {
            (Markup::Sanitised, _) => write!(f, "{kind}{scope}"),
            (Markup::Raw, Scope::All) => write!(f, "{kind}:{RAW}*"),
            (Markup::Raw, Scope::Only(selector)) => write!(f, "{kind}:{RAW}{selector}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Capability, ErrorKind};

    fn check(wide: &str, narrow: &str, expect: bool) {
        let read = |text: &str| text.parse::<Capability>().unwrap();
        assert_eq!(read(wide).covers(&read(narrow)), expect, "{wide} over {narrow}");
    }

    #[test]
    fn selector_keeps_its_colons_and_stars() {
        let text = r"dom:read:#cart > li:nth-child(2)::before, a[href*='\:']";
        assert_eq!(text.parse::<Capability>().unwrap().to_string(), text);
    }

    #[test]
    fn selectors_are_compared_as_text() {
        check("dom:read", "dom:read:#a", true);
        check("dom:read:#a", "dom:read:#a", true);
        check("dom:read:*", "dom:read:#a", false);
        check("dom:read:#a", "dom:read", false);
    }

    #[test]
    fn space_around_a_selector_is_refused() {
        let error = "dom:read: #a".parse::<Capability>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadName);
    }

    #[test]
    fn raw_markup_is_said_and_covers_what_is_sanitised() {
        check("dom:write:raw@#a", "dom:write:raw@#a", true);
        check("dom:write:raw@#a", "dom:write:#a", true);
        check("dom:write:raw@*", "dom:write:#a", true);
        check("dom:write:raw@*", "dom:write:raw@#a", true);
        check("dom:write:raw@*", "dom:write", true);
        check("dom:write", "dom:write:raw@#a", false);
        check("dom:write:#a", "dom:write:raw@#a", false);
        check("dom:write:raw@#a", "dom:write:raw@*", false);
        check("dom:write:raw@*", "dom:read", false);
        for text in ["dom:write:raw@*", "dom:write:raw@ul > li", "dom:write:raw"] {
            assert_eq!(text.parse::<Capability>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_selector_cannot_pass_for_raw_markup() {
        assert!("raw@*".parse::<super::Selector>().is_err());
        for text in ["dom:read:raw@#a", "dom:write:raw@raw@#a", "dom:write:raw@", "dom:read:raw@*"]
        {
            assert!(text.parse::<Capability>().is_err(), "{text}");
        }
    }

    #[test]
    fn description_quotes_what_reads_like_words() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("dom:write:#cart"), "change the page inside #cart");
        assert_eq!(describe("dom:read:ul li"), "read the page inside \"ul li\"");
        assert_eq!(describe("dom:read"), "read the page");
        assert_eq!(
            describe("dom:write:raw@#cart"),
            "change the page inside #cart, with scripts and whatever else the tool writes"
        );
    }
}
