//! Dynamic variables: computed when read, or with an effect when written.

use std::time::{SystemTime, UNIX_EPOCH};

use super::Shell;
use super::options::{SET, SHOPT, shopt_name};
use super::value::{Value, Var, flag};
use super::vars::Name;
use crate::syntax::ast::Text;

/// Computed variables with their attributes.
const COMPUTED: &[(&str, u16)] = &[
    ("BASHOPTS", flag::READONLY),
    ("BASHPID", flag::INTEGER),
    ("BASH_ARGV0", 0),
    ("BASH_COMMAND", 0),
    ("BASH_EXECUTION_STRING", 0),
    ("BASH_SUBSHELL", 0),
    ("EPOCHREALTIME", 0),
    ("EPOCHSECONDS", 0),
    ("EUID", flag::INTEGER | flag::READONLY),
    ("HISTCMD", flag::INTEGER),
    ("LINENO", 0),
    ("PPID", flag::INTEGER | flag::READONLY),
    ("RANDOM", flag::INTEGER),
    ("SECONDS", 0),
    ("SHELLOPTS", flag::READONLY),
    ("SRANDOM", flag::INTEGER),
    ("UID", flag::INTEGER | flag::READONLY),
    ("_", 0),
];

/// Computed arrays with their attributes.
const COMPUTED_ARRAYS: &[(&str, u16)] = &[
    ("BASH_ARGC", 0),
    ("BASH_ARGV", 0),
    ("BASH_LINENO", 0),
    ("BASH_SOURCE", 0),
    ("BASH_VERSINFO", flag::READONLY),
    ("DIRSTACK", 0),
    ("FUNCNAME", 0),
    ("GROUPS", 0),
    ("PIPESTATUS", 0),
];

/// Variables without a value in bash until a script reads them, which hides them from lists.
/// Scripts compare the output of `set` before and after a command.
const UNREAD: [&str; 11] = [
    "BASHPID",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "BASH_SUBSHELL",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "HISTCMD",
    "LINENO",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
];

/// Arrays of the shell that lists show as empty.
const EMPTY: [&str; 4] = ["BASH_ARGC", "BASH_ARGV", "DIRSTACK", "GROUPS"];

/// Associative arrays of the shell that lists show as empty.
const EMPTY_MAPS: [&str; 2] = ["BASH_ALIASES", "BASH_CMDS"];

/// Dynamic variables that lose their meaning when they are unset.
const LOSABLE: [&str; 10] = [
    "BASHPID",
    "BASH_ARGV0",
    "BASH_COMMAND",
    "BASH_SUBSHELL",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "LINENO",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
];

/// Largest value of `$RANDOM`.
const RANDOM_MASK: u32 = 0x7fff;

/// Returns the time since 1970.
pub fn now() -> std::time::Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Shell {
    /// Returns the value of a dynamic variable.
    pub fn dynamic(&mut self, name: &[u8]) -> Option<Text> {
        if self.is_lost(name) {
            return None;
        }
        let text = match name {
            b"RANDOM" => self.next_random().to_string(),
            b"SRANDOM" => {
                let high = self.next_random();
                (high << 15 | self.next_random()).to_string()
            }
            b"SECONDS" => (now().as_secs() as i64 - self.started).to_string(),
            b"EPOCHSECONDS" => now().as_secs().to_string(),
            b"EPOCHREALTIME" => {
                let now = now();
                format!("{}.{:06}", now.as_secs(), now.subsec_micros())
            }
            b"HISTCMD" => self.history.current().to_string(),
            b"LINENO" => self.line.to_string(),
            b"BASHPID" => self.own_pid.to_string(),
            b"PPID" => self.parent.to_string(),
            b"UID" | b"EUID" => self.user().to_string(),
            b"BASH_SUBSHELL" => self.subshell.to_string(),
            b"BASH_COMMAND" => return Some(self.command_text.clone()),
            b"BASH_EXECUTION_STRING" => return self.command_string.clone(),
            b"BASH_ARGV0" => return Some(self.arg0.clone()),
            b"_" => return Some(self.last_arg.clone()),
            b"SHELLOPTS" => {
                let on = |name: &&str| self.options.is_set(name) == Some(true);
                SET.iter().map(|(_, name)| *name).filter(on).collect::<Vec<_>>().join(":")
            }
            b"BASHOPTS" => {
                let on = |name: &&str| self.options.is_shopt(name) == Some(true);
                let names = SHOPT.iter().map(|(name, _)| shopt_name(name));
                names.filter(on).collect::<Vec<_>>().join(":")
            }
            b"FUNCNAME" | b"BASH_SOURCE" | b"BASH_LINENO" | b"PIPESTATUS" | b"DIRSTACK"
            | b"GROUPS" | b"BASH_VERSINFO" | b"BASH_ARGC" | b"BASH_ARGV" => {
                return self.dynamic_array(name).into_iter().next();
            }
            _ => return None,
        };
        Some(text.into_bytes())
    }

    fn is_lost(&self, name: &[u8]) -> bool {
        LOSABLE
            .iter()
            .zip(0..)
            .any(|(known, at)| self.lost & (1 << at) != 0 && known.as_bytes() == name)
    }

    /// Makes a dynamic variable an ordinary one, which is what `unset` does to it.
    pub fn lose(&mut self, name: &[u8]) {
        if let Some(at) = LOSABLE.iter().position(|known| known.as_bytes() == name) {
            self.lost |= 1 << at;
        }
    }

    /// Puts the positional parameters at the bottom of `BASH_ARGV`, unless they are there already.
    pub fn note_arguments(&mut self) {
        if self.first_args.is_none() && !self.frames.iter().any(|frame| frame.is_function) {
            self.first_args = Some(self.args.to_vec());
        }
    }

    /// Returns the values of a dynamic array.
    pub fn dynamic_array(&mut self, name: &[u8]) -> Vec<Text> {
        let number = |n: &i32| n.to_string().into_bytes();
        match name {
            b"FUNCNAME" => {
                if !self.frames.iter().any(|frame| frame.is_function) {
                    return Vec::new();
                }
                let names = self.frames.iter().rev().map(|frame| frame.name.clone());
                // Only a script file has a bottom frame.
                let bottom = (!self.source.is_empty()).then(|| b"main".to_vec());
                names.chain(bottom).collect()
            }
            b"BASH_SOURCE" => {
                let mut list: Vec<Text> =
                    self.frames.iter().rev().map(|frame| frame.source.clone()).collect();
                if !self.source.is_empty() {
                    list.push(self.source.clone());
                }
                list
            }
            b"BASH_LINENO" => {
                let lines = self.frames.iter().rev().map(|frame| frame.line.to_string());
                let bottom = (!self.source.is_empty()).then(|| "0".to_owned());
                lines.chain(bottom).map(String::into_bytes).collect()
            }
            b"BASH_ALIASES" | b"BASH_CMDS" => {
                self.computed_map(name).into_iter().map(|(_, value)| value).collect()
            }
            b"BASH_ARGC" | b"BASH_ARGV" => {
                self.note_arguments();
                let calls = self.frames.iter().rev().filter_map(|frame| frame.arguments.as_ref());
                let calls = calls.chain(self.first_args.as_ref());
                if name == b"BASH_ARGC" {
                    return calls.map(|args| args.len().to_string().into_bytes()).collect();
                }
                calls.flat_map(|args| args.iter().rev().cloned()).collect()
            }
            b"PIPESTATUS" => self.pipe_status.iter().map(number).collect(),
            b"DIRSTACK" => {
                [self.cwd.clone()].into_iter().chain(self.dir_stack.iter().rev().cloned()).collect()
            }
            b"GROUPS" => vec![self.user().to_string().into_bytes()],
            b"BASH_VERSINFO" => {
                let list = ["5", "2", "15", "1", "release", "wasm32-unknown-wasi"];
                list.iter().map(|text| text.as_bytes().to_vec()).collect()
            }
            _ => self.dynamic(name).into_iter().collect(),
        }
    }

    /// Returns the entries of a computed associative array, sorted by key.
    pub fn computed_map(&self, name: &[u8]) -> Vec<(Text, Text)> {
        let copy = |(key, value): (&Text, &Text)| (key.clone(), value.clone());
        let mut list: Vec<(Text, Text)> = match name {
            b"BASH_ALIASES" => self.aliases.iter().map(copy).collect(),
            b"BASH_CMDS" => self.hashed.iter().map(copy).collect(),
            _ => Vec::new(),
        };
        list.sort_unstable();
        list
    }

    /// Returns the computed variables that have no entry of their own, as `declare -p` shows them.
    pub fn computed(&mut self) -> Vec<(Text, Var)> {
        let mut list = Vec::new();
        for (name, flags) in COMPUTED {
            let Some(text) = self.dynamic(name.as_bytes()) else { continue };
            list.push((
                name.as_bytes().to_vec(),
                Var { value: Value::Scalar(text), flags: *flags },
            ));
        }
        for (name, flags) in COMPUTED_ARRAYS {
            let values = self.dynamic_array(name.as_bytes());
            let is_set = !values.is_empty() || *name != "FUNCNAME";
            let value = Value::Indexed((0..).zip(values).collect(), is_set);
            list.push((name.as_bytes().to_vec(), Var { value, flags: *flags }));
        }
        list
    }

    /// Returns the computed variables as lists of all variables show them.
    pub fn listed(&mut self) -> Vec<(Text, Var)> {
        let mut list = self.computed();
        list.retain(|(name, var)| {
            let is_empty = EMPTY.iter().any(|empty| empty.as_bytes() == name);
            !is_empty && (name != b"PIPESTATUS" || var.first().is_some())
        });
        for (name, var) in &mut list {
            if UNREAD.iter().any(|unread| unread.as_bytes() == name) {
                var.value = Value::Unset;
            }
        }
        let array = |name: &&str| {
            let value = Value::Indexed(Default::default(), true);
            (name.as_bytes().to_vec(), Var { value, flags: 0 })
        };
        let map = |name: &&str| {
            let value = Value::Assoc(Default::default(), true);
            (name.as_bytes().to_vec(), Var { value, flags: 0 })
        };
        list.extend(EMPTY.iter().map(array));
        list.extend(EMPTY_MAPS.iter().map(map));
        list
    }

    /// Returns the number of the user.
    pub(crate) fn user(&self) -> u32 {
        cofferdam_guest_sys::stat(b"/proc/self", true).map_or(0, |status| status.uid)
    }

    fn next_random(&mut self) -> u32 {
        // The minimal standard generator (Park and Miller), as in bash.
        if self.random == 0 {
            self.random = 123_459_876;
        }
        let (high, low) = (i64::from(self.random) / 127_773, i64::from(self.random) % 127_773);
        let next = 16_807 * low - 2836 * high;
        self.random = if next < 0 { (next + 0x7fff_ffff) as u32 } else { next as u32 };
        ((self.random >> 16) ^ (self.random & 0xffff)) & RANDOM_MASK
    }

    /// Assigns to a dynamic variable. Returns false if the name is not one.
    pub fn assign_dynamic(&mut self, name: &[u8], value: &[u8]) -> bool {
        if self.is_lost(name) {
            return false;
        }
        let number = || std::str::from_utf8(value).ok().and_then(|n| n.trim().parse::<i64>().ok());
        match name {
            b"RANDOM" => self.random = number().unwrap_or(0) as u32,
            b"SECONDS" => self.started = now().as_secs() as i64 - number().unwrap_or(0),
            b"BASH_ARGV0" => self.arg0 = value.to_vec(),
            b"FUNCNAME" | b"BASHPID" | b"EPOCHSECONDS" | b"EPOCHREALTIME" | b"SRANDOM"
            | b"BASH_SUBSHELL" | b"PIPESTATUS" | b"DIRSTACK" | b"BASH_COMMAND" | b"GROUPS"
            | b"BASH_SOURCE" | b"BASH_LINENO" | b"_" => {}
            b"LINENO" => self.line = number().unwrap_or(0) as u32,
            _ => return false,
        }
        true
    }

    /// Sets `POSIXLY_CORRECT` in POSIX mode, and unsets it otherwise.
    pub fn note_posix(&mut self) {
        let name = &b"POSIXLY_CORRECT"[..];
        match self.options.posix() {
            true if !self.vars.contains_key(name) => {
                self.vars.insert(Name::from(name), Var::scalar(b"y"));
            }
            true => {}
            false => {
                self.vars.remove(name);
            }
        }
    }

    /// Turns on the `compat` option that `BASH_COMPAT` names, and the others off.
    fn note_compatibility(&mut self) {
        const LEVELS: [&str; 7] = ["31", "32", "40", "41", "42", "43", "44"];
        let value = self.vars.get(&b"BASH_COMPAT"[..]).and_then(|var| var.first()).cloned();
        let value = value.unwrap_or_default();
        let text = String::from_utf8_lossy(&value).into_owned();
        let level = text.replacen('.', "", 1);
        for known in LEVELS {
            self.options.shopt_named(&format!("compat{known}"), known == level);
        }
        let is_known =
            LEVELS.contains(&level.as_str()) || matches!(&*level, "" | "50" | "51" | "52");
        if !is_known {
            self.warn(&format!("BASH_COMPAT: {text}: compatibility value out of range"));
        }
    }

    /// Updates the state that depends on a variable after it changed.
    pub fn noticed(&mut self, name: &[u8]) {
        match name {
            b"PATH" => self.hashed.clear(),
            b"OPTIND" => self.getopts_at = 0,
            b"HISTSIZE" => {
                let size = self.history_size();
                self.history.shrink(size);
            }
            b"HISTFILESIZE" => self.shrink_history_file(),
            b"BASH_COMPAT" => self.note_compatibility(),
            b"POSIXLY_CORRECT" => {
                let on = self.vars.contains_key(name);
                self.options.set_named("posix", on);
            }
            _ => {}
        }
    }
}
