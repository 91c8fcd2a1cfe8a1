//! The `mapfile` builtin, also known as `readarray`.

use std::collections::BTreeMap;

use cofferdam_guest_sys as sys;

use super::read::{Byte, Input};
use super::{USAGE, number, shown};
use crate::expand::MAX_VALUE;
use crate::shell::scope::make_indexed;
use crate::shell::value::Value;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;
use crate::syntax::is_name;

pub(super) fn mapfile(shell: &mut Shell, args: &[Text]) -> Exec {
    let (mut delimiter, mut most, mut origin, mut skip) = (b'\n', 0i64, None, 0i64);
    let (mut trim, mut fd, mut callback, mut quantum) = (false, 0u32, None, 5000i64);
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        if arg.len() < 2 || arg[0] != b'-' {
            break;
        }
        at += 1;
        if arg == b"--" {
            break;
        }
        let letter = arg[1];
        if letter == b't' {
            trim = true;
            if arg.len() == 2 {
                continue;
            }
        }
        let value = if arg.len() > 2 {
            arg[2..].to_vec()
        } else {
            at += 1;
            args.get(at - 1).cloned().unwrap_or_default()
        };
        let count = number(&value);
        match (letter, count) {
            (b'd', _) => delimiter = value.first().copied().unwrap_or(0),
            (b'n', Some(n)) => most = n,
            (b'O', Some(n)) if n < 0 => {
                shell.warn(&format!("mapfile: {n}: invalid array origin"));
                return Ok(1);
            }
            (b'O', Some(n)) => origin = Some(n),
            (b's', Some(n)) => skip = n,
            (b'u', Some(n)) if n >= 0 => fd = n as u32,
            (b'C', _) => callback = Some(value),
            (b'c', Some(n)) if n > 0 => quantum = n,
            (b'n' | b's' | b'O' | b'c' | b'u', _) => {
                let what = match letter {
                    b'O' => "array origin",
                    b'c' => "callback quantum",
                    b'u' => "file descriptor specification",
                    _ => "line count",
                };
                shell.warn(&format!("mapfile: {}: invalid {what}", shown(&value)));
                return Ok(1);
            }
            _ => {
                super::bad_option(shell, "mapfile", &format!("-{}", char::from(letter)));
                return Ok(USAGE);
            }
        }
    }
    let name = args.get(at).cloned().unwrap_or_else(|| b"MAPFILE".to_vec());
    if name.is_empty() {
        shell.warn("mapfile: empty array variable name");
        return Ok(USAGE);
    }
    if !is_name(&name) {
        shell.warn(&format!("mapfile: `{}': not a valid identifier", shown(&name)));
        return Ok(1);
    }
    let name = shell.resolve(&name).name;
    if let Err(Flow::Discard(status)) = shell.check_writable(&name) {
        return Ok(status);
    }
    let Ok(input) = shell.fds.fd(fd) else {
        shell.warn(&format!("mapfile: {fd}: invalid file descriptor: Bad file descriptor"));
        return Ok(1);
    };
    if matches!(shell.vars.get(name.as_slice()).map(|var| &var.value), Some(Value::Assoc(..))) {
        shell.warn(&format!("mapfile: {}: not an indexed array", shown(&name)));
        return Ok(1);
    }
    let var = shell.entry(&name);
    make_indexed(var);
    if let Value::Indexed(map, assigned) = &mut var.value {
        *assigned = true;
        if origin.is_none() {
            *map = BTreeMap::new();
        }
    }
    let mut input = Input::new(input);
    let mut index = origin.unwrap_or(0);
    let (mut seen, mut size) = (0i64, 0usize);
    loop {
        if most > 0 && seen - skip.max(0) >= most {
            break;
        }
        let mut line = Vec::new();
        let mut cut = false;
        let ended = loop {
            match input.next() {
                Byte::One(c) => {
                    if c == delimiter {
                        if !trim && c != 0 {
                            line.push(c);
                        }
                        break false;
                    }
                    cut |= c == 0;
                    if !cut {
                        line.push(c);
                    }
                }
                Byte::End | Byte::Late | Byte::Failed => break true,
            }
        };
        if ended && line.is_empty() {
            break;
        }
        seen += 1;
        size += line.len() + 1;
        if size > MAX_VALUE {
            let message = format!("mapfile: more than {MAX_VALUE} bytes");
            shell.warn_capped(sys::Cap::Expansion, MAX_VALUE, &message);
            input.finish();
            return Ok(1);
        }
        if seen > skip {
            if let Some(callback) = &callback
                && (seen - skip) % quantum == 0
            {
                let quoted = crate::expand::quote::single(&line);
                let text = [callback.as_slice(), b" ", index.to_string().as_bytes(), b" ", &quoted]
                    .concat();
                shell.exec_text(&text, shell.line, "mapfile")?;
            }
            if let Value::Indexed(map, _) = &mut shell.entry(&name).value {
                map.insert(index, line);
            }
            index += 1;
        }
        if ended {
            break;
        }
    }
    input.finish();
    Ok(0)
}
