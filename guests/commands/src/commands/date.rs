//! date: the uutils version, except for days of the week beside a date.

use std::ffi::OsString;

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::commands::uutils;
use crate::table::uu;

const DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Words that count days of the week.
const COUNTS: [&str; 3] = ["last", "this", "next"];

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let mut args = args;
    let mut is_date = false;
    for arg in args.iter_mut().skip(1) {
        let bytes = arg.as_bytes();
        let start = match bytes {
            _ if is_date => Some(0),
            [b'-', b'd', _, ..] => Some(2),
            _ if bytes.starts_with(b"--date=") => Some("--date=".len()),
            _ => None,
        };
        is_date = !is_date && (bytes == b"-d" || bytes == b"--date");
        if let Some(start) = start
            && let Ok(text) = std::str::from_utf8(&bytes[start..])
            && let Some(plain) = without_day(text)
        {
            *arg = OsString::from_vec([&bytes[..start], plain.as_bytes()].concat());
        }
    }
    uu!(uu_date, "date")(args)
}

/// Removes the day of the week from a text with a date: as in GNU, the date alone counts then.
/// Returns `None` if nothing is to be removed.
fn without_day(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if !words.iter().any(|word| is_date(word)) && !has_month(&words) {
        return None;
    }
    let is_day = |word: &str| is_name(word.trim_end_matches(','), &DAYS);
    let mut kept: Vec<&str> = Vec::with_capacity(words.len());
    for word in &words {
        if is_day(word) {
            let is_count = |last: &&str| COUNTS.contains(&last.to_ascii_lowercase().as_str());
            if kept.last().is_some_and(is_count) {
                kept.pop();
            }
        } else {
            kept.push(word);
        }
    }
    (kept.len() < words.len()).then(|| kept.join(" "))
}

/// Returns true for `2024-05-15`, `5/15/2024`, or the like.
fn is_date(word: &str) -> bool {
    let date = word.split('T').next().unwrap_or(word);
    ['-', '/'].iter().any(|mark| {
        let parts: Vec<&str> = date.split(*mark).collect();
        let are_numbers = parts.iter().all(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        });
        parts.len() == 3 && are_numbers
    })
}

/// Returns true for `15 May 2024` or `May 15`.
fn has_month(words: &[&str]) -> bool {
    let is_number = |word: Option<&&str>| {
        word.is_some_and(|word| word.trim_end_matches(',').parse::<u32>().is_ok())
    };
    (0..words.len()).any(|at| {
        is_name(words[at], &MONTHS)
            && (is_number(words.get(at + 1))
                || is_number(at.checked_sub(1).and_then(|at| words.get(at))))
    })
}

/// Returns true if the word is one of the names, or a short form of it.
fn is_name(word: &str, names: &[&str]) -> bool {
    let word = word.to_ascii_lowercase();
    word.len() >= 3 && names.iter().any(|name| name.starts_with(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Option<&str>) {
        assert_eq!(without_day(text).as_deref(), expect, "{text}");
    }

    #[test]
    fn a_day_of_the_week_beside_a_date_does_not_count() {
        check("2024-05-15 last monday", Some("2024-05-15"));
        check("2024-05-15 next friday 10:00", Some("2024-05-15 10:00"));
        check("Mon, 02 Jan 2006 15:04:05 -0700", Some("02 Jan 2006 15:04:05 -0700"));
    }

    #[test]
    fn a_day_of_the_week_alone_counts() {
        check("next monday", None);
        check("monday 10:00", None);
        check("2024-05-15 +2 days", None);
        check("2024-01-31 + 1 month", None);
    }
}
