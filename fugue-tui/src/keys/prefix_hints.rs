//! The line of hints after the prefix.

use unicode_width::UnicodeWidthStr;

use super::bindings::Keys;

/// The commands in the hints, the most useful first: a narrow terminal shows fewer.
const HINTS: &[(&str, &str)] = &[
    ("help", "all keys"),
    ("create-pane --right", "split right"),
    ("create-pane --below", "split below"),
    ("create-window", "new window"),
    ("select-window -w {next-window}", "next"),
    ("zoom-pane", "zoom"),
    ("copy-mode", "copy mode"),
    ("detach", "detach"),
    ("palette", "palette"),
    ("choose-tree", "tree"),
    ("next-agent", "next agent"),
    ("sidebar", "sidebar"),
    ("messages", "messages"),
    ("command-prompt", "command"),
];

impl Keys {
    /// A line of hints, shown after the prefix was pressed: as many as fit in this many columns.
    pub(crate) fn hints(&self, cols: usize) -> String {
        let key = |command: &str| {
            let found = self.bindings.iter().find(|binding| binding.prefixed && binding.command == command);
            found.map(|binding| binding.key.to_string())
        };
        let hints = HINTS.iter().filter_map(|(command, words)| Some(format!("{} {words}", key(command)?)));
        let mut line = format!(" {} …", self.prefix());
        for hint in hints {
            if line.width() + 3 + hint.width() >= cols {
                break;
            }
            line = format!("{line}   {hint}");
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_whole_in_any_width() {
        let hints = Keys::default().hints(80);
        assert!(hints.width() < 80 && hints.contains("? all keys   % split right"), "{hints}");
        assert_eq!(Keys::default().hints(20), " C-b …   ? all keys");
        assert_eq!(Keys::default().hints(10), " C-b …");
    }
}
