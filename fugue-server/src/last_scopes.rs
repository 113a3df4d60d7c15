//! The last valid scopes, kept in the state directory: if `config.toml` has a mistake when the daemon starts, these stay in
//! force.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fugue_config::{Config, ConfigSource};

/// The file with the last valid scopes.
pub(crate) struct LastScopes {
    path: PathBuf,
    text: Option<String>,
}

impl LastScopes {
    /// Reads the file in a state directory, if there is one.
    pub(crate) fn open(state: &Path) -> Self {
        let path = state.join("scopes.toml");
        Self { text: fs::read_to_string(&path).ok(), path }
    }

    /// Returns a configuration with the last valid scopes and nothing else.
    pub(crate) fn config(&self) -> Option<Config> {
        let config = Config::parse(&ConfigSource::Text(self.text.clone()?), None).ok()?;
        config.mistakes.is_empty().then_some(config)
    }

    /// Stores the scopes of a configuration, if they are all valid. The error is a warning for the user.
    pub(crate) fn store(&mut self, config: &Config) -> Result<(), String> {
        let text = config.scopes_text();
        if config.scopes_kept || self.text.as_ref() == Some(&text) {
            return Ok(());
        }
        let stored = self.write(&text);
        stored.map_err(|why| format!("Cannot store the scopes in {}: {why}", self.path.display()))?;
        self.text = Some(text);
        Ok(())
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Config {
        Config::parse(&ConfigSource::Text(text.into()), None).expect("TOML")
    }

    #[test]
    fn only_valid_scopes_are_kept_and_they_survive_a_restart() {
        let state = tempfile::tempdir().expect("a directory");
        let mut last = LastScopes::open(state.path());
        assert_eq!(last.config(), None);
        let good = parse("[scopes]\n\"worker-*\" = \"observe\"\n\"a b\" = \"descendants\"\n");
        last.store(&good).expect("stored");
        last.store(&parse("[scopes]\n\"worker-*\" = \"al\"\n")).expect("nothing to store");
        let restored = LastScopes::open(state.path()).config().expect("scopes");
        let scopes = |config: &Config| {
            let mut scopes: Vec<_> =
                config.scopes.iter().map(|entry| (entry.name.clone(), entry.value)).collect();
            scopes.sort();
            scopes
        };
        assert_eq!(scopes(&restored), scopes(&good));
    }
}
