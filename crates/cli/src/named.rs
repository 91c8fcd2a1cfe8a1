//! The option `--sandbox NAME`: a sandbox that is kept between calls, beside the user's store.

use cofferdam::{Sandbox, SandboxBuilder, shell_word, visible};
use cofferdam_store::{KeptSandbox, SandboxName};

use crate::busy::Busy;
use crate::permissions;
use crate::report::{self, Failure};

/// Name of a kept sandbox.
#[derive(clap::Args)]
pub(crate) struct Named {
    /// Keep files, storage and variables under this name for the next call with it
    #[arg(long = "sandbox", value_name = "NAME")]
    sandbox: Option<String>,
}

impl Named {
    /// Opens the sandbox that was named. Waits while another process has it open.
    pub(crate) fn open(&self) -> Result<Option<Opened>, Failure> {
        let Some(text) = &self.sandbox else { return Ok(None) };
        let name = parse(text)?;
        let store = permissions::store_path()?;
        let kept = KeptSandbox::open(&store, &name, || {
            report::note(&format!("sandbox {name} is in use; waiting until it is free"));
        });
        let kept = kept.map_err(Failure::from_broker)?;
        let before = kept.read().map_err(Failure::from_broker)?;
        Ok(Some(Opened { name, kept, before }))
    }
}

/// Parses the name of a kept sandbox. The hint is a name that the text contains.
pub(crate) fn parse(text: &str) -> Result<SandboxName, Failure> {
    text.parse().map_err(|error| {
        let words =
            text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let meant: String = words.collect::<Vec<_>>().join("-").chars().take(64).collect();
        let meant = if meant.is_empty() { "work".to_owned() } else { meant };
        let message = format!("--sandbox {}: {error}", visible(text));
        Failure::usage(message).hint(format!("--sandbox {meant}"))
    })
}

/// A kept sandbox that this process alone has open, until the value is dropped.
pub(crate) struct Opened {
    name: SandboxName,
    kept: KeptSandbox,
    /// Archive of the sandbox before the run.
    before: Option<Vec<u8>>,
}

impl Opened {
    /// Starts from the kept content, if there is any.
    pub(crate) fn fill(&self, sandbox: SandboxBuilder) -> SandboxBuilder {
        match &self.before {
            Some(archive) => sandbox.import(archive.clone()),
            None => sandbox,
        }
    }

    /// Converts an error. If the kept archive is at fault, the message names the sandbox.
    pub(crate) fn blamed(&self, error: cofferdam::Error) -> Failure {
        let mut failure = Failure::from(error);
        let Some(what) = failure.message.strip_prefix("archive: ") else { return failure };
        failure.message = format!("--sandbox {}: {what}", self.name);
        let name = shell_word(&self.name.to_string());
        failure.hint(format!("cofferdam sandboxes --remove {name}   (starts again with nothing)"))
    }

    /// Keeps the content for the next call.
    pub(crate) fn save(&self, sandbox: &Sandbox) -> Result<(), Failure> {
        let _saving = Busy::new(format!("saving sandbox {}", self.name));
        let archive = sandbox.export()?;
        if self.before.as_ref() == Some(&archive) {
            return Ok(());
        }
        self.kept.write(&archive).map_err(Failure::from_broker)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_name_is_answered_with_one() {
        let hint = |text: &str| parse(text).err().map(|failure| failure.hints.concat());
        assert_eq!(hint("work"), None);
        assert_eq!(hint("../my box").as_deref(), Some("--sandbox my-box"));
        assert_eq!(hint("").as_deref(), Some("--sandbox work"));
    }
}
