//! python3: runs a script in a cell of its own. This process passes the source to the host, prints
//! the output of the script, and supplies standard input on demand.

use std::ffi::OsString;

use cofferdam_guest_sys as sys;

use super::js::{converse, read_source};
use crate::options::{self, Item, Key, Order, Usage, Value};

const USAGE: Usage = Usage {
    name: "python3",
    text: "\
Usage: python3 [OPTION]... FILE [ARGUMENT]...
  or:  python3 [OPTION]... -c CODE [ARGUMENT]...
  or:  python3 [OPTION]... -m MODULE [ARGUMENT]...
  or:  python3 [OPTION]... [-] [ARGUMENT]...
Run Python 3.13 with its standard library.

  -c CODE          run CODE
  -m MODULE        run a module of the standard library, or one beside the script
  -V, --version    print the version
  -B, -E, -I, -O, -s, -S, -u    accepted for compatibility
      --help       show this
  -                run what standard input holds, also if there is no FILE

The script has what the run was granted and nothing else: unlike commands, it needs fs:read to read a
file. It runs within the time of the run, and with the memory of one process.

Exit status is that of sys.exit, 0, or 1 if an exception was not caught.
",
    trouble: 2,
};

/// The source of the script.
enum From {
    Code(String),
    Module(String),
    File(String),
    Stdin,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let specs = [
        ('c', "", Value::Required),
        ('m', "", Value::Required),
        ('V', "version", Value::None),
        ('B', "", Value::None),
        ('E', "", Value::None),
        ('I', "", Value::None),
        ('O', "", Value::None),
        ('S', "", Value::None),
        ('s', "", Value::None),
        ('u', "", Value::None),
    ];
    // Everything behind -c CODE and -m MODULE belongs to the script.
    let (args, rest) = split(args);
    let items = match options::parse(&USAGE, args, &specs, Order::First) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut from, mut arguments) = (None, Vec::new());
    for item in items {
        match item {
            Item::Option(Key::Short('V'), _) => {
                println!("Python 3.13.5");
                return super::uutils::flushed(0);
            }
            Item::Option(Key::Short(letter), Some(text)) => {
                let Ok(text) = text.into_string() else {
                    return USAGE.wrong("the code is not UTF-8");
                };
                from = Some(if letter == 'c' { From::Code(text) } else { From::Module(text) });
            }
            Item::Option(..) => {}
            Item::Operand(file) if from.is_none() => {
                from = Some(match file.to_string_lossy().into_owned() {
                    file if file == "-" => From::Stdin,
                    file => From::File(file),
                });
            }
            Item::Operand(argument) => arguments.push(argument),
        }
    }
    arguments.extend(rest);
    let arguments: Vec<String> =
        arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    start(from.unwrap_or(From::Stdin), &arguments)
}

/// Splits the command line behind the word of `-c` or `-m`.
fn split(mut args: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let flag = |word: &OsString| {
        let word = word.to_string_lossy();
        let is_short = word.starts_with('-') && !word.starts_with("--");
        is_short.then(|| word.find(['c', 'm']).map(|at| at + 1 == word.len())).flatten()
    };
    for at in 1..args.len() {
        let word = args[at].to_string_lossy();
        if !word.starts_with('-') || word == "-" || word == "--" {
            break;
        }
        if let Some(is_last) = flag(&args[at]) {
            let end = (at + 1 + usize::from(is_last)).min(args.len());
            let rest = args.split_off(end);
            return (args, rest);
        }
    }
    (args, Vec::new())
}

fn start(from: From, arguments: &[String]) -> i32 {
    let is_whole = matches!(from, From::Stdin);
    let cwd = std::env::current_dir().map_or("/".to_owned(), |cwd| cwd.display().to_string());
    let mut more = vec![("cwd", cwd.clone())];
    let (name, source) = match from {
        From::Code(code) => ("command.py".to_owned(), code),
        From::Module(module) => {
            more.push(("path", format!("{}/-m.py", cwd.trim_end_matches('/'))));
            let run = format!(
                "import runpy\nrunpy.run_module({module:?}, run_name='__main__', alter_sys=True)\n"
            );
            ("module.py".to_owned(), run)
        }
        From::File(file) => match source(&file) {
            Ok(source) => {
                let path = match file.starts_with('/') {
                    true => file.clone(),
                    false => format!("{}/{file}", cwd.trim_end_matches('/')),
                };
                more.push(("path", path));
                let named = file.rsplit('/').next().unwrap_or(&file).to_owned();
                (if named.ends_with(".py") { named } else { named + ".py" }, source)
            }
            Err(code) => return code,
        },
        From::Stdin => match source("-") {
            Ok(source) => ("stdin.py".to_owned(), source),
            Err(code) => return code,
        },
    };
    let more: Vec<(&str, &str)> = more.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let started = sys::tool_start_with(&name, &source, arguments, &more);
    match started.and_then(|()| converse("python3", is_whole)) {
        Ok(code) => code,
        Err(refused) => {
            eprintln!("python3: {}", refused.message);
            1
        }
    }
}

fn source(file: &str) -> Result<String, i32> {
    read_source(file).map_err(|what| {
        eprintln!("python3: can't open file '{file}': {what}");
        USAGE.trouble
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, rest: &str) {
        let args = line.split(' ').map(OsString::from).collect();
        let (_, found) = split(args);
        let found: Vec<_> = found.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(found.join(" "), rest);
    }

    #[test]
    fn options_behind_the_code_belong_to_the_script() {
        check("python3 -c code -x --long", "-x --long");
        check("python3 -u -c code -m", "-m");
        check("python3 -ccode -x", "-x");
        check("python3 -m json.tool --indent 2", "--indent 2");
        check("python3 file -c code", "");
        check("python3 - -c code", "");
    }
}
