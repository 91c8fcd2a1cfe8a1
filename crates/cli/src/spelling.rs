//! Finds the word that a mistyped one probably meant.

use strsim::osa_distance;

/// Most letters that may be wrong, missing, added or swapped.
const MAX_TYPOS: usize = 2;

/// Longest word that is compared.
const MAX_GUESSED: usize = 40;

/// Returns the most similar of the known words, if one is similar enough. A known word that begins
/// with the typed one is always similar enough.
pub(crate) fn nearest<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if typed.is_empty() || typed.len() > MAX_GUESSED {
        return None;
    }
    let lower = typed.to_lowercase();
    let typos = |word: &str| match word.to_lowercase() {
        word if typed.len() >= 3 && word.starts_with(&lower) => 1,
        word => osa_distance(&lower, &word),
    };
    let (typos, word) = known.into_iter().map(|word| (typos(word), word)).min()?;
    // In a short word, two letters are most of it.
    let most = MAX_TYPOS.min(typed.chars().count() / 2);
    (typos <= most).then_some(word)
}

/// Returns true if a word is the known one with one letter missing, added, changed or swapped. The
/// first is rarely wrong: `count` is another word than `mount`.
pub(crate) fn is_typing_error(typed: &str, known: &str) -> bool {
    let is_alike =
        typed.len() >= 3 && typed.len() <= MAX_GUESSED && typed.get(..1) == known.get(..1);
    is_alike && osa_distance(typed, known) == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, meant: Option<&str>) {
        let known = ["run", "sh", "grant", "grants", "timeoutMs", "memoryBytes"];
        assert_eq!(nearest(typed, known), meant, "{typed}");
    }

    #[test]
    fn swapped_missing_and_wrong_letters_are_forgiven() {
        check("rnu", Some("run"));
        check("gant", Some("grant"));
        check("memorybites", Some("memoryBytes"));
    }

    #[test]
    fn the_beginning_of_a_word_is_enough() {
        check("timeout", Some("timeoutMs"));
        check("mem", Some("memoryBytes"));
    }

    #[test]
    fn another_word_is_another_word() {
        check("x", None);
        check("", None);
        check("ls", None);
        check("frobnicate", None);
        check(&"r".repeat(1000), None);
    }
}
