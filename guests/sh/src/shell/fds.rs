//! The table of descriptors by script number. Redirections change only this table, not the process,
//! so that restoring the old table undoes them.

use std::io;
use std::rc::Rc;

use cofferdam_guest_sys as sys;

/// An open file, closed when the last reference is dropped.
#[derive(Debug)]
pub struct Handle {
    fd: sys::Fd,
    owned: bool,
}

impl Handle {
    /// Takes ownership of a descriptor.
    pub fn own(fd: sys::Fd) -> Rc<Handle> {
        Rc::new(Handle { fd, owned: true })
    }

    /// Returns the descriptor number in this process.
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

/// A table of open files by script number.
#[derive(Debug, Clone, Default)]
pub struct Fds {
    list: Vec<(u32, Rc<Handle>)>,
    /// Numbers that children do not inherit.
    private: Vec<u32>,
}

impl Fds {
    /// Creates the table of a new process from its standard streams and the open descriptors in
    /// `open`.
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

    /// Creates the table of a subshell from the numbers that its parent passed.
    pub fn listed(numbers: &[u32]) -> Fds {
        let list = numbers
            .iter()
            .map(|number| {
                (*number, Rc::new(Handle { fd: sys::number(*number), owned: *number > 2 }))
            })
            .collect();
        Fds { list, private: Vec::new() }
    }

    /// Returns the open file of a script number.
    pub fn get(&self, number: u32) -> Option<&Rc<Handle>> {
        self.list.iter().find(|(known, _)| *known == number).map(|(_, handle)| handle)
    }

    /// Returns the descriptor of a script number.
    pub fn fd(&self, number: u32) -> io::Result<sys::Fd> {
        self.get(number).map(|handle| handle.fd()).ok_or(io::Error::from_raw_os_error(libc::EBADF))
    }

    /// Assigns an open file to a script number.
    pub fn set(&mut self, number: u32, handle: Rc<Handle>) {
        self.private.retain(|known| *known != number);
        match self.list.iter_mut().find(|(known, _)| *known == number) {
            Some((_, old)) => *old = handle,
            None => self.list.push((number, handle)),
        }
    }

    /// Assigns an open file to a script number that children do not inherit.
    pub fn set_private(&mut self, number: u32, handle: Rc<Handle>) {
        self.set(number, handle);
        self.private.push(number);
    }

    /// Returns true if children do not inherit this script number.
    pub fn is_private(&self, number: u32) -> bool {
        self.private.contains(&number)
    }

    /// Closes a script number.
    pub fn remove(&mut self, number: u32) {
        self.private.retain(|known| *known != number);
        self.list.retain(|(known, _)| *known != number);
    }

    /// Returns the lowest free number that is at least `least`.
    pub fn free(&self, least: u32) -> u32 {
        (least..).find(|number| self.get(*number).is_none()).unwrap_or(least)
    }

    /// Returns the script numbers and descriptors that a child inherits.
    pub fn for_child(&self) -> Vec<(u32, sys::Fd)> {
        self.inherited_by_child().map(|(number, handle)| (*number, handle.fd())).collect()
    }

    /// Returns the script numbers that a child inherits.
    pub fn numbers(&self) -> Vec<u32> {
        self.inherited_by_child().map(|(number, _)| *number).collect()
    }

    fn inherited_by_child(&self) -> impl Iterator<Item = &(u32, Rc<Handle>)> {
        self.list.iter().filter(|(number, _)| !self.is_private(*number))
    }
}
