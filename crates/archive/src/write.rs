//! Writes a sandbox's files, storage and variables as an archive.

use std::collections::{BTreeMap, HashMap};

use cofferdam_vfs::{DeviceId, Node, Snapshot, VPath};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::record::{Out, tag};
use crate::{MAGIC, VERSION};

/// The contents of a new archive.
#[derive(Debug)]
pub struct Contents<'a> {
    /// All files; system files and mounts are skipped.
    pub files: &'a Snapshot,
    /// Local storage, sorted by key.
    pub stored: Vec<(&'a str, &'a str)>,
    /// Environment variables.
    pub variables: &'a BTreeMap<String, String>,
    /// Working directory.
    pub cwd: &'a str,
}

/// Returns the archive of `contents`.
pub fn write(contents: &Contents<'_>) -> Result<Vec<u8>, Error> {
    let mut out = Out(Vec::new());
    out.0.extend_from_slice(MAGIC);
    out.0.extend_from_slice(&VERSION.to_le_bytes());
    for (name, value) in contents.variables {
        out.tag(tag::VARIABLE).text(name).text(value);
    }
    for (key, text) in &contents.stored {
        out.tag(tag::STORED).text(key).text(text);
    }
    let mut named: HashMap<u64, VPath> = HashMap::new();
    for walked in contents.files.walk() {
        let walked = walked?;
        if walked.system {
            continue;
        }
        let (path, stat) = (walked.path.as_str(), &walked.stat);
        match &walked.node {
            Node::Directory => drop(out.tag(tag::DIRECTORY).text(path).attributes(stat)),
            Node::Link(target) => drop(out.tag(tag::LINK).text(path).text(target)),
            Node::File(_) if named.contains_key(&stat.ino.0) => {
                out.tag(tag::NAME).text(path).text(named[&stat.ino.0].as_str());
            }
            Node::File(extents) => {
                if stat.links > 1 {
                    named.insert(stat.ino.0, walked.path.clone());
                }
                let count = extents.iter().count() as u64;
                out.tag(tag::FILE).text(path).attributes(stat).number(stat.size).number(count);
                for (offset, bytes) in extents.iter() {
                    out.number(offset).bytes(bytes);
                }
            }
            Node::Device(DeviceId::FIFO) => drop(out.tag(tag::FIFO).text(path).attributes(stat)),
            // All other devices belong to the system, and mounts belong to the host.
            Node::Device(_) | Node::Mount => {}
        }
    }
    out.tag(tag::CWD).text(contents.cwd);
    let sum = Sha256::digest(&out.0);
    out.0.extend_from_slice(&sum);
    Ok(out.0)
}
