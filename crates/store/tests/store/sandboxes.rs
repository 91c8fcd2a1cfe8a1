//! Kept sandboxes: whole after a kill, and never changed by two processes at the same time.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

use cofferdam_broker::ErrorKind;
use cofferdam_store::{KeptSandbox, SandboxName};

use super::Scratch;

/// Names the store for a copy of this test program.
const STORE: &str = "COFFERDAM_TEST_SANDBOXES";

/// Length of the archives that are written while a process is killed.
const LENGTH: usize = 1 << 20;

const PROCESSES: usize = 4;
const STEPS: usize = 25;

fn name(text: &str) -> SandboxName {
    text.parse().unwrap()
}

fn open(store: &Path, text: &str) -> KeptSandbox {
    KeptSandbox::open(store, &name(text), || {}).unwrap()
}

fn copy(test: &str, store: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(STORE, store);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

/// Replaces an archive until it is killed. Does nothing when run as a test.
#[test]
fn replaces_until_it_is_killed() {
    let Some(store) = std::env::var_os(STORE) else { return };
    let kept = open(store.as_ref(), "work");
    for number in 0_u8.. {
        kept.write(&vec![number; LENGTH]).unwrap();
        println!("\nreplaced");
        std::io::stdout().flush().unwrap();
    }
}

/// T-BOX-004.
#[test]
fn a_killed_process_leaves_a_whole_archive() {
    let scratch = Scratch::new();
    for _ in 0..5 {
        let mut child = copy("sandboxes::replaces_until_it_is_killed", &scratch.path());
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert_eq!(lines.filter(|line| line == "replaced").take(3).count(), 3);
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = open(&scratch.path(), "work").read().unwrap().unwrap();
        assert_eq!(bytes.len(), LENGTH);
        assert!(bytes.iter().all(|byte| *byte == bytes[0]));
    }
}

/// Counts to [`STEPS`] in a kept sandbox. Does nothing when run as a test.
#[test]
fn counts_in_a_sandbox() {
    let Some(store) = std::env::var_os(STORE) else { return };
    for _ in 0..STEPS {
        let kept = open(store.as_ref(), "count");
        let number = kept.read().unwrap().map_or(0, |bytes| bytes.len());
        kept.write(&vec![0; number + 1]).unwrap();
    }
}

/// T-BOX-004.
#[test]
fn no_change_of_another_process_is_lost() {
    let scratch = Scratch::new();
    let children =
        [(); PROCESSES].map(|()| copy("sandboxes::counts_in_a_sandbox", &scratch.path()));
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let counted = open(&scratch.path(), "count").read().unwrap().unwrap().len();
    assert_eq!(counted, PROCESSES * STEPS);
}

#[test]
fn a_sandbox_that_is_open_is_waited_for() {
    let scratch = Scratch::new();
    let first = open(&scratch.path(), "work");
    let (says, said) = mpsc::channel();
    let store = scratch.path();
    let second = std::thread::spawn(move || {
        let kept = KeptSandbox::open(&store, &name("work"), || says.send(()).unwrap()).unwrap();
        kept.read().unwrap()
    });
    said.recv().unwrap();
    // Another name is another sandbox.
    drop(open(&scratch.path(), "other"));
    first.write(b"first").unwrap();
    drop(first);
    assert_eq!(second.join().unwrap().as_deref(), Some(&b"first"[..]));
}

#[test]
fn sandboxes_are_listed_and_removed() {
    let scratch = Scratch::new();
    assert_eq!(KeptSandbox::list(&scratch.path()).unwrap(), []);
    let new = open(&scratch.path(), "new");
    assert_eq!(new.read().unwrap(), None);
    open(&scratch.path(), "b").write(b"bytes").unwrap();
    open(&scratch.path(), "a").write(b"").unwrap();
    let listed = KeptSandbox::list(&scratch.path()).unwrap();
    let shown: Vec<_> = listed.iter().map(|one| (one.name.to_string(), one.bytes)).collect();
    assert_eq!(shown, [("a".to_owned(), 0), ("b".to_owned(), 5)]);
    assert!(open(&scratch.path(), "b").remove().unwrap());
    assert!(!new.remove().unwrap());
    assert_eq!(KeptSandbox::list(&scratch.path()).unwrap().len(), 1);
}

/// T-PERM-017.
#[test]
fn a_folder_that_others_can_write_is_refused() {
    let scratch = Scratch::new();
    drop(open(&scratch.path(), "work"));
    let folder = scratch.path().with_file_name("sandboxes");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let refused = KeptSandbox::open(&scratch.path(), &name("work"), || {}).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Untrusted);
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    std::fs::remove_file(folder.join("work.lock")).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.join("work.lock")).unwrap();
    let refused = KeptSandbox::open(&scratch.path(), &name("work"), || {}).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Untrusted);
}
