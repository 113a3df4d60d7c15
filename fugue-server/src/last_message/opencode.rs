//! The database in which OpenCode keeps its sessions.

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use serde_json::Value;

use super::LastMessageRequest;

/// The longest part that is read, in characters: the output of a tool may be much longer, and is no text of the agent.
const MAX_PART: u32 = 4 << 20;

/// The most parts of an answer that are read, from its end.
const MAX_PARTS: u32 = 1_000;

/// Returns the text of the last answer in the agent's session.
pub(super) fn last_message(request: &LastMessageRequest) -> Option<String> {
    let path = request.homes.opencode.join("opencode.db");
    // SQLite would wait for the other end of a pipe.
    if !path.is_file() {
        return None;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).ok()?;
    let session = match &request.conversation {
        Some(id) => id.to_string(),
        None => only_session(&database, request)?,
    };
    let message = last_answer(&database, &session, request)?;
    texts(&database, &message).ok().filter(|text| !text.trim().is_empty())
}

/// The session that was begun in the directory since the start, if there is exactly one.
fn only_session(database: &Connection, request: &LastMessageRequest) -> Option<String> {
    let query =
        "SELECT id FROM session WHERE directory = ? AND time_created >= ? AND parent_id IS NULL LIMIT 2";
    let mut query = database.prepare(query).ok()?;
    let since = i64::try_from(request.since.millis()).ok()?;
    let rows = query.query_map(params![request.directory.to_str()?, since], |row| row.get(0)).ok()?;
    let sessions: Vec<String> = rows.flatten().collect();
    <[String; 1]>::try_from(sessions).ok().map(|[only]| only)
}

/// The last message of the session, if it is an answer.
fn last_answer(database: &Connection, session: &str, request: &LastMessageRequest) -> Option<String> {
    let query =
        "SELECT id, data FROM message WHERE session_id = ? AND time_created >= ? ORDER BY id DESC LIMIT 1";
    let since = i64::try_from(request.since.millis()).ok()?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
    let (id, data) = database.query_row(query, params![session, since], row).optional().ok()??;
    let data: Value = serde_json::from_str(&data).ok()?;
    (data["role"] == "assistant").then_some(id)
}

/// The texts of an answer: the last ones, as many as are passed on.
fn texts(database: &Connection, message: &str) -> rusqlite::Result<String> {
    let mut query = database.prepare(
        "SELECT data FROM part WHERE message_id = ? AND length(data) <= ? ORDER BY id DESC LIMIT ?",
    )?;
    let rows = query.query_map(params![message, MAX_PART, MAX_PARTS], |row| row.get::<_, String>(0))?;
    let (mut texts, mut bytes) = (Vec::new(), 0);
    for part in rows.flatten().filter_map(|data| serde_json::from_str::<Value>(&data).ok()) {
        if let Some(text) = part["text"].as_str().filter(|_| part["type"] == "text") {
            bytes += text.len();
            texts.push(text.to_owned());
        }
        if bytes > super::MAX_BYTES {
            break;
        }
    }
    texts.reverse();
    Ok(texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use fugue_protocol::Timestamp;

    use super::super::{AgentHomes, LastMessageRequest};
    use super::*;

    #[test]
    fn the_answer_of_the_only_session_in_a_directory_is_read() {
        let home = tempfile::tempdir().expect("a directory");
        let database = Connection::open(home.path().join("opencode.db")).expect("a database");
        let answer = |number: u8, directory: &str| {
            format!(
                "INSERT INTO session VALUES ('ses_{number}', NULL, '{directory}', 2000);
                 INSERT INTO message VALUES ('msg_{number}', 'ses_{number}', 2000, '{{\"role\":\"assistant\"}}');
                 INSERT INTO part VALUES ('prt_{number}', 'msg_{number}', '{{\"type\":\"text\",\"text\":\"hi {number}\"}}');"
            )
        };
        let tables = "CREATE TABLE session (id, parent_id, directory, time_created);
                      CREATE TABLE message (id, session_id, time_created, data);
                      CREATE TABLE part (id, message_id, data);";
        database.execute_batch(&format!("{tables}{}{}", answer(1, "/a"), answer(2, "/b"))).expect("written");
        let read = |directory: &str, id: Option<&str>, since| {
            last_message(&LastMessageRequest {
                agent: "opencode".into(),
                conversation: id.map(|id| id.parse().expect("an id")),
                directory: directory.into(),
                since: Timestamp::from_millis(since),
                homes: AgentHomes { opencode: home.path().to_owned(), ..AgentHomes::default() },
            })
        };
        assert_eq!(read("/a", None, 1000).as_deref(), Some("hi 1"));
        assert_eq!(read("/a", None, 3000), None, "it is older");
        assert_eq!(read("/elsewhere", Some("ses_2"), 1000).as_deref(), Some("hi 2"));
        database.execute_batch(&answer(3, "/a")).expect("written");
        assert_eq!(read("/a", None, 1000), None, "there are two");
    }
}
