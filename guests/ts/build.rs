//! Links the guest with a larger stack than usual: the parser recurses.

/// Stack size. Deep nesting reaches the engine's own stack limit first, which is reported as stack
/// exhaustion and not as another trap. The linker places the stack below the data, so an overflow
/// reaches no memory.
const STACK: usize = 16 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK}");
    }
}
