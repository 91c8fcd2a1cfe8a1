//! The host side of a cell: owns what the guest only borrows, and answers its calls.
//!
//! In reading order:
//! - [`kernel`]: takes crossings apart, dispatches calls, keeps what is pending
//! - `calls`: one file per area of calls
//! - [`clock`], [`random`]: time and chance, real or fixed for tests and replay
//! - [`output`]: what the guest printed, cut at a limit

mod calls;
pub mod clock;
pub mod kernel;
pub mod output;
pub mod random;

pub use clock::Clock;
pub use kernel::{Answers, Kernel, Settings};
pub use output::{Output, Stream, Watcher};
pub use random::Random;
