//! HTTP methods: one of a request, and the set that a capability allows.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::error::{Error, ErrorKind};
use crate::scope::Covers;

/// Longest method in bytes, far above the longest registered one.
const MAX_METHOD: usize = 32;

/// An HTTP method in upper case: `GET`, `PATCH`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Method(Box<str>);

/// A non-empty set of methods.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Methods(BTreeSet<Method>);

impl Method {
    /// Returns the method as sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason| Error::new(ErrorKind::BadMethod, text, reason);
        let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let upper = text.to_ascii_uppercase();
        if text.is_empty() || text.len() > MAX_METHOD || !upper.chars().all(plain) {
            return Err(bad("not an HTTP method such as GET"));
        }
        if upper != text {
            return Err(bad("a method must be in upper case").suggest(upper));
        }
        match text {
            "CONNECT" | "TRACE" | "TRACK" => Err(bad("this method is forbidden")),
            _ => Ok(Self(text.into())),
        }
    }
}

/// Parses a method as `fetch` does: six methods in any case, all others as given.
impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let old = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];
        match old.into_iter().find(|old| old.eq_ignore_ascii_case(text)) {
            Some(old) => Ok(Self(old.into())),
            None => Self::parse(text),
        }
    }
}

impl Methods {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        text.split(',').map(Method::parse).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the methods in sorted order.
    pub fn iter(&self) -> impl Iterator<Item = &Method> {
        self.0.iter()
    }

    /// Lists the methods in words: `GET`, `GET or HEAD`, `GET, HEAD or PUT`.
    pub(super) fn describe(&self) -> String {
        let names: Vec<&str> = self.0.iter().map(Method::as_str).collect();
        match names.as_slice() {
            [others @ .., before, last] => {
                let others: String = others.iter().flat_map(|name| [name, ", "]).collect();
                format!("{others}{before} or {last}")
            }
            names => names.concat(),
        }
    }
}

impl From<Method> for Methods {
    fn from(method: Method) -> Self {
        Self(BTreeSet::from([method]))
    }
}

impl Covers for Methods {
    fn covers(&self, other: &Self) -> bool {
        self.0.is_superset(&other.0)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Methods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, method) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            method.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str, words: &str) {
        let methods = Methods::parse(input).unwrap();
        assert_eq!(methods.to_string(), expect);
        assert_eq!(methods.describe(), words);
    }

    #[test]
    fn methods_are_sorted_and_each_stands_once() {
        check("GET", "GET", "GET");
        check("HEAD,GET,HEAD", "GET,HEAD", "GET or HEAD");
        check("PUT,M-SEARCH,GET", "GET,M-SEARCH,PUT", "GET, M-SEARCH or PUT");
    }

    #[test]
    fn methods_of_a_pattern_are_upper_case() {
        for text in ["get", "", "GET,", ",GET", "GET, HEAD", "*", "GET:", "GÉT"] {
            let error = Methods::parse(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadMethod, "{text}");
        }
        assert_eq!(Methods::parse("get").unwrap_err().suggestion(), Some("GET"));
    }

    #[test]
    fn request_may_spell_the_old_methods_in_any_case() {
        assert_eq!("gEt".parse::<Method>().unwrap().as_str(), "GET");
        assert_eq!("patch".parse::<Method>().unwrap_err().suggestion(), Some("PATCH"));
        assert_eq!("PATCH".parse::<Method>().unwrap().as_str(), "PATCH");
    }

    #[test]
    fn tunnels_and_traces_are_nobody_s() {
        for text in ["CONNECT", "TRACE", "TRACK"] {
            assert!(text.parse::<Method>().is_err());
            assert!(Methods::parse(text).is_err());
        }
    }
}
