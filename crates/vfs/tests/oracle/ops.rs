//! The operations, and performing them on a tree.

use cofferdam_vfs::{At, Error, Follow, Mode, Open, OpenFile, Time, Tree};
use proptest::prelude::*;

use crate::real::Answer;

/// More bytes than any file in these tests has.
const MANY: usize = 1 << 20;

#[derive(Clone, Debug)]
pub(crate) enum Op {
    MakeDirectory(String),
    Write { path: String, data: Vec<u8>, how: How },
    Read(String),
    RemoveFile(String),
    RemoveDirectory(String),
    Rename(String, String),
    Link(String, String),
    MakeLink { target: String, path: String },
    ReadLink(String),
    Stat(String, bool),
    Truncate(String, u64),
    OpenDirectory(String, bool),
    Fork,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum How {
    Existing,
    Create,
    CreateNew,
    Truncate,
    Append,
}

fn name() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        8 => prop::sample::select(vec!["a", "b", "c", "d"]),
        2 => Just("e"),
        1 => Just("."),
        2 => Just(".."),
    ]
}

/// Generates paths for operations on two paths. If both are wrong, POSIX does not say which error
/// is reported, so these paths are well-formed.
fn usual_path() -> impl Strategy<Value = String> {
    let slash = prop_oneof![5 => Just(""), 1 => Just("/"), 1 => Just("//")];
    (prop::collection::vec(name(), 1..4), slash).prop_map(|(names, slash)| names.join("/") + slash)
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        30 => usual_path(),
        1 => Just(String::new()),
        1 => Just("n".repeat(256)),
        1 => Just("a/".to_string() + &"n".repeat(255)),
    ]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let data = || prop::collection::vec(any::<u8>(), 0..20);
    let how = prop::sample::select(vec![
        How::Existing,
        How::Create,
        How::CreateNew,
        How::Truncate,
        How::Append,
    ]);
    prop_oneof![
        4 => path().prop_map(Op::MakeDirectory),
        4 => (path(), data(), how).prop_map(|(path, data, how)| Op::Write { path, data, how }),
        1 => path().prop_map(Op::Read),
        2 => path().prop_map(Op::RemoveFile),
        2 => path().prop_map(Op::RemoveDirectory),
        5 => (usual_path(), usual_path()).prop_map(|(from, to)| Op::Rename(from, to)),
        2 => (usual_path(), usual_path()).prop_map(|(from, to)| Op::Link(from, to)),
        4 => (path(), path()).prop_map(|(target, path)| Op::MakeLink { target, path }),
        1 => path().prop_map(Op::ReadLink),
        2 => (path(), any::<bool>()).prop_map(|(path, follow)| Op::Stat(path, follow)),
        1 => (path(), 0..100_000u64).prop_map(|(path, size)| Op::Truncate(path, size)),
        1 => (path(), any::<bool>()).prop_map(|(path, follow)| Op::OpenDirectory(path, follow)),
        1 => Just(Op::Fork),
    ]
}

impl Op {
    pub(crate) fn paths(&self) -> Vec<&str> {
        match self {
            Op::Rename(a, b) | Op::Link(a, b) => vec![a, b],
            Op::MakeDirectory(a) | Op::Read(a) | Op::RemoveFile(a) | Op::RemoveDirectory(a) => {
                vec![a]
            }
            Op::ReadLink(a) | Op::Stat(a, _) | Op::Truncate(a, _) | Op::OpenDirectory(a, _) => {
                vec![a]
            }
            Op::Write { path, .. } | Op::MakeLink { path, .. } => vec![path],
            Op::Fork => vec![],
        }
    }
}

/// Performs the operation on the tree.
pub(crate) fn virtually(tree: &Tree, root: &OpenFile, op: &Op) -> Result<Answer, Error> {
    let now = Time(7);
    let files = tree.as_guest(now);
    let at = |path| At::directory(root, path);
    let entry = |path| At::directory(root, path).follow(Follow::Never);
    let follow = |yes: &bool| if *yes { Follow::Link } else { Follow::Never };
    Ok(match op {
        Op::MakeDirectory(path) => files.make_directory(at(path), Mode::DIRECTORY)?.into(),
        Op::Write { path, data, how } => {
            let open = match how {
                How::Existing => Open::to_write(),
                How::Create => Open::to_write().create(),
                How::CreateNew => Open::to_write().create_new(),
                How::Truncate => Open::to_write().create().truncate(),
                How::Append => Open::to_write().append(),
            };
            files.open(at(path), open)?.write(data, now)?;
            Answer::Done
        }
        Op::Read(path) => Answer::Bytes(files.read_file(at(path), MANY)?),
        Op::RemoveFile(path) => files.remove_file(at(path))?.into(),
        Op::RemoveDirectory(path) => files.remove_directory(at(path))?.into(),
        Op::Rename(from, to) => files.rename(at(from), at(to))?.into(),
        Op::Link(from, to) => files.link(entry(from), at(to))?.into(),
        Op::MakeLink { target, path } => files.make_link(target, at(path))?.into(),
        Op::ReadLink(path) => Answer::Bytes(files.read_link(at(path))?.into()),
        Op::Stat(path, yes) => Answer::stat(files.stat(at(path).follow(follow(yes)))?),
        Op::Truncate(path, size) => files.truncate(at(path), *size)?.into(),
        Op::OpenDirectory(path, yes) => {
            let handle = files.open(at(path).follow(follow(yes)), Open::to_read().directory())?;
            Answer::stat(handle.stat()?)
        }
        Op::Fork => Answer::Done,
    })
}

/// Returns true if a path leaves the directory that serves as the root.
pub(crate) fn leaves(tree: &Tree, root: &OpenFile, path: &str) -> bool {
    let found = tree.as_guest(Time(7)).resolve(At::beneath(root, path));
    found.is_err_and(|error| error.errno().name() == "ENOTCAPABLE")
}
