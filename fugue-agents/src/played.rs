//! A stand-in for an agent, for people who learn fugue: it asks for permission as the real one does, and does nothing.

use crate::claude;

/// The name of the agent that is played; its program has this name.
pub const NAME: &str = claude::AGENT.name;

/// The choices of the dialog, from the first.
pub const CHOICES: [&str; 2] = ["Yes", "No"];

/// The dialog in which the agent asks whether it may run a command, with this choice selected, on a screen with so many
/// columns.
pub fn dialog(command: &str, selected: usize, cols: usize) -> String {
    let rule = "─".repeat(cols);
    let dashes = "╌".repeat(cols);
    let choices = CHOICES.iter().enumerate().map(|(at, choice)| {
        let mark = if at == selected { "❯" } else { " " };
        format!(" {mark} {}. {choice}\n", at + 1)
    });
    let choices: String = choices.collect();
    format!(
        "{rule}\n Bash command\n{dashes}\n {command}\n{dashes}\n Do you want to proceed?\n{choices}\n Esc to cancel · Tab to amend"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ShownRow, ShownScreen, ShownSpan, dialog as dialog_on};

    const COLS: usize = 40;

    fn screen(text: &str) -> ShownScreen {
        let span = |line: &str| ShownSpan { text: line.to_owned(), ..ShownSpan::default() };
        let rows: Vec<_> = text.lines().map(|line| ShownRow { spans: vec![span(line)] }).collect();
        ShownScreen { cursor_row: rows.len() - 1, rows, cols: COLS, shows_cursor: false }
    }

    #[test]
    fn the_dialog_is_read_like_that_of_the_real_agent() {
        for selected in 0..CHOICES.len() {
            let read = dialog_on(NAME, &screen(&dialog("make test", selected, COLS))).expect("a dialog");
            assert_eq!(read.command.as_deref(), Some("make test"));
            assert_eq!(read.selected, selected + 1);
            let labels: Vec<_> = read.choices.iter().map(|choice| choice.label.as_str()).collect();
            assert_eq!(labels, CHOICES);
        }
    }
}
