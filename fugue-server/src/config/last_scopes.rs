//! The last valid scopes, kept in the state directory: if `config.toml` has a mistake when the daemon starts, these stay in
//! force.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use fugue_config::{Config, ConfigSource, read_regular_text};

/// The largest file, in bytes: more than the scopes of the largest `config.toml` take.
const LARGEST: u64 = 4 << 20;

/// The file with the last valid scopes.
pub(crate) struct LastScopes {
    path: PathBuf,
    stored: StoredScopes,
}

/// The content of the file.
enum StoredScopes {
    /// There is no file: no daemon has stored scopes yet.
    Absent,
    /// The text, and the scopes in it.
    Valid(String, Box<Config>),
    /// The file is there, but the scopes in it are not known.
    Damaged(String),
}

impl LastScopes {
    /// Reads the file in a state directory, if there is one.
    pub(crate) fn open(state: &Path) -> Self {
        let path = state.join("scopes.toml");
        let stored = match read_regular_text(&path, LARGEST) {
            Ok(text) => StoredScopes::of(text),
            Err(why) if why.kind() == ErrorKind::NotFound => StoredScopes::Absent,
            Err(why) => StoredScopes::Damaged(why.to_string()),
        };
        if let StoredScopes::Damaged(why) = &stored {
            tracing::warn!("The last valid scopes are not known: {}: {why}", path.display());
        }
        Self { path, stored }
    }

    /// Returns the settings of `config.toml` for a daemon that starts, with the last valid scopes where those of the file
    /// cannot be read. If these are not known either, agents may only observe.
    pub(crate) fn complete(&self, source: &ConfigSource) -> Config {
        let strictest;
        let last = match &self.stored {
            StoredScopes::Absent => None,
            StoredScopes::Valid(_, last) => Some(&**last),
            StoredScopes::Damaged(_) => {
                strictest = Config::strictest();
                Some(&strictest)
            }
        };
        Config::parse(source, last).unwrap_or_else(|unusable| unusable.or_last_scopes(last))
    }

    /// Stores the scopes of a configuration, if they are all valid. The error is a warning for the user.
    pub(crate) fn store(&mut self, config: &Config) -> Result<(), String> {
        let text = config.scopes_text();
        let is_stored = matches!(&self.stored, StoredScopes::Valid(stored, _) if *stored == text);
        if config.scopes_kept || is_stored || !config.knows_all_profiles() {
            return Ok(());
        }
        let stored = self.write(&text);
        stored.map_err(|why| format!("Cannot store the scopes in {}: {why}", self.path.display()))?;
        self.stored = StoredScopes::of(text);
        Ok(())
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        // Without this, a power failure could bring back scopes that a person has tightened since.
        self.path.parent().map_or(Ok(()), |directory| fs::File::open(directory)?.sync_all())
    }
}

impl StoredScopes {
    /// A file without a section is not one that a daemon wrote: it was cut off.
    fn of(text: String) -> Self {
        match Config::parse(&ConfigSource::Text(text.clone()), None) {
            Ok(config) if config.mistakes.is_empty() && text.starts_with("[scopes]") => {
                Self::Valid(text, Box::new(config))
            }
            _ => Self::Damaged("the file is damaged".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Scope;

    use super::*;

    fn parse(text: &str) -> Config {
        Config::parse(&ConfigSource::Text(text.into()), None).expect("TOML")
    }

    /// The scopes with which a daemon starts that finds this text in `config.toml`.
    fn scopes_at_start(state: &Path, source: &ConfigSource) -> Vec<(String, Scope)> {
        let config = LastScopes::open(state).complete(source);
        let mut scopes: Vec<_> = config.scopes.into_iter().map(|entry| (entry.name, entry.value)).collect();
        scopes.sort();
        scopes
    }

    fn text(text: &str) -> ConfigSource {
        ConfigSource::Text(text.into())
    }

    #[test]
    fn only_valid_scopes_are_kept_and_they_survive_a_restart() {
        let state = tempfile::tempdir().expect("a directory");
        let mut last = LastScopes::open(state.path());
        let good = parse("[scopes]\n\"worker-*\" = \"observe\"\n\"a b\" = \"descendants\"\n");
        last.store(&good).expect("stored");
        last.store(&parse("[scopes]\n\"worker-*\" = \"al\"\n")).expect("nothing to store");
        let kept = [("a b".to_owned(), Scope::Descendants), ("worker-*".to_owned(), Scope::Observe)];
        for source in [text("on_exit = = 1\n"), text("scopes = 1\n"), ConfigSource::Missing] {
            assert_eq!(scopes_at_start(state.path(), &source), kept, "{source:?}");
        }
        last.store(&LastScopes::open(state.path()).complete(&ConfigSource::Missing))
            .expect("nothing to store");
        assert_eq!(scopes_at_start(state.path(), &text("= 1")), kept, "a missing file lifts no scopes");
        last.store(&parse("")).expect("stored");
        assert_eq!(scopes_at_start(state.path(), &ConfigSource::Missing), []);
        assert_eq!(scopes_at_start(state.path(), &text("on_exit = = 1\n")), [], "the last file had none");
    }

    #[test]
    fn agents_may_only_observe_if_neither_file_says_what_they_may_do() {
        let observe = [("*".to_owned(), Scope::Observe)];
        for stored in [None, Some(""), Some("[scopes\n"), Some("[scopes]\n\"worker-*\" = \"obs")] {
            let state = tempfile::tempdir().expect("a directory");
            if let Some(stored) = stored {
                fs::write(state.path().join("scopes.toml"), stored).expect("a file");
                assert_eq!(scopes_at_start(state.path(), &ConfigSource::Missing), observe, "{stored:?}");
            }
            for broken in ["on_exit = = 1\n", "[scopes]\nlead = = 1\n"] {
                assert_eq!(scopes_at_start(state.path(), &text(broken)), observe, "{stored:?}: {broken:?}");
            }
            let valid = text("[scopes]\nlead = \"all\"\n");
            assert_eq!(scopes_at_start(state.path(), &valid), [("lead".to_owned(), Scope::All)]);
        }
        let state = tempfile::tempdir().expect("a directory");
        assert_eq!(scopes_at_start(state.path(), &ConfigSource::Missing), [], "nothing was ever restricted");
        LastScopes::open(state.path()).store(&parse("")).expect("stored");
        let meant = text("[scopes]\nlead = = \"observe\"\n");
        assert_eq!(scopes_at_start(state.path(), &meant), observe, "the last file had none, this one may");
    }
}
