//! Links with a larger stack than usual: the parser recurses.

/// More than deep nesting can use before the engine's own limit is reached, which is told apart
/// from other traps. The linker puts it below the data, so that beyond it is nothing.
const STACK: usize = 4 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK}");
    }
}
