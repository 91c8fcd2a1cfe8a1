//! A running sandbox, as its supervisor holds it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::call::{Attempt, Call, GuestPath};
use crate::group::Group;
use crate::launcher::Launcher;
use crate::message::{self, Order, Report, World};
use crate::missing::{Missing, Piece};
use crate::plan::{Bind, Content, Entry, Plan};
use crate::sys::{process, seccomp, socket};
use crate::view::{Executable, Place, View};
use crate::world;

/// Most mounts that are added to a running sandbox.
const MAX_MOUNTS: usize = 4096;

/// First kernel in which waiting for a call ends with the sandbox.
const RECEIVE_IS_WOKEN: (u32, u32) = (6, 11);

/// A sandbox that was started, with the supervisor's ends of its streams.
pub struct Started {
    /// The sandbox.
    pub sandbox: Arc<Sandbox>,
    /// The streams of the program.
    pub streams: Streams,
    /// Sockets in the sandbox's network.
    pub network: NetworkSockets,
}

/// Sockets that belong to the sandbox's network and are used outside.
pub struct NetworkSockets {
    /// Receives questions for names.
    pub names: UdpSocket,
    /// Accepts connections, one for each of [`PORTS`](crate::PORTS).
    pub ports: Vec<TcpListener>,
}

/// A running sandbox. It ends when this is dropped.
pub struct Sandbox {
    control: OwnedFd,
    /// Held from an order until its report.
    orders: Mutex<()>,
    /// The first process of the sandbox, which ends as the last one.
    init: OwnedFd,
    ended: Mutex<Ended>,
    group: Option<Group>,
    membership: Mutex<Membership>,
    launcher: Launcher,
    listener: OwnedFd,
    /// True if the wait for a call ends by itself when the sandbox does.
    is_receive_woken: bool,
    view: View,
    /// Mounts of the host, by their place.
    mounts: Mutex<BTreeMap<PathBuf, Bind>>,
}

/// The program's membership in the control group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Membership {
    /// The program has not called yet.
    Pending,
    /// The program and its children are in the group.
    Joined,
    /// There is no group, or the program could not be moved into it.
    Outside,
}

/// The exit code of the program.
enum Ended {
    /// It will be written here, unless the sandbox is killed.
    Later(File),
    Code(u8),
}

/// Resources that a sandbox uses at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Memory of all processes together.
    pub memory_bytes: u64,
    /// Number of processes.
    pub processes: u64,
}

/// A sandbox whose launcher has its plan and builds it.
pub struct Starting {
    launcher: Unfinished,
    control: OwnedFd,
    ended: File,
    group: Option<Group>,
    windows: Vec<PathBuf>,
    mounts: BTreeMap<PathBuf, Bind>,
}

/// The supervisor's ends of a program's streams.
pub struct Streams {
    /// Writing end of standard input.
    pub stdin: File,
    /// Reading end of standard output.
    pub stdout: File,
    /// Reading end of standard error.
    pub stderr: File,
}

impl Starting {
    /// Waits until the program is about to start.
    pub fn finish(mut self) -> Result<(Arc<Sandbox>, NetworkSockets), Missing> {
        let failed = |step: &'static str| Missing::at(Piece::Launcher, step);
        let (listener, root, init, network) = await_ready(&self.control)?;
        seccomp::wake_in_turn(listener.as_fd());
        let view = View::new(root, world::known(), self.windows).map_err(failed("root"))?;
        let launcher = self.launcher.0.take();
        let launcher = launcher.ok_or_else(|| Missing::new(Piece::Launcher, "gone"))?;
        let sandbox = Arc::new(Sandbox {
            control: self.control,
            orders: Mutex::default(),
            init,
            ended: Mutex::new(Ended::Later(self.ended)),
            membership: Mutex::new(Membership::Pending),
            group: self.group,
            launcher,
            listener,
            is_receive_woken: process::is_kernel_at_least(RECEIVE_IS_WOKEN),
            view,
            mounts: Mutex::new(self.mounts),
        });
        Ok((sandbox, network))
    }
}

impl Sandbox {
    /// Hands a plan to a launcher, which builds the sandbox beside the entries of
    /// [`system`](crate::system), which the caller has found. The caller can do other work before it
    /// calls [`Starting::finish`].
    ///
    /// The calling program must call [`become_launcher`](crate::become_launcher) first in `main`.
    pub fn launch(plan: &Plan, system: Vec<Entry>) -> Result<(Starting, Streams), Missing> {
        let failed = |step: &'static str| Missing::at(Piece::Launcher, step);
        let (launcher, control) = Launcher::start().map_err(failed("start"))?;
        let launcher = Unfinished(Some(launcher));
        let (stdin_end, stdin) = io::pipe().map_err(failed("pipe"))?;
        let (stdout, stdout_end) = io::pipe().map_err(failed("pipe"))?;
        let (stderr, stderr_end) = io::pipe().map_err(failed("pipe"))?;
        let (ended, ended_end) = io::pipe().map_err(failed("pipe"))?;
        let (plan_end, mut plan_text) = io::pipe().map_err(failed("pipe"))?;
        let fds = [
            plan_end.as_fd(),
            ended_end.as_fd(),
            stdin_end.as_fd(),
            stdout_end.as_fd(),
            stderr_end.as_fd(),
        ];
        message::send(control.as_fd(), &(), &fds).map_err(failed("plan"))?;
        drop((plan_end, ended_end, stdin_end, stdout_end, stderr_end));
        let text = serde_json::to_vec(plan)
            .map_err(|error| Missing::new(Piece::Launcher, format_args!("plan: {error}")))?;
        plan_text.write_all(&text).map_err(failed("plan"))?;
        drop(plan_text);
        let file = |end: OwnedFd| File::from(end);
        let streams = Streams {
            stdin: file(stdin.into()),
            stdout: file(stdout.into()),
            stderr: file(stderr.into()),
        };
        let windows = plan.entries.iter().filter(|entry| entry.content == Content::Window);
        let starting = Starting {
            launcher,
            control,
            ended: file(ended.into()),
            group: Group::make(plan.limits.memory_bytes, plan.limits.tasks()),
            windows: windows.map(|entry| entry.at.clone()).collect(),
            mounts: mounts(plan, system),
        };
        Ok((starting, streams))
    }

    /// Starts the plan's program behind the walls, or fails and names the piece that is missing.
    pub fn start(plan: &Plan) -> Result<Started, Missing> {
        let (starting, streams) = Sandbox::launch(plan, world::system())?;
        let (sandbox, network) = starting.finish()?;
        Ok(Started { sandbox, streams, network })
    }

    /// Waits for the next call that needs an answer; `None` when the sandbox has ended.
    pub fn next_call(&self) -> Option<Call> {
        loop {
            // The descriptor hangs up when the last process behind the filter is gone.
            if !self.is_receive_woken {
                process::poll(&[self.listener.as_fd()]);
            }
            match seccomp::receive(self.listener.as_fd()) {
                Ok(notification) => {
                    self.join_group(notification.pid);
                    let call = Call::read(&notification);
                    if call.attempt.changes() {
                        self.view.forget();
                    }
                    return Some(call);
                }
                Err(error) => match error.raw_os_error() {
                    Some(libc::EINTR | libc::EAGAIN) => {}
                    // The caller ended before the call was received, or the sandbox did.
                    Some(libc::ENOENT) if !self.has_hung_up() => {}
                    Some(_) | None => return None,
                },
            }
        }
    }

    /// Moves the program into the control group. Its first call is that which starts it, so that
    /// nothing of it runs outside.
    fn join_group(&self, process: u32) {
        let mut membership = lock(&self.membership);
        if *membership == Membership::Pending {
            let joined = self.group.as_ref().is_some_and(|group| group.add(process).is_ok());
            *membership = if joined { Membership::Joined } else { Membership::Outside };
        }
    }

    /// Returns true if the kernel keeps the limit of memory.
    pub fn is_memory_bounded(&self) -> bool {
        *lock(&self.membership) == Membership::Joined
    }

    /// Returns true if the kernel ended the program because of its memory.
    pub fn ran_out_of_memory(&self) -> bool {
        self.group.as_ref().is_some_and(Group::ran_out_of_memory)
    }

    fn has_hung_up(&self) -> bool {
        process::has_hung_up(self.listener.as_fd())
    }

    /// Returns true if a call still waits. Numbers of processes are used again: what was read of
    /// a process belongs to the caller only if the call waits afterwards. A call that has ended
    /// gets no answer, so that this matters only before something is done on its behalf.
    pub fn is_waiting(&self, call: &Call) -> bool {
        seccomp::is_waiting(self.listener.as_fd(), call.id)
    }

    /// Lets a call continue; the walls decide.
    pub fn proceed(&self, call: &Call) {
        // T-NAT-013: a Unix socket of the kernel's would reach the sockets of mounted folders.
        if call.attempt == Attempt::UnixSocket {
            return self.refuse(call, libc::EAFNOSUPPORT);
        }
        // Fails only if the caller has ended.
        let _ = seccomp::proceed(self.listener.as_fd(), call.id);
    }

    /// Makes a call fail with an error number.
    pub fn refuse(&self, call: &Call, errno: i32) {
        let _ = seccomp::fail(self.listener.as_fd(), call.id, errno);
    }

    /// Makes a call return a value without carrying it out.
    pub fn answer(&self, call: &Call, value: i64) {
        let _ = seccomp::succeed(self.listener.as_fd(), call.id, value);
    }

    /// Makes a call return a new descriptor of an open file.
    pub fn inject(&self, call: &Call, file: &File) -> io::Result<()> {
        seccomp::inject(self.listener.as_fd(), call.id, file.as_fd(), true)
    }

    /// Makes a call for a Unix socket return one end of a pair, and returns the other end. The
    /// program's end is connected for good: the kernel connects it to nothing else.
    pub fn give_socket(&self, call: &Call) -> io::Result<UnixStream> {
        let (ours, theirs) = UnixStream::pair()?;
        theirs.set_nonblocking(call.socket_flags & libc::SOCK_NONBLOCK != 0)?;
        ours.set_nonblocking(true)?;
        let is_closed = call.socket_flags & libc::SOCK_CLOEXEC != 0;
        seccomp::inject(self.listener.as_fd(), call.id, theirs.as_fd(), is_closed)?;
        Ok(ours)
    }

    /// Finds the place that a path of a call leads to.
    pub fn locate(&self, call: &Call, path: &GuestPath) -> Place {
        self.view.locate(call.pid, path)
    }

    /// Returns the path in the sandbox that a path of a call leads to, links followed.
    pub fn resolve(&self, call: &Call, path: &GuestPath) -> Option<PathBuf> {
        self.view.resolve(call.pid, path)
    }

    /// Opens a file of the sandbox for reading.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        self.view.open_to_read(path)
    }

    /// Finds the program that a path of a call leads to.
    pub fn executable(&self, call: &Call, path: &GuestPath) -> Option<Executable> {
        self.view.executable(call.pid, path)
    }

    /// Finds the program at an absolute path of the sandbox.
    pub fn program_at(&self, path: &Path) -> Option<Executable> {
        self.view.program_at(path)
    }

    /// Mounts a file or folder of the host at the same or another path of the running sandbox.
    /// `checked` is the file that was permitted; another one is not mounted.
    pub fn mount(&self, at: &Path, bind: Bind, checked: &fs::Metadata) -> io::Result<()> {
        let identity = (checked.dev(), checked.ino());
        self.add_mount(at, bind, World::Host, identity)
    }

    /// Lets a file of the sandbox be started as a program.
    pub fn allow_program(&self, program: &Executable) -> io::Result<()> {
        let bind = Bind::code(program.path.clone());
        self.add_mount(&program.path, bind, World::Sandbox, program.identity)
    }

    fn add_mount(
        &self,
        at: &Path,
        bind: Bind,
        world: World,
        identity: (u64, u64),
    ) -> io::Result<()> {
        let mut mounts = lock(&self.mounts);
        if mounts.get(at) == Some(&bind) {
            return Ok(());
        }
        if mounts.len() >= MAX_MOUNTS {
            return Err(io::Error::from_raw_os_error(libc::ENOSPC));
        }
        let order = match mounts.get(at) {
            Some(old) if old.source == bind.source => {
                Order::Change { at: at.to_owned(), bind: bind.clone() }
            }
            Some(_) | None => {
                Order::Mount { at: at.to_owned(), bind: bind.clone(), world, identity }
            }
        };
        self.order(&order)?;
        mounts.insert(at.to_owned(), bind);
        Ok(())
    }

    /// Takes a live mount away.
    pub fn unmount(&self, at: &Path) -> io::Result<()> {
        self.order(&Order::Unmount { at: at.to_owned() })?;
        lock(&self.mounts).remove(at);
        Ok(())
    }

    /// Makes a symbolic link outside of all mounts.
    pub fn make_link(&self, at: &Path, target: &Path) -> io::Result<()> {
        self.order(&Order::Link { at: at.to_owned(), target: target.to_owned() }).map(drop)
    }

    /// Makes an empty folder outside of all mounts.
    pub fn make_folder(&self, at: &Path) -> io::Result<()> {
        self.order(&Order::Folder { at: at.to_owned() }).map(drop)
    }

    /// Listens on a port of the sandbox's network. Fails if the program listens there itself.
    pub fn listen(&self, port: u16, loopback: bool) -> io::Result<TcpListener> {
        let socket = self.order(&Order::Listen { port, loopback })?;
        socket.map(TcpListener::from).ok_or_else(|| io::Error::from_raw_os_error(libc::EIO))
    }

    fn order(&self, order: &Order) -> io::Result<Option<OwnedFd>> {
        let _turn = lock(&self.orders);
        self.view.forget();
        message::send(self.control.as_fd(), order, &[])?;
        match message::receive(self.control.as_fd())? {
            Some((Report::Done(None), fds)) => Ok(fds.into_iter().next()),
            Some((Report::Done(Some(errno)), _)) => Err(io::Error::from_raw_os_error(errno)),
            Some((Report::Missing(_) | Report::Listening | Report::Ready, _)) | None => {
                Err(io::Error::from_raw_os_error(libc::EPIPE))
            }
        }
    }

    /// Ends every process of the sandbox.
    pub fn kill(&self) {
        // The kernel ends a process namespace with its first process. The launcher does the same
        // if this process may not.
        let _ = process::kill_by_descriptor(self.init.as_fd());
        socket::stop_sending(self.control.as_fd());
    }

    /// Waits until every process of the program has ended; returns its exit code, 128 plus the signal
    /// number if a signal killed it.
    pub fn wait(&self) -> u8 {
        // Every process of the program is behind the filter, whose descriptor hangs up with the last
        // of them. Init goes on to take the namespaces down, which nobody has to wait for, unless a
        // group is to be removed.
        let joined = *lock(&self.membership) == Membership::Joined;
        let filter = (!joined).then(|| self.listener.as_fd());
        process::wait_for_end(self.init.as_fd(), filter);
        let mut ended = lock(&self.ended);
        let code = match &mut *ended {
            Ended::Code(code) => *code,
            Ended::Later(pipe) => {
                let mut code = [128 + libc::SIGKILL as u8];
                // Nothing is written if the sandbox was killed.
                let _ = pipe.read_exact(&mut code);
                code[0]
            }
        };
        *ended = Ended::Code(code);
        code
    }

    /// Waits for the launcher, which takes the mounts down. It needs milliseconds that nobody who
    /// waits for the program has to wait for.
    pub fn clean_up(&self) {
        self.launcher.wait();
    }

    /// Returns the resources that the sandbox uses. Memory is measured exactly only if a cheap
    /// measure, which counts shared pages for each process, is more than `enough`.
    pub fn usage(&self, enough: u64) -> Usage {
        let Ok(processes) = self.view.processes() else { return Usage::default() };
        let number = processes.len() as u64;
        let pages: u64 = processes.iter().map(|process| process.resident_pages).sum();
        let mut memory_bytes = pages * page_size();
        if memory_bytes > enough {
            let exact = processes.iter().map(|process| {
                let resident = process.resident_pages * page_size();
                self.view.share_of_memory(process).unwrap_or(resident)
            });
            memory_bytes = exact.sum();
        }
        Usage { memory_bytes, processes: number }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.kill();
        process::wait_for_end(self.init.as_fd(), None);
    }
}

/// Waits until one of the descriptors can be read or is closed; returns which are.
pub fn wait_for_any<'a>(descriptors: impl Iterator<Item = BorrowedFd<'a>>) -> Vec<bool> {
    process::poll(&descriptors.collect::<Vec<_>>())
}

/// A launcher that is killed unless the sandbox is complete.
struct Unfinished(Option<Launcher>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(launcher) = &self.0 {
            launcher.kill();
        }
    }
}

/// Returns the mounts of the host that a sandbox has at its start.
fn mounts(plan: &Plan, system: Vec<Entry>) -> BTreeMap<PathBuf, Bind> {
    let mounts = system.into_iter().chain(plan.entries.iter().cloned());
    let mounts = mounts.filter_map(|entry| match entry.content {
        Content::Host(bind) => Some((entry.at, bind)),
        Content::Folder
        | Content::Link(_)
        | Content::Text(_)
        | Content::Copy(_)
        | Content::Overlay(_)
        | Content::Window
        | Content::Private
        | Content::Device(_)
        | Content::Processes => None,
    });
    mounts.collect()
}

type Ready = (OwnedFd, OwnedFd, OwnedFd, NetworkSockets);

/// Waits until the program is about to start.
fn await_ready(control: &OwnedFd) -> Result<Ready, Missing> {
    let closed = || Missing::new(Piece::Launcher, "ended before the program was started");
    // The launcher reports the network, and the program that it is ready.
    let (mut network, mut ready) = (None, None);
    loop {
        let received = message::receive(control.as_fd());
        let received = received.map_err(Missing::at(Piece::Launcher, "control"))?;
        match received.ok_or_else(closed)? {
            (Report::Missing(missing), _) => return Err(missing),
            (Report::Listening, fds) => {
                let mut fds = fds.into_iter();
                let names = fds.next().map(UdpSocket::from).ok_or_else(closed)?;
                let ports = fds.map(TcpListener::from).collect();
                network = Some(NetworkSockets { names, ports });
            }
            (Report::Ready, fds) => {
                ready = Some(<[OwnedFd; 3]>::try_from(fds).map_err(|_| closed())?);
            }
            (Report::Done(_), _) => return Err(closed()),
        }
        (network, ready) = match (network, ready) {
            (Some(network), Some([listener, root, init])) => {
                return Ok((listener, root, init, network));
            }
            unfinished => unfinished,
        };
    }
}

fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
