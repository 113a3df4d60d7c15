//! The program started in a pane.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The program of a pane, as it was requested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Launch {
    /// A shell command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Program and arguments to run directly, instead of a shell command. With neither, the user's shell is run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The directory it was started in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Environment variables for this pane only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub environment: BTreeMap<String, String>,
}

impl Launch {
    /// The label of a program that is the user's shell.
    pub const SHELL: &str = "shell";

    /// The program as one line, which a shell splits into the same arguments.
    pub fn label(&self) -> String {
        match (&self.command, self.argv.is_empty()) {
            (Some(line), _) => line.clone(),
            (None, false) => self.argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
            (None, true) => Self::SHELL.into(),
        }
    }
}

/// Quotes a word for any shell. Quotes and backslashes are placed outside of quotes, since fish interprets them inside.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| c.is_alphanumeric() || "_-+./:@%,".contains(c) || c == '=' && word.starts_with('-');
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    let inside = |c| match c {
        '\'' => r"'\''".to_owned(),
        '\\' => r"'\\'".to_owned(),
        c => c.to_string(),
    };
    format!("'{}'", word.chars().map(inside).collect::<String>()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        for (argv, line) in [
            (&["git", "log", "--format=%h", "-n1"][..], "git log --format=%h -n1"),
            (&["cat", "my file", ""], "cat 'my file' ''"),
            (&["sh", "-c", "a; $(b) `c`"], "sh -c 'a; $(b) `c`'"),
            (&["echo", "it's", r"a\b"], r"echo 'it'\''s' 'a'\\'b'"),
            (&["X=1", "~", "*"], "'X=1' '~' '*'"),
        ] {
            let argv = argv.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(Launch { argv, ..Launch::default() }.label(), line);
        }
    }
}
