//! The closed table of host calls. Help, audit names and the dispatch on the host come from it.

macro_rules! calls {
    ($($(#[$doc:meta])* $number:literal $variant:ident $name:literal,)+) => {
        /// One host call. A number that is not here stops the run.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Call {
            $($(#[$doc])* $variant = $number,)+
        }

        impl Call {
            /// Every call, in the order of the table.
            pub const ALL: &'static [Call] = &[$(Call::$variant,)+];

            /// The call of this number, if the table has one.
            pub const fn from_number(number: u16) -> Option<Call> {
                match number {
                    $($number => Some(Call::$variant),)+
                    _ => None,
                }
            }

            /// The name it has in errors and in the audit log.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Call::$variant => $name,)+
                }
            }
        }
    };
}

calls! {
    /// The rest of an answer that did not fit: no fields, answers the kept bytes as they are.
    0 Take "gate.take",
    /// `stream: u8 (1 output, 2 error), text: rest`; answers nothing.
    1 ConsoleWrite "console.write",
    /// No fields; answers `f64`, milliseconds since 1970.
    2 ClockWall "clock.wall",
    /// No fields; answers `f64`, milliseconds since the run began.
    3 ClockMonotonic "clock.monotonic",
    /// `count: u32`; answers so many random bytes.
    4 RandomBytes "random.bytes",
    /// `delay: f64` in milliseconds; pending, answered with nothing when the time has come.
    5 TimerStart "timer.start",
    /// `ticket: u32`; gives up a pending call. Answers nothing, also when it was answered already.
    6 TicketCancel "ticket.cancel",

    /// A packed [`crate::process::Spawn`]; answers `pid: u32`.
    16 ProcessSpawn "process.spawn",
    /// `pid: u32 (0 any child), flags: u8 (1 do not wait)`; waits for a child to end and answers
    /// `pid: u32, status: u32`, where a status past 255 is 256 plus the signal that killed it.
    /// With flag 1 and no child that has ended, the pid is 0. Refused: `ECHILD`, `EINTR`.
    17 ProcessWait "process.wait",
    /// `pid: u32, signal: u8`; signal 0 asks whether the process is there. Refused: `ESRCH`.
    18 ProcessKill "process.kill",
    /// No fields; answers a packed [`crate::process::Myself`].
    19 ProcessMyself "process.myself",
    /// No fields; answers `read: u32, write: u32`, the two ends of a new pipe.
    20 PipeNew "pipe.new",
    /// `fd: u32, least: u32`; answers `fd: u32`, the same open file under the first free number
    /// from `least` on. Refused: `EBADF`, `EMFILE`.
    21 DescriptorCopy "descriptor.copy",
    /// `fd: u32, to: u32`; `to` is closed and becomes the same open file as `fd`. Refused: `EBADF`.
    22 DescriptorReplace "descriptor.replace",
    /// No fields; answers one byte for each signal that came since the last time, in order.
    23 SignalTake "signal.take",
    /// `caught: u64, ignored: u64`, bit `n` for signal `n`: caught ones are kept for
    /// [`Call::SignalTake`] and end a wait with `EINTR`; ignored ones do nothing; the rest kill.
    24 SignalSet "signal.set",
    /// `follow: u8, path: bytes`; answers a packed [`crate::process::FileStatus`]. Refused: errno.
    25 FileStat "file.stat",
    /// `mode: u32, path: bytes`; links are followed. Refused: errno.
    26 FileMode "file.mode",
    /// `mask: u32`; answers the mask it had. Files and folders made from now on lack these bits.
    27 ProcessMask "process.mask",
    /// A packed [`crate::process::Environment`]: what the next run of the sandbox begins with.
    /// Only the first process of a run is heard; answers nothing.
    28 EnvironmentKeep "environment.keep",
    /// `which: u8 ([crate::process::Cap]), allowed: u64`; the program refused something because of
    /// a cap of its own. Answers nothing; counts if the run fails.
    29 CapHit "cap.hit",
    /// `mode: u32, path: bytes`; makes a named pipe, without the bits of the mask. Refused: errno.
    37 FifoMake "fifo.make",
    /// `tool: value (name, source, arguments)`; begins a tool, one at a time. Answers nothing.
    30 ToolStart "tool.start",
    /// No fields; waits for the tool of [`Call::ToolStart`] and answers `event: u8
    /// ([crate::process::ToolEvent]), bytes: rest`.
    31 ToolRead "tool.read",

    // What tools ask for. `value` is a structured clone behind its length, as
    // [`crate::value`] packs it; an answer that is a value is nothing but that. Each is checked
    // against the grants, and pending while somebody is asked.
    /// `area: u8 (0 local, 1 session), key: str`; answers a value: the text, or null.
    32 StorageGet "storage.get",
    /// `area: u8, key: str, text: str`; answers nothing.
    33 StorageSet "storage.set",
    /// `area: u8, key: str`; answers nothing.
    34 StorageRemove "storage.remove",
    /// `area: u8`; answers a value: a list of keys in their order of insertion.
    35 StorageKeys "storage.keys",
    /// `area: u8`; answers nothing.
    36 StorageClear "storage.clear",
    /// `path: str`; answers the bytes of a file.
    40 FileRead "file.read",
    /// `path: str, append: u8, content: rest`; answers nothing.
    41 FileWrite "file.write",
    /// `path: str`; answers a value: a list of `[name, kind]`.
    42 FileList "file.list",
    /// `path: str, follow: u8`; answers a value: kind, size, mode, times.
    43 FileLook "file.look",
    /// `path: str, parents: u8`; answers nothing.
    44 FolderMake "folder.make",
    /// `path: str, flags: u8 (1 with everything below, 2 also when missing)`; answers nothing.
    45 FileRemove "file.remove",
    /// `from: str, to: str`; answers nothing.
    46 FileRename "file.rename",
    /// `name: str`; answers a value: what the embedding program published.
    50 StateGet "state.get",
    /// `name: str, content: value`; answers nothing.
    51 StateSet "state.set",
    /// `name: str`; answers a value: what the embedding program says about it.
    52 StateDescribe "state.describe",
    /// No fields; answers a value: a list of names.
    53 StateList "state.list",
    /// `name: str`; answers a value: the text, or null.
    56 VariableGet "variable.get",
    /// No fields; answers a value: a list of names, those only that may be read.
    57 VariableList "variable.list",
    /// `name: str, arguments: value`; pending, answers a value.
    60 FunctionCall "function.call",
    // Programs may make these three as well; the answer is then waited for in the call, and the
    // refusal of a request that was sent has the member `kind`.
    /// `request: value, body: rest`; pending, answers a value: the response's head and, where it
    /// has a body, the number of a stream.
    64 FetchStart "fetch.start",
    /// `stream: u32`; pending, answers the next bytes, none at the end.
    65 FetchRead "fetch.read",
    /// `stream: u32`; the rest is not wanted. Answers nothing.
    66 FetchStop "fetch.stop",
    // These three are for tools alone: a program stands still while its request is under way.
    /// `known: u8, length: u32`; answers a value: the number of a body, of `length` bytes where
    /// that is known, for the member `upload` of one request.
    67 FetchBody "fetch.body",
    /// `body: u32, last: u8, piece: rest`; hands a piece over, then the end where `last` is 1;
    /// pending, answers one byte, what is wanted next: 0 nothing, the request has ended; 1 more;
    /// 2 all of it from the beginning, for a redirect. An empty piece only waits.
    68 FetchSend "fetch.send",
    /// `body: u32`; there will be no more of it, which fails a request that has not ended.
    /// Answers nothing.
    69 FetchDrop "fetch.drop",
    /// `command: value`; pending, answers a value: exit code and output.
    70 CommandRun "command.run",
    /// No fields; pending, answers the next bytes of the standard input of a tool that a program
    /// started, none at its end.
    71 InputRead "input.read",
    /// `bytes: rest`, none for the end: what the tool of [`Call::ToolStart`] reads. Answers
    /// nothing.
    72 ToolFeed "tool.feed",
    /// No fields; answers four `u64`: bytes in the sandbox's files, how many there may be, files,
    /// how many there may be.
    73 SpaceLook "space.look",
    /// `code: rest`: what the tool that starts was compiled to, before it runs. Answers nothing.
    74 CodeKeep "code.keep",
    /// `name: str, source: rest`: a TypeScript file that the tool imports; pending, answers its
    /// JavaScript.
    75 TypesStrip "types.strip",
    /// `operation: u8 ([crate::dom::DomOperation]), handle: u32 (0 none), selector: str, text: str,
    /// more: str`; answers a value: what the page says.
    80 DomCall "dom.call",
}

impl Call {
    /// The number on the wire.
    pub const fn number(self) -> u16 {
        self as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_calls_are_inverse() {
        for &call in Call::ALL {
            assert_eq!(Call::from_number(call.number()), Some(call));
        }
    }

    #[test]
    fn a_number_outside_the_table_is_no_call() {
        assert_eq!(Call::from_number(u16::MAX), None);
    }
}
