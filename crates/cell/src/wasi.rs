//! The functions of WASI preview 1, with their types: one table for every engine.

/// Module name of WASI preview 1.
pub const WASI: &str = "wasi_snapshot_preview1";

/// Passes every function to a macro once: variant, name and parameters. All return an errno except
/// `proc_exit`, which never returns and is not listed.
macro_rules! functions {
    ($with:ident) => {
        $with! {
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
    };
}

#[cfg(not(target_family = "wasm"))]
pub(crate) use functions;

macro_rules! imports {
    ($($variant:ident $name:literal ($($arg:ident: $ty:ident),*))+) => {
        /// One function of WASI preview 1.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum Import {
            $($variant,)+
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
    };
}

functions!(imports);
