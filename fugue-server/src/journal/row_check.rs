//! Checking every row of the journal's database against its checksum, and filling the checksums of an older format.

use fugue_protocol::MessageId;
use rusqlite::{Connection, OptionalExtension, params};

use super::checksum;
use super::contents::Contents;
use super::tip::Tip;

/// Checks all rows. Returns the checksums of what the database holds, or what is damaged.
pub(super) fn check(database: &Connection) -> rusqlite::Result<Result<Contents, String>> {
    let Some(tip) = Tip::read(database)? else { return Ok(Err("its last entry is missing".into())) };
    let mut contents = Contents::at(tip);
    for check in [check_world, check_events, check_messages, check_receipts] {
        if let Some(damage) = check(database, &mut contents)? {
            return Ok(Err(damage));
        }
    }
    Ok(Ok(contents))
}

fn check_world(database: &Connection, contents: &mut Contents) -> rusqlite::Result<Option<String>> {
    let row = "SELECT after, body, sum FROM world WHERE id = 1";
    let row = database.query_row(row, [], |row| {
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, String>(1)?, row.get::<_, u32>(2)?))
    });
    let Some((after, body, sum)) = row.optional()? else { return Ok(None) };
    contents.set_world(after, checksum::of_text(&body));
    Ok((checksum::of_world(after, &body) != sum).then(|| "the checkpoint has an invalid checksum".into()))
}

fn check_events(database: &Connection, contents: &mut Contents) -> rusqlite::Result<Option<String>> {
    let after = contents.world.map_or(0, |(after, _)| after);
    let mut rows = database.prepare("SELECT id, at, body, sum FROM event ORDER BY id")?;
    let (mut rows, mut before) = (rows.query([])?, None);
    while let Some(row) = rows.next()? {
        let (id, at) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, i64>(1)?.cast_unsigned());
        let sum = checksum::of_event(id, at, &row.get::<_, String>(2)?);
        if sum != row.get::<_, u32>(3)? {
            return Ok(Some(format!("event {id} has an invalid checksum")));
        }
        if before.is_some_and(|before| id != before + 1) {
            return Ok(Some(format!("events are missing before event {id}")));
        }
        before = Some(id);
        if id > after {
            contents.add_event(sum);
        }
    }
    let is_missing = before.is_some_and(|last| last != contents.tip.last_event);
    Ok(is_missing.then(|| "the last events are missing".into()))
}

fn check_messages(database: &Connection, contents: &mut Contents) -> rusqlite::Result<Option<String>> {
    let mut rows = database.prepare("SELECT number, id, envelope, body, sum FROM message")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (number, id) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, [u8; 16]>(1)?);
        let (envelope, body): (String, String) = (row.get(2)?, row.get(3)?);
        let (message, body) = (MessageId::from_bytes(id), checksum::of_text(&body));
        if checksum::of_message(number, &id, &envelope, body) != row.get::<_, u32>(4)? {
            return Ok(Some(format!("message {message} has an invalid checksum")));
        }
        contents.add_message(number, message, checksum::of_text(&envelope), body);
    }
    Ok(None)
}

fn check_receipts(database: &Connection, contents: &mut Contents) -> rusqlite::Result<Option<String>> {
    let mut rows = database.prepare("SELECT number, session, receipt, sum FROM delivery")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (number, session) = (row.get::<_, i64>(0)?.cast_unsigned(), row.get::<_, [u8; 16]>(1)?);
        let receipt: String = row.get(2)?;
        if checksum::of_receipt(number, &session, &receipt) != row.get::<_, u32>(3)? {
            return Ok(Some(format!("a receipt for message {number} has an invalid checksum")));
        }
        contents.add_receipt(number, session, checksum::of_text(&receipt));
    }
    Ok(None)
}

/// Fills the checksums and sizes of events, and the checksum of the checkpoint, of an older format.
pub(super) fn fill_events(database: &Connection) -> rusqlite::Result<()> {
    let mut rows = database.prepare("SELECT id, at, body FROM event ORDER BY id")?;
    let (mut rows, mut total) = (rows.query([])?, 0);
    while let Some(row) = rows.next()? {
        let (id, at, body) = (row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?);
        total += body.len() as u64;
        let sum = checksum::of_event(id.cast_unsigned(), at.cast_unsigned(), &body);
        let update = "UPDATE event SET sum = ?1, total = ?2 WHERE id = ?3";
        database.execute(update, params![sum, total.cast_signed(), id])?;
    }
    let world = "SELECT after, body FROM world WHERE id = 1";
    let world = database.query_row(world, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)));
    if let Some((after, body)) = world.optional()? {
        let sum = checksum::of_world(after.cast_unsigned(), &body);
        database.execute("UPDATE world SET sum = ?1", [sum])?;
    }
    Ok(())
}

/// Fills the checksums of messages and receipts of an older format.
pub(super) fn fill_messages(database: &Connection) -> rusqlite::Result<()> {
    let mut rows = database.prepare("SELECT number, id, envelope, body FROM message")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (number, id) = (row.get::<_, i64>(0)?, row.get::<_, [u8; 16]>(1)?);
        let (envelope, body): (String, String) = (row.get(2)?, row.get(3)?);
        let sum = checksum::of_message(number.cast_unsigned(), &id, &envelope, checksum::of_text(&body));
        database.execute("UPDATE message SET sum = ?1 WHERE number = ?2", params![sum, number])?;
    }
    let mut rows = database.prepare("SELECT number, session, receipt FROM delivery")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (number, session) = (row.get::<_, i64>(0)?, row.get::<_, [u8; 16]>(1)?);
        let sum = checksum::of_receipt(number.cast_unsigned(), &session, &row.get::<_, String>(2)?);
        let update = "UPDATE delivery SET sum = ?1 WHERE number = ?2 AND session = ?3";
        database.execute(update, params![sum, number, session])?;
    }
    Ok(())
}
