//! `cofferdam demo`: a tour of real runs, with their times.

mod scenes;
mod stage;

use std::io::{BufRead, Write};

use crate::report::Failure;
use stage::Stage;

/// Show what Cofferdam does with a tour of real runs, with their times.
///
/// Nothing is kept, and neither the network nor files of this machine are used.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam demo
  cofferdam demo kill memory
  cofferdam demo --pause")]
pub(crate) struct Demo {
    /// Show only these scenes, in this order
    #[arg(value_enum, value_name = "SCENE")]
    scenes: Vec<Scene>,

    /// Wait for Enter after each scene
    #[arg(long)]
    pause: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Scene {
    /// A tool, its arguments and its result
    Tool,
    /// A tool that needs a permission: denied, then granted
    Grant,
    /// An endless loop and a runaway regular expression, killed
    Kill,
    /// A memory bomb, stopped at its limit
    Memory,
    /// A pipeline in the shell
    Shell,
    /// A page read by a tool that sees only a part of it
    Page,
    /// A sandbox forked, and put back to a snapshot
    Fork,
    /// 2,000 fresh cells in a row
    Cells,
}

impl Demo {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let scenes = match self.scenes.is_empty() {
            true => <Scene as clap::ValueEnum>::value_variants().to_vec(),
            false => self.scenes,
        };
        let executor = tokio::runtime::Builder::new_current_thread().build();
        let executor = executor.map_err(|e| Failure::usage(format!("executor: {e}")))?;
        let mut stage = Stage::new(scenes.len());
        for scene in scenes {
            executor.block_on(play(scene, &mut stage))?;
            if self.pause && !wait() {
                return Ok(0);
            }
        }
        stage.end();
        Ok(0)
    }
}

async fn play(scene: Scene, stage: &mut Stage) -> Result<(), cofferdam::Error> {
    match scene {
        Scene::Tool => scenes::tool(stage).await,
        Scene::Grant => scenes::grant(stage).await,
        Scene::Kill => scenes::kill(stage).await,
        Scene::Memory => scenes::memory(stage).await,
        Scene::Shell => scenes::shell(stage).await,
        Scene::Page => scenes::page(stage).await,
        Scene::Fork => scenes::fork(stage).await,
        Scene::Cells => scenes::cells(stage).await,
    }
}

/// Waits for Enter. Returns false at the end of input.
fn wait() -> bool {
    let _ = write!(std::io::stderr(), "Press Enter for the next scene ");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).is_ok_and(|len| len > 0)
}
