//! The `set-option` commands of a binding: those that fugue would refuse when the key is pressed.

use super::option_table::{Counterpart, counterpart};

/// Run by the client that shows the panes, although it is not a setting.
const SYNCHRONIZE: &str = "synchronize-panes";

/// Why one of a binding's commands would be refused.
pub(super) fn refusal(command: &[String]) -> Option<String> {
    commands(command).iter().find_map(|words| {
        let (name, rest) = words.split_first()?;
        let full = fugue_tmux::command_table::full_name(name)?;
        option_refusal(rest).filter(|_| matches!(full, "set-option" | "set-window-option"))
    })
}

/// The commands of a binding, which may be a block.
fn commands(command: &[String]) -> Vec<Vec<String>> {
    match command {
        [block] => {
            let read = super::parse(block);
            read.unwrap_or_default().into_iter().map(|command| command.words).collect()
        }
        words => words.split(|word| word == ";").map(<[String]>::to_vec).collect(),
    }
}

/// Why an option would be refused. Nothing is said where that depends on a target or a format, or where errors are not
/// reported (`-q`).
fn option_refusal(words: &[String]) -> Option<String> {
    let is_flag = |word: &&String| word.starts_with('-') && word.len() > 1;
    let flags: String = words.iter().take_while(is_flag).map(String::as_str).collect();
    let mut rest = words.iter().skip_while(is_flag);
    let (name, value) = (rest.next()?, rest.next()?);
    let is_open = flags.contains(['t', 'F', 'q', 'u', 'U']) || name.starts_with('@') || name == SYNCHRONIZE;
    if is_open {
        return None;
    }
    match counterpart(name, value) {
        Counterpart::Entry(_) if flags.contains('a') => Some(format!("fugue cannot append to {name}")),
        other => other.refusal(name),
    }
}
