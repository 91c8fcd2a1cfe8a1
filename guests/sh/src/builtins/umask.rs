//! The `umask` builtin.

use cofferdam_guest_sys as sys;

use super::shown;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn umask(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut symbolic, mut reuse) = (false, false);
    let mut rest = &args[1..];
    while let Some(([b'-', letters @ ..], more)) =
        rest.split_first().map(|(arg, more)| (arg.as_slice(), more))
        && !letters.is_empty()
    {
        rest = more;
        if letters == b"-" {
            break;
        }
        for letter in letters {
            match letter {
                b'S' => symbolic = true,
                b'p' => reuse = true,
                letter => {
                    super::bad_option(shell, "umask", &format!("-{}", char::from(*letter)));
                    return Ok(super::USAGE);
                }
            }
        }
    }
    let Some(mode) = rest.first() else {
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
    let mask = if mode.first().is_some_and(u8::is_ascii_digit) {
        u32::from_str_radix(&shown(mode), 8)
            .ok()
            .filter(|mask| *mask <= 0o7777)
            .map(|mask| mask & 0o777)
            .ok_or_else(|| format!("{}: octal number out of range", shown(mode)))
    } else {
        let now = sys::umask(0o022);
        sys::umask(now);
        changed(mode, !now & 0o777).map(|allowed| !allowed & 0o777)
    };
    match mask {
        Ok(mask) => {
            sys::umask(mask);
            Ok(0)
        }
        Err(what) => {
            shell.warn(&format!("umask: {what}"));
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

/// Applies a symbolic mode such as `u=rwx,g-w` to the allowed bits. The error is bash's message.
fn changed(mode: &[u8], mut allowed: u32) -> Result<u32, String> {
    let wrong = |c: Option<&u8>, what: &str| {
        let c = c.map(|c| char::from(*c).to_string()).unwrap_or_default();
        format!("`{c}': invalid symbolic mode {what}")
    };
    for clause in mode.split(|c| *c == b',') {
        let at = clause.iter().take_while(|c| b"ugoa".contains(c)).count();
        if !matches!(clause.get(at), Some(b'+' | b'-' | b'=')) {
            return Err(wrong(clause.get(at), "operator"));
        }
        let mut who = 0;
        for c in &clause[..at] {
            who |= match c {
                b'u' => 0o700,
                b'g' => 0o070,
                b'o' => 0o007,
                _ => 0o777,
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
                c => return Err(wrong(Some(c), "character")),
            };
        }
        allowed = match clause[at] {
            b'+' => allowed | (bits & who),
            b'-' => allowed & !(bits & who),
            _ => allowed & !who | (bits & who),
        };
    }
    Ok(allowed)
}
