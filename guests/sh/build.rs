//! Sets stack and memory sizes of the wasm build. The interpreter recurses, and its nesting caps
//! are chosen to fit this stack.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        // The stack lies directly below the data. The initial memory includes enough heap for a
        // short script, because growing memory is a host call. The parts of stack, data and heap
        // that a short script touches lie within 2 MiB, so that the kernel walks one page table
        // when it resets the cell. Untouched pages cost nothing.
        println!("cargo:rustc-link-arg-bins=-zstack-size=9437184");
        println!("cargo:rustc-link-arg-bins=--initial-memory=10485760");
    }
}
