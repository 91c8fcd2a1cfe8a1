//! getopt: parses the options of scripts, as that of util-linux.

use std::ffi::OsString;

use crate::bytes::OsStrExt as _;
use crate::options::{self, Item, Key, Order, Usage, Value};

const USAGE: Usage = Usage {
    name: "getopt",
    text: "\
Usage: getopt OPTSTRING PARAMETERS...
       getopt [OPTION]... [--] OPTSTRING PARAMETERS...
       getopt [OPTION]... -o|--options OPTSTRING [OPTION]... [--] PARAMETERS...
Parse the options of a script.

  -a, --alternative          let long options begin with a single -
  -l, --longoptions=NAMES    long options to recognize, separated by commas
  -n, --name=NAME            name under which errors are reported
  -o, --options=OPTSTRING    letters to recognize
  -q, --quiet                report no errors
  -Q, --quiet-output         print nothing
  -s, --shell=SHELL          quote for SHELL: sh or bash
  -T, --test                 tell this getopt from older ones
  -u, --unquoted             do not quote the output
      --help                 display this help
",
    trouble: 2,
};

/// Exit code of `-T`.
const ENHANCED: i32 = 4;

/// Argument of an option.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Required,
    Optional,
}

/// Treatment of parameters that are no options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// They come last.
    Last,
    /// They end the options.
    End,
    /// They stay in their place.
    InPlace,
}

struct Grammar {
    name: String,
    letters: Vec<(u8, Takes)>,
    words: Vec<(Vec<u8>, Takes)>,
    others: Others,
    is_alternative: bool,
    is_quiet: bool,
    is_quoted: bool,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let is_old = args.get(1).is_some_and(|first| !first.as_bytes().starts_with(b"-"))
        || std::env::var_os("GETOPT_COMPATIBLE").is_some();
    let specs = [
        ('a', "alternative", Value::None),
        ('l', "longoptions", Value::Required),
        ('n', "name", Value::Required),
        ('o', "options", Value::Required),
        ('q', "quiet", Value::None),
        ('Q', "quiet-output", Value::None),
        ('s', "shell", Value::Required),
        ('T', "test", Value::None),
        ('u', "unquoted", Value::None),
    ];
    let mut grammar = Grammar {
        name: "getopt".to_owned(),
        letters: Vec::new(),
        words: Vec::new(),
        others: Others::Last,
        is_alternative: false,
        is_quiet: false,
        is_quoted: !is_old,
    };
    let (mut letters, mut is_silent, mut parameters) = (None, false, Vec::new());
    let items = match is_old {
        true => Ok(args.into_iter().skip(1).map(Item::Operand).collect()),
        false => options::parse(&USAGE, args, &specs, Order::First),
    };
    let items: Vec<Item> = match items {
        Ok(items) => items,
        Err(code) => return code,
    };
    for item in items {
        match item {
            Item::Option(Key::Short('a'), _) => grammar.is_alternative = true,
            Item::Option(Key::Short('l'), Some(names)) => grammar.add_words(names.as_bytes()),
            Item::Option(Key::Short('n'), Some(name)) => {
                grammar.name = name.to_string_lossy().into_owned();
            }
            Item::Option(Key::Short('o'), value) => letters = value,
            Item::Option(Key::Short('q'), _) => grammar.is_quiet = true,
            Item::Option(Key::Short('Q'), _) => is_silent = true,
            Item::Option(Key::Short('s'), Some(shell)) => {
                if shell != "sh" && shell != "bash" {
                    return USAGE.wrong("unknown shell after -s or --shell argument");
                }
            }
            Item::Option(Key::Short('T'), _) => return ENHANCED,
            Item::Option(Key::Short('u'), _) => grammar.is_quoted = false,
            Item::Option(..) => {}
            Item::Operand(parameter) => parameters.push(parameter.as_bytes().to_vec()),
        }
    }
    let letters = match letters {
        Some(letters) => letters.as_bytes().to_vec(),
        None if parameters.is_empty() => return USAGE.wrong("missing optstring argument"),
        None => parameters.remove(0),
    };
    // In the old form, options of the script may follow `--` as well.
    if is_old && parameters.first().is_some_and(|first| first == b"--") {
        parameters.remove(0);
    }
    grammar.set_letters(&letters);
    let (text, code) = grammar.parse(&parameters);
    if !is_silent {
        let mut out = crate::output::stdout();
        let _ = std::io::Write::write_all(&mut out, &text);
        return crate::output::finish("getopt", &mut out, code);
    }
    code
}

/// Splits the colons from the end of a name.
fn argument(name: &[u8]) -> (&[u8], Takes) {
    match name {
        [name @ .., b':', b':'] => (name, Takes::Optional),
        [name @ .., b':'] => (name, Takes::Required),
        name => (name, Takes::Nothing),
    }
}

impl Grammar {
    fn set_letters(&mut self, text: &[u8]) {
        let is_posix = std::env::var_os("POSIXLY_CORRECT").is_some();
        let (others, text) = match text {
            [b'+', rest @ ..] => (Others::End, rest),
            [b'-', rest @ ..] => (Others::InPlace, rest),
            rest if is_posix => (Others::End, rest),
            rest => (Others::Last, rest),
        };
        self.others = others;
        let mut rest = text;
        while let [letter, after @ ..] = rest {
            let colons = after.iter().take(2).take_while(|b| **b == b':').count();
            let takes = [Takes::Nothing, Takes::Required, Takes::Optional][colons];
            self.letters.push((*letter, takes));
            rest = &after[colons..];
        }
    }

    fn add_words(&mut self, names: &[u8]) {
        for name in names.split(|b| b", \t\n".contains(b)).filter(|name| !name.is_empty()) {
            let (name, takes) = argument(name);
            self.words.push((name.to_vec(), takes));
        }
    }

    fn warn(&self, message: &str) {
        if !self.is_quiet {
            eprintln!("{}: {message}", self.name);
        }
    }

    fn quoted(&self, text: &[u8]) -> Vec<u8> {
        if !self.is_quoted {
            return text.to_vec();
        }
        let mut out = vec![b'\''];
        for byte in text {
            match byte {
                b'\'' => out.extend(b"'\\''"),
                other => out.push(*other),
            }
        }
        out.push(b'\'');
        out
    }

    /// Returns the line to print and the exit code.
    fn parse(&self, parameters: &[Vec<u8>]) -> (Vec<u8>, i32) {
        let (mut out, mut others, mut code) = (Vec::new(), Vec::new(), 0);
        let mut rest = parameters.iter();
        while let Some(parameter) = rest.next() {
            if parameter == b"--" {
                break;
            }
            let is_option = parameter.len() > 1 && parameter[0] == b'-';
            if !is_option {
                match self.others {
                    Others::Last => others.push(parameter),
                    Others::InPlace => {
                        out.extend([b" ".as_slice(), &self.quoted(parameter)].concat())
                    }
                    Others::End => {
                        others.push(parameter);
                        break;
                    }
                }
                continue;
            }
            let word = match parameter.strip_prefix(b"--") {
                Some(word) => Some((word, "--")),
                None if self.is_alternative => {
                    let word = &parameter[1..];
                    let is_letter = self.letters.iter().any(|(letter, _)| *letter == word[0]);
                    Some((word, "-")).filter(|_| !is_letter || self.matching(word).len() == 1)
                }
                None => None,
            };
            let is_fine = match word {
                Some((word, dashes)) => self.word(word, dashes, &mut rest, &mut out),
                None => self.cluster(&parameter[1..], &mut rest, &mut out),
            };
            code |= i32::from(!is_fine);
        }
        others.extend(rest);
        out.extend(b" --");
        for other in others {
            out.push(b' ');
            out.extend(self.quoted(other));
        }
        out.push(b'\n');
        (out, code)
    }

    /// Returns the long options that a word abbreviates; only the one that it equals, if any.
    fn matching(&self, word: &[u8]) -> Vec<&(Vec<u8>, Takes)> {
        let name = word.split(|b| *b == b'=').next().unwrap_or_default();
        if let Some(exact) = self.words.iter().find(|(known, _)| known == name) {
            return vec![exact];
        }
        self.words.iter().filter(|(known, _)| known.starts_with(name)).collect()
    }

    fn word<'p>(
        &self,
        word: &[u8],
        dashes: &str,
        rest: &mut impl Iterator<Item = &'p Vec<u8>>,
        out: &mut Vec<u8>,
    ) -> bool {
        let equals = word.iter().position(|b| *b == b'=');
        let given = equals.map(|at| word[at + 1..].to_vec());
        let shown = String::from_utf8_lossy(&word[..equals.unwrap_or(word.len())]).into_owned();
        let (name, takes) = match self.matching(word)[..] {
            [(name, takes)] => (name, *takes),
            [] => {
                self.warn(&format!("unrecognized option '{dashes}{shown}'"));
                return false;
            }
            ref many => {
                let names: String = many
                    .iter()
                    .map(|(name, _)| format!(" '{dashes}{}'", String::from_utf8_lossy(name)))
                    .collect();
                let option = format!("{dashes}{shown}");
                self.warn(&format!("option '{option}' is ambiguous; possibilities:{names}"));
                return false;
            }
        };
        let full = String::from_utf8_lossy(name).into_owned();
        let value = match (takes, given) {
            (Takes::Nothing, None) => None,
            (Takes::Nothing, Some(_)) => {
                self.warn(&format!("option '{dashes}{full}' doesn't allow an argument"));
                return false;
            }
            (Takes::Optional, given) => Some(given.unwrap_or_default()),
            (Takes::Required, Some(given)) => Some(given),
            (Takes::Required, None) => match rest.next() {
                Some(next) => Some(next.clone()),
                None => {
                    self.warn(&format!("option '{dashes}{full}' requires an argument"));
                    return false;
                }
            },
        };
        out.extend([b" --".as_slice(), name].concat());
        if let Some(value) = value {
            out.push(b' ');
            out.extend(self.quoted(&value));
        }
        true
    }

    /// Parses letters behind one dash.
    fn cluster<'p>(
        &self,
        letters: &[u8],
        rest: &mut impl Iterator<Item = &'p Vec<u8>>,
        out: &mut Vec<u8>,
    ) -> bool {
        let mut is_fine = true;
        let mut at = 0;
        while let Some(letter) = letters.get(at) {
            at += 1;
            let known = self.letters.iter().find(|(known, _)| known == letter && *letter != b':');
            let shown = char::from(*letter);
            let Some((_, takes)) = known else {
                self.warn(&format!("invalid option -- '{shown}'"));
                is_fine = false;
                continue;
            };
            let tail = &letters[at..];
            let value = match takes {
                Takes::Nothing => None,
                Takes::Optional => Some(tail.to_vec()),
                Takes::Required if !tail.is_empty() => Some(tail.to_vec()),
                Takes::Required => match rest.next() {
                    Some(next) => Some(next.clone()),
                    None => {
                        self.warn(&format!("option requires an argument -- '{shown}'"));
                        return false;
                    }
                },
            };
            out.extend([b' ', b'-', *letter]);
            if let Some(value) = value {
                out.push(b' ');
                out.extend(self.quoted(&value));
                break;
            }
        }
        is_fine
    }
}
