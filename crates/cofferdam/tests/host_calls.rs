//! Host calls whose cost grows with their input: they end with their run (T-CELL-030), and what
//! they hold on the host is charged to it (T-CELL-031, T-PROC-015).

mod folder;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cofferdam::permissions::FromOutside;
use cofferdam::{
    Command, Ending, Exhausted, Limit, Limits, Mount, Outcome, Sandbox, SandboxBuilder, Tool,
};
use folder::Folder;

/// Time limit of the runs.
const LIMIT: Duration = Duration::from_millis(100);

/// Late by more than this is a loop that did not look at the clock. The bound is a multiple of the
/// promise, because other tests share the machine; `bench/run --measure kill` has the figures.
const LATE: Duration = Duration::from_millis(250);

fn builder(limits: Limits) -> SandboxBuilder {
    let granted = ["fs:read", "fs:write"].map(|name| name.parse().expect("a capability"));
    granted.into_iter().fold(Sandbox::builder().limits(limits), SandboxBuilder::grant)
}

fn limits() -> Limits {
    Limits::default().with_time(LIMIT).with_fs_bytes(1 << 30)
}

/// Runs `source` with `folder` mounted at `/real`, and checks that the run ends at its limit.
async fn ends_in_time(folder: &Folder, mount: Mount, source: &str) {
    let sandbox = builder(limits()).mount("/real", folder.open(), mount).build().unwrap();
    let began = Instant::now();
    let outcome = sandbox.run(&Tool::javascript(source)).await.unwrap();
    let took = began.elapsed();
    let is_late = matches!(outcome.ending, Ending::Stopped(Exhausted::Time { .. }));
    assert!(is_late, "{:?}", outcome.ending);
    assert!(took < LIMIT + LATE, "{took:?}");
}

/// T-CELL-030.
#[tokio::test]
async fn a_recursive_removal_ends_with_its_run() {
    let folder = Folder::new("removal", 9_000);
    let source = "await btcp.fs.rm('/real/d', { recursive: true }); for (;;);";
    ends_in_time(&folder, Mount::ReadWrite, source).await;
}

/// T-CELL-030.
#[tokio::test]
async fn a_loop_of_renames_ends_with_its_run() {
    let folder = Folder::new("renames", 9_900);
    let source = "for (;;) { await btcp.fs.rename('/real/d', '/real/e'); \
                  await btcp.fs.rename('/real/e', '/real/d') }";
    ends_in_time(&folder, Mount::ReadWrite, source).await;
    let names = ["d", "e"].map(|name| folder.path().join(name));
    let whole = names.iter().filter_map(|name| std::fs::read_dir(name).ok());
    assert_eq!(whole.map(Iterator::count).collect::<Vec<_>>(), [9_900], "moved as a whole");
}

/// T-CELL-030.
#[tokio::test]
async fn a_copy_of_a_long_file_ends_with_its_run() {
    let folder = Folder::new("copy", 0);
    let long = std::fs::File::create(folder.path().join("long")).unwrap();
    long.set_len(700 << 20).unwrap();
    let source = "await btcp.fs.writeFile('/real/long', 'x', { append: true }); for (;;);";
    ends_in_time(&folder, Mount::Overlay, source).await;
}

#[tokio::test]
async fn a_program_that_copies_a_long_file_ends_with_its_run() {
    let folder = Folder::new("copy-sh", 0);
    let long = std::fs::File::create(folder.path().join("long")).unwrap();
    long.set_len(700 << 20).unwrap();
    let sandbox = builder(limits()).mount("/real", folder.open(), Mount::Overlay).build().unwrap();
    let began = Instant::now();
    let command = Command::shell("echo x >> /real/long; while :; do :; done");
    let outcome = sandbox.run_program(command).await.unwrap();
    let took = began.elapsed();
    assert!(matches!(outcome.ending, Ending::Stopped(Exhausted::Time { .. })));
    assert!(took < LIMIT + LATE, "{took:?}");
}

#[tokio::test]
async fn a_recursive_removal_ends_when_it_is_cancelled() {
    let folder = Folder::new("cancelled", 9_900);
    let long = limits().with_time(Duration::from_secs(60));
    let sandbox = builder(long).mount("/real", folder.open(), Mount::ReadWrite).build().unwrap();
    let source = "for (;;) { await btcp.fs.rename('/real/d', '/real/e'); \
                  await btcp.fs.rename('/real/e', '/real/d') }";
    let run = sandbox.start(Tool::javascript(source)).unwrap();
    let canceller = run.canceller();
    let cancelled = std::thread::spawn(move || {
        std::thread::sleep(LIMIT);
        canceller.cancel();
        Instant::now()
    });
    let outcome = run.await.unwrap();
    let late = cancelled.join().unwrap().elapsed();
    assert!(matches!(outcome.ending, Ending::Stopped(Exhausted::Cancelled { .. })));
    assert!(late < LATE, "{late:?}");
}

fn limit_of(outcome: &Outcome) -> Option<Limit> {
    match outcome.ending {
        Ending::Stopped(Exhausted::Limit { limit, .. }) => Some(limit),
        _ => None,
    }
}

/// T-CELL-031.
#[tokio::test]
async fn pending_writes_behind_a_question_are_bounded() {
    let sandbox = Sandbox::builder()
        .approver(Arc::new(FromOutside))
        .grant("fs:read:/none".parse().unwrap())
        .build()
        .unwrap();
    let source = "const content = 'x'.repeat(4e6); \
                  for (let i = 0; i < 1000; i++) btcp.fs.writeFile('/data/' + i % 2, content); \
                  await new Promise(() => {})";
    let outcome = sandbox.run(&Tool::javascript(source)).await.unwrap();
    assert_eq!(limit_of(&outcome), Some(Limit::HostMemory), "{:?}", outcome.ending);
    let message = outcome.error().unwrap().message;
    assert_eq!(message, "memory held by the host limit of 268435456 bytes reached");
}

/// T-PROC-015.
#[tokio::test]
async fn commands_of_one_tool_share_its_processes() {
    let limits = Limits::default().with_processes(4);
    let builder = Sandbox::builder().limits(limits);
    let sandbox = builder.grant("process:exec".parse().unwrap()).build().unwrap();
    let source = "const sleeps = Array.from({ length: 9 }, () => btcp.exec('sleep 0.3')); \
                  const codes = (await Promise.all(sleeps)).map(ran => ran.exitCode); \
                  return codes.filter(code => code === 0).length";
    let outcome = sandbox.run(&Tool::javascript(source)).await.unwrap();
    let Ending::Returned(cofferdam::Value::Number(slept)) = outcome.ending else {
        panic!("{:?}", outcome.ending)
    };
    assert!((1.0..=4.0).contains(&slept), "{slept} of 9 slept at once");
}
