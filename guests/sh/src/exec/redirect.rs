//! Redirections, applied to the shell's own descriptor table.

use std::rc::Rc;

use cofferdam_guest_sys as sys;

use super::spawn::shown;
use crate::shell::fds::Handle;
use crate::shell::output::reason;
use crate::shell::scope::{Place, split_place};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{
    Direction, FileMode, Here, Op, Part, Redirect, RedirectFd, RedirectTo, Text, Word,
};

/// Longest here-document passed through a pipe; that much fits before anyone reads it.
const PIPE_ROOM: usize = 4096;

/// Permission bits of files created by redirections, before the umask.
const NEW_FILE: u32 = 0o666;

/// Lowest number that `{name}>` assigns.
const FIRST_FREE: u32 = 10;

/// Script numbers must be below this.
const MAX_FDS: u32 = 1 << 20;

impl Shell {
    /// Applies redirections to the descriptor table. Returns false if one fails, after printing the
    /// error.
    pub fn redirect(&mut self, redirects: &[Redirect]) -> Result<bool, Flow> {
        for redirect in redirects {
            if !self.redirect_one(redirect)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn redirect_one(&mut self, redirect: &Redirect) -> Result<bool, Flow> {
        let implied = match &redirect.to {
            RedirectTo::File(FileMode::Read | FileMode::ReadWrite, _)
            | RedirectTo::Copy(Direction::Input, _)
            | RedirectTo::String(_)
            | RedirectTo::Here(_) => 0,
            RedirectTo::File(..) | RedirectTo::Copy(..) | RedirectTo::Both(..) => 1,
        };
        let number = match &redirect.fd {
            RedirectFd::Implied => Some(implied),
            RedirectFd::Number(number) if *number >= MAX_FDS => {
                self.warn(&format!("{number}: Bad file descriptor"));
                return Ok(false);
            }
            RedirectFd::Number(number) => Some(*number),
            RedirectFd::Variable(_) => None,
        };
        let handle = match &redirect.to {
            RedirectTo::File(mode, word) => {
                let Some(path) = self.target_path(word)? else { return Ok(false) };
                match self.open_file(&path, *mode)? {
                    Some(handle) => handle,
                    None => return Ok(false),
                }
            }
            RedirectTo::Both(append, word) => {
                let Some(path) = self.target_path(word)? else { return Ok(false) };
                let mode = if *append { FileMode::Append } else { FileMode::Write };
                let Some(handle) = self.open_file(&path, mode)? else { return Ok(false) };
                self.fds.set(2, handle.clone());
                handle
            }
            RedirectTo::String(word) => {
                let mut text = self.expand_string(word)?;
                text.push(b'\n');
                match self.text_handle(&text)? {
                    Some(handle) => handle,
                    None => return Ok(false),
                }
            }
            RedirectTo::Here(here) => {
                let text = match self.here_text(here) {
                    Ok(text) => text,
                    // bash expands here-documents in a process of their own, so an error only
                    // fails the redirection.
                    Err(Flow::Fatal(_) | Flow::Discard(_) | Flow::Abandon(_)) => return Ok(false),
                    Err(flow) => return Err(flow),
                };
                match self.text_handle(&text)? {
                    Some(handle) => handle,
                    None => return Ok(false),
                }
            }
            RedirectTo::Copy(direction, word) => {
                return self.redirect_copy(redirect, number, *direction, word);
            }
        };
        self.place(redirect, number, handle)
    }

    fn here_text(&mut self, here: &Here) -> Result<Text, Flow> {
        let mut word = here.body.borrow().clone();
        for part in &mut word.parts {
            // In a here-document, bash joins `$*` with blanks, whatever `IFS` says.
            if let Part::Param(param) = part
                && param.name == b"*"
                && matches!(param.op, Op::Get)
            {
                param.name = b"@".to_vec();
            }
        }
        self.expand_quoted(&word)
    }

    /// Stores an open file under the number that a redirection names.
    fn place(
        &mut self,
        redirect: &Redirect,
        number: Option<u32>,
        handle: Rc<Handle>,
    ) -> Result<bool, Flow> {
        match (number, &redirect.fd) {
            (Some(number), _) => self.fds.set(number, handle),
            (None, RedirectFd::Variable(name)) => {
                let free = self.fds.free(FIRST_FREE);
                self.fds.set(free, handle);
                self.kept_fds.push(free);
                if let Some(place) = split_place(name) {
                    let number = free.to_string().into_bytes();
                    self.assign(&place.name, place.index.as_deref(), number, false)?;
                }
            }
            (None, _) => {}
        }
        Ok(true)
    }

    /// Applies `n>&m`, `n>&-` or `n>&m-`.
    fn redirect_copy(
        &mut self,
        redirect: &Redirect,
        number: Option<u32>,
        direction: Direction,
        word: &Word,
    ) -> Result<bool, Flow> {
        let Some(text) = self.target_path(word)? else { return Ok(false) };
        if text == b"-" {
            let number = match (&redirect.fd, number) {
                (_, Some(number)) => Some(number),
                (RedirectFd::Variable(name), None) => {
                    let value = match split_place(name) {
                        Some(Place { name, index: Some(index) }) => {
                            self.get_element(&name, &index)?
                        }
                        Some(Place { name, index: None }) => self.get(&name),
                        None => None,
                    };
                    let value = value.unwrap_or_default();
                    std::str::from_utf8(&value).ok().and_then(|n| n.parse().ok())
                }
                (_, None) => None,
            };
            match number {
                Some(number) => {
                    self.coproc_end_closed(number)?;
                    self.fds.remove(number);
                    self.closed_fds.push(number);
                }
                None => {
                    self.warn("ambiguous redirect");
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let (digits, moves) = match text.strip_suffix(b"-") {
            Some(digits) => (digits, true),
            None => (text.as_slice(), false),
        };
        let from: Option<u32> = std::str::from_utf8(digits).ok().and_then(|n| n.parse().ok());
        let Some(from) = from else {
            if direction == Direction::Output && number == Some(1) {
                let Some(handle) = self.open_file(&text, FileMode::Write)? else {
                    return Ok(false);
                };
                self.fds.set(2, handle.clone());
                self.fds.set(1, handle);
                return Ok(true);
            }
            self.warn(&format!("{}: ambiguous redirect", shown(&text)));
            return Ok(false);
        };
        let Some(handle) = self.fds.get(from).cloned() else {
            self.warn(&format!("{from}: Bad file descriptor"));
            return Ok(false);
        };
        if !self.place(redirect, number, handle)? {
            return Ok(false);
        }
        if moves && number != Some(from) {
            self.coproc_end_closed(from)?;
            self.fds.remove(from);
        }
        Ok(true)
    }

    /// Expands a word to exactly one path; prints an error and returns `None` otherwise.
    fn target_path(&mut self, word: &Word) -> Result<Option<Text>, Flow> {
        let mut names = Vec::new();
        self.expand_fields(word, &mut names)?;
        match <[Text; 1]>::try_from(names) {
            Ok([name]) => Ok(Some(name)),
            Err(_) => {
                let text = shown(&crate::syntax::word_text(word));
                self.warn(&format!("{text}: ambiguous redirect"));
                Ok(None)
            }
        }
    }

    /// Opens a file for a redirection. Returns `None` if that fails, after printing the error.
    pub fn open_file(&mut self, path: &[u8], mode: FileMode) -> Result<Option<Rc<Handle>>, Flow> {
        let known = match path {
            b"/dev/stdin" => Some(0),
            b"/dev/stdout" => Some(1),
            b"/dev/stderr" => Some(2),
            _ => path
                .strip_prefix(b"/dev/fd/")
                .and_then(|n| std::str::from_utf8(n).ok()?.parse().ok()),
        };
        if let Some(number) = known {
            if let Some(handle) = self.fds.get(number) {
                return Ok(Some(handle.clone()));
            }
            self.warn(&format!("{}: No such file or directory", shown(path)));
            return Ok(None);
        }
        let Some(flags) = self.open_flags(path, mode) else {
            self.warn(&format!("{}: cannot overwrite existing file", shown(path)));
            return Ok(None);
        };
        // The new file takes the lowest free number before it moves to its own.
        if self.may_not_open(3) {
            self.warn(&format!("{}: Too many open files", shown(path)));
            return Ok(None);
        }
        match sys::open(path, flags, NEW_FILE) {
            Ok(fd) => Ok(Some(self.parked(fd)?)),
            Err(error) => {
                self.warn(&format!("{}: {}", shown(path), reason(&error)));
                Ok(None)
            }
        }
    }

    /// Returns the flags to open a file with, or `None` if `set -C` forbids overwriting it.
    fn open_flags(&self, path: &[u8], mode: FileMode) -> Option<i32> {
        Some(match mode {
            FileMode::Read => libc::O_RDONLY,
            FileMode::ReadWrite => libc::O_RDWR | libc::O_CREAT,
            FileMode::Append => libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND,
            FileMode::Write if self.options.noclobber() => match sys::stat(path, true) {
                Ok(status) if status.mode & 0o170_000 == 0o100_000 => return None,
                Ok(_) => libc::O_WRONLY,
                Err(_) => libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL,
            },
            FileMode::Write | FileMode::Clobber => libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC,
        })
    }

    /// Moves a new descriptor to a number that no script number maps to.
    pub fn parked(&mut self, fd: sys::Fd) -> Result<Rc<Handle>, Flow> {
        if cfg!(target_arch = "wasm32") {
            return Ok(Handle::own(fd));
        }
        let parked = sys::park(fd);
        let _ = sys::close(fd);
        match parked {
            Ok(fd) => Ok(Handle::own(fd)),
            Err(error) => {
                self.warn(&format!("cannot keep a descriptor: {}", reason(&error)));
                Err(Flow::Discard(1))
            }
        }
    }

    /// Returns a handle from which `text` can be read.
    fn text_handle(&mut self, text: &[u8]) -> Result<Option<Rc<Handle>>, Flow> {
        if text.len() <= PIPE_ROOM {
            let (read, write) = self.new_pipe()?;
            if let Err(error) = sys::write_all(write.fd(), text) {
                self.warn(&format!("cannot write a here-document: {}", reason(&error)));
                return Ok(None);
            }
            return Ok(Some(read));
        }
        let count = self.next_here();
        let path = format!("/tmp/.sh-here-{}-{count}", self.own_pid);
        let path = path.as_bytes();
        let made =
            sys::open(path, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL, 0o600).and_then(|fd| {
                let written = sys::write_all(fd, text);
                sys::close(fd)?;
                written?;
                let fd = sys::open(path, libc::O_RDONLY, 0);
                std::fs::remove_file(crate::expand::glob::path(path))?;
                fd
            });
        match made {
            Ok(fd) => Ok(Some(self.parked(fd)?)),
            Err(error) => {
                self.warn(&format!("cannot make a here-document: {}", reason(&error)));
                Ok(None)
            }
        }
    }

    fn next_here(&mut self) -> usize {
        self.heres += 1;
        self.heres
    }
}
