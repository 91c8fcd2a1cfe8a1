//! Glob patterns. The matcher tracks all possible positions at once instead of backtracking, so
//! that matching takes at most time proportional to text length times pattern length.

/// Deepest nesting of extended patterns.
const MAX_DEPTH: usize = 40;

/// Offset of bytes that are not UTF-8, above all characters.
const RAW: u32 = 0x11_0000;

/// Rules for parsing and comparing patterns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules {
    /// Recognise extended patterns such as `@(…)`.
    pub extended: bool,
    /// Ignore case.
    pub fold: bool,
    /// Compare bytes, as in the C locale.
    pub bytes: bool,
}

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Pattern {
    nodes: Vec<Node>,
    fold: bool,
    bytes: bool,
}

#[derive(Debug, Clone)]
enum Node {
    One(u32),
    Any,
    Star,
    Set { negated: bool, items: Vec<Item> },
    Group(Kind, Vec<Vec<Node>>),
}

#[derive(Debug, Clone)]
enum Item {
    Range(u32, u32),
    Class(Class),
}

#[derive(Debug, Clone, Copy)]
enum Class {
    Alpha,
    Digit,
    Alnum,
    Upper,
    Lower,
    Space,
    Blank,
    Punct,
    Print,
    Graph,
    Cntrl,
    Xdigit,
    Word,
    Ascii,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `?(…)`
    Maybe,
    /// `*(…)`
    Many,
    /// `+(…)`
    Some,
    /// `@(…)`
    Once,
    /// `!(…)`
    Not,
}

/// Decoded characters with their byte offsets; the last offset is the length of the text.
pub struct Chars {
    codes: Vec<u32>,
    offsets: Vec<usize>,
}

/// Returns the first character and its length in bytes.
pub fn decode(text: &[u8]) -> (u32, usize) {
    let first = text[0];
    if first < 0x80 {
        return (u32::from(first), 1);
    }
    let len = match first {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return (RAW + u32::from(first), 1),
    };
    match text.get(..len).and_then(|bytes| std::str::from_utf8(bytes).ok()) {
        Some(text) => (text.chars().next().map_or(RAW, |c| c as u32), len),
        None => (RAW + u32::from(first), 1),
    }
}

impl Chars {
    /// Decodes text.
    pub fn new(text: &[u8]) -> Chars {
        let mut chars = Chars { codes: Vec::with_capacity(text.len()), offsets: Vec::new() };
        chars.offsets.reserve(text.len() + 1);
        let mut at = 0;
        while at < text.len() {
            let (code, len) = decode(&text[at..]);
            chars.codes.push(code);
            chars.offsets.push(at);
            at += len;
        }
        chars.offsets.push(at);
        chars
    }

    /// Decodes text; with `bytes`, each byte is a character.
    pub fn of(text: &[u8], bytes: bool) -> Chars {
        if !bytes || text.is_ascii() {
            return Chars::new(text);
        }
        let code = |c: &u8| if *c < 0x80 { u32::from(*c) } else { RAW + u32::from(*c) };
        Chars { codes: text.iter().map(code).collect(), offsets: (0..=text.len()).collect() }
    }

    /// Returns the number of characters.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Returns true if there are no characters.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Returns the byte offset of a character.
    pub fn offset(&self, at: usize) -> usize {
        self.offsets[at.min(self.codes.len())]
    }
}

impl Pattern {
    /// Compiles a pattern, in which a backslash makes the next character literal.
    pub fn new(text: &[u8], rules: Rules) -> Pattern {
        let codes = Chars::of(text, rules.bytes).codes;
        let nodes = compile(&codes, rules.extended, 0);
        Pattern { nodes, fold: rules.fold, bytes: rules.bytes }
    }

    /// Returns true if the whole text matches.
    pub fn matches(&self, text: &[u8]) -> bool {
        let chars = Chars::of(text, self.bytes);
        if self.nodes.iter().any(|node| matches!(node, Node::Group(..))) {
            return *self.ends(&self.nodes, &chars.codes, 0).last().unwrap_or(&false);
        }
        self.simple(&chars.codes)
    }

    /// Matches a pattern without groups; only the last star can need another try.
    fn simple(&self, text: &[u32]) -> bool {
        let (mut at, mut node) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while at < text.len() {
            match self.nodes.get(node) {
                Some(Node::Star) => {
                    star = Some((node, at));
                    node += 1;
                    continue;
                }
                Some(one) if self.one(one, text[at]) => {
                    node += 1;
                    at += 1;
                    continue;
                }
                _ => {}
            }
            let Some((star_node, star_at)) = star else { return false };
            star = Some((star_node, star_at + 1));
            node = star_node + 1;
            at = star_at + 1;
        }
        self.nodes[node..].iter().all(|node| matches!(node, Node::Star))
    }

    /// Returns the byte lengths of the shortest and longest matching prefixes.
    pub fn prefix(&self, text: &[u8]) -> Option<(usize, usize)> {
        let chars = Chars::of(text, self.bytes);
        let ends = self.ends(&self.nodes, &chars.codes, 0);
        let first = ends.iter().position(|end| *end)?;
        let last = ends.iter().rposition(|end| *end)?;
        Some((chars.offset(first), chars.offset(last)))
    }

    /// Returns the byte offsets at which the shortest and longest matching suffixes begin.
    pub fn suffix(&self, text: &[u8]) -> Option<(usize, usize)> {
        let chars = Chars::of(text, self.bytes);
        let codes: Vec<u32> = chars.codes.iter().rev().copied().collect();
        let nodes = reversed(&self.nodes);
        let ends = self.ends(&nodes, &codes, 0);
        let first = ends.iter().position(|end| *end)?;
        let last = ends.iter().rposition(|end| *end)?;
        Some((chars.offset(chars.len() - first), chars.offset(chars.len() - last)))
    }

    /// Returns a searcher for matches of this pattern in `text`.
    pub fn searcher<'a>(&'a self, text: &'a [u8]) -> Searcher<'a> {
        let fixed = self.nodes.iter().all(|node| !matches!(node, Node::Star | Node::Group(..)));
        Searcher { pattern: self, chars: Chars::of(text, self.bytes), fixed }
    }

    fn one(&self, node: &Node, code: u32) -> bool {
        match node {
            Node::Any => true,
            Node::One(wanted) => *wanted == code || (self.fold && fold(*wanted) == fold(code)),
            Node::Set { negated, items } => {
                let found = items.iter().any(|item| item.has(code, self.fold));
                found != *negated
            }
            Node::Star | Node::Group(..) => false,
        }
    }

    /// Returns, for each position in the text, whether a match of `nodes` from `start` can end
    /// there.
    fn ends(&self, nodes: &[Node], text: &[u32], start: usize) -> Vec<bool> {
        let mut now = vec![false; text.len() + 1];
        now[start] = true;
        for node in nodes {
            now = self.step(node, text, &now);
        }
        now
    }

    fn step(&self, node: &Node, text: &[u32], from: &[bool]) -> Vec<bool> {
        let mut to = vec![false; from.len()];
        match node {
            Node::Star => {
                if let Some(first) = from.iter().position(|at| *at) {
                    to[first..].fill(true);
                }
            }
            Node::Group(kind, choices) => return self.group(*kind, choices, text, from),
            one => {
                for at in 0..text.len() {
                    if from[at] && self.one(one, text[at]) {
                        to[at + 1] = true;
                    }
                }
            }
        }
        to
    }

    fn choices(&self, choices: &[Vec<Node>], text: &[u32], from: &[bool]) -> Vec<bool> {
        let mut to = vec![false; from.len()];
        for choice in choices {
            let mut now = from.to_vec();
            for node in choice {
                now = self.step(node, text, &now);
            }
            for (to, now) in to.iter_mut().zip(now) {
                *to |= now;
            }
        }
        to
    }

    fn group(&self, kind: Kind, choices: &[Vec<Node>], text: &[u32], from: &[bool]) -> Vec<bool> {
        let join = |a: &mut Vec<bool>, b: &[bool]| {
            let before = a.clone();
            a.iter_mut().zip(b).for_each(|(a, b)| *a |= *b);
            *a != before
        };
        match kind {
            Kind::Once => self.choices(choices, text, from),
            Kind::Maybe => {
                let mut to = self.choices(choices, text, from);
                join(&mut to, from);
                to
            }
            Kind::Many | Kind::Some => {
                let mut to = match kind {
                    Kind::Many => from.to_vec(),
                    _ => self.choices(choices, text, from),
                };
                loop {
                    let more = self.choices(choices, text, &to);
                    if !join(&mut to, &more) {
                        return to;
                    }
                }
            }
            Kind::Not => {
                let mut to = vec![false; from.len()];
                for start in (0..from.len()).filter(|start| from[*start]) {
                    let mut single = vec![false; from.len()];
                    single[start] = true;
                    let hit = self.choices(choices, text, &single);
                    for end in start..from.len() {
                        to[end] |= !hit[end];
                    }
                }
                to
            }
        }
    }
}

/// Finds matches of a pattern in one text.
pub struct Searcher<'a> {
    pattern: &'a Pattern,
    chars: Chars,
    fixed: bool,
}

impl Searcher<'_> {
    /// Returns the characters of the text.
    pub fn chars(&self) -> &Chars {
        &self.chars
    }

    /// Returns the end of the longest match that begins at this character, both counted in
    /// characters.
    pub fn longest(&self, start: usize) -> Option<usize> {
        let codes = &self.chars.codes;
        if self.fixed {
            let end = start + self.pattern.nodes.len();
            let piece = codes.get(start..end)?;
            let fits =
                piece.iter().zip(&self.pattern.nodes).all(|(c, node)| self.pattern.one(node, *c));
            return fits.then_some(end);
        }
        // Fast path: at most positions even the first character does not match.
        if let Some(node @ (Node::One(_) | Node::Set { .. })) = self.pattern.nodes.first()
            && !codes.get(start).is_some_and(|c| self.pattern.one(node, *c))
        {
            return None;
        }
        let rest = &codes[start..];
        let ends = self.pattern.ends(&self.pattern.nodes, rest, 0);
        ends.iter().rposition(|end| *end).map(|end| start + end)
    }
}

fn reversed(nodes: &[Node]) -> Vec<Node> {
    let turn = |node: &Node| match node {
        Node::Group(kind, choices) => {
            Node::Group(*kind, choices.iter().map(|choice| reversed(choice)).collect())
        }
        other => other.clone(),
    };
    nodes.iter().rev().map(turn).collect()
}

fn compile(text: &[u32], extended: bool, depth: usize) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let c = char::from_u32(text[at]).unwrap_or('\u{fffd}');
        if extended
            && depth < MAX_DEPTH
            && text.get(at + 1) == Some(&u32::from(b'('))
            && let Some(kind) = kind(c)
            && let Some((choices, len)) = group(&text[at + 2..])
        {
            let choices = choices.iter().map(|choice| compile(choice, true, depth + 1)).collect();
            nodes.push(Node::Group(kind, choices));
            at += 2 + len;
            continue;
        }
        match c {
            '\\' if at + 1 < text.len() => {
                at += 1;
                nodes.push(Node::One(text[at]));
            }
            '?' => nodes.push(Node::Any),
            '*' => {
                if !matches!(nodes.last(), Some(Node::Star)) {
                    nodes.push(Node::Star);
                }
            }
            '[' => match set(&text[at + 1..]) {
                Some((node, len)) => {
                    nodes.push(node);
                    at += len;
                }
                None => nodes.push(Node::One(text[at])),
            },
            _ => nodes.push(Node::One(text[at])),
        }
        at += 1;
    }
    nodes
}

fn kind(c: char) -> Option<Kind> {
    Some(match c {
        '?' => Kind::Maybe,
        '*' => Kind::Many,
        '+' => Kind::Some,
        '@' => Kind::Once,
        '!' => Kind::Not,
        _ => return None,
    })
}

/// Splits the alternatives after `@(`; returns them with their length including the parenthesis.
fn group(text: &[u32]) -> Option<(Vec<&[u32]>, usize)> {
    let is = |at: usize, c: u8| text[at] == u32::from(c);
    let mut choices = Vec::new();
    let (mut depth, mut start, mut at) = (0usize, 0, 0);
    while at < text.len() {
        if is(at, b'\\') {
            at += 1;
        } else if is(at, b'[') {
            if let Some((_, len)) = set(&text[at + 1..]) {
                at += len;
            }
        } else if is(at, b'(') {
            depth += 1;
        } else if is(at, b'|') && depth == 0 {
            choices.push(&text[start..at]);
            start = at + 1;
        } else if is(at, b')') {
            if depth == 0 {
                choices.push(&text[start..at]);
                return Some((choices, at + 1));
            }
            depth -= 1;
        }
        at += 1;
    }
    None
}

/// Parses the set after `[`; returns it with its length including the bracket.
fn set(text: &[u32]) -> Option<(Node, usize)> {
    let is = |at: usize, c: u8| text.get(at) == Some(&u32::from(c));
    let mut at = 0;
    let negated = is(0, b'!') || is(0, b'^');
    if negated {
        at += 1;
    }
    let first = at;
    let mut items = Vec::new();
    loop {
        if at >= text.len() {
            return None;
        }
        if is(at, b']') && at > first {
            return Some((Node::Set { negated, items }, at + 1));
        }
        if is(at, b'[') && (is(at + 1, b':') || is(at + 1, b'.') || is(at + 1, b'=')) {
            let mark = text[at + 1];
            let end = (at + 2..text.len().saturating_sub(1))
                .find(|end| text[*end] == mark && text[*end + 1] == u32::from(b']'));
            if let Some(end) = end {
                let name: String =
                    text[at + 2..end].iter().filter_map(|c| char::from_u32(*c)).collect();
                if mark == u32::from(b':') {
                    if let Some(class) = class(&name) {
                        items.push(Item::Class(class));
                    }
                } else if let Some(c) = name.chars().next() {
                    items.push(Item::Range(c as u32, c as u32));
                }
                at = end + 2;
                continue;
            }
        }
        let low = literal(text, &mut at)?;
        if is(at, b'-') && at + 1 < text.len() && !is(at + 1, b']') {
            at += 1;
            let high = literal(text, &mut at)?;
            items.push(Item::Range(low, high));
        } else {
            items.push(Item::Range(low, low));
        }
    }
}

fn literal(text: &[u32], at: &mut usize) -> Option<u32> {
    if text.get(*at) == Some(&u32::from(b'\\')) && *at + 1 < text.len() {
        *at += 1;
    }
    let c = *text.get(*at)?;
    *at += 1;
    Some(c)
}

fn class(name: &str) -> Option<Class> {
    Some(match name {
        "alpha" => Class::Alpha,
        "digit" => Class::Digit,
        "alnum" => Class::Alnum,
        "upper" => Class::Upper,
        "lower" => Class::Lower,
        "space" => Class::Space,
        "blank" => Class::Blank,
        "punct" => Class::Punct,
        "print" => Class::Print,
        "graph" => Class::Graph,
        "cntrl" => Class::Cntrl,
        "xdigit" => Class::Xdigit,
        "word" => Class::Word,
        "ascii" => Class::Ascii,
        _ => return None,
    })
}

fn fold(code: u32) -> u32 {
    match char::from_u32(code) {
        Some(c) => c.to_lowercase().next().unwrap_or(c) as u32,
        None => code,
    }
}

impl Item {
    fn has(&self, code: u32, folded: bool) -> bool {
        match self {
            Item::Range(low, high) => {
                (*low..=*high).contains(&code)
                    || (folded
                        && ((*low..=*high).contains(&fold(code))
                            || char::from_u32(code)
                                .and_then(|c| c.to_uppercase().next())
                                .is_some_and(|c| (*low..=*high).contains(&(c as u32)))))
            }
            Item::Class(class) => char::from_u32(code).is_some_and(|c| class.has(c)),
        }
    }
}

impl Class {
    fn has(self, c: char) -> bool {
        match self {
            Class::Alpha => c.is_alphabetic(),
            Class::Digit => c.is_ascii_digit(),
            Class::Alnum => c.is_alphanumeric(),
            Class::Upper => c.is_uppercase(),
            Class::Lower => c.is_lowercase(),
            Class::Space => c.is_whitespace() || c == '\u{b}',
            Class::Blank => c == ' ' || c == '\t',
            Class::Punct => c.is_ascii_punctuation(),
            Class::Print => !c.is_control(),
            Class::Graph => !c.is_control() && !c.is_whitespace(),
            Class::Cntrl => c.is_control(),
            Class::Xdigit => c.is_ascii_hexdigit(),
            Class::Word => c.is_alphanumeric() || c == '_',
            Class::Ascii => c.is_ascii(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, text: &str, expect: bool) {
        let rules = Rules { extended: true, ..Rules::default() };
        assert_eq!(Pattern::new(pattern.as_bytes(), rules).matches(text.as_bytes()), expect);
    }

    #[test]
    fn a_star_matches_nothing_and_everything() {
        check("a*c", "ac", true);
        check("a*c", "abbbc", true);
        check("a*c", "abbbd", false);
    }

    #[test]
    fn a_bracket_that_is_not_closed_is_text() {
        check("[ab", "[ab", true);
        check("[]a]", "]", true);
        check("[!a-c]", "b", false);
    }

    #[test]
    fn groups_repeat_as_their_operator_says() {
        check("+(ab|c)", "abcab", true);
        check("?(a)b", "aab", false);
        check("!(*.txt)", "a.txt", false);
        check("!(*.txt)", "a.md", true);
    }

    #[test]
    fn a_question_mark_matches_one_character_of_any_byte_length() {
        check("?", "é", true);
        check("??", "é", false);
    }

    #[test]
    fn nested_repetition_takes_no_exponential_time() {
        check(&format!("{}a{}b", "*(".repeat(30), ")".repeat(30)), &"a".repeat(300), false);
    }
}
