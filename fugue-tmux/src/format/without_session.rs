//! The conditions of a tmux.conf (`%if`), as far as they can be evaluated without a session.

use std::cell::RefCell;

use super::{FormatSource, HostFacts, LoopItem, LoopKind, expand};
use crate::VERSION;

/// What is known without a session: the machine, the version and the environment.
struct WithoutSession<'a> {
    machine: &'a dyn HostFacts,
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// The first value that the format needs and that is not known.
    unknown: RefCell<Option<String>>,
}

impl WithoutSession<'_> {
    fn lacks(&self, what: &str) {
        self.unknown.borrow_mut().get_or_insert_with(|| what.to_owned());
    }
}

impl FormatSource for WithoutSession<'_> {
    fn value(&self, name: &str) -> Option<String> {
        let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let known = match name {
            "version" => Some(VERSION.trim_start_matches("tmux ").to_owned()),
            name => self.machine.value(name),
        };
        match known {
            Some(value) => Some(value),
            None if name.starts_with(|c: char| !c.is_alphabetic() && c != '@') => None,
            // As in tmux, a name may be that of an environment variable; one that is not set is empty.
            None if name.chars().all(is_variable) => (self.variable)(name),
            None => {
                self.lacks(&format!("#{{{name}}}"));
                None
            }
        }
    }

    fn items(&self, _kind: LoopKind) -> Vec<LoopItem<'_>> {
        self.lacks("the list of sessions, windows or panes");
        Vec::new()
    }

    fn output(&self, command: &str) -> String {
        self.lacks(&format!("the output of `{command}`"));
        String::new()
    }
}

/// Expands the format of a condition; the error says what is not known.
pub fn expand_without_session(
    condition: &str,
    machine: &dyn HostFacts,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let source = WithoutSession { machine, variable, unknown: RefCell::default() };
    let value = expand(condition, &source);
    match source.unknown.into_inner() {
        None => Ok(value),
        Some(what) => Err(format!("{what} is not known during the import, so no branch was imported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nowhere;

    impl HostFacts for Nowhere {
        fn host_name(&self) -> Option<String> {
            Some("box".into())
        }

        fn user(&self) -> Option<String> {
            None
        }

        fn terminal(&self, _: u32) -> Option<String> {
            None
        }

        fn foreground_name(&self, _: u32) -> Option<String> {
            None
        }
    }

    fn expanded(condition: &str) -> Result<String, String> {
        expand_without_session(condition, &Nowhere, &|_| None)
    }

    #[test]
    fn a_condition_is_expanded_with_what_is_known_without_a_session() {
        for (condition, value) in [
            ("#{==:a,b}", "0"),
            ("#{&&:#{==:a,a},#{!=:a,b}}", "1"),
            ("#{||:0,#{m:3.*,#{version}}}", "1"),
            ("#{>=:#{version},3.2}", "1"),
            ("#{?#{==:#{host},},,x}", "x"),
            ("#{NOT_SET}", ""),
            ("1", "1"),
        ] {
            assert_eq!(expanded(condition).as_deref(), Ok(value), "{condition}");
        }
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (condition, name) in [
            ("#{==:#{session_name},a}", "#{session_name}"),
            ("#{@theme}", "#{@theme}"),
            ("#S", "#{session_name}"),
            ("#(uname)", "the output of `uname`"),
            ("#{W:#I}", "the list of sessions, windows or panes"),
        ] {
            assert!(expanded(condition).is_err_and(|why| why.starts_with(name)), "{condition}");
        }
    }
}
