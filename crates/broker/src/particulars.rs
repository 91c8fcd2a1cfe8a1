//! Facts about an action that its request does not carry: for the person who is asked, and to see
//! that asking would be pointless.

use std::fmt;

use cofferdam_caps::network::FetchUrl;
use cofferdam_caps::{Access, Request, visible};

use crate::host_folders::{FolderMode, HostFolders};
use crate::identity::shortened;

/// Most characters of a detail that a person is shown.
const MAX_DETAIL: usize = 300;

/// Facts about an action beyond its request. Texts from a guest may be hostile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Particulars {
    pub(crate) words: Option<String>,
    pub(crate) details: Vec<(&'static str, String)>,
    pub(crate) obstacle: Option<Obstacle>,
    pub(crate) is_folder: bool,
}

/// Reason why an action would fail even if it were permitted, so that nobody is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Obstacle {
    /// The file does not exist, and no folder of the host is mounted there.
    NotThere,
    /// The folder is mounted read-only.
    ReadOnly,
}

impl Particulars {
    /// Tells the query of a request to the network, and the size of what it sends.
    pub fn of_fetch(url: &FetchUrl, size: Option<&str>) -> Self {
        let mut particulars = Particulars::default();
        if let Some((_, query)) = url.as_str().split_once('?') {
            particulars = particulars.detail("query", query);
        }
        match size {
            Some(size) => particulars.detail("sends", size),
            None => particulars,
        }
    }

    /// Sets the words that follow "wants to", in place of those of the request: `rename /a to /b`.
    pub fn words(mut self, words: &str) -> Self {
        self.words = Some(visible(words).into_owned());
        self
    }

    /// Adds a fact, such as the command line.
    pub fn detail(mut self, name: &'static str, text: &str) -> Self {
        self.details.push((name, shortened(&visible(text), MAX_DETAIL)));
        self
    }

    /// Says that the path of the request is a folder, so that all below it can be offered.
    pub fn folder(mut self) -> Self {
        self.is_folder = true;
        self
    }

    /// Names a reason why the action would fail.
    pub fn obstacle(mut self, obstacle: Obstacle) -> Self {
        self.obstacle = Some(obstacle);
        self
    }

    /// Returns the reason why a request of the action would fail, if one is known.
    pub(crate) fn obstacle_to(&self, request: &Request, folders: &HostFolders) -> Option<Obstacle> {
        if let Request::Fs { path, access } = request
            && let Some(folder) = folders.containing(path.as_str())
        {
            let is_refused = *access == Access::Write && folder.mode == FolderMode::ReadOnly;
            return is_refused.then_some(Obstacle::ReadOnly);
        }
        self.obstacle
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotThere => "no such file, and no folder of this machine is mounted there",
            Self::ReadOnly => "the folder is mounted read-only",
        })
    }
}
