//! A database in which an agent keeps its conversations.

use fugue_agents::RecordDatabase;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use serde_json::Value;

use super::LastMessageRequest;

/// The longest part that is read, in characters: the output of a tool may be much longer, and is no text of the agent.
const MAX_PART: u32 = 4 << 20;

/// The most parts of an answer that are read, from its end.
const MAX_PARTS: u32 = 1_000;

/// Returns the text of the last answer in the agent's conversation.
pub(super) fn last_message(record: &RecordDatabase, request: &LastMessageRequest) -> Option<String> {
    let path = request.home.join(record.file);
    // SQLite would wait for the other end of a pipe.
    if !path.is_file() {
        return None;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let reader = RecordReader { record, database: Connection::open_with_flags(path, flags).ok()?, request };
    let conversation = match &request.conversation {
        Some(id) => id.to_string(),
        None => reader.only_conversation()?,
    };
    let message = reader.last_answer(&conversation)?;
    reader.texts(&message).ok().filter(|text| !text.trim().is_empty())
}

/// A database that is open.
struct RecordReader<'a> {
    record: &'a RecordDatabase,
    database: Connection,
    request: &'a LastMessageRequest,
}

impl RecordReader<'_> {
    /// The conversation that was begun in the directory since the start, if there is exactly one.
    fn only_conversation(&self) -> Option<String> {
        let mut query = self.database.prepare(self.record.begun).ok()?;
        let directory = self.request.directory.to_str()?;
        let rows = query.query_map(params![directory, self.since()?], |row| row.get(0)).ok()?;
        let begun: Vec<String> = rows.flatten().collect();
        <[String; 1]>::try_from(begun).ok().map(|[only]| only)
    }

    /// The last message of a conversation, if it is an answer.
    fn last_answer(&self, conversation: &str) -> Option<String> {
        let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        let given = params![conversation, self.since()?];
        let (id, data) = self.database.query_row(self.record.last_message, given, row).optional().ok()??;
        let data: Value = serde_json::from_str(&data).ok()?;
        (self.record.is_answer)(&data).then_some(id)
    }

    /// The texts of an answer: the last ones, as many as are passed on.
    fn texts(&self, message: &str) -> rusqlite::Result<String> {
        let mut query = self.database.prepare(self.record.parts)?;
        let rows = query.query_map(params![message, MAX_PART, MAX_PARTS], |row| row.get::<_, String>(0))?;
        let (mut texts, mut bytes) = (Vec::new(), 0);
        for part in rows.flatten().filter_map(|data| serde_json::from_str::<Value>(&data).ok()) {
            if let Some(text) = (self.record.text)(&part) {
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

    fn since(&self) -> Option<i64> {
        i64::try_from(self.request.since.millis()).ok()
    }
}

#[cfg(test)]
mod tests {
    use fugue_agents::KnownAgent;
    use fugue_protocol::Timestamp;

    use super::super::{LastMessageRequest, recorded};
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
            recorded(&LastMessageRequest {
                agent: KnownAgent::find("opencode").expect("an agent"),
                conversation: id.map(|id| id.parse().expect("an id")),
                directory: directory.into(),
                since: Timestamp::from_millis(since),
                home: home.path().to_owned(),
            })
        };
        assert_eq!(read("/a", None, 1000).as_deref(), Some("hi 1"));
        assert_eq!(read("/a", None, 3000), None, "it is older");
        assert_eq!(read("/elsewhere", Some("ses_2"), 1000).as_deref(), Some("hi 2"));
        database.execute_batch(&answer(3, "/a")).expect("written");
        assert_eq!(read("/a", None, 1000), None, "there are two");
    }
}
