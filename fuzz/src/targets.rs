//! The targets, one line each.

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

/// A parser and what is known about its input.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name of the folder below `corpus/` and of the file in `fuzz_targets/`.
    pub name: &'static str,
    /// Checks one input; panics where something does not hold.
    pub run: fn(&[u8]),
    /// Words that the parser looks for.
    pub words: &'static [&'static str],
    /// Pieces that, repeated, make a long input: each must be read in time that grows with it.
    pub repeats: &'static [&'static str],
}

/// Every target.
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

/// The lines of an input, where it is text: for targets that take several texts.
fn lines(data: &[u8]) -> Option<Vec<&str>> {
    Some(std::str::from_utf8(data).ok()?.split('\n').collect())
}
