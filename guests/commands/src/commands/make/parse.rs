//! Reading of makefiles.

use super::expand::closing;
use super::{Make, Origin, Rule, USAGE, fatal};
use crate::output::reason;

/// Deepest nesting of included files.
const MAX_INCLUDES: usize = 50;

/// State while a makefile is read.
#[derive(Default)]
struct Reader {
    file: String,
    /// Open conditionals: true while their lines count, and true once a branch was taken.
    conditions: Vec<(bool, bool)>,
    /// Rules that the next recipe lines belong to, and if they are pattern rules.
    current: Vec<Place>,
}

/// The position of a rule in one of the two lists.
#[derive(Clone, Copy)]
enum Place {
    Rule(usize),
    Pattern(usize),
}

impl Make {
    /// Returns where the line stands that is read or run, for messages.
    pub(super) fn place(&self) -> String {
        match &self.at {
            Some((file, number)) => format!("{file}:{number}"),
            None => self.name(),
        }
    }

    pub(super) fn read_file(&mut self, file: &str, must_exist: bool) -> Result<(), i32> {
        let mut text = Vec::new();
        let read = match file {
            "-" => std::io::Read::read_to_end(&mut crate::output::Input, &mut text).map(drop),
            file => std::fs::read(file).map(|bytes| text = bytes),
        };
        if let Err(error) = read {
            if !must_exist {
                return Ok(());
            }
            eprintln!("{}: {file}: {}", self.place(), reason(&error));
            return Err(fatal(self, &format!("No rule to make target '{file}'")));
        }
        if self.files_read.len() > MAX_INCLUDES {
            return Err(fatal(self, &format!("{file}: too many makefiles")));
        }
        self.files_read.push(file.to_owned());
        self.read_text(&String::from_utf8_lossy(&text), file, 1)
    }

    /// Reads text as if it were a makefile that stands where `$(eval …)` does.
    pub(super) fn read_inside(&mut self, text: &str) -> Result<(), i32> {
        let (file, number) = self.at.clone().unwrap_or_else(|| (self.name(), 1));
        self.read_text(text, &file, number)
    }

    /// Reads the text of a makefile, whose first line has a number.
    fn read_text(&mut self, text: &str, file: &str, start: usize) -> Result<(), i32> {
        let outside = self.at.take();
        let mut reader = Reader { file: file.to_owned(), ..Reader::default() };
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        while at < lines.len() {
            let number = start + at;
            self.at = Some((file.to_owned(), number));
            let first = lines[at];
            let is_recipe = first.starts_with('\t') && !reader.current.is_empty();
            let mut line = first.to_owned();
            at += 1;
            while line.ends_with('\\') && !line.ends_with("\\\\") && at < lines.len() {
                if is_recipe {
                    line.push('\n');
                    line.push_str(lines[at].strip_prefix('\t').unwrap_or(lines[at]));
                } else {
                    line.pop();
                    let joined = format!("{} {}", line.trim_end(), lines[at].trim_start());
                    line = joined;
                }
                at += 1;
            }
            if is_recipe {
                if reader.counts() {
                    self.add_recipe(&reader, number, &line[1..]);
                }
                continue;
            }
            let plain = without_comment(&line);
            let words = plain.trim();
            if self.condition(&mut reader, words, number)? || !reader.counts() {
                continue;
            }
            if let Some(head) = define_head(words) {
                let mut body = Vec::new();
                let mut depth = 1;
                while at < lines.len() {
                    let next = lines[at].trim();
                    at += 1;
                    if define_head(next).is_some() {
                        depth += 1;
                    }
                    if next == "endef" || next.starts_with("endef ") || next.starts_with("endef#") {
                        depth -= 1;
                        if depth == 0 {
                            break;
                        }
                    }
                    body.push(lines[at - 1]);
                }
                self.define_lines(head, &body.join("\n"))?;
                continue;
            }
            self.line(&mut reader, &plain, number)?;
        }
        if !reader.conditions.is_empty() {
            return Err(fatal(self, &format!("{file}:{}: missing 'endif'", lines.len())));
        }
        self.at = outside;
        Ok(())
    }

    fn add_recipe(&mut self, reader: &Reader, number: usize, line: &str) {
        for place in &reader.current {
            let rule = match *place {
                Place::Rule(at) => &mut self.rules[at],
                Place::Pattern(at) => &mut self.patterns[at],
            };
            rule.recipe.push((number, line.to_owned()));
        }
    }

    /// Carries out `define NAME [OPERATOR]`.
    fn define_lines(&mut self, head: &str, body: &str) -> Result<(), i32> {
        let (head, origin) = match head.strip_prefix("override ") {
            Some(head) => (head.trim(), Origin::Override),
            None => (head, Origin::File),
        };
        let operators = ["::=", ":=", "?=", "+=", "!=", "="];
        let found = operators.iter().find_map(|op| head.strip_suffix(op).map(|name| (name, *op)));
        let (name, operator) = found.unwrap_or((head, "="));
        let name = self.expand(name.trim())?;
        self.assign(name.trim(), operator, body, origin)
    }

    /// Handles a line of a conditional. Returns false for other lines.
    fn condition(&mut self, reader: &mut Reader, line: &str, number: usize) -> Result<bool, i32> {
        let (word, rest) = match line.find([' ', '\t', '(']) {
            Some(at) => (&line[..at], line[at..].trim()),
            None => (line, ""),
        };
        match word {
            "ifeq" | "ifneq" | "ifdef" | "ifndef" => {
                let holds = reader.counts() && self.test(word, rest)?;
                reader.conditions.push((holds, holds));
            }
            "else" => {
                let outer = reader.outer_counts();
                let taken = reader.conditions.last().map(|(_, taken)| *taken);
                let Some(taken) = taken else {
                    return Err(fatal(
                        self,
                        &format!("{}:{number}: extraneous 'else'", reader.file),
                    ));
                };
                let mut holds = outer && !taken;
                if holds && !rest.is_empty() {
                    let (word, rest) = match rest.find([' ', '\t', '(']) {
                        Some(at) => (&rest[..at], rest[at..].trim()),
                        None => (rest, ""),
                    };
                    holds = self.test(word, rest)?;
                }
                if let Some(last) = reader.conditions.last_mut() {
                    *last = (holds, taken || holds);
                }
            }
            "endif" => {
                if reader.conditions.pop().is_none() {
                    return Err(fatal(
                        self,
                        &format!("{}:{number}: extraneous 'endif'", reader.file),
                    ));
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn test(&mut self, word: &str, rest: &str) -> Result<bool, i32> {
        if matches!(word, "ifdef" | "ifndef") {
            let name = self.expand(rest)?;
            let is_set = self.variables.get(name.trim()).is_some_and(|v| !v.value.is_empty());
            return Ok(is_set == (word == "ifdef"));
        }
        let bytes = rest.as_bytes();
        let (one, two) = match bytes.first() {
            Some(b'(') => {
                let end = closing(bytes, 1, b'(', b')').unwrap_or(rest.len());
                let inside = &rest[1..end];
                let mut depth = 0;
                let comma = inside.char_indices().find(|(_, c)| {
                    match c {
                        '(' | '{' => depth += 1,
                        ')' | '}' => depth -= 1,
                        ',' if depth == 0 => return true,
                        _ => {}
                    }
                    false
                });
                let at = comma.map_or(inside.len(), |(at, _)| at);
                (inside[..at].to_owned(), inside.get(at + 1..).unwrap_or("").to_owned())
            }
            Some(quote @ (b'"' | b'\'')) => {
                let quote = char::from(*quote);
                let mut parts = rest[1..].splitn(2, quote);
                let one = parts.next().unwrap_or("").to_owned();
                let two = parts.next().unwrap_or("").trim();
                let inner = two.get(1..two.len().saturating_sub(1)).unwrap_or("");
                (one, inner.to_owned())
            }
            _ => return Ok(false),
        };
        let same = self.expand(one.trim())?.trim() == self.expand(two.trim())?.trim();
        Ok(same == (word == "ifeq"))
    }

    /// Reads an assignment, a directive or the head of a rule.
    fn line(&mut self, reader: &mut Reader, line: &str, number: usize) -> Result<(), i32> {
        let words = line.trim();
        if words.is_empty() {
            return Ok(());
        }
        let (first, rest) = match words.find([' ', '\t']) {
            Some(at) => (&words[..at], words[at..].trim()),
            None => (words, ""),
        };
        match first {
            "include" | "-include" | "sinclude" => {
                reader.current.clear();
                let names = self.expand(rest)?;
                for pattern in names.split_whitespace() {
                    let found = super::functions::wildcard(pattern);
                    let files = if found.is_empty() { pattern.to_owned() } else { found };
                    for file in files.split_whitespace() {
                        self.read_file(file, first == "include")?;
                    }
                }
                return Ok(());
            }
            "export" | "unexport" | "override" | "private" if !rest.starts_with([':', '=']) => {
                return self.directive(reader, first, rest);
            }
            "undefine" => {
                let name = self.expand(rest)?;
                self.variables.remove(name.trim());
                return Ok(());
            }
            "vpath" => return Ok(()),
            _ => {}
        }
        if let Some((name, operator, value)) = assignment(words) {
            reader.current.clear();
            let name = self.expand(name)?;
            return self.assign(name.trim(), operator, value, Origin::File);
        }
        self.rule(reader, words, number)
    }

    fn directive(&mut self, reader: &mut Reader, word: &str, rest: &str) -> Result<(), i32> {
        reader.current.clear();
        if rest.is_empty() {
            self.export_all = word == "export";
            return Ok(());
        }
        let origin = if word == "override" { Origin::Override } else { Origin::File };
        let names = match assignment(rest) {
            Some((name, operator, value)) => {
                let name = self.expand(name)?;
                self.assign(name.trim(), operator, value, origin)?;
                name
            }
            None => self.expand(rest)?,
        };
        if matches!(word, "export" | "unexport") {
            for name in names.split_whitespace() {
                if !self.variables.contains_key(name) {
                    self.define(name, "", false, Origin::File);
                }
                if let Some(variable) = self.variables.get_mut(name) {
                    variable.exported = word == "export";
                }
            }
        }
        Ok(())
    }

    /// Reads the head of a rule, or a variable of a target.
    fn rule(&mut self, reader: &mut Reader, line: &str, number: usize) -> Result<(), i32> {
        reader.current.clear();
        let Some(colon) = rule_colon(line) else {
            let shown = self.expand(line)?;
            if shown.trim().is_empty() {
                return Ok(());
            }
            if let Some(colon) = rule_colon(&shown) {
                return self.rule_at(reader, &shown, colon, number);
            }
            eprintln!("{}:{number}: *** missing separator.  Stop.", reader.file);
            return Err(USAGE.trouble);
        };
        self.rule_at(reader, line, colon, number)
    }

    fn rule_at(
        &mut self,
        reader: &mut Reader,
        line: &str,
        colon: usize,
        number: usize,
    ) -> Result<(), i32> {
        let targets = self.expand(&line[..colon])?;
        let mut rest = &line[colon + 1..];
        let is_double = rest.starts_with(':');
        if is_double {
            rest = &rest[1..];
        }
        let targets: Vec<String> = targets.split_whitespace().map(str::to_owned).collect();
        if let Some((name, operator, value)) = assignment(rest.trim()) {
            for target in targets {
                let variables = vec![(name.to_owned(), operator.to_owned(), value.to_owned())];
                let file = reader.file.clone();
                self.add_rule(Rule { target, variables, file, ..Rule::default() });
            }
            return Ok(());
        }
        let (head, recipe) = match rest.split_once(';') {
            Some((head, recipe)) => (head, Some(recipe)),
            None => (rest, None),
        };
        let head = self.expand(head)?;
        let mut parts = head.splitn(2, ':');
        let (one, two) = (parts.next().unwrap_or(""), parts.next());
        let (pattern, needs) = match two {
            Some(needs) => (Some(one.trim().to_owned()), needs),
            None => (None, one),
        };
        let (needs, order_only) = needs.split_once('|').unwrap_or((needs, ""));
        let list = |text: &str| -> Vec<String> {
            let words = text.split_whitespace();
            words
                .flat_map(|word| match word.contains(['*', '?', '[']) {
                    true => {
                        let found = super::functions::wildcard(word);
                        let found = if found.is_empty() { word.to_owned() } else { found };
                        found.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
                    }
                    false => vec![word.to_owned()],
                })
                .collect()
        };
        let (needs, order_only) = (list(needs), list(order_only));
        for target in targets {
            let mut rule = Rule {
                target: target.clone(),
                needs: needs.clone(),
                order_only: order_only.clone(),
                file: reader.file.clone(),
                is_double,
                ..Rule::default()
            };
            if let Some(pattern) = &pattern {
                let Some(stem) = super::functions::stem(pattern, &target) else { continue };
                let stem = stem.to_owned();
                let fill = |need: &String| need.replacen('%', &stem, 1);
                rule.needs = rule.needs.iter().map(fill).collect();
                rule.order_only = rule.order_only.iter().map(fill).collect();
                rule.stem = Some(stem);
            }
            let place = self.add_rule(rule);
            reader.current.push(place);
        }
        if let Some(recipe) = recipe {
            self.add_recipe(reader, number, recipe.trim_start());
        }
        Ok(())
    }

    fn add_rule(&mut self, rule: Rule) -> Place {
        if rule.target == ".PHONY" {
            self.phony.extend(rule.needs.iter().cloned());
        }
        if rule.target.contains('%') && rule.stem.is_none() {
            self.patterns.push(rule);
            return Place::Pattern(self.patterns.len() - 1);
        }
        // An old-style suffix rule, such as `.c.o`, is a pattern rule.
        let suffixes: Vec<&str> = rule.target.split('.').skip(1).collect();
        if rule.target.starts_with('.') && suffixes.len() == 2 && rule.needs.is_empty() {
            let pattern = Rule {
                target: format!("%.{}", suffixes[1]),
                needs: vec![format!("%.{}", suffixes[0])],
                ..rule
            };
            self.patterns.push(pattern);
            return Place::Pattern(self.patterns.len() - 1);
        }
        let is_special = rule.target.starts_with('.') && !rule.target.contains('/');
        if self.default_goal.is_none() && !is_special && rule.variables.is_empty() {
            self.default_goal = Some(rule.target.clone());
        }
        self.rules.push(rule);
        Place::Rule(self.rules.len() - 1)
    }
}

impl Reader {
    fn counts(&self) -> bool {
        self.conditions.iter().all(|(on, _)| *on)
    }

    /// Returns true if the conditionals around the innermost one hold.
    fn outer_counts(&self) -> bool {
        let outer = self.conditions.len().saturating_sub(1);
        self.conditions[..outer].iter().all(|(on, _)| *on)
    }
}

fn define_head(line: &str) -> Option<&str> {
    line.strip_prefix("define ").or_else(|| line.strip_prefix("override define ")).map(str::trim)
}

/// Removes a comment; `\#` is a literal `#`.
fn without_comment(line: &str) -> String {
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'#') => out.extend(chars.next()),
            '#' => break,
            c => out.push(c),
        }
    }
    out
}

/// Splits an assignment into name, operator and value.
fn assignment(line: &str) -> Option<(&str, &'static str, &str)> {
    let bytes = line.as_bytes();
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            b'=' | b':' | b'?' | b'+' | b'!' => {
                let operators = ["::=", ":=", "?=", "+=", "!=", "="];
                let found = operators.iter().find(|op| line[at..].starts_with(**op));
                let Some(operator) = found else {
                    if *byte == b':' {
                        return None;
                    }
                    continue;
                };
                let name = line[..at].trim();
                let words = name.split_whitespace().count();
                if name.is_empty() || (words > 1 && !name.contains('$')) {
                    return None;
                }
                return Some((name, operator, line[at + operator.len()..].trim_start()));
            }
            _ => {}
        }
    }
    None
}

/// Returns the index of the colon that ends the targets of a rule.
fn rule_colon(line: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}
