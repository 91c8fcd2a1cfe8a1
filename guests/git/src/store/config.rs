//! Configuration files.

use crate::bytes::{self, variable};
use crate::fault::{At, Result, fatal};

/// A setting: its lower-case name, with the subsection as it was written, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) key: String,
    /// `None` for a name without `=`, which is true.
    pub(crate) value: Option<String>,
}

/// All settings, the later ones stronger.
#[derive(Debug, Clone, Default)]
pub(crate) struct Config {
    pub(crate) settings: Vec<Setting>,
}

impl Config {
    /// Reads the user's settings and those of a repository, if there is one.
    pub(crate) fn load(git_dir: Option<&[u8]>, given: &[Setting]) -> Result<Config> {
        let mut config = Config::default();
        let mut files = global_files();
        files.extend(git_dir.map(|dir| bytes::join(dir, b"config")));
        for file in files {
            if let Some(data) = bytes::read_if_exists(&file).at(&file)? {
                config.settings.extend(parse(&data, &file)?);
            }
        }
        config.settings.extend_from_slice(given);
        Ok(config)
    }

    /// Returns the strongest value of a setting.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let key = normal_key(key)?;
        let found = self.settings.iter().rev().find(|setting| setting.key == key)?;
        Some(found.value.as_deref().unwrap_or("true"))
    }

    /// Returns a setting that is true or false.
    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key).and_then(truth)
    }
}

/// Returns the truth of a value.
pub(crate) fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" | "" => Some(false),
        other => other.parse::<i64>().ok().map(|n| n != 0),
    }
}

/// Returns the files of the user's settings.
pub(crate) fn global_files() -> Vec<Vec<u8>> {
    if let Some(file) = variable("GIT_CONFIG_GLOBAL") {
        return vec![file];
    }
    let mut files = Vec::new();
    if let Some(home) = variable("HOME") {
        let base = variable("XDG_CONFIG_HOME").unwrap_or_else(|| bytes::join(&home, b".config"));
        files.push(bytes::join(&base, b"git/config"));
        files.push(bytes::join(&home, b".gitconfig"));
    }
    files
}

/// Puts section and name into lower case; the subsection between them stays.
pub(crate) fn normal_key(key: &str) -> Option<String> {
    let first = key.find('.')?;
    let last = key.rfind('.')?;
    let (section, name) = (key[..first].to_ascii_lowercase(), key[last + 1..].to_ascii_lowercase());
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    if !is_word(&section) || !is_word(&name) || !name.starts_with(|c: char| c.is_ascii_alphabetic())
    {
        return None;
    }
    Some(if first == last {
        format!("{section}.{name}")
    } else {
        format!("{section}.{}.{name}", &key[first + 1..last])
    })
}

/// A line of a configuration file with the setting that it holds.
struct Line {
    section: String,
    setting: Option<Setting>,
    text: String,
}

fn read_lines(data: &[u8], file: &[u8]) -> Result<Vec<Line>> {
    let text = String::from_utf8_lossy(data);
    let mut lines = Vec::new();
    let mut section = String::new();
    let mut rest = text.split_inclusive('\n').enumerate();
    while let Some((number, line)) = rest.next() {
        let bad = || fatal(format!("bad config line {} in file {}", number + 1, bytes::text(file)));
        let mut whole = line.to_owned();
        let mut content = line.trim();
        if content.starts_with('[') {
            let end = section_end(content).ok_or_else(bad)?;
            section = section_name(&content[1..end]).ok_or_else(bad)?;
            content = content[end + 1..].trim();
        }
        let mut setting = None;
        if !content.is_empty() && !content.starts_with(['#', ';']) {
            let mut content = content.to_owned();
            while ends_with_backslash(&content) {
                let Some((_, next)) = rest.next() else { break };
                whole.push_str(next);
                content.pop();
                content.push_str(next.trim_end_matches(['\n', '\r']));
            }
            let (name, value) = match content.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value_of(value).ok_or_else(bad)?)),
                None => (content.trim(), None),
            };
            let key = normal_key(&format!("{section}.{name}")).ok_or_else(bad)?;
            setting = Some(Setting { key, value });
        }
        lines.push(Line { section: section.clone(), setting, text: whole });
    }
    Ok(lines)
}

fn ends_with_backslash(text: &str) -> bool {
    text.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1
}

fn section_end(line: &str) -> Option<usize> {
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return Some(at),
            _ => {}
        }
    }
    None
}

fn section_name(text: &str) -> Option<String> {
    match text.split_once('"') {
        None => Some(text.trim().to_ascii_lowercase()),
        Some((name, sub)) => {
            let sub = sub.strip_suffix('"')?.replace("\\\"", "\"").replace("\\\\", "\\");
            Some(format!("{}.{sub}", name.trim().to_ascii_lowercase()))
        }
    }
}

/// Reads a value with its quotes, escapes and comment.
fn value_of(text: &str) -> Option<String> {
    let mut value = String::new();
    let mut kept = 0;
    let mut is_quoted = false;
    let mut chars = text.trim().chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' => value.push(match chars.next()? {
                'n' => '\n',
                't' => '\t',
                'b' => '\u{8}',
                c @ ('"' | '\\') => c,
                _ => return None,
            }),
            '#' | ';' if !is_quoted => break,
            c => value.push(c),
        }
        if is_quoted || !c.is_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    (!is_quoted).then_some(value)
}

/// Reads the settings of a file.
pub(crate) fn parse(data: &[u8], file: &[u8]) -> Result<Vec<Setting>> {
    Ok(read_lines(data, file)?.into_iter().filter_map(|line| line.setting).collect())
}

/// Treatment of values that exist, for `set`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write {
    Replace,
    ReplaceAll,
    Add,
}

/// Sets a value in a file.
pub(crate) fn set(file: &[u8], key: &str, value: &str, how: Write) -> Result<()> {
    let key = normal_key(key).ok_or_else(|| bad_key(key))?;
    let data = bytes::read_if_exists(file).at(file)?.unwrap_or_default();
    let mut lines = read_lines(&data, file)?;
    let (section, name) = key.rsplit_once('.').unwrap_or_default();
    let text = format!("\t{name} = {}\n", written(value));
    let is_it = |line: &Line| line.setting.as_ref().is_some_and(|setting| setting.key == key);
    let places: Vec<usize> =
        lines.iter().enumerate().filter(|(_, line)| is_it(line)).map(|(at, _)| at).collect();
    if how == Write::Replace && places.len() > 1 {
        let problem = format!(
            "cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change {key}."
        );
        return Err(crate::fault::Fault {
            code: 5,
            text: format!("warning: {key} has multiple values\nerror: {problem}"),
        });
    }
    let new = Line { section: section.to_owned(), setting: None, text };
    match (how, places.last()) {
        (Write::Replace | Write::ReplaceAll, Some(&last)) => {
            lines[last] = new;
            for at in places[..places.len() - 1].iter().rev() {
                lines.remove(*at);
            }
        }
        (Write::Add, _) | (_, None) => {
            match lines.iter().rposition(|line| line.section == section) {
                Some(at) => lines.insert(at + 1, new),
                None => {
                    lines.push(Line { text: heading(section), ..Line::empty(section) });
                    lines.push(new);
                }
            }
        }
    }
    save(file, &lines)
}

impl Line {
    fn empty(section: &str) -> Line {
        Line { section: section.to_owned(), setting: None, text: String::new() }
    }
}

/// Returns the number of values that a file has for a key.
pub(crate) fn count(file: &[u8], key: &str) -> Result<usize> {
    let key = normal_key(key).ok_or_else(|| bad_key(key))?;
    let data = bytes::read_if_exists(file).at(file)?.unwrap_or_default();
    let lines = read_lines(&data, file)?;
    Ok(lines.iter().filter_map(|line| line.setting.as_ref()).filter(|s| s.key == key).count())
}

/// Removes all values of a key; returns false if there was none.
pub(crate) fn unset(file: &[u8], key: &str) -> Result<bool> {
    let key = normal_key(key).ok_or_else(|| bad_key(key))?;
    let data = bytes::read_if_exists(file).at(file)?.unwrap_or_default();
    let mut lines = read_lines(&data, file)?;
    let before = lines.len();
    lines.retain(|line| line.setting.as_ref().is_none_or(|setting| setting.key != key));
    let is_changed = lines.len() != before;
    if is_changed {
        let section = key.rsplit_once('.').map_or("", |(section, _)| section);
        let has_more = lines.iter().any(|line| line.section == section && line.setting.is_some());
        if !has_more {
            lines.retain(|line| line.section != section);
        }
        save(file, &lines)?;
    }
    Ok(is_changed)
}

/// Removes a section; returns false if there was none.
pub(crate) fn remove_section(file: &[u8], section: &str) -> Result<bool> {
    let data = bytes::read_if_exists(file).at(file)?.unwrap_or_default();
    let mut lines = read_lines(&data, file)?;
    let before = lines.len();
    lines.retain(|line| line.section != section);
    let is_changed = lines.len() != before;
    if is_changed {
        save(file, &lines)?;
    }
    Ok(is_changed)
}

/// Returns the fault of a key that is not `section.name`.
pub(crate) fn bad_key(key: &str) -> crate::fault::Fault {
    let problem = match key.contains('.') {
        true => format!("error: invalid key: {key}"),
        false => format!("error: key does not contain a section: {key}"),
    };
    crate::fault::Fault { code: 1, text: problem }
}

fn save(file: &[u8], lines: &[Line]) -> Result<()> {
    let dir = bytes::parent(file);
    if !dir.is_empty() && !bytes::path(dir).is_dir() {
        let file = bytes::text(file);
        let text = format!("error: could not lock config file {file}: No such file or directory");
        return Err(crate::fault::Fault { code: 255, text });
    }
    let mut text = String::new();
    for line in lines {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line.text);
    }
    bytes::replace(file, text.as_bytes()).at(file)
}

fn heading(section: &str) -> String {
    match section.split_once('.') {
        None => format!("[{section}]\n"),
        Some((name, sub)) => {
            format!("[{name} \"{}\"]\n", sub.replace('\\', "\\\\").replace('"', "\\\""))
        }
    }
}

fn written(value: &str) -> String {
    let escaped =
        value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    let needs_quotes = value.starts_with(' ') || value.ends_with(' ') || value.contains(['#', ';']);
    if needs_quotes { format!("\"{escaped}\"") } else { escaped }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let text = b"[core]\n\tBare = false ; no\n[remote \"o.X\"] url = \"a b\" \n fetch\n";
        let found: Vec<String> = parse(text, b"f")
            .unwrap()
            .into_iter()
            .map(|s| format!("{}={:?}", s.key, s.value))
            .collect();
        assert_eq!(
            found,
            ["core.bare=Some(\"false\")", "remote.o.X.url=Some(\"a b\")", "remote.o.X.fetch=None"]
        );
    }

    #[test]
    fn broken_files_are_refused() {
        assert!(parse(b"[core\n", b"f").is_err());
        assert!(parse(b"[core]\na = \"x\n", b"f").is_err());
        assert!(parse(b"name = x\n", b"f").is_err());
    }
}
