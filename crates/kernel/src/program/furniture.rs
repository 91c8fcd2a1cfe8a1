//! Files that every sandbox has: devices, `/proc`, commands.

use std::sync::Arc;

use cofferdam_abi::commands::COMMANDS;
use cofferdam_vfs::{Error, Mode, Time, Tree, VPath};

use crate::program::device::Device;
use crate::program::proc::{OwnDescriptors, Proc};

/// Home and first working directory of programs and tools.
pub const HOME: &str = "/home/user";

/// Folder of the programs that the embedder adds; guests cannot write there.
pub const PROGRAMS_AT: &str = "/usr/local/bin";

/// Puts devices, `/proc` and the commands into an empty tree. Guests can use but not change them.
pub fn furnish(tree: &Tree, now: Time) -> Result<(), Error> {
    let files = tree.as_host(now);
    files.make_directories("/dev", Mode::DIRECTORY)?;
    for (name, device) in Device::NAMED {
        files.make_device(&format!("/dev/{name}"), device.id(), Mode::new(0o666))?;
    }
    for (at, made) in [("/dev/fd", Made::Descriptors), ("/proc", Made::Proc)] {
        let provider: Arc<dyn cofferdam_vfs::Provider> = match made {
            Made::Descriptors => Arc::new(OwnDescriptors),
            Made::Proc => Arc::new(Proc),
        };
        tree.provide(&path(at), provider, now)?;
    }
    files.make_directories("/usr/bin", Mode::DIRECTORY)?;
    for name in COMMANDS {
        let at = format!("/usr/bin/{name}");
        files.make_file(&at, b"\x7fcofferdam command\n", Mode::new(0o755))?;
    }
    files.make_link("usr/bin", "/bin")?;
    files.make_directories("/etc", Mode::DIRECTORY)?;
    let etc: [(&str, &[u8]); 3] = [
        (
            "/etc/passwd",
            b"root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:user:/home/user:/bin/bash\n",
        ),
        ("/etc/group", b"root:x:0:\nuser:x:1000:\n"),
        ("/etc/hostname", b"cofferdam\n"),
    ];
    for (at, content) in etc {
        files.write_file(at, content)?;
    }
    for area in ["/dev", "/usr", "/etc", "/bin"] {
        tree.protect(&path(area))?;
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Made {
    Descriptors,
    Proc,
}

fn path(text: &str) -> VPath {
    // The texts above are valid paths.
    VPath::new(text).unwrap_or_else(|_| VPath::root())
}
