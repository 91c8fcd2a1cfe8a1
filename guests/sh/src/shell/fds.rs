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

/// The table.
#[derive(Debug, Clone, Default)]
pub struct Fds {
    list: Vec<(u32, Rc<Handle>)>,
    /// Numbers that children do not get.
    private: Vec<u32>,
}

impl Fds {
    /// What a process starts with: these are open.
    pub fn inherited(open: &[sys::Fd]) -> Fds {
        let mut fds = Fds::default();
        for number in (0..3).chain(sys::LISTED) {
            let fd = sys::number(number);
            if number < 3 || open.contains(&fd) {
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
        Fds { list, private: Vec::new() }
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
        self.private.retain(|known| *known != number);
        match self.list.iter_mut().find(|(known, _)| *known == number) {
            Some((_, old)) => *old = handle,
            None => self.list.push((number, handle)),
        }
    }

    /// The same, for this shell alone.
    pub fn set_private(&mut self, number: u32, handle: Rc<Handle>) {
        self.set(number, handle);
        self.private.push(number);
    }

    /// Whether a script number is this shell's alone.
    pub fn is_private(&self, number: u32) -> bool {
        self.private.contains(&number)
    }

    /// Closes a script number.
    pub fn remove(&mut self, number: u32) {
        self.private.retain(|known| *known != number);
        self.list.retain(|(known, _)| *known != number);
    }

    /// The first number from `least` on that is free.
    pub fn free(&self, least: u32) -> u32 {
        (least..).find(|number| self.get(*number).is_none()).unwrap_or(least)
    }

    /// For a child: script numbers with this process's descriptors.
    pub fn for_child(&self) -> Vec<(u32, sys::Fd)> {
        self.inherited_by_child().map(|(number, handle)| (*number, handle.fd())).collect()
    }

    /// Script numbers that are open in a child.
    pub fn numbers(&self) -> Vec<u32> {
        self.inherited_by_child().map(|(number, _)| *number).collect()
    }

    fn inherited_by_child(&self) -> impl Iterator<Item = &(u32, Rc<Handle>)> {
        self.list.iter().filter(|(number, _)| !self.is_private(*number))
    }
}
