//! Changes of `config.toml`: an entry is replaced or added, and everything else stays as it is, comments too.

use std::path::Path;

use fugue_config::{Config, ConfigSource, UnusableConfig};

use crate::attach::ALIASES;
use crate::file_replacement::{NotReplaced, lock, replace};

/// How often a change is made again to what another program wrote meanwhile.
const ATTEMPTS: usize = 10;

/// An entry to set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigEdit {
    /// Its section; nothing for the top of the file.
    pub(crate) section: Option<&'static str>,
    pub(crate) key: String,
    pub(crate) value: toml::Value,
}

impl ConfigEdit {
    /// The line that sets it.
    pub(crate) fn line(&self) -> String {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let key = match !self.key.is_empty() && self.key.chars().all(is_bare) {
            true => self.key.clone(),
            false => toml::Value::String(self.key.clone()).to_string(),
        };
        format!("{key} = {}", self.value)
    }

    /// The number of lines that set the same key, from the first of these on; none if they do not. A list may take
    /// several lines.
    fn lines_at(&self, lines: &[String]) -> Option<usize> {
        /// More than a list of any setting has.
        const MOST: usize = 64;
        let parsed = (1..=lines.len().min(MOST)).find_map(|count| {
            Some((count, lines[..count].join("\n").trim_start().parse::<toml::Table>().ok()?))
        });
        parsed.filter(|(_, table)| table.len() == 1 && table.contains_key(&self.key)).map(|(count, _)| count)
    }

    /// The text with the entry in it.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let is_header = |line: &String| line.trim_start().starts_with('[');
        let header = self.section.map(|section| format!("[{section}]"));
        let is_own = |line: &String| {
            header.as_ref().is_some_and(|header| line.split('#').next().unwrap_or_default().trim() == header)
        };
        let start = match self.section {
            None => Some(0),
            Some(_) => lines.iter().position(is_own).map(|at| at + 1),
        };
        let Some(start) = start else {
            let gap = if lines.is_empty() { "" } else { "\n" };
            return format!("{}{gap}{}\n{}\n", with_newline(text), header.unwrap_or_default(), self.line());
        };
        let end = lines[start..].iter().position(is_header).map_or(lines.len(), |at| start + at);
        match (start..end).find_map(|at| Some((at, self.lines_at(&lines[at..end])?))) {
            Some((at, count)) => drop(lines.splice(at..at + count, [self.line()])),
            None => {
                let filled = lines[start..end].iter().rposition(|line| !line.trim().is_empty());
                let at = filled.map_or(start, |at| start + at + 1);
                lines.insert(at, self.line());
                if lines.get(at + 1).is_some_and(is_header) {
                    lines.insert(at + 1, String::new());
                }
            }
        }
        lines.join("\n") + "\n"
    }
}

fn with_newline(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// The mistakes in a text, as sentences.
pub(crate) fn mistakes(text: &str) -> Vec<String> {
    let source = ConfigSource::Text(text.to_owned());
    let config = Config::parse(&source, None).unwrap_or_else(UnusableConfig::or_defaults);
    fugue_tui::check_config(&config, &ALIASES).iter().map(ToString::to_string).collect()
}

/// Reads the text of a file; one that does not exist is empty.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    read_if_any(path).map(Option::unwrap_or_default)
}

fn read_if_any(path: &Path) -> Result<Option<String>, String> {
    match ConfigSource::read(path) {
        ConfigSource::Missing => Ok(None),
        ConfigSource::Text(text) => Ok(Some(text)),
        ConfigSource::Unreadable(why) => Err(format!("{} {why}", path.display())),
    }
}

/// Changes the text of a file. No other command of fugue changes it meanwhile; if another program does, what it wrote is
/// read again.
pub(crate) fn change(
    path: &Path,
    change: impl Fn(&str) -> Result<Option<String>, String>,
) -> Result<bool, String> {
    let cannot = |why: std::io::Error| format!("cannot write {}: {why}", path.display());
    let _lock = lock(path).map_err(cannot)?;
    for _ in 0..ATTEMPTS {
        let before = read_if_any(path)?;
        let text = before.as_deref().unwrap_or_default();
        let Some(after) = change(text)?.filter(|after| after != text) else { return Ok(false) };
        match replace(path, before.as_deref(), &after) {
            Ok(()) => return Ok(true),
            Err(NotReplaced::Changed) => {}
            Err(NotReplaced::Failed(why)) => return Err(cannot(why)),
        }
    }
    Err(format!("{} was not changed: another program keeps changing it", path.display()))
}

/// The text without an entry; none if it does not have it on a line of its own.
fn without(text: &str, section: &str, key: &str) -> Option<String> {
    let entry = ConfigEdit { section: None, key: key.into(), value: toml::Value::Boolean(false) };
    let mut current = "";
    let mut found = false;
    let kept = text.split_inclusive('\n').filter(|line| {
        if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            current = name.0;
        }
        let is_entry = current == section && entry.lines_at(&[line.trim_end().to_owned()]).is_some();
        found |= is_entry;
        !is_entry
    });
    let kept: String = kept.collect();
    found.then_some(kept)
}

/// Removes an entry of a section from a file; returns whether it was there.
pub(crate) fn remove(path: &Path, section: &str, key: &str) -> Result<bool, String> {
    change(path, |text| Ok(without(text, section, key)))
}

/// Sets entries in a file, unless that would add a mistake to it.
pub(crate) fn set(path: &Path, edits: &[ConfigEdit]) -> Result<(), String> {
    let edited = change(path, |before| {
        let known = mistakes(before);
        let after = edits.iter().fold(before.to_owned(), |text, edit| edit.apply(&text));
        let new = mistakes(&after);
        if new.len() > known.len() {
            let why = new.into_iter().find(|mistake| !known.contains(mistake)).unwrap_or_default();
            return Err(format!("{}: {why}", path.display()));
        }
        Ok(Some(after))
    });
    edited.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(section: Option<&'static str>, key: &str, value: impl Into<toml::Value>) -> ConfigEdit {
        ConfigEdit { section, key: key.into(), value: value.into() }
    }

    #[test]
    fn an_entry_is_removed_and_the_rest_stays() {
        let text = "[keys]\nbox = \"x\"\n[hosts] # far\n# mine\nbox = \"ann@box\"\ngpu = \"gpu\"\n";
        assert_eq!(without(text, "hosts", "box"), Some(text.replace("box = \"ann@box\"\n", "")));
        assert_eq!(without(text, "hosts", "mine"), None);
    }

    #[test]
    fn an_entry_is_replaced_or_added_and_the_rest_stays() {
        let text = "# mine\nhistory_lines = 5 # few\n\n[client] # looks\nmouse = true\n\n[keys]\n\"M-z\" = \"zoom-pane\"\n";
        assert_eq!(edit(None, "history_lines", 9).apply(text), text.replace("5 # few", "9"));
        assert_eq!(
            edit(Some("client"), "status", false).apply(text),
            text.replace("mouse = true\n", "mouse = true\nstatus = false\n")
        );
        assert_eq!(
            edit(Some("keys"), "M-z", "").apply(text),
            text.replace("\"M-z\" = \"zoom-pane\"", "M-z = \"\"")
        );
        assert_eq!(
            edit(Some("theme"), "bar", "red").apply(text),
            format!("{text}\n[theme]\nbar = \"red\"\n")
        );
        assert_eq!(edit(Some("keys"), "prefix x", "detach").apply(""), "[keys]\n\"prefix x\" = \"detach\"\n");
        assert_eq!(edit(None, "shell", "/bin/sh").apply("[client]\n"), "shell = \"/bin/sh\"\n\n[client]\n");
        let list = "[status]\nleft = [\n  \"session\", # mine\n  \"windows\",\n]\ninterval = 5\n";
        let left = edit(Some("status"), "left", vec!["windows"]);
        assert_eq!(left.apply(list), "[status]\nleft = [\"windows\"]\ninterval = 5\n");
    }

    #[test]
    fn an_entry_that_would_be_a_mistake_is_not_written() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("fugue/config.toml");
        assert!(set(&path, &[edit(Some("client"), "mouse", "maybe")]).is_err());
        assert!(!path.exists());
        set(&path, &[edit(Some("client"), "mouse", false)]).expect("valid");
        assert_eq!(read(&path).as_deref(), Ok("[client]\nmouse = false\n"));
    }

    #[test]
    fn entries_that_are_set_at_the_same_time_are_all_there() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("fugue/config.toml");
        let keys = ["M-a", "M-b", "M-c", "M-d", "M-e", "M-f", "M-g", "M-h"];
        std::thread::scope(|scope| {
            for key in keys {
                let path = &path;
                scope.spawn(move || set(path, &[edit(Some("keys"), key, "zoom-pane")]).expect("set"));
            }
        });
        let text = read(&path).expect("the file");
        assert_eq!(text.lines().count(), 1 + keys.len(), "{text}");
        assert!(keys.iter().all(|key| text.contains(key)), "{text}");
    }
}
