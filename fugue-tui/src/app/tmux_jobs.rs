//! tmux commands that the client does not translate: `fugue tmux` runs them, and their output is shown.

use std::process;

use fugue_tmux::command_table::full_name;

use super::App;
use super::state::jobs::JobOutput;
use crate::command::Command;
use crate::overlays::{self, Overlay};

/// The environment variable that names the synchronized panes to a command: only the client knows them.
pub const SYNCHRONIZED_PANES: &str = "FUGUE_SYNCHRONIZED_PANES";

/// The environment variable that names the session that the client shows to a command: its pane may close meanwhile.
pub const SHOWN_SESSION: &str = "FUGUE_SHOWN_SESSION";

/// The lines of a command's output that are kept among the past messages, of which there are not many more.
const NOTED: usize = 100;

impl App {
    /// Runs a tmux command in the background, as seen from the active pane.
    pub(super) fn run_tmux(&mut self, words: &[&str]) {
        let Some(name) = words.first() else { return self.say_error("No command given") };
        let job = std::iter::once("tmux").chain(words.iter().copied()).map(str::to_owned).collect();
        if let Some(why) = self.refusal_of(&Command::Own(job)) {
            return self.say_error(why);
        }
        if self.options.read_only {
            return self.say_read_only();
        }
        let Ok(this) = std::env::current_exe() else {
            return self.say_error("Cannot find fugue's executable");
        };
        let mut command = process::Command::new(this);
        command.env("FUGUE_SOCKET", fugue_client::daemon_socket(&self.options.paths)).arg("tmux");
        command.env(SYNCHRONIZED_PANES, self.tree.synchronized_names());
        command.env(SHOWN_SESSION, self.tree.here.to_string());
        if let Some(pane) = self.tree.pane() {
            command.arg("--at").arg(format!("%{}", pane.number));
        }
        command.args(words);
        if let Err(why) = self.events.jobs.start(full_name(name).unwrap_or("tmux"), command) {
            self.say_error(why);
        }
    }

    /// Shows what a command said: one line on the status line, more as a list. A person who has done something since the
    /// command was started is not interrupted by a list.
    pub(super) fn job_ended(&mut self, job: &JobOutput) {
        match job.text.trim_end().lines().collect::<Vec<_>>().as_slice() {
            [] if job.succeeded => {}
            [] => self.say_error(format!("{} failed", job.name)),
            [line] if job.succeeded => self.say(*line),
            [line] => self.say_error(*line),
            lines if self.keyboard.typed_at > job.started || self.overlays.current.is_some() => {
                self.note_output(job, lines);
            }
            lines => {
                let list = overlays::reply(job.name, lines, self.display.size.cols);
                self.open_overlay(Overlay::List(list));
                self.watch_visible();
            }
        }
        self.display.redraw();
    }

    /// Adds what a command said to the past messages, in which the newest come first, and says so.
    fn note_output(&mut self, job: &JobOutput, lines: &[&str]) {
        for line in lines.iter().take(NOTED).rev() {
            self.messages.note(line);
        }
        let dropped = lines.len().saturating_sub(NOTED);
        let dropped = if dropped > 0 { format!("; {dropped} were dropped") } else { String::new() };
        let (name, key) = (job.name, self.key_for("show-messages"));
        let result = if job.succeeded { "printed" } else { "failed and printed" };
        self.say(format!("{name} {result} {} lines{dropped} ({key})", lines.len()));
    }
}
