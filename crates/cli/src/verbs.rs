//! The verbs, one file each.

mod demo;
mod rpc;
mod run;
mod wasm;

use crate::report::Failure;

/// What to do.
#[derive(clap::Subcommand)]
pub(crate) enum Verb {
    Run(run::Run),
    Wasm(wasm::Wasm),
    Rpc(rpc::Rpc),
    Demo(demo::Demo),
}

impl Verb {
    /// Does it; answers the exit code.
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self {
            Verb::Run(run) => run.run(),
            Verb::Wasm(wasm) => wasm.run(),
            Verb::Rpc(rpc) => rpc.run(),
            Verb::Demo(demo) => demo.run(),
        }
    }
}
