//! Acts on several agents that were marked in their list: a message, an interruption, a tag, the end. Permissions are
//! never among them: each dialog is answered alone.

use std::collections::BTreeSet;

use fugue_protocol::agent_messages::{Payload, Target};
use fugue_protocol::agents::AgentState;
use fugue_protocol::verbs::{AnswerCount, ClosePane, PaneChoice, SendInput, SendOrchestration, SetTags};
use fugue_protocol::views::{InputSent, Life, PaneView, Submitted};
use fugue_protocol::{MessageType, PaneId, SessionId, Tag};
use serde_json::{Map, Value};

use super::App;
use super::state::PromptTally;
use super::state::daemon::Purpose;
use crate::agents;
use crate::overlays::outcome::BulkAct;
use crate::overlays::{Overlay, Prompt};

/// The type of a message that a person types.
const MESSAGE_TYPE: &str = "message";

/// The sessions that a question names.
const NAMED: usize = 3;

/// The ending of a plural.
fn s(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}

/// A number of things, in words.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", s(number))
}

impl App {
    /// Asks what is to be known before an act on these panes.
    pub(super) fn begin_act(&mut self, act: BulkAct, panes: Vec<PaneId>) {
        if self.options.read_only {
            return self.say_read_only();
        }
        let (agents, sessions) = (self.agents_named(&panes), self.sessions_named(&panes));
        let ask = |question: String, line: &str| Overlay::Prompt(Prompt::new(&question, "", line));
        let overlay = match act {
            BulkAct::Message => ask(format!(" Message to {sessions}: "), "agents message {answer}"),
            BulkAct::Tag => ask(format!(" Tag for {sessions}: "), "agents tag {answer}"),
            BulkAct::Prompt => ask(format!(" Prompt for {agents}: "), "agents prompt {answer}"),
            BulkAct::Interrupt => {
                let working = self.interruptions(&panes).len();
                let question = match (working, panes.len()) {
                    (0, 1) => return self.say(format!("{agents} is not working; nothing to interrupt")),
                    (0, _) => return self.say(format!("None of {agents} is working; nothing to interrupt")),
                    (working, all) if working < all => {
                        format!("Interrupt {working} of {agents} ({} not working)?", all - working)
                    }
                    _ => format!("Interrupt {agents}?"),
                };
                Overlay::Confirm(question, "agents interrupt".into())
            }
            BulkAct::Close => {
                let question =
                    format!("Close the pane{} of {}?", s(panes.len()), self.first_sessions(&panes));
                Overlay::Confirm(question, "agents close".into())
            }
        };
        let list = self.overlays.behind.take();
        self.open_overlay(overlay);
        (self.overlays.act_on, self.overlays.behind) = (panes, list);
    }

    /// The names of the first sessions of panes, and how many more there are.
    fn first_sessions(&self, panes: &[PaneId]) -> String {
        let sessions = self.sessions_of(panes);
        let names = sessions.iter().filter_map(|id| self.tree.find_session(*id));
        let names: Vec<String> = names.take(NAMED).map(|session| session.name.to_string()).collect();
        let more = sessions.len().saturating_sub(NAMED);
        format!("{}{}", names.join(", "), if more > 0 { format!(" and {more} more") } else { String::new() })
    }

    /// Carries out an act on the panes that were marked for it.
    pub(super) fn act_on_agents(&mut self, words: &[&str]) {
        if let Some(option) = words.iter().find(|word| word.starts_with('-')).filter(|_| words.len() == 1) {
            return self.say_error(format!("`agents` has no option `{option}`"));
        }
        let panes = std::mem::take(&mut self.overlays.act_on);
        if panes.is_empty() {
            let key = self.key_for("agents");
            return self.say(format!("No agents are marked; {key} lists them, and Space marks one"));
        }
        match words {
            ["message", text] => self.message_agents(&panes, text),
            ["tag", tag] => self.tag_agents(&panes, tag),
            ["prompt", text] => self.prompt_agents(&panes, text),
            ["interrupt"] => self.interrupt_agents(&panes),
            ["close"] => self.close_agents(&panes),
            _ => self.say_error("Actions for marked agents: message, prompt, tag, interrupt, close"),
        }
    }

    /// The sessions of panes, each once.
    fn sessions_of(&self, panes: &[PaneId]) -> BTreeSet<SessionId> {
        panes.iter().filter_map(|pane| Some(self.tree.find_pane(*pane)?.session_id)).collect()
    }

    /// The agents in panes: a single one by its name.
    fn agents_named(&self, panes: &[PaneId]) -> String {
        let rows = agents::rows(&self.tree);
        match rows.iter().find(|row| panes == [row.pane.pane_id]) {
            Some(row) => format!("{} in {}", row.name(), row.session_name()),
            None => count(panes.len(), "agent"),
        }
    }

    /// The sessions of panes: a single one by its name.
    fn sessions_named(&self, panes: &[PaneId]) -> String {
        let sessions = self.sessions_of(panes);
        let only = sessions.first().filter(|_| sessions.len() == 1);
        match only.and_then(|session| self.tree.find_session(*session)) {
            Some(session) => session.name.to_string(),
            None => count(sessions.len(), "session"),
        }
    }

    fn message_agents(&mut self, panes: &[PaneId], text: &str) {
        let Ok(msg_type) = MESSAGE_TYPE.parse::<MessageType>() else { return };
        let payload = Payload::from(Map::from_iter([("message".to_owned(), Value::from(text))]));
        let sessions = self.sessions_of(panes);
        for session in &sessions {
            let (target, payload) = (Some(Target::Session((*session).into())), payload.clone());
            let send = message(target, msg_type.clone(), payload);
            self.daemon.request(Purpose::Command, &send);
        }
        let sessions = self.sessions_named(panes);
        self.say(format!("Message sent to {sessions}"));
    }

    fn tag_agents(&mut self, panes: &[PaneId], tag: &str) {
        let tag: Tag = match tag.parse() {
            Ok(tag) => tag,
            Err(why) => return self.say_error(format!("Invalid tag `{tag}`: {why}")),
        };
        let sessions = self.sessions_of(panes);
        for session in &sessions {
            let session = Some((*session).into());
            self.daemon
                .request(Purpose::Command, &SetTags { session, add: vec![tag.clone()], remove: vec![] });
        }
        self.say(format!("Tagged {} `{tag}`", count(sessions.len(), "session")));
    }

    /// Types a prompt into the panes of these agents and submits it. One that asks something is left alone: the prompt would
    /// answer it.
    fn prompt_agents(&mut self, panes: &[PaneId], text: &str) {
        self.overlays.prompted = PromptTally::new(panes.len());
        for pane in panes {
            match self.prompt_objection(*pane) {
                Some(why) => self.overlays.prompted.refused(self.agents_named(&[*pane]), why),
                None => {
                    let (choice, input) = (PaneChoice::of(*pane), Some(text.to_owned()));
                    let send = SendInput { choice, input, submit: true, ..SendInput::default() };
                    self.daemon.request(Purpose::Prompt(*pane), &send);
                }
            }
        }
        self.say_prompted();
    }

    /// Why no prompt is typed into a pane.
    fn prompt_objection(&self, pane: PaneId) -> Option<&'static str> {
        let pane = self.tree.find_pane(pane);
        let agent = pane.filter(|pane| pane.state == Life::Running).and_then(|pane| pane.agent.as_ref());
        match agent {
            None => Some("it is not running"),
            Some(agent) => agent.state.needs_somebody().then_some("it asks something"),
        }
    }

    /// Takes note of what became of a prompt, and reports all of them.
    pub(super) fn prompt_replied(&mut self, pane: PaneId, answer: Result<InputSent, String>) {
        let name = self.agents_named(&[pane]);
        match answer.map(|sent| sent.submit) {
            Ok(Some(Submitted::Submitted)) => self.overlays.prompted.taken(name),
            Ok(Some(Submitted::Blocked)) => self.overlays.prompted.refused(name, "it asks something"),
            Ok(_) => self.overlays.prompted.not_yet_taken(name),
            Err(why) => self.overlays.prompted.refused(name, &why),
        }
        self.say_prompted();
    }

    fn say_prompted(&mut self) {
        let text = self.overlays.prompted.text();
        self.say(text);
    }

    /// The panes whose agents are working, with the keys that interrupt them.
    fn interruptions(&self, panes: &[PaneId]) -> Vec<(PaneId, &'static [&'static str])> {
        let keys = |pane: &PaneId| Some((*pane, interrupt_keys(self.tree.find_pane(*pane)?)?));
        panes.iter().filter_map(keys).collect()
    }

    /// Interrupts the agents that are working. The same key would answer one that asks something.
    fn interrupt_agents(&mut self, panes: &[PaneId]) {
        let keys = self.interruptions(panes);
        for (pane, keys) in &keys {
            let keys = keys.iter().map(ToString::to_string).collect();
            let send = SendInput { choice: PaneChoice::of(*pane), keys, ..SendInput::default() };
            self.daemon.request(Purpose::Command, &send);
        }
        let others = match panes.len() - keys.len() {
            0 => String::new(),
            1 => "; 1 had nothing to interrupt".into(),
            others => format!("; {others} had nothing to interrupt"),
        };
        self.say(format!("Interrupted {}{others}", count(keys.len(), "agent")));
    }

    fn close_agents(&mut self, panes: &[PaneId]) {
        // Its rows would be those of closed panes.
        self.overlays.behind = None;
        for pane in panes {
            self.daemon.request(Purpose::Command, &ClosePane { choice: PaneChoice::of(*pane) });
        }
        self.say(format!("Closed {}", count(panes.len(), "pane")));
    }
}

/// A message that waits for no answer.
fn message(target: Option<Target>, msg_type: MessageType, payload: Payload) -> SendOrchestration {
    SendOrchestration {
        target,
        msg_type,
        payload,
        reply_to: None,
        wait_ms: None,
        wait_for: AnswerCount::default(),
        ttl_ms: None,
        idempotency_key: None,
    }
}

/// The keys that interrupt the agent in a pane, if one is working there.
fn interrupt_keys(pane: &PaneView) -> Option<&'static [&'static str]> {
    let agent = pane.agent.as_ref().filter(|_| pane.state == Life::Running)?;
    (agent.state == AgentState::Working).then(|| fugue_agents::interrupt_keys(&agent.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;

    #[test]
    fn only_an_agent_at_work_is_interrupted() {
        let keys = |state: Option<&str>| {
            let session = session(1, state, 0);
            interrupt_keys(&session.windows[0].panes[0])
        };
        assert_eq!(keys(Some("working")), Some(&["Escape"][..]));
        for state in ["blocked", "waiting_for_input", "idle", "complete", "error", "unknown"] {
            assert_eq!(keys(Some(state)), None, "{state}");
        }
        assert_eq!(keys(None), None, "its program has exited");
    }
}
