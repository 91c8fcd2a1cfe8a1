//! The Python guest: CPython with its standard library, loaded once and imaged.
//!
//! [`entry`] runs once at build time; the memory it leaves behind is the image that every cell
//! starts from. CPython is C code for WASI. Its WASI calls end in this guest and become host calls
//! of a tool, so a cell for Python has the imports of every other tool and no more.
//!
//! In reading order:
//! - `entry`: the exports, and the way from a message to Python and back
//! - `python`: CPython's interface, as far as it is used here
//! - `library`: the standard library as CPython finds it, compiled when the guest is built
//! - `module`: the module `_cofferdam`, which the Python files of this guest stand on
//! - `values`: packs values into bytes and back
//! - `refusal`: refusals of the host as Python's exceptions
//! - `wasi`: functions of WASI, over the host calls of a tool
//! - [`files`]: open files
//! - `errno`: numbers of errors, of WASI and of Linux
//! - `host`: calls to the host
//! - `memory`: the heap, also that of CPython

// Linked for CPython's modules `_bz2` and `_lzma`.
#[cfg(target_arch = "wasm32")]
use {libbz2_rs_sys as _, liblzma_sys as _};

#[cfg(target_arch = "wasm32")]
mod entry;
#[cfg(target_arch = "wasm32")]
mod errno;
pub mod files;
#[cfg(target_arch = "wasm32")]
mod host;
#[cfg(target_arch = "wasm32")]
mod library;
#[cfg(target_arch = "wasm32")]
mod memory;
#[cfg(target_arch = "wasm32")]
mod module;
#[cfg(target_arch = "wasm32")]
mod python;
#[cfg(target_arch = "wasm32")]
mod refusal;
#[cfg(target_arch = "wasm32")]
mod values;
#[cfg(target_arch = "wasm32")]
mod wasi;
