//! Real programs behind the walls: escapes, requests, limits, network, Deno. As the user who runs the
//! tests, and once more as a plain user if that is root.
//!
//! The test program is the launcher of its own sandboxes, so that it has a `main` of its own.

mod deno;
mod escapes;
mod limits;
mod network;
mod requests;
mod world;

use libtest_mimic::{Arguments, Trial};

fn main() {
    cofferdam_native::become_launcher();
    let arguments = Arguments::from_args();
    // On a machine that forbids namespaces, the tests say that they did not run.
    for (_, found) in cofferdam_native::probe() {
        if let cofferdam_native::Found::Missing(missing) = found {
            println!("native programs: no test was run, because of {missing}");
            return;
        }
    }
    let mut trials = Vec::new();
    trials.extend(requests::trials());
    trials.extend(limits::trials());
    trials.extend(network::trials());
    trials.extend(deno::trials());
    trials.extend(escapes::trials());
    if world::is_root() {
        trials.push(Trial::test("everything_as_a_plain_user", as_plain_user));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// Runs all tests again as a user without privileges.
fn as_plain_user() -> Result<(), libtest_mimic::Failed> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;

    let folder = world::Folder::new();
    folder.open_to_all();
    let is_closed = |at: &&std::path::Path| {
        std::fs::metadata(at).is_ok_and(|found| found.permissions().mode() & 0o001 == 0)
    };
    if let Some(closed) = folder.root().ancestors().find(is_closed) {
        println!("plain user: not tested, because {} is closed to others", closed.display());
        return Ok(());
    }
    let program = folder.path("tests");
    std::fs::copy(std::env::current_exe()?, &program)?;
    let ran = std::process::Command::new(&program)
        .uid(world::PLAIN_USER)
        .gid(world::PLAIN_USER)
        .env("COFFERDAM_TEST_FOLDER", folder.root())
        .current_dir(folder.root())
        .output()?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    match ran.status.success() && text.contains("test result: ok") {
        true => Ok(()),
        false => Err(format!("{text}\n{}", String::from_utf8_lossy(&ran.stderr)).into()),
    }
}
