//! mkfifo: creates named pipes.

use std::ffi::OsString;

use cofferdam_guest_sys as sys;

use crate::bytes::OsStrExt as _;
use crate::files::parse_mode;
use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::reason;

const MKFIFO: Usage = Usage {
    name: "mkfifo",
    text: "\
Usage: mkfifo [OPTION]... NAME...
Create named pipes (FIFOs) with the given NAMEs.

  -m, --mode=MODE    set file permission bits to MODE, not a=rw - umask
      --help         display this help
",
    trouble: 1,
};

/// Mode of a new pipe before the umask is applied.
const NEW: u32 = 0o666;

pub(crate) fn mkfifo(args: Vec<OsString>) -> i32 {
    run(args).unwrap_or_else(|code| code)
}

fn run(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [('m', "mode", Value::Required)];
    let (mut mode, mut names) = (None, Vec::new());
    for item in options::parse(&MKFIFO, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('m'), Some(text)) => {
                let text = text.to_string_lossy();
                match parse_mode(&text, NEW, false, 0) {
                    Some(bits) if bits & !0o777 == 0 => mode = Some(bits),
                    Some(_) => {
                        eprintln!("mkfifo: mode must specify only file permission bits");
                        return Err(1);
                    }
                    None => {
                        eprintln!("mkfifo: invalid mode: '{text}'");
                        return Err(1);
                    }
                }
            }
            Item::Option(..) => {}
            Item::Operand(name) => names.push(name),
        }
    }
    if names.is_empty() {
        return Err(MKFIFO.wrong("missing operand"));
    }
    let mut code = 0;
    for name in names {
        let path = name.as_bytes();
        let made = sys::mkfifo(path, NEW);
        let made = made.and_then(|()| mode.map_or(Ok(()), |mode| sys::chmod(path, mode)));
        if let Err(error) = made {
            eprintln!(
                "mkfifo: cannot create fifo '{}': {}",
                name.to_string_lossy(),
                reason(&error)
            );
            code = 1;
        }
    }
    Ok(code)
}
