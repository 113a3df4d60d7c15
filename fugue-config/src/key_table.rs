//! The tables of keys: those that tmux has, and those that a person names.

use std::str::FromStr;

/// A table of keys: which of them is in force decides what a key means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeyTable {
    /// The keys that need no prefix.
    #[default]
    Root,
    /// The keys after the prefix.
    Prefix,
    /// A table that a command selects for the next key.
    Own(String),
}

impl KeyTable {
    /// Its name, which is tmux's.
    pub fn name(&self) -> &str {
        match self {
            Self::Root => "root",
            Self::Prefix => "prefix",
            Self::Own(name) => name,
        }
    }
}

/// The longest name of a table in bytes: the status line shows it.
const TABLE_NAME: usize = 32;

impl FromStr for KeyTable {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        match name {
            "root" => Ok(Self::Root),
            "prefix" => Ok(Self::Prefix),
            "copy-mode" | "copy-mode-vi" => {
                Err(format!("the keys of {name} are in [copy_keys], without the name of a table"))
            }
            name if (1..=TABLE_NAME).contains(&name.len()) && name.chars().all(is_plain) => {
                Ok(Self::Own(name.to_owned()))
            }
            _ => Err(format!(
                "\"{name}\" cannot name a key table: use up to {TABLE_NAME} letters, digits, - and _"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_plain_name_and_copy_mode_has_its_own_section() {
        let read = |name: &str| name.parse::<KeyTable>();
        assert_eq!((read("root"), read("prefix")), (Ok(KeyTable::Root), Ok(KeyTable::Prefix)));
        assert_eq!(read("my-table_2"), Ok(KeyTable::Own("my-table_2".into())));
        assert!(read("copy-mode-vi").is_err_and(|why| why.contains("[copy_keys]")));
        for name in ["", "a b", "a;b", &"x".repeat(TABLE_NAME + 1)] {
            assert!(read(name).is_err_and(|why| why.contains("cannot name a key table")), "{name}");
        }
    }
}
