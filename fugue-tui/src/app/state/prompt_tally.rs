//! What became of a prompt for several agents.

/// The outcome of a prompt that was typed into several agents, as many as were marked.
#[derive(Debug, Default)]
pub(crate) struct PromptTally {
    all: usize,
    taken: Vec<String>,
    refused: Vec<String>,
    /// Those that had not taken it when the daemon replied. They may take it later.
    not_yet: Vec<String>,
}

impl PromptTally {
    pub(crate) fn new(all: usize) -> Self {
        Self { all, ..Self::default() }
    }

    pub(crate) fn taken(&mut self, name: String) {
        self.taken.push(name);
    }

    pub(crate) fn refused(&mut self, name: String, why: &str) {
        self.refused.push(format!("{name} ({why})"));
    }

    pub(crate) fn not_yet_taken(&mut self, name: String) {
        self.not_yet.push(name);
    }

    /// Who took it and who did not, as far as that is known.
    pub(crate) fn text(&self) -> String {
        let replied = self.taken.len() + self.refused.len() + self.not_yet.len();
        let open = self.all.saturating_sub(replied);
        let taken = match self.taken.as_slice() {
            [] => String::new(),
            [one] => format!("Prompt taken by {one}"),
            many => format!("Prompt taken by {} agents", many.len()),
        };
        let refused = match self.refused.is_empty() {
            true => String::new(),
            false => format!("not taken by {}", self.refused.join(", ")),
        };
        let not_yet = match self.not_yet.is_empty() {
            true => String::new(),
            false => format!("not yet taken by {}", self.not_yet.join(", ")),
        };
        let open = if open > 0 { format!("waiting for {open}") } else { String::new() };
        let parts = [taken, refused, not_yet, open];
        let text = parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>();
        let text = text.join("; ");
        if self.taken.is_empty() { format!("Prompt {text}") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_for_several_agents_tells_who_took_it() {
        let mut tally = PromptTally::new(4);
        assert_eq!(tally.text(), "Prompt waiting for 4");
        tally.taken("codex in one".into());
        assert_eq!(tally.text(), "Prompt taken by codex in one; waiting for 3");
        tally.refused("claude in two".into(), "it asks something");
        tally.taken("gemini in three".into());
        tally.taken("claude in four".into());
        assert_eq!(tally.text(), "Prompt taken by 3 agents; not taken by claude in two (it asks something)");
        let mut busy = PromptTally::new(3);
        busy.not_yet_taken("gemini in one".into());
        assert_eq!(busy.text(), "Prompt not yet taken by gemini in one; waiting for 2");
        busy.not_yet_taken("claude in two".into());
        busy.taken("codex in three".into());
        assert_eq!(
            busy.text(),
            "Prompt taken by codex in three; not yet taken by gemini in one, claude in two"
        );
        let mut none = PromptTally::new(1);
        none.refused("codex in one".into(), "it is not running");
        assert_eq!(none.text(), "Prompt not taken by codex in one (it is not running)");
    }
}
