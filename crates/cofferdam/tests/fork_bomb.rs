//! A fork bomb ends in one of two ways, by chance: at the time limit, or because every branch of it
//! was refused a process or memory. Either way it ends in time and the next command works.

use std::time::{Duration, Instant};

use cofferdam::{Command, ErrorClass, Limits, Sandbox};

/// Time allowed beyond the limit, on a machine with other work.
const LATE: Duration = Duration::from_secs(2);

async fn check(processes: u64, script: &str) {
    let time = Duration::from_millis(500);
    let limits = Limits::default().with_time(time).with_processes(processes);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let began = Instant::now();
    let outcome = sandbox.run_program(Command::shell(script)).await.expect("a run");
    assert!(began.elapsed() < time + LATE, "{script}: {:?}", began.elapsed());
    let class = outcome.error_class();
    let is_expected =
        matches!(class, None | Some(ErrorClass::Timeout) | Some(ErrorClass::LimitExceeded));
    assert!(is_expected, "{script}: {:?}", outcome.error());
    let said = outcome.stderr.text();
    // With many processes, the limit on their memory together is reached first.
    let refusals = ["Resource temporarily unavailable", "memory limit reached"];
    assert!(refusals.iter().any(|refusal| said.contains(refusal)), "{script}: {said}");
    let outcome = sandbox.run_program(Command::shell("echo alive | cat")).await.expect("a run");
    assert_eq!(outcome.stdout.text(), "alive\n");
}

#[tokio::test]
async fn a_fork_bomb_ends_within_its_limits() {
    for processes in [4, 16, 64] {
        check(processes, ":(){ :|:& };:").await;
        check(processes, ":(){ :|:& };:\nwait").await;
        check(processes, "f() { f & f & wait; }; f").await;
    }
}
