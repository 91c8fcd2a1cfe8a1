//! Folders, brokers and runs for the tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cofferdam_broker::{Approver, Bounds, Broker, Denial, Discard, InMemory, Permissions};
use cofferdam_native::{Limits, Prepared, Program, Ran, Running};
use cofferdam_net::{Client, Settings};

/// A user without privileges.
pub(crate) const PLAIN_USER: u32 = 61_234;

/// A folder of the host that is removed afterwards.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let base = std::env::var_os("COFFERDAM_TEST_FOLDER")
            .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("native-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path.canonicalize().expect("a folder"))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("text").to_owned()
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        self.text(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a file")
    }

    /// Lets every user make files in it.
    pub(crate) fn open_to_all(&self) {
        use std::os::unix::fs::PermissionsExt;
        let all = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(&self.0, all).expect("permissions");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// A broker that forgets everything, and the permissions of one sandbox.
pub(crate) struct Office {
    pub(crate) broker: Broker,
    pub(crate) permissions: Permissions,
}

impl Office {
    pub(crate) fn new(allow: &[&str]) -> Self {
        Office::with(allow, None)
    }

    pub(crate) fn with(allow: &[&str], approver: Option<Arc<dyn Approver>>) -> Self {
        let memory = Arc::new(InMemory::new().expect("a ledger"));
        let broker = Broker::setup(memory, Arc::new(Discard)).open().expect("a broker");
        let given = allow.iter().map(|text| text.parse().expect("a capability")).collect();
        let permissions = broker.permissions_within("test", &given, approver, Bounds::default());
        Office { broker, permissions }
    }

    pub(crate) fn start(&self, program: Program) -> (Running, cofferdam_broker::Desk) {
        let prepared = Prepared::new(program).expect("a program");
        let desk = prepared.desk(&self.permissions, "run");
        let client = Client::new(Settings::default());
        let running = prepared.start(desk.clone(), client, None).expect("walls");
        (running, desk)
    }

    pub(crate) fn run(&self, program: Program) -> (Ran, Vec<Denial>) {
        let (running, desk) = self.start(program);
        let executor = tokio::runtime::Builder::new_current_thread().build().expect("an executor");
        let ran = executor.block_on(running.wait());
        (ran, desk.denials())
    }
}

pub(crate) fn program(words: &[&str]) -> Program {
    Program {
        words: words.iter().map(OsString::from).collect(),
        search: "/usr/bin:/bin".into(),
        directory: Some("/".into()),
        limits: Limits { time: std::time::Duration::from_secs(60), ..Limits::default() },
        ..Program::default()
    }
}

pub(crate) fn python(code: &str) -> Program {
    program(&["python3", "-c", code])
}

pub(crate) fn out(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stdout.bytes).into_owned()
}

pub(crate) fn err(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.stderr.bytes).into_owned()
}
