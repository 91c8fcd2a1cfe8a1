//! The `getopts` builtin.

use super::USAGE;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn getopts(shell: &mut Shell, args: &[Text]) -> Exec {
    let args = if args.get(1).is_some_and(|arg| arg == b"--") { &args[1..] } else { args };
    if let Some([b'-', letter, ..]) = args.get(1).map(Vec::as_slice)
        && args[0] == b"getopts"
    {
        super::bad_option(shell, "getopts", &format!("-{}", char::from(*letter)));
        return Ok(USAGE);
    }
    let (Some(spec), Some(name)) = (args.get(1), args.get(2)) else {
        shell.print_error(b"getopts: usage: getopts optstring name [arg ...]\n");
        return Ok(USAGE);
    };
    if !crate::syntax::is_name(name) {
        shell.warn(&format!("getopts: `{}': not a valid identifier", super::shown(name)));
        return Ok(1);
    }
    let list: Vec<Text> = if args.len() > 3 { args[3..].to_vec() } else { shell.args.to_vec() };
    let optind = shell.get(b"OPTIND").and_then(|n| super::number(&n)).unwrap_or(1).max(1);
    if optind != shell.getopts_index {
        shell.getopts_at = 0;
    }
    let mut index = optind as usize;
    let mut at = shell.getopts_at;
    let silent = spec.first() == Some(&b':');
    let quiet = silent || shell.get(b"OPTERR").is_some_and(|value| value == b"0");
    let spec: &[u8] = if silent { &spec[1..] } else { spec };
    let mut answer = None;
    if let Some(arg) = list.get(index - 1) {
        if at == 0 {
            if arg == b"--" {
                index += 1;
            } else if arg.len() > 1 && arg[0] == b'-' {
                at = 1;
            }
        }
        if at > 0 && at < arg.len() {
            answer = Some(arg[at]);
            at += 1;
        }
    }
    let Some(letter) = answer else {
        shell.set(name, b"?".to_vec())?;
        shell.unset(b"OPTARG")?;
        set_index(shell, index.min(list.len() + 1))?;
        shell.getopts_at = 0;
        return Ok(1);
    };
    let arg = &list[index - 1];
    let known = spec.iter().position(|c| *c == letter && letter != b':');
    let takes = known.is_some_and(|at| spec.get(at + 1) == Some(&b':'));
    let mut value = None;
    let mut missing = false;
    if takes {
        if at < arg.len() {
            value = Some(arg[at..].to_vec());
        } else if let Some(next) = list.get(index) {
            value = Some(next.clone());
            index += 1;
        } else {
            missing = true;
        }
        index += 1;
        at = 0;
    } else if at >= arg.len() {
        index += 1;
        at = 0;
    }
    let option = vec![letter];
    let shown = char::from(letter);
    let (found, optarg) = if known.is_none() {
        if !quiet {
            let name = String::from_utf8_lossy(&shell.arg0).into_owned();
            shell.print_error(format!("{name}: illegal option -- {shown}\n").as_bytes());
        }
        (b"?".to_vec(), silent.then(|| option.clone()))
    } else if missing {
        if !quiet {
            let name = String::from_utf8_lossy(&shell.arg0).into_owned();
            let text = format!("{name}: option requires an argument -- {shown}\n");
            shell.print_error(text.as_bytes());
        }
        let found = if silent { b":".to_vec() } else { b"?".to_vec() };
        (found, silent.then(|| option.clone()))
    } else {
        (option, value)
    };
    match optarg {
        Some(value) => shell.set(b"OPTARG", value)?,
        None => shell.unset(b"OPTARG")?,
    }
    set_index(shell, index)?;
    shell.getopts_at = at;
    shell.getopts_index = index as i64;
    if !crate::syntax::is_name(name) {
        let name = String::from_utf8_lossy(name).into_owned();
        shell.warn(&format!("getopts: `{name}': not a valid identifier"));
        return Ok(1);
    }
    shell.set(name, found)?;
    Ok(0)
}

fn set_index(shell: &mut Shell, index: usize) -> Result<(), crate::shell::Flow> {
    shell.set(b"OPTIND", index.to_string().into_bytes())?;
    shell.getopts_index = index as i64;
    Ok(())
}
