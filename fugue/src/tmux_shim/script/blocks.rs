//! Blocks: commands between braces, which are one word of the command that they belong to.

use super::ScriptReader;

/// Deeper blocks are refused: the reader is recursive.
const DEPTH: usize = 20;

impl ScriptReader<'_> {
    /// The commands of a block, on one line and with their variables replaced. Within a block, it keeps its braces.
    pub(super) fn block(&mut self) -> Result<String, String> {
        self.next();
        if self.blocks == DEPTH {
            return self.error("blocks are nested too deeply");
        }
        self.blocks += 1;
        let mut commands = Vec::new();
        while let Some(command) = self.command()? {
            commands.push(line(&command.words));
        }
        self.blocks -= 1;
        if self.next() != Some('}') {
            return self.error("missing }");
        }
        let commands = commands.join(" ; ");
        Ok(if self.blocks > 0 { format!("{{ {commands} }}") } else { commands })
    }
}

/// A command line that is read as these words.
fn line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,^".contains(c);
    let is_block = word.starts_with("{ ") && word.ends_with(" }");
    match word {
        ";" => "\\;".to_owned(),
        word if is_block || (!word.is_empty() && word.chars().all(is_plain)) => word.to_owned(),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
