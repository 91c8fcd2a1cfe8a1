//! Times, texts and names for people.
//!
//! Meets T-SERVE-020.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use cofferdam::permissions::Timestamp;
use cofferdam::visible;

use crate::problem::Problem;
use crate::server::Server;

/// Makes the hidden characters of a text visible, line ends included.
pub(super) fn text(text: &str) -> String {
    visible(text).into_owned()
}

/// Makes the hidden characters of a text visible, but keeps its lines and tabs.
pub(super) fn lines(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            shown.push('\n');
        }
        for (index, part) in line.split('\t').enumerate() {
            if index > 0 {
                shown.push('\t');
            }
            shown.push_str(&visible(part));
        }
    }
    shown
}

/// Returns the end of a text: at most `most` bytes, and true if something was left out.
pub(super) fn tail(text: &str, most: usize) -> (&str, bool) {
    let mut from = text.len().saturating_sub(most);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    (&text[from..], from > 0)
}

/// Returns the value of a field as markup: all but letters, digits and a few signs are references,
/// so that nothing in it ends the attribute or hides in the page. Templates mark it as `safe`.
pub(super) fn value(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_ascii_alphanumeric() || "/:.-_@*#".contains(letter) {
            true => value.push(letter),
            false => value += &format!("&#{};", u32::from(letter)),
        }
    }
    value
}

/// Returns a text that begins with a capital and ends with a full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = visible(text);
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

/// Returns a text that begins with a capital.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", chars.as_str())
}

/// A time, for a person and for the script that keeps it up to date.
#[derive(Clone)]
pub(super) struct Moment {
    /// The whole time.
    pub(super) exact: String,
    /// The same, for a person.
    pub(super) plain: String,
    /// Time passed since then.
    pub(super) ago: String,
}

impl Moment {
    /// Describes a time in microseconds since 1970.
    pub(super) fn of(micros: u64) -> Self {
        let passed = Timestamp::now().micros().saturating_sub(micros) / 1_000_000;
        let exact = exact(micros);
        let plain = exact.replace('T', " ").trim_end_matches('Z').to_owned();
        Moment { exact, plain, ago: duration(passed) }
    }
}

impl From<Timestamp> for Moment {
    fn from(time: Timestamp) -> Self {
        Moment::of(time.micros())
    }
}

/// Returns a time to the second, as `datetime` attributes have it.
fn exact(micros: u64) -> String {
    let text = Timestamp::from_micros(micros / 1_000_000 * 1_000_000).to_string();
    match text.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None => text,
    }
}

/// Returns a number of seconds in the largest unit that fits.
pub(super) fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        86_400..172_800 => "1 day".to_owned(),
        172_800.. => format!("{} days", seconds / 86_400),
    }
}

/// Returns a number of bytes in a unit that fits.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".to_owned(),
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Returns a time to come, as the time that is left.
pub(super) fn until(time: Timestamp) -> String {
    let left = time.micros().saturating_sub(Timestamp::now().micros());
    duration(left / 1_000_000)
}

/// Encodes a path for an address; slashes stay.
pub(super) fn encoded(path: &str) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                address.push(char::from(byte));
            }
            byte => {
                let _ = write!(address, "%{byte:02X}");
            }
        }
    }
    address
}

/// Splits an identity as it is shown into name and digest: `a.js#dd50d8d4`.
pub(super) fn tool(shown: &str) -> (String, Option<String>) {
    match shown.rsplit_once('#') {
        Some((name, digest)) if digest.len() == 8 => (text(name), Some(text(digest))),
        Some(_) | None => (text(shown), None),
    }
}

/// Returns the names of agents by their ids.
pub(super) fn agents(server: &Server) -> Result<HashMap<Arc<str>, String>, Problem> {
    let agents = server.store().agents()?;
    Ok(agents.into_iter().map(|agent| (agent.id.into(), text(&agent.name))).collect())
}

/// Returns the name of a sandbox for a person: fresh ones have the id of their agent.
pub(super) fn sandbox(name: &str, names: &HashMap<Arc<str>, String>) -> String {
    match names.get(name) {
        Some(agent) => format!("fresh, of {agent}"),
        None => text(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tabs_stay_and_directions_are_spelled_out() {
        assert_eq!(lines("a\tb\n\u{202e}c\r\n"), "a\tb\n\\u{202e}c\\r\n");
        assert_eq!(text("a\nb"), "a\\nb");
    }

    #[test]
    fn a_value_has_no_markup_and_nothing_hidden() {
        assert_eq!(value("fs:read:/a b/*.csv"), "fs:read:/a&#32;b/*.csv");
        assert_eq!(value("\"<&\u{202e}é"), "&#34;&#60;&#38;&#8238;&#233;");
    }

    #[test]
    fn the_end_of_a_text_begins_at_a_character() {
        assert_eq!(tail("añb", 2), ("b", true));
        assert_eq!(tail("añb", 3), ("ñb", true));
        assert_eq!(tail("añb", 4), ("añb", false));
    }

    #[test]
    fn durations_use_the_largest_unit() {
        let seconds = [0, 59, 60, 3_599, 3_600, 90_000, 200_000];
        let expect = ["0 s", "59 s", "1 min", "59 min", "1 h", "1 day", "2 days"];
        assert_eq!(seconds.map(duration), expect);
    }

    #[test]
    fn an_address_has_no_special_characters() {
        assert_eq!(encoded("/a b/ü?#&\""), "/a%20b/%C3%BC%3F%23%26%22");
    }

    #[test]
    fn a_sentence_has_a_capital_and_one_stop() {
        assert_eq!(sentence("the code is wrong"), "The code is wrong.");
        assert_eq!(sentence("Gone."), "Gone.");
    }

    #[test]
    fn an_identity_is_split_at_its_digest() {
        assert_eq!(tool("a#b.js#dd50d8d4"), ("a#b.js".into(), Some("dd50d8d4".into())));
        assert_eq!(tool("shell"), ("shell".into(), None));
    }
}
