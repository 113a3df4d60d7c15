//! Opening the journal: checking and migrating the file, rebuilding the world from it, and setting a damaged file aside.

use std::fs;
use std::path::{Path, PathBuf};

use fugue_core::World;
use fugue_protocol::Event;
use rusqlite::{Connection, OptionalExtension};

use super::database_thread::JournalFile;
use super::messages::{self, LoadError};

/// The version of the file format. A newer file is refused: an older daemon would lose what it does not know.
const FORMAT: i64 = 2;

/// The state that the journal held at the start.
pub(crate) struct RecoveredState {
    /// The world as it was.
    pub(crate) world: World,
    /// Problems with the file, for the daemon's status.
    pub(crate) warnings: Vec<String>,
    /// Whether a damaged file was set aside: then programs may be running that the journal does not know.
    pub(crate) lost: bool,
}

/// The reason that a file cannot be opened.
enum OpenError {
    NewerFormat(i64),
    Damaged(String),
    /// A full or busy disk: the file itself is fine and must not be touched.
    Temporary(String),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match error.sqlite_error_code() {
            Some(DatabaseCorrupt | NotADatabase) => Self::Damaged(error.to_string()),
            _ => Self::Temporary(error.to_string()),
        }
    }
}

impl From<LoadError> for OpenError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Database(error) => error.into(),
            LoadError::Json(error) => unreadable(&error),
        }
    }
}

impl JournalFile {
    /// Opens or creates the file, and returns the state it holds. A damaged file is set aside.
    pub(super) fn open(path: &Path) -> Result<(Self, RecoveredState), String> {
        match Self::try_open(path) {
            Ok((file, world)) => Ok((file, RecoveredState { world, warnings: Vec::new(), lost: false })),
            Err(OpenError::NewerFormat(format)) => Err(newer(format)),
            Err(OpenError::Temporary(why)) => Err(why),
            Err(OpenError::Damaged(why)) => Self::start_over(path, &why),
        }
    }

    fn try_open(path: &Path) -> Result<(Self, World), OpenError> {
        let database = Connection::open(path)?;
        fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .map_err(|why| OpenError::Temporary(why.to_string()))?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        // A kill loses nothing that was written; a power failure may lose the last events, but never damages the tree.
        database.pragma_update(None, "synchronous", "NORMAL")?;
        database.pragma_update(None, "wal_autocheckpoint", 0)?;
        let format: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format > FORMAT {
            return Err(OpenError::NewerFormat(format));
        }
        let check: String = database.pragma_query_value(None, "quick_check", |row| row.get(0))?;
        if check != "ok" {
            return Err(OpenError::Damaged(check));
        }
        migrate(&database, format)?;
        let file = Self { database, waits_for_disk: false };
        let mut world = file.replay()?;
        // Messages have tables of their own, written in the events' transactions, so they are just as recent.
        world.messages = messages::load(&file.database)?;
        Ok((file, world))
    }

    /// Moves a damaged file to a name of its own, for a person to examine, and creates a new one.
    fn start_over(path: &Path, why: &str) -> Result<(Self, RecoveredState), String> {
        let kept = unused_name(path);
        for suffix in ["", "-wal", "-shm"] {
            let with_suffix = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
            let _ = fs::rename(with_suffix(path), with_suffix(&kept));
        }
        let warning = format!("The journal was damaged ({why}); it was kept as {}", kept.display());
        match Self::try_open(path) {
            Ok((file, world)) => Ok((file, RecoveredState { world, warnings: vec![warning], lost: true })),
            Err(OpenError::Damaged(why) | OpenError::Temporary(why)) => Err(why),
            Err(OpenError::NewerFormat(format)) => Err(newer(format)),
        }
    }

    /// Rebuilds the world from the last checkpoint and the events after it.
    fn replay(&self) -> Result<World, OpenError> {
        let checkpoint = "SELECT after, body FROM world WHERE id = 1";
        let checkpoint: Option<(i64, String)> =
            self.database.query_row(checkpoint, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let (after, mut world) = match checkpoint {
            Some((after, body)) => (after, serde_json::from_str(&body).map_err(|why| unreadable(&why))?),
            None => (0, World::default()),
        };
        let mut rows = self.database.prepare("SELECT body FROM event WHERE id > ?1 ORDER BY id")?;
        for body in rows.query_map([after], |row| row.get::<_, String>(0))? {
            world.evolve(&serde_json::from_str::<Event>(&body?).map_err(|why| unreadable(&why))?);
        }
        world.check().map_err(OpenError::Damaged)?;
        Ok(world)
    }
}

/// Creates the tables that a file of this format does not have yet.
fn migrate(database: &Connection, format: i64) -> rusqlite::Result<()> {
    if format == 0 {
        database.execute_batch(
            "CREATE TABLE IF NOT EXISTS event(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, body TEXT NOT NULL);
             CREATE TABLE IF NOT EXISTS world(id INTEGER PRIMARY KEY CHECK (id = 1), after INTEGER NOT NULL, body TEXT NOT NULL);",
        )?;
    }
    if format < FORMAT {
        messages::create_tables(database)?;
        database.pragma_update(None, "user_version", FORMAT)?;
    }
    Ok(())
}

fn newer(format: i64) -> String {
    format!(
        "the journal was written by a newer fugue (format {format}; this version supports up to {FORMAT})"
    )
}

fn unreadable(why: &serde_json::Error) -> OpenError {
    OpenError::Damaged(format!("an entry cannot be read: {why}"))
}

/// Returns a name beside the file that does not exist yet.
fn unused_name(path: &Path) -> PathBuf {
    let names = (1..).map(|number| PathBuf::from(format!("{}.broken-{number}", path.display())));
    names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| path.with_extension("broken"))
}
