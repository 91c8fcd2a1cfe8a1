//! The table of targets, one line each.

pub mod archive;
pub mod arithmetic;
pub mod capabilities;
pub mod frames;
pub mod html;
pub mod paths;
pub mod patterns;
pub mod requests;
pub mod sanitise;
pub mod selectors;
pub mod shell;
pub mod urls;
pub mod values;
pub mod xml;

/// A parser, and hints about its input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of the folder below `corpus/` and of the file in `fuzz_targets/`.
    pub name: &'static str,
    /// Checks one input; panics if an invariant does not hold.
    pub run: fn(&[u8]),
    /// Words that the parser looks for.
    pub words: &'static [&'static str],
    /// Pieces that are repeated into long inputs, which must parse in time linear in their length.
    pub repeats: &'static [&'static str],
}

/// All targets.
pub const TARGETS: [Target; 14] = [
    frames::TARGET,
    values::TARGET,
    capabilities::TARGET,
    urls::TARGET,
    paths::TARGET,
    shell::TARGET,
    arithmetic::TARGET,
    patterns::TARGET,
    html::TARGET,
    xml::TARGET,
    selectors::TARGET,
    sanitise::TARGET,
    archive::TARGET,
    requests::TARGET,
];

/// Splits an input into lines, for targets that take several texts. Returns `None` if it is not
/// UTF-8.
fn lines(data: &[u8]) -> Option<Vec<&str>> {
    Some(std::str::from_utf8(data).ok()?.split('\n').collect())
}
