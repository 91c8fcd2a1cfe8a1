//! The shell's entry point.
#![cfg_attr(target_arch = "wasm32", no_main)]

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: cofferdam_guest_sh::blocks::Blocks = cofferdam_guest_sh::blocks::Blocks::new();

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    std::process::exit(cofferdam_guest_sh::run())
}

/// Entry point called by the C library. Its default version makes a host call for the arguments,
/// which [`cofferdam_guest_sh::run`] gets together with everything else.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn __main_void() -> i32 {
    let status = cofferdam_guest_sh::run();
    // SAFETY: `_exit` accesses no memory and does not return; the C library's buffers are unused,
    // so no output is lost.
    unsafe { libc::_exit(status) }
}
