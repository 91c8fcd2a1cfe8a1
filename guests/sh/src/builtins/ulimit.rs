//! The `ulimit` builtin. The limits of the sandbox apply first; a script can lower what its own
//! shell and the subshells of that shell may do, which has an effect for open files.

use super::{USAGE, shown};
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

/// Resources: letter, name in messages, description for `-a`, and usual limit.
const RESOURCES: &[(u8, &str, &str, Option<u64>)] = &[
    (b'R', "real-time non-blocking time", "(microseconds, -R)", None),
    (b'c', "core file size", "(blocks, -c)", Some(0)),
    (b'd', "data seg size", "(kbytes, -d)", None),
    (b'e', "scheduling priority", "(-e)", Some(0)),
    (b'f', "file size", "(blocks, -f)", None),
    (b'i', "pending signals", "(-i)", None),
    (b'l', "max locked memory", "(kbytes, -l)", None),
    (b'm', "max memory size", "(kbytes, -m)", None),
    (b'n', "open files", "(-n)", Some(256)),
    (b'p', "pipe size", "(512 bytes, -p)", Some(8)),
    (b'q', "POSIX message queues", "(bytes, -q)", Some(819_200)),
    (b'r', "real-time priority", "(-r)", Some(0)),
    (b's', "stack size", "(kbytes, -s)", None),
    (b't', "cpu time", "(seconds, -t)", None),
    (b'u', "max user processes", "(-u)", None),
    (b'v', "virtual memory", "(kbytes, -v)", None),
    (b'x', "file locks", "(-x)", None),
];

/// Largest limit; blocks of 1024 bytes must fit a number.
const MAX_LIMIT: u64 = u64::MAX / 1024;

/// A limit that a script set: letter, soft limit and hard limit. `None` is unlimited.
pub type Limit = (u8, Option<u64>, Option<u64>);

/// The sides of a limit that a call is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Both,
    Soft,
    Hard,
}

impl Shell {
    /// Returns the soft and the hard limit of a resource.
    fn limit(&self, letter: u8) -> (Option<u64>, Option<u64>) {
        if let Some((_, soft, hard)) = self.limits.iter().find(|(known, ..)| *known == letter) {
            return (*soft, *hard);
        }
        let usual = RESOURCES.iter().find(|(known, ..)| *known == letter);
        let soft = usual.and_then(|(.., usual)| *usual);
        (soft, if letter == b'c' { None } else { soft })
    }

    /// Returns true if `ulimit -n` forbids another open file.
    pub(crate) fn may_not_open(&self, number: u32) -> bool {
        let set = self.limits.iter().find(|(letter, ..)| *letter == b'n');
        set.is_some_and(|(_, soft, _)| soft.is_some_and(|soft| u64::from(number) >= soft))
    }
}

pub(super) fn ulimit(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut asked, mut side, mut all) = (Vec::new(), Side::Both, false);
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.as_slice() {
            b"--" => break,
            [b'-', options @ ..] if !options.is_empty() => {
                for (place, letter) in options.iter().enumerate() {
                    match letter {
                        b'S' if side == Side::Hard => side = Side::Both,
                        b'S' => side = Side::Soft,
                        b'H' if side == Side::Soft => side = Side::Both,
                        b'H' => side = Side::Hard,
                        b'a' => all = true,
                        letter if RESOURCES.iter().any(|(known, ..)| known == letter) => {
                            // The limit follows in the same argument, or in the next one.
                            let rest = &options[place + 1..];
                            let next = args.get(at).filter(|next| next.first() != Some(&b'-'));
                            let value = match (rest.is_empty(), next) {
                                (false, _) => Some(rest.to_vec()),
                                (true, Some(next)) => {
                                    at += 1;
                                    Some(next.clone())
                                }
                                (true, None) => None,
                            };
                            asked.push((*letter, value));
                            break;
                        }
                        _ => {
                            super::bad_option(
                                shell,
                                "ulimit",
                                &format!("-{}", char::from(*letter)),
                            );
                            return Ok(USAGE);
                        }
                    }
                }
            }
            _ => {
                at -= 1;
                break;
            }
        }
    }
    if all {
        let mut out = String::new();
        for (letter, name, unit, _) in RESOURCES {
            let shown = text(shell, *letter, side);
            out.push_str(&labelled(name, unit, &shown));
        }
        return shell.print(out.as_bytes(), "ulimit");
    }
    if asked.is_empty() {
        asked.push((b'f', args.get(at).cloned()));
    }
    let mut out = String::new();
    for (letter, value) in &asked {
        if let Some(value) = value {
            let status = set(shell, *letter, side, value)?;
            if status != 0 {
                return Ok(status);
            }
            continue;
        }
        let line = text(shell, *letter, side);
        let known = RESOURCES.iter().find(|(known, ..)| known == letter);
        match known {
            Some((_, name, unit, _)) if asked.len() > 1 => {
                out.push_str(&labelled(name, unit, &line));
            }
            _ => out.push_str(&format!("{line}\n")),
        }
    }
    shell.print(out.as_bytes(), "ulimit")
}

/// Formats a line of `ulimit -a`.
fn labelled(name: &str, unit: &str, limit: &str) -> String {
    let width = 20usize.max(unit.len() + 1) + 20usize.saturating_sub(name.len().max(20));
    format!("{name:<20}{unit:>width$} {limit}\n")
}

fn text(shell: &Shell, letter: u8, side: Side) -> String {
    let (soft, hard) = shell.limit(letter);
    let limit = if side == Side::Hard { hard } else { soft };
    limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string())
}

fn set(shell: &mut Shell, letter: u8, side: Side, value: &[u8]) -> Exec {
    let (soft, hard) = shell.limit(letter);
    let wanted = match value {
        b"unlimited" => None,
        b"hard" => hard,
        b"soft" => soft,
        value => match std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()) {
            Some(number) if number > MAX_LIMIT => {
                shell.warn(&format!("ulimit: {number}: limit out of range"));
                return Ok(1);
            }
            Some(number) => Some(number),
            None => {
                shell.warn(&format!("ulimit: {}: invalid number", shown(value)));
                return Ok(1);
            }
        },
    };
    let exceeds = |wanted: Option<u64>| match (wanted, hard) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(wanted), Some(hard)) => wanted > hard,
    };
    let name =
        RESOURCES.iter().find(|(known, ..)| *known == letter).map_or("", |(_, name, ..)| name);
    if exceeds(wanted) {
        let why = if side == Side::Soft { "Invalid argument" } else { "Operation not permitted" };
        shell.warn(&format!("ulimit: {name}: cannot modify limit: {why}"));
        return Ok(1);
    }
    let (soft, hard) = match side {
        Side::Both => (wanted, wanted),
        Side::Soft => (wanted, hard),
        Side::Hard => (soft, wanted),
    };
    shell.limits.retain(|(known, ..)| *known != letter);
    shell.limits.push((letter, soft, hard));
    Ok(0)
}
