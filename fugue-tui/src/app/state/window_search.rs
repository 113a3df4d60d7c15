//! A search for windows, as tmux's `find-window` has it: by name, title and visible text.

use std::collections::{BTreeMap, BTreeSet};

use fugue_protocol::PaneId;
use fugue_protocol::views::{PaneView, WindowView};
use regex::Regex;

use crate::copy_mode::search::compile;

/// What `find-window` looks for, and where.
pub(crate) struct WindowSearch {
    /// What was typed.
    pub(crate) text: String,
    pattern: Regex,
    in_names: bool,
    in_titles: bool,
    in_screens: bool,
    /// The panes whose text has been requested.
    awaited: BTreeSet<PaneId>,
    /// The panes that were found, each with the line that contains the text, if it is on its screen.
    found: BTreeMap<PaneId, Option<String>>,
}

impl WindowSearch {
    /// Reads the words of `find-window`. Without `-C`, `-N` and `-T`, everything is searched.
    pub(crate) fn read(words: &[&str]) -> Result<Self, String> {
        let end = words.iter().position(|word| !word.starts_with('-') || *word == "--");
        let (flags, rest) = words.split_at(end.unwrap_or(words.len()));
        let rest = if rest.first() == Some(&"--") { &rest[1..] } else { rest };
        let has = |letter: char| flags.iter().any(|flag| flag.contains(letter));
        let text = rest.join(" ");
        if text.is_empty() {
            return Err("`find-window` needs text to search for".into());
        }
        let pattern = if has('r') { text.clone() } else { glob(&text) };
        let pattern = if has('i') { format!("(?i){pattern}") } else { pattern };
        let pattern = compile(&pattern).map_err(|why| format!("Invalid pattern `{text}`: {why}"))?;
        let all = !has('C') && !has('N') && !has('T');
        Ok(Self {
            text,
            pattern,
            in_names: all || has('N'),
            in_titles: all || has('T'),
            in_screens: all || has('C'),
            awaited: BTreeSet::new(),
            found: BTreeMap::new(),
        })
    }

    /// Looks at a pane's names. Returns whether its text is needed as well.
    pub(crate) fn look_at(&mut self, window: &WindowView, pane: &PaneView) -> bool {
        let name = pane.name.as_ref().map(ToString::to_string).unwrap_or_default();
        let is_found = self.in_names && self.pattern.is_match(window.name.as_str())
            || self.in_titles && (self.pattern.is_match(&pane.title) || self.pattern.is_match(&name));
        if is_found {
            self.found.insert(pane.pane_id, None);
        }
        let needs_text = self.in_screens && !is_found;
        if needs_text {
            self.awaited.insert(pane.pane_id);
        }
        needs_text
    }

    /// Takes the text of a pane's screen, or that there is none. Returns whether the search is over.
    pub(crate) fn screen_read(&mut self, pane: PaneId, text: Option<&str>) -> bool {
        if self.awaited.remove(&pane)
            && let Some(line) = text.unwrap_or_default().lines().find(|line| self.pattern.is_match(line))
        {
            self.found.insert(pane, Some(line.trim().to_owned()));
        }
        self.is_over()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.awaited.is_empty()
    }

    /// The line of a pane's screen that contains the text, if there is one; `None` if the pane was not found.
    pub(crate) fn line_in(&self, pane: PaneId) -> Option<Option<&str>> {
        self.found.get(&pane).map(Option::as_deref)
    }
}

/// The regular expression of a text in which `*` and `?` stand for others, as in tmux.
fn glob(text: &str) -> String {
    regex::escape(text).replace(r"\*", ".*").replace(r"\?", ".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::tests::session;

    fn finds(words: &str, name: &str, title: &str, screen: &str) -> bool {
        let words: Vec<&str> = words.split(' ').collect();
        let mut search = WindowSearch::read(&words).expect("a search");
        let mut window = session(1, Some("working"), 0).windows[0].clone();
        window.name = name.parse().expect("a name");
        window.panes[0].title = title.into();
        let pane = window.panes[0].clone();
        if search.look_at(&window, &pane) {
            search.screen_read(pane.pane_id, Some(screen));
        }
        search.line_in(pane.pane_id).is_some()
    }

    #[test]
    fn a_text_is_found_in_names_titles_and_screens_or_where_the_flags_say() {
        assert!(finds("log", "logs", "", "") && finds("log", "one", "a log", ""));
        assert!(finds("log", "one", "", "first\nthe log") && !finds("log", "one", "", ""));
        assert!(!finds("-N log", "one", "log", "log") && finds("-T log", "one", "log", ""));
        assert!(!finds("-C log", "log", "log", "") && finds("-CN log", "log", "", ""));
    }

    #[test]
    fn a_text_may_have_wildcards_or_be_a_regular_expression() {
        assert!(finds("l?g*end", "one", "", "a log to the end") && !finds("l.g", "logs", "", ""));
        assert!(finds("-r l.g$", "log", "", "") && !finds("-r l.g$", "logs", "", ""));
        assert!(
            finds("LOG", "LOG", "", "") && !finds("LOG", "log", "", "") && finds("-i LOG", "log", "", "")
        );
        assert!(finds("-- -x", "one", "", "cmd -x"));
        assert!(WindowSearch::read(&["-r", "("]).is_err() && WindowSearch::read(&["-C"]).is_err());
    }
}
