//! cmp: compares files byte by byte.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};

const CMP: Usage = Usage {
    name: "cmp",
    text: "\
Usage: cmp [OPTION]... FILE1 [FILE2]
Compare two files byte by byte.

  -b, --print-bytes  print differing bytes
  -i, --ignore-initial=SKIP  skip first SKIP bytes of both inputs
  -l, --verbose      output byte numbers and differing byte values
  -n, --bytes=LIMIT  compare at most LIMIT bytes
  -s, --quiet, --silent  suppress all normal output
      --help         display this help
",
    trouble: 2,
};

pub(crate) fn cmp(args: Vec<OsString>) -> i32 {
    run_cmp(args).unwrap_or_else(|code| code)
}

fn run_cmp(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('b', "print-bytes", Value::None),
        ('i', "ignore-initial", Value::Required),
        ('l', "verbose", Value::None),
        ('n', "bytes", Value::Required),
        ('s', "quiet", Value::None),
        ('s', "silent", Value::None),
    ];
    let (mut all, mut quiet, mut skip, mut limit, mut bytes) = (false, false, 0, u64::MAX, false);
    let mut files = Vec::new();
    for item in options::parse(&CMP, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('l'), _) => all = true,
            Item::Option(Key::Short('s'), _) => quiet = true,
            Item::Option(Key::Short('b'), _) => bytes = true,
            Item::Option(Key::Short(which), Some(value)) => {
                let text = value.to_string_lossy();
                let number: u64 =
                    text.parse().map_err(|_| CMP.wrong(&format!("invalid number '{text}'")))?;
                if which == 'i' {
                    skip = number;
                } else {
                    limit = number;
                }
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    if files.is_empty() {
        return Err(CMP.wrong("missing operand after 'cmp'"));
    }
    if files.len() == 1 {
        files.push("-".into());
    }
    let open = |name: &OsString| -> Result<Box<dyn BufRead>, i32> {
        let opened = if name == "-" {
            Ok(Box::new(BufReader::new(Input)) as Box<dyn BufRead>)
        } else {
            File::open(name)
                .map(|file| Box::new(BufReader::with_capacity(65536, file)) as Box<dyn BufRead>)
        };
        opened.map_err(|error| {
            if !quiet {
                eprintln!("cmp: {}: {}", name.to_string_lossy(), reason(&error));
            }
            2
        })
    };
    let fail = |error: io::Error| {
        eprintln!("cmp: {}", reason(&error));
        2
    };
    let (mut a, mut b) = (open(&files[0])?, open(&files[1])?);
    for side in [&mut a, &mut b] {
        io::copy(&mut side.take(skip), &mut io::sink()).map_err(fail)?;
    }
    let names = (files[0].to_string_lossy(), files[1].to_string_lossy());
    let width = place_width(&files, skip, limit);
    let mut out = output::stdout();
    let (mut at, mut line, mut code) = (0_u64, 1_u64, 0);
    let mut ended_line = false;
    while at < limit {
        let (x, y) = (a.fill_buf().map_err(fail)?, b.fill_buf().map_err(fail)?);
        let len = x.len().min(y.len()).min((limit - at).min(1 << 20) as usize);
        if len == 0 {
            if x.len() != y.len() {
                if !quiet {
                    let _ = out.flush();
                    let short = if x.is_empty() { &names.0 } else { &names.1 };
                    let place = match (at, all, ended_line) {
                        (0, _, _) => "which is empty".to_owned(),
                        (_, true, _) => format!("after byte {at}"),
                        (_, false, true) => format!("after byte {at}, line {}", line - 1),
                        (_, false, false) => format!("after byte {at}, in line {line}"),
                    };
                    eprintln!("cmp: EOF on {short} {place}");
                }
                code = 1;
            }
            break;
        }
        for i in 0..len {
            if x[i] != y[i] {
                code = 1;
                if quiet {
                    return Ok(1);
                }
                let place = at + i as u64 + 1;
                if all {
                    let _ = writeln!(out, "{place:width$} {:3o} {:3o}", x[i], y[i]);
                    continue;
                }
                let detail = if bytes {
                    format!(
                        " is {:3o} {} {:3o} {}",
                        x[i],
                        x[i].escape_ascii(),
                        y[i],
                        y[i].escape_ascii()
                    )
                } else {
                    String::new()
                };
                let _ = writeln!(
                    out,
                    "{} {} differ: byte {place}, line {line}{detail}",
                    names.0, names.1
                );
                return Ok(output::finish("cmp", &mut out, 1));
            }
            ended_line = x[i] == b'\n';
            line += u64::from(ended_line);
        }
        a.consume(len);
        b.consume(len);
        at += len as u64;
    }
    Ok(output::finish("cmp", &mut out, code))
}

/// Returns the width of the first column of `-l`: that of the last place that can be compared.
fn place_width(files: &[OsString], skip: u64, limit: u64) -> usize {
    // The width that GNU uses if it knows the length of neither file.
    const UNKNOWN: u64 = i64::MAX as u64;
    let length = |file: &OsString| {
        let status = std::fs::metadata(file).ok().filter(|status| status.is_file());
        status.map_or(UNKNOWN, |status| status.len().saturating_sub(skip))
    };
    let last = files.iter().map(length).min().unwrap_or(UNKNOWN).min(limit);
    last.max(1).to_string().len()
}
