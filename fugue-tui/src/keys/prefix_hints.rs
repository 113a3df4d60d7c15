//! The line of hints while a table of keys is selected, such as that after the prefix.

use fugue_config::KeyTable;
use unicode_width::UnicodeWidthStr;

use super::bindings::{Binding, Keys};

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
    /// A line of hints, shown while the keys of a table other than the root are awaited: as many as fit in this many
    /// columns.
    pub(crate) fn hints(&self, table: &KeyTable, cols: usize) -> String {
        let mut of_table = self.bindings.iter().filter(|binding| binding.table == *table);
        let (name, hints): (_, Vec<_>) = match table {
            KeyTable::Own(name) => {
                let hint = |binding: &Binding| format!("{} {}", binding.key, binding.about);
                (name.clone(), of_table.map(hint).collect())
            }
            KeyTable::Root | KeyTable::Prefix => {
                let bound: Vec<_> = of_table.by_ref().collect();
                let key = |command: &str| Some(bound.iter().find(|one| one.command == command)?.key);
                let hint = |(command, words): &(&str, _)| Some(format!("{} {words}", key(command)?));
                (self.prefix().to_string(), HINTS.iter().filter_map(hint).collect())
            }
        };
        let mut line = format!(" {name} …");
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
        let hints = Keys::default().hints(&KeyTable::Prefix, 80);
        assert!(hints.width() < 80 && hints.contains("? all keys   % split right"), "{hints}");
        assert_eq!(Keys::default().hints(&KeyTable::Prefix, 20), " C-b …   ? all keys");
        assert_eq!(Keys::default().hints(&KeyTable::Prefix, 10), " C-b …");
    }
}
