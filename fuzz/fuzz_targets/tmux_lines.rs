//! Reads any text as tmux's commands: as lines of a file with blocks and conditions, as a line of the client's prompt, and
//! as formats. No panic, no command without words, and a value in a format never becomes a command.
//!
//! `cargo +stable fuzz run -s none tmux_lines -- -max_len=1024`

#![no_main]

use std::cell::Cell;

use fugue_tmux::format::{FormatSource, expand, expand_in_command};
use fugue_tmux::reader;
use libfuzzer_sys::fuzz_target;

/// Every name has this value. Counts the shell commands that a format would run.
struct Values<'a> {
    value: &'a str,
    ran: Cell<usize>,
}

impl FormatSource for Values<'_> {
    fn value(&self, _: &str) -> Option<String> {
        Some(self.value.to_owned())
    }

    fn output(&self, _: &str) -> String {
        self.ran.set(self.ran.get() + 1);
        String::new()
    }
}

fuzz_target!(|text: &str| {
    let values = Values { value: text, ran: Cell::new(0) };
    for format in ["#{E:pane_title}", "#{T:pane_title}", "#{E:#{pane_title}}", "#{W:#{E:pane_title}}"] {
        expand(format, &values);
        expand_in_command(format, &values);
    }
    assert_eq!(values.ran.get(), 0, "a value ran a command");
    let word = expand_in_command("#{pane_title}", &values);
    assert!(!word.contains(|c: char| c.is_control() || "'\"`$;&|<>(){}#\\*?![]^".contains(c)), "{word}");
    expand(text, &values);
    let _ = fugue_tui::check_line(text);
    let variable = |name: &str| Some(name.to_owned());
    let Ok(commands) = reader::parse(text, &variable, &|format| Ok(expand(format, &values))) else { return };
    for words in commands.iter().flat_map(|command| reader::split(&command.words)) {
        assert!(!words.is_empty());
        let _ = fugue_tui::tmux_refusal(&words);
    }
});
