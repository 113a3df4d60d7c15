//! An agent that was started, for people.

use super::permissions::choices;
use super::{ForModel, ForPeople, PrintContext, PrintedReply, Verdict};
use crate::escape::{escape, escape_lines};
use crate::verbs::Arguments;
use crate::views::{LastWords, SpawnStatus, SpawnedAgent, WordsSource};

impl ForModel for SpawnedAgent {}
impl ForPeople for SpawnedAgent {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        let worktree = self.worktree.as_ref();
        let worktree = worktree.map(|own| format!(" in {} [{}]", own.path, own.branch)).unwrap_or_default();
        let head = format!(
            "{} (session {}, pane {}{worktree})\n",
            escape(&self.reason),
            self.session_name,
            self.pane_id
        );
        let dialog = self.dialog.as_ref().map(choices).unwrap_or_default();
        let answer =
            self.dialog_id.as_ref().map(|id| format!("    answer it with `fugue answer {id} CHOICE`\n"));
        let words = self.last_words.as_ref().map(words).unwrap_or_default();
        let lines = escape_lines(&self.last_lines);
        PrintedReply::Text(head + &dialog + &answer.unwrap_or_default() + &words + &lines)
    }

    fn verdict(&self, _: &Arguments) -> Verdict {
        Verdict::of(matches!(self.status, SpawnStatus::Ready | SpawnStatus::PromptTaken | SpawnStatus::Done))
    }
}

fn words(words: &LastWords) -> String {
    let source = match words.source {
        WordsSource::Conversation => "",
        WordsSource::Screen => "(from its screen)\n",
    };
    format!("{source}{}\n", escape_lines(words.text.trim_end()))
}
