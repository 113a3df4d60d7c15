//! The journal's database: its tables, opening and checking it, and bringing an older format up to date.

use std::fs;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};

use super::contents::Contents;
use super::format::{FIRST_SHARED, FORMAT};
use super::messages;
use super::row_check;
use super::tip::Tip;
use super::write_ahead_log;
use crate::clock;

/// Space that deleted rows took can be given back bit by bit.
const AUTO_VACUUM: &str = "INCREMENTAL";

/// The reason that a database cannot be used.
#[derive(Debug)]
pub(super) enum OpenError {
    /// There is no file.
    Missing,
    NewerFormat(i64),
    Damaged(String),
    /// A full or busy disk: the file itself is fine and must not be touched.
    Temporary(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("it is missing"),
            Self::NewerFormat(format) => write!(f, "its format is {format}"),
            Self::Damaged(why) | Self::Temporary(why) => f.write_str(why),
        }
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{
            DatabaseCorrupt, NotADatabase, SystemIoFailure, TooBig, TypeMismatch, Unknown,
        };
        match error.sqlite_error_code() {
            // A row is not what the table's definition promises, or the file is shorter than it claims to be.
            None => Self::Damaged(error.to_string()),
            Some(DatabaseCorrupt | NotADatabase | TooBig | TypeMismatch | Unknown) => {
                Self::Damaged(error.to_string())
            }
            Some(SystemIoFailure) if is_read_failure(&error) => Self::Damaged(error.to_string()),
            Some(_) => Self::Temporary(error.to_string()),
        }
    }
}

/// Whether the disk, or the file's length, did not let SQLite read.
fn is_read_failure(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ};
    let read = [SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_READ, SQLITE_IOERR_SHORT_READ];
    error.sqlite_error().is_some_and(|error| read.contains(&error.extended_code))
}

/// A database that was checked.
pub(super) struct CheckedDatabase {
    pub(super) database: Connection,
    pub(super) contents: Contents,
    /// Whether it was created, or brought up to date from a format that had no copy.
    pub(super) is_new: bool,
}

/// Opens a database and checks everything in it.
pub(super) fn open(path: &Path) -> Result<CheckedDatabase, OpenError> {
    if !path.try_exists().map_err(|why| OpenError::Temporary(why.to_string()))? {
        return Err(OpenError::Missing);
    }
    let database = connect(path)?;
    let format = format(&database)?;
    if format > FORMAT {
        return Err(OpenError::NewerFormat(format));
    }
    let check: String = database.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if check != "ok" {
        // The first line is a heading, and one flaw is enough.
        return Err(OpenError::Damaged(check.lines().nth(1).unwrap_or("unsound").to_owned()));
    }
    if format < FIRST_SHARED {
        migrate(&database, format, new_id())?;
    }
    let contents = row_check::check(&database)?.map_err(OpenError::Damaged)?;
    Ok(CheckedDatabase { database, contents, is_new: format < FIRST_SHARED })
}

/// The format of a database.
pub(super) fn format(database: &Connection) -> rusqlite::Result<i64> {
    database.pragma_query_value(None, "user_version", |row| row.get(0))
}

pub(super) fn set_format(database: &Connection, format: i64) -> rusqlite::Result<()> {
    database.pragma_update(None, "user_version", format)
}

/// Opens a connection for writing.
fn connect(path: &Path) -> Result<Connection, OpenError> {
    let database = Connection::open(path)?;
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .map_err(|why| OpenError::Temporary(why.to_string()))?;
    // Closing a damaged file must not change it.
    database.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let pages: i64 = database.pragma_query_value(None, "page_count", |row| row.get(0))?;
    if pages == 0 {
        prepare(&database)?;
    }
    database.pragma_update(None, "journal_mode", "WAL")?;
    // A kill loses nothing that was written; a power failure may lose the last events, but never damages the tree.
    database.pragma_update(None, "synchronous", "NORMAL")?;
    database.pragma_update(None, "wal_autocheckpoint", 0)?;
    database.pragma_update(None, "journal_size_limit", write_ahead_log::KEPT_BYTES.cast_signed())?;
    Ok(database)
}

/// Prepares an empty file. There is nothing in it to lose, so nothing is written that would undo this.
fn prepare(database: &Connection) -> rusqlite::Result<()> {
    database.pragma_update(None, "journal_mode", "MEMORY")?;
    database.pragma_update(None, "synchronous", "OFF")?;
    // It has to be set before the first table is created.
    database.pragma_update(None, "auto_vacuum", AUTO_VACUUM)?;
    // The change to a write-ahead log is synced again: without its first page, the log would be taken for another's.
    database.pragma_update(None, "synchronous", "NORMAL")
}

/// Creates an empty database of a journal.
pub(super) fn create(path: &Path, journal: [u8; 16]) -> Result<Connection, OpenError> {
    let database = connect(path)?;
    migrate(&database, 0, journal)?;
    Ok(database)
}

/// Returns the id of a new journal.
pub(super) fn new_id() -> [u8; 16] {
    (u128::from(clock::seed()) << 64 | u128::from(clock::seed())).to_le_bytes()
}

/// Creates the tables and columns that a file of this format does not have yet, all of them or none.
fn migrate(database: &Connection, format: i64, journal: [u8; 16]) -> rusqlite::Result<()> {
    if format > 0 {
        // Only a file that is written anew can give space back.
        database.pragma_update(None, "auto_vacuum", AUTO_VACUUM)?;
        database.execute_batch("VACUUM")?;
    }
    let transaction = database.unchecked_transaction()?;
    if format == 0 {
        create_tables(&transaction)?;
    }
    messages::create_tables(&transaction)?;
    if (1..FIRST_SHARED).contains(&format) {
        add_checksums(&transaction, format)?;
    }
    Tip::create_table(&transaction)?;
    let rows = if format > 0 { tip_of_rows(&transaction)? } else { Tip::default() };
    let tip = Tip { journal, ..rows };
    tip.write(&transaction)?;
    set_format(&transaction, FIRST_SHARED)?;
    transaction.commit()
}

fn create_tables(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(
        "CREATE TABLE IF NOT EXISTS event(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, total INTEGER NOT NULL, sum INTEGER NOT NULL, body TEXT NOT NULL);
         CREATE TABLE IF NOT EXISTS world(id INTEGER PRIMARY KEY CHECK (id = 1), after INTEGER NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL);",
    )
}

/// Adds the columns that format 3 introduced. Format 1 had no messages, so their tables are new.
fn add_checksums(database: &Connection, format: i64) -> rusqlite::Result<()> {
    let add = |table: &str, column: &str| {
        database.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0"))
    };
    add("event", "total")?;
    add("event", "sum")?;
    add("world", "sum")?;
    if format == 2 {
        add("message", "sum")?;
        add("delivery", "sum")?;
    }
    row_check::fill_events(database)?;
    row_check::fill_messages(database)
}

/// The tip of a database of an older format.
fn tip_of_rows(database: &Connection) -> rusqlite::Result<Tip> {
    let last = |table: &str| {
        let last = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
        let last: Option<i64> = database.query_row(last, params![table], |row| row.get(0)).optional()?;
        Ok::<_, rusqlite::Error>(last.unwrap_or_default().cast_unsigned())
    };
    let last_at: i64 = database.query_row("SELECT coalesce(max(at), 0) FROM event", [], |row| row.get(0))?;
    let last_at = last_at.cast_unsigned();
    Ok(Tip { last_event: last("event")?, last_message: last("message")?, last_at, ..Tip::default() })
}
