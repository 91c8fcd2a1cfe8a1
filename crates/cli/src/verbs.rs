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

use std::ffi::OsString;

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

/// Names of the verbs that programs start often.
const OFTEN: [&str; 5] = ["exec", "rpc", "run", "sh", "wasm"];

impl Verb {
    /// Parses a command line with a verb that programs start often, without the definitions of all
    /// other verbs, which cost more than the rest. Returns `None` for other verbs, and for a command
    /// line that is wrong or asks for help: the whole parser has an answer for it.
    pub(crate) fn parse_alone(words: &[OsString]) -> Option<Self> {
        let (name, rest) = words.get(1..)?.split_first()?;
        match OFTEN.into_iter().find(|often| name == often)? {
            "exec" => parsed(rest).map(Verb::Exec),
            "rpc" => parsed(rest).map(Verb::Rpc),
            "run" => parsed(rest).map(Verb::Run),
            "sh" => parsed(rest).map(Verb::Sh),
            "wasm" => parsed(rest).map(Verb::Wasm),
            _ => None,
        }
    }

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

/// Parses the words behind the name of a verb.
fn parsed<A: clap::Args>(words: &[OsString]) -> Option<A> {
    let verb = A::augment_args(clap::Command::new("cofferdam").no_binary_name(true));
    A::from_arg_matches(&verb.try_get_matches_from(words).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(words: &[&str]) -> Option<Verb> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Verb::parse_alone(&words)
    }

    #[test]
    fn verbs_are_parsed_alone_as_by_the_whole_parser() {
        for words in [
            &["cofferdam", "exec", "--ephemeral", "--", "ls", "-l"][..],
            &["cofferdam", "rpc", "--store"],
            &["cofferdam", "run", "tool.js", "--json", "--limit", "timeoutMs=1"],
            &["cofferdam", "sh", "-c", "ls -l"],
            &["cofferdam", "wasm", "program.wasm", "argument"],
        ] {
            assert!(alone(words).is_some(), "{words:?}");
            let name = words[1];
            assert!(OFTEN.contains(&name));
            let whole = crate::definitions();
            let whole = whole.find_subcommand(name).expect("a verb");
            assert!(whole.clone().no_binary_name(true).try_get_matches_from(&words[2..]).is_ok());
        }
        assert_eq!(OFTEN.len(), 5);
    }

    #[test]
    fn help_errors_and_other_verbs_are_for_the_whole_parser() {
        for words in [
            &["cofferdam"][..],
            &["cofferdam", "--version"],
            &["cofferdam", "audit"],
            &["cofferdam", "run"],
            &["cofferdam", "run", "--help"],
            &["cofferdam", "exec", "--nonsense", "--", "ls"],
            &["cofferdam", "rpc", "--version"],
        ] {
            assert!(alone(words).is_none(), "{words:?}");
        }
    }
}
