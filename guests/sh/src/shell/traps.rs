//! Trap events and the table of traps.

use std::collections::BTreeMap;
use std::rc::Rc;

use cofferdam_guest_sys as sys;

use crate::syntax::ast::Text;

/// Signal names by number.
const NAMES: [&str; 32] = [
    "EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
    "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU",
    "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// Event that a trap reacts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// Exit of the shell.
    Exit,
    /// A signal.
    Signal(u8),
    /// Each command, before it runs.
    Debug,
    /// A command that failed, after it ran.
    Err,
    /// Return from a function or a sourced file.
    Return,
}

impl Event {
    /// Parses an event name, with or without `SIG`, or a signal number.
    pub fn parse(text: &[u8]) -> Option<Event> {
        let text = std::str::from_utf8(text).ok()?;
        if let Ok(number) = text.parse::<u8>() {
            return match number {
                0 => Some(Event::Exit),
                1..=31 => Some(Event::Signal(number)),
                32..=64 => Some(Event::Signal(number)),
                _ => None,
            };
        }
        let upper = text.to_ascii_uppercase();
        match upper.as_str() {
            "EXIT" => return Some(Event::Exit),
            "DEBUG" => return Some(Event::Debug),
            "ERR" => return Some(Event::Err),
            "RETURN" => return Some(Event::Return),
            _ => {}
        }
        signal_number(&upper).map(Event::Signal)
    }

    /// Returns the name as `trap -p` shows it.
    pub fn name(self) -> String {
        match self {
            Event::Exit => "EXIT".to_owned(),
            Event::Debug => "DEBUG".to_owned(),
            Event::Err => "ERR".to_owned(),
            Event::Return => "RETURN".to_owned(),
            Event::Signal(number) => format!("SIG{}", signal_name(number)),
        }
    }
}

/// Returns a signal's name, without `SIG`.
pub fn signal_name(number: u8) -> String {
    match NAMES.get(usize::from(number)) {
        Some(name) => (*name).to_owned(),
        None => match number {
            34 => "RTMIN".to_owned(),
            35..=49 => format!("RTMIN+{}", number - 34),
            50..=63 => format!("RTMAX-{}", 64 - number),
            64 => "RTMAX".to_owned(),
            _ => number.to_string(),
        },
    }
}

/// Formats all signals in columns, as `kill -l` and `trap -l` do.
pub fn signal_table() -> String {
    let mut out = String::new();
    for (at, number) in (1..=31).chain(34..=64u8).enumerate() {
        let end = if at % 5 == 4 { '\n' } else { '\t' };
        out.push_str(&format!("{number:>2}) SIG{}{end}", signal_name(number)));
    }
    out.push('\n');
    out
}

/// Returns bash's message for a child killed by a signal. `INT` and `PIPE` have none.
pub fn death_message(number: u8) -> Option<&'static str> {
    Some(match number {
        1 => "Hangup",
        3 => "Quit",
        4 => "Illegal instruction",
        5 => "Trace/breakpoint trap",
        6 => "Aborted",
        7 => "Bus error",
        8 => "Floating point exception",
        9 => "Killed",
        10 => "User defined signal 1",
        11 => "Segmentation fault",
        12 => "User defined signal 2",
        14 => "Alarm clock",
        15 => "Terminated",
        16 => "Stack fault",
        24 => "CPU time limit exceeded",
        25 => "File size limit exceeded",
        26 => "Virtual timer expired",
        27 => "Profiling timer expired",
        29 => "I/O possible",
        30 => "Power failure",
        31 => "Bad system call",
        _ => return None,
    })
}

/// Returns the number of a signal name, with or without `SIG`.
pub fn signal_number(name: &str) -> Option<u8> {
    let name = name.strip_prefix("SIG").unwrap_or(name);
    (1..=31).chain(34..=64).find(|number| signal_name(*number) == name)
}

/// Returns the bit of a signal in a set. Signal 64, which nothing sends, has none.
fn bit(number: u8) -> u64 {
    1u64.checked_shl(number.into()).unwrap_or(0)
}

/// The table of traps.
#[derive(Debug, Default)]
pub struct Traps {
    /// Commands by event; an empty command ignores a signal.
    pub list: BTreeMap<Event, Rc<Text>>,
    /// Signals ignored when the shell started, which traps cannot change.
    pub born_ignored: u64,
    /// Signals ignored because this shell runs in the background. Traps can change them.
    pub spared: u64,
    /// Signals that the background command being started ignores.
    pub sparing: u64,
    /// True while a trap's command runs, except for that of a signal.
    pub running: bool,
    /// True while the command of the DEBUG trap runs.
    pub debugging: bool,
    /// Signals that have a command, bit `n` for signal `n`.
    pub caught: u64,
    /// `$?` when the running trap began, which `exit` and `return` use in it.
    pub status_before: Option<i32>,
    /// True while the EXIT trap runs.
    pub is_exiting: bool,
    /// Command of the running EXIT trap, until the trap changes it.
    pub exiting: Option<Rc<Text>>,
    /// True while a function hides traps of its caller.
    pub hides: bool,
    /// Signals received while a foreground command ran.
    pub pending: Vec<u8>,
    /// True while a subshell starts that does not show the traps of this shell.
    pub hidden: bool,
    /// Traps of the parent shell, which a subshell shows until it sets a trap itself.
    pub inherited: BTreeMap<Event, Rc<Text>>,
}

impl Traps {
    /// Returns the traps that `trap -p` shows.
    pub fn shown(&self) -> BTreeMap<Event, Rc<Text>> {
        if self.hidden {
            return BTreeMap::new();
        }
        let mut all = self.inherited.clone();
        for number in (1..64).filter(|number| self.born_ignored & bit(*number) != 0) {
            all.insert(Event::Signal(number), Rc::default());
        }
        all.extend(self.exiting.iter().map(|command| (Event::Exit, command.clone())));
        all.extend(self.list.iter().map(|(event, command)| (*event, command.clone())));
        all
    }

    /// Returns true if neither this function nor its callers have a trap.
    pub fn are_none(&self) -> bool {
        self.list.is_empty() && !self.hides
    }

    /// Sets a trap, or resets it if `command` is `None`.
    pub fn set(&mut self, event: Event, command: Option<Text>) {
        if let Event::Signal(number) = event
            && self.born_ignored & bit(number) != 0
        {
            return;
        }
        // The EXIT trap runs once, whatever its own command sets.
        if event == Event::Exit && self.is_exiting {
            self.exiting = command.map(Rc::new);
            return;
        }
        if let Event::Signal(number) = event {
            self.spared &= !bit(number);
        }
        match command {
            Some(command) => self.list.insert(event, Rc::new(command)),
            None => self.list.remove(&event),
        };
        if matches!(event, Event::Signal(_)) {
            self.tell();
        }
    }

    /// Starts or ends the start of a background command, which ignores `signals`.
    pub fn spare(&mut self, signals: u64) {
        self.sparing = signals & !self.born_ignored;
        self.tell();
    }

    fn tell(&mut self) {
        let (mut caught, mut ignored) = (0u64, self.born_ignored | self.spared);
        for (event, command) in &self.list {
            if let Event::Signal(number) = event {
                if command.is_empty() {
                    ignored |= bit(*number);
                } else {
                    caught |= bit(*number);
                }
            }
        }
        self.caught = caught;
        let _ = sys::signals_set(caught & !self.sparing, ignored | self.sparing);
    }

    /// Returns the non-empty command of an event.
    pub fn get(&self, event: Event) -> Option<Rc<Text>> {
        self.list.get(&event).filter(|command| !command.is_empty()).cloned()
    }

    /// Returns true if any signal has a command.
    pub fn catches(&self) -> bool {
        self.caught != 0
    }

    /// Returns true if a signal is ignored.
    pub fn is_ignored(&self, number: u8) -> bool {
        (self.born_ignored | self.spared) & bit(number) != 0
            || self.list.get(&Event::Signal(number)).is_some_and(|command| command.is_empty())
    }

    /// Returns the ignored signals, bit `n` for signal `n`.
    pub fn ignored(&self) -> u64 {
        (1..64).filter(|number| self.is_ignored(*number)).fold(0, |set, number| set | bit(number))
    }
}
