//! The verbs, one file each.

mod audit;
mod completions;
mod demo;
mod deny;
mod doctor;
mod explain;
mod grant;
mod grants;
mod man;
mod requests;
mod revoke;
mod rpc;
mod run;
mod sandboxes;
mod sh;
mod wasm;

pub(crate) use grants::to_json as grant_json;
pub(crate) use requests::to_json as request_json;

use crate::report::Failure;

/// A verb with its options.
#[derive(clap::Subcommand)]
pub(crate) enum Verb {
    Run(run::Run),
    Sh(sh::Sh),
    Wasm(wasm::Wasm),
    Rpc(rpc::Rpc),
    Grant(grant::Grant),
    Requests(requests::Requests),
    Grants(grants::Grants),
    Revoke(revoke::Revoke),
    Deny(deny::Deny),
    Sandboxes(sandboxes::Sandboxes),
    Audit(audit::Audit),
    Explain(explain::Explain),
    Demo(demo::Demo),
    Doctor(doctor::Doctor),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Verb {
    /// Runs the verb and returns the exit code.
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self {
            Verb::Run(run) => run.run(),
            Verb::Sh(sh) => sh.run(),
            Verb::Wasm(wasm) => wasm.run(),
            Verb::Rpc(rpc) => rpc.run(),
            Verb::Grant(grant) => grant.run(),
            Verb::Requests(requests) => requests.run(),
            Verb::Grants(grants) => grants.run(),
            Verb::Revoke(revoke) => revoke.run(),
            Verb::Deny(deny) => deny.run(),
            Verb::Sandboxes(sandboxes) => sandboxes.run(),
            Verb::Audit(audit) => audit.run(),
            Verb::Explain(explain) => explain.run(),
            Verb::Demo(demo) => demo.run(),
            Verb::Doctor(doctor) => doctor.run(),
            Verb::Completions(completions) => completions.run(),
            Verb::Man(man) => man.run(),
        }
    }
}
