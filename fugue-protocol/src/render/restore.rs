//! Lost programs and their restoration for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply, Verdict, row};
use crate::verbs::Arguments;
use crate::views::{LostProgram, RestoredPane, RestoredPanes, SkippedPane};

impl ForModel for RestoredPanes {}
impl ForPeople for RestoredPanes {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let lines = self.restored.iter().map(restored).chain(self.skipped.iter().map(skipped));
        let lines: String = lines.collect();
        PrintedReply::Text(if lines.is_empty() { "no lost panes\n".into() } else { lines })
    }

    /// It failed if nothing could be started.
    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(!self.restored.is_empty() || self.skipped.is_empty())
    }
}

fn restored(pane: &RestoredPane) -> String {
    let RestoredPane { session_name, number, command, cwd, .. } = pane;
    let notes: String = pane.notes.iter().map(|note| row(&format!("  {note}"))).collect();
    row(&format!("{session_name} %{number}: started {command} in {cwd}")) + &notes
}

fn skipped(pane: &SkippedPane) -> String {
    let SkippedPane { session_name, number, command, why, .. } = pane;
    row(&format!("{session_name} %{number}: {command} was not started: {why}"))
}

/// What was lost besides the command, as the end of a line.
pub(super) fn was(lost: &LostProgram) -> String {
    let agent = lost.agent.as_ref().map(|agent| format!(" [was {} {}]", agent.name, agent.state_words()));
    let survivors: Vec<_> = lost.survivors.iter().map(ToString::to_string).collect();
    let survivors = match survivors.is_empty() {
        true => String::new(),
        false => format!("; still running without a terminal: {}", survivors.join(", ")),
    };
    format!("{}{survivors}", agent.unwrap_or_default())
}
