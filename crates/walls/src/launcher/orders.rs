//! Orders of the supervisor to a running sandbox: live mounts and listeners.
//!
//! The launcher is the only process that may mount in the sandbox: it has the capabilities of the
//! user namespace, sees the files of the host, and is outside the process namespace.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};

use super::FAILED;
use crate::message::{self, HiddenFiles, Order, Report, World};
use crate::plan::{Bind, Writing};
use crate::sys::mount::{self, Depth, READ_ONLY};
use crate::sys::process::{self, ChildEnd};
use crate::tree::{self, Hidden};

/// Mount namespaces between which the launcher moves. The network of the sandbox is its own.
pub(super) struct Orders {
    host: OwnedFd,
    mounts: OwnedFd,
    hidden: Vec<PathBuf>,
}

/// The sandbox as the launcher reaches it.
struct Reach {
    /// The root's own filesystem as a mount that can be written to, attached nowhere.
    skeleton: OwnedFd,
}

impl Orders {
    /// Receives hidden files and the mount namespace of the sandbox from its init.
    pub(super) fn new(init: &OwnedFd) -> io::Result<Self> {
        let closed = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let (HiddenFiles(hidden), fds) = message::receive(init.as_fd())?.ok_or_else(closed)?;
        let [mounts] = <[OwnedFd; 1]>::try_from(fds).map_err(|_| closed())?;
        let host = fs::File::open("/proc/self/ns/mnt")?.into();
        Ok(Orders { host, mounts, hidden })
    }

    /// Carries out orders until the sandbox ends, which the supervisor notices by itself. The
    /// sandbox ends at once if the supervisor does.
    pub(super) fn serve(&self, control: OwnedFd, init: libc::pid_t) -> i32 {
        let Ok(ended) = process::pid_descriptor(init) else {
            process::kill(init);
            return FAILED;
        };
        let mut reach = None;
        loop {
            let ready = process::poll(&[ended.as_fd(), control.as_fd()]);
            if ready[0] {
                return match process::wait(init) {
                    Some((_, ChildEnd::Exited(code))) => code,
                    Some((_, ChildEnd::Signalled(signal))) => 128 + signal,
                    None => FAILED,
                };
            }
            if !ready[1] {
                continue;
            }
            match message::receive::<Order>(control.as_fd()) {
                Ok(Some((order, _))) => {
                    let (report, socket) = match self.obey(&order, &mut reach) {
                        Ok(socket) => (Report::Done(None), socket),
                        Err(error) => {
                            (Report::Done(Some(error.raw_os_error().unwrap_or(libc::EIO))), None)
                        }
                    };
                    let fds: Vec<_> = socket.iter().map(AsFd::as_fd).collect();
                    let _ = message::send(control.as_fd(), &report, &fds);
                }
                // T-NAT-010: processes left behind by a run that was killed.
                Ok(None) | Err(_) => process::kill(init),
            }
        }
    }

    fn obey(&self, order: &Order, reach: &mut Option<Reach>) -> io::Result<Option<OwnedFd>> {
        let reach = match reach {
            Some(reach) => reach,
            None => reach.insert(self.reach()?),
        };
        match order {
            Order::Mount { at, bind, world, identity } => {
                self.mount(reach, at, bind, *world, *identity)?;
            }
            // In place: a process that works in the folder has the new rights as well.
            Order::Change { at, bind } => self.change(at, bind)?,
            Order::Folder { at } => reach.make_folders(at)?,
            Order::Link { at, target } => {
                reach.make_parents(at)?;
                rustix::fs::symlinkat(target, &reach.skeleton, relative(at))?;
            }
            Order::Unmount { at } => self.inside(|| mount::detach(at))?,
            Order::Listen { port, loopback } => {
                let address = match loopback {
                    true => Ipv4Addr::LOCALHOST,
                    false => Ipv4Addr::UNSPECIFIED,
                };
                return Ok(Some(TcpListener::bind((address, *port))?.into()));
            }
        }
        Ok(None)
    }

    fn reach(&self) -> io::Result<Reach> {
        let skeleton = self.inside(|| {
            let clone = mount::clone(None, Path::new("/"), Depth::One)?;
            mount::set_attributes(clone.as_fd(), 0, READ_ONLY, Depth::One)?;
            Ok(clone)
        })?;
        Ok(Reach { skeleton })
    }

    /// Changes what the program may do below a mount.
    fn change(&self, at: &Path, bind: &Bind) -> io::Result<()> {
        let (set, clear) = tree::attributes(bind);
        let change = |at: &Path| {
            let clear = match bind.writing {
                Writing::Allowed => clear | READ_ONLY,
                Writing::Refused => clear,
            };
            let folder: OwnedFd = rustix::fs::open(at, OFlags::PATH, Mode::empty())?;
            mount::set_attributes(folder.as_fd(), set, clear, Depth::One)
        };
        let hidden = Hidden::below(&self.hidden, &bind.source);
        if bind.writing == Writing::Refused || hidden.is_empty() {
            return self.inside(|| change(at));
        }
        // Everything is in its place before the program can write.
        hidden.make(&bind.source)?;
        self.inside(|| {
            hidden.hold(at)?;
            hidden.cover(at, Writing::Refused)?;
            hidden.held(at).try_for_each(|held| change(&held))?;
            change(at)
        })
    }

    /// Covers hidden files below a mount that is attached nowhere, so that the program never sees
    /// them.
    fn without_hidden(&self, mount: OwnedFd, bind: &Bind) -> io::Result<OwnedFd> {
        let hidden = Hidden::below(&self.hidden, &bind.source);
        if hidden.is_empty() {
            return Ok(mount);
        }
        let none = || io::Error::from(io::ErrorKind::NotFound);
        let is_folder = rustix::fs::fstat(&mount)?.st_mode;
        if !FileType::from_raw_mode(is_folder).is_dir() {
            return Err(none());
        }
        let place = tree::PLACES.iter().map(Path::new).find(|place| place.is_dir());
        let place = place.ok_or_else(none)?;
        mount::attach(mount.as_fd(), place)?;
        let covered = hidden.cover(place, bind.writing);
        let whole = covered.and_then(|()| mount::clone(None, place, Depth::Tree));
        mount::detach(place)?;
        whole
    }

    /// Mounts a file or folder over the same kind of entry, which is made if it is missing.
    fn mount(
        &self,
        reach: &Reach,
        at: &Path,
        bind: &Bind,
        world: World,
        identity: (u64, u64),
    ) -> io::Result<()> {
        let clone = || mount::clone(None, &bind.source, Depth::Tree);
        let source = match world {
            World::Host => clone()?,
            World::Sandbox => self.inside(clone)?,
        };
        // T-NAT-008: a path that leads elsewhere than when it was checked.
        let found = rustix::fs::fstat(&source)?;
        if (found.st_dev, found.st_ino) != identity {
            return Err(io::Error::from_raw_os_error(libc::ESTALE));
        }
        let (set, clear) = tree::attributes(bind);
        tree::set_attributes(&source, set, clear)?;
        if world == World::Host {
            match FileType::from_raw_mode(found.st_mode).is_dir() {
                true => reach.make_folders(at)?,
                false => reach.make_file(at)?,
            }
        }
        let source = match world {
            World::Host => self.without_hidden(source, bind)?,
            World::Sandbox => source,
        };
        self.inside(|| mount::attach(source.as_fd(), at))
    }

    /// Acts in the mount namespace of the sandbox, and returns to that of the host.
    fn inside<T>(&self, act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        mount::enter(self.mounts.as_fd(), libc::CLONE_NEWNS)?;
        let result = act();
        mount::enter(self.host.as_fd(), libc::CLONE_NEWNS)?;
        result
    }
}

impl Reach {
    fn make_parents(&self, at: &Path) -> io::Result<()> {
        at.parent().map_or(Ok(()), |parent| self.make_folders(parent))
    }

    /// Makes missing folders of the root's own filesystem. Below a mount nothing is made; the
    /// entry has to be there.
    fn make_folders(&self, at: &Path) -> io::Result<()> {
        tree::make_folders(&self.skeleton, at)
    }

    fn make_file(&self, at: &Path) -> io::Result<()> {
        self.make_parents(at)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.skeleton, relative(at), flags, Mode::from(0o644)) {
            Ok(_) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn relative(at: &Path) -> &Path {
    at.strip_prefix("/").unwrap_or(at)
}
