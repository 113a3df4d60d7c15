//! What an attached client leaves to this program when it runs a line of tmux's: steps about files, settings and
//! processes of this host.

use std::path::PathBuf;
use std::rc::Rc;

use fugue_client::{Paths, daemon_socket};
use fugue_config::{HOOK_EVENTS, HookEvent};
use fugue_server::tmux_link;
use fugue_tmux::steps::{Step, StepReply};
use fugue_tmux::{HookName, OwnSettings};
use fugue_tui::LineSteps;

use super::local_steps::LocalSteps;
use crate::tmux_settings;

/// The most output of a shell command that a client keeps and shows. A program that runs for hours may print any amount.
const MOST_OUTPUT: u64 = 256 << 10;

/// Steps of the lines that an attached client runs.
#[derive(Debug)]
pub(crate) struct ClientSteps(LocalSteps);

impl ClientSteps {
    /// The steps of a client of the daemon with this name, if it is not the usual one.
    pub(crate) fn new(server: Option<String>) -> Self {
        Self(LocalSteps { server, most_output: MOST_OUTPUT })
    }
}

impl LineSteps for ClientSteps {
    fn carry_out(&self, paths: &Paths, step: Step) -> Result<StepReply, String> {
        self.0.carry_out(paths, step)
    }

    fn settings(&self) -> Rc<dyn OwnSettings> {
        Rc::new(FugueSettings)
    }

    fn tmux_link(&self, paths: &Paths) -> PathBuf {
        tmux_link::directory(&daemon_socket(paths))
    }
}

/// fugue's settings in the place of tmux's options.
pub(super) struct FugueSettings;

impl OwnSettings for FugueSettings {
    fn toggled(&self, name: &str, current: &str) -> Option<&'static str> {
        tmux_settings::toggled(name, current)
    }

    fn place(&self, name: &str) -> Option<String> {
        let (section, key) = tmux_settings::setting_of(name)?;
        let section = section.map(|section| format!("[{section}] ")).unwrap_or_default();
        Some(format!("{section}{key}"))
    }

    fn refusal(&self, words: &[String]) -> Option<String> {
        fugue_tui::tmux_refusal(words)
    }

    fn hook(&self, name: &str) -> Option<HookName> {
        HookEvent::find(name).map(hook_name)
    }

    fn hooks(&self) -> Vec<HookName> {
        HOOK_EVENTS.iter().map(hook_name).collect()
    }
}

fn hook_name(event: &HookEvent) -> HookName {
    HookName { event: event.name, tmux: event.tmux.first().copied().unwrap_or(event.name) }
}
