//! Checks the number of operands of the uutils commands, and reports mistakes in GNU's words.

use super::Given;
use crate::options::Usage;

/// Numbers of operands that a command accepts.
#[derive(Clone, Copy)]
struct Count {
    least: usize,
    most: usize,
}

/// Reports an operand that is missing or not expected. The error is the exit code.
pub(super) fn check(usage: &Usage, given: &Given) -> Result<(), i32> {
    message(usage.name, given).map_or(Ok(()), |message| Err(usage.wrong(&message)))
}

fn message(name: &str, given: &Given) -> Option<String> {
    let operands = &given.operands;
    let Count { least, most } = count(name, given)?;
    if let Some(extra) = operands.get(most) {
        let note = match name {
            "mktemp" => return Some("too many templates".to_owned()),
            "tr" if operands.len() == 2 => {
                "\nOnly one string may be given when deleting without squeezing repeats."
            }
            _ => "",
        };
        return Some(format!("extra operand '{}'{note}", extra.display()));
    }
    if operands.len() >= least {
        return None;
    }
    let of_files = matches!(name, "cp" | "ln" | "mv" | "shred" | "touch");
    let noun = if of_files { "file operand" } else { "operand" };
    let Some(last) = operands.last() else { return Some(format!("missing {noun}")) };
    let note = match name {
        "tr" if given.has('s', "squeeze-repeats") => {
            "\nTwo strings must be given when both deleting and squeezing repeats."
        }
        "tr" => "\nTwo strings must be given when translating.",
        _ => "",
    };
    let noun = if of_files { "destination file operand" } else { noun };
    Some(format!("missing {noun} after '{}'{note}", last.display()))
}

/// Returns `None` for a command that accepts any number.
fn count(name: &str, given: &Given) -> Option<Count> {
    let has = |letter, long| given.has(letter, long);
    let (least, most) = match name {
        "base32" | "base64" | "date" | "mktemp" | "tsort" => (0, 1),
        "basename" if has('a', "multiple") || has('s', "suffix") => (1, usize::MAX),
        "basename" => (1, 2),
        "comm" | "join" | "link" => (2, 2),
        "cp" | "mv" if has('t', "target-directory") => (1, usize::MAX),
        "cp" | "mv" if has('T', "no-target-directory") => (2, 2),
        "cp" | "csplit" | "mv" => (2, usize::MAX),
        "dirname" | "ln" | "mkdir" | "pathchk" | "readlink" | "realpath" | "rmdir" | "shred"
        | "sleep" | "touch" => (1, usize::MAX),
        "shuf" if has('i', "input-range") => (0, 0),
        "shuf" if !has('e', "echo") => (0, 1),
        "rm" if !has('f', "force") => (1, usize::MAX),
        "seq" => (1, 3),
        "split" | "uniq" => (0, 2),
        "tr" => {
            let (delete, squeeze) = (has('d', "delete"), has('s', "squeeze-repeats"));
            (1 + usize::from(delete == squeeze), 1 + usize::from(delete <= squeeze))
        }
        "tty" => (0, 0),
        "unlink" => (1, 1),
        _ => return None,
    };
    Some(Count { least, most })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::options::Key;

    fn check(name: &str, letters: &str, operands: &[&str], expect: Option<&str>) {
        let given = Given {
            keys: letters.chars().map(Key::Short).collect(),
            operands: operands.iter().map(OsStr::new).collect(),
        };
        assert_eq!(message(name, &given).as_deref(), expect);
    }

    #[test]
    fn a_missing_operand_is_named_by_its_kind() {
        check("rmdir", "", &[], Some("missing operand"));
        check("touch", "", &[], Some("missing file operand"));
        check("comm", "", &["a"], Some("missing operand after 'a'"));
        check("mv", "", &["a"], Some("missing destination file operand after 'a'"));
        check("mv", "t", &["a"], None);
        check("rm", "f", &[], None);
    }

    #[test]
    fn the_first_operand_too_many_is_named() {
        check("join", "", &["a", "b", "c", "d"], Some("extra operand 'c'"));
        check("basename", "", &["a", "b", "c"], Some("extra operand 'c'"));
        check("basename", "a", &["a", "b", "c"], None);
        check("wc", "", &["a", "b", "c"], None);
    }

    #[test]
    fn tr_explains_the_number_of_its_strings() {
        check(
            "tr",
            "",
            &["a"],
            Some("missing operand after 'a'\nTwo strings must be given when translating."),
        );
        check("tr", "d", &["a"], None);
        check("tr", "s", &["a"], None);
        check(
            "tr",
            "d",
            &["a", "b"],
            Some(
                "extra operand 'b'\nOnly one string may be given when deleting without squeezing repeats.",
            ),
        );
    }
}
