//! The four kinds of objects, and the text of commits, trees and tags.

use super::oid::{LEN, Oid};
use crate::fault::{Result, fatal};

/// Kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Blob,
    Tree,
    Commit,
    Tag,
}

impl Kind {
    /// Returns the name in the object's header.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Blob => "blob",
            Kind::Tree => "tree",
            Kind::Commit => "commit",
            Kind::Tag => "tag",
        }
    }

    /// Returns the kind of a name.
    pub(crate) fn parse(name: &[u8]) -> Option<Kind> {
        Some(match name {
            b"blob" => Kind::Blob,
            b"tree" => Kind::Tree,
            b"commit" => Kind::Commit,
            b"tag" => Kind::Tag,
            _ => return None,
        })
    }
}

/// Modes of tree entries.
pub(crate) mod mode {
    pub(crate) const FILE: u32 = 0o100_644;
    pub(crate) const PROGRAM: u32 = 0o100_755;
    pub(crate) const LINK: u32 = 0o120_000;
    pub(crate) const TREE: u32 = 0o040_000;
    pub(crate) const SUBMODULE: u32 = 0o160_000;
}

/// A file or directory in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeEntry {
    pub(crate) mode: u32,
    pub(crate) name: Vec<u8>,
    pub(crate) oid: Oid,
}

/// Parses a tree.
pub(crate) fn parse_tree(mut data: &[u8]) -> Result<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !data.is_empty() {
        let (entry, rest) = tree_entry(data).ok_or_else(|| fatal("corrupt tree"))?;
        entries.push(entry);
        data = rest;
    }
    Ok(entries)
}

fn tree_entry(data: &[u8]) -> Option<(TreeEntry, &[u8])> {
    let space = data.iter().position(|b| *b == b' ')?;
    let mode = u32::from_str_radix(std::str::from_utf8(&data[..space]).ok()?, 8).ok()?;
    let rest = &data[space + 1..];
    let end = rest.iter().position(|b| *b == 0)?;
    let oid = Oid::from_bytes(rest.get(end + 1..end + 1 + LEN)?)?;
    Some((TreeEntry { mode, name: rest[..end].to_vec(), oid }, &rest[end + 1 + LEN..]))
}

/// Writes a tree; sorts the entries as git does, with a slash after directories.
pub(crate) fn write_tree(mut entries: Vec<TreeEntry>) -> Vec<u8> {
    let key = |entry: &TreeEntry| {
        let mut name = entry.name.clone();
        if entry.mode == mode::TREE {
            name.push(b'/');
        }
        name
    };
    entries.sort_by_key(key);
    let mut data = Vec::new();
    for entry in &entries {
        data.extend(format!("{:o} ", entry.mode).bytes());
        data.extend(&entry.name);
        data.push(0);
        data.extend(entry.oid.0);
    }
    data
}

/// A commit.
#[derive(Debug, Clone)]
pub(crate) struct Commit {
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
    /// `Name <mail> seconds zone`.
    pub(crate) author: Vec<u8>,
    pub(crate) committer: Vec<u8>,
    /// Headers after the committer, such as signatures, as they are.
    pub(crate) more: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

impl Commit {
    /// Parses a commit.
    pub(crate) fn parse(data: &[u8]) -> Result<Commit> {
        Commit::parts(data).ok_or_else(|| fatal("corrupt commit"))
    }

    fn parts(data: &[u8]) -> Option<Commit> {
        let (head, message) = split_head(data);
        let mut commit = Commit {
            tree: Oid::ZERO,
            parents: Vec::new(),
            author: Vec::new(),
            committer: Vec::new(),
            more: Vec::new(),
            message: message.to_vec(),
        };
        for line in head.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            if let Some(oid) = line.strip_prefix(b"tree ") {
                commit.tree = Oid::parse(oid)?;
            } else if let Some(oid) = line.strip_prefix(b"parent ") {
                commit.parents.push(Oid::parse(oid)?);
            } else if let Some(author) = line.strip_prefix(b"author ") {
                commit.author = author.to_vec();
            } else if let Some(committer) = line.strip_prefix(b"committer ") {
                commit.committer = committer.to_vec();
            } else {
                commit.more.extend_from_slice(line);
                commit.more.push(b'\n');
            }
        }
        Some(commit)
    }

    /// Returns the text of the commit.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut data = format!("tree {}\n", self.tree).into_bytes();
        for parent in &self.parents {
            data.extend(format!("parent {parent}\n").bytes());
        }
        for (name, who) in [("author ", &self.author), ("committer ", &self.committer)] {
            data.extend(name.bytes());
            data.extend(who);
            data.push(b'\n');
        }
        data.extend(&self.more);
        data.push(b'\n');
        data.extend(&self.message);
        data
    }

    /// Returns the first paragraph of the message as one line.
    pub(crate) fn subject(&self) -> Vec<u8> {
        subject(&self.message)
    }

    /// Returns the time of the commit in seconds since 1970.
    pub(crate) fn time(&self) -> i64 {
        Signature::parse(&self.committer).seconds
    }
}

/// Returns the first paragraph of a message as one line.
pub(crate) fn subject(message: &[u8]) -> Vec<u8> {
    let lines = message.split(|b| *b == b'\n').map(|line| line.trim_ascii_end());
    let lines = lines.skip_while(|line| line.is_empty());
    let first: Vec<&[u8]> = lines.take_while(|line| !line.is_empty()).collect();
    first.join(&b' ')
}

/// Returns the message after its first paragraph.
pub(crate) fn body(message: &[u8]) -> &[u8] {
    let mut rest = message;
    let mut is_in_subject = false;
    while let Some(end) = rest.iter().position(|b| *b == b'\n') {
        let is_blank = rest[..end].trim_ascii().is_empty();
        if is_blank && is_in_subject {
            let start = rest.iter().position(|b| *b != b'\n').unwrap_or(rest.len());
            return &rest[start..];
        }
        is_in_subject |= !is_blank;
        rest = &rest[end + 1..];
    }
    b""
}

/// Splits the headers of a commit or tag from the message.
fn split_head(data: &[u8]) -> (&[u8], &[u8]) {
    match data.windows(2).position(|pair| pair == b"\n\n") {
        Some(at) => (&data[..at], &data[at + 2..]),
        None => (data, b""),
    }
}

/// An annotated tag.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    pub(crate) target: Oid,
    pub(crate) kind: Kind,
    pub(crate) name: Vec<u8>,
    pub(crate) tagger: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

impl Tag {
    /// Parses a tag.
    pub(crate) fn parse(data: &[u8]) -> Result<Tag> {
        Tag::parts(data).ok_or_else(|| fatal("corrupt tag"))
    }

    fn parts(data: &[u8]) -> Option<Tag> {
        let (head, message) = split_head(data);
        let field = |name: &[u8]| {
            head.split(|b| *b == b'\n').find_map(|line| line.strip_prefix(name)).map(<[u8]>::to_vec)
        };
        Some(Tag {
            target: Oid::parse(&field(b"object ")?)?,
            kind: Kind::parse(&field(b"type ")?)?,
            name: field(b"tag ")?,
            tagger: field(b"tagger ").unwrap_or_default(),
            message: message.to_vec(),
        })
    }

    /// Returns the text of the tag.
    pub(crate) fn write(&self) -> Vec<u8> {
        let head = format!("object {}\ntype {}\ntag ", self.target, self.kind.name());
        [head.as_bytes(), &self.name, b"\ntagger ", &self.tagger, b"\n\n", &self.message].concat()
    }
}

/// The parts of an author or committer line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) name: Vec<u8>,
    pub(crate) mail: Vec<u8>,
    pub(crate) seconds: i64,
    /// Minutes east of UTC.
    pub(crate) zone: i32,
}

impl Signature {
    /// Parses a line; fields that are not there are empty.
    pub(crate) fn parse(line: &[u8]) -> Signature {
        let mut signature = Signature::default();
        let open = line.iter().position(|b| *b == b'<').unwrap_or(line.len());
        let close = line.iter().rposition(|b| *b == b'>').unwrap_or(line.len());
        signature.name = line[..open].trim_ascii().to_vec();
        signature.mail = line.get(open + 1..close).unwrap_or_default().to_vec();
        let rest = String::from_utf8_lossy(line.get(close + 1..).unwrap_or_default()).into_owned();
        let mut words = rest.split_whitespace();
        signature.seconds = words.next().and_then(|text| text.parse().ok()).unwrap_or(0);
        signature.zone = words.next().and_then(crate::text::date::zone).unwrap_or(0);
        signature
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subject_and_body_are_paragraphs() {
        let message = b"\none\ntwo\n\n\nthree\n\nfour\n";
        assert_eq!(subject(message), b"one two");
        assert_eq!(body(message), b"three\n\nfour\n");
        assert_eq!(body(b"one\n"), b"");
    }

    #[test]
    fn a_commit_is_written_as_it_was_read() {
        let text = b"tree e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n\
            parent e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n\
            author A <a@b> 1 +0100\ncommitter A <a@b> 1 +0100\ngpgsig x\n y\n\nhi\n";
        let commit = Commit::parse(text).unwrap();
        assert_eq!(commit.write(), text);
        assert_eq!(Signature::parse(&commit.author).zone, 60);
    }

    #[test]
    fn broken_objects_are_refused() {
        assert!(parse_tree(b"100644 a\0short").is_err());
        assert!(Commit::parse(b"tree x\n\n").is_err());
        assert!(Tag::parse(b"object x\n\n").is_err());
    }
}
