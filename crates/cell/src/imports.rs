//! The imports of programs: the functions of WASI preview 1 and the gate, with their types.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use cofferdam_abi::call::TAKE;
use cofferdam_abi::frame::{MAX_REQUEST, REQUEST_HEADER};
use cofferdam_abi::names;
use wasmtime::{Caller, Linker};

use crate::cell::Stop;
use crate::gate::slice;
use crate::program::{Departure, Leave, Program, State};

/// Module name of WASI preview 1.
pub const WASI: &str = "wasi_snapshot_preview1";

/// Capacity of the answer buffer that a cell keeps between two calls, in bytes.
const MAX_KEPT: usize = 64 << 10;

/// Declares every function once: variant, name and parameters. All return an errno except
/// `proc_exit`, which never returns.
macro_rules! imports {
    ($($(#[$doc:meta])* $variant:ident $name:literal ($($arg:ident: $ty:ident),*))+) => {
        /// One function of WASI preview 1.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Import {
            $($(#[$doc])* $variant,)+
        }

        impl Import {
            /// All functions that return an errno, with their number of parameters.
            pub const ALL: &'static [(Import, usize)] =
                &[$((Import::$variant, <[&str]>::len(&[$(stringify!($arg)),*])),)+];

            /// Returns the name that modules import the function by.
            pub const fn name(self) -> &'static str {
                match self { $(Import::$variant => $name,)+ }
            }
        }

        fn link_wasi<P: Program>(linker: &mut Linker<State<P>>) -> wasmtime::Result<()> {
            $(linker.func_wrap_async(
                WASI,
                $name,
                |caller: Caller<'_, State<P>>, ($($arg,)*): ($($ty,)*)| {
                    Box::new(answer(caller, Import::$variant, [$(u64::from($arg)),*]))
                },
            )?;)+
            Ok(())
        }
    };
}

imports! {
    ArgsGet "args_get" (argv: u32, buf: u32)
    ArgsSizesGet "args_sizes_get" (count: u32, size: u32)
    EnvironGet "environ_get" (environ: u32, buf: u32)
    EnvironSizesGet "environ_sizes_get" (count: u32, size: u32)
    ClockResGet "clock_res_get" (id: u32, out: u32)
    ClockTimeGet "clock_time_get" (id: u32, precision: u64, out: u32)
    FdAdvise "fd_advise" (fd: u32, offset: u64, len: u64, advice: u32)
    FdAllocate "fd_allocate" (fd: u32, offset: u64, len: u64)
    FdClose "fd_close" (fd: u32)
    FdDatasync "fd_datasync" (fd: u32)
    FdFdstatGet "fd_fdstat_get" (fd: u32, out: u32)
    FdFdstatSetFlags "fd_fdstat_set_flags" (fd: u32, flags: u32)
    FdFdstatSetRights "fd_fdstat_set_rights" (fd: u32, base: u64, inheriting: u64)
    FdFilestatGet "fd_filestat_get" (fd: u32, out: u32)
    FdFilestatSetSize "fd_filestat_set_size" (fd: u32, size: u64)
    FdFilestatSetTimes "fd_filestat_set_times" (fd: u32, atim: u64, mtim: u64, flags: u32)
    FdPread "fd_pread" (fd: u32, iovs: u32, iovs_len: u32, offset: u64, out: u32)
    FdPrestatGet "fd_prestat_get" (fd: u32, out: u32)
    FdPrestatDirName "fd_prestat_dir_name" (fd: u32, path: u32, path_len: u32)
    FdPwrite "fd_pwrite" (fd: u32, iovs: u32, iovs_len: u32, offset: u64, out: u32)
    FdRead "fd_read" (fd: u32, iovs: u32, iovs_len: u32, out: u32)
    FdReaddir "fd_readdir" (fd: u32, buf: u32, buf_len: u32, cookie: u64, out: u32)
    FdRenumber "fd_renumber" (fd: u32, to: u32)
    FdSeek "fd_seek" (fd: u32, offset: u64, whence: u32, out: u32)
    FdSync "fd_sync" (fd: u32)
    FdTell "fd_tell" (fd: u32, out: u32)
    FdWrite "fd_write" (fd: u32, iovs: u32, iovs_len: u32, out: u32)
    PathCreateDirectory "path_create_directory" (fd: u32, path: u32, path_len: u32)
    PathFilestatGet "path_filestat_get" (fd: u32, flags: u32, path: u32, path_len: u32, out: u32)
    PathFilestatSetTimes "path_filestat_set_times" (
        fd: u32, flags: u32, path: u32, path_len: u32, atim: u64, mtim: u64, fst_flags: u32
    )
    PathLink "path_link" (
        old_fd: u32, old_flags: u32, old: u32, old_len: u32, new_fd: u32, new: u32, new_len: u32
    )
    PathOpen "path_open" (
        fd: u32, dirflags: u32, path: u32, path_len: u32, oflags: u32, base: u64,
        inheriting: u64, fdflags: u32, out: u32
    )
    PathReadlink "path_readlink" (
        fd: u32, path: u32, path_len: u32, buf: u32, buf_len: u32, out: u32
    )
    PathRemoveDirectory "path_remove_directory" (fd: u32, path: u32, path_len: u32)
    PathRename "path_rename" (
        fd: u32, old: u32, old_len: u32, new_fd: u32, new: u32, new_len: u32
    )
    PathSymlink "path_symlink" (old: u32, old_len: u32, fd: u32, new: u32, new_len: u32)
    PathUnlinkFile "path_unlink_file" (fd: u32, path: u32, path_len: u32)
    PollOneoff "poll_oneoff" (subscriptions: u32, events: u32, count: u32, out: u32)
    ProcRaise "proc_raise" (signal: u32)
    RandomGet "random_get" (buf: u32, buf_len: u32)
    SchedYield "sched_yield" ()
    SockAccept "sock_accept" (fd: u32, flags: u32, out: u32)
    SockRecv "sock_recv" (fd: u32, data: u32, data_len: u32, flags: u32, out: u32, out_flags: u32)
    SockSend "sock_send" (fd: u32, data: u32, data_len: u32, flags: u32, out: u32)
    SockShutdown "sock_shutdown" (fd: u32, how: u32)
}

/// Links all imports of a program.
pub(crate) fn link<P: Program>(linker: &mut Linker<State<P>>) -> wasmtime::Result<()> {
    link_wasi(linker)?;
    linker.func_wrap(WASI, "proc_exit", |code: u32| -> wasmtime::Result<()> {
        Err(Departure(Leave::Exit(code)).into())
    })?;
    linker.func_wrap_async(
        names::IMPORT_MODULE,
        names::IMPORT_CALL,
        |caller: Caller<'_, State<P>>,
         (request, request_len, room, room_len): (u32, u32, u32, u32)| {
            Box::new(cross(caller, request, request_len, room, room_len))
        },
    )?;
    Ok(())
}

/// Polls the program's host until it has an answer.
async fn answer<P: Program, const N: usize>(
    mut caller: Caller<'_, State<P>>,
    import: Import,
    args: [u64; N],
) -> wasmtime::Result<u32> {
    poll_fn(|cx| {
        let Some(memory) = caller.data().memory else {
            return breach("call before the cell was set up");
        };
        let (guest, state) = memory.data_and_store_mut(&mut caller);
        let program = &mut state.program;
        guarded(cx, |cx| program.poll_import(import, &args, guest, cx))
    })
    .await
}

/// `call(request, request_len, answer, answer_cap) -> answer_len`, as for tools, except that the
/// host may suspend the program until the answer is available.
async fn cross<P: Program>(
    mut caller: Caller<'_, State<P>>,
    request: u32,
    request_len: u32,
    room: u32,
    room_len: u32,
) -> wasmtime::Result<u32> {
    let mut is_begun = false;
    poll_fn(|cx| {
        let Some(memory) = caller.data().memory else {
            return breach("call before the cell was set up");
        };
        let (guest, state) = memory.data_and_store_mut(&mut caller);
        let Some(message) = slice(guest, request, request_len) else {
            return breach("request outside the guest's memory");
        };
        if message.len() > MAX_REQUEST {
            return breach("request longer than the limit");
        }
        let is_take = message.starts_with(&TAKE.to_le_bytes());
        if is_take && message.len() != REQUEST_HEADER {
            return breach("gate.take with fields or in a batch");
        }
        if !is_take {
            if !is_begun {
                is_begun = true;
                state.answer.clear();
                state.answer.shrink_to(MAX_KEPT);
            }
            let (program, answer) = (&mut state.program, &mut state.answer);
            match guarded(cx, |cx| program.poll_cross(message, answer, cx)) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        let len = state.answer.len();
        if len <= room_len as usize {
            let end = (room as usize).saturating_add(len);
            let Some(room) = guest.get_mut(room as usize..end) else {
                return breach("room for the answer outside the guest's memory");
            };
            room.copy_from_slice(&state.answer);
        } else if is_take {
            return breach("gate.take without room for the answer");
        }
        match u32::try_from(len) {
            Ok(len) => Poll::Ready(Ok(len)),
            Err(_) => breach("answer longer than 4 GiB"),
        }
    })
    .await
}

/// Confines a panic in a host call to this run.
fn guarded<T>(
    cx: &mut Context<'_>,
    run: impl FnOnce(&mut Context<'_>) -> Poll<Result<T, Leave>>,
) -> Poll<wasmtime::Result<T>> {
    match catch_unwind(AssertUnwindSafe(|| run(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(value))) => Poll::Ready(Ok(value)),
        Ok(Poll::Ready(Err(leave))) => Poll::Ready(Err(Departure(leave).into())),
        Err(_) => {
            let failed = Stop::HostFailed("panic in a host call".into());
            Poll::Ready(Err(failed.into()))
        }
    }
}

fn breach<T>(what: &str) -> Poll<wasmtime::Result<T>> {
    Poll::Ready(Err(Stop::Breach(what.into()).into()))
}
