//! Changes of `config.toml`: an entry is replaced or added, and everything else stays as it is, comments too.

use std::path::Path;

use fugue_config::{Config, ConfigSource, UnusableConfig};

use crate::context::ALIASES;
use crate::file_replacement::{NotReplaced, lock, replace};
use crate::toml_text;

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

    /// The text with the entry in it. The error says why the text cannot be read.
    pub(crate) fn apply(&self, text: &str) -> Result<String, String> {
        let value = self.value.to_string().parse::<toml_edit::Value>().map_err(|why| why.to_string())?;
        toml_text::edit(text, |document| toml_text::set(document, self.section, &self.key, value))
    }
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

/// The text without an entry; none if it does not have it.
fn without(text: &str, section: &str, key: &str) -> Result<Option<String>, String> {
    let path: Vec<&str> = [section, key].into_iter().filter(|part| !part.is_empty()).collect();
    let mut found = false;
    let rest = toml_text::edit(text, |document| {
        found = toml_text::remove(document, &path)?;
        Ok(())
    })?;
    Ok(found.then_some(rest))
}

/// Removes an entry of a section from a file; returns whether it was there.
pub(crate) fn remove(path: &Path, section: &str, key: &str) -> Result<bool, String> {
    change(path, |text| without(text, section, key).map_err(|why| format!("{}: {why}", path.display())))
}

/// Sets entries in a file, unless that would add a mistake to it.
pub(crate) fn set(path: &Path, edits: &[ConfigEdit]) -> Result<(), String> {
    let edited = change(path, |before| {
        let known = mistakes(before);
        let after = edits.iter().try_fold(before.to_owned(), |text, edit| edit.apply(&text));
        let after = after.map_err(|why| format!("{}: {why}", path.display()))?;
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
        assert_eq!(without(text, "hosts", "box"), Ok(Some(text.replace("box = \"ann@box\"\n", ""))));
        assert_eq!(without(text, "hosts", "mine"), Ok(None));
        let last = "[hosts]\r\n# mine\r\nbox = \"b\" # far\r\n\r\n[keys]\r\na = \"x\"";
        let rest = "[hosts]\r\n# mine\r\n\r\n[keys]\r\na = \"x\"";
        assert_eq!(
            without(last, "hosts", "box").map(|text| text.map(|text| text.trim_end().to_owned())),
            Ok(Some(rest.into()))
        );
    }

    #[test]
    fn an_entry_is_replaced_or_added_and_the_rest_stays() {
        let text = "# mine\nhistory_lines = 5 # few\n\n[client] # looks\nmouse = true\n\n[keys]\n\"M-z\" = \"zoom-pane\"\n";
        let apply = |edit: ConfigEdit, text: &str| edit.apply(text).expect("it is valid");
        assert_eq!(apply(edit(None, "history_lines", 9), text), text.replace("5 # few", "9 # few"));
        assert_eq!(
            apply(edit(Some("client"), "status", false), text),
            text.replace("mouse = true\n", "mouse = true\nstatus = false\n")
        );
        assert_eq!(
            apply(edit(Some("keys"), "M-z", ""), text),
            text.replace("\"M-z\" = \"zoom-pane\"", "\"M-z\" = \"\"")
        );
        assert_eq!(
            apply(edit(Some("theme"), "bar", "red"), text),
            format!("{text}\n[theme]\nbar = \"red\"\n")
        );
        assert_eq!(
            apply(edit(Some("keys"), "prefix x", "detach"), ""),
            "[keys]\n\"prefix x\" = \"detach\"\n"
        );
        assert_eq!(apply(edit(None, "shell", "/bin/sh"), "[client]\n"), "shell = \"/bin/sh\"\n\n[client]\n");
        let list = "[status]\nleft = [\n  \"session\", # mine\n  \"windows\",\n]\ninterval = 5\n";
        let left = edit(Some("status"), "left", vec!["windows"]);
        assert_eq!(apply(left, list), "[status]\nleft = [\"windows\"]\ninterval = 5\n");
        let windows = text.replace('\n', "\r\n");
        assert_eq!(
            apply(edit(Some("client"), "mouse", false), &windows),
            windows.replace("mouse = true", "mouse = false")
        );
        assert!(
            edit(None, "shell", "/bin/sh").apply("[client\n").is_err_and(|why| why.ends_with("on line 1"))
        );
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
