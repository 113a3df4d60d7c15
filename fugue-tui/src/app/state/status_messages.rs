//! Messages on the status line: the one that is shown, those of the past, and the problems already reported.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::status_clock::clock_text;
use crate::agents::state_symbol;
use crate::draw::MessageKind;

/// Long enough to read a sentence.
const SHOWN: Duration = Duration::from_secs(4);

/// How long the first keys stay: a person who has not read them by then does not want to.
const WELCOME: Duration = Duration::from_secs(60);

/// Past messages that are kept: more than anybody reads again.
const MAX_HISTORY: usize = 200;

/// The message that the status line shows.
#[derive(Debug)]
struct StatusMessage {
    text: String,
    kind: MessageKind,
    until: Instant,
    /// The next key does not dismiss it.
    sticky: bool,
}

/// The messages of the status line.
#[derive(Debug, Default)]
pub(crate) struct StatusMessages {
    current: Option<StatusMessage>,
    /// The time at which the welcome box closes, unless a key closes it before.
    welcome_until: Option<Instant>,
    /// Past messages with their times, the newest last.
    pub(crate) history: VecDeque<(String, String)>,
    /// Mistakes in the configuration that were reported.
    config_mistakes: Vec<String>,
    /// Warnings of the daemon that were reported.
    daemon_warnings: Vec<String>,
}

impl StatusMessages {
    /// Shows a message, unless one that must be read first is shown; it is in the history then.
    pub(crate) fn show(&mut self, text: String, kind: MessageKind, now: Instant) {
        match kind {
            // The text does not say the state, which the status line shows beside it.
            MessageKind::Agent(state) => self.note(&format!("{} {text}", state_symbol(state).0)),
            _ => self.note(&text),
        }
        if !self.current.as_ref().is_some_and(|message| message.sticky) {
            self.current = Some(StatusMessage { text, kind, until: now + SHOWN, sticky: false });
        }
    }

    /// Shows a message that nobody asked for and that must be read: the next key does not dismiss it.
    pub(crate) fn warn(&mut self, text: String, now: Instant) {
        self.note(&text);
        let kind = MessageKind::Attention;
        self.current = Some(StatusMessage { text, kind, until: now + SHOWN, sticky: true });
    }

    /// Shows the first keys, until one is pressed.
    pub(crate) fn welcome(&mut self, now: Instant) {
        self.welcome_until = Some(now + WELCOME);
    }

    pub(crate) fn shows_welcome(&self) -> bool {
        self.welcome_until.is_some()
    }

    /// Adds a message to the history only.
    pub(crate) fn note(&mut self, text: &str) {
        if self.history.len() == MAX_HISTORY {
            self.history.pop_front();
        }
        self.history.push_back((clock_text(), text.to_owned()));
    }

    pub(crate) fn current(&self) -> Option<(&str, MessageKind)> {
        self.current.as_ref().map(|message| (message.text.as_str(), message.kind))
    }

    /// Dismisses the message because a key was pressed, and returns whether there was one.
    pub(crate) fn dismiss(&mut self) -> bool {
        self.welcome_until.take().is_some() | self.current.take_if(|message| !message.sticky).is_some()
    }

    /// When the message is no longer shown.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.current.as_ref().map(|message| message.until).into_iter().chain(self.welcome_until).min()
    }

    /// Takes away a message whose time is over, and returns whether there was one.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        let welcomed = self.welcome_until.take_if(|until| *until <= now).is_some();
        self.current.take_if(|message| message.until <= now).is_some() | welcomed
    }

    /// Replaces the known mistakes of the configuration, and returns the former ones.
    pub(crate) fn set_config_mistakes(&mut self, mistakes: Vec<String>) -> Vec<String> {
        std::mem::replace(&mut self.config_mistakes, mistakes)
    }

    /// The daemon's warnings that were not reported yet; a mistake in the configuration is not reported by both.
    pub(crate) fn new_warnings(&mut self, warnings: Vec<String>) -> Vec<String> {
        let known =
            |text: &String| self.daemon_warnings.contains(text) || self.config_mistakes.contains(text);
        let new: Vec<String> = warnings.into_iter().filter(|warning| !known(warning)).collect();
        self.daemon_warnings.extend(new.iter().cloned());
        new
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::agents::AgentState;

    use super::*;

    #[test]
    fn a_warning_is_shown_until_it_times_out() {
        let (mut messages, now) = (StatusMessages::default(), Instant::now());
        messages.welcome(now);
        messages.show("one".into(), MessageKind::Error, now);
        assert!(messages.shows_welcome());
        assert_eq!(messages.current(), Some(("one", MessageKind::Error)));
        assert!(messages.dismiss() && messages.current().is_none() && !messages.shows_welcome());
        messages.warn("two".into(), now);
        messages.show("three".into(), MessageKind::Info, now);
        assert!(!messages.dismiss());
        assert_eq!(
            messages.current(),
            Some(("two", MessageKind::Attention)),
            "it was not asked for and is read first"
        );
        assert!(!messages.expire(now) && messages.expire(now + SHOWN));
        let texts: Vec<_> = messages.history.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["one", "two", "three"]);
    }

    #[test]
    fn the_history_of_notices_says_the_state_of_the_agent() {
        let (mut messages, now) = (StatusMessages::default(), Instant::now());
        messages.show("claude in api".into(), MessageKind::Agent(AgentState::Blocked), now);
        assert_eq!(messages.current().map(|(text, _)| text), Some("claude in api"));
        assert_eq!(messages.history[0].1, "! claude in api");
    }

    #[test]
    fn a_problem_is_reported_once() {
        let mut messages = StatusMessages::default();
        messages.set_config_mistakes(vec!["line 2".into()]);
        let warnings = || vec!["line 2".to_owned(), "old".to_owned()];
        assert_eq!(messages.new_warnings(warnings()), ["old"]);
        assert_eq!(messages.new_warnings(warnings()), Vec::<String>::new());
    }
}
