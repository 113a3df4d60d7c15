//! Commands whose answer a person wants: a reply to read, and a session to be in.

use fugue_protocol::views::PaneCreated;
use serde_json::value::RawValue;

use super::App;
use super::asked::Purpose;
use crate::command::{self, Command};
use crate::overlays::{self, Overlay};

impl App {
    /// Shows what a verb answered: a line of it is said, more is a list.
    pub(super) fn show_reply(&mut self, verb: &'static str, reply: &RawValue) {
        let text = (self.options.worded)(verb, reply);
        match text.trim_end().lines().collect::<Vec<_>>().as_slice() {
            [] => self.say(format!(" {verb}: there is nothing to show")),
            [line] => self.say(format!(" {line}")),
            lines => {
                self.cover(Overlay::List(overlays::reply(verb, lines)));
                self.watch();
            }
        }
        self.dirty = true;
    }

    /// Makes a session, and goes there when it is made.
    pub(super) fn new_session(&mut self, words: &[&str]) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        match command::verb("create-session", words, &self.tree) {
            Ok(Command::Verb { name, args }) => self.daemon.ask_named(Purpose::Arrive, name, &args),
            Ok(Command::Own(_)) => {}
            Err(why) => self.say(why),
        }
    }

    /// It is made: as soon as the tree has it, it is shown.
    pub(super) fn arrive(&mut self, reply: &RawValue) {
        if let Ok(made) = serde_json::from_str::<PaneCreated>(reply.get()) {
            self.arriving = Some(made.session_id);
            self.arrived();
        }
    }

    pub(super) fn arrived(&mut self) {
        let there = self.arriving.filter(|session| self.tree.find_session(*session).is_some());
        if let Some(session) = there {
            self.arriving = None;
            self.go_to(&session.to_string());
        }
    }
}
