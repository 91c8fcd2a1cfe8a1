//! Reports of panics. The standard library's own report names folders of the machine that the
//! program was built on (T-PROC-014).

use cofferdam_caps::visible;

/// Reports later panics as one line, without paths of the build machine. Whatever catches a panic
/// works as before.
pub(crate) fn report_without_paths() {
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map_or(String::new(), |at| {
            format!(" at {}:{}", without_build_path(at.file()), at.line())
        });
        let message = visible(info.payload_as_str().unwrap_or_default());
        // Not `eprintln!`, which panics if standard error is closed.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("error: internal error{at}: {message}\n").as_bytes(),
        );
    }));
}

/// Returns the crate's folder and what follows: `cell/src/gate.rs`.
fn without_build_path(file: &str) -> &str {
    let file_name = || file.rsplit('/').next().unwrap_or(file);
    let Some(src) = file.rfind("/src/") else { return file_name() };
    match file[..src].rfind('/') {
        Some(parent) => &file[parent + 1..],
        None => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_without_the_build_machine() {
        for (file, expect) in [
            ("/home/me/cofferdam/crates/cell/src/gate.rs", "cell/src/gate.rs"),
            ("crates/cell/src/gate.rs", "cell/src/gate.rs"),
            ("/root/.cargo/registry/src/index-1/url-2.5.0/src/lib.rs", "url-2.5.0/src/lib.rs"),
            ("/home/me/build.rs", "build.rs"),
        ] {
            assert_eq!(without_build_path(file), expect);
        }
    }
}
