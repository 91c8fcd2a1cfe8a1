//! Path resolution by POSIX rules, one component at a time.
//!
//! In the tree it holds the lock, so a path that stays in the tree is resolved atomically and the
//! lock is passed on with the result. In a mount it holds no lock, because a real directory may be
//! slow.
//!
//! Meets T-PROC-005.

use std::sync::Arc;

use crate::at::{At, Base, Follow};
use crate::files::Files;
use crate::inode::Body;
use crate::path::{Inside, LINKS_MAX, check_length, check_path};
use crate::place::{Found, Last, MountPlace, MountSpot, Place, Spot};
use crate::rest::Rest;
use crate::state::ROOT;
use crate::tree::Locked;
use crate::{Access, Errno, Ino, Kind, Stat};

/// The purpose of a lookup, which determines the treatment of a final link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Finds a node; follows a final link as the caller asks, and always if a slash follows.
    Node(Follow),
    /// Finds a file to be created if missing. A slash after its name is `EISDIR`.
    Create(Follow),
    /// Finds the entry itself, to be created, moved or removed.
    Entry,
}

pub(crate) fn resolve<'t>(files: Files<'t>, at: At<'_>, goal: Goal) -> Result<Found<'t>, Errno> {
    walk(files, at)?.run(goal)
}

/// Resolves a path. A failure comes with the physical path as far as links could be followed, and
/// the names behind it as they stand; `None` if the path is malformed.
// T-PERM-003: learning which files exist.
pub(crate) fn resolve_far<'t>(
    files: Files<'t>,
    at: At<'_>,
    goal: Goal,
) -> Result<Found<'t>, (Errno, Option<String>)> {
    let mut walk = walk(files, at).map_err(|errno| (errno, None))?;
    walk.run(goal).map_err(|errno| (errno, walk.reached()))
}

fn walk<'t, 'a>(files: Files<'t>, at: At<'a>) -> Result<Walk<'t, 'a>, Errno> {
    check_path(at.path)?;
    let absolute = at.path.starts_with('/');
    let (start, fence) = match at.base {
        Base::Root | Base::Exact => (Spot::Node(ROOT), None),
        Base::Directory(_) if absolute => (Spot::Node(ROOT), None),
        Base::Directory(handle) => (handle.spot(files.tree)?, None),
        Base::Beneath(_) if absolute => return Err(Errno::NotCapable),
        Base::Beneath(handle) => {
            let spot = handle.spot(files.tree)?;
            (spot.clone(), Some(spot))
        }
    };
    let links = match at.base {
        Base::Exact => LINKS_MAX,
        Base::Root | Base::Directory(_) | Base::Beneath(_) => 0,
    };
    let rest = Rest::new(at.path);
    let name = String::new();
    Ok(Walk { files, lock: None, fresh: false, rest, name, here: start, fence, links })
}

struct Walk<'t, 'a> {
    files: Files<'t>,
    lock: Option<Locked<'t>>,
    /// True if the lock was taken since the fence was last checked.
    fresh: bool,
    rest: Rest<'a>,
    /// The component in `here` that could not be resolved.
    name: String,
    here: Spot,
    /// The directory that the path must not leave.
    fence: Option<Spot>,
    links: u32,
}

/// The kind of node found under a name.
enum Met {
    Missing,
    Link(Arc<str>),
    Directory(Spot),
    /// Any node that has no entries.
    End,
}

impl<'t> Walk<'t, '_> {
    fn run(&mut self, goal: Goal) -> Result<Found<'t>, Errno> {
        let mut name = String::new();
        let mut last = Last::Root;
        while self.rest.next(&mut name) {
            match self.step(&name, goal, &mut last) {
                Ok(None) => {}
                Ok(Some(found)) => return Ok(found),
                Err(errno) => {
                    self.name = name;
                    return Err(errno);
                }
            }
        }
        self.end_here(last)
    }

    /// Resolves one component; returns the result if it was the last.
    fn step(
        &mut self,
        name: &str,
        goal: Goal,
        last: &mut Last,
    ) -> Result<Option<Found<'t>>, Errno> {
        match name {
            "." => {
                self.may_search()?;
                *last = Last::Here;
            }
            ".." => {
                self.may_search()?;
                self.climb()?;
                *last = Last::Above;
            }
            name => {
                check_length(name)?;
                self.may_search()?;
                let (end, slash) = (self.rest.is_done(), self.rest.has_slash());
                if end && slash && matches!(goal, Goal::Create(_)) {
                    return Err(Errno::IsDirectory);
                }
                let (met, child, stat) = self.look(name)?;
                match met {
                    Met::Link(target) if !end || follows(goal, slash) => {
                        self.follow(target)?;
                        *last = Last::Root;
                    }
                    Met::Missing | Met::Link(_) | Met::Directory(_) | Met::End if end => {
                        let slash_on_file = slash && matches!(met, Met::End);
                        if slash_on_file && goal != Goal::Entry {
                            return Err(Errno::NotDirectory);
                        }
                        return self.end(name, met, child, stat, slash).map(Some);
                    }
                    Met::Missing => return Err(Errno::NotFound),
                    Met::Directory(spot) => self.here = spot,
                    Met::Link(_) | Met::End => return Err(Errno::NotDirectory),
                }
            }
        }
        Ok(None)
    }

    /// Returns the physical path of the current directory with all names behind it.
    fn reached(&mut self) -> Option<String> {
        let here = match self.here.clone() {
            Spot::Node(ino) => self.locked().path(ino).ok()?,
            Spot::Mounted(spot) => {
                self.lock = None;
                spot.path(self.files.tree).ok()?
            }
        };
        let mut path = here.as_str().trim_end_matches('/').to_owned();
        let mut name = std::mem::take(&mut self.name);
        loop {
            match name.as_str() {
                "" | "." => {}
                ".." => path.truncate(path.rfind('/').unwrap_or(0)),
                name => {
                    path.push('/');
                    path.push_str(name);
                }
            }
            if !self.rest.next(&mut name) {
                break;
            }
        }
        if path.is_empty() { Some("/".into()) } else { Some(path) }
    }

    /// Checks that the current directory may be searched; reads its entries if needed.
    fn may_search(&mut self) -> Result<(), Errno> {
        let Spot::Node(ino) = self.here else { return Ok(()) };
        self.enter(ino)?;
        let files = self.files;
        files.may(self.locked().get(ino)?, Access::Execute)
    }

    fn locked(&mut self) -> &mut Locked<'t> {
        let tree = self.files.tree;
        self.fresh |= self.lock.is_none();
        self.lock.get_or_insert_with(|| tree.lock())
    }

    /// Checks that resolution may be in this directory of the tree, and reads its entries if it
    /// belongs to an overlay.
    fn enter(&mut self, ino: Ino) -> Result<(), Errno> {
        while self.locked().directory(ino)?.unread {
            self.lock = None;
            crate::overlay::read_directory(self.files.tree, ino, self.files.until)?;
        }
        // The directory may have been moved out of the fence while the lock was released.
        if let (true, Some(Spot::Node(top))) = (self.fresh, &self.fence) {
            let top = *top;
            if !self.locked().is_within(ino, top) {
                return Err(Errno::NotCapable);
            }
        }
        self.fresh = false;
        Ok(())
    }

    fn climb(&mut self) -> Result<(), Errno> {
        if self.fence.as_ref() == Some(&self.here) {
            return Err(Errno::NotCapable);
        }
        match &mut self.here {
            Spot::Mounted(spot) if !spot.inside.is_top() => spot.inside.pop(),
            Spot::Mounted(MountSpot { mount: ino, .. }) | Spot::Node(ino) => {
                let ino = *ino;
                let (parent, _) = self.locked().parent(ino)?;
                self.here = Spot::Node(parent);
            }
        }
        Ok(())
    }

    fn follow(&mut self, target: Arc<str>) -> Result<(), Errno> {
        if self.links == LINKS_MAX {
            return Err(Errno::Loop);
        }
        self.links += 1;
        if target.starts_with('/') {
            if self.fence.as_ref().is_some_and(|top| *top != Spot::Node(ROOT)) {
                return Err(Errno::NotCapable);
            }
            self.here = Spot::Node(ROOT);
        }
        self.rest.push(target);
        Ok(())
    }

    /// Looks up a name in the current directory.
    fn look(&mut self, name: &str) -> Result<(Met, Option<Ino>, Option<Stat>), Errno> {
        match &self.here {
            Spot::Node(ino) => {
                let ino = *ino;
                let state = self.locked();
                let Some(child) = state.directory(ino)?.get(name) else {
                    return Ok((Met::Missing, None, None));
                };
                let met = match &state.get(child)?.body {
                    Body::Directory(_) => Met::Directory(Spot::Node(child)),
                    Body::Link(target) => Met::Link(Arc::clone(target)),
                    Body::Mount { backend, .. } => Met::Directory(Spot::Mounted(MountSpot {
                        mount: child,
                        backend: Arc::clone(backend),
                        inside: Inside::top(),
                    })),
                    Body::File(_) | Body::Lower(_) | Body::Device(_) => Met::End,
                };
                Ok((met, Some(child), None))
            }
            Spot::Mounted(spot) => {
                self.lock = None;
                let child = MountSpot { inside: spot.inside.join(name), ..spot.clone() };
                let who = self.files.caller;
                let stat = match spot.backend.stat(who, &child.inside) {
                    Ok(stat) => stat,
                    Err(Errno::NotFound) => return Ok((Met::Missing, None, None)),
                    Err(errno) => return Err(errno),
                };
                let met = match stat.kind {
                    Kind::Directory => Met::Directory(Spot::Mounted(child)),
                    Kind::Link => Met::Link(spot.backend.read_link(who, &child.inside)?.into()),
                    Kind::File | Kind::Device(_) | Kind::Other => Met::End,
                };
                Ok((met, None, Some(stat)))
            }
        }
    }

    /// Ends the path at a name in the current directory.
    fn end(
        &mut self,
        name: &str,
        met: Met,
        child: Option<Ino>,
        stat: Option<Stat>,
        slash: bool,
    ) -> Result<Found<'t>, Errno> {
        match (met, self.here.clone()) {
            (Met::Directory(Spot::Mounted(spot)), Spot::Node(_)) => {
                self.end_mounted(spot, Last::Name(name.into()), slash)
            }
            (_, Spot::Node(parent)) => {
                let last = Last::Name(name.into());
                Ok(Found::Node(self.take_lock(), Place { parent, last, child, slash }))
            }
            (_, Spot::Mounted(mut spot)) => {
                spot.inside.push(name);
                let last = Last::Name(name.into());
                Ok(Found::Mounted(MountPlace { spot, last, stat, slash }))
            }
        }
    }

    /// Ends the path at the current directory itself.
    fn end_here(&mut self, last: Last) -> Result<Found<'t>, Errno> {
        match self.here.clone() {
            Spot::Node(ino) => {
                self.enter(ino)?;
                let place = Place { parent: ino, last, child: Some(ino), slash: true };
                Ok(Found::Node(self.take_lock(), place))
            }
            Spot::Mounted(spot) => self.end_mounted(spot, last, true),
        }
    }

    fn end_mounted(
        &mut self,
        spot: MountSpot,
        last: Last,
        slash: bool,
    ) -> Result<Found<'t>, Errno> {
        self.lock = None;
        let stat = spot.backend.stat(self.files.caller, &spot.inside)?;
        Ok(Found::Mounted(MountPlace { spot, last, stat: Some(stat), slash }))
    }

    fn take_lock(&mut self) -> Locked<'t> {
        self.locked();
        self.lock.take().unwrap_or_else(|| self.files.tree.lock())
    }
}

fn follows(goal: Goal, slash: bool) -> bool {
    match goal {
        Goal::Node(Follow::Link) | Goal::Create(Follow::Link) => true,
        Goal::Node(Follow::Never) => slash,
        Goal::Create(Follow::Never) | Goal::Entry => false,
    }
}
