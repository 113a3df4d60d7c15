//! Refusals in the client's words: keys as they are bound, and commands as the prompt takes them.

use fugue_protocol::letter_case::capitalized;
use fugue_protocol::refusal::Refused;

use super::App;
use crate::hints::KeyWords;

impl App {
    pub(super) fn say_refused(&mut self, refused: &Refused) {
        self.say_error(self.refused_text(refused));
    }

    /// What is said about a refusal.
    pub(super) fn refused_text(&self, refused: &Refused) -> String {
        // The active pane was not named, so naming another one is no advice.
        let is_about_pane = refused.code == "invalid_argument"
            && refused.detail.get("what").is_some_and(|what| what == "pane");
        let hint = refused.hint_in(&KeyWords { keys: &self.config.keys }).filter(|_| !is_about_pane);
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{}{hint}", capitalized(&self.refusal_message(refused)))
    }

    /// The message of a refusal for a person who pressed a key: the active pane is "this pane", and arguments, which
    /// that person did not name, are not mentioned.
    fn refusal_message(&self, refused: &Refused) -> String {
        let why = refused.detail.get("why").and_then(|why| why.as_str());
        let message = match why {
            Some(why) if refused.code == "invalid_argument" => why,
            _ => &refused.message,
        };
        let Some(pane) = self.tree.pane() else { return message.to_owned() };
        let id = pane.pane_id;
        message.replace(&format!("pane {id}"), "this pane").replace(&format!("Pane {id}"), "This pane")
    }
}
