//! Landlock: files are reached below the sandbox's root or not at all.
//!
//! The mounts say what is there and what can be written. Landlock adds that nothing else can be
//! used as a path: not an open file that was handed in, not a folder that was open before.

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use crate::missing::{Missing, Piece};

/// Newest version whose rights are used; older kernels take what they know.
const NEWEST: ABI = ABI::V6;

/// Restricts this thread and its children.
// T-NAT-002: an open descriptor used as a way out.
pub(crate) fn restrict() -> Result<(), Missing> {
    let root = PathFd::new("/").map_err(|error| Missing::new(Piece::Landlock, error))?;
    let status = rules(root).map_err(|error| Missing::new(Piece::Landlock, error))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => {
            Err(Missing::new(Piece::Landlock, "the kernel does not have it"))
        }
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

fn rules(root: PathFd) -> Result<RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let no_devices = all & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev);
    let with_ioctl = AccessFs::from_all(NEWEST);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(root, no_devices))?;
    if let Ok(devices) = PathFd::new("/dev") {
        rules = rules.add_rule(PathBeneath::new(devices, with_ioctl))?;
    }
    rules.restrict_self()
}
