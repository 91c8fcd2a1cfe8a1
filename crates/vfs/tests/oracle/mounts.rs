//! Mounts: a real directory used through a tree, compared with one used directly.

use cofferdam_vfs::{HostDir, Limits, Mount, Open, OpenFile, Time, Tree, VPath};
use proptest::prelude::*;

use crate::ops::{Op, leaves, op, virtually};
use crate::real::{Dump, Real};

const NOW: Time = Time(1);

fn mounted(place: &Real, mount: Mount) -> (Tree, OpenFile, VPath) {
    let tree = Tree::new(Limits::default(), NOW);
    let at = VPath::new("/m").unwrap();
    tree.mount(&at, HostDir::open_ambient(place.path()).unwrap(), mount, NOW).unwrap();
    let root = tree.as_guest(NOW).open("/m", Open::to_read()).unwrap();
    (tree, root, at)
}

/// Returns false for links that a mount refuses because they might leave it; a plain directory
/// accepts them.
fn is_harmless(op: &Op) -> bool {
    match op {
        Op::MakeLink { target, .. } => !target.contains(".."),
        _ => true,
    }
}

fn without_counts(dump: Dump) -> Vec<(String, char, Vec<u8>)> {
    dump.into_iter().map(|(path, sort, _, bytes)| (path, sort, bytes)).collect()
}

fn run(tree: &Tree, root: &OpenFile, ops: &[Op], real: &Real) -> Result<(), TestCaseError> {
    for op in ops.iter().filter(|op| is_harmless(op)) {
        if op.paths().iter().any(|path| leaves(tree, root, path)) {
            continue;
        }
        let ours = virtually(tree, root, op).map_err(|error| error.errno().name());
        prop_assert_eq!(ours, real.run(op), "{:?}", op);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_read_write_mount_is_the_directory(ops in prop::collection::vec(op(), 1..60)) {
        let (real, place) = (Real::new(), Real::new());
        let (tree, root, _) = mounted(&place, Mount::ReadWrite);
        run(&tree, &root, &ops, &real)?;
        prop_assert_eq!(real.dump(), place.dump());
    }

    #[test]
    fn an_overlay_leaves_the_directory_alone_until_its_changes_are_applied(
        before in prop::collection::vec(op(), 0..40),
        rounds in prop::collection::vec(prop::collection::vec(op(), 0..30), 1..4),
    ) {
        let (real, place) = (Real::new(), Real::new());
        for op in before.iter().filter(|op| is_harmless(op)) {
            // An overlay treats two names of one file as two files, and no path may leave the
            // directory.
            let climbs = op.paths().iter().any(|path| path.contains(".."));
            if !climbs && !matches!(op, Op::Link(..)) {
                let _ = (real.run(op), place.run(op));
            }
        }
        let (tree, root, at) = mounted(&place, Mount::Overlay);
        for ops in &rounds {
            let untouched = place.dump();
            run(&tree, &root, ops, &real)?;
            prop_assert_eq!(untouched, place.dump());
            tree.apply_changes(&at).unwrap();
            prop_assert_eq!(without_counts(real.dump()), without_counts(place.dump()));
            prop_assert_eq!(tree.changes(&at).unwrap(), []);
        }
    }
}
