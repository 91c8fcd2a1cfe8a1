//! `cofferdam login`: prints a one-time code that opens the console.

use std::io::IsTerminal;
use std::time::Duration;

use cofferdam::permissions::Timestamp;
use cofferdam_serve::secret;
use cofferdam_store::Credential;

use crate::permissions::{store, who};
use crate::report::{self, Failure};

/// Time in which a code can be used.
const CODE_LIFE: Duration = Duration::from_secs(5 * 60);

/// Print a one-time code and a link that open the console of a running server.
///
/// The code is printed to a terminal only, so that a program which runs this command does not
/// receive it. It can be used once, within five minutes.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam login
  cofferdam login --forget-passkeys")]
pub(crate) struct Login {
    /// Remove the passkeys of this user
    #[arg(long)]
    forget_passkeys: bool,
}

impl Login {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        // T-SERVE-006: a program that signs in by running this command.
        if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
            return Err(Failure::usage("standard input and output must be a terminal")
                .hint("cofferdam login   (in a terminal of your own)"));
        }
        let store = store()?;
        if self.forget_passkeys {
            let count = store.forget_passkeys(&name()).map_err(Failure::from_broker)?;
            report::note(&format!("passkeys removed: {count}"));
            return Ok(0);
        }
        let fronts = store.fronts().map_err(Failure::from_broker)?;
        let Some(url) = fronts.into_iter().find_map(|front| front.url) else {
            return Err(Failure::usage("no server is running").hint("cofferdam serve"));
        };
        let code = secret::code().map_err(Failure::usage)?;
        let hash = secret::hash(&secret::plain_code(&code));
        let name = name();
        let now = Timestamp::now();
        let life = (now, now.after(CODE_LIFE));
        store.add_credential(Credential::Code, &hash, &name, life).map_err(Failure::from_broker)?;
        report::print(&format!("code  {code}"));
        report::print(&format!("link  {url}/login?code={code}"));
        report::note("the code can be used once, within five minutes");
        Ok(0)
    }
}

/// Returns the name that decisions of this user are recorded with.
fn name() -> String {
    match who() {
        name if name.is_empty() => "approver".to_owned(),
        name => name,
    }
}
