//! What programs tell the host about processes and files beyond what WASI preview 1 can say.

use alloc::vec::Vec;

use crate::wire::{Reader, Result, Writer};

/// A new process. Names and variables are bytes: what a program works with need not be UTF-8.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spawn<'a> {
    /// What to run: an absolute path in the sandbox's files, or the bare name of a command that
    /// the sandbox has. Looking a name up in `PATH` is the spawner's work.
    pub program: &'a [u8],
    /// Its arguments, the first being the name it goes by.
    pub argv: Vec<&'a [u8]>,
    /// Its variables, each `NAME=value`.
    pub env: Vec<&'a [u8]>,
    /// Its working directory, absolute.
    pub cwd: &'a [u8],
    /// Its descriptors: number in the child, number in the parent. All others are closed.
    pub descriptors: Vec<(u32, u32)>,
    /// Handed to the child as it is, for a subshell that receives its parent's state.
    pub state: &'a [u8],
}

impl<'a> Spawn<'a> {
    /// Packs it.
    pub fn write(&self, w: &mut Writer) {
        w.bytes(self.program);
        write_list(w, &self.argv);
        write_list(w, &self.env);
        w.bytes(self.cwd);
        w.varint(self.descriptors.len() as u32);
        for (child, parent) in &self.descriptors {
            w.u32(*child).u32(*parent);
        }
        w.bytes(self.state);
    }

    /// Unpacks it.
    pub fn read(r: &mut Reader<'a>) -> Result<Self> {
        let program = r.bytes()?;
        let argv = read_list(r)?;
        let env = read_list(r)?;
        let cwd = r.bytes()?;
        let count = r.count(8)?;
        let descriptors =
            (0..count).map(|_| Ok((r.u32()?, r.u32()?))).collect::<Result<Vec<_>>>()?;
        Ok(Spawn { program, argv, env, cwd, descriptors, state: r.bytes()? })
    }
}

/// What a process learns about itself, in one answer: what WASI would say in a dozen, and more.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Myself<'a> {
    /// Its number.
    pub pid: u32,
    /// Its parent's number; 0 for the first process of a run.
    pub parent: u32,
    /// Where it was started, absolute.
    pub cwd: &'a [u8],
    /// What its parent handed over.
    pub state: &'a [u8],
    /// Signals that its parent ignored, bit `n` for signal `n`; they stay ignored.
    pub ignored: u64,
    /// Its arguments, the first being the name it goes by.
    pub argv: Vec<&'a [u8]>,
    /// Its variables, each `NAME=value`.
    pub env: Vec<&'a [u8]>,
    /// Its descriptors.
    pub open: Vec<u32>,
    /// Wall clock time, in nanoseconds since 1970.
    pub now: u64,
}

impl<'a> Myself<'a> {
    /// Packs it.
    pub fn write(&self, w: &mut Writer) {
        w.u32(self.pid).u32(self.parent).bytes(self.cwd).bytes(self.state).u64(self.ignored);
        write_list(w, &self.argv);
        write_list(w, &self.env);
        w.varint(self.open.len() as u32);
        self.open.iter().for_each(|number| _ = w.u32(*number));
        w.u64(self.now);
    }

    /// Unpacks it.
    pub fn read(r: &mut Reader<'a>) -> Result<Self> {
        Ok(Myself {
            pid: r.u32()?,
            parent: r.u32()?,
            cwd: r.bytes()?,
            state: r.bytes()?,
            ignored: r.u64()?,
            argv: read_list(r)?,
            env: read_list(r)?,
            open: {
                let count = r.count(4)?;
                (0..count).map(|_| r.u32()).collect::<Result<Vec<_>>>()?
            },
            now: r.u64()?,
        })
    }
}

/// What WASI's file status leaves out, and the rest of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStatus {
    /// Kind and permission bits, as in `st_mode`.
    pub mode: u32,
    /// Names that lead to it.
    pub links: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Which tree it is in.
    pub device: u64,
    /// Number in its tree.
    pub inode: u64,
    /// Bytes.
    pub size: u64,
    /// Last read, in nanoseconds since 1970.
    pub accessed: u64,
    /// Last change of content, in nanoseconds since 1970.
    pub modified: u64,
    /// Last change of anything, in nanoseconds since 1970.
    pub changed: u64,
}

impl FileStatus {
    /// Packs it.
    pub fn write(&self, w: &mut Writer) {
        w.u32(self.mode).u32(self.links).u32(self.uid).u32(self.gid);
        w.u64(self.device).u64(self.inode).u64(self.size);
        w.u64(self.accessed).u64(self.modified).u64(self.changed);
    }

    /// Unpacks it.
    pub fn read(r: &mut Reader<'_>) -> Result<Self> {
        Ok(FileStatus {
            mode: r.u32()?,
            links: r.u32()?,
            uid: r.u32()?,
            gid: r.u32()?,
            device: r.u64()?,
            inode: r.u64()?,
            size: r.u64()?,
            accessed: r.u64()?,
            modified: r.u64()?,
            changed: r.u64()?,
        })
    }
}

/// Exported variables and working directory at the end of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment<'a> {
    /// Absolute.
    pub cwd: &'a [u8],
    /// Each `NAME=value`.
    pub variables: Vec<&'a [u8]>,
}

impl<'a> Environment<'a> {
    /// Packs it.
    pub fn write(&self, w: &mut Writer) {
        w.bytes(self.cwd);
        write_list(w, &self.variables);
    }

    /// Unpacks it.
    pub fn read(r: &mut Reader<'a>) -> Result<Self> {
        Ok(Environment { cwd: r.bytes()?, variables: read_list(r)? })
    }
}

/// A cap that a program has of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Cap {
    /// How deep it calls.
    Depth = 1,
    /// How long something that it makes becomes: a list of words, a padded number.
    Expansion = 2,
}

impl Cap {
    /// The cap of this number, if there is one.
    pub const fn from_number(number: u8) -> Option<Cap> {
        match number {
            1 => Some(Cap::Depth),
            2 => Some(Cap::Expansion),
            _ => None,
        }
    }
}

/// What a program hears of the tool that it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ToolEvent {
    /// It ended; the one byte is its exit code.
    Ended = 0,
    /// It printed to standard output.
    Output = 1,
    /// It printed to standard error.
    Error = 2,
    /// It waits for standard input.
    WantsInput = 3,
}

impl ToolEvent {
    /// The event of this number, if there is one.
    pub const fn from_number(number: u8) -> Option<ToolEvent> {
        match number {
            0 => Some(ToolEvent::Ended),
            1 => Some(ToolEvent::Output),
            2 => Some(ToolEvent::Error),
            3 => Some(ToolEvent::WantsInput),
            _ => None,
        }
    }
}

fn write_list(w: &mut Writer, list: &[&[u8]]) {
    w.varint(list.len() as u32);
    for bytes in list {
        w.bytes(bytes);
    }
}

fn read_list<'a>(r: &mut Reader<'a>) -> Result<Vec<&'a [u8]>> {
    let count = r.count(1)?;
    (0..count).map(|_| r.bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spawn_comes_back_as_it_was() {
        let spawn = Spawn {
            program: b"grep",
            argv: alloc::vec![b"grep", b"-r", b"\xff"],
            env: alloc::vec![b"A=1"],
            cwd: b"/home/user",
            descriptors: alloc::vec![(0, 3), (1, 1)],
            state: b"state",
        };
        let mut w = Writer::new();
        spawn.write(&mut w);
        let mut r = Reader::new(w.as_bytes());
        assert_eq!(Spawn::read(&mut r), Ok(spawn));
        assert_eq!(r.end(), Ok(()));
    }

    #[test]
    fn a_count_of_descriptors_past_the_end_is_refused() {
        let mut w = Writer::new();
        w.bytes(b"x").varint(0).varint(0).bytes(b"/").varint(1 << 20);
        assert!(Spawn::read(&mut Reader::new(w.as_bytes())).is_err());
    }
}
