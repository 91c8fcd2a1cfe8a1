//! The closed tables of host calls: one for tools, one for programs. Help, audit names and the
//! dispatch on the host come from them.
//!
//! Meets T-PERM-005.

/// One side's table of host calls.
pub trait Call: Copy + 'static {
    /// Returns the call of this number, or `None` if the table has no such call.
    fn from_number(number: u16) -> Option<Self>;

    /// Returns the number on the wire.
    fn number(self) -> u16;

    /// Returns the name used in errors and in the audit log.
    fn name(self) -> &'static str;
}

/// Number of the request for the rest of an answer that did not fit: no fields, answered with
/// the kept bytes as they are. The cell serves it, so it is in neither table.
pub const TAKE: u16 = 0;

macro_rules! calls {
    ($(#[$about:meta])* $table:ident: $($(#[$doc:meta])* $number:literal $variant:ident $name:literal,)+) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum $table {
            $($(#[$doc])* $variant = $number,)+
        }

        impl $table {
            /// Every call, in the order of the table.
            pub const ALL: &'static [$table] = &[$($table::$variant,)+];

            /// Returns the number on the wire.
            pub const fn number(self) -> u16 {
                self as u16
            }

            /// Returns the name used in errors and in the audit log.
            pub const fn name(self) -> &'static str {
                match self {
                    $($table::$variant => $name,)+
                }
            }
        }

        impl Call for $table {
            fn from_number(number: u16) -> Option<$table> {
                match number {
                    $($number => Some($table::$variant),)+
                    _ => None,
                }
            }

            fn number(self) -> u16 {
                $table::number(self)
            }

            fn name(self) -> &'static str {
                $table::name(self)
            }
        }
    };
}

// `value` is a structured clone behind its length, as [`crate::value`] packs it; an answer that is
// a value is nothing but that. A call that uses a resource is checked against the grants, and
// pending while somebody is asked.
calls! {
    /// A host call of a tool. A number that is not here stops the run.
    ToolCall:
    /// `stream: u8 (1 output, 2 error), text: rest`; returns nothing.
    1 ConsoleWrite "console.write",
    /// No fields; returns `f64`, milliseconds since 1970.
    2 ClockWall "clock.wall",
    /// No fields; returns `f64`, milliseconds since the run began.
    3 ClockMonotonic "clock.monotonic",
    /// `count: u32`; returns that many random bytes.
    4 RandomBytes "random.bytes",
    /// `delay: f64` in milliseconds; pending, returns nothing when the delay has passed.
    5 TimerStart "timer.start",
    /// `ticket: u32`; cancels a pending call. Returns nothing, even if the call has completed.
    6 TicketCancel "ticket.cancel",
    /// `area: u8 (0 local, 1 session), key: str`; returns a value: the text, or null.
    32 StorageGet "storage.get",
    /// `area: u8, key: str, text: str`; returns nothing.
    33 StorageSet "storage.set",
    /// `area: u8, key: str`; returns nothing.
    34 StorageRemove "storage.remove",
    /// `area: u8`; returns a value: a list of keys in order of insertion.
    35 StorageKeys "storage.keys",
    /// `area: u8`; returns nothing.
    36 StorageClear "storage.clear",
    /// `path: str`; returns the bytes of a file.
    40 FileRead "file.read",
    /// `path: str, append: u8, content: rest`; returns nothing.
    41 FileWrite "file.write",
    /// `path: str`; returns a value: a list of `[name, kind]`.
    42 FileList "file.list",
    /// `path: str, follow: u8`; returns a value: kind, size, mode, times.
    43 FileLook "file.look",
    /// `path: str, parents: u8`; returns nothing.
    44 FolderMake "folder.make",
    /// `path: str, flags: u8 (1 recursive, 2 ignore if missing, 4 an empty folder)`; returns
    /// nothing. Without flags, only a file is removed.
    45 FileRemove "file.remove",
    /// `from: str, to: str`; returns nothing.
    46 FileRename "file.rename",
    /// `path: str, mode: u32`; sets the permission bits. Returns nothing.
    47 FileMode "file.mode",
    /// `path: str`; returns the bytes of a file that the tool is about to load as a module. It is
    /// part of the tool from then on.
    48 ModuleRead "module.read",
    /// `name: str`; returns a value: the state that the embedding program has published.
    50 StateGet "state.get",
    /// `name: str, content: value`; returns nothing.
    51 StateSet "state.set",
    /// `name: str`; returns a value: the embedding program's description of a state.
    52 StateDescribe "state.describe",
    /// No fields; returns a value: a list of names.
    53 StateList "state.list",
    /// `name: str`; returns a value: the text, or null.
    56 VariableGet "variable.get",
    /// No fields; returns a value: a list of the names that may be read.
    57 VariableList "variable.list",
    /// `name: str, arguments: value`; pending, returns a value.
    60 FunctionCall "function.call",
    /// `request: value, body: rest`; pending, returns a value: the head of the response and, if it
    /// has a body, the number of a stream.
    64 FetchStart "fetch.start",
    /// `stream: u32`; pending, returns the next bytes, none at the end.
    65 FetchRead "fetch.read",
    /// `stream: u32`; discards the rest of the stream. Returns nothing.
    66 FetchStop "fetch.stop",
    /// `known: u8, length: u32`; returns a value: the number of a new body for the member `upload`
    /// of one request. The body has `length` bytes if `known` is 1.
    67 FetchBody "fetch.body",
    /// `body: u32, last: u8, piece: rest`; sends a piece, and ends the body if `last` is 1.
    /// Pending, returns one byte: 0 if the request has ended, 1 to continue, 2 to send the body
    /// again from the beginning after a redirect. An empty piece only waits.
    68 FetchSend "fetch.send",
    /// `body: u32`; abandons the body, which fails a request that has not ended. Returns nothing.
    69 FetchDrop "fetch.drop",
    /// `command: value`; pending, returns a value: exit code and output.
    70 CommandRun "command.run",
    /// `command: value`; starts a command. Pending, returns a value: the number of the command.
    /// Its standard input is fed if the member `piped` is true.
    77 CommandStart "command.start",
    /// `command: u32`; pending, returns the next event: 1 and bytes of standard output, 2 and bytes
    /// of standard error, 0 and the exit code as `i32` and a reason that was not printed, or 3 if the
    /// command was stopped. A command that has ended or was stopped has no number any more.
    78 CommandNext "command.next",
    /// `command: u32, last: u8, piece: rest`; writes to standard input, and ends it if `last` is 1.
    /// Pending, returns nothing when the command has room for more.
    79 CommandFeed "command.feed",
    /// `command: u32`; stops a command. Returns nothing, even if the command has ended.
    81 CommandStop "command.stop",
    /// No fields; pending, returns the next bytes of standard input of a tool that a program has
    /// started, none at the end.
    71 InputRead "input.read",
    /// `ticket: u32 (0 for the denial that was answered last), file: str, line: u32`: the place in
    /// the tool that a question or a denial comes from. Returns nothing.
    76 PlaceTell "place.tell",
    /// `code: rest`; the compiled code of the starting tool, before it runs. Returns nothing.
    74 CodeKeep "code.keep",
    /// `name: str, source: rest`: a TypeScript file that the tool imports; pending, answers its
    /// JavaScript.
    75 TypesStrip "types.strip",
    /// `operation: u8 ([crate::dom::DomOperation]), handle: u32 (0 none), selector: str, text: str,
    /// more: str`; returns a value: the page's answer.
    80 DomCall "dom.call",
}

// The answer to a call that takes time is waited for in the call. The refusal of an HTTP request
// that was sent has the member `kind`.
calls! {
    /// A host call of a program, beyond WASI. A number that is not here stops the program.
    ProgramCall:
    /// A packed [`crate::process::Spawn`]; returns `pid: u32`.
    16 ProcessSpawn "process.spawn",
    /// `pid: u32 (0 any child), flags: u8 (1 do not wait)`; waits for a child to end and returns
    /// `pid: u32, status: u32`, where a status above 255 is 256 plus the signal that killed it.
    /// With flag 1 and no ended child, the pid is 0. Refused: `ECHILD`, `EINTR`.
    17 ProcessWait "process.wait",
    /// `pid: u32, signal: u8`; signal 0 only tests that the process exists. Refused: `ESRCH`.
    18 ProcessKill "process.kill",
    /// No fields; returns a packed [`crate::process::Myself`].
    19 ProcessMyself "process.myself",
    /// No fields; returns `read: u32, write: u32`, the two ends of a new pipe.
    20 PipeNew "pipe.new",
    /// `fd: u32, least: u32`; returns `fd: u32`, the same open file under the first free number
    /// that is at least `least`. Refused: `EBADF`, `EMFILE`.
    21 DescriptorCopy "descriptor.copy",
    /// `fd: u32, to: u32`; closes `to` and makes it the same open file as `fd`. Refused: `EBADF`.
    22 DescriptorReplace "descriptor.replace",
    /// No fields; returns one byte for each signal since the last call, in order.
    23 SignalTake "signal.take",
    /// `caught: u64, ignored: u64`, bit `n` for signal `n`. Caught signals are kept for
    /// [`ProgramCall::SignalTake`] and end a wait with `EINTR`; ignored ones do nothing; all others kill.
    24 SignalSet "signal.set",
    /// `follow: u8, path: bytes`; returns a packed [`crate::process::FileStatus`]. Refused: errno.
    25 FileStat "file.stat",
    /// `mode: u32, path: bytes`; sets the mode, following links. Refused: errno.
    26 FileMode "file.mode",
    /// `mask: u32`; returns the previous mask. New files and folders lack these permission bits.
    27 ProcessMask "process.mask",
    /// A packed [`crate::process::Environment`] for the next run of the sandbox. Ignored unless
    /// made by the first process of a run; returns nothing.
    28 EnvironmentKeep "environment.keep",
    /// `which: u8 ([crate::process::Cap]), allowed: u64`; reports that the program refused
    /// something because of a cap of its own. Returns nothing; used to explain a failed run.
    29 CapHit "cap.hit",
    /// `tool: value (name, source, arguments, and optionally cwd and path)`; starts a tool, one at a
    /// time. Returns nothing.
    30 ToolStart "tool.start",
    /// No fields; waits for the tool of [`ProgramCall::ToolStart`] and returns `event: u8
    /// ([crate::process::ToolEvent]), bytes: rest`.
    31 ToolRead "tool.read",
    /// `mode: u32, path: bytes`; creates a named pipe, without the bits of the mask. Refused:
    /// errno.
    37 FifoMake "fifo.make",
    /// `request: value, body: rest`; pending, returns a value: the head of the response and, if it
    /// has a body, the number of a stream. If the request names a descriptor as `from`, the rest of
    /// that descriptor follows the body, is read while it is sent, and counted as `sent`.
    64 FetchStart "fetch.start",
    /// `stream: u32`; pending, returns the next bytes, none at the end.
    65 FetchRead "fetch.read",
    /// `stream: u32`; discards the rest of the stream. Returns nothing.
    66 FetchStop "fetch.stop",
    /// `bytes: rest`, none for the end; input for the tool of [`ProgramCall::ToolStart`]. Returns nothing.
    72 ToolFeed "tool.feed",
    /// No fields; returns four `u64`: bytes in the sandbox's files, their limit, number of files,
    /// their limit.
    73 SpaceLook "space.look",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<C: Call + PartialEq + core::fmt::Debug>(all: &[C]) {
        for &call in all {
            assert_eq!(C::from_number(call.number()), Some(call));
        }
    }

    #[test]
    fn numbers_and_calls_are_inverse() {
        check(ToolCall::ALL);
        check(ProgramCall::ALL);
    }

    /// T-CELL-006.
    #[test]
    fn a_number_outside_the_table_is_no_call() {
        for number in [TAKE, u16::MAX] {
            assert_eq!(ToolCall::from_number(number), None);
            assert_eq!(ProgramCall::from_number(number), None);
        }
    }

    #[test]
    fn calls_of_one_side_are_none_of_the_other() {
        assert_eq!(ToolCall::from_number(ProgramCall::ProcessSpawn.number()), None);
        assert_eq!(ProgramCall::from_number(ToolCall::FileRead.number()), None);
    }

    #[test]
    fn a_number_means_the_same_in_both_tables() {
        for &call in ToolCall::ALL {
            if let Some(same) = ProgramCall::from_number(call.number()) {
                assert_eq!(same.name(), call.name());
            }
        }
    }
}
