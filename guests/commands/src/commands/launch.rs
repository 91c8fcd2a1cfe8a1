//! Commands that run another command: nice, nohup, timeout.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use cofferdam_guest_sys::{self as sys, Which};

use crate::child::{Child, failure};
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::reason;

/// Exit code if the launching command itself fails.
pub(super) const OWN_FAILURE: i32 = 125;
/// Exit code of a command that exceeded its time.
const TIMED_OUT: i32 = 124;

/// Returns the exit code of a command; prints a message if it could not be started.
pub(super) fn finish(
    name: &str,
    argv: &[OsString],
    ended: std::io::Result<i32>,
) -> Result<i32, i32> {
    ended.map_err(|error| {
        let command = argv.first().map(|arg| arg.to_string_lossy()).unwrap_or_default();
        match name {
            "timeout" => eprintln!("{name}: failed to run command '{command}': {}", reason(&error)),
            "nohup" => eprintln!("{name}: failed to run command '{command}': {}", reason(&error)),
            _ => eprintln!("{name}: '{command}': {}", reason(&error)),
        }
        failure(&error)
    })
}

const NICE: Usage = Usage {
    name: "nice",
    text: "\
Usage: nice [OPTION] [COMMAND [ARG]...]
Run COMMAND with an adjusted niceness, which means nothing in a sandbox.

  -n, --adjustment=N   add integer N to the niceness (default 10)
      --help           display this help
",
    trouble: OWN_FAILURE,
};

pub(crate) fn nice(args: Vec<OsString>) -> i32 {
    let specs = [('n', "adjustment", Value::Required)];
    through(&NICE, args, &specs, "0")
}

const NOHUP: Usage = Usage {
    name: "nohup",
    text: "\
Usage: nohup COMMAND [ARG]...
Run COMMAND, ignoring hangup signals.

      --help           display this help
",
    trouble: OWN_FAILURE,
};

pub(crate) fn nohup(args: Vec<OsString>) -> i32 {
    through(&NOHUP, args, &[], "")
}

/// Runs the operands as a command; prints `alone` if there are none.
fn through(usage: &Usage, args: Vec<OsString>, specs: &[options::Spec], alone: &str) -> i32 {
    let items = match options::parse(usage, args, specs, Order::First) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let mut argv: Vec<OsString> = Vec::new();
    for item in items {
        match item {
            Item::Operand(operand) => argv.push(operand),
            Item::Option(_, value) => {
                let value = value.unwrap_or_default();
                let text = value.to_string_lossy();
                if text.parse::<i64>().is_err() {
                    eprintln!("{}: invalid adjustment '{text}'", usage.name);
                    return usage.trouble;
                }
            }
        }
    }
    if argv.is_empty() && alone.is_empty() {
        return usage.wrong("missing operand");
    }
    if argv.is_empty() {
        println!("{alone}");
        return 0;
    }
    finish(usage.name, &argv, Child::new(&argv).run()).unwrap_or_else(|code| code)
}

const TIMEOUT: Usage = Usage {
    name: "timeout",
    text: "\
Usage: timeout [OPTION] DURATION COMMAND [ARG]...
Start COMMAND, and kill it if still running after DURATION.

      --preserve-status      exit with the same status as COMMAND, even when it times out
      --foreground           accepted
  -k, --kill-after=DURATION  also send a KILL signal if COMMAND is still running
                             this long after the initial signal was sent
  -s, --signal=SIGNAL        specify the signal to be sent on timeout
  -v, --verbose              diagnose to standard error any signal sent upon timeout
      --help                 display this help

DURATION is a number with an optional suffix: 's' for seconds (the default), 'm', 'h' or 'd'.
A duration of 0 disables the associated timeout.
",
    trouble: OWN_FAILURE,
};

pub(crate) fn timeout(args: Vec<OsString>) -> i32 {
    run_timeout(args).unwrap_or_else(|code| code)
}

fn run_timeout(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('\0', "preserve-status", Value::None),
        ('\0', "foreground", Value::None),
        ('k', "kill-after", Value::Required),
        ('s', "signal", Value::Required),
        ('v', "verbose", Value::None),
    ];
    let mut preserve = false;
    let mut kill_after = None;
    let mut signal = 15;
    let mut argv = Vec::new();
    for item in options::parse(&TIMEOUT, args, &specs, Order::First)? {
        match item {
            Item::Option(Key::Long("preserve-status"), _) => preserve = true,
            Item::Option(Key::Short('k'), Some(text)) => kill_after = duration(&text)?,
            Item::Option(Key::Short('s'), Some(text)) => signal = signal_number(&text)?,
            Item::Option(..) => {}
            Item::Operand(operand) => argv.push(operand),
        }
    }
    if argv.len() < 2 {
        return Err(TIMEOUT.wrong("missing operand"));
    }
    let limit = duration(&argv.remove(0))?;
    let pid = match Child::new(&argv).start() {
        Ok(pid) => pid,
        Err(error) => return finish("timeout", &argv, Err(error)),
    };
    let Some(status) = wait_until(pid, limit) else {
        let _ = sys::kill(pid, signal);
        let ended = wait_until(pid, kill_after);
        let ended = match ended {
            Some(code) => code,
            None => {
                let _ = sys::kill(pid, 9);
                wait_until(pid, None).unwrap_or(137)
            }
        };
        return Ok(if preserve {
            ended
        } else if signal == 9 {
            137
        } else {
            TIMED_OUT
        });
    };
    Ok(status)
}

/// Returns the exit code of a process, or `None` if it runs longer than `limit`.
fn wait_until(pid: sys::Pid, limit: Option<Duration>) -> Option<i32> {
    let Some(limit) = limit else {
        return crate::child::wait(pid).ok().map(|status| status.code());
    };
    let started = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        match sys::wait(Which::One(pid), true) {
            Ok(Some((_, status))) => return Some(status.code()),
            Ok(None) => {}
            Err(_) => return Some(OWN_FAILURE),
        }
        let left = limit.checked_sub(started.elapsed())?;
        // No call waits for a process with a timeout, so this polls with growing pauses.
        std::thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn duration(text: &OsString) -> Result<Option<Duration>, i32> {
    let shown = text.to_string_lossy();
    let (digits, unit) = match shown.chars().last() {
        Some('s') => (&shown[..shown.len() - 1], 1.0),
        Some('m') => (&shown[..shown.len() - 1], 60.0),
        Some('h') => (&shown[..shown.len() - 1], 3600.0),
        Some('d') => (&shown[..shown.len() - 1], 86_400.0),
        _ => (&shown[..], 1.0),
    };
    match digits.parse::<f64>() {
        Ok(0.0) => Ok(None),
        Ok(number) if number > 0.0 => {
            Ok(Some(Duration::try_from_secs_f64(number * unit).unwrap_or(Duration::MAX)))
        }
        _ => Err(TIMEOUT.wrong(&format!("invalid time interval '{shown}'"))),
    }
}

fn signal_number(text: &OsString) -> Result<u8, i32> {
    let shown = text.to_string_lossy().to_uppercase();
    let name = shown.strip_prefix("SIG").unwrap_or(&shown);
    Ok(match name {
        "HUP" => 1,
        "INT" => 2,
        "QUIT" => 3,
        "KILL" => 9,
        "USR1" => 10,
        "USR2" => 12,
        "ALRM" => 14,
        "TERM" => 15,
        "CONT" => 18,
        "STOP" => 19,
        digits => match digits.parse::<u8>() {
            Ok(number) if number < 65 => number,
            _ => return Err(TIMEOUT.wrong(&format!("'{shown}': invalid signal"))),
        },
    })
}
