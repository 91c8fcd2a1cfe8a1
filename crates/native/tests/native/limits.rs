//! Limits, and the end of a run.

use std::time::{Duration, Instant};

use cofferdam_native::{End, Limits};
use libtest_mimic::Trial;

use crate::world::{Office, out, program, python};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        Trial::test("limits::exit_code_is_that_of_the_program", || {
            let (ran, _) = Office::new(&[]).run(program(&["sh", "-c", "exit 7"]));
            assert_eq!(ran.end, End::Exited(7));
            let (ran, _) = Office::new(&[]).run(program(&["sh", "-c", "kill -SEGV $$"]));
            assert_eq!(ran.end, End::Exited(128 + 11));
            Ok(())
        }),
        Trial::test("limits::program_that_does_not_end_is_stopped", || {
            let mut endless = python("while True: pass");
            endless.limits.time = Duration::from_millis(300);
            let began = Instant::now();
            let (ran, _) = Office::new(&[]).run(endless);
            assert_eq!(ran.end, End::TimedOut);
            assert!(began.elapsed() < Duration::from_secs(20));
            Ok(())
        }),
        Trial::test("limits::children_end_with_the_run", children_end_with_the_run),
        Trial::test("limits::children_end_with_the_program", || {
            let code = "import os\nfor _ in range(20):\n  if os.fork() == 0:\n    os.setsid(); \
                        import time; time.sleep(1000)\nprint('started')";
            let began = Instant::now();
            let (ran, _) = Office::new(&[]).run(python(code));
            assert_eq!((ran.end, out(&ran).as_str()), (End::Exited(0), "started\n"));
            assert!(began.elapsed() < Duration::from_secs(20));
            Ok(())
        }),
        // T-NAT-012: memory past the limit.
        Trial::test("limits::memory", || {
            let mut hungry = python("x = bytearray(600 << 20)\nimport time; time.sleep(100)");
            hungry.limits.memory_bytes = 200 << 20;
            let (ran, _) = Office::new(&[]).run(hungry);
            assert!(matches!(ran.end, End::Memory(used) if used > 200 << 20), "{:?}", ran.end);
            Ok(())
        }),
        Trial::test("limits::processes", || {
            let mut forks = python("import os\nwhile True:\n  os.fork()");
            forks.limits = Limits { processes: 30, ..forks.limits };
            let (ran, _) = Office::new(&[]).run(forks);
            // Either the kernel refuses the next one, or the run is stopped.
            assert!(matches!(ran.end, End::Processes(_) | End::Exited(1..)), "{:?}", ran.end);
            Ok(())
        }),
        Trial::test("limits::own_files", || {
            let code = "f = open('/tmp/x', 'wb')\ntry:\n  f.write(b'x' * (50 << 20)); f.flush()\n\
                        except OSError as e: print(e.errno)";
            let mut writes = python(code);
            writes.limits.file_bytes = 10 << 20;
            let (ran, _) = Office::new(&[]).run(writes);
            // ENOSPC or EFBIG.
            assert!(matches!(out(&ran).trim(), "28" | "27"), "{}", out(&ran));
            Ok(())
        }),
        Trial::test("limits::output_is_cut", || {
            let mut prints = python("print('x' * 100000)");
            prints.limits.stdout_bytes = 1000;
            let (ran, _) = Office::new(&[]).run(prints);
            assert_eq!((ran.stdout.bytes.len(), ran.stdout.is_cut), (1000, true));
            Ok(())
        }),
        Trial::test("limits::program_that_does_not_exist_is_an_error", || {
            let missing = cofferdam_native::Prepared::new(program(&["no-such-program-here"]));
            let error = missing.err().expect("an error");
            assert_eq!(error.to_string(), "no-such-program-here: no such program");
            Ok(())
        }),
    ]
}

/// T-NAT-010: a hundred children, some of them in sessions of their own, and none is left.
fn children_end_with_the_run() -> Result<(), libtest_mimic::Failed> {
    let marker = format!("marker-{}-{}", std::process::id(), line!());
    let code = format!(
        "import os, sys, time\nfor n in range(100):\n  if os.fork() == 0:\n    if n % 2: os.setsid()\n    \
         time.sleep(1000)\nprint('started', flush=True)\ntime.sleep(1000)  # {marker}"
    );
    let mut many = python(&code);
    many.limits.processes = 200;
    let (mut running, _) = Office::new(&[]).start(many);
    drop(running.take_stdin());
    let deadline = Instant::now() + Duration::from_secs(30);
    while processes(&marker) < 101 && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(processes(&marker), 101);
    let killer = running.killer();
    let began = Instant::now();
    killer.kill();
    let executor = tokio::runtime::Builder::new_current_thread().build()?;
    let ran = executor.block_on(running.wait());
    assert_eq!(ran.end, End::Killed);
    assert_eq!(processes(&marker), 0);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    Ok(())
}

/// Counts processes of this machine whose command line contains a text.
fn processes(marker: &str) -> usize {
    let entries = std::fs::read_dir("/proc").expect("/proc").flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(marker)).count()
}
