//! `${…}`: operators on a parameter's value.

use cofferdam_guest_sys as sys;

use super::sink::{Mode, Sink};
use super::value::{Got, Key, Named};
use super::{MAX_VALUE, Quoting};
use crate::pattern::{Chars, Pattern};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{DefaultOp, Op, Param, Side, Text, Where, Word};

impl Shell {
    /// Returns true for `name@letters` or `!name@letters` if the variable is unset.
    fn transforms_nothing(&mut self, text: &[u8]) -> bool {
        let Some(at) = text.iter().position(|c| *c == b'@') else { return false };
        if at + 1 == text.len() || !text[at + 1..].iter().all(u8::is_ascii_alphabetic) {
            return false;
        }
        match text[..at].strip_prefix(b"!") {
            Some(name) => {
                crate::syntax::is_name(name)
                    && self.get(name).is_some_and(|target| self.get(&target).is_none())
            }
            None => crate::syntax::is_name(&text[..at]) && self.get(&text[..at]).is_none(),
        }
    }

    pub(super) fn expand_param(
        &mut self,
        param: &Param,
        quoted: bool,
        sink: &mut Sink,
    ) -> Result<(), Flow> {
        if let Op::Bad(text) = &param.op {
            // An unknown transformation of an unset variable is no error.
            if self.transforms_nothing(text) {
                return self.emit(Got::Nothing, quoted, sink);
            }
            let text = String::from_utf8_lossy(text).into_owned();
            self.warn(&format!("${{{text}}}: bad substitution"));
            return Err(Flow::Discard(1));
        }
        if let Op::Names(at) = &param.op {
            let names = self.names_with(&param.name);
            let joins = !at && !quoted && sink.first_separator().is_none();
            let got = if joins { Got::One(names.concat()) } else { Got::Many(names, !at) };
            return self.emit(got, quoted, sink);
        }
        let is_reference =
            param.indirect && param.index.is_none() && self.is_reference(&param.name);
        if is_reference && matches!(param.op, Op::Get) {
            let target = self.resolve(&param.name);
            let target = match target.index {
                _ if target.name == param.name => Got::Nothing,
                Some(index) => {
                    Got::One([target.name, b"[".to_vec(), index, b"]".to_vec()].concat())
                }
                None => Got::One(target.name),
            };
            return self.emit(target, quoted, sink);
        }
        if let Op::Default(kind, colon, word) = &param.op {
            return self.default_op(param, *kind, *colon, word, quoted, sink);
        }
        let named = self.named(param)?;
        // As in bash, a reference to an element has no elements, keys or length of its own.
        if (named.index.is_some() || matches!(param.op, Op::Length))
            && self.is_reference(&named.name)
            && self.resolve(&named.name).index.is_some()
        {
            let none = if matches!(param.op, Op::Length) { b"0".to_vec() } else { Vec::new() };
            return self.emit(Got::One(none), quoted, sink);
        }
        let got = match &param.op {
            Op::Keys => {
                let star = named.index == Some(Key::Star);
                let keys = self.all_keys(&named.name);
                // As in bash, blanks join the keys even if `IFS` is empty.
                if star && !quoted && sink.first_separator().is_none() && !keys.is_empty() {
                    Got::One(keys.join(&b' '))
                } else {
                    Got::Many(keys, star)
                }
            }
            Op::Slice(offset, length) => self.slice(&named, offset, length.as_ref())?,
            Op::Length => Got::One(self.length(&named)?.to_string().into_bytes()),
            op => {
                let got = self.look_up(&named)?;
                let describes =
                    matches!(op, Op::Transform(b'a' | b'A')) && self.var(&named.name).is_some();
                if !describes {
                    self.check_set(&named, &got, param.bare)?;
                }
                self.apply(op, got, &named)?
            }
        };
        self.emit(got, quoted, sink)
    }

    /// Fails for an unset parameter under `set -u`.
    fn check_set(&mut self, named: &Named, got: &Got, bare: bool) -> Result<(), Flow> {
        if !self.options.nounset() || !matches!(got, Got::Nothing) {
            return Ok(());
        }
        // As in bash, a reference to an element counts as set.
        if named.index.is_none()
            && self.is_reference(&named.name)
            && self.resolve(&named.name).index.is_some()
        {
            return Ok(());
        }
        let mut name = String::from_utf8_lossy(&named.name).into_owned();
        if bare && name.starts_with(|c: char| c.is_ascii_digit() || c == '!') {
            name.insert(0, '$');
        }
        if let Some(Key::Text(index)) = &named.index {
            name = format!("{name}[{}]", String::from_utf8_lossy(index));
        }
        self.warn(&format!("{name}: unbound variable"));
        Err(Flow::Fatal(1))
    }

    fn length(&mut self, named: &Named) -> Result<usize, Flow> {
        if matches!(named.index, Some(Key::At | Key::Star)) {
            let count = self.elements(&named.name).len();
            // As in bash, the number of elements of an array without a value is an error.
            let is_set = count > 0 || self.var(&named.name).is_some_and(|var| var.is_assigned());
            if self.options.nounset() && !is_set {
                let whole = Named { index: None, ..named.clone() };
                self.check_set(&whole, &Got::Nothing, false)?;
            }
            return Ok(count);
        }
        if named.name == b"@" || named.name == b"*" {
            return Ok(self.args.len());
        }
        let got = self.look_up(named)?;
        self.check_set(named, &got, false)?;
        Ok(match got {
            Got::Nothing => 0,
            Got::One(text) => {
                if text.is_ascii() || !self.is_utf8() {
                    text.len()
                } else {
                    Chars::new(&text).len()
                }
            }
            Got::Many(list, _) => list.len(),
        })
    }

    /// Returns true if the locale has multibyte characters.
    pub(crate) fn is_utf8(&self) -> bool {
        for name in [&b"LC_ALL"[..], b"LC_CTYPE", b"LANG"] {
            if let Some(value) = self.vars.get(name).and_then(|var| var.first())
                && !value.is_empty()
            {
                return value != b"C" && value != b"POSIX";
            }
        }
        true
    }

    fn apply(&mut self, op: &Op, got: Got, named: &Named) -> Result<Got, Flow> {
        Ok(match op {
            Op::Get => got,
            // The pattern for an unset variable is not expanded.
            Op::Remove(..) if matches!(got, Got::Nothing) => got,
            Op::Remove(side, longest, word) => {
                let pattern = self.expand_pattern(word)?;
                let pattern = Pattern::new(&pattern, self.exact_rules());
                got.map(|text| removed(&pattern, *side, *longest, text))
            }
            Op::Replace(place, pattern, with) => {
                self.replace(got, *place, pattern, with.as_ref())?
            }
            Op::Case(kind, all, pattern) => {
                let pattern = match pattern {
                    Some(word) => {
                        let text = self.expand_pattern(word)?;
                        Some(Pattern::new(&text, self.exact_rules()))
                    }
                    None => None,
                };
                got.map(|text| super::case::change(&text, *kind, *all, pattern.as_ref()))
            }
            Op::Transform(letter) => self.transform(*letter, got, named)?,
            Op::Length | Op::Keys | Op::Names(_) | Op::Default(..) | Op::Slice(..) | Op::Bad(_) => {
                got
            }
        })
    }

    fn replace(
        &mut self,
        got: Got,
        place: Where,
        pattern: &Word,
        with: Option<&Word>,
    ) -> Result<Got, Flow> {
        let text = self.expand_pattern(pattern)?;
        if text.is_empty() && matches!(place, Where::First | Where::All) {
            return Ok(got);
        }
        let pattern = Pattern::new(&text, self.pattern_rules());
        // An unquoted `&` is replaced by the match; the sink escapes quoted ones.
        let ampersand = self.options.patsub_replacement();
        let with = match with {
            Some(word) if ampersand => self.expand_replacement(word)?,
            Some(word) => vec![Piece::Text(self.expand_string(word)?)],
            None => Vec::new(),
        };
        let mut too_long = false;
        let answer = got.map(|text| match replaced(&pattern, place, &text, &with) {
            Some(text) => text,
            None => {
                too_long = true;
                Vec::new()
            }
        });
        if too_long {
            let message = format!("expansion: longer than {MAX_VALUE} bytes");
            self.warn_capped(sys::Cap::Expansion, MAX_VALUE, &message);
            return Err(Flow::Discard(1));
        }
        Ok(answer)
    }

    fn expand_replacement(&mut self, word: &Word) -> Result<Vec<Piece>, Flow> {
        use crate::syntax::ast::Part;
        let mut pieces = Vec::new();
        for (at, part) in word.parts.iter().enumerate() {
            let one = Word::new(vec![part.clone()]);
            let bare = match part {
                Part::Quoted(_) | Part::Double(_) => false,
                Part::Literal(text) => at > 0 || text.first() != Some(&b'~'),
                _ => true,
            };
            let text = self.expand_string(&one)?;
            if !bare {
                pieces.push(Piece::Text(text));
                continue;
            }
            let mut plain = Vec::new();
            let mut bytes = text.iter().peekable();
            while let Some(c) = bytes.next() {
                match c {
                    b'\\' if matches!(bytes.peek(), Some(b'&' | b'\\')) => {
                        plain.extend(bytes.next());
                    }
                    b'&' => {
                        pieces.push(Piece::Text(std::mem::take(&mut plain)));
                        pieces.push(Piece::Match);
                    }
                    c => plain.push(*c),
                }
            }
            pieces.push(Piece::Text(plain));
        }
        Ok(pieces)
    }

    fn default_op(
        &mut self,
        param: &Param,
        kind: DefaultOp,
        colon: bool,
        word: &Word,
        quoted: bool,
        sink: &mut Sink,
    ) -> Result<(), Flow> {
        let named = self.named(param)?;
        let got = self.look_up(&named)?;
        let missing = if colon {
            match &got {
                Got::Many(list, true) if quoted && self.ifs().is_empty() => {
                    list.iter().all(Vec::is_empty)
                }
                Got::Many(list, _) => list.is_empty() || got.is_null(),
                _ => got.is_null(),
            }
        } else {
            got.is_unset()
        };
        let how = if quoted { Quoting::Quoted } else { Quoting::Value };
        match (kind, missing) {
            (DefaultOp::Instead, true) => {
                match got {
                    Got::Many(list, false) if quoted && list.is_empty() => sink.empty_lists += 1,
                    _ => {}
                }
                Ok(())
            }
            (DefaultOp::Instead, false) | (DefaultOp::Use, true) => {
                self.expand_parts(&word.parts, how, true, sink)
            }
            (_, false) => self.emit(got, quoted, sink),
            (DefaultOp::Assign, true) => {
                let value = self.expand_single_word(word, quoted)?;
                let target = self.resolve(&named.name).name;
                if let Err(Flow::Discard(_)) = self.check_writable(&target) {
                    return Err(Flow::Discard(2));
                }
                match &named.index {
                    Some(Key::Text(index)) => {
                        let index = index.clone();
                        self.assign(&named.name, Some(&index), value, false)?;
                    }
                    _ if crate::syntax::is_name(&named.name) => self.set(&named.name, value)?,
                    _ => {
                        let name = String::from_utf8_lossy(&named.name).into_owned();
                        self.warn(&format!("${name}: cannot assign in this way"));
                        return Err(Flow::Discard(1));
                    }
                }
                let got = self.look_up(&named)?;
                self.emit(got, quoted, sink)
            }
            (DefaultOp::Fail, true) => {
                let message = if word.parts.is_empty() {
                    if colon {
                        b"parameter null or not set".to_vec()
                    } else {
                        b"parameter not set".to_vec()
                    }
                } else {
                    self.expand_single_word(word, quoted)?
                };
                let mut name = String::from_utf8_lossy(&named.name).into_owned();
                if let Some(Key::Text(index)) = &named.index {
                    name = format!("{name}[{}]", String::from_utf8_lossy(index));
                }
                self.warn(&format!("{name}: {}", String::from_utf8_lossy(&message)));
                Err(Flow::Fatal(1))
            }
        }
    }

    fn expand_single_word(&mut self, word: &Word, quoted: bool) -> Result<Text, Flow> {
        if quoted { self.expand_quoted(word) } else { self.expand_string(word) }
    }

    /// Writes a value to the sink.
    pub(super) fn emit(&mut self, got: Got, quoted: bool, sink: &mut Sink) -> Result<(), Flow> {
        match got {
            Got::Nothing => {
                if quoted {
                    sink.quoted(b"");
                }
            }
            Got::One(text) if quoted => sink.quoted(&text),
            Got::One(text) => sink.value(&text),
            Got::Many(list, star) => emit_list(list, star, quoted, sink),
        }
        Ok(())
    }

    fn names_with(&self, prefix: &[u8]) -> Vec<Text> {
        let mut names: Vec<Text> = self
            .vars
            .iter()
            .filter(|(name, var)| name.starts_with(prefix) && var.is_assigned())
            .map(|(name, _)| name.to_vec())
            .collect();
        names.sort_unstable();
        names
    }
}

fn emit_list(list: Vec<Text>, star: bool, quoted: bool, sink: &mut Sink) {
    if list.is_empty() {
        if quoted && !star {
            sink.empty_lists += 1;
        } else if quoted {
            sink.quoted(b"");
        }
        return;
    }
    let separator = sink.first_separator();
    let splits = separator.is_some_and(|c| !matches!(c, b' ' | b'\t' | b'\n'));
    if !quoted && splits && sink.mode() == Mode::Fields {
        let separator = sink.joint();
        sink.value(&list.join(separator.as_slice()));
        return;
    }
    let joins = quoted && star;
    if sink.mode() != Mode::Fields || joins {
        let separator = if star { sink.joint() } else { b" ".to_vec() };
        let text = list.join(separator.as_slice());
        if quoted {
            sink.quoted(&text)
        } else {
            sink.value(&text)
        }
        return;
    }
    let count = list.len();
    for (at, text) in list.iter().enumerate() {
        if quoted {
            sink.quoted(text);
        } else {
            sink.value(text);
        }
        if at + 1 < count {
            sink.end_field();
        }
    }
}

/// A piece of a replacement text.
enum Piece {
    Text(Text),
    Match,
}

fn removed(pattern: &Pattern, side: Side, longest: bool, text: Text) -> Text {
    match side {
        Side::Front => match pattern.prefix(&text) {
            Some((short, long)) => text[if longest { long } else { short }..].to_vec(),
            None => text,
        },
        Side::Back => match pattern.suffix(&text) {
            Some((short, long)) => text[..if longest { long } else { short }].to_vec(),
            None => text,
        },
    }
}

fn replaced(pattern: &Pattern, place: Where, text: &[u8], with: &[Piece]) -> Option<Text> {
    let put = |out: &mut Text, found: &[u8]| {
        for piece in with {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Match => out.extend_from_slice(found),
            }
        }
    };
    let mut out = Vec::new();
    match place {
        Where::Front => match pattern.prefix(text) {
            Some((_, end)) => {
                put(&mut out, &text[..end]);
                out.extend_from_slice(&text[end..]);
            }
            None => out.extend_from_slice(text),
        },
        Where::Back => match pattern.suffix(text) {
            Some((_, start)) => {
                out.extend_from_slice(&text[..start]);
                put(&mut out, &text[start..]);
            }
            None => out.extend_from_slice(text),
        },
        Where::First | Where::All => {
            let search = pattern.searcher(text);
            let chars = search.chars();
            let mut at = 0;
            let mut done = false;
            while at <= chars.len() {
                let found = if done { None } else { search.longest(at) };
                match found {
                    Some(end) if end > at || chars.is_empty() => {
                        put(&mut out, &text[chars.offset(at)..chars.offset(end)]);
                        done = place == Where::First;
                        if end == at {
                            break;
                        }
                        at = end;
                        continue;
                    }
                    _ => {}
                }
                if done {
                    out.extend_from_slice(&text[chars.offset(at)..]);
                    break;
                }
                out.extend_from_slice(&text[chars.offset(at)..chars.offset(at + 1)]);
                at += 1;
                if out.len() > MAX_VALUE {
                    return None;
                }
            }
        }
    }
    (out.len() <= MAX_VALUE).then_some(out)
}
