//! The built-in functions, apart from `sub` and its relatives.

use std::cmp::Ordering;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::array::Array;
use super::ast::*;
use super::exec::key_number;
use super::format::{char_count, char_offset};
use super::globals::{RLENGTH, RSTART};
use super::machine::{Answer, Machine, Slot};
use super::split::Splitter;
use super::substitute;
use super::value::{Value, leading_number, looks_numeric};
use cofferdam_guest_sys::calendar;

impl<'p> Machine<'p> {
    pub(super) fn builtin(&mut self, builtin: Builtin, args: &'p [Expr]) -> Answer<Value> {
        let number = match builtin {
            Builtin::Length => return self.length(args.first()),
            Builtin::Sub | Builtin::Gsub => return self.substitute(builtin, args),
            Builtin::Gensub => return self.gensub(args),
            Builtin::Match => return self.match_function(args),
            Builtin::Split => return self.split_function(args),
            Builtin::Asort | Builtin::Asorti => return self.sort(builtin, args),
            Builtin::Sprintf => return Ok(Value::text(self.formatted(args)?)),
            Builtin::Substr => return self.substr(args),
            Builtin::Tolower => {
                return Ok(Value::text(change_case(&self.string(&args[0])?, Case::Lower)));
            }
            Builtin::Toupper => {
                return Ok(Value::text(change_case(&self.string(&args[0])?, Case::Upper)));
            }
            Builtin::Strftime => return self.strftime(args),
            Builtin::Typeof => return self.type_of(&args[0]),
            Builtin::IsArray => {
                let kind = self.type_of(&args[0])?;
                f64::from(u8::from(*kind.string(b"") == *b"array"))
            }
            Builtin::Index => {
                let text = self.string(&args[0])?;
                let part = self.string(&args[1])?;
                let found = memchr::memmem::find(&text, &part);
                found.map_or(0.0, |at| (char_count(&text[..at]) + 1) as f64)
            }
            Builtin::System => {
                let command = self.string(&args[0])?;
                f64::from(self.streams.system(&command)?)
            }
            Builtin::Close => {
                let name = self.string(&args[0])?;
                self.streams.close(&name)
            }
            Builtin::Fflush => {
                self.streams.flush()?;
                0.0
            }
            Builtin::Mktime => {
                let text = self.string(&args[0])?;
                calendar::from_text(&text).unwrap_or(-1.0)
            }
            Builtin::Systime => now().floor(),
            Builtin::Strtonum => {
                let value = self.eval(&args[0])?;
                string_to_number(&value)
            }
            Builtin::Rand => self.random(),
            Builtin::Srand => {
                let before = self.seed;
                self.seed = match args.first() {
                    Some(seed) => self.eval(seed)?.number(),
                    None => now().floor(),
                };
                self.random = self.seed.to_bits() ^ 0x853c_49e6_748f_ea9b;
                self.random();
                before
            }
            Builtin::Sin
            | Builtin::Cos
            | Builtin::Atan2
            | Builtin::Exp
            | Builtin::Log
            | Builtin::Sqrt
            | Builtin::Int
            | Builtin::And
            | Builtin::OrBits
            | Builtin::Xor
            | Builtin::Lshift
            | Builtin::Rshift
            | Builtin::Compl => {
                let mut numbers = Vec::with_capacity(args.len());
                for arg in args {
                    numbers.push(self.eval(arg)?.number());
                }
                mathematics(builtin, &numbers)?
            }
        };
        Ok(Value::Number(number))
    }

    fn length(&mut self, arg: Option<&'p Expr>) -> Answer<Value> {
        if let Some(Expr::Get(Place::Variable(name))) = arg
            && let Slot::Array(array) = self.slot(*name)
        {
            return Ok(Value::Number(array.borrow().len() as f64));
        }
        let text = match arg {
            Some(arg) => self.string(arg)?,
            None => self.whole().string(&self.convfmt),
        };
        Ok(Value::Number(char_count(&text) as f64))
    }

    fn type_of(&mut self, arg: &'p Expr) -> Answer<Value> {
        if let Expr::Get(Place::Variable(name)) = arg
            && let Slot::Array(_) = self.slot(*name)
        {
            return Ok(Value::text(b"array".as_slice()));
        }
        if let Expr::Regex(_) = arg {
            return Ok(Value::text(b"regexp".as_slice()));
        }
        let value = self.eval(arg)?;
        Ok(Value::text(value.kind().as_bytes()))
    }

    fn substr(&mut self, args: &'p [Expr]) -> Answer<Value> {
        let text = self.string(&args[0])?;
        // A start before the text means its first character and does not shorten the length. gawk
        // and mawk do the same, unlike POSIX.
        let first = self.eval(&args[1])?.number().trunc().max(1.0);
        let end = match args.get(2) {
            Some(len) => first + self.eval(len)?.number().trunc(),
            None => f64::INFINITY,
        };
        let count = char_count(&text) as f64;
        let last = end.min(count + 1.0);
        if first >= last {
            return Ok(Value::text(b"".as_slice()));
        }
        let (first, len) = (first as usize - 1, (last - first) as usize);
        if count as usize == text.len() {
            return Ok(Value::text(&text[first..first + len]));
        }
        let begin = char_offset(&text, first);
        let end = begin + char_offset(&text[begin..], len);
        Ok(Value::text(&text[begin..end]))
    }

    fn substitute(&mut self, builtin: Builtin, args: &'p [Expr]) -> Answer<Value> {
        let pattern = self.pattern_of(&args[0])?;
        let replacement = self.string(&args[1])?;
        let target = match args.get(2) {
            None => None,
            Some(Expr::Get(place)) => Some(place),
            Some(other) => {
                // The target is not assignable, so only the count matters.
                let text = self.string(other)?;
                let all = builtin == Builtin::Gsub;
                let (count, _) = substitute::replace(&pattern, &replacement, &text, all)?;
                return Ok(Value::Number(count as f64));
            }
        };
        let text = match args.get(2) {
            Some(target) => self.string(target)?,
            None => self.whole().string(&self.convfmt),
        };
        let all = builtin == Builtin::Gsub;
        let (count, changed) = substitute::replace(&pattern, &replacement, &text, all)?;
        if count > 0 {
            let changed = Value::text(changed);
            match target {
                Some(place) => self.assign(place, changed)?,
                None => self.set_field(0.0, changed)?,
            }
        }
        Ok(Value::Number(count as f64))
    }

    fn gensub(&mut self, args: &'p [Expr]) -> Answer<Value> {
        let pattern = self.pattern_of(&args[0])?;
        let replacement = self.string(&args[1])?;
        let how = self.eval(&args[2])?;
        let text = match args.get(3) {
            Some(target) => self.string(target)?,
            None => self.whole().string(&self.convfmt),
        };
        let how_text = how.string(&self.convfmt);
        let which = if matches!(how_text.first(), Some(b'g' | b'G')) {
            None
        } else {
            Some((how.number() as usize).max(1))
        };
        Ok(Value::text(substitute::general(&pattern, &replacement, &text, which)?))
    }

    fn match_function(&mut self, args: &'p [Expr]) -> Answer<Value> {
        let text = self.string(&args[0])?;
        let pattern = self.pattern_of(&args[1])?;
        let groups = match args.get(2) {
            Some(_) => pattern.on(&text).groups_at(0),
            None => pattern.on(&text).find_at(0).map(|found| vec![Some(found)]),
        };
        let place = |range: &std::ops::Range<usize>| {
            let start = char_count(&text[..range.start]) + 1;
            (start as f64, char_count(&text[range.clone()]) as f64)
        };
        let whole = groups.as_ref().and_then(|groups| groups.first().cloned().flatten());
        let (start, len) = whole.as_ref().map_or((0.0, -1.0), &place);
        if let Some(Expr::Get(Place::Variable(name))) = args.get(2) {
            let array = self.array(*name)?;
            let mut array = array.borrow_mut();
            array.clear();
            for (number, group) in groups.into_iter().flatten().enumerate() {
                let Some(range) = group else { continue };
                let (start, len) = place(&range);
                array.set(number.to_string().as_bytes(), Value::input(&text[range]));
                for (what, value) in [("start", start), ("length", len)] {
                    let mut key = number.to_string().into_bytes();
                    key.extend_from_slice(&self.subsep);
                    key.extend_from_slice(what.as_bytes());
                    array.set(&key, Value::Number(value));
                }
            }
        }
        self.set(Name::Global(RSTART), Value::Number(start))?;
        self.set(Name::Global(RLENGTH), Value::Number(len))?;
        Ok(Value::Number(start))
    }

    fn split_function(&mut self, args: &'p [Expr]) -> Answer<Value> {
        let text = self.string(&args[0])?;
        let splitter = match args.get(2) {
            None => {
                let fs = self.get(Name::Global(super::globals::FS))?.string(&self.convfmt);
                self.splitter_for(&fs)?
            }
            Some(Expr::Regex(pattern)) => Splitter::Pattern(self.constant(pattern)?),
            Some(separator) => {
                let separator = self.string(separator)?;
                match &*separator {
                    b" " => Splitter::Blanks,
                    [] => Splitter::Characters,
                    [byte] => Splitter::Byte(*byte),
                    _ => Splitter::Pattern(self.pattern(&separator)?),
                }
            }
        };
        let Some(Expr::Get(Place::Variable(name))) = args.get(1) else {
            return Err("split: second argument is not an array".to_owned().into());
        };
        let mut places = Vec::new();
        splitter.split(&text, |place| places.push(place));
        if let Some(Expr::Get(Place::Variable(seps))) = args.get(3) {
            let seps = self.array(*seps)?;
            let mut seps = seps.borrow_mut();
            seps.clear();
            for (number, pair) in places.windows(2).enumerate() {
                let between = &text[pair[0].end..pair[1].start];
                seps.set((number + 1).to_string().as_bytes(), Value::input(between));
            }
        }
        let array = self.array(*name)?;
        let mut array = array.borrow_mut();
        array.clear();
        let mut digits = itoa::Buffer::new();
        for (number, place) in places.iter().enumerate() {
            let key = digits.format(number + 1);
            array.set(key.as_bytes(), Value::input(&text[place.clone()]));
        }
        Ok(Value::Number(places.len() as f64))
    }

    fn sort(&mut self, builtin: Builtin, args: &'p [Expr]) -> Answer<Value> {
        let Some(Expr::Get(Place::Variable(source))) = args.first() else {
            return Err(format!("{}: first argument is not an array", builtin.name()).into());
        };
        let target = match args.get(1) {
            Some(Expr::Get(Place::Variable(target))) => *target,
            _ => *source,
        };
        let order: Rc<[u8]> = match args.get(2) {
            Some(order) => self.string(order)?,
            None if builtin == Builtin::Asort => Rc::from(b"@val_type_asc".as_slice()),
            None => Rc::from(b"@ind_str_asc".as_slice()),
        };
        let source = self.array(*source)?;
        let mut elements: Vec<(Rc<[u8]>, Value)> =
            source.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        sort_elements(&mut elements, &order);
        let mut sorted = Array::default();
        let count = elements.len();
        for (number, (key, value)) in elements.into_iter().enumerate() {
            let value = if builtin == Builtin::Asort { value } else { Value::Input(key) };
            sorted.set((number + 1).to_string().as_bytes(), value);
        }
        *self.array(target)?.borrow_mut() = sorted;
        Ok(Value::Number(count as f64))
    }

    fn strftime(&mut self, args: &'p [Expr]) -> Answer<Value> {
        let format = match args.first() {
            Some(format) => self.string(format)?,
            None => Rc::from(b"%a %b %e %H:%M:%S %Z %Y".as_slice()),
        };
        let at = match args.get(1) {
            Some(at) => self.eval(at)?.number(),
            None => now(),
        };
        let at = at.floor() as i64;
        // A third argument that is true asks for universal time.
        let is_utc = match args.get(2) {
            Some(flag) => self.eval(flag)?.is_true(),
            None => false,
        };
        Ok(Value::text(match is_utc {
            true => calendar::format(&format, at),
            false => calendar::local(&format, at),
        }))
    }

    fn random(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Upper,
}

fn change_case(text: &[u8], case: Case) -> Vec<u8> {
    match (std::str::from_utf8(text), text.is_ascii(), case) {
        (Ok(text), false, Case::Lower) => text.to_lowercase().into_bytes(),
        (Ok(text), false, Case::Upper) => text.to_uppercase().into_bytes(),
        (_, _, Case::Lower) => text.to_ascii_lowercase(),
        (_, _, Case::Upper) => text.to_ascii_uppercase(),
    }
}

fn string_to_number(value: &Value) -> f64 {
    let text = value.string(b"%.6g");
    let digits = String::from_utf8_lossy(&text).trim().to_lowercase();
    if let Some(hex) = digits.strip_prefix("0x") {
        let end = hex.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(hex.len());
        return u64::from_str_radix(&hex[..end], 16).unwrap_or(0) as f64;
    }
    if digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()) {
        return u64::from_str_radix(&digits, 8).unwrap_or(0) as f64;
    }
    leading_number(&text).0
}

fn mathematics(builtin: Builtin, numbers: &[f64]) -> Result<f64, String> {
    let first = numbers.first().copied().unwrap_or(0.0);
    let second = numbers.get(1).copied().unwrap_or(0.0);
    let bits = |fold: fn(u64, u64) -> u64| {
        let whole = numbers.iter().map(|number| *number as u64);
        whole.reduce(fold).unwrap_or(0) as f64
    };
    Ok(match builtin {
        Builtin::Sin => first.sin(),
        Builtin::Cos => first.cos(),
        Builtin::Atan2 => first.atan2(second),
        Builtin::Exp => first.exp(),
        Builtin::Log => first.ln(),
        Builtin::Sqrt => first.sqrt(),
        Builtin::Int => first.trunc(),
        Builtin::And => bits(|a, b| a & b),
        Builtin::OrBits => bits(|a, b| a | b),
        Builtin::Xor => bits(|a, b| a ^ b),
        Builtin::Lshift => (first as u64).checked_shl(second as u32).unwrap_or(0) as f64,
        Builtin::Rshift => (first as u64).checked_shr(second as u32).unwrap_or(0) as f64,
        Builtin::Compl => (!(first as u64) & ((1 << 53) - 1)) as f64,
        other => return Err(format!("{} is not a numeric function", other.name())),
    })
}

/// Sorts elements in one of gawk's `sorted_in` orders; an unknown order leaves them unchanged.
pub(super) fn sort_elements(elements: &mut [(Rc<[u8]>, Value)], order: &[u8]) {
    let by_text = |a: &Value, b: &Value| a.string(b"%.6g").cmp(&b.string(b"%.6g"));
    let by_number = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or(Ordering::Equal);
    let text_of = String::from_utf8_lossy(order).into_owned();
    let (what, descending) = match text_of.strip_suffix("_desc") {
        Some(what) => (what, true),
        None => (text_of.strip_suffix("_asc").unwrap_or(&text_of), false),
    };
    type Element = (Rc<[u8]>, Value);
    let compare = |a: &Element, b: &Element| match what {
        "@ind_str" => a.0.cmp(&b.0),
        "@ind_num" => by_number(key_number(&a.0), key_number(&b.0)).then_with(|| a.0.cmp(&b.0)),
        "@val_str" => by_text(&a.1, &b.1).then_with(|| a.0.cmp(&b.0)),
        "@val_num" => by_number(a.1.number(), b.1.number()).then_with(|| a.0.cmp(&b.0)),
        "@val_type" => by_type(&a.1, &b.1),
        _ => Ordering::Equal,
    };
    elements.sort_by(|a, b| if descending { compare(b, a) } else { compare(a, b) });
}

/// Compares values by type: numbers come before strings.
fn by_type(a: &Value, b: &Value) -> Ordering {
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        Value::Unset => Some(0.0),
        Value::Input(text) => looks_numeric(text),
        Value::Text(_) => None,
    };
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.string(b"%.6g").cmp(&b.string(b"%.6g")),
    }
}
