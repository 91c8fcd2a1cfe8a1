//! Checks the places of grants and compiled programs, the terminal and the root certificates.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cofferdam_store::Store;

use super::Check;
use crate::place::plain;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = store();
    checks.extend([compiled(), terminal(), certificates()]);
    checks
}

/// Checks the store, creating it if it does not exist, as the first run does.
fn store() -> Vec<Check> {
    let matters = "without it every run needs --ephemeral: no grants, no requests, no audit log";
    let Some(path) = cofferdam_store::user_path() else {
        let found = "neither XDG_DATA_HOME nor HOME is set";
        return vec![Check::failed("data", found, matters).hint("export XDG_DATA_HOME=/path")];
    };
    let folder = path.parent().unwrap_or(&path);
    let shown = cofferdam::visible(&folder.to_string_lossy()).into_owned();
    let opened = match Store::open(&path) {
        Ok(_) => Check::ok("store", "opens", matters),
        Err(error) => {
            let hint = error.hint().unwrap_or("export XDG_DATA_HOME=/path/of/yours").to_owned();
            Check::failed("store", error.to_string(), matters).hint(hint)
        }
    };
    let place = match others_can(folder, 0o077) {
        Ok(false) => Check::ok("data", format!("{shown}, accessible to its owner only"), matters),
        Ok(true) => {
            let matters = "other users of this machine can read grants, or change them";
            Check::lost("data", format!("{shown}, accessible to other users"), matters)
                .hint(format!("chmod 700 {}", cofferdam::shell_word(&folder.to_string_lossy())))
        }
        Err(error) => Check::failed("data", format!("{shown}: {}", plain(&error)), matters),
    };
    vec![place, opened]
}

fn compiled() -> Check {
    let matters = "without it a WASI program is compiled each time it runs";
    let Some(folder) = cofferdam_front::cache::path() else {
        let found = "neither XDG_CACHE_HOME nor HOME is set";
        return Check::lost("cache", found, matters).hint("export XDG_CACHE_HOME=/path");
    };
    let shown = cofferdam::visible(&folder.to_string_lossy()).into_owned();
    match others_can(&folder, 0o022) {
        Ok(false) => match is_writable(&folder) {
            Ok(()) => Check::ok("cache", shown, matters),
            Err(error) => Check::lost("cache", format!("{shown}: {}", plain(&error)), matters),
        },
        Ok(true) => Check::lost("cache", format!("{shown}, writable by other users"), matters)
            .hint(format!("chmod 700 {}", cofferdam::shell_word(&folder.to_string_lossy()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Check::ok("cache", format!("{shown}, not created yet"), matters)
        }
        Err(error) => Check::lost("cache", format!("{shown}: {}", plain(&error)), matters),
    }
}

fn terminal() -> Check {
    let matters = "without one --ask is refused; --allow and `cofferdam grant` work";
    match std::fs::File::open("/dev/tty") {
        Ok(_) => Check::ok("terminal", "available", matters),
        Err(_) => Check::lost("terminal", "none", matters),
    }
}

/// Usual places of root certificates.
const CERTIFICATES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
];

fn certificates() -> Check {
    let matters = "without them tools that were granted an https address cannot reach it";
    let named = ["SSL_CERT_FILE", "SSL_CERT_DIR"].map(|name| std::env::var(name).ok());
    let named: Vec<_> = named.into_iter().flatten().collect();
    let places = match named.is_empty() {
        true => CERTIFICATES.iter().map(|path| (*path).to_owned()).collect(),
        false => named,
    };
    match places.iter().find(|path| holds_something(Path::new(path))) {
        Some(path) => Check::ok("certificates", cofferdam::visible(path), matters),
        None => Check::lost("certificates", "none found", matters)
            .hint("sudo apt install ca-certificates"),
    }
}

fn holds_something(path: &Path) -> bool {
    match path.is_dir() {
        true => std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()),
        false => path.metadata().is_ok_and(|found| found.len() > 0),
    }
}

/// Returns true if users other than the owner have one of these rights.
fn others_can(folder: &Path, rights: u32) -> Result<bool, std::io::Error> {
    Ok(folder.metadata()?.permissions().mode() & rights != 0)
}

fn is_writable(folder: &Path) -> Result<(), std::io::Error> {
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}
