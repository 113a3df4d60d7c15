//! A program that this client starts and that ends at once: its pane closes before anybody can read why.

use std::time::Duration;

use fugue_protocol::events::PaneOpened;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, Timestamp};

/// A program that fails within this time did not start, as a person sees it.
const AT_ONCE: Duration = Duration::from_secs(2);

/// The program that this client started last.
pub(crate) struct NewProgram {
    pub(crate) pane: PaneId,
    started: Timestamp,
    command: String,
}

impl NewProgram {
    /// The program of a pane that was opened; none for a shell.
    pub(crate) fn new(opened: &PaneOpened, started: Timestamp) -> Option<Self> {
        let words = || (!opened.launch.argv.is_empty()).then(|| opened.launch.argv.join(" "));
        let command = opened.launch.command.clone().or_else(words)?;
        Some(Self { pane: opened.pane, started, command })
    }

    /// What the person must know about its end.
    pub(crate) fn report(&self, exit: ExitStatus, at: Timestamp) -> Option<String> {
        let is_news = exit != ExitStatus::Code(0) && at.since(self.started) < AT_ONCE;
        let command: String = self.command.chars().take(40).collect();
        is_news.then(|| format!("`{command}` exited immediately ({exit})"))
    }
}
