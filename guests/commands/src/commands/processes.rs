//! ps, pgrep, pkill and top, from the files in `/proc`.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;

use cofferdam_guest_sys as sys;

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output;

/// A process as `/proc` shows it.
struct Process {
    pid: u32,
    parent: u32,
    state: String,
    uid: u32,
    name: String,
    command: String,
}

/// Returns the processes of this run, by number.
fn all() -> Vec<Process> {
    let mut list = Vec::new();
    let Ok(entries) = fs::read_dir("/proc") else { return list };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let Ok(status) = fs::read_to_string(format!("/proc/{pid}/status")) else { continue };
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.unwrap_or("").trim().to_owned()
        };
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<String> = words
            .split(|byte| *byte == 0)
            .filter(|word| !word.is_empty())
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        let name = field("Name");
        list.push(Process {
            pid,
            parent: field("PPid").parse().unwrap_or(0),
            state: field("State").chars().take(1).collect(),
            uid: field("Uid").split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0),
            command: if words.is_empty() { format!("[{name}]") } else { words.join(" ") },
            name,
        });
    }
    list.sort_by_key(|process| process.pid);
    list
}

const PS: Usage = Usage {
    name: "ps",
    text: "\
Usage: ps [OPTION]...
Show the processes of this run.

  -e, -A        all processes (there are no others)
  -f            full format
  -o FORMAT     columns: pid, ppid, user, uid, stat, tty, time, comm, args, %cpu, %mem, rss, vsz
  -p PID,...    only these processes
  aux           all processes with users
      --no-headers  no line with titles
",
    trouble: 1,
};

/// Column: name, title, and true if numbers align to the right.
const COLUMNS: &[(&str, &str, usize, bool)] = &[
    ("pid", "PID", 7, true),
    ("ppid", "PPID", 7, true),
    ("uid", "UID", 5, true),
    ("user", "USER", 8, false),
    ("%cpu", "%CPU", 4, true),
    ("pcpu", "%CPU", 4, true),
    ("%mem", "%MEM", 4, true),
    ("pmem", "%MEM", 4, true),
    ("vsz", "VSZ", 6, true),
    ("rss", "RSS", 5, true),
    ("tty", "TT", 8, false),
    ("stat", "STAT", 4, false),
    ("state", "S", 1, false),
    ("start", "START", 8, false),
    ("lstart", "STARTED", 8, false),
    ("etime", "ELAPSED", 11, true),
    ("time", "TIME", 8, true),
    ("comm", "COMMAND", 15, false),
    ("args", "COMMAND", 0, false),
    ("cmd", "CMD", 0, false),
    ("command", "COMMAND", 0, false),
];

impl Process {
    fn column(&self, name: &str) -> String {
        match name {
            "pid" => self.pid.to_string(),
            "ppid" => self.parent.to_string(),
            "uid" => self.uid.to_string(),
            "user" => crate::files::owner_name(self.uid),
            "%cpu" | "pcpu" | "%mem" | "pmem" => "0.0".to_owned(),
            "vsz" | "rss" => "0".to_owned(),
            "tty" => "?".to_owned(),
            "stat" | "state" => self.state.clone(),
            "start" | "lstart" | "time" => "00:00:00".to_owned(),
            "etime" => "00:00".to_owned(),
            "comm" => self.name.clone(),
            _ => self.command.clone(),
        }
    }
}

fn table(processes: &[Process], columns: &[(String, String)], has_heads: bool) -> String {
    let known = |name: &str| COLUMNS.iter().find(|(known, ..)| *known == name);
    let mut text = String::new();
    let mut line = |cells: Vec<String>| {
        let mut row = String::new();
        for (at, ((name, _), cell)) in columns.iter().zip(cells).enumerate() {
            let (width, right) =
                known(name).map_or((8, false), |(_, _, width, right)| (*width, *right));
            if at > 0 {
                row.push(' ');
            }
            row.push_str(&match right {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}"),
            });
        }
        text.push_str(row.trim_end());
        text.push('\n');
    };
    if has_heads && columns.iter().any(|(_, title)| !title.is_empty()) {
        line(columns.iter().map(|(_, title)| title.clone()).collect());
    }
    for process in processes {
        line(columns.iter().map(|(name, _)| process.column(name)).collect());
    }
    text
}

fn columns(text: &str) -> Result<Vec<(String, String)>, i32> {
    let mut list = Vec::new();
    for part in text.split([',', ' ']).filter(|part| !part.is_empty()) {
        let (name, title) = match part.split_once('=') {
            Some((name, title)) => (name, Some(title.to_owned())),
            None => (part, None),
        };
        let Some((_, usual, ..)) = COLUMNS.iter().find(|(known, ..)| *known == name) else {
            eprintln!("error: unknown user-defined format specifier \"{name}\"");
            return Err(PS.trouble);
        };
        list.push((name.to_owned(), title.unwrap_or_else(|| (*usual).to_owned())));
    }
    Ok(list)
}

pub(crate) fn ps(args: Vec<OsString>) -> i32 {
    run_ps(args).unwrap_or_else(|code| code)
}

fn run_ps(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('e', "", Value::None),
        ('A', "", Value::None),
        ('a', "", Value::None),
        ('x', "", Value::None),
        ('f', "", Value::None),
        ('l', "", Value::None),
        ('w', "", Value::None),
        ('o', "format", Value::Required),
        ('p', "pid", Value::Required),
        ('u', "user", Value::Required),
        ('C', "", Value::Required),
        ('\0', "no-headers", Value::None),
        ('\0', "no-heading", Value::None),
        ('\0', "sort", Value::Required),
        ('\0', "forest", Value::None),
        ('\0', "ppid", Value::Required),
    ];
    // `ps aux` has its letters without a dash; `-aux` means the same.
    let args: Vec<OsString> = args.into_iter().filter(|arg| arg != "-aux").collect();
    let mut wanted = String::new();
    let (mut has_heads, mut full, mut users) = (true, false, false);
    let (mut pids, mut names, mut parents) = (Vec::new(), Vec::new(), Vec::new());
    let list = |value: &OsString| -> Vec<String> {
        let text = value.to_string_lossy().into_owned();
        text.split([',', ' ']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    for item in options::parse(&PS, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('o'), Some(format)) => {
                wanted.push(',');
                wanted.push_str(&format.to_string_lossy());
            }
            Item::Option(Key::Short('p'), Some(value)) => pids.extend(list(&value)),
            Item::Option(Key::Short('C'), Some(value)) => names.extend(list(&value)),
            Item::Option(Key::Long("ppid"), Some(value)) => parents.extend(list(&value)),
            Item::Option(Key::Short('f' | 'l'), _) => full = true,
            Item::Option(Key::Long("no-headers" | "no-heading"), _) => has_heads = false,
            Item::Option(..) => {}
            Item::Operand(letters) => {
                let letters = letters.to_string_lossy();
                if let Ok(pid) = letters.parse::<u32>() {
                    pids.push(pid.to_string());
                }
                users |= letters.contains('u');
            }
        }
    }
    let format = match (wanted.is_empty(), users, full) {
        (false, ..) => wanted,
        (true, true, _) => "user,pid,%cpu,%mem,vsz,rss,tty=TTY,stat,start,time,command".to_owned(),
        (true, false, true) => "user=UID,pid,ppid,pcpu=C,start=STIME,tty=TTY,time,cmd".to_owned(),
        (true, false, false) => "pid,tty=TTY,time,comm=CMD".to_owned(),
    };
    let columns = columns(&format)?;
    let mut processes = all();
    let given = !pids.is_empty() || !names.is_empty() || !parents.is_empty();
    processes.retain(|process| {
        !given
            || pids.contains(&process.pid.to_string())
            || names.contains(&process.name)
            || parents.contains(&process.parent.to_string())
    });
    let mut out = output::stdout();
    let _ = out.write_all(table(&processes, &columns, has_heads).as_bytes());
    let code = i32::from(processes.is_empty());
    Ok(output::finish("ps", &mut out, code))
}

const PGREP: Usage = Usage {
    name: "pgrep",
    text: "\
Usage: pgrep|pkill [OPTION]... PATTERN
Find processes by name (pgrep), or send them a signal (pkill).

  -SIGNAL, --signal SIG  signal to send (pkill; default TERM)
  -a             list the command line as well
  -c             count matches
  -f             match the whole command line
  -i             ignore case
  -l             list the name as well
  -n             only the newest
  -o             only the oldest
  -P PID,...     only children of these processes
  -v             invert the match
  -x             match exactly
",
    trouble: 2,
};

pub(crate) fn pgrep(args: Vec<OsString>) -> i32 {
    select("pgrep", args).unwrap_or_else(|code| code)
}

pub(crate) fn pkill(args: Vec<OsString>) -> i32 {
    select("pkill", args).unwrap_or_else(|code| code)
}

/// Signal names by number, from 1.
const SIGNALS: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

fn signal(text: &str) -> Option<u8> {
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    if let Ok(number) = name.parse::<u8>() {
        return (number < 65).then_some(number);
    }
    SIGNALS.iter().position(|known| *known == name).map(|at| at as u8 + 1)
}

fn select(name: &'static str, args: Vec<OsString>) -> Result<i32, i32> {
    let usage = Usage { name, ..PGREP };
    let specs = [
        ('a', "list-full", Value::None),
        ('c', "count", Value::None),
        ('f', "full", Value::None),
        ('i', "ignore-case", Value::None),
        ('l', "list-name", Value::None),
        ('n', "newest", Value::None),
        ('o', "oldest", Value::None),
        ('P', "parent", Value::Required),
        ('u', "euid", Value::Required),
        ('v', "inverse", Value::None),
        ('x', "exact", Value::None),
        ('e', "echo", Value::None),
        ('\0', "signal", Value::Required),
    ];
    let mut which = 15;
    let mut plain = Vec::new();
    for arg in args {
        let text = arg.to_string_lossy();
        let given = text.strip_prefix('-').filter(|_| name == "pkill" && text.len() > 2);
        match given.and_then(signal) {
            Some(number) => which = number,
            None => plain.push(arg),
        }
    }
    let mut has = std::collections::HashSet::new();
    let (mut pattern, mut parents) = (None, Vec::new());
    for item in options::parse(&usage, plain, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('P'), Some(list)) => {
                let list = list.to_string_lossy().into_owned();
                parents.extend(list.split(',').filter_map(|pid| pid.parse::<u32>().ok()));
            }
            Item::Option(Key::Long("signal"), Some(text)) => {
                let Some(number) = signal(&text.to_string_lossy()) else {
                    return Err(usage.wrong("unknown signal"));
                };
                which = number;
            }
            Item::Option(Key::Short(letter), _) => drop(has.insert(letter)),
            Item::Option(..) => {}
            Item::Operand(text) => pattern = Some(text.to_string_lossy().into_owned()),
        }
    }
    if pattern.is_none() && parents.is_empty() {
        return Err(usage.wrong("no matching criteria specified"));
    }
    let text = pattern.unwrap_or_default();
    let text = if has.contains(&'x') { format!("^(?:{text})$") } else { text };
    let regex = regex::RegexBuilder::new(&text).case_insensitive(has.contains(&'i')).build();
    let regex = regex.map_err(|_| usage.wrong("the pattern is not a regular expression"))?;
    // `std::process::id` panics in a cell.
    let me = sys::myself().map(|me| me.pid).ok();
    let mut found = all();
    found.retain(|process| {
        let subject = if has.contains(&'f') { &process.command } else { &process.name };
        Some(process.pid) != me
            && (regex.is_match(subject) != has.contains(&'v'))
            && (parents.is_empty() || parents.contains(&process.parent))
    });
    if has.contains(&'n') {
        found = found.pop().into_iter().collect();
    }
    if has.contains(&'o') {
        found.truncate(1);
    }
    let mut code = i32::from(found.is_empty());
    if name == "pkill" {
        for process in &found {
            if let Err(error) = sys::kill(process.pid, which) {
                eprintln!("pkill: killing pid {} failed: {}", process.pid, output::reason(&error));
                code = 1;
            }
        }
        return Ok(code);
    }
    if has.contains(&'c') {
        println!("{}", found.len());
        return Ok(super::uutils::flushed(code));
    }
    for process in &found {
        match (has.contains(&'a'), has.contains(&'l')) {
            (true, _) => println!("{} {}", process.pid, process.command),
            (false, true) => println!("{} {}", process.pid, process.name),
            (false, false) => println!("{}", process.pid),
        }
    }
    Ok(super::uutils::flushed(code))
}

const TOP: Usage = Usage {
    name: "top",
    text: "\
Usage: top -b [-n COUNT] [-d SECONDS]
Show the processes of this run. Without a terminal, one list is printed.

  -b         batch mode
  -n COUNT   number of lists (default 1)
  -d SECONDS pause between lists
",
    trouble: 1,
};

pub(crate) fn top(args: Vec<OsString>) -> i32 {
    let specs = [
        ('b', "batch", Value::None),
        ('n', "iterations", Value::Required),
        ('d', "delay", Value::Required),
        ('p', "pid", Value::Required),
        ('c', "", Value::None),
        ('H', "", Value::None),
    ];
    let items = match options::parse(&TOP, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let (mut count, mut pause) = (1_u32, 3.0_f64);
    for item in items {
        match item {
            Item::Option(Key::Short('n'), Some(text)) => {
                count = text.to_string_lossy().parse().unwrap_or(1);
            }
            Item::Option(Key::Short('d'), Some(text)) => {
                pause = text.to_string_lossy().parse().unwrap_or(3.0);
            }
            Item::Option(..) | Item::Operand(_) => {}
        }
    }
    for round in 0..count {
        if round > 0 {
            std::thread::sleep(std::time::Duration::from_secs_f64(pause.clamp(0.0, 3600.0)));
        }
        let processes = all();
        let running = processes.iter().filter(|process| process.state == "R").count();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let clock = sys::calendar::format(b"%H:%M:%S", now.map_or(0, |now| now.as_secs() as i64));
        println!("top - {} up 0 min,  0 users", String::from_utf8_lossy(&clock));
        println!(
            "Tasks: {:>3} total, {running:>3} running, {:>3} sleeping,   0 stopped,   0 zombie",
            processes.len(),
            processes.len() - running
        );
        println!();
        print!(
            "{}",
            table(
                &processes,
                &columns("pid,user,stat=S,%cpu,%mem,time=TIME+,comm").unwrap_or_default(),
                true
            )
        );
        println!();
    }
    super::uutils::flushed(0)
}
