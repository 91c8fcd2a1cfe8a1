//! The launcher: makes the namespaces, starts the program in them, and stays outside to mount
//! what is granted later.
//!
//! It is this program, executed again, or forked before it has anything to hide, so that nothing of
//! the supervisor's memory is in it. It has one thread. Three processes come of it:
//!
//! - the *launcher*, in the user namespace, with the host's mounts; it carries out orders
//! - the *init* of the process namespace, which ends when the program ends, and everything with it
//! - the *program*, behind Landlock and the filter

mod orders;
mod program;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::message::{self, HiddenFiles, Report};
use crate::missing::{Missing, Piece};
use crate::plan::Plan;
use crate::sys::process::{self, ChildEnd, Forked};
use crate::sys::{mount, network, socket};
use crate::tree::Tree;
use crate::world::PORTS;

use orders::Orders;

/// Name under which this program is executed as the launcher.
const NAME: &str = "cofferdam-launcher";

/// Addresses that are local in the sandbox: all of them, so that every connection ends there.
const NETWORK: (Ipv4Addr, u8) = (Ipv4Addr::UNSPECIFIED, 0);

/// Address of the resolver in the sandbox.
const RESOLVER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 53);

/// Exit code if the launcher fails after the program has started.
const FAILED: i32 = 70;

/// Longest wait of a launcher that failed for a plan that is of no use any more.
const PLAN_MILLISECONDS: libc::c_int = 1000;

/// The sockets and files that the supervisor hands over.
struct Given {
    control: OwnedFd,
    /// Pipe to which init writes the exit code of the program.
    ended: OwnedFd,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

/// A launcher, as its supervisor holds it. It is waited for when it is dropped.
pub(crate) struct Launcher {
    number: libc::pid_t,
    /// Held while the launcher is waited for; true once it was.
    is_gone: Mutex<bool>,
}

/// A launcher that was started ahead, for the next sandbox.
static AHEAD: Mutex<Option<(Launcher, OwnedFd)>> = Mutex::new(None);

/// Becomes the launcher if this process was started as one; returns otherwise.
///
/// A program that starts sandboxes calls this first in `main`, before it starts threads.
pub fn become_launcher() {
    if std::env::args_os().next() == Some(OsString::from(NAME)) {
        process::exit(run());
    }
}

/// Starts the launcher of the next sandbox, which makes its namespaces while this process prepares
/// the rest. It is a fork, and costs a tenth of executing a large program again; this process must
/// not have started threads, and should hold no secrets yet. Otherwise nothing is done: a launcher
/// is started when it is needed.
pub fn launch_ahead() {
    let threads = fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    if threads != 1 {
        return;
    }
    let Ok((ours, theirs)) = socket::pair() else { return };
    match process::fork_into(0) {
        Ok(Forked::Child) => {
            let is_alone = process::forget_arguments().and_then(|()| only_control(&theirs)).is_ok();
            process::exit(if is_alone { run() } else { FAILED });
        }
        Ok(Forked::Parent(pid)) => {
            let launcher = Launcher::new(pid);
            *AHEAD.lock().unwrap_or_else(PoisonError::into_inner) = Some((launcher, ours));
        }
        Err(_) => {}
    }
}

/// Makes the control socket standard input, and closes everything else.
fn only_control(control: &OwnedFd) -> io::Result<()> {
    let null = fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    rustix::stdio::dup2_stdin(control)?;
    process::close_from(3)
}

impl Launcher {
    /// Starts a launcher; returns it with the control socket.
    pub(crate) fn start() -> io::Result<(Self, OwnedFd)> {
        let ahead = AHEAD.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(ahead) = ahead {
            return Ok(ahead);
        }
        let (control, theirs) = socket::pair()?;
        let child = Command::new("/proc/self/exe")
            .arg0(NAME)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok((Launcher::new(child.id() as libc::pid_t), control))
    }

    fn new(number: libc::pid_t) -> Self {
        Launcher { number, is_gone: Mutex::new(false) }
    }

    /// Ends the launcher, and the sandbox with it.
    pub(crate) fn kill(&self) {
        let is_gone = self.is_gone.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_gone {
            process::kill(self.number);
        }
    }

    /// Waits for the end of the launcher.
    pub(crate) fn wait(&self) {
        let mut is_gone = self.is_gone.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_gone {
            process::wait(self.number);
            *is_gone = true;
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        let number = self.number;
        let is_gone = *self.is_gone.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !is_gone && !process::has_ended(number) {
            // If the system has no thread left, the launcher stays a zombie until this process ends.
            let wait = move || {
                process::wait(number);
            };
            let _ = std::thread::Builder::new().name("cofferdam-reaper".into()).spawn(wait);
        }
    }
}

fn run() -> i32 {
    // The control socket is standard input; the standard streams of the program follow in the
    // first message.
    let Ok(control) = control() else { return FAILED };
    // Ctrl-C is for the supervisor.
    let _ = process::new_session();
    match make_namespaces().and_then(|()| launch(&control)) {
        Ok((init, orders)) => orders.serve(control, init),
        Err(missing) => {
            // The supervisor sends the plan before it listens. Init may have taken it.
            if process::poll_for(&[control.as_fd()], PLAN_MILLISECONDS)[0] {
                let _ = receive(&control);
            }
            let _ = message::send(control.as_fd(), &Report::Missing(missing), &[]);
            FAILED
        }
    }
}

fn control() -> io::Result<OwnedFd> {
    io::stdin().as_fd().try_clone_to_owned()
}

fn receive(control: &OwnedFd) -> io::Result<(Plan, Given)> {
    let closed = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let ((), fds) = message::receive(control.as_fd())?.ok_or_else(closed)?;
    let [plan, ended, stdin, stdout, stderr] =
        <[OwnedFd; 5]>::try_from(fds).map_err(|_| closed())?;
    let mut text = Vec::new();
    fs::File::from(plan).read_to_end(&mut text)?;
    let plan = serde_json::from_slice(&text).map_err(io::Error::other)?;
    let control = control.try_clone()?;
    Ok((plan, Given { control, ended, stdin, stdout, stderr }))
}

/// Makes all namespaces but the network and those of init, whose mounts and processes are apart.
fn make_namespaces() -> Result<(), Missing> {
    let (user, group) = process::user_and_group();
    if user == 0 {
        match process::drop_groups() {
            // The root of a container without privileges may not, and has the groups of its user.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => {}
            other => other.map_err(Missing::at(Piece::UserNamespaces, "groups"))?,
        }
    }
    let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNS;
    mount::unshare(namespaces).map_err(Missing::at(Piece::UserNamespaces, "unshare"))?;
    map_ids(user, group).map_err(Missing::at(Piece::UserNamespaces, "ids"))?;
    mount::make_private().map_err(Missing::at(Piece::Mounts, "private"))?;
    let namespaces = libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP;
    mount::unshare(namespaces).map_err(Missing::at(Piece::Namespaces, "unshare"))?;
    process::set_host_name("cofferdam").map_err(Missing::at(Piece::Namespaces, "name"))
}

/// Makes the network, listens in it, and hands the sockets to the supervisor and the namespace to
/// init. It takes a millisecond, in which init builds its tree on another processor.
fn make_network(control: &OwnedFd, init: &OwnedFd) -> Result<(), Missing> {
    let failed = |step: &'static str| Missing::at(Piece::Network, step);
    mount::unshare(libc::CLONE_NEWNET).map_err(Missing::at(Piece::Namespaces, "unshare"))?;
    let namespace = fs::File::open("/proc/self/ns/net").map_err(failed("namespace"))?;
    network::start_loopback().map_err(failed("loopback"))?;
    network::add_local_route(NETWORK.0, NETWORK.1).map_err(failed("route"))?;
    message::send(init.as_fd(), &(), &[namespace.as_fd()]).map_err(failed("namespace"))?;
    listen(control).map_err(failed("listen"))
}

/// Starts init; returns its number, and the orders that it can be given once it has its plan.
fn launch(control: &OwnedFd) -> Result<(libc::pid_t, Orders), Missing> {
    let (ours, theirs) = socket::pair().map_err(Missing::at(Piece::Launcher, "socket"))?;
    let forked = process::fork_into(libc::CLONE_NEWNS | libc::CLONE_NEWPID);
    match forked.map_err(Missing::at(Piece::Namespaces, "clone"))? {
        Forked::Parent(init) => {
            drop(theirs);
            // Init has the longer way, and often waits for this processor.
            let begun = message::receive::<()>(ours.as_fd());
            begun.map_err(Missing::at(Piece::Launcher, "init"))?;
            make_network(control, &ours)?;
            let orders = Orders::new(&ours);
            Ok((init, orders.map_err(Missing::at(Piece::Namespaces, "descriptors"))?))
        }
        Forked::Child => {
            drop(ours);
            process::exit(init(control, &theirs))
        }
    }
}

/// Maps the user to itself. Nobody else exists in the namespace.
fn map_ids(user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// The first process of the sandbox: builds its world, starts the program and waits for it.
fn init(control: &OwnedFd, launcher: &OwnedFd) -> i32 {
    // The launcher reports an init that is gone.
    let _ = message::send(launcher.as_fd(), &(), &[]);
    // Most of the world needs no plan, which arrives meanwhile.
    let begun = begin();
    // The launcher reports why there is no network.
    if enter_network(launcher).is_err() {
        return FAILED;
    }
    let Ok((plan, given)) = receive(control) else { return FAILED };
    let program = begun.and_then(|(tree, mounts)| {
        let hidden = HiddenFiles(plan.hidden.clone());
        let told = message::send(launcher.as_fd(), &hidden, &[mounts.as_fd()]);
        told.map_err(Missing::at(Piece::Namespaces, "descriptors"))?;
        drop(mounts);
        prepare(tree, &plan, &given)
    });
    let program = match program {
        Ok(program) => program,
        Err(missing) => {
            let _ = message::send(given.control.as_fd(), &Report::Missing(missing), &[]);
            return FAILED;
        }
    };
    // From here on, init holds nothing that the program could want of it: the pipe on which it
    // reports the exit code, and nothing else.
    let mut ended = fs::File::from(given.ended);
    if process::close_all_but(ended.as_fd()).is_err() || process::drop_capabilities().is_err() {
        return FAILED;
    }
    while let Some((number, end)) = process::wait(-1) {
        if number == program {
            let code = match end {
                ChildEnd::Exited(code) => code,
                ChildEnd::Signalled(signal) => 128 + signal,
            };
            let _ = ended.write_all(&[code as u8]);
            return code;
        }
    }
    FAILED
}

/// Enters the network that the launcher makes.
fn enter_network(launcher: &OwnedFd) -> io::Result<()> {
    let closed = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let ((), fds) = message::receive(launcher.as_fd())?.ok_or_else(closed)?;
    let [namespace] = <[OwnedFd; 1]>::try_from(fds).map_err(|_| closed())?;
    mount::enter(namespace.as_fd(), libc::CLONE_NEWNET)
}

/// Takes the steps for which init needs no plan.
fn begin() -> Result<(Tree, fs::File), Missing> {
    process::die_with_parent().map_err(Missing::at(Piece::Launcher, "parent"))?;
    // The launcher cannot open them itself once the memory is hidden.
    let mounts = fs::File::open("/proc/self/ns/mnt");
    let mounts = mounts.map_err(Missing::at(Piece::Namespaces, "descriptors"))?;
    process::hide_memory().map_err(Missing::at(Piece::Launcher, "memory"))?;
    // For init and the program; neither can gain what is not in the bounding set.
    process::limit_capabilities();
    Ok((Tree::begin()?, mounts))
}

fn prepare(tree: Tree, plan: &Plan, given: &Given) -> Result<libc::pid_t, Missing> {
    tree.enter(plan)?;
    let this = process::pid_descriptor(process::own_number());
    let this = this.map_err(Missing::at(Piece::Launcher, "number"))?;
    let program = process::fork_sharing(&mut || program::start(plan, given, &this));
    program.map_err(Missing::at(Piece::Launcher, "fork"))
}

/// Listens in the network of the sandbox, and hands the sockets to the supervisor.
fn listen(control: &OwnedFd) -> io::Result<()> {
    let names = UdpSocket::bind(RESOLVER)?;
    let listen = |port: &u16| TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port));
    let ports = PORTS.iter().map(listen).collect::<io::Result<Vec<_>>>()?;
    let mut fds = vec![names.as_fd()];
    fds.extend(ports.iter().map(AsFd::as_fd));
    message::send(control.as_fd(), &Report::Listening, &fds)
}
