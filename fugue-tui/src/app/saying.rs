//! What the client says to the person: on the status line for a while, and kept for who wants to read it later.

use std::time::{Duration, Instant};

use super::{App, StatusMessage, show};

impl App {
    pub(super) fn say(&mut self, words: impl Into<String>) {
        // What the person has not asked for is read first.
        if self.message.as_ref().is_some_and(|said| said.firm) {
            return self.note(&words.into());
        }
        self.put_message(words.into(), false);
    }

    /// Says what the person has not asked for and must know: the next key does not take it away.
    pub(super) fn warn(&mut self, words: impl Into<String>) {
        self.put_message(words.into(), true);
    }

    fn put_message(&mut self, words: String, firm: bool) {
        /// Long enough to read a sentence.
        const SHOWN: Duration = Duration::from_secs(4);
        self.note(&words);
        self.message = Some(StatusMessage { words, until: Instant::now() + SHOWN, firm });
        self.dirty = true;
    }

    /// The keys that nobody can guess, until one is pressed.
    pub(super) fn welcome(&mut self) {
        /// Who has not read it by then does not want to.
        const SHOWN: Duration = Duration::from_secs(60);
        let told =
            [("help", "shows all keys"), ("palette", "finds anything"), ("detach", "leaves: all goes on")];
        let keys = &self.config.keys;
        let told = told.iter().filter_map(|(command, what)| Some(format!("{} {what}", keys.of(command)?)));
        let words = format!(" {}", told.collect::<Vec<_>>().join(", "));
        self.message = Some(StatusMessage { words, until: Instant::now() + SHOWN, firm: false });
    }

    /// Keeps words for who wants to read them later.
    pub(super) fn note(&mut self, words: &str) {
        /// More nobody reads again.
        const KEPT: usize = 200;
        if self.said.len() == KEPT {
            self.said.pop_front();
        }
        self.said.push_back((show::clock(), words.to_owned()));
    }
}
