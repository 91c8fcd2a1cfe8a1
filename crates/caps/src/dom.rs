//! `dom:read[:SELECTOR]`, `dom:write[:[raw@]SELECTOR]`: the sandbox's page.
//!
//! What a tool writes into a page is sanitised: nothing in it runs or loads anything. With `raw@`
//! it goes in as it is; `dom:write:raw@*` is that for the whole page.

use std::fmt;

use crate::capability::Area;
use crate::error::{Error, ErrorKind};
use crate::kind::{Access, Kind};
use crate::scope::{Covers, Scope};
use crate::text::name_type;
use crate::visible::quoted;

/// What stands before a selector where markup goes in as it is. No selector begins with it.
const RAW: &str = "raw@";

/// The page, or the elements inside a selector, to look at or to change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dom {
    access: Access,
    markup: Markup,
    scope: Scope<Selector>,
}

/// How markup and attributes get into a page; of no meaning where it is only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Markup {
    /// Without what could run or load anything.
    Sanitised,
    /// As it is. What may be written so may be written sanitised too.
    Raw,
}

name_type! {
    /// A CSS selector, as text: two selectors are the same when they are spelled the same.
    ///
    /// Which elements it takes in is for the one who has the document to say.
    Selector, check
}

impl Dom {
    pub(crate) fn parse(access: Access, scope: Option<&str>) -> Result<Self, Error> {
        let (markup, scope) = match (access, scope.and_then(|text| text.strip_prefix(RAW))) {
            (Access::Write, Some("*")) => (Markup::Raw, None),
            (Access::Write, Some("")) => {
                let reason = "nothing after raw@, raw@* is the whole page";
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
            // Every element is the page: it is how the whole of it is written here.
            (Access::Write, Markup::Raw) => (Markup::Raw, selector.filter(|s| s.as_str() != "*")),
        };
        Self { access, markup, scope: selector.cloned().map_or(Scope::All, Scope::Only) }
    }

    /// The selector, then the page. Raw markup is never a step: who wants it says so.
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

    /// Looking or changing.
    pub fn access(&self) -> Access {
        self.access
    }

    /// How markup gets in.
    pub fn markup(&self) -> Markup {
        self.markup
    }

    /// Inside which selector.
    pub fn scope(&self) -> &Scope<Selector> {
        &self.scope
    }
}

fn check(text: &str) -> Result<(), Error> {
    let bad = |reason| Err(Error::new(ErrorKind::BadName, text, reason));
    if text.trim() != text {
        return bad("a selector has no space around it");
    }
    // Else a selector that a tool makes up would read as leave for more than it is.
    if text.starts_with(RAW) {
        return bad("raw@ goes with dom:write, once and before a selector");
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
