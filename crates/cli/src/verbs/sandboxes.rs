//! `cofferdam sandboxes`: lists and removes kept sandboxes.

use cofferdam_store::{KeptSandbox, ListedSandbox};
use serde_json::json;

use crate::named;
use crate::paint::Tone;
use crate::permissions;
use crate::report::{self, Failure};

/// List the sandboxes that --sandbox keeps.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam sandboxes
  cofferdam sandboxes --remove work")]
pub(crate) struct Sandboxes {
    /// Remove a kept sandbox, with its files, storage and variables
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    remove: Option<String>,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Sandboxes {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let store = permissions::store_path()?;
        let listed = KeptSandbox::list(&store).map_err(Failure::from_broker)?;
        if let Some(text) = &self.remove {
            let name = named::parse(text)?;
            if !listed.iter().any(|one| one.name == name) {
                return Err(Failure::usage(format!("--remove {name}: no such sandbox"))
                    .hint("cofferdam sandboxes   (lists them)"));
            }
            let waits = || report::note(&format!("sandbox {name} is in use; waiting"));
            let kept = KeptSandbox::open(&store, &name, waits).map_err(Failure::from_broker)?;
            kept.remove().map_err(Failure::from_broker)?;
            return Ok(0);
        }
        match listed.is_empty() {
            _ if self.json => {}
            true => report::note("no sandboxes"),
            false => report::labelled(
                Tone::Hint,
                "hint",
                "cofferdam sandboxes --remove NAME   (removes one)",
            ),
        }
        for one in &listed {
            self.print(one);
        }
        Ok(0)
    }

    fn print(&self, one: &ListedSandbox) {
        let changed = one.changed.to_string();
        let (name, bytes) = (one.name.to_string(), one.bytes);
        match self.json {
            true => report::json(&json!({ "name": name, "bytes": bytes, "changed": changed })),
            false => report::print(&format!("{name}  {bytes} bytes  changed {changed}")),
        }
    }
}
