//! Small commands around others: less, more, install, flock, parallel.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, Read, Write};
use std::path::{Path, PathBuf};

use cofferdam_guest_sys::{self as sys, Which};

use crate::bytes::OsStrExt as _;
use crate::child::{Child, failure};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

const PAGER: Usage = Usage {
    name: "less",
    text: "\
Usage: less|more [OPTION]... [FILE]...
Write files to standard output. There is no terminal to page on, so all options are ignored.
",
    trouble: 1,
};

pub(crate) fn pager(args: Vec<OsString>) -> i32 {
    let mut files = Vec::new();
    let mut only_files = false;
    for arg in args.into_iter().skip(1) {
        match arg.to_string_lossy().as_ref() {
            "--help" => {
                print!("{}", PAGER.text);
                return super::uutils::flushed(0);
            }
            "--" => only_files = true,
            option if !only_files && option.len() > 1 && option.starts_with(['-', '+']) => {}
            _ => files.push(arg),
        }
    }
    if files.is_empty() {
        files.push("-".into());
    }
    let mut out = output::stdout();
    let mut code = 0;
    for file in files {
        let source: io::Result<Box<dyn Read>> = match file == "-" {
            true => Ok(Box::new(Input)),
            false => File::open(&file).map(|file| Box::new(file) as Box<dyn Read>),
        };
        // Output is no terminal, so lines are not even numbered.
        let done = source.and_then(|mut source| io::copy(&mut source, &mut out).map(drop));
        if let Err(error) = done {
            let _ = out.flush();
            eprintln!("{}: {}", file.to_string_lossy(), reason(&error));
            code = 1;
        }
    }
    output::finish("less", &mut out, code)
}

const INSTALL: Usage = Usage {
    name: "install",
    text: "\
Usage: install [OPTION]... SOURCE DEST
  or:  install [OPTION]... SOURCE... DIRECTORY
  or:  install [OPTION]... -t DIRECTORY SOURCE...
  or:  install [OPTION]... -d DIRECTORY...
Copy files and set their modes.

  -D              make all directories of DEST
  -d, --directory treat all arguments as directories to make
  -m MODE, --mode=MODE  mode of the files (default 755)
  -t DIR, --target-directory=DIR  copy into DIR
  -T              treat DEST as a file
  -v, --verbose   print what is done
  -p, -C, -s, -o, -g and -b are accepted
",
    trouble: 1,
};

pub(crate) fn install(args: Vec<OsString>) -> i32 {
    run_install(args).unwrap_or_else(|code| code)
}

fn run_install(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('D', "", Value::None),
        ('d', "directory", Value::None),
        ('m', "mode", Value::Required),
        ('t', "target-directory", Value::Required),
        ('T', "no-target-directory", Value::None),
        ('v', "verbose", Value::None),
        ('p', "preserve-timestamps", Value::None),
        ('C', "compare", Value::None),
        ('c', "", Value::None),
        ('s', "strip", Value::None),
        ('b', "backup", Value::None),
        ('o', "owner", Value::Required),
        ('g', "group", Value::Required),
    ];
    let (mut mode, mut directories, mut parents, mut verbose, mut is_file) =
        (0o755, false, false, false, false);
    let (mut target, mut names) = (None, Vec::new());
    for item in options::parse(&INSTALL, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('m'), Some(text)) => {
                let text = text.to_string_lossy().into_owned();
                let parsed = crate::files::parse_mode(&text, 0, false, 0);
                mode = parsed.ok_or_else(|| INSTALL.wrong(&format!("invalid mode '{text}'")))?;
            }
            Item::Option(Key::Short('D'), _) => parents = true,
            Item::Option(Key::Short('d'), _) => directories = true,
            Item::Option(Key::Short('v'), _) => verbose = true,
            Item::Option(Key::Short('T'), _) => is_file = true,
            Item::Option(Key::Short('t'), dir) => target = dir.map(PathBuf::from),
            Item::Option(..) => {}
            Item::Operand(name) => names.push(PathBuf::from(name)),
        }
    }
    if names.is_empty() {
        return Err(INSTALL.wrong("missing file operand"));
    }
    let fail = |path: &Path, error: io::Error| {
        eprintln!("install: '{}': {}", path.display(), reason(&error));
        INSTALL.trouble
    };
    let set_mode = |path: &Path| sys::chmod(path.as_os_str().as_bytes(), mode);
    if directories {
        for name in &names {
            fs::create_dir_all(name).and_then(|()| set_mode(name)).map_err(|e| fail(name, e))?;
            if verbose {
                println!("install: creating directory '{}'", name.display());
            }
        }
        return Ok(super::uutils::flushed(0));
    }
    let dest = match target {
        Some(dir) => {
            if parents {
                fs::create_dir_all(&dir).map_err(|error| fail(&dir, error))?;
            }
            dir
        }
        None if names.len() < 2 => {
            let shown = names[0].display().to_string();
            return Err(INSTALL.wrong(&format!("missing destination file operand after '{shown}'")));
        }
        None => names.pop().unwrap_or_default(),
    };
    let many = names.len() > 1 || (dest.is_dir() && !is_file);
    if many && !dest.is_dir() {
        eprintln!("install: target '{}' is not a directory", dest.display());
        return Err(INSTALL.trouble);
    }
    let mut code = 0;
    for name in &names {
        let to = match (many, name.file_name()) {
            (true, Some(last)) => dest.join(last),
            _ => dest.clone(),
        };
        if let Some(folder) = to.parent().filter(|folder| parents && !folder.as_os_str().is_empty())
        {
            fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
        }
        // The old file is removed first, so that programs that use it keep the old text.
        let _ = fs::remove_file(&to);
        let text = fs::read(name);
        match text.and_then(|text| fs::write(&to, text)).and_then(|()| set_mode(&to)) {
            Ok(()) if verbose => println!("'{}' -> '{}'", name.display(), to.display()),
            Ok(()) => {}
            Err(error) => {
                eprintln!("install: cannot install '{}': {}", name.display(), reason(&error));
                code = INSTALL.trouble;
            }
        }
    }
    Ok(super::uutils::flushed(code))
}

const FLOCK: Usage = Usage {
    name: "flock",
    text: "\
Usage: flock [OPTION]... FILE|DIRECTORY COMMAND [ARGUMENT]...
  or:  flock [OPTION]... FILE|DIRECTORY -c COMMAND
  or:  flock [OPTION]... NUMBER
Run a command while a lock is held. The lock is a file beside FILE, made for as long as the command
runs; a NUMBER is accepted and locks nothing.

  -n, --nonblock       fail rather than wait
  -w, --timeout SECONDS  wait for a limited time
  -E, --conflict-exit-code N  exit code for a lock that is taken (default 1)
  -c, --command COMMAND  run COMMAND with the shell
  -x, -e, -s, -u, -o, -F, --verbose  accepted
",
    trouble: 64,
};

pub(crate) fn flock(args: Vec<OsString>) -> i32 {
    run_flock(args).unwrap_or_else(|code| code)
}

fn run_flock(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('n', "nonblock", Value::None),
        ('n', "nb", Value::None),
        ('w', "timeout", Value::Required),
        ('w', "wait", Value::Required),
        ('E', "conflict-exit-code", Value::Required),
        ('c', "command", Value::Required),
        ('x', "exclusive", Value::None),
        ('e', "", Value::None),
        ('s', "shared", Value::None),
        ('u', "unlock", Value::None),
        ('o', "close", Value::None),
        ('F', "no-fork", Value::None),
        ('\0', "verbose", Value::None),
    ];
    let (mut wait, mut conflict, mut text, mut words) = (None, 1, None, Vec::new());
    for item in options::parse(&FLOCK, args, &specs, Order::First)? {
        match item {
            Item::Option(Key::Short('n'), _) => wait = Some(0.0),
            Item::Option(Key::Short('w'), Some(seconds)) => {
                wait = seconds.to_string_lossy().parse::<f64>().ok();
            }
            Item::Option(Key::Short('E'), Some(code)) => {
                conflict = code.to_string_lossy().parse().unwrap_or(1);
            }
            Item::Option(Key::Short('c'), command) => text = command,
            Item::Option(..) => {}
            Item::Operand(word) => words.push(word),
        }
    }
    if words.is_empty() {
        return Err(FLOCK.wrong("not enough arguments"));
    }
    let file = words.remove(0);
    if words.first().is_some_and(|word| word == "-c") && words.len() > 1 {
        text = Some(words.remove(1));
        words.clear();
    }
    let argv = match text {
        Some(text) => vec!["sh".into(), "-c".into(), text],
        None => words,
    };
    if argv.is_empty() {
        return match file.to_string_lossy().parse::<u32>() {
            Ok(_) => Ok(0),
            Err(_) => Err(FLOCK.wrong("requires only file descriptor, file or directory")),
        };
    }
    if !Path::new(&file).exists()
        && let Err(error) = File::create(&file)
    {
        eprintln!("flock: cannot open lock file {}: {}", file.to_string_lossy(), reason(&error));
        return Err(66);
    }
    let mut mark = file.clone();
    mark.push(".lock");
    let began = std::time::Instant::now();
    while let Err(error) = File::options().write(true).create_new(true).open(&mark) {
        if error.kind() != io::ErrorKind::AlreadyExists {
            eprintln!("flock: {}: {}", mark.to_string_lossy(), reason(&error));
            return Err(66);
        }
        if wait.is_some_and(|wait| began.elapsed().as_secs_f64() >= wait) {
            return Err(conflict);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let done = Child::new(&argv).run();
    let _ = fs::remove_file(&mark);
    done.map_err(|error| {
        eprintln!("flock: failed to execute {}: {}", argv[0].to_string_lossy(), reason(&error));
        failure(&error)
    })
}

const PARALLEL: Usage = Usage {
    name: "parallel",
    text: "\
Usage: parallel [OPTION]... [COMMAND [ARGUMENT]...] [::: VALUE...]...
Run a command for each value, or for each line of standard input. Without COMMAND, each line is a
command.

  -j N, --jobs N      number of jobs at a time (default: 2)
  -k, --keep-order    print output in the order of the values (always done)
  -n N, --max-args N  values for each command (default 1)
  -I TEXT             replacement string (default {})
  -a FILE, --arg-file FILE  read values from FILE
  -0, --null          values end with NUL
  -d C, --delimiter C values end with C
  -q, --bar, --will-cite, --no-notice, --line-buffer  accepted
      --dry-run       print the commands, run none
      --halt SPEC     accepted
      --tag           print the value before each line

In COMMAND, {} is the value, {.} without extension, {/} its last component, {//} its directory,
{/.} the last component without extension, {#} the number of the job, and {1} the first value.
",
    trouble: 255,
};

/// Values of one job, and its number.
type Values = Vec<String>;

pub(crate) fn parallel(args: Vec<OsString>) -> i32 {
    run_parallel(args).unwrap_or_else(|code| code)
}

/// Replaces the strings that stand for values.
fn filled(word: &str, values: &[String], number: usize, sign: &str) -> String {
    let all = values.join(" ");
    let base = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    let bare = |text: &str| match text.rfind('.') {
        Some(at) if at > text.rfind('/').map_or(0, |slash| slash + 1) => text[..at].to_owned(),
        _ => text.to_owned(),
    };
    let folder = |text: &str| text.rfind('/').map_or(".".to_owned(), |at| text[..at].to_owned());
    let mut out = word
        .replace("{/.}", &bare(&base(&all)))
        .replace("{//}", &folder(&all))
        .replace("{/}", &base(&all))
        .replace("{.}", &bare(&all))
        .replace("{#}", &number.to_string())
        .replace("{%}", "1");
    for (at, value) in values.iter().enumerate() {
        out = out
            .replace(&format!("{{{}}}", at + 1), value)
            .replace(&format!("{{{}.}}", at + 1), &bare(value))
            .replace(&format!("{{{}/}}", at + 1), &base(value));
    }
    out.replace(sign, &all)
}

fn run_parallel(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('j', "jobs", Value::Required),
        ('P', "max-procs", Value::Required),
        ('k', "keep-order", Value::None),
        ('n', "max-args", Value::Required),
        ('N', "max-replace-args", Value::Required),
        ('I', "", Value::Required),
        ('a', "arg-file", Value::Required),
        ('0', "null", Value::None),
        ('d', "delimiter", Value::Required),
        ('q', "quote", Value::None),
        ('u', "ungroup", Value::None),
        ('X', "", Value::None),
        ('m', "", Value::None),
        ('r', "no-run-if-empty", Value::None),
        ('t', "verbose", Value::None),
        ('\0', "bar", Value::None),
        ('\0', "will-cite", Value::None),
        ('\0', "no-notice", Value::None),
        ('\0', "line-buffer", Value::None),
        ('\0', "dry-run", Value::None),
        ('\0', "halt", Value::Required),
        ('\0', "tag", Value::None),
        ('\0', "colsep", Value::Required),
        ('\0', "timeout", Value::Required),
        ('\0', "joblog", Value::Required),
    ];
    let at = args.iter().position(|arg| arg == ":::" || arg == "::::").unwrap_or(args.len());
    let lists: Vec<OsString> = args[at..].to_vec();
    let (mut jobs, mut most, mut sign, mut end) = (2_usize, 1, "{}".to_owned(), b'\n');
    let (mut dry, mut tag, mut file, mut words) = (false, false, None, Vec::new());
    for item in options::parse(&PARALLEL, args[..at].to_vec(), &specs, Order::First)? {
        let text = |value: OsString| value.to_string_lossy().into_owned();
        match item {
            Item::Option(Key::Short('j' | 'P'), Some(count)) => {
                jobs = text(count).trim_end_matches('%').parse().unwrap_or(2).clamp(1, 64);
            }
            Item::Option(Key::Short('n' | 'N'), Some(count)) => {
                most = text(count).parse().unwrap_or(1).max(1);
            }
            Item::Option(Key::Short('I'), Some(value)) => sign = text(value),
            Item::Option(Key::Short('a'), value) => file = value,
            Item::Option(Key::Short('0'), _) => end = 0,
            Item::Option(Key::Short('d'), Some(value)) => {
                end = match text(value).as_str() {
                    "\\n" => b'\n',
                    "\\t" => b'\t',
                    "\\0" => 0,
                    value => value.bytes().next().unwrap_or(b'\n'),
                };
            }
            Item::Option(Key::Long("dry-run"), _) => dry = true,
            Item::Option(Key::Long("tag"), _) => tag = true,
            Item::Option(..) => {}
            Item::Operand(word) => words.push(text(word)),
        }
    }
    let values = values(&lists, file, end)?;
    let groups: Vec<Values> = match lists.iter().filter(|word| *word == ":::").count() > 1 {
        true => values,
        false => {
            let all: Vec<String> = values.into_iter().flatten().collect();
            all.chunks(most).map(<[String]>::to_vec).collect()
        }
    };
    let command = words.join(" ");
    let has_sign =
        ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", &sign].iter().any(|s| command.contains(*s));
    let lines: Vec<(String, String)> = groups
        .iter()
        .enumerate()
        .map(|(at, values)| {
            let quoted: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            let line = match (words.is_empty(), has_sign) {
                (true, _) => values.join(" "),
                (false, true) => filled(&command, &quoted, at + 1, &sign),
                (false, false) => format!("{command} {}", quoted.join(" ")),
            };
            (line, values.join(" "))
        })
        .collect();
    if dry {
        lines.iter().for_each(|(line, _)| println!("{line}"));
        return Ok(super::uutils::flushed(0));
    }
    run_jobs(&lines, jobs, tag)
}

/// Quotes a value for the shell, if it needs quotes.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,@%+".contains(c);
    match !value.is_empty() && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\'', "'\\''")),
    }
}

/// Returns the values of each job: all combinations of the lists, or the lines of the input.
fn values(lists: &[OsString], file: Option<OsString>, end: u8) -> Result<Vec<Values>, i32> {
    let lines = |source: Box<dyn Read>| -> Vec<String> {
        let parts = io::BufReader::new(source).split(end).map_while(Result::ok);
        let texts = parts.map(|line| String::from_utf8_lossy(&line).into_owned());
        texts.filter(|line| !line.is_empty()).collect()
    };
    let open = |file: &OsString| {
        File::open(file).map_err(|error| {
            eprintln!("parallel: {}: {}", file.to_string_lossy(), reason(&error));
            PARALLEL.trouble
        })
    };
    if lists.is_empty() {
        let all = match file {
            Some(file) => lines(Box::new(open(&file)?)),
            None => lines(Box::new(Input)),
        };
        return Ok(all.into_iter().map(|value| vec![value]).collect());
    }
    /// Most jobs that lists may combine to.
    const MAX_JOBS: usize = 100_000;
    let mut all: Vec<Values> = vec![Vec::new()];
    for list in lists.split(|word| word == ":::" || word == "::::").skip(1).enumerate() {
        let (at, list) = list;
        let is_files = lists
            .iter()
            .filter(|word| *word == ":::" || *word == "::::")
            .nth(at)
            .is_some_and(|word| word == "::::");
        let mut values: Vec<String> = Vec::new();
        for word in list {
            match is_files {
                true => values.extend(lines(Box::new(open(word)?))),
                false => values.push(word.to_string_lossy().into_owned()),
            }
        }
        if all.len() * values.len() > MAX_JOBS {
            eprintln!("parallel: more than {MAX_JOBS} jobs");
            return Err(PARALLEL.trouble);
        }
        all = all
            .iter()
            .flat_map(|front| {
                values.iter().map(move |value| [front.clone(), vec![value.clone()]].concat())
            })
            .collect();
    }
    Ok(all)
}

/// A running job: its position, process and the reading end of its output.
struct Job {
    at: usize,
    pid: sys::Pid,
    output: sys::Fd,
}

fn run_jobs(lines: &[(String, String)], most: usize, tag: bool) -> Result<i32, i32> {
    let mut failed = 0;
    let mut finished: Vec<Option<Vec<u8>>> = vec![None; lines.len()];
    let mut shown = 0;
    let mut running: Vec<Job> = Vec::new();
    let mut next = 0;
    let mut out = output::stdout();
    let fail = |error: io::Error| {
        eprintln!("parallel: {}", reason(&error));
        PARALLEL.trouble
    };
    while next < lines.len() || !running.is_empty() {
        while running.len() < most && next < lines.len() {
            let argv = ["sh".into(), "-c".into(), lines[next].0.clone().into()];
            let (read, write) = sys::pipe().map_err(fail)?;
            let mut child = Child::new(&argv);
            child.descriptors[1] = write;
            let pid = child.start();
            sys::close(write).map_err(fail)?;
            running.push(Job { at: next, pid: pid.map_err(fail)?, output: read });
            next += 1;
        }
        // The oldest job is read to its end; the others run on, up to the room of their pipes.
        let job = running.remove(0);
        let mut text = Vec::new();
        let mut buf = [0; 16 * 1024];
        loop {
            match sys::read(job.output, &mut buf) {
                Ok(0) => break,
                Ok(len) => text.extend_from_slice(&buf[..len]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(fail(error)),
            }
        }
        sys::close(job.output).map_err(fail)?;
        let status = loop {
            match sys::wait(Which::One(job.pid), false) {
                Ok(Some((_, status))) => break status.code(),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(fail(error)),
            }
        };
        failed += i32::from(status != 0);
        finished[job.at] = Some(text);
        while let Some(Some(text)) = finished.get(shown) {
            let value = &lines[shown].1;
            match tag {
                false => out.write_all(text).map_err(fail)?,
                true => {
                    for line in text.split_inclusive(|byte| *byte == b'\n') {
                        out.write_all(value.as_bytes()).map_err(fail)?;
                        out.write_all(b"\t").map_err(fail)?;
                        out.write_all(line).map_err(fail)?;
                    }
                }
            }
            shown += 1;
        }
    }
    Ok(output::finish("parallel", &mut out, failed.min(101)))
}
