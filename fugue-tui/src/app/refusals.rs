//! Refusals in the client's words: keys as they are bound, and commands as the prompt takes them.

use fugue_protocol::refusal::Refused;

use super::App;

impl App {
    /// A sentence for the person who pressed a key: the active pane is "this pane", and no argument was named.
    fn plain(&self, message: &str) -> String {
        let message =
            ["direction: ", "layout: "].iter().find_map(|name| message.strip_prefix(name)).unwrap_or(message);
        match self.tree.pane() {
            Some(pane) => message.replace(&format!("pane {}", pane.pane_id), "this pane"),
            None => message.to_owned(),
        }
    }

    pub(super) fn say_refused(&mut self, refused: &Refused) {
        // The client lists everything with a key.
        let tree = self.key_for("choose-tree");
        let hint = refused.hint.as_ref().map(|hint| hint.replace("`fugue list-sessions`", &tree));
        let hint = hint.map(|hint| format!(": {hint}")).unwrap_or_default();
        self.say(format!("{}{hint}", self.plain(&refused.message)));
    }
}
