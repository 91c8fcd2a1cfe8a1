//! The `cd` and `pwd` builtins.

use cofferdam_guest_sys as sys;

use super::{USAGE, shown};
use crate::expand::glob::{bytes, is_dir};
use crate::shell::output::reason;
use crate::shell::value::flag;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

pub(super) fn cd(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut physical = shell.options.physical();
    let mut rest = &args[1..];
    while let Some((arg, more)) = rest.split_first() {
        match arg.as_slice() {
            b"--" => {
                rest = more;
                break;
            }
            [b'-', letters @ ..]
                if !letters.is_empty() && letters.iter().all(|c| b"PLe".contains(c)) =>
            {
                for letter in letters {
                    match letter {
                        b'P' => physical = true,
                        b'L' => physical = false,
                        _ => {}
                    }
                }
            }
            arg if arg.len() > 1 && arg[0] == b'-' => {
                let wrong = arg[1..].iter().find(|c| !b"PLe".contains(c)).unwrap_or(&b'-');
                super::bad_option(shell, "cd", &format!("-{}", char::from(*wrong)));
                return Ok(USAGE);
            }
            _ => break,
        }
        rest = more;
    }
    let mut print = false;
    let target = match rest {
        [] => match shell.get(b"HOME") {
            Some(home) => home,
            None => {
                shell.warn("cd: HOME not set");
                return Ok(1);
            }
        },
        [dir] if dir == b"-" => {
            print = true;
            match shell.get(b"OLDPWD") {
                Some(old) => old,
                None => {
                    shell.warn("cd: OLDPWD not set");
                    return Ok(1);
                }
            }
        }
        [dir] => dir.clone(),
        _ => {
            shell.warn("cd: too many arguments");
            return Ok(1);
        }
    };
    if target.is_empty() {
        return Ok(0);
    }
    let mut target = target;
    let relative = target[0] != b'/'
        && target != b"."
        && target != b".."
        && !target.starts_with(b"./")
        && !target.starts_with(b"../");
    if relative && let Some(list) = shell.get(b"CDPATH").filter(|list| !list.is_empty()) {
        for folder in list.split(|c| *c == b':') {
            let slash: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
            let full = [folder, slash, &target].concat();
            if sys::stat(&full, true).is_ok_and(|status| is_dir(status.mode)) {
                // An empty name is the working directory, which is not printed.
                print = !folder.is_empty();
                target = full;
                break;
            }
        }
    }
    if shell.options.is_shopt("cdable_vars") == Some(true)
        && sys::stat(&target, true).is_err()
        && let Some(value) = shell.get(&target).filter(|value| !value.is_empty())
    {
        target = value;
        print = true;
    }
    if !shell.change_directory(&target, physical, "cd")? {
        return Ok(1);
    }
    if print {
        let line = [shell.cwd.as_slice(), b"\n"].concat();
        return shell.print(&line, "cd");
    }
    Ok(0)
}

impl Shell {
    /// Changes the working directory. Returns false if that fails, after printing the error.
    pub(super) fn change_directory(
        &mut self,
        target: &[u8],
        physical: bool,
        who: &str,
    ) -> Result<bool, Flow> {
        let logical = normalised(&self.cwd, target);
        // `a/..` equals `.` only if `a` exists, so the target is checked before it is normalised.
        let gone = sys::stat(target, true)
            .err()
            .filter(|_| target.split(|c| *c == b'/').any(|p| p == b".."));
        let goal: &[u8] = if physical { target } else { &logical };
        let answer = match gone {
            Some(error) => Err(error),
            _ => sys::chdir(goal).or_else(|error| {
                if physical { Err(error) } else { sys::chdir(target).map_err(|_| error) }
            }),
        };
        if let Err(error) = answer {
            self.warn(&format!("{who}: {}: {}", shown(target), reason(&error)));
            return Ok(false);
        }
        let now = match physical && logical != b"//" {
            true => real_directory().unwrap_or(logical),
            false => logical,
        };
        let old = std::mem::replace(&mut self.cwd, now.clone());
        let flags = |shell: &Shell, name: &[u8]| shell.vars.get(name).map_or(0, |var| var.flags);
        for (name, value) in [(&b"OLDPWD"[..], old), (b"PWD", now)] {
            let exported = flags(self, name) & flag::EXPORT;
            if flags(self, name) & flag::READONLY == 0 {
                self.set(name, value)?;
                self.entry(name).flags |= exported;
            }
        }
        Ok(true)
    }
}

/// Returns the working directory without links. A cell's C library keeps the path as it was given,
/// so the links in it are followed here.
fn real_directory() -> Option<Text> {
    let path = std::env::current_dir().ok().map(|path| bytes(path.into_os_string()))?;
    Some(if cfg!(target_arch = "wasm32") { without_links(&path) } else { path })
}

/// Longest chain of links in one path.
const MAX_LINKS: usize = 40;

/// Follows the links in an absolute path.
fn without_links(path: &[u8]) -> Text {
    let mut left: Vec<Text> = path.split(|c| *c == b'/').rev().map(<[u8]>::to_vec).collect();
    let mut done: Vec<Text> = Vec::new();
    let mut links = 0;
    while let Some(part) = left.pop() {
        match part.as_slice() {
            b"" | b"." => continue,
            b".." => {
                done.pop();
                continue;
            }
            _ => {}
        }
        let full = [b"/", done.join(&b'/').as_slice(), b"/", &part].concat();
        match std::fs::read_link(crate::expand::glob::path(&full)) {
            Ok(target) if links < MAX_LINKS => {
                links += 1;
                let target = bytes(target.into_os_string());
                if target.first() == Some(&b'/') {
                    done.clear();
                }
                left.extend(target.split(|c| *c == b'/').rev().map(<[u8]>::to_vec));
            }
            _ => done.push(part),
        }
    }
    [b"/", done.join(&b'/').as_slice()].concat()
}

/// Makes a path absolute and removes `.` and `..` textually, without following links.
pub(super) fn normalised(cwd: &[u8], path: &[u8]) -> Text {
    let full = if path.first() == Some(&b'/') {
        path.to_vec()
    } else if cwd == b"/" {
        [cwd, path].concat()
    } else {
        [cwd, b"/", path].concat()
    };
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in full.split(|c| *c == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    // POSIX lets exactly two leading slashes have a meaning of their own, so they are kept.
    let front: &[u8] =
        if full.starts_with(b"//") && !full.starts_with(b"///") { b"//" } else { b"/" };
    [front, &parts.join(&b'/')].concat()
}

pub(super) fn pwd(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut physical = shell.options.physical();
    for arg in &args[1..] {
        match arg.as_slice() {
            b"-P" => physical = true,
            b"-L" => physical = false,
            arg if arg.len() > 1 && arg[0] == b'-' && arg != b"--" => {
                super::bad_option(shell, "pwd", &shown(arg));
                return Ok(USAGE);
            }
            _ => {}
        }
    }
    let mut line = if physical { real_directory().unwrap_or_default() } else { shell.cwd.clone() };
    line.push(b'\n');
    shell.print(&line, "pwd")
}
