//! Dialogs in which agents ask the user, for people.

use super::{ForModel, ForPeople, PrintContext, PrintedReply, row};
use crate::agents::AgentState;
use crate::dialogs::Dialog;
use crate::escape::escape;
use crate::views::{PermissionAnswered, PermissionList, PermissionView};

impl ForModel for PermissionList {}
impl ForPeople for PermissionList {
    fn for_people(&self, context: &PrintContext) -> PrintedReply {
        PrintedReply::Text(match self.permissions.as_slice() {
            [] => "no open dialogs\n".into(),
            all => all.iter().map(|one| permission(one, context)).collect(),
        })
    }
}

impl ForModel for PermissionAnswered {}
impl ForPeople for PermissionAnswered {
    fn for_people(&self, _: &PrintContext) -> PrintedReply {
        if let Some(checked) = self.checked {
            let done = if checked { "checked" } else { "unchecked" };
            return PrintedReply::Text(format!(
                "{done}: {}; the dialog is open until its last choice is given\n",
                escape(&self.choice)
            ));
        }
        let state = self.state.map(after_answer).unwrap_or_default();
        let again = if self.asks_again { "; it asks something else now" } else { "" };
        PrintedReply::Text(format!("answered: {}{state}{again}\n", escape(&self.choice)))
    }
}

/// What the agent does after an answer.
fn after_answer(state: AgentState) -> String {
    match state {
        AgentState::Unknown => "; what the agent does now is not known yet".to_owned(),
        AgentState::Error => "; the agent has failed".to_owned(),
        state => format!("; the agent is {}", state.words()),
    }
}

fn permission(one: &PermissionView, context: &PrintContext) -> String {
    let id = one.dialog_id.as_deref().unwrap_or("-");
    let (session, agent, since) = (&one.session_name, &one.agent, (context.clock)(one.since));
    let subject = one.dialog.as_ref().map(Dialog::subject).or_else(|| one.reason.clone());
    let subject = subject.unwrap_or_default();
    let rule = one.rule.as_ref().map(|why| row(&format!("    ({why})"))).unwrap_or_default();
    let head = row(&format!("{id}  {session}  {agent}  since {since}  {subject}")) + &rule;
    head + &one
        .dialog
        .as_ref()
        .map(choices)
        .unwrap_or_else(|| format!("    answer it in pane {}\n", one.pane_id))
}

pub(super) fn choices(dialog: &Dialog) -> String {
    let question = format!("    {}\n", escape(&dialog.question));
    let choice = |(at, choice): (usize, &crate::dialogs::DialogChoice)| {
        let mark = if at + 1 == dialog.selected { '>' } else { ' ' };
        let field = if choice.takes_text { "  (with --text)" } else { "" };
        format!("  {mark} {} {}{field}\n", at + 1, escape(&choice.shown()))
    };
    question + &dialog.choices.iter().enumerate().map(choice).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_in_words_what_the_agent_does_then() {
        for (state, after) in [
            (AgentState::Working, "; the agent is working"),
            (AgentState::WaitingForInput, "; the agent is waiting for input"),
            (AgentState::Unknown, "; what the agent does now is not known yet"),
            (AgentState::Error, "; the agent has failed"),
        ] {
            assert_eq!(after_answer(state), after);
        }
    }
}
