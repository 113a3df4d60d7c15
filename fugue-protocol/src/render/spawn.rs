//! An agent that was started, for people.

use super::permissions::choices;
use super::{ForModel, ForPeople, PrintContext, PrintedReply, Verdict, row};
use crate::escape::escape_lines;
use crate::verbs::Arguments;
use crate::views::{LastMessage, LastMessageSource, SpawnStatus, SpawnedAgent};

impl ForModel for SpawnedAgent {}
impl ForPeople for SpawnedAgent {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let worktree = self.worktree.as_ref();
        let worktree = worktree.map(|own| format!(" in {} [{}]", own.path, own.branch)).unwrap_or_default();
        let Self { reason, session_name, pane_id, .. } = self;
        let head = row(&format!("{reason} (session {session_name}, pane {pane_id}{worktree})"));
        let dialog = self.dialog.as_ref().map(choices).unwrap_or_default();
        let answer =
            self.dialog_id.as_ref().map(|id| format!("    answer it with `fugue answer {id} CHOICE`\n"));
        let message = self.last_message.as_ref().map(last_message).unwrap_or_default();
        let lines = escape_lines(&self.last_lines);
        PrintedReply::Text(head + &dialog + &answer.unwrap_or_default() + &message + &lines)
    }

    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(matches!(
            self.status,
            SpawnStatus::Started | SpawnStatus::Ready | SpawnStatus::PromptAccepted | SpawnStatus::Done
        ))
    }
}

fn last_message(message: &LastMessage) -> String {
    let source = match message.source {
        LastMessageSource::Conversation => "",
        LastMessageSource::Screen => "(from its screen)\n",
    };
    format!("{source}{}\n", escape_lines(message.text.trim_end()))
}
