//! The verbs, one file each.

mod audit;
mod completions;
mod demo;
mod deny;
mod doctor;
mod exec;
mod explain;
mod grant;
mod grants;
mod login;
mod man;
mod mcp;
mod requests;
mod revoke;
mod rpc;
mod run;
mod sandboxes;
mod serve;
mod sh;
mod token;
mod tool;
mod wasm;

use crate::report::Failure;

/// A verb with its options.
#[derive(clap::Subcommand)]
pub(crate) enum Verb {
    Run(run::Run),
    Sh(sh::Sh),
    Wasm(wasm::Wasm),
    Exec(exec::Exec),
    Rpc(rpc::Rpc),
    Serve(serve::Serve),
    Mcp(mcp::Mcp),
    Login(login::Login),
    Token(token::Token),
    Tool(tool::Tool),
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
            Verb::Exec(exec) => exec.run(),
            Verb::Rpc(rpc) => rpc.run(),
            Verb::Serve(serve) => serve.run(),
            Verb::Mcp(mcp) => mcp.run(),
            Verb::Login(login) => login.run(),
            Verb::Token(token) => token.run(),
            Verb::Tool(tool) => tool.run(),
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
