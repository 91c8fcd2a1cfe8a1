//! Real programs of the machine for every front, and an error where there are none.

use cofferdam::{Client, Error, Run, RunSettings, Sandbox};

/// Starts a native program in a sandbox of a front, with the network client of that front.
#[cfg(target_os = "linux")]
pub(crate) fn start(
    (sandbox, client): (&Sandbox, Option<&Client>),
    words: Vec<String>,
    settings: RunSettings,
) -> Result<Run, Error> {
    use cofferdam::native::NativeCommand;

    let mut command = NativeCommand::new(words);
    if let Some(store) = cofferdam_store::user_path()
        && let Some(folder) = store.parent()
    {
        command = command.hide(folder);
    }
    // T-PROC-003: code in the cache runs outside of every sandbox.
    if let Some(cache) = crate::cache::path() {
        command = command.hide(cache);
    }
    if let Some(client) = client {
        command = command.client(client);
    }
    sandbox.start_native(command, settings)
}

/// Fails: there are no walls for native programs on this system.
#[cfg(not(target_os = "linux"))]
pub(crate) fn start(
    _: (&Sandbox, Option<&Client>),
    _: Vec<String>,
    _: RunSettings,
) -> Result<Run, Error> {
    Err(Error::no_walls())
}
