//! The place in a tool that a question or a denial comes from.

use std::fmt;
use std::sync::{Arc, OnceLock};

use cofferdam_caps::visible;

use crate::identity::shortened;

/// Most characters of a place.
const MAX_PLACE: usize = 80;

/// A place in a tool, as the tool's own engine reports it: `tool.js:12`. It helps a person to find
/// the line and proves nothing, because a tool can forge it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(Arc<str>);

impl Place {
    /// Names a line of a file. Hidden characters are escaped, and a long name is shortened.
    pub fn new(file: &str, line: u32) -> Self {
        Place(shortened(&visible(&format!("{file}:{line}")), MAX_PLACE).into())
    }

    /// Returns the place as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The place of a question, which becomes known after the question was opened and before it is
/// asked. Clones share their content; the first place counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceSlot(Arc<OnceLock<Place>>);

impl PlaceSlot {
    /// Sets the place, unless one is set.
    pub fn tell(&self, place: Place) {
        // A second call at another place waits for the same answer.
        let _ = self.0.set(place);
    }

    /// Returns the place, if it is known.
    pub fn get(&self) -> Option<&Place> {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-PERM-007.
    #[test]
    fn a_place_hides_nothing_and_is_short() {
        assert_eq!(Place::new("a.js", 3).as_str(), "a.js:3");
        assert_eq!(Place::new("a\u{202e}b", 1).as_str(), "a\\u{202e}b:1");
        let long = Place::new(&"x".repeat(500), 7);
        assert!(long.as_str().chars().count() <= MAX_PLACE && long.as_str().ends_with(":7"));
    }

    #[test]
    fn the_first_place_counts() {
        let slot = PlaceSlot::default();
        slot.clone().tell(Place::new("a.js", 1));
        slot.tell(Place::new("a.js", 2));
        assert_eq!(slot.get().map(Place::as_str), Some("a.js:1"));
    }
}
