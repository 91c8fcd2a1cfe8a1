//! The `hash` builtin.

use super::shown;
use crate::exec::find::Found;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::Text;

pub(super) fn hash(shell: &mut Shell, args: &[Text]) -> Exec {
    let mut rest = &args[1..];
    match rest.first().map(Vec::as_slice) {
        Some(b"-r") => {
            shell.hashed.clear();
            return Ok(0);
        }
        Some(b"-p") => {
            if let [_, path, name, ..] = rest {
                shell.hashed.insert(name.clone(), path.clone());
            }
            return Ok(0);
        }
        Some(b"-d") => {
            for name in &rest[1..] {
                shell.hashed.remove(name);
            }
            return Ok(0);
        }
        Some(b"-t") => {
            let mut out = Vec::new();
            let mut status = 0;
            for name in &rest[1..] {
                match shell.hashed.get(name) {
                    Some(path) => {
                        out.extend_from_slice(path);
                        out.push(b'\n');
                    }
                    None => {
                        shell.warn(&format!("hash: {}: not found", shown(name)));
                        status = 1;
                    }
                }
            }
            shell.print(&out, "hash")?;
            return Ok(status);
        }
        Some(b"-l") => rest = &rest[1..],
        _ => {}
    }
    if rest.is_empty() {
        if shell.hashed.is_empty() {
            return shell.print(b"hash: hash table empty\n", "hash");
        }
        let mut out = b"hits\tcommand\n".to_vec();
        let mut all: Vec<&Text> = shell.hashed.values().collect();
        all.sort_unstable();
        for path in all {
            out.extend_from_slice(b"   1\t");
            out.extend_from_slice(path);
            out.push(b'\n');
        }
        return shell.print(&out, "hash");
    }
    let mut status = 0;
    for name in rest {
        if shell.functions.contains_key(name) || shell.is_builtin(name) {
            continue;
        }
        if !matches!(shell.find_program(name), Found::Program(_)) {
            shell.warn(&format!("hash: {}: not found", shown(name)));
            status = 1;
        }
    }
    Ok(status)
}
