//! Names of colours in formats: `%C(bold red)`, `%(color:green)`.

const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
const ATTRIBUTES: [(&str, u8); 7] = [
    ("bold", 1),
    ("dim", 2),
    ("italic", 3),
    ("ul", 4),
    ("blink", 5),
    ("reverse", 7),
    ("strike", 9),
];

/// Returns the escape sequence of a colour; `None` if the words name none.
pub(crate) fn parse(words: &str) -> Option<String> {
    let (mut attributes, mut colours, mut resets) = (Vec::new(), Vec::new(), false);
    for word in words.split_whitespace() {
        if word == "reset" {
            resets = true;
            continue;
        }
        let (is_off, name) = match word.strip_prefix("no") {
            Some(rest) if word != "normal" => (true, rest.trim_start_matches('-')),
            _ => (false, word),
        };
        if let Some((_, number)) = ATTRIBUTES.iter().find(|(known, _)| *known == name) {
            // Bold and dim end together.
            let off = if *number == 1 { 22 } else { number + 20 };
            attributes.push(if is_off { off } else { *number });
        } else {
            // The second colour is that of the background.
            let base = if colours.is_empty() { 30 } else { 40 };
            colours.push(colour(word, base)?);
        }
    }
    if colours.len() > 2 {
        return None;
    }
    attributes.sort_unstable();
    let numbers = attributes.iter().map(u8::to_string);
    let codes: Vec<String> = numbers.chain(colours.into_iter().filter(|c| !c.is_empty())).collect();
    if codes.is_empty() && !resets {
        return Some(String::new());
    }
    let start = if resets && !codes.is_empty() { ";" } else { "" };
    Some(format!("\x1b[{start}{}m", codes.join(";")))
}

fn colour(word: &str, base: u8) -> Option<String> {
    if word == "normal" || word == "-1" {
        return Some(String::new());
    }
    if word == "default" {
        return Some((base + 9).to_string());
    }
    let (name, base_of_name) = match word.strip_prefix("bright") {
        Some(name) => (name, base + 60),
        None => (word, base),
    };
    if let Some(at) = NAMES.iter().position(|known| *known == name) {
        return Some((base_of_name + at as u8).to_string());
    }
    if let Some(hex) = word.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.is_ascii()) {
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
        return Some(format!("{};2;{};{};{}", base + 8, part(0)?, part(2)?, part(4)?));
    }
    let number: u8 = word.parse().ok()?;
    Some(match number {
        0..=7 => (base + number).to_string(),
        8..=15 => (base + 60 + number - 8).to_string(),
        16.. => format!("{};5;{number}", base + 8),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_git_s_codes() {
        let check = |words: &str, expect: Option<&str>| {
            let found = parse(words).map(|code| code.replace('\x1b', "^"));
            assert_eq!(found.as_deref(), expect, "{words}");
        };
        check("red", Some("^[31m"));
        check("bold blue", Some("^[1;34m"));
        check("blue bold", Some("^[1;34m"));
        check("white red", Some("^[37;41m"));
        check("reset", Some("^[m"));
        check("normal", Some(""));
        check("208", Some("^[38;5;208m"));
        check("brightred", Some("^[91m"));
        check("#ff0000", Some("^[38;2;255;0;0m"));
        check("nobold", Some("^[22m"));
        check("pink", None);
    }
}
