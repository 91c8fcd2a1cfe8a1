//! Descriptors by script number. Redirecting changes this table and nothing of the process, so
//! that taking a redirection back is putting the old table back.

use std::io;
use std::rc::Rc;

use cofferdam_guest_sys as sys;

/// An open file, closed when nobody holds it any more.
#[derive(Debug)]
pub struct Handle {
    fd: sys::Fd,
    owned: bool,
}

impl Handle {
    /// Takes a descriptor over.
    pub fn own(fd: sys::Fd) -> Rc<Handle> {
        Rc::new(Handle { fd, owned: true })
    }

    /// Its number in the process.
    pub fn fd(&self) -> sys::Fd {
        self.fd
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.owned {
            let _ = sys::close(self.fd);
        }
    }
}

/// Script numbers that the shell looks for when it starts.
const INHERITED: std::ops::Range<u32> = 3..10;

/// The table.
#[derive(Debug, Clone, Default)]
pub struct Fds {
    list: Vec<(u32, Rc<Handle>)>,
}

impl Fds {
    /// What a process starts with.
    pub fn inherited() -> Fds {
        let mut fds = Fds::default();
        for number in (0..3).chain(INHERITED) {
            let fd = sys::number(number);
            if number < 3 || sys::is_open(fd) {
                fds.list.push((number, Rc::new(Handle { fd, owned: number >= 3 })));
            }
        }
        fds
    }

    /// What a subshell starts with: its parent said which numbers are open.
    pub fn listed(numbers: &[u32]) -> Fds {
        let list = numbers
            .iter()
            .map(|number| {
                (*number, Rc::new(Handle { fd: sys::number(*number), owned: *number > 2 }))
            })
            .collect();
        Fds { list }
    }

    /// The open file of a script number.
    pub fn get(&self, number: u32) -> Option<&Rc<Handle>> {
        self.list.iter().find(|(known, _)| *known == number).map(|(_, handle)| handle)
    }

    /// The descriptor of a script number.
    pub fn fd(&self, number: u32) -> io::Result<sys::Fd> {
        self.get(number).map(|handle| handle.fd()).ok_or(io::Error::from_raw_os_error(libc::EBADF))
    }

    /// Makes a script number stand for an open file.
    pub fn set(&mut self, number: u32, handle: Rc<Handle>) {
        match self.list.iter_mut().find(|(known, _)| *known == number) {
            Some((_, old)) => *old = handle,
            None => self.list.push((number, handle)),
        }
    }

    /// Closes a script number.
    pub fn remove(&mut self, number: u32) {
        self.list.retain(|(known, _)| *known != number);
    }

    /// The first number from `least` on that is free.
    pub fn free(&self, least: u32) -> u32 {
        (least..).find(|number| self.get(*number).is_none()).unwrap_or(least)
    }

    /// For a child: script numbers with this process's descriptors.
    pub fn for_child(&self) -> Vec<(u32, sys::Fd)> {
        self.list.iter().map(|(number, handle)| (*number, handle.fd())).collect()
    }

    /// Script numbers that are open.
    pub fn numbers(&self) -> Vec<u32> {
        self.list.iter().map(|(number, _)| *number).collect()
    }
}
