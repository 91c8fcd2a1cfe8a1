//! Room for scripts that nest deep: the interpreter recurses, and its caps are set by this.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        // The stack ends where the data begins, and memory with a heap that a short script does
        // not outgrow: growing is a question to the host. What a short script touches of the
        // three lies in one stretch of 2 MiB, for which the kernel has one table to look through
        // when the cell is reset. What is not touched costs nothing.
        println!("cargo:rustc-link-arg-bins=-zstack-size=9437184");
        println!("cargo:rustc-link-arg-bins=--initial-memory=10485760");
    }
}
