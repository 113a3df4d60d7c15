//! Blocks: commands between braces, which are one word of the command that they belong to.

use super::{ScriptCommand, ScriptReader};

/// Deeper blocks are refused: the reader is recursive.
const DEPTH: usize = 20;

/// tmux's names of panes and windows in braces, which are words and not blocks.
const TARGETS: [&str; 20] = [
    "last",
    "next",
    "previous",
    "top",
    "bottom",
    "left",
    "right",
    "top-left",
    "top-right",
    "bottom-left",
    "bottom-right",
    "up-of",
    "down-of",
    "left-of",
    "right-of",
    "start",
    "end",
    "mouse",
    "marked",
    "active",
];

impl ScriptReader<'_> {
    /// Whether a block follows.
    pub(super) fn is_at_block(&self) -> bool {
        let inside = self.rest.strip_prefix('{').map(|rest| rest.split('}').next().unwrap_or_default());
        inside.is_some_and(|name| !TARGETS.contains(&name))
    }

    /// The commands of a block, on one line and with their variables replaced.
    pub(super) fn block(&mut self) -> Result<String, String> {
        self.next();
        if self.blocks == DEPTH {
            return self.error("blocks are nested too deeply");
        }
        self.blocks += 1;
        let mut commands = Vec::new();
        while let Some(command) = self.command()? {
            commands.push(line(&command));
        }
        self.blocks -= 1;
        if self.next() != Some('}') {
            return self.error("missing }");
        }
        Ok(commands.join(" ; "))
    }
}

/// A command line that is read as the words of this command.
fn line(command: &ScriptCommand) -> String {
    let is_binding = matches!(command.words.first().map(String::as_str), Some("bind" | "bind-key"));
    let words = command.words.iter().enumerate().map(|(at, word)| match word.as_str() {
        word if command.blocks.contains(&at) => format!("{{ {word} }}"),
        // Between the commands of a key.
        ";" if is_binding => "\\;".to_owned(),
        word => quoted(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
