//! The `umask` builtin.

use cofferdam_guest_sys as sys;

use super::shown;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn umask(shell: &mut Shell, args: &[Text]) -> Exec {
    let symbolic = args[1..].iter().any(|arg| arg == b"-S");
    let reuse = args[1..].iter().any(|arg| arg == b"-p");
    if let Some(wrong) = args[1..]
        .iter()
        .find(|arg| arg.first() == Some(&b'-') && !matches!(arg.as_slice(), b"-S" | b"-p"))
    {
        super::bad_option(shell, "umask", &shown(wrong));
        return Ok(super::USAGE);
    }
    let Some(mode) = args[1..].iter().find(|arg| arg.first() != Some(&b'-')) else {
        let mask = sys::umask(0o022);
        sys::umask(mask);
        let shown = if symbolic { letters(mask) } else { format!("{mask:04o}") };
        let text = match (reuse, symbolic) {
            (true, true) => format!("umask -S {shown}\n"),
            (true, false) => format!("umask {shown}\n"),
            (false, _) => format!("{shown}\n"),
        };
        return shell.print(text.as_bytes(), "umask");
    };
    let octal = !mode.is_empty() && mode.iter().all(|c| c.is_ascii_digit());
    let mask = if octal {
        u32::from_str_radix(&shown(mode), 8).ok().filter(|mask| *mask <= 0o777)
    } else {
        let now = sys::umask(0o022);
        sys::umask(now);
        changed(mode, !now & 0o777).map(|allowed| !allowed & 0o777)
    };
    match mask {
        Some(mask) => {
            sys::umask(mask);
            Ok(0)
        }
        None => {
            let what = if octal { "octal number out of range" } else { "invalid symbolic mode" };
            shell.warn(&format!("umask: {}: {what}", shown(mode)));
            Ok(1)
        }
    }
}

fn letters(mask: u32) -> String {
    let one = |who: char, shift: u32| {
        let allowed = !(mask >> shift) & 7;
        let bits = [(4, 'r'), (2, 'w'), (1, 'x')];
        let set: String = bits.iter().filter(|(b, _)| allowed & b != 0).map(|(_, c)| *c).collect();
        format!("{who}={set}")
    };
    [one('u', 6), one('g', 3), one('o', 0)].join(",")
}

/// Applies a symbolic mode such as `u=rwx,g-w` to the allowed bits.
fn changed(mode: &[u8], mut allowed: u32) -> Option<u32> {
    for clause in mode.split(|c| *c == b',') {
        let at = clause.iter().position(|c| matches!(c, b'+' | b'-' | b'='))?;
        let mut who = 0;
        for c in &clause[..at] {
            who |= match c {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                b'a' => 0o777,
                _ => return None,
            };
        }
        if at == 0 {
            who = 0o777;
        }
        let mut bits = 0;
        for c in &clause[at + 1..] {
            bits |= match c {
                b'r' => 0o444,
                b'w' => 0o222,
                b'x' => 0o111,
                _ => return None,
            };
        }
        allowed = match clause[at] {
            b'+' => allowed | (bits & who),
            b'-' => allowed & !(bits & who),
            _ => allowed & !who | (bits & who),
        };
    }
    Some(allowed)
}
