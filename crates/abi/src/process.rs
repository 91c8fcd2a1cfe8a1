//! Data about processes and files that WASI preview 1 cannot express.

use alloc::vec::Vec;

use crate::wire::{Reader, Result, Writer};

/// A request to start a process. Names and variables are bytes, since they need not be UTF-8.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spawn<'a> {
    /// The program: an absolute path in the sandbox's files, or the bare name of one of the
    /// sandbox's commands. The caller searches `PATH`.
    pub program: &'a [u8],
    /// Arguments; the first is the name of the program.
    pub argv: Vec<&'a [u8]>,
    /// Environment variables, each `NAME=value`.
    pub env: Vec<&'a [u8]>,
    /// Working directory, absolute.
    pub cwd: &'a [u8],
    /// Inherited descriptors: number in the child, number in the parent. All others are closed.
    pub descriptors: Vec<(u32, u32)>,
    /// Opaque data for the child, such as the state that a subshell inherits.
    pub state: &'a [u8],
}

impl<'a> Spawn<'a> {
    /// Packs the request.
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

    /// Unpacks a request.
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

/// The facts about a process that it asks for at its start, in one answer instead of a dozen WASI
/// calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Myself<'a> {
    /// Process id.
    pub pid: u32,
    /// Process id of the parent; 0 for the first process of a run.
    pub parent: u32,
    /// Initial working directory, absolute.
    pub cwd: &'a [u8],
    /// Opaque data from the parent; see [`Spawn::state`].
    pub state: &'a [u8],
    /// Signals that the parent ignored, bit `n` for signal `n`; they stay ignored.
    pub ignored: u64,
    /// Arguments; the first is the name of the program.
    pub argv: Vec<&'a [u8]>,
    /// Environment variables, each `NAME=value`.
    pub env: Vec<&'a [u8]>,
    /// Open descriptors.
    pub open: Vec<u32>,
    /// Wall clock time in nanoseconds since 1970.
    pub now: u64,
}

impl<'a> Myself<'a> {
    /// Packs the answer.
    pub fn write(&self, w: &mut Writer) {
        w.u32(self.pid).u32(self.parent).bytes(self.cwd).bytes(self.state).u64(self.ignored);
        write_list(w, &self.argv);
        write_list(w, &self.env);
        w.varint(self.open.len() as u32);
        self.open.iter().for_each(|number| _ = w.u32(*number));
        w.u64(self.now);
    }

    /// Unpacks an answer.
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

/// The complete status of a file, including members that WASI leaves out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileStatus {
    /// Kind and permission bits, as in `st_mode`.
    pub mode: u32,
    /// Number of hard links.
    pub links: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Id of the tree that contains the file.
    pub device: u64,
    /// Number of the file in its tree.
    pub inode: u64,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last read, in nanoseconds since 1970.
    pub accessed: u64,
    /// Time of the last change of content, in nanoseconds since 1970.
    pub modified: u64,
    /// Time of the last change of any kind, in nanoseconds since 1970.
    pub changed: u64,
}

impl FileStatus {
    /// Packs the status.
    pub fn write(&self, w: &mut Writer) {
        w.u32(self.mode).u32(self.links).u32(self.uid).u32(self.gid);
        w.u64(self.device).u64(self.inode).u64(self.size);
        w.u64(self.accessed).u64(self.modified).u64(self.changed);
    }

    /// Unpacks a status.
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
    /// Working directory, absolute.
    pub cwd: &'a [u8],
    /// Exported variables, each `NAME=value`.
    pub variables: Vec<&'a [u8]>,
}

impl<'a> Environment<'a> {
    /// Packs the environment.
    pub fn write(&self, w: &mut Writer) {
        w.bytes(self.cwd);
        write_list(w, &self.variables);
    }

    /// Unpacks an environment.
    pub fn read(r: &mut Reader<'a>) -> Result<Self> {
        Ok(Environment { cwd: r.bytes()?, variables: read_list(r)? })
    }
}

/// A limit that a program sets for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Cap {
    /// Depth of nested calls.
    Depth = 1,
    /// Length of generated text: a list of words, a padded number.
    Expansion = 2,
}

impl Cap {
    /// Returns the cap with this number, if any.
    pub const fn from_number(number: u8) -> Option<Cap> {
        match number {
            1 => Some(Cap::Depth),
            2 => Some(Cap::Expansion),
            _ => None,
        }
    }
}

/// An event of the tool that a program has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ToolEvent {
    /// The tool ended; the single byte is its exit code.
    Ended = 0,
    /// The tool wrote to standard output.
    Output = 1,
    /// The tool wrote to standard error.
    Error = 2,
    /// The tool waits for standard input.
    WantsInput = 3,
}

impl ToolEvent {
    /// Returns the event with this number, if any.
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
