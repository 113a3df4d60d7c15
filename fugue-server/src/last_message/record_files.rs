//! Files of JSON lines in which an agent records its conversations.

use std::fs;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use chrono::DateTime;
use fugue_agents::{ConversationRecord, KnownAgent, RecordFiles};
use fugue_config::open_regular;
use fugue_protocol::Timestamp;
use fugue_protocol::conversation::ConversationId;
use serde_json::Value;

use super::LastMessageRequest;

/// The most that is read from the end of a file: the last turn, with the output of its tools.
const MAX_BYTES: u64 = 4 << 20;

/// Returns what the agent said last, as far as it is recorded.
pub(super) fn last_message(files: &RecordFiles, request: &LastMessageRequest) -> Option<String> {
    let record = end_of(&find(files, request)?).ok()?;
    last_text_in(&record, files, request.since)
}

/// Returns the last text in a record that is not older than this.
fn last_text_in(record: &[u8], files: &RecordFiles, since: Timestamp) -> Option<String> {
    let record = String::from_utf8_lossy(record);
    let lines = record.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let recent = |line: &Value| millis(&line["timestamp"]).is_some_and(|at| at >= since.millis());
    lines.filter(recent).find_map(|line| (files.text)(&line))
}

/// Returns what an agent said last according to a record of its own; for fuzzing.
pub fn last_text_of(agent: &str, record: &[u8]) -> Option<String> {
    match &KnownAgent::find(agent)?.record {
        ConversationRecord::Files(files) => last_text_in(record, files, Timestamp::from_millis(0)),
        ConversationRecord::Database(_) => None,
    }
}

fn end_of(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = open_regular(file)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_BYTES)))?;
    let mut end = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut end)?;
    Ok(end)
}

fn millis(time: &Value) -> Option<u64> {
    DateTime::parse_from_rfc3339(time.as_str()?).ok()?.timestamp_millis().try_into().ok()
}

/// Returns the file of the conversation. If that is unknown, the only one that was begun in the directory since the start.
fn find(files: &RecordFiles, request: &LastMessageRequest) -> Option<PathBuf> {
    let all = files.directories.iter().fold(vec![request.home.clone()], |all, name| match *name {
        "*" => all.iter().flat_map(|directory| entries(directory)).collect(),
        name => all.into_iter().map(|directory| directory.join(name)).collect(),
    });
    let mut all = all.iter().flat_map(|directory| entries(directory));
    let Some(id) = request.conversation.as_ref().map(ConversationId::as_str) else {
        let mut begun = all.filter(|file| is_begun_here(file, files, request));
        let only = begun.next()?;
        return begun.next().is_none().then_some(only);
    };
    let is_named = |file: &Path| {
        file.file_name().and_then(|name| name.to_str()).is_some_and(|name| (files.is_named)(name, id))
    };
    let is_its = |file: &Path| {
        file.is_file() && (!files.has_short_name || first_line(file).is_some_and(|line| line.contains(id)))
    };
    all.find(|file| is_named(file) && is_its(file))
}

fn is_begun_here(file: &Path, files: &RecordFiles, request: &LastMessageRequest) -> bool {
    let Some(begun) = files.begun.filter(|_| is_written_since(file, request.since)) else { return false };
    let first = first_line(file).unwrap_or_default();
    let Ok(line) = serde_json::from_str::<Value>(&first) else { return false };
    begun(&line).is_some_and(|begun| {
        Path::new(begun.directory) == request.directory
            && millis(begun.at).is_some_and(|at| at >= request.since.millis())
    })
}

/// Whether a file was written since then: the records of years need not be opened.
fn is_written_since(file: &Path, since: Timestamp) -> bool {
    let since = UNIX_EPOCH + Duration::from_millis(since.millis());
    fs::metadata(file).and_then(|file| file.modified()).is_ok_and(|written| written >= since)
}

fn first_line(file: &Path) -> Option<String> {
    let mut line = String::new();
    BufReader::new(open_regular(file).ok()?.take(MAX_BYTES)).read_line(&mut line).ok()?;
    Some(line)
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fugue_agents::Environment;
    use fugue_protocol::Timestamp;

    use super::super::recorded;
    use super::*;

    const ID: &str = "01a1e3ac-27ea-7e11-b86a-0f8706035a60";

    fn write(path: &Path, lines: &[&str]) {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, lines.join("\n")).expect("a file");
    }

    fn request(agent: &str, id: Option<&str>, home: &Path) -> LastMessageRequest {
        let agent = KnownAgent::find(agent).expect("an agent");
        let since = millis(&"2026-11-16T09:00:00Z".into()).expect("a time");
        LastMessageRequest {
            agent,
            conversation: id.map(|id| id.parse().expect("an id")),
            directory: "/proj".into(),
            since: Timestamp::from_millis(since),
            home: (agent.data_directory)(&Environment::new(home, &|_| None)),
        }
    }

    #[test]
    fn the_last_message_is_read_in_each_agents_own_record() {
        let home = tempfile::tempdir().expect("a directory");
        let at = r#""timestamp":"2026-11-16T09:24:56Z""#;
        write(
            &home.path().join(format!(".claude/projects/-proj/{ID}.jsonl")),
            &[
                &format!(
                    r#"{{"type":"assistant",{at},"message":{{"content":[{{"type":"text","text":"hi claude"}}]}}}}"#
                ),
                &format!(
                    r#"{{"type":"assistant",{at},"isSidechain":true,"message":{{"content":[{{"type":"text","text":"sub"}}]}}}}"#
                ),
                &format!(r#"{{"type":"assistant",{at},"message":{{"content":[{{"type":"tool_use"}}]}}}}"#),
                r#"{"type":"cost-state"}"#,
            ],
        );
        write(
            &home.path().join(format!(".codex/sessions/2026/11/16/rollout-x-{ID}.jsonl")),
            &[
                &format!(r#"{{"type":"session_meta","payload":{{"cwd":"/proj",{at}}}}}"#),
                &format!(
                    r#"{{{at},"type":"response_item","payload":{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"hi codex"}}]}}}}"#
                ),
            ],
        );
        write(
            &home.path().join(".gemini/tmp/proj/chats/session-x-01a1e3ac.jsonl"),
            &[
                &format!(r#"{{"sessionId":"{ID}"}}"#),
                &format!(r#"{{"type":"gemini",{at},"content":[{{"text":"hi gemini"}}]}}"#),
            ],
        );
        for agent in ["claude", "codex", "gemini"] {
            let words = recorded(&request(agent, Some(ID), home.path()));
            assert_eq!(words, Some(format!("hi {agent}")));
        }
        assert_eq!(recorded(&request("codex", None, home.path())), Some("hi codex".into()));
        assert_eq!(recorded(&request("claude", None, home.path())), None, "it is not guessed");
    }

    #[test]
    fn a_thread_is_not_chosen_among_several_and_old_words_do_not_count() {
        let home = tempfile::tempdir().expect("a directory");
        let meta = r#"{"payload":{"cwd":"/proj","timestamp":"2026-11-16T09:24:56Z"}}"#;
        for name in ["a", "b"] {
            write(&home.path().join(format!(".codex/sessions/2026/11/16/rollout-{name}.jsonl")), &[meta]);
        }
        assert_eq!(recorded(&request("codex", None, home.path())), None);
        let old = r#"{"type":"gemini","timestamp":"2026-11-15T09:24:56Z","content":"old"}"#;
        let first = format!(r#"{{"sessionId":"{ID}"}}"#);
        write(&home.path().join(".gemini/tmp/p/chats/session-01a1e3ac.jsonl"), &[&first, old]);
        assert_eq!(recorded(&request("gemini", Some(ID), home.path())), None);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_record_is_read_without_a_panic(
            kind in "assistant|response_item|gemini",
            text in ".{0,40}",
            cut in 0_usize..400,
        ) {
            let block = serde_json::json!([{ "type": "text", "text": text }, { "type": 1 }, null]);
            let line = serde_json::json!({
                "type": kind, "timestamp": "2026-11-16T09:24:56Z", "content": block, "isSidechain": text,
                "message": { "content": block }, "payload": { "type": "message", "content": block },
            });
            let mut record = format!("{line}\n{line}\n").into_bytes();
            record.remove(cut.min(record.len() - 1));
            for agent in ["claude", "codex", "gemini"] {
                let said = last_text_of(agent, &record);
                proptest::prop_assert!(said.is_none_or(|said| said.len() <= record.len()));
            }
        }
    }
}
