//! Checks the pieces of the operating system that `exec` needs.

use super::Check;

const MATTERS: &str = "without it `cofferdam exec` refuses to start; everything else works";

#[cfg(target_os = "linux")]
pub(super) fn checks() -> Vec<Check> {
    use cofferdam::native::{Found, probe};

    let check = |(piece, found): (cofferdam::native::Piece, Found)| match found {
        Found::There => Check::ok("walls", piece.name(), MATTERS),
        Found::Missing(missing) => {
            Check::lost("walls", missing.to_string(), MATTERS).hint(piece.remedy())
        }
        Found::Unknown => Check::lost("walls", format!("{}: not checked", piece.name()), MATTERS),
    };
    probe().into_iter().map(check).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn checks() -> Vec<Check> {
    vec![Check::lost("walls", "Linux only", MATTERS)]
}
