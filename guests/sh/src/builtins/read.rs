//! The `read` builtin, and the input that it shares with `mapfile`.

use cofferdam_guest_sys as sys;

use super::{USAGE, number, shown};
use crate::shell::scope::split_place;
use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::Text;

/// Longest line read.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Exit status after a timeout.
const TIMED_OUT: i32 = 142;

/// Bytes per read on seekable input.
const CHUNK: usize = 4096;

struct Asked {
    raw: bool,
    array: Option<Text>,
    delimiter: u8,
    count: Option<(usize, bool)>,
    prompt: Option<Text>,
    timeout: Option<f64>,
    fd: u32,
}

/// Buffered input that consumes no more than its caller takes: it reads single bytes unless the
/// file is seekable.
pub(super) struct Input {
    fd: sys::Fd,
    seekable: bool,
    buf: Vec<u8>,
    at: usize,
    deadline: Option<std::time::Instant>,
}

/// Result of reading one byte.
pub(super) enum Byte {
    One(u8),
    End,
    Late,
    Failed,
}

impl Input {
    pub(super) fn new(fd: sys::Fd) -> Input {
        // SAFETY: `lseek` accesses no memory.
        let seekable = unsafe { libc::lseek(fd, 0, libc::SEEK_CUR) } >= 0;
        Input { fd, seekable, buf: Vec::new(), at: 0, deadline: None }
    }

    pub(super) fn next(&mut self) -> Byte {
        if let Some(c) = self.buf.get(self.at) {
            self.at += 1;
            return Byte::One(*c);
        }
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            // Input that is always ready must not hide that the time is over.
            if left.is_zero() {
                return Byte::Late;
            }
            match sys::readable(self.fd, left.as_millis().min(i32::MAX as u128) as i32) {
                Ok(true) => {}
                _ => return Byte::Late,
            }
        }
        let mut buf = [0; CHUNK];
        let len = if self.seekable { CHUNK } else { 1 };
        match sys::read(self.fd, &mut buf[..len]) {
            Ok(0) => Byte::End,
            Ok(1) => Byte::One(buf[0]),
            Ok(len) => {
                self.buf = buf[..len].to_vec();
                self.at = 1;
                Byte::One(buf[0])
            }
            // A signal also ends the read, so that its trap can run.
            Err(_) => Byte::Failed,
        }
    }

    /// Seeks back over bytes that were buffered but not taken.
    pub(super) fn finish(self) {
        let unread = self.buf.len() - self.at;
        if unread > 0 {
            // SAFETY: `lseek` accesses no memory.
            unsafe { libc::lseek(self.fd, -(unread as libc::off_t), libc::SEEK_CUR) };
        }
    }
}

impl Shell {
    /// Reads a line without its delimiter. Returns `None` at the end of the input.
    pub fn read_line(&mut self, number: u32, delimiter: u8) -> Result<Option<Text>, Flow> {
        let Ok(fd) = self.fds.fd(number) else { return Ok(None) };
        let mut input = Input::new(fd);
        let mut line = Vec::new();
        loop {
            match input.next() {
                Byte::One(c) if c == delimiter => break,
                Byte::One(c) if line.len() < MAX_LINE => line.push(c),
                Byte::One(_) => break,
                Byte::End | Byte::Late | Byte::Failed if line.is_empty() => return Ok(None),
                Byte::End | Byte::Late | Byte::Failed => break,
            }
        }
        input.finish();
        Ok(Some(line))
    }
}

fn options(shell: &mut Shell, args: &[Text]) -> Result<(Asked, Vec<Text>), i32> {
    let mut asked = Asked {
        raw: false,
        array: None,
        delimiter: b'\n',
        count: None,
        prompt: None,
        timeout: None,
        fd: 0,
    };
    let mut at = 1;
    while let Some(arg) = args.get(at) {
        if arg == b"--" {
            at += 1;
            break;
        }
        if arg.len() < 2 || arg[0] != b'-' {
            break;
        }
        at += 1;
        let mut letter = 1;
        while letter < arg.len() {
            let c = arg[letter];
            letter += 1;
            match c {
                b'r' => asked.raw = true,
                b'e' | b's' => {}
                b'a' | b'd' | b'n' | b'N' | b'p' | b't' | b'u' | b'i' => {
                    let value = if letter < arg.len() {
                        arg[letter..].to_vec()
                    } else {
                        at += 1;
                        match args.get(at - 1) {
                            Some(value) => value.clone(),
                            None => {
                                let c = char::from(c);
                                super::needs_argument(shell, "read", &format!("-{c}"));
                                return Err(USAGE);
                            }
                        }
                    };
                    letter = arg.len();
                    let wrong = |shell: &mut Shell, what: &str| {
                        shell.warn(&format!("read: {}: {what}", shown(&value)));
                        Err(1)
                    };
                    match c {
                        b'a' => asked.array = Some(value),
                        b'd' => asked.delimiter = value.first().copied().unwrap_or(0),
                        b'n' | b'N' => match number(&value) {
                            Some(n) if n >= 0 => asked.count = Some((n as usize, c == b'N')),
                            _ => return wrong(shell, "invalid number"),
                        },
                        b'p' => asked.prompt = Some(value),
                        b't' => match shown(&value).parse::<f64>() {
                            Ok(seconds) if seconds >= 0.0 => asked.timeout = Some(seconds),
                            _ => return wrong(shell, "invalid timeout specification"),
                        },
                        b'u' => match number(&value) {
                            Some(n) if n >= 0 => asked.fd = n as u32,
                            _ => return wrong(shell, "invalid file descriptor specification"),
                        },
                        _ => {}
                    }
                }
                c => {
                    super::bad_option(shell, "read", &format!("-{}", char::from(c)));
                    return Err(USAGE);
                }
            }
        }
    }
    Ok((asked, args[at.min(args.len())..].to_vec()))
}

pub(super) fn read(shell: &mut Shell, args: &[Text]) -> Exec {
    let (asked, names) = match options(shell, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if let Some(name) = asked.array.as_ref().filter(|name| !crate::syntax::is_name(name)) {
        shell.warn(&format!("read: `{}': not a valid identifier", shown(name)));
        return Ok(1);
    }
    for name in &names {
        if split_place(name).is_none() {
            shell.warn(&format!("read: `{}': not a valid identifier", shown(name)));
            return Ok(1);
        }
    }
    let Ok(fd) = shell.fds.fd(asked.fd) else {
        let fd = asked.fd;
        shell.warn(&format!("read: {fd}: invalid file descriptor: Bad file descriptor"));
        return Ok(1);
    };
    if let Some(prompt) = &asked.prompt
        && sys::is_terminal(fd)
    {
        shell.print_error(prompt);
    }
    let mut input = Input::new(fd);
    if let Some(seconds) = asked.timeout {
        if seconds == 0.0 {
            let ready = sys::readable(fd, 0).unwrap_or(false);
            return Ok(i32::from(!ready));
        }
        let duration = std::time::Duration::from_secs_f64(seconds.min(1e9));
        input.deadline = Some(std::time::Instant::now() + duration);
    }
    let (line, mut status) = read_text(&mut input, &asked);
    input.finish();
    if status == TIMED_OUT && shell.traps.catches() {
        shell.run_signal_traps()?;
    }
    if let Err(flow) = store(shell, &asked, &names, line) {
        match flow {
            Flow::Discard(_) => status = 1,
            flow => return Err(flow),
        }
    }
    Ok(status)
}

/// A byte, and true if a backslash escaped it.
type Marked = (u8, bool);

fn read_text(input: &mut Input, asked: &Asked) -> (Vec<Marked>, i32) {
    let mut line: Vec<Marked> = Vec::new();
    let (limit, exact) = match asked.count {
        Some((count, exact)) => (count, exact),
        None => (usize::MAX, false),
    };
    let mut count = 0;
    let mut escaped = false;
    let mut pending = 0usize;
    while count < limit {
        let c = match input.next() {
            Byte::One(c) => c,
            Byte::End | Byte::Failed => return (line, 1),
            Byte::Late => return (line, TIMED_OUT),
        };
        if escaped {
            escaped = false;
            if c == b'\n' {
                continue;
            }
            line.push((c, true));
            count += 1;
            continue;
        }
        if c == b'\\' && !asked.raw {
            escaped = true;
            continue;
        }
        if c == asked.delimiter && !exact {
            return (line, 0);
        }
        if c == 0 {
            continue;
        }
        if line.len() >= MAX_LINE {
            return (line, 1);
        }
        line.push((c, false));
        // Continuation bytes of a UTF-8 character do not count.
        if pending > 0 {
            pending -= 1;
        } else {
            pending = match c {
                0xc2..=0xdf => 1,
                0xe0..=0xef => 2,
                0xf0..=0xf4 => 3,
                _ => 0,
            };
        }
        if pending == 0 {
            count += 1;
        }
    }
    (line, 0)
}

fn plain(line: &[Marked]) -> Text {
    line.iter().map(|(c, _)| *c).collect()
}

fn store(shell: &mut Shell, asked: &Asked, names: &[Text], line: Vec<Marked>) -> Result<(), Flow> {
    let ifs = shell.ifs();
    if let Some(array) = &asked.array {
        let array = &shell.resolve(array).name;
        let mut words = Vec::new();
        let mut rest = line.as_slice();
        if asked.count.is_some_and(|(_, exact)| exact) {
            words.push(plain(rest));
            rest = &[];
        }
        while let Some((word, more)) = field(rest, &ifs, false) {
            words.push(plain(word));
            rest = more;
        }
        shell.check_writable(array)?;
        shell.vars.remove(array.as_slice());
        return shell.set_array(array, words);
    }
    if names.is_empty() {
        return shell.set(b"REPLY", plain(&line));
    }
    if asked.count.is_some_and(|(_, exact)| exact) {
        put(shell, &names[0], plain(&line))?;
        for name in &names[1..] {
            put(shell, name, Vec::new())?;
        }
        return Ok(());
    }
    let mut rest = line.as_slice();
    for (at, name) in names.iter().enumerate() {
        let last = at + 1 == names.len();
        match field(rest, &ifs, last) {
            Some((word, more)) => {
                put(shell, name, plain(word))?;
                rest = more;
            }
            None => put(shell, name, Vec::new())?,
        }
    }
    Ok(())
}

fn put(shell: &mut Shell, name: &[u8], value: Text) -> Result<(), Flow> {
    match split_place(name) {
        Some(place) => match place.index {
            Some(index) => {
                let index = shell.expand_key(&index)?;
                shell.assign(&place.name, Some(&index), value, false)
            }
            None => shell.set(&place.name, value),
        },
        None => Ok(()),
    }
}

/// Splits off the next field and returns it with the text after its separator. The last field takes
/// the whole rest, without trailing white space, and without a trailing separator if nothing
/// follows it.
fn field<'a>(line: &'a [Marked], ifs: &[u8], last: bool) -> Option<(&'a [Marked], &'a [Marked])> {
    let is_space = |m: &Marked| !m.1 && ifs.contains(&m.0) && matches!(m.0, b' ' | b'\t' | b'\n');
    let is_separator = |m: &Marked| !m.1 && ifs.contains(&m.0);
    let start = line.iter().position(|m| !is_space(m))?;
    let line = &line[start..];
    let end = line.iter().position(is_separator).unwrap_or(line.len());
    let mut next = end;
    while line.get(next).is_some_and(is_space) {
        next += 1;
    }
    if line.get(next).is_some_and(|m| is_separator(m) && !is_space(m)) {
        next += 1;
        while line.get(next).is_some_and(is_space) {
            next += 1;
        }
    }
    if !last || next >= line.len() {
        return Some((&line[..end], &line[next..]));
    }
    let mut stop = line.len();
    while stop > 0 && is_space(&line[stop - 1]) {
        stop -= 1;
    }
    Some((&line[..stop], &[]))
}
