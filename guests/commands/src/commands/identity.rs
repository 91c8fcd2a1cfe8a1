//! Commands that report the user and the machine: id, whoami, groups, logname, hostname, uname,
//! arch, nproc.

use std::ffi::OsString;

use crate::files::{USER, USER_ID, owner_id};
use crate::options::{self, Item, Key, Order, Usage, Value};

const HOST: &str = "cofferdam";

fn usage(name: &'static str, text: &'static str) -> Usage {
    Usage { name, text, trouble: 1 }
}

/// Returns the options and the operands.
fn parsed<'a>(
    usage: &Usage,
    args: Vec<OsString>,
    specs: &[options::Spec<'a>],
) -> Result<(Vec<Key<'a>>, Vec<String>), i32> {
    let mut keys = Vec::new();
    let mut operands = Vec::new();
    for item in options::parse(usage, args, specs, Order::Anywhere)? {
        match item {
            Item::Option(key, _) => keys.push(key),
            Item::Operand(operand) => operands.push(operand.to_string_lossy().into_owned()),
        }
    }
    if let Some(extra) = operands.first()
        && matches!(usage.name, "arch" | "logname" | "nproc" | "uname" | "whoami")
    {
        return Err(usage.wrong(&format!("extra operand '{extra}'")));
    }
    Ok((keys, operands))
}

fn say(answer: Result<String, i32>) -> i32 {
    match answer {
        Ok(text) => {
            println!("{text}");
            0
        }
        Err(code) => code,
    }
}

pub(crate) fn whoami(args: Vec<OsString>) -> i32 {
    let usage = usage("whoami", "Usage: whoami\nPrint the user name.\n");
    say(parsed(&usage, args, &[]).map(|_| USER.to_owned()))
}

pub(crate) fn logname(args: Vec<OsString>) -> i32 {
    let usage = usage("logname", "Usage: logname\nPrint the user's login name.\n");
    say(parsed(&usage, args, &[]).map(|_| USER.to_owned()))
}

pub(crate) fn groups(args: Vec<OsString>) -> i32 {
    let usage = usage("groups", "Usage: groups [USER]...\nPrint group memberships.\n");
    let users = match parsed(&usage, args, &[]) {
        Ok((_, users)) if users.is_empty() => return say(Ok(USER.to_owned())),
        Ok((_, users)) => users,
        Err(code) => return code,
    };
    let mut code = 0;
    for user in users {
        if owner_id(&user).is_some() {
            println!("{user} : {user}");
        } else {
            eprintln!("groups: '{user}': no such user");
            code = 1;
        }
    }
    code
}

pub(crate) fn hostname(args: Vec<OsString>) -> i32 {
    let usage = usage("hostname", "Usage: hostname [-s|-f|-i|-d]\nPrint the name of the host.\n");
    let specs = [
        ('s', "short", Value::None),
        ('f', "fqdn", Value::None),
        ('i', "ip-address", Value::None),
        ('I', "all-ip-addresses", Value::None),
        ('d', "domain", Value::None),
    ];
    say(parsed(&usage, args, &specs).map(|(keys, _)| {
        let what = match keys.last() {
            Some(Key::Short('i' | 'I')) => "127.0.0.1",
            Some(Key::Short('d')) => "",
            _ => HOST,
        };
        what.to_owned()
    }))
}

pub(crate) fn arch(args: Vec<OsString>) -> i32 {
    let usage = usage("arch", "Usage: arch\nPrint machine architecture.\n");
    say(parsed(&usage, args, &[]).map(|_| "wasm32".to_owned()))
}

pub(crate) fn nproc(args: Vec<OsString>) -> i32 {
    let text =
        "Usage: nproc [--all] [--ignore=N]\nPrint the number of processing units available.\n";
    let specs = [('\0', "all", Value::None), ('\0', "ignore", Value::Required)];
    say(parsed(&usage("nproc", text), args, &specs).map(|_| "1".to_owned()))
}

pub(crate) fn uname(args: Vec<OsString>) -> i32 {
    let text = "\
Usage: uname [OPTION]...
Print certain system information.  With no OPTION, same as -s.

  -a, --all                print all information
  -s, --kernel-name        print the kernel name
  -n, --nodename           print the network node hostname
  -r, --kernel-release     print the kernel release
  -v, --kernel-version     print the kernel version
  -m, --machine            print the machine hardware name
  -p, --processor          print the processor type
  -i, --hardware-platform  print the hardware platform
  -o, --operating-system   print the operating system
";
    let specs = [
        ('a', "all", Value::None),
        ('s', "kernel-name", Value::None),
        ('n', "nodename", Value::None),
        ('r', "kernel-release", Value::None),
        ('v', "kernel-version", Value::None),
        ('m', "machine", Value::None),
        ('p', "processor", Value::None),
        ('i', "hardware-platform", Value::None),
        ('o', "operating-system", Value::None),
    ];
    let parts = [
        ('s', "Linux"),
        ('n', HOST),
        ('r', env!("CARGO_PKG_VERSION")),
        ('v', "cofferdam"),
        ('m', "wasm32"),
        ('p', "unknown"),
        ('i', "unknown"),
        ('o', "GNU/Linux"),
    ];
    say(parsed(&usage("uname", text), args, &specs).map(|(keys, _)| {
        let all = keys.contains(&Key::Short('a'));
        let none = keys.is_empty();
        let wanted = |letter: char| {
            keys.contains(&Key::Short(letter))
                || (all && letter != 'p' && letter != 'i')
                || (none && letter == 's')
        };
        let shown: Vec<&str> =
            parts.iter().filter(|(letter, _)| wanted(*letter)).map(|(_, part)| *part).collect();
        shown.join(" ")
    }))
}

pub(crate) fn id(args: Vec<OsString>) -> i32 {
    let text = "\
Usage: id [OPTION]... [USER]
Print user and group information.

  -g, --group    print only the effective group ID
  -G, --groups   print all group IDs
  -n, --name     print a name instead of a number, for -ugG
  -r, --real     print the real ID instead of the effective ID
  -u, --user     print only the effective user ID
";
    let specs = [
        ('g', "group", Value::None),
        ('G', "groups", Value::None),
        ('n', "name", Value::None),
        ('r', "real", Value::None),
        ('u', "user", Value::None),
    ];
    let answer = parsed(&usage("id", text), args, &specs).and_then(|(keys, users)| {
        let (name, number) = match users.first().map(String::as_str) {
            None | Some(USER) => (USER, USER_ID),
            Some("root") => ("root", 0),
            Some(other) => {
                eprintln!("id: '{other}': no such user");
                return Err(1);
            }
        };
        let one = ['u', 'g', 'G'].iter().any(|letter| keys.contains(&Key::Short(*letter)));
        Ok(match (one, keys.contains(&Key::Short('n'))) {
            (true, true) => name.to_owned(),
            (true, false) => number.to_string(),
            (false, _) => {
                format!("uid={number}({name}) gid={number}({name}) groups={number}({name})")
            }
        })
    });
    say(answer)
}
