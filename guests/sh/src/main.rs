//! The shell as a program.
#![cfg_attr(target_arch = "wasm32", no_main)]

#[cfg(target_arch = "wasm32")]
#[global_allocator]
static MEMORY: cofferdam_guest_sh::blocks::Blocks = cofferdam_guest_sh::blocks::Blocks::new();

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    std::process::exit(cofferdam_guest_sh::run())
}

/// What the C library calls when it is ready. Its own version asks the host for the arguments
/// first, which [`cofferdam_guest_sh::run`] learns with everything else.
#[cfg(target_arch = "wasm32")]
#[unsafe(no_mangle)]
extern "C" fn __main_void() -> i32 {
    let status = cofferdam_guest_sh::run();
    // SAFETY: ends the process. Nothing here waits in a buffer of the C library.
    unsafe { libc::_exit(status) }
}
