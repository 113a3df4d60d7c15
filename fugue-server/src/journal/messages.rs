//! Messages on disk. They are written in the transaction of the events that announce them, and loaded at the start. Their
//! bodies are only here, and are read when a recipient reads them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fugue_core::PayloadSource;
use fugue_core::inbox::{MessageStore, StoredMessage};
use fugue_protocol::{MessageId, SessionId};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Transaction, params};

use super::checksum;

/// A change to the messages on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MessageChange {
    /// A message was sent.
    Sent { number: u64, message: MessageId, envelope: String, body: PayloadSource },
    /// The delivery state of a message for one recipient.
    Receipt { number: u64, session: SessionId, receipt: String },
    /// A message is no longer kept.
    Forgotten { message: MessageId },
}

impl MessageChange {
    /// About how many bytes the change writes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Sent { envelope, body: PayloadSource::Text(body), .. } => envelope.len() + body.len(),
            Self::Sent { envelope, .. } => envelope.len(),
            Self::Receipt { receipt, .. } => receipt.len(),
            Self::Forgotten { .. } => 0,
        }
    }
}

/// Creates the tables, unless they exist.
pub(super) fn create_tables(database: &Connection) -> rusqlite::Result<()> {
    database.execute_batch(
        "CREATE TABLE IF NOT EXISTS message(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, envelope TEXT NOT NULL, body TEXT NOT NULL, sum INTEGER NOT NULL DEFAULT 0);
         CREATE TABLE IF NOT EXISTS delivery(number INTEGER NOT NULL, session BLOB NOT NULL, receipt TEXT NOT NULL, sum INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(number, session)) WITHOUT ROWID;",
    )
}

/// Writes changes.
pub(super) fn write(transaction: &Transaction<'_>, changes: &[MessageChange]) -> rusqlite::Result<()> {
    changes.iter().try_for_each(|change| match change {
        MessageChange::Sent { number, message, envelope, body } => {
            insert(transaction, *number, *message, envelope, body)
        }
        MessageChange::Receipt { number, session, receipt } => {
            let upsert =
                "INSERT OR REPLACE INTO delivery(number, session, receipt, sum) VALUES (?1, ?2, ?3, ?4)";
            let sum = checksum::of_receipt(*number, session.as_bytes(), receipt);
            let row = params![number.cast_signed(), session.as_bytes(), receipt, sum];
            transaction.prepare_cached(upsert)?.execute(row).map(drop)
        }
        MessageChange::Forgotten { message } => forget(transaction, *message),
    })
}

fn insert(
    transaction: &Transaction<'_>,
    number: u64,
    message: MessageId,
    envelope: &str,
    body: &PayloadSource,
) -> rusqlite::Result<()> {
    let body = match body {
        PayloadSource::Text(body) => Cow::Borrowed(body.as_str()),
        PayloadSource::CopyOf(other) => {
            let copied = "SELECT body FROM message WHERE id = ?1";
            let copied = transaction.prepare_cached(copied)?;
            let Some(body) = body_of(copied, *other)? else { return Ok(()) };
            Cow::Owned(body)
        }
    };
    let insert = "INSERT INTO message(number, id, envelope, body, sum) VALUES (?1, ?2, ?3, ?4, ?5)";
    let sum = checksum::of_message(number, message.as_bytes(), envelope, checksum::of_text(&body));
    let row = params![number.cast_signed(), message.as_bytes(), envelope, body, sum];
    transaction.prepare_cached(insert)?.execute(row).map(drop)
}

fn body_of(mut row: CachedStatement<'_>, message: MessageId) -> rusqlite::Result<Option<String>> {
    row.query_row([message.as_bytes()], |row| row.get(0)).optional()
}

fn forget(transaction: &Transaction<'_>, message: MessageId) -> rusqlite::Result<()> {
    let receipts = "DELETE FROM delivery WHERE number = (SELECT number FROM message WHERE id = ?1)";
    transaction.prepare_cached(receipts)?.execute([message.as_bytes()])?;
    transaction.prepare_cached("DELETE FROM message WHERE id = ?1")?.execute([message.as_bytes()])?;
    Ok(())
}

/// Messages that were loaded.
pub(super) struct LoadedMessages {
    pub(super) store: MessageStore,
    /// The number of messages that only a newer version can read. They stay where they are.
    pub(super) unknown: usize,
}

/// Loads all messages, without their bodies. New ones are numbered after `last`. A row whose checksum is right was
/// written as it is, so one that cannot be read is a newer version's.
pub(super) fn load(database: &Connection, last: u64) -> rusqlite::Result<LoadedMessages> {
    let mut receipts = receipts(database)?;
    let mut rows = database.prepare("SELECT number, envelope FROM message ORDER BY number")?;
    let rows = rows.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let (mut stored, mut unknown) = (Vec::new(), 0);
    for row in rows {
        let (number, envelope) = row?;
        let receipts = receipts.remove(&number).unwrap_or_else(|| Some(BTreeMap::new()));
        match (serde_json::from_str(&envelope).ok(), receipts) {
            (Some(envelope), Some(receipts)) => {
                let receipts = receipts.into_iter().collect();
                stored.push(StoredMessage::new(number.cast_unsigned(), envelope, receipts));
            }
            _ => unknown += 1,
        }
    }
    Ok(LoadedMessages { store: MessageStore::from_stored(stored, last), unknown })
}

/// The receipts by the numbers of their messages; `None` for a message of which one cannot be read.
type ReceiptsByNumber = BTreeMap<i64, Option<BTreeMap<SessionId, fugue_protocol::agent_messages::Receipt>>>;

fn receipts(database: &Connection) -> rusqlite::Result<ReceiptsByNumber> {
    let mut all = ReceiptsByNumber::new();
    let mut rows = database.prepare("SELECT number, session, receipt FROM delivery")?;
    let row =
        |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, [u8; 16]>(1)?, row.get::<_, String>(2)?));
    for row in rows.query_map([], row)? {
        let (number, session, receipt) = row?;
        let of_message = all.entry(number).or_insert_with(|| Some(BTreeMap::new()));
        match (serde_json::from_str(&receipt), of_message.as_mut()) {
            (Ok(receipt), Some(receipts)) => drop(receipts.insert(SessionId::from_bytes(session), receipt)),
            _ => *of_message = None,
        }
    }
    Ok(all)
}

/// Reads the bodies of those messages that are still kept. A body that is damaged is an error: the next daemon restores
/// it from the copy.
pub(super) fn bodies(
    database: &Connection,
    messages: &[MessageId],
) -> Result<BTreeMap<MessageId, String>, String> {
    let rows = "SELECT number, envelope, body, sum FROM message WHERE id = ?1";
    let mut rows = database.prepare_cached(rows).map_err(|why| why.to_string())?;
    let mut bodies = BTreeMap::new();
    for message in messages {
        let row = |row: &rusqlite::Row<'_>| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, String>(2)?,
                row.get::<_, u32>(3)?,
            ))
        };
        let row = rows.query_row([message.as_bytes()], row).optional().map_err(|why| why.to_string())?;
        let Some((number, envelope, body, sum)) = row else { continue };
        let (number, body_sum) = (number.cast_unsigned(), checksum::of_text(&body));
        if checksum::of_message(number, message.as_bytes(), &envelope, body_sum) != sum {
            return Err(format!("message {message} is damaged on disk"));
        }
        bodies.insert(*message, body);
    }
    Ok(bodies)
}
