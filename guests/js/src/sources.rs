//! Sources of the tool's own files, which messages of assertions quote.
//!
//! The engine keeps the text of functions, but not of modules, and does not say which function a
//! frame belongs to.

use std::cell::RefCell;

use rquickjs::{Ctx, Function, Object, Result};

/// Word without which a file asserts nothing: its source is not kept.
const WORD: &str = "assert";

/// Most bytes of sources that are kept.
const MAX_KEPT: usize = 1 << 20;

thread_local! {
    /// File names as they are in stack traces, with the source of each.
    static SOURCES: RefCell<Vec<(String, String)>> = const { RefCell::new(Vec::new()) };
}

/// Keeps the source of a file if it may assert something.
pub(crate) fn keep(file: &str, source: &str) {
    if !source.contains(WORD) {
        return;
    }
    SOURCES.with_borrow_mut(|sources| {
        sources.retain(|(known, _)| known != file);
        let kept: usize = sources.iter().map(|(_, source)| source.len()).sum();
        if kept + source.len() <= MAX_KEPT {
            sources.push((file.into(), source.into()));
        }
    });
}

fn source_of(file: String) -> Option<String> {
    SOURCES.with_borrow(|sources| {
        let known = sources.iter().find(|(known, _)| *known == file);
        known.map(|(_, source)| source.clone())
    })
}

/// Puts `sourceOf` into the natives of the preludes.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("sourceOf", Function::new(ctx.clone(), source_of)?)
}

#[cfg(test)]
mod tests {
    use super::{keep, source_of};

    #[test]
    fn a_file_that_asserts_nothing_is_not_kept() {
        keep("plain.js", "console.log(1)");
        assert_eq!(source_of("plain.js".into()), None);
    }

    #[test]
    fn a_later_source_takes_the_place_of_an_earlier_one() {
        keep("a.js", "assert(0)");
        keep("a.js", "assert(1)");
        assert_eq!(source_of("a.js".into()).as_deref(), Some("assert(1)"));
    }

    #[test]
    fn sources_past_the_cap_are_left_out() {
        keep("long.js", &format!("assert(0);{}", " ".repeat(super::MAX_KEPT)));
        assert_eq!(source_of("long.js".into()), None);
    }
}
