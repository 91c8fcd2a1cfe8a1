//! The `source` builtin, also known as `.`.

use super::{USAGE, shown};
use crate::exec::find::Found;
use crate::shell::output::reason;
use crate::shell::{Exec, Shell};
use crate::syntax::ast::{FileMode, Text};

pub(super) fn source(shell: &mut Shell, args: &[Text]) -> Exec {
    let who = shown(&args[0]);
    let rest = match args.get(1).map(Vec::as_slice) {
        Some(b"--") => &args[2..],
        Some([b'-', letter, ..]) => {
            super::bad_option(shell, &who, &format!("-{}", char::from(*letter)));
            return super::misused(shell, USAGE);
        }
        _ => &args[1..],
    };
    let Some((name, more)) = rest.split_first() else {
        shell.warn(&format!("{who}: filename argument required"));
        super::print_usage(shell, &who);
        return super::misused(shell, USAGE);
    };
    let mut path = name.clone();
    if !name.contains(&b'/') && shell.options.sourcepath() {
        let list = shell.get(b"PATH").unwrap_or_default();
        match shell.search(&list, name) {
            Found::Program(found) | Found::Forbidden(found) if found.contains(&b'/') => {
                path = found;
            }
            _ => {}
        }
    }
    let text = if path.starts_with(b"/dev/") {
        let Some(handle) = shell.open_file(&path, FileMode::Read)? else { return Ok(1) };
        shell.read_all(handle.fd())?
    } else {
        match std::fs::read(crate::expand::glob::path(&path)) {
            Ok(text) => text,
            Err(error) => {
                if shell.options.posix() && path == *name && !name.contains(&b'/') {
                    shell.warn(&format!("{who}: {}: file not found", shown(name)));
                } else if error.kind() == std::io::ErrorKind::IsADirectory {
                    shell.warn(&format!("{who}: {}: is a directory", shown(name)));
                } else {
                    shell.warn(&format!("{}: {}", shown(name), reason(&error)));
                }
                return super::misused(shell, 1);
            }
        }
    };
    let args = (!more.is_empty()).then(|| more.to_vec());
    shell.source_text(&text, &path, args)
}
