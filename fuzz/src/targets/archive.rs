//! Exports of sandboxes. An input that starts with the magic is read as it is. Any other input is
//! taken as the records of an archive and gets a header and a valid checksum.

use cofferdam_archive::{Contents, MAGIC, SUM, VERSION, read, write};
use cofferdam_vfs::{Limits, Mode, Node, Time, Tree, Usage, VPath};
use sha2::{Digest, Sha256};

use super::Target;
use crate::cost;

pub const TARGET: Target = Target {
    name: "archive",
    run,
    words: &[
        "\u{1}",
        "\u{3}\u{5}\0\0\0\0\0\0\0/tmp/",
        "\u{5}\u{4}\0\0\0\0\0\0\0/a/b",
        "\u{7}\u{1}\0\0\0\0\0\0\0/",
        "\u{6}\u{2}\0\0\0\0\0\0\0/a",
        "\u{4}\u{2}\0\0\0\0\0\0\0/b",
        "\0\0\0\0\0\0\0\0",
        "/tmp",
        "/etc/passwd",
        "..",
        "\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}",
    ],
    repeats: &[
        "\u{1}\u{1}\0\0\0\0\0\0\0a\u{1}\0\0\0\0\0\0\0b",
        "\u{2}\u{1}\0\0\0\0\0\0\0a\0\0\0\0\0\0\0\0",
    ],
};

const NOW: Time = Time(1);
const LIMITS: Limits = Limits { bytes: 1 << 16, nodes: 64, file: 1 << 24 };

/// Bytes of local storage accepted in this target.
const STORED: usize = 1 << 14;

pub fn run(data: &[u8]) {
    let archive = match data.starts_with(MAGIC) {
        true => data.to_vec(),
        false => sealed([&MAGIC[..], &VERSION.to_le_bytes(), data].concat()),
    };
    let (tree, before) = fresh();
    // The limits of the tree, plus the overhead of its nodes.
    let read = cost::within(archive.len(), 16, 1 << 20, || taken(&archive, &tree));
    let used = tree.usage();
    assert!(used.bytes <= before.bytes + LIMITS.bytes && used.nodes <= before.nodes + LIMITS.nodes);
    // Checked with the rights of the host, because an archive may close the folder above, as any
    // guest may.
    let system = tree.as_host(NOW).read_file("/etc/passwd", 9);
    assert_eq!(system.expect("the system's file"), b"root");
    assert_eq!(
        tree.as_host(NOW).read_file("/etc/shadow", 9).map_err(|e| e.to_string()),
        Err("/etc/shadow: no such file or directory".into())
    );
    let Some(found) = read else { return };
    system_is_whole(&tree);
    // Exporting an imported archive gives the same archive.
    let once = found.written(&tree);
    let (other, _) = fresh();
    let again = taken(&once, &other).expect("what was written can be read");
    assert_eq!(again.written(&other), once);
}

/// Returns a tree like that of a new sandbox, but smaller.
fn fresh() -> (Tree, Usage) {
    let tree = Tree::new(Limits::NONE, NOW);
    let host = tree.as_host(NOW);
    for folder in ["/tmp", "/etc"] {
        host.make_directory(folder, Mode::DIRECTORY).expect("an empty tree has room");
    }
    host.write_file("/etc/passwd", b"root").expect("room");
    tree.protect(&VPath::new("/etc").expect("a path")).expect("a folder");
    let used = tree.usage();
    let limits =
        Limits { bytes: used.bytes + LIMITS.bytes, nodes: used.nodes + LIMITS.nodes, ..LIMITS };
    tree.set_limits(limits);
    (tree, used)
}

struct Taken {
    imported: cofferdam_archive::Imported,
    stored: Vec<(String, String)>,
}

fn taken(archive: &[u8], tree: &Tree) -> Option<Taken> {
    let (mut stored, mut bytes) = (Vec::<(String, String)>::new(), 0);
    let imported = read(archive, tree, NOW, |key, text| {
        bytes += key.len() + text.len() + 16;
        let fits = bytes <= STORED;
        if fits {
            stored.retain(|(kept, _)| kept != key);
            stored.push((key.to_owned(), text.to_owned()));
        }
        fits
    });
    imported.ok().map(|imported| Taken { imported, stored })
}

impl Taken {
    fn written(&self, tree: &Tree) -> Vec<u8> {
        let contents = Contents {
            files: &tree.snapshot(),
            stored: self.stored.iter().map(|(key, text)| (&**key, &**text)).collect(),
            variables: &self.imported.variables,
            cwd: &self.imported.cwd,
        };
        write(&contents).expect("what was read can be written")
    }
}

/// Asserts that the system's area is unchanged and that no other name refers to a file in it.
fn system_is_whole(tree: &Tree) {
    let mut system = Vec::new();
    for walked in tree.snapshot().walk() {
        let walked = walked.expect("a path that can be said");
        if walked.system {
            system.push(walked.path.as_str().to_owned());
            assert_eq!(
                matches!(walked.node, Node::File(_)),
                walked.stat.links == 1 && walked.path.as_str() == "/etc/passwd"
            );
        }
    }
    assert_eq!(system, ["/etc", "/etc/passwd"]);
}

fn sealed(mut archive: Vec<u8>) -> Vec<u8> {
    let sum = Sha256::digest(&archive);
    assert_eq!(sum.len(), SUM);
    archive.extend_from_slice(&sum);
    archive
}
