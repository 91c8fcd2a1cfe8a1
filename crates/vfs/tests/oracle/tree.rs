//! The tree and its forks, compared with a real directory.

use cofferdam_vfs::{Limits, Node, Open, Snapshot, Time, Tree, Usage};
use proptest::prelude::*;

use crate::ops::{Op, leaves, op, virtually};
use crate::real::{Dump, Real};

fn dump(snapshot: &Snapshot) -> Dump {
    let mut dump = Vec::new();
    for walked in snapshot.walk() {
        let walked = walked.unwrap();
        let (sort, links, bytes) = match walked.node {
            Node::File(extents) => {
                let mut bytes = vec![0; walked.stat.size as usize];
                for (at, extent) in extents.iter() {
                    bytes[at as usize..at as usize + extent.len()].copy_from_slice(extent);
                }
                ('f', walked.stat.links, bytes)
            }
            Node::Link(target) => ('l', walked.stat.links, target.as_bytes().to_vec()),
            Node::Directory => ('d', 0, Vec::new()),
            Node::Device(_) | Node::Mount => unreachable!("never made here"),
        };
        dump.push((walked.path.to_string(), sort, links, bytes));
    }
    dump.sort();
    dump
}

/// Computes the usage from the content.
fn recount(snapshot: &Snapshot) -> Usage {
    let mut usage = Usage::default();
    let mut seen = std::collections::HashSet::new();
    for walked in snapshot.walk().skip(1) {
        let walked = walked.unwrap();
        usage.nodes += 1;
        if seen.insert(walked.stat.ino) {
            usage.bytes += match walked.node {
                Node::Link(target) => target.len() as u64,
                Node::File(_) | Node::Directory | Node::Device(_) | Node::Mount => walked.stat.held,
            };
        }
    }
    usage
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_tree_answers_as_a_real_directory_does(ops in prop::collection::vec(op(), 1..60)) {
        let tree = Tree::new(Limits::default(), Time(1));
        let root = tree.as_guest(Time(1)).open("/", Open::to_read()).unwrap();
        let real = Real::new();
        let mut forks = Vec::new();
        for op in &ops {
            // The real directory has a parent; the root of the tree has none.
            if op.paths().iter().any(|path| leaves(&tree, &root, path)) {
                continue;
            }
            if let Op::Fork = op {
                let fork = tree.fork();
                forks.push((dump(&fork.snapshot()), fork));
            }
            let ours = virtually(&tree, &root, op).map_err(|error| error.errno().name());
            prop_assert_eq!(ours, real.run(op), "{:?}", op);
        }
        let end = tree.snapshot();
        prop_assert_eq!(dump(&end), real.dump());
        prop_assert_eq!(tree.usage(), recount(&end));
        for (before, fork) in &forks {
            prop_assert_eq!(before, &dump(&fork.snapshot()));
            prop_assert_eq!(fork.usage(), recount(&fork.snapshot()));
            // The other direction: changes of a fork do not affect the original.
            let root = fork.as_guest(Time(2)).open("/", Open::to_read()).unwrap();
            for op in ops.iter().rev() {
                let _ = virtually(fork, &root, op);
            }
        }
        prop_assert_eq!(dump(&end), dump(&tree.snapshot()));
    }
}
