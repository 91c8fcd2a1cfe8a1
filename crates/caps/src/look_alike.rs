//! Words that look like other words: letters of another alphabet, marks on letters, and letters
//! that are written from right to left.
//!
//! [`visible`](crate::visible) escapes what cannot be seen. A word here can be seen, and is honest
//! in most texts; a person who decides by it is told what it consists of (T-PERM-022).

use std::fmt::Write;

use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::MixedScript;

use crate::skeleton::ascii_skeleton;

/// Most words that are described.
const MAX_WORDS: usize = 3;

/// Most characters of a word that are described.
const MAX_LETTERS: usize = 40;

/// Returns a description of the words in `text` that could be mistaken for others, with every
/// character that is not ASCII spelled out; `None` if there are none.
pub fn look_alikes(text: &str) -> Option<String> {
    if text.is_ascii() { None } else { described(text) }
}

/// A function of its own: browsers fetch it and its tables when a person is first asked.
#[inline(never)]
fn described(text: &str) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c.script() == Script::Inherited;
    let words = text.split(|c: char| !is_part(c)).filter(|word| !word.is_ascii());
    let mut found = Vec::new();
    for word in words {
        if let Some(reason) = reason(word) {
            let described = format!("{} {reason}", spelled(word));
            if !found.contains(&described) {
                found.push(described);
            }
        }
        if found.len() == MAX_WORDS {
            break;
        }
    }
    (!found.is_empty()).then(|| found.join("; "))
}

/// Returns the reason why a word could be mistaken for another.
fn reason(word: &str) -> Option<String> {
    if !word.is_single_script() {
        return Some("mixes the letters of several alphabets".into());
    }
    if let Some(plain) = ascii_skeleton(word) {
        return Some(format!("looks like {}", shortened(&plain)));
    }
    if word.nfc().any(|c| c.script() == Script::Inherited) {
        return Some("has marks on its letters that no letter usually has".into());
    }
    if word.chars().any(|c| is_right_to_left(c.script())) {
        return Some("is written from right to left, which moves what is around it".into());
    }
    None
}

fn is_right_to_left(script: Script) -> bool {
    matches!(
        script,
        Script::Adlam
            | Script::Arabic
            | Script::Avestan
            | Script::Chorasmian
            | Script::Cypriot
            | Script::Elymaic
            | Script::Garay
            | Script::Hanifi_Rohingya
            | Script::Hatran
            | Script::Hebrew
            | Script::Imperial_Aramaic
            | Script::Inscriptional_Pahlavi
            | Script::Inscriptional_Parthian
            | Script::Kharoshthi
            | Script::Lydian
            | Script::Mandaic
            | Script::Manichaean
            | Script::Mende_Kikakui
            | Script::Meroitic_Cursive
            | Script::Meroitic_Hieroglyphs
            | Script::Nabataean
            | Script::Nko
            | Script::Old_Hungarian
            | Script::Old_North_Arabian
            | Script::Old_Sogdian
            | Script::Old_South_Arabian
            | Script::Old_Turkic
            | Script::Old_Uyghur
            | Script::Palmyrene
            | Script::Phoenician
            | Script::Psalter_Pahlavi
            | Script::Samaritan
            | Script::Sogdian
            | Script::Syriac
            | Script::Thaana
            | Script::Yezidi
    )
}

/// Spells a word out: every character that is not ASCII as its number.
fn spelled(word: &str) -> String {
    let mut out = String::new();
    for c in word.chars().take(MAX_LETTERS) {
        match c.is_ascii() {
            true => out.push(c),
            false => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    if word.chars().nth(MAX_LETTERS).is_some() {
        out.push('…');
    }
    out
}

fn shortened(text: &str) -> String {
    crate::visible::shortened(text, MAX_LETTERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(look_alikes(text).unwrap_or_default(), expect, "{text}");
    }

    #[test]
    fn honest_names_are_left_alone() {
        check("/data/report.txt", "");
        check("/data/naïve café.txt", "");
        // The same with combining marks, as some systems store names.
        check("/data/nai\u{308}ve cafe\u{301}.txt", "");
        check("/data/отчёт.txt", "");
        check("/data/日本語とカナ.txt", "");
        check("/data/한국어.txt", "");
        check("/data/हिन्दी.txt", "");
        check("/data/ไทย.txt", "");
    }

    /// T-PERM-022.
    #[test]
    fn letters_of_two_alphabets_in_one_word_are_called_out() {
        let mixes = "mixes the letters of several alphabets";
        check("/data/p\u{430}ypal.txt", &format!("p\\u{{430}}ypal {mixes}"));
        check("gr\u{3bf}\u{3bf}t", &format!("gr\\u{{3bf}}\\u{{3bf}}t {mixes}"));
    }

    /// T-PERM-022.
    #[test]
    fn words_that_look_like_latin_ones_are_called_out() {
        check(
            "/data/\u{430}\u{440}\u{440}\u{4cf}\u{435}",
            "\\u{430}\\u{440}\\u{440}\\u{4cf}\\u{435} looks like apple",
        );
        check("\u{ff41}\u{ff42}", "\\u{ff41}\\u{ff42} looks like ab");
        check("\u{1d41a}", "\\u{1d41a} looks like a");
    }

    /// T-PERM-022.
    #[test]
    fn unusual_marks_and_letters_from_right_to_left_are_called_out() {
        let marks = "has marks on its letters that no letter usually has";
        check("q\u{335}", &format!("q\\u{{335}} {marks}"));
        let moves = "is written from right to left, which moves what is around it";
        check("/data/\u{5d0}\u{5d1}.txt", &format!("\\u{{5d0}}\\u{{5d1}} {moves}"));
        check("/data/\u{645}\u{646}", &format!("\\u{{645}}\\u{{646}} {moves}"));
    }

    #[test]
    fn long_texts_have_a_short_description() {
        let many = "\u{430}b ".repeat(1000) + &"\u{430}c".repeat(1000);
        let text = look_alikes(&many).unwrap_or_default();
        assert!(text.matches(';').count() < MAX_WORDS && text.len() < 600, "{text}");
    }
}
