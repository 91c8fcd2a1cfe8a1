//! Forks, snapshots and exports.

use std::collections::BTreeMap;

use cofferdam::{Command, ErrorKind, Limits, Sandbox};
use proptest::prelude::*;

fn sh(sandbox: &Sandbox, text: &str) -> (u8, String) {
    let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    let outcome = executor.block_on(sandbox.run_program(Command::shell(text))).expect("a run");
    (outcome.exit_code(), outcome.stdout.text() + &outcome.stderr.text())
}

#[track_caller]
fn check(sandbox: &Sandbox, text: &str, expected: &str) {
    assert_eq!(sh(sandbox, text), (0, expected.to_owned()), "{text}");
}

fn sandbox() -> Sandbox {
    Sandbox::new().expect("a sandbox")
}

/// Lists every name below the home with its attributes and checksum.
const ALL: &str = "cd; find . | sort | while IFS= read -r f; do stat -c '%n %F %a %s %Y %h %N' \"$f\"; \
                   [ -f \"$f\" ] && cksum < \"$f\"; done; true";

#[test]
fn a_fork_goes_its_own_way() {
    let one = sandbox();
    check(&one, "echo 1 > f; export V=1; cd /tmp", "");
    let other = one.fork().expect("a fork");
    check(&other, "echo $V; pwd; cat ~/f; echo 2 > ~/f; export V=2; cd /", "1\n/tmp\n1\n");
    check(&one, "cat ~/f; echo $V; pwd", "1\n1\n/tmp\n");
    check(&other, "cat ~/f; echo $V; pwd", "2\n2\n/\n");
    one.destroy().expect("alive");
    check(&other, "cat ~/f", "2\n");
}

#[test]
fn a_fork_has_its_limits_and_capabilities() {
    let limits = Limits::default().with_fs_bytes(1000);
    let one = Sandbox::builder()
        .limits(limits)
        .grant("process:exec:cat".parse().expect("a capability"))
        .build()
        .expect("a sandbox");
    let other = one.fork().expect("a fork");
    assert_eq!(sh(&other, "printf '%2000d' 1 > f").0, 1);
    assert_eq!(sh(&other, "ls").0, 1);
    check(&other, "echo a | cat", "a\n");
}

#[test]
fn a_snapshot_is_what_was_there() {
    let sandbox = sandbox();
    check(&sandbox, "echo 1 > f; mkdir d; export V=1; cd d", "");
    let snapshot = sandbox.snapshot().expect("a snapshot");
    check(&sandbox, "rm -r ~/d ~/f; echo x > ~/g; unset V; cd /", "");
    sandbox.restore(&snapshot).expect("nothing runs");
    check(&sandbox, "pwd; echo $V; ls ~; cat ~/f", "/home/user/d\n1\nd\nf\n1\n");
    // Restores again, after a second change.
    check(&sandbox, "echo 2 > ~/f", "");
    sandbox.restore(&snapshot).expect("nothing runs");
    check(&sandbox, "cat ~/f", "1\n");
}

#[test]
fn local_storage_is_kept_and_session_storage_is_not() {
    let sandbox = Sandbox::builder()
        .grant("storage:local:read".parse().expect("a capability"))
        .grant("storage:local:write".parse().expect("a capability"))
        .grant("storage:session:read".parse().expect("a capability"))
        .grant("storage:session:write".parse().expect("a capability"))
        .build()
        .expect("a sandbox");
    let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
    let run = |sandbox: &Sandbox, source: &str| {
        let tool = cofferdam::Tool::javascript(source);
        let outcome = executor.block_on(sandbox.run(&tool)).expect("a run");
        assert_eq!(outcome.error(), None);
        outcome.result_json().unwrap_or_default()
    };
    let set =
        "await btcp.localStorage.setItem('a', '1'); await btcp.sessionStorage.setItem('a', '1')";
    let get =
        "return [await btcp.localStorage.getItem('a'), await btcp.sessionStorage.getItem('a')]";
    run(&sandbox, set);
    assert_eq!(run(&sandbox, get), serde_json::json!(["1", "1"]));
    assert_eq!(run(&sandbox.fork().expect("a fork"), get), serde_json::json!(["1", null]));
    let snapshot = sandbox.snapshot().expect("a snapshot");
    run(&sandbox, "await btcp.localStorage.clear()");
    sandbox.restore(&snapshot).expect("nothing runs");
    assert_eq!(run(&sandbox, get), serde_json::json!(["1", null]));
}

#[test]
fn nothing_is_restored_under_a_run() {
    let sandbox = sandbox();
    let snapshot = sandbox.snapshot().expect("a snapshot");
    let run = sandbox.start_program(Command::shell("true")).expect("a run");
    let error = sandbox.restore(&snapshot).expect_err("a run is under way");
    assert_eq!(error.kind(), ErrorKind::SandboxBusy, "{error}");
    drop(run);
    sandbox.restore(&snapshot).expect("nothing runs");
}

#[test]
fn what_was_destroyed_cannot_be_copied() {
    let sandbox = sandbox();
    sandbox.destroy().expect("alive");
    assert_eq!(sandbox.fork().err().map(|e| e.kind()), Some(ErrorKind::Destroyed));
    assert_eq!(sandbox.snapshot().err().map(|e| e.kind()), Some(ErrorKind::Destroyed));
    assert_eq!(sandbox.export().err().map(|e| e.kind()), Some(ErrorKind::Destroyed));
}

#[test]
fn an_export_comes_back_whole() {
    let sandbox = sandbox();
    let script = "mkdir -p a/b; echo x > a/b/c; ln a/b/c a/d; ln -s ../nowhere a/e; chmod 400 a/d; \
                  chmod 555 a/b; truncate -s 100M hole; printf 'end' >> hole; : > empty; \
                  printf 'a\\0b' > bin; touch -d @1000 empty; mkfifo -m 600 p; \
                  export V='a b'; cd a";
    assert_eq!(sh(&sandbox, script), (0, String::new()));
    let archive = sandbox.export().expect("an archive");
    assert!(archive.len() < 100_000, "holes are not written: {}", archive.len());
    let other = Sandbox::import(archive.clone()).expect("a sandbox");
    check(&other, "pwd; echo $V", "/home/user/a\na b\n");
    assert_eq!(sh(&other, ALL), sh(&sandbox, ALL));
    check(&other, "cd; tail -c 3 hole", "end");
    check(&other, "cat p & echo through > p; wait; ls -l p | cut -c1-10", "through\nprw-------\n");
    let fork = other.fork().expect("a fork");
    check(&fork, "[ -p p ] && cat p & echo forked > p; wait", "forked\n");
}

#[test]
fn system_areas_are_neither_written_nor_read() {
    let archive = sandbox().export().expect("an archive");
    let text = String::from_utf8_lossy(&archive).into_owned();
    assert!(
        !text.contains("/usr/bin/ls") && !text.contains("/dev") && !text.contains("/etc"),
        "{text}"
    );
}

#[track_caller]
fn check_refused(archive: Vec<u8>, part: &str) {
    match Sandbox::import(archive) {
        Ok(_) => panic!("taken; should say {part:?}"),
        Err(error) => assert!(error.to_string().contains(part), "{error}"),
    }
}

/// Appends the right checksum.
fn sealed(mut archive: Vec<u8>) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let sum = Sha256::digest(&archive);
    archive.extend_from_slice(&sum);
    archive
}

/// Returns an archive of these records, with an end record.
fn records(records: &[&[u8]]) -> Vec<u8> {
    let mut archive = b"cofferdam-box\r\n\0\x01\0\0\0".to_vec();
    records.iter().for_each(|record| archive.extend_from_slice(record));
    archive.extend_from_slice(&record(7, &["/"]));
    sealed(archive)
}

fn record(tag: u8, texts: &[&str]) -> Vec<u8> {
    let mut record = vec![tag];
    for text in texts {
        record.extend_from_slice(&(text.len() as u64).to_le_bytes());
        record.extend_from_slice(text.as_bytes());
    }
    record
}

fn numbers(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn file(path: &str, size: u64, extents: &[(u64, &[u8])]) -> Vec<u8> {
    let mut file = record(4, &[path]);
    file.extend(numbers(&[0o644, 0, 0, size, extents.len() as u64]));
    for (offset, bytes) in extents {
        file.extend(numbers(&[*offset, bytes.len() as u64]));
        file.extend_from_slice(bytes);
    }
    file
}

#[test]
fn what_is_no_export_is_refused() {
    check_refused(Vec::new(), "not an export");
    check_refused(b"PK\x03\x04".to_vec(), "not an export");
    let archive = sandbox().export().expect("an archive");
    check_refused(archive[..archive.len() - 1].to_vec(), "damaged");
    check_refused(archive[..20].to_vec(), "cut off");
    let mut damaged = archive.clone();
    damaged[40] ^= 1;
    check_refused(damaged, "damaged");
    let mut newer = archive[..archive.len() - 32].to_vec();
    newer[16] = 9;
    check_refused(sealed(newer), "version 9");
}

#[test]
fn names_that_do_not_belong_are_refused() {
    for path in ["", "a", "../a", "/../a", "/tmp/../a", "/tmp/./a", "/tmp//a", "/tmp/a/"] {
        check_refused(records(&[&file(path, 1, &[(0, b"x")])]), "not a plain absolute path");
        check_refused(records(&[&record(5, &[path, "x"])]), "not a plain absolute path");
    }
    for path in ["/usr/bin/evil", "/etc/passwd", "/dev/evil", "/proc/evil", "/bin/evil"] {
        assert!(Sandbox::import(records(&[&file(path, 1, &[(0, b"x")])])).is_err(), "{path}");
    }
    // A path through a link that the archive itself contains.
    let link = record(5, &["/tmp/l", "/home/user"]);
    check_refused(records(&[&link, &file("/tmp/l/f", 1, &[(0, b"x")])]), "behind a link");
    // A hard link to a file of the system.
    assert!(Sandbox::import(records(&[&record(6, &["/tmp/p", "/etc/passwd"])])).is_err());
}

#[test]
fn sizes_are_checked_before_they_are_believed() {
    let small = || Limits::default().with_fs_bytes(1000).with_file_count(5);
    let import = |archive: Vec<u8>| Sandbox::builder().limits(small()).import(archive).build();
    let large = records(&[&file("/tmp/f", 2000, &[(0, &[7; 2000])])]);
    assert_eq!(import(large).err().map(|e| e.kind()), Some(ErrorKind::Limit));
    let many: Vec<_> = (0..9).map(|n| file(&format!("/tmp/{n}"), 0, &[])).collect();
    let many: Vec<_> = many.iter().map(Vec::as_slice).collect();
    assert_eq!(import(records(&many)).err().map(|e| e.kind()), Some(ErrorKind::Limit));
    check_refused(records(&[&file("/tmp/f", 1, &[(u64::MAX, b"x")])]), "past its end");
    let mut lying = record(4, &["/tmp/f"]);
    lying.extend(numbers(&[0o644, 0, 0, 1, u64::MAX]));
    assert!(Sandbox::import(records(&[&lying])).is_err());
    assert!(Sandbox::import(records(&[&file("/tmp/f", u64::MAX, &[])])).is_err());
    let mut long = vec![1];
    long.extend(numbers(&[u64::MAX]));
    check_refused(records(&[&long]), "cut off");
    check_refused(records(&[&[99]]), "unknown kind 99");
    check_refused(records(&[&record(7, &["/"])]), "after its end");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_import_of_an_export_exports_the_same(
        files in proptest::collection::btree_map("[a-c]{1,2}(/[a-c]{1,2}){0,3}", proptest::collection::vec(any::<u8>(), 0..200), 0..20),
        variables in proptest::collection::btree_map("[A-Z]{1,4}", "[ -~]{0,8}", 0..5),
    ) {
        let sandbox = sandbox();
        let mut written = BTreeMap::new();
        for (path, bytes) in &files {
            // A name that is a file already cannot be a folder.
            if sandbox.write_file(path, bytes).is_ok() {
                written.insert(path.clone(), bytes.clone());
            }
        }
        for (name, value) in &variables {
            sandbox.set_env(name, Some(value)).expect("a variable");
        }
        let archive = sandbox.export().expect("an archive");
        let other = Sandbox::import(archive.clone()).expect("a sandbox");
        // Exported before anything is read, because reading changes access times, which are
        // exported too.
        prop_assert_eq!(other.export().expect("an archive"), archive);
        for (path, bytes) in &written {
            let path = format!("/home/user/{path}");
            prop_assert_eq!(other.read_file(&path, 1000).ok(), sandbox.read_file(&path, 1000).ok());
            prop_assert_eq!(other.read_file(&path, 1000).ok(), Some(bytes.clone()));
        }
        prop_assert_eq!(other.env(), sandbox.env());
    }

    #[test]
    fn no_damaged_archive_is_taken_or_panics(at in any::<prop::sample::Index>(), bit in 0u8..8, seal in any::<bool>()) {
        let sandbox = sandbox();
        sandbox.write_file("d/f", b"some bytes").expect("room");
        let mut archive = sandbox.export().expect("an archive");
        archive.truncate(archive.len() - 32);
        let at = at.index(archive.len());
        archive[at] ^= 1 << bit;
        let archive = match seal {
            true => sealed(archive),
            false => [archive, vec![0; 32]].concat(),
        };
        let imported = Sandbox::import(archive);
        prop_assert!(seal || imported.is_err());
    }
}
