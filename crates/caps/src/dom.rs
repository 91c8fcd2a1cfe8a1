//! `dom:read[:SELECTOR]`, `dom:write[:SELECTOR]`: the sandbox's page.

use std::fmt;

use crate::capability::Area;
use crate::error::{Error, ErrorKind};
use crate::kind::{Access, Kind};
use crate::scope::{Covers, Scope};
use crate::text::name_type;
use crate::visible::quoted;

/// The page, or the elements inside a selector, to look at or to change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dom {
    access: Access,
    scope: Scope<Selector>,
}

name_type! {
    /// A CSS selector, as text: two selectors are the same when they are spelled the same.
    ///
    /// Which elements it takes in is for the one who has the document to say.
    Selector, check
}

impl Dom {
    pub(crate) fn parse(access: Access, scope: Option<&str>) -> Result<Self, Error> {
        let scope = Scope::parse(scope, |text| Ok(Scope::Only(text.parse()?)))?;
        Ok(Self { access, scope })
    }

    pub(crate) fn required(access: Access, selector: Option<&Selector>) -> Self {
        let scope = selector.cloned().map_or(Scope::All, Scope::Only);
        Self { access, scope }
    }

    pub(crate) fn widening(access: Access, selector: Option<&Selector>) -> Vec<Self> {
        let mut steps = vec![Self::required(access, selector)];
        if selector.is_some() {
            steps.push(Self::required(access, None));
        }
        steps
    }

    /// Looking or changing.
    pub fn access(&self) -> Access {
        self.access
    }

    /// Inside which selector.
    pub fn scope(&self) -> &Scope<Selector> {
        &self.scope
    }
}

fn check(text: &str) -> Result<(), Error> {
    match text.trim() == text {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::BadName, text, "a selector has no space around it")),
    }
}

impl Covers for Selector {
    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

impl Covers for Dom {
    fn covers(&self, other: &Self) -> bool {
        self.access == other.access && self.scope.covers(&other.scope)
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
        match &self.scope {
            Scope::All => format!("{verb} the page"),
            Scope::Only(selector) => format!("{verb} the page inside {}", quoted(&selector.0)),
        }
    }
}

impl fmt::Display for Dom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
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
    fn description_quotes_what_reads_like_words() {
        let describe = |text: &str| text.parse::<Capability>().unwrap().describe();
        assert_eq!(describe("dom:write:#cart"), "change the page inside #cart");
        assert_eq!(describe("dom:read:ul li"), "read the page inside \"ul li\"");
        assert_eq!(describe("dom:read"), "read the page");
    }
}
