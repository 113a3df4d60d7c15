//! An agent's state with the evidence for it, and an agent that was started, for people.

use super::permissions::choices;
use super::{ForModel, ForPeople, PrintContext, PrintedReply, Verdict, name_of, row};
use crate::agents::Explanation;
use crate::escape::escape_lines;
use crate::verbs::Arguments;
use crate::views::{LastMessage, LastMessageSource, SpawnStatus, SpawnedAgent};

impl ForModel for Explanation {}
impl ForPeople for Explanation {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let rows = self.candidates.iter().map(|one| {
            let mark = if one.believed { "*" } else { " " };
            let reason = one.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
            let because = Some(&one.because).filter(|because| !because.is_empty());
            let because = because.map(|because| format!(" - {because}")).unwrap_or_default();
            row(&format!("{mark} {}: {}{reason}{because}", name_of(one.source), one.state))
        });
        let rows: String = rows.collect();
        let conversation = self.conversation.as_ref();
        let conversation = conversation.map(|own| format!("conversation: {} {}\n", own.agent, own.id));
        let conversation = conversation.unwrap_or_default();
        let known_by = match self.known_by.as_str() {
            "" => String::new(),
            known_by => format!("recognized by: {known_by}\n"),
        };
        PrintedReply::Text(format!("{}\n{known_by}{conversation}{rows}", self.why))
    }
}

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
