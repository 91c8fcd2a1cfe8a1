//! Tables of things that a guest names by number.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A table of open things by number. Numbers wrap around after 2^32, and a number in use is never
/// given again.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    open: HashMap<u32, T>,
    last: u32,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { open: HashMap::new(), last: 0 }
    }
}

impl<T> Numbered<T> {
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            if let Entry::Vacant(free) = self.open.entry(self.last) {
                free.insert(thing);
                return self.last;
            }
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.open.get(&number)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.open.get_mut(&number)
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        self.open.remove(&number)
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_in_use_is_not_given_again() {
        let mut numbered = Numbered::default();
        assert_eq!((numbered.add('a'), numbered.add('b')), (1, 2));
        numbered.last = 0;
        assert_eq!(numbered.add('c'), 3);
        assert_eq!(numbered.remove(2), Some('b'));
        numbered.last = 1;
        assert_eq!(numbered.add('d'), 2);
        assert_eq!((numbered.get(1), numbered.len()), (Some(&'a'), 3));
    }
}
