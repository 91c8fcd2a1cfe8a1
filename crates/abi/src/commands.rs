//! Names of the commands that the `sh` guest has. The host shows each as `/usr/bin/NAME` and runs
//! the guest for it.

/// Every command, in no order.
pub const COMMANDS: &[&str] = &["sh", "bash"];

/// Whether the guest has a command of this name.
pub fn is_command(name: &str) -> bool {
    COMMANDS.contains(&name)
}
