//! `git check-attr`.

use std::io::BufRead as _;

use super::Call;
use crate::args::{Arg, Valued};
use crate::bytes::{quoted, text};
use crate::fault::{At, Fault, Result, USAGE};
use crate::tree::attributes::State;

/// Runs `git check-attr`.
pub(crate) fn run(call: &mut Call<'_>) -> Result<i32> {
    let repo = call.repo()?;
    let (mut is_all, mut has_input, mut is_nul) = (false, false, false);
    let (mut names, mut paths, mut has_dashes) = (Vec::new(), Vec::new(), false);
    for arg in call.parse(&Valued { long: &["--source"], ..Valued::default() })? {
        match arg {
            Arg::Option(name, _) => match name.as_str() {
                "-a" | "--all" => is_all = true,
                "--stdin" => has_input = true,
                "-z" => is_nul = true,
                "--cached" | "--source" => {}
                other => return Err(call.unknown(other)),
            },
            Arg::Operand(operand) if has_dashes => paths.push(operand),
            Arg::Operand(operand) => names.push(operand),
            Arg::Dashes => has_dashes = true,
        }
    }
    if is_all {
        paths.splice(..0, std::mem::take(&mut names));
    } else if !has_dashes && !names.is_empty() {
        // Without dashes, the first operand is the attribute.
        paths.extend(names.drain(if has_input { names.len() } else { 1 }..));
    }
    if has_input {
        let end = if is_nul { 0 } else { b'\n' };
        for line in std::io::stdin().lock().split(end) {
            paths.push(line.at(b"standard input")?);
        }
    } else if paths.is_empty() {
        let reason = if names.is_empty() && !is_all {
            "No attribute specified"
        } else {
            "No file specified"
        };
        let text = format!(
            "error: {reason}\nusage: git check-attr [-a | --all | <attr>...] [--] <pathname>..."
        );
        return Err(Fault { code: USAGE, text });
    }
    for given in paths {
        let path = repo.relative(&given)?;
        let rows: Vec<(Vec<u8>, State)> = match is_all {
            true => repo.attributes.all(&path),
            false => names
                .iter()
                .map(|name| (name.clone(), repo.attributes.state(&path, &text(name))))
                .collect(),
        };
        for (name, state) in rows {
            let value = match state {
                State::Unspecified => b"unspecified".to_vec(),
                State::Set => b"set".to_vec(),
                State::Unset => b"unset".to_vec(),
                State::Value(value) => value,
            };
            match is_nul {
                true => {
                    call.out.text([given.as_slice(), b"\0", &name, b"\0", &value, b"\0"].concat())
                }
                false => call
                    .out
                    .line([&quoted(&given), b": ".as_slice(), &name, b": ", &value].concat()),
            }
        }
    }
    Ok(0)
}
