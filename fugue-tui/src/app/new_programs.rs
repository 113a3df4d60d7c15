//! Programs that this client starts and that end at once: their pane closes before anybody can read why.

use std::time::Duration;

use fugue_protocol::events::{EventRecord, PaneOpened};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Event, PaneId, Timestamp};

use super::App;

/// A program that fails within this time did not start, as a person sees it.
const AT_ONCE: Duration = Duration::from_secs(2);

/// The program that this client started last.
pub(super) struct NewProgram {
    pane: PaneId,
    started: Timestamp,
    command: String,
}

impl NewProgram {
    fn new(opened: &PaneOpened, started: Timestamp) -> Option<Self> {
        let words = || (!opened.launch.argv.is_empty()).then(|| opened.launch.argv.join(" "));
        let command = opened.launch.command.clone().or_else(words)?;
        Some(Self { pane: opened.pane, started, command })
    }

    /// What the person must know about its end.
    fn report(&self, exit: ExitStatus, at: Timestamp) -> Option<String> {
        let is_news = exit != ExitStatus::Code(0) && at.since(self.started) < AT_ONCE;
        let command: String = self.command.chars().take(40).collect();
        is_news.then(|| format!("`{command}` exited immediately ({exit})"))
    }
}

impl App {
    /// Notes which program this client started, and reports one that exited immediately.
    pub(super) fn note_new_program(&mut self, record: &EventRecord) {
        match &record.event {
            Event::PaneOpened(opened) if record.by.is_some() && record.by == self.daemon.client() => {
                self.panes.new_program = NewProgram::new(opened, record.at);
            }
            Event::PaneExited { pane, exit } => {
                let ended = self.panes.new_program.take_if(|program| program.pane == *pane);
                if let Some(report) = ended.and_then(|program| program.report(*exit, record.at)) {
                    self.say(report);
                }
            }
            _ => {}
        }
    }
}
