//! The state of a running program: variables, the current record and its fields, and the main loop.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::rc::Rc;

use crate::output::reason;
use crate::pattern::{Options, Pattern, Syntax};

use super::array::Array;
use super::ast::*;
use super::globals::*;
use super::lexer::unescape;
use super::split::{Splitter, next_word};
use super::streams::{Ending, Reader, Streams};
use super::value::Value;

/// Deepest nesting of function calls; each call takes stack of the cell.
const MAX_CALLS: usize = 400;
/// Largest number of compiled patterns in the cache.
const MAX_PATTERNS: usize = 250;
/// Largest number of fields that a program may give a record.
const MAX_FIELDS: f64 = 10_000_000.0;

/// The reason why an expression or statement ended early.
pub(super) enum Stop {
    Fatal(String),
    Next,
    NextFile,
    Exit,
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Fatal(message)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Fatal(reason(&error))
    }
}

pub(super) type Answer<T> = Result<T, Stop>;

/// The contents of a variable.
#[derive(Clone, Default)]
pub(super) enum Slot {
    #[default]
    Untyped,
    Scalar(Value),
    Array(Rc<RefCell<Array>>),
}

/// The fields of the record. Record and fields are derived from each other on demand.
enum Fields {
    /// Not split yet.
    Unsplit,
    /// Ranges of the record; the first ones if `rest` is set.
    Places(Vec<Range<usize>>),
    /// Changed individually; the record may be out of date.
    Values(Vec<Value>),
}

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    globals: Vec<Slot>,
    pub(super) locals: Vec<Slot>,
    pub(super) base: usize,
    pub(super) calls: usize,
    record: Value,
    stale: bool,
    fields: Fields,
    /// Offset in the record from which on fields have not been looked for.
    rest: Option<usize>,
    /// Reused buffer for the field ranges of the next record.
    spare: Vec<Range<usize>>,
    /// Reused buffer for the output of `print`.
    pub(super) scratch: Vec<u8>,
    splitter: Splitter,
    pub(super) ending: Ending,
    pub(super) ofs: Rc<[u8]>,
    pub(super) ors: Rc<[u8]>,
    pub(super) subsep: Rc<[u8]>,
    pub(super) convfmt: Rc<[u8]>,
    pub(super) ofmt: Rc<[u8]>,
    ranges: Vec<bool>,
    patterns: HashMap<Rc<[u8]>, Rc<Pattern>>,
    /// `IGNORECASE`
    pub(super) ignores_case: bool,
    pub(super) streams: Streams,
    main: Option<Reader>,
    next_argument: usize,
    had_file: bool,
    pub(super) exit: i32,
    pub(super) random: u64,
    pub(super) seed: f64,
}

impl<'p> Machine<'p> {
    pub(super) fn new(program: &'p Program, arguments: &[Vec<u8>]) -> Self {
        let ranges = program.rules.iter().filter(|rule| matches!(rule.when, When::Range(..)));
        let mut machine = Machine {
            globals: vec![Slot::Untyped; program.globals.len()],
            locals: Vec::new(),
            base: 0,
            calls: 0,
            record: Value::Unset,
            stale: false,
            fields: Fields::Unsplit,
            rest: None,
            spare: Vec::new(),
            scratch: Vec::new(),
            splitter: Splitter::Blanks,
            ending: Ending::Byte(b'\n'),
            ofs: Rc::from(b" ".as_slice()),
            ors: Rc::from(b"\n".as_slice()),
            subsep: Rc::from(b"\x1c".as_slice()),
            convfmt: Rc::from(b"%.6g".as_slice()),
            ofmt: Rc::from(b"%.6g".as_slice()),
            ranges: vec![false; ranges.count()],
            patterns: HashMap::new(),
            ignores_case: false,
            streams: Streams::new(),
            main: None,
            next_argument: 1,
            had_file: false,
            exit: 0,
            random: 0x853c_49e6_748f_ea9b,
            seed: 0.0,
            program,
        };
        for (number, text) in [
            (FS, " "),
            (OFS, " "),
            (ORS, "\n"),
            (RS, "\n"),
            (SUBSEP, "\x1c"),
            (CONVFMT, "%.6g"),
            (OFMT, "%.6g"),
        ] {
            machine.globals[number] = Slot::Scalar(Value::text(text.as_bytes()));
        }
        for number in [NF, NR, FNR, RSTART] {
            machine.globals[number] = Slot::Scalar(Value::Number(0.0));
        }
        machine.globals[RLENGTH] = Slot::Scalar(Value::Number(-1.0));
        machine.globals[ARGC] = Slot::Scalar(Value::Number(arguments.len() as f64));
        let mut argv = Array::default();
        for (number, argument) in arguments.iter().enumerate() {
            argv.set(number.to_string().as_bytes(), Value::input(argument));
        }
        machine.globals[ARGV] = Slot::Array(Rc::new(RefCell::new(argv)));
        let mut environ = Array::default();
        for (name, value) in std::env::vars_os() {
            use crate::bytes::OsStrExt as _;
            environ.set(name.as_bytes(), Value::input(value.as_bytes()));
        }
        machine.globals[ENVIRON] = Slot::Array(Rc::new(RefCell::new(environ)));
        machine
    }

    /// Runs the program and returns its exit code.
    pub(super) fn run(&mut self) -> Result<i32, String> {
        let ended = self.phases();
        let flushed = self.streams.close_all().map_err(|error| reason(&error));
        match ended {
            Err(Stop::Fatal(message)) => Err(message),
            _ => flushed.map(|()| self.exit),
        }
    }

    fn phases(&mut self) -> Answer<()> {
        let program = self.program;
        let mut exited = false;
        for block in &program.begin {
            match self.block(block) {
                Ok(_) | Err(Stop::Next | Stop::NextFile) => {}
                Err(Stop::Exit) => {
                    exited = true;
                    break;
                }
                Err(fatal) => return Err(fatal),
            }
        }
        if !exited && (!program.rules.is_empty() || !program.end.is_empty()) {
            match self.records() {
                Ok(()) => {}
                Err(Stop::Exit) => exited = true,
                Err(other) => return Err(other),
            }
        }
        let _ = exited;
        for block in &program.end {
            match self.block(block) {
                Ok(_) | Err(Stop::Next | Stop::NextFile) => {}
                Err(Stop::Exit) => break,
                Err(fatal) => return Err(fatal),
            }
        }
        Ok(())
    }

    fn records(&mut self) -> Answer<()> {
        while self.next_main()? {
            match self.rules() {
                Ok(()) | Err(Stop::Next) => {}
                Err(Stop::NextFile) => self.main = None,
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }

    fn rules(&mut self) -> Answer<()> {
        let program = self.program;
        for rule in &program.rules {
            let chosen = match &rule.when {
                When::Always => true,
                When::If(condition) => self.is_true(condition)?,
                When::Range(first, last, number) => {
                    let inside = self.ranges[*number] || self.is_true(first)?;
                    if inside {
                        self.ranges[*number] = !self.is_true(last)?;
                    }
                    inside
                }
            };
            if !chosen {
                continue;
            }
            match &rule.body {
                Some(body) => {
                    self.block(body)?;
                }
                None => self.print_record()?,
            }
        }
        Ok(())
    }

    /// Reads the next record of the main input into `$0`; returns false at the end.
    pub(super) fn next_main(&mut self) -> Answer<bool> {
        loop {
            if self.main.is_none() && !self.open_next()? {
                return Ok(false);
            }
            let Some(reader) = self.main.as_mut() else { return Ok(false) };
            match reader.record(&self.ending) {
                Ok(Some((record, end))) => {
                    let record = Value::input(record);
                    if let Ending::Byte(_) = self.ending {
                    } else {
                        let end = Value::text(end);
                        self.globals[RT] = Slot::Scalar(end);
                    }
                    self.set_record(record);
                    self.count(NR);
                    self.count(FNR);
                    return Ok(true);
                }
                Ok(None) => self.main = None,
                Err(error) => {
                    let name = self.get(Name::Global(FILENAME))?.string(b"%.6g");
                    let name = String::from_utf8_lossy(&name).into_owned();
                    eprintln!("awk: {name}: {}", reason(&error));
                    self.exit = 2;
                    self.main = None;
                }
            }
        }
    }

    /// Increments `NR` or `FNR`.
    pub(super) fn count(&mut self, number: usize) {
        let before = match &mut self.globals[number] {
            Slot::Scalar(Value::Number(count)) => {
                *count += 1.0;
                return;
            }
            Slot::Scalar(value) => value.number(),
            Slot::Untyped | Slot::Array(_) => 0.0,
        };
        self.globals[number] = Slot::Scalar(Value::Number(before + 1.0));
    }

    /// Opens the next file of `ARGV`, or standard input if it names no file.
    fn open_next(&mut self) -> Answer<bool> {
        loop {
            let count = self.get(Name::Global(ARGC))?.number() as usize;
            if self.next_argument >= count {
                if self.had_file {
                    return Ok(false);
                }
                self.had_file = true;
                self.set(Name::Global(FILENAME), Value::text(b"-".as_slice()))?;
                self.main = Some(Reader::open(b"-")?);
                return Ok(true);
            }
            let argv = self.array(Name::Global(ARGV))?;
            let key = self.next_argument.to_string();
            self.next_argument += 1;
            let argument = match argv.borrow().get(key.as_bytes()) {
                Some(value) => value.string(b"%.6g"),
                None => continue,
            };
            if argument.is_empty() || self.assign_argument(&argument)? {
                continue;
            }
            self.had_file = true;
            let shown = argument.clone();
            match Reader::open(&argument) {
                Ok(reader) => {
                    self.set(Name::Global(FILENAME), Value::Input(shown))?;
                    self.globals[FNR] = Slot::Scalar(Value::Number(0.0));
                    self.main = Some(reader);
                    return Ok(true);
                }
                Err(error) => {
                    let name = String::from_utf8_lossy(&argument);
                    eprintln!("awk: cannot open \"{name}\" ({})", reason(&error));
                    self.exit = 2;
                }
            }
        }
    }

    /// Performs an assignment `name=value`; returns false if the argument is not one.
    pub(super) fn assign_argument(&mut self, argument: &[u8]) -> Answer<bool> {
        let Some(equals) = memchr::memchr(b'=', argument) else { return Ok(false) };
        let name = &argument[..equals];
        let fine = name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
            && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if !fine {
            return Ok(false);
        }
        // The program cannot observe a variable that it does not name.
        let name = String::from_utf8_lossy(name);
        if let Some(number) = self.program.globals.iter().position(|global| *global == name) {
            let value = unescape(&argument[equals + 1..]);
            self.set(Name::Global(number), Value::input(&value))?;
        }
        Ok(true)
    }

    pub(super) fn slot(&mut self, name: Name) -> &mut Slot {
        match name {
            Name::Global(number) => &mut self.globals[number],
            Name::Local(number) => &mut self.locals[self.base + number],
        }
    }

    fn name_text(&self, name: Name) -> &str {
        match name {
            Name::Global(number) => &self.program.globals[number],
            Name::Local(_) => "parameter",
        }
    }

    pub(super) fn get(&mut self, name: Name) -> Answer<Value> {
        if name == Name::Global(NF) {
            return Ok(Value::Number(self.field_count()? as f64));
        }
        match self.slot(name) {
            Slot::Scalar(value) => Ok(value.clone()),
            Slot::Untyped => Ok(Value::Unset),
            Slot::Array(_) => {
                let text = self.name_text(name);
                Err(format!("attempt to use array `{text}' in a scalar context").into())
            }
        }
    }

    pub(super) fn set(&mut self, name: Name, value: Value) -> Answer<()> {
        if let Slot::Array(_) = self.slot(name) {
            let text = self.name_text(name);
            return Err(format!("attempt to use array `{text}' in a scalar context").into());
        }
        if let Name::Global(number) = name
            && number < NAMES.len()
        {
            self.set_special(number, &value)?;
        }
        *self.slot(name) = Slot::Scalar(value);
        Ok(())
    }

    fn set_special(&mut self, number: usize, value: &Value) -> Answer<()> {
        let text = value.string(&self.convfmt);
        match number {
            NF => return self.set_field_count(value.number()),
            OFS => {
                // A record that a field has changed is joined with the separator of that time.
                self.whole();
                self.ofs = text;
            }
            ORS => self.ors = text,
            SUBSEP => self.subsep = text,
            CONVFMT => self.convfmt = text,
            OFMT => self.ofmt = text,
            FS => {
                // The current record keeps the separator it was read with.
                self.split()?;
                self.splitter = self.splitter_for(&text)?;
            }
            IGNORECASE => {
                self.ignores_case = value.is_true();
                self.patterns.clear();
            }
            FPAT => {
                self.split()?;
                self.splitter = Splitter::Fields(self.pattern(&text)?);
            }
            FIELDWIDTHS => {
                self.split()?;
                let widths = text.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
                let number = |text: &[u8]| match text {
                    // The rest of the record.
                    b"*" => usize::MAX,
                    text => Value::input(text).number() as usize,
                };
                let widths = widths
                    .map(|text| match text.iter().position(|b| *b == b':') {
                        Some(colon) => (number(&text[..colon]), number(&text[colon + 1..])),
                        None => (0, number(text)),
                    })
                    .collect();
                self.splitter = Splitter::Widths(widths);
            }
            RS => {
                self.ending = match &*text {
                    [] => Ending::Paragraph,
                    [byte] => Ending::Byte(*byte),
                    _ => Ending::Pattern(self.pattern(&text)?),
                };
                if let Ending::Paragraph = self.ending
                    && let Splitter::Byte(byte) = self.splitter
                {
                    self.splitter = self.newline_too(byte)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn newline_too(&mut self, byte: u8) -> Answer<Splitter> {
        let both = format!(
            "[{}\n]",
            if byte == b'\\' { "\\\\".into() } else { char::from(byte).to_string() }
        );
        Ok(Splitter::Pattern(self.pattern(both.as_bytes())?))
    }

    /// Returns the splitter for a separator, given as `FS` or to `split`.
    pub(super) fn splitter_for(&mut self, text: &[u8]) -> Answer<Splitter> {
        Ok(match text {
            b" " => Splitter::Blanks,
            [] => Splitter::Characters,
            [byte] => match self.ending {
                Ending::Paragraph => self.newline_too(*byte)?,
                Ending::Byte(_) | Ending::Pattern(_) => Splitter::Byte(*byte),
            },
            _ => Splitter::Pattern(self.pattern(text)?),
        })
    }

    /// Returns the compiled pattern of a text, from the cache if possible.
    pub(super) fn pattern(&mut self, text: &[u8]) -> Answer<Rc<Pattern>> {
        if let Some(pattern) = self.patterns.get(text) {
            return Ok(pattern.clone());
        }
        let shown = String::from_utf8_lossy(text);
        let options = Options { ignore_case: self.ignores_case, ..Options::default() };
        let pattern = Pattern::new(&shown, Syntax::Awk, options)
            .map_err(|error| format!("{error}: /{shown}/"))?;
        if self.patterns.len() >= MAX_PATTERNS {
            self.patterns.clear();
        }
        let pattern = Rc::new(pattern);
        self.patterns.insert(text.into(), pattern.clone());
        Ok(pattern)
    }

    pub(super) fn array(&mut self, name: Name) -> Answer<Rc<RefCell<Array>>> {
        let slot = self.slot(name);
        match slot {
            Slot::Array(array) => Ok(array.clone()),
            Slot::Untyped => {
                let array = Rc::new(RefCell::new(Array::default()));
                *slot = Slot::Array(array.clone());
                Ok(array)
            }
            Slot::Scalar(_) => {
                let text = self.name_text(name);
                Err(format!("attempt to use scalar `{text}' as an array").into())
            }
        }
    }

    pub(super) fn set_record(&mut self, record: Value) {
        self.record = record;
        self.stale = false;
        if let Fields::Places(places) = std::mem::replace(&mut self.fields, Fields::Unsplit) {
            self.spare = places;
        }
    }

    /// Returns `$0`, rebuilt from the fields if one has changed.
    pub(super) fn whole(&mut self) -> Value {
        if self.stale
            && let Fields::Values(values) = &self.fields
        {
            let mut text = Vec::new();
            for (number, value) in values.iter().enumerate() {
                if number > 0 {
                    text.extend_from_slice(&self.ofs);
                }
                value.append(&mut text, &self.convfmt);
            }
            self.record = Value::Input(text.into());
            self.stale = false;
        }
        self.record.clone()
    }

    pub(super) fn split(&mut self) -> Answer<()> {
        self.split_until(usize::MAX);
        Ok(())
    }

    /// Finds at least the first `count` fields, if the record has as many. Most programs use the
    /// first few, and finding the others would take most of their time.
    fn split_until(&mut self, count: usize) {
        if let Fields::Unsplit = self.fields {
            let mut places = std::mem::take(&mut self.spare);
            places.clear();
            self.fields = Fields::Places(places);
            self.rest = Some(0);
        }
        let Fields::Places(places) = &mut self.fields else { return };
        let Some(mut at) = self.rest.filter(|_| places.len() < count) else { return };
        let owned;
        let text = match &self.record {
            Value::Input(text) | Value::Text(text) => text,
            Value::Unset | Value::Number(_) => {
                owned = self.record.string(&self.convfmt);
                &owned
            }
        };
        self.rest = None;
        if let Splitter::Blanks = self.splitter {
            while let Some(place) = next_word(text, at) {
                at = place.end;
                places.push(place);
                if places.len() == count {
                    self.rest = Some(at);
                    return;
                }
            }
        } else {
            self.splitter.split(text, |place| places.push(place));
        }
    }

    pub(super) fn field_count(&mut self) -> Answer<usize> {
        self.split()?;
        Ok(match &self.fields {
            Fields::Places(places) => places.len(),
            Fields::Values(values) => values.len(),
            Fields::Unsplit => 0,
        })
    }

    fn field_number(index: f64) -> Answer<usize> {
        if index < 0.0 {
            return Err(format!("attempt to access field {index}").into());
        }
        if index > MAX_FIELDS {
            return Err(format!("field number {index} is too big").into());
        }
        Ok(index as usize)
    }

    pub(super) fn field(&mut self, index: f64) -> Answer<Value> {
        let index = Self::field_number(index)?;
        if index == 0 {
            return Ok(self.whole());
        }
        self.split_until(index);
        Ok(match &self.fields {
            Fields::Places(places) => match (places.get(index - 1), &self.record) {
                (Some(place), Value::Input(text) | Value::Text(text)) => {
                    Value::input(&text[place.clone()])
                }
                (Some(_), Value::Number(_)) => Value::input(&self.record.string(&self.convfmt)),
                // A field that does not exist is the empty string, which is no number.
                _ => Value::Text(Default::default()),
            },
            Fields::Values(values) => {
                values.get(index - 1).cloned().unwrap_or_else(|| Value::Text(Default::default()))
            }
            Fields::Unsplit => Value::Unset,
        })
    }

    /// Returns the text of a field that is a part of the record.
    pub(super) fn field_text(&mut self, index: f64) -> Answer<Option<&[u8]>> {
        let index = Self::field_number(index)?;
        if index == 0 {
            return Ok(None);
        }
        self.split_until(index);
        Ok(match (&self.fields, &self.record) {
            (Fields::Places(places), Value::Input(text) | Value::Text(text)) => {
                places.get(index - 1).map(|place| &text[place.clone()])
            }
            _ => None,
        })
    }

    /// Returns the fields as values that can be changed.
    fn values(&mut self) -> Answer<&mut Vec<Value>> {
        self.split()?;
        if let Fields::Places(places) = &self.fields {
            let text = self.record.string(&self.convfmt);
            let values = places.iter().map(|place| Value::input(&text[place.clone()])).collect();
            self.fields = Fields::Values(values);
        }
        match &mut self.fields {
            Fields::Values(values) => Ok(values),
            Fields::Unsplit | Fields::Places(_) => Err("fields are missing".to_owned().into()),
        }
    }

    pub(super) fn set_field(&mut self, index: f64, value: Value) -> Answer<()> {
        let index = Self::field_number(index)?;
        if index == 0 {
            let text = value.string(&self.convfmt);
            self.set_record(Value::Input(text));
            return Ok(());
        }
        let text = match value {
            Value::Number(_) => Value::Input(value.string(&self.convfmt)),
            other => other,
        };
        let values = self.values()?;
        if values.len() < index {
            values.resize(index, Value::input(b""));
        }
        values[index - 1] = text;
        self.stale = true;
        Ok(())
    }

    fn set_field_count(&mut self, count: f64) -> Answer<()> {
        let count = Self::field_number(count)?;
        self.values()?.resize(count, Value::input(b""));
        self.stale = true;
        Ok(())
    }

    /// Counts a function call; fails if calls are nested too deep.
    pub(super) fn deeper(&mut self) -> Answer<()> {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return Err(format!("function calls nested deeper than {MAX_CALLS}").into());
        }
        Ok(())
    }
}
