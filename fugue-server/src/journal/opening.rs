//! Opening the journal's file: what it tells of the world, and what is done with one that is broken or too new.

use std::fs;
use std::path::{Path, PathBuf};

use fugue_core::World;
use fugue_protocol::Event;
use rusqlite::{Connection, OptionalExtension};

use super::{File, Past, letters};

/// The form of the file. A newer one is refused: an older daemon would lose what it does not know.
const FORM: i64 = 2;

/// Why a file cannot be opened.
pub(super) enum Trouble {
    Newer(i64),
    Broken(String),
    /// A full or busy disk: nothing is wrong with the file, and it must not be touched.
    Passing(String),
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Broken(error.to_string()),
            _ => Self::Passing(error.to_string()),
        }
    }
}

impl File {
    pub(super) fn open(path: &Path) -> Result<(Self, World), Trouble> {
        let database = Connection::open(path)?;
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .map_err(|why| Trouble::Passing(why.to_string()))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        // A kill takes nothing that is written; a power cut may take the last moments of the tree, never its shape.
        database.pragma_update(None, "synchronous", "NORMAL")?;
        database.pragma_update(None, "wal_autocheckpoint", 0)?;
        let form: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if form > FORM {
            return Err(Trouble::Newer(form));
        }
        let sound: String = database.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if sound != "ok" {
            return Err(Trouble::Broken(sound));
        }
        if form == 0 {
            database.execute_batch(
                "CREATE TABLE IF NOT EXISTS event(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, body TEXT NOT NULL);
                 CREATE TABLE IF NOT EXISTS world(id INTEGER PRIMARY KEY CHECK (id = 1), after INTEGER NOT NULL, body TEXT NOT NULL);",
            )?;
        }
        if form < FORM {
            letters::prepare(&database)?;
            database.pragma_update(None, "user_version", FORM)?;
        }
        let file = Self { database, waits_for_disk: false };
        let mut world = file.fold()?;
        // The mail is kept apart: its tables were written with the events, so they are as new as these.
        world.messages = letters::load(&file.database)?;
        Ok((file, world))
    }

    /// Sets the broken file aside, where a person can look at it, and begins anew.
    pub(super) fn open_anew(path: &Path, why: &str) -> Result<(Self, Past), String> {
        let aside = aside(path);
        for end in ["", "-wal", "-shm"] {
            let with = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
            let _ = fs::rename(with(path), with(&aside));
        }
        let told = format!("the journal was broken ({why}); it was kept as {}", aside.display());
        match Self::open(path) {
            Ok((file, world)) => Ok((file, Past { world, warnings: vec![told], lost: true })),
            Err(Trouble::Broken(why) | Trouble::Passing(why)) => Err(why),
            Err(Trouble::Newer(form)) => Err(newer(form)),
        }
    }

    /// The world as the journal tells it.
    fn fold(&self) -> Result<World, Trouble> {
        let kept = "SELECT after, body FROM world WHERE id = 1";
        let kept: Option<(i64, String)> =
            self.database.query_row(kept, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (after, mut world) = match kept {
            Some((after, body)) => (after, serde_json::from_str(&body).map_err(unreadable)?),
            None => (0, World::default()),
        };
        let mut rows = self.database.prepare("SELECT body FROM event WHERE id > ?1 ORDER BY id")?;
        for body in rows.query_map([after], |row| row.get::<_, String>(0))? {
            world.evolve(&serde_json::from_str::<Event>(&body?).map_err(unreadable)?);
        }
        world.check().map_err(Trouble::Broken)?;
        Ok(world)
    }
}

pub(super) fn newer(form: i64) -> String {
    format!("the journal was written by a newer fugue (form {form}, this one knows {FORM})")
}

pub(super) fn unreadable(why: serde_json::Error) -> Trouble {
    Trouble::Broken(format!("an event cannot be read: {why}"))
}

/// A name beside the file that nothing has yet.
fn aside(path: &Path) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("{}.broken-{number}", path.display())));
    names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| path.with_extension("broken"))
}
