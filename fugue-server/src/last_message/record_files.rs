//! The files of JSON lines in which Claude Code, Codex and Gemini CLI record a conversation.

use std::fs;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use chrono::DateTime;
use fugue_config::open_regular;
use fugue_protocol::Timestamp;
use serde_json::Value;

use super::LastMessageRequest;

/// The most that is read from the end of a file: the last turn, with the output of its tools.
const MAX_BYTES: u64 = 4 << 20;

/// How an agent records a conversation.
struct RecordRow {
    agent: &'static str,
    /// Finds the file of the conversation.
    file: fn(&LastMessageRequest) -> Option<PathBuf>,
    /// The text that the agent says in a line of the file, if it does.
    text: fn(&Value) -> Option<String>,
}

const ROWS: [RecordRow; 3] = [
    RecordRow { agent: "claude", file: claude_file, text: claude_text },
    RecordRow { agent: "codex", file: codex_file, text: codex_text },
    RecordRow { agent: "gemini", file: gemini_file, text: gemini_text },
];

/// Returns what the agent said last, as far as it is recorded; none outside if the agent keeps no such files.
#[allow(clippy::option_option, reason = "an agent without records is not looked at again")]
pub(super) fn last_message(request: &LastMessageRequest) -> Option<Option<String>> {
    let row = ROWS.iter().find(|row| row.agent == request.agent)?;
    Some((row.file)(request).and_then(|file| last_text(&file, row.text, request)))
}

fn last_text(
    file: &Path,
    text: fn(&Value) -> Option<String>,
    request: &LastMessageRequest,
) -> Option<String> {
    last_text_in(&end_of(file).ok()?, text, request.since)
}

/// Returns the last text in a record that is not older than this.
fn last_text_in(record: &[u8], text: fn(&Value) -> Option<String>, since: Timestamp) -> Option<String> {
    let record = String::from_utf8_lossy(record);
    let lines = record.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let recent = |line: &Value| millis(&line["timestamp"]).is_some_and(|at| at >= since.millis());
    lines.filter(recent).find_map(|line| text(&line))
}

/// Returns what an agent said last according to a record of its own; for fuzzing.
pub fn last_text_of(agent: &str, record: &[u8]) -> Option<String> {
    let row = ROWS.iter().find(|row| row.agent == agent)?;
    last_text_in(record, row.text, Timestamp::from_millis(0))
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

fn claude_file(request: &LastMessageRequest) -> Option<PathBuf> {
    let name = format!("{}.jsonl", request.conversation.as_ref()?);
    let projects = entries(&request.homes.claude.join("projects"));
    projects.into_iter().map(|project| project.join(&name)).find(|file| file.is_file())
}

fn claude_text(line: &Value) -> Option<String> {
    let is_own = line["type"] == "assistant" && line["isSidechain"] != true;
    is_own.then(|| texts(&line["message"]["content"], "text")).flatten()
}

/// The file of the thread. If the thread is unknown, the only one that was begun in the directory since the start.
fn codex_file(request: &LastMessageRequest) -> Option<PathBuf> {
    let years = entries(&request.homes.codex.join("sessions"));
    let below = |directories: Vec<PathBuf>| -> Vec<PathBuf> {
        directories.iter().flat_map(|directory| entries(directory)).collect()
    };
    // Months, days, files.
    let files = below(below(below(years)));
    let Some(thread) = &request.conversation else {
        let mut begun = files.into_iter().filter(|file| is_begun_here(file, request));
        let only = begun.next()?;
        return begun.next().is_none().then_some(only);
    };
    let ending = format!("-{thread}.jsonl");
    files.into_iter().find(|file| file.to_str().is_some_and(|file| file.ends_with(&ending)))
}

fn is_begun_here(file: &Path, request: &LastMessageRequest) -> bool {
    if !is_written_since(file, request.since) {
        return false;
    }
    let first = first_line(file).unwrap_or_default();
    let Ok(line) = serde_json::from_str::<Value>(&first) else { return false };
    let meta = &line["payload"];
    meta["cwd"].as_str().is_some_and(|cwd| Path::new(cwd) == request.directory)
        && millis(&meta["timestamp"]).is_some_and(|at| at >= request.since.millis())
}

/// Whether a file was written since then: the records of years need not be opened.
fn is_written_since(file: &Path, since: Timestamp) -> bool {
    let since = UNIX_EPOCH + Duration::from_millis(since.millis());
    fs::metadata(file).and_then(|file| file.modified()).is_ok_and(|written| written >= since)
}

fn codex_text(line: &Value) -> Option<String> {
    let item = &line["payload"];
    let is_own = line["type"] == "response_item" && item["type"] == "message" && item["role"] == "assistant";
    is_own.then(|| texts(&item["content"], "output_text")).flatten()
}

fn gemini_file(request: &LastMessageRequest) -> Option<PathBuf> {
    let session = request.conversation.as_ref()?.as_str();
    let short = session.get(..8)?;
    let projects = entries(&request.homes.gemini.join("tmp"));
    let chats = projects.iter().flat_map(|project| entries(&project.join("chats")));
    // The name contains only the beginning of the id; the first line has all of it.
    let named = chats.filter(|file| file.to_str().is_some_and(|file| file.contains(short)));
    let mut named = named.filter(|file| first_line(file).is_some_and(|line| line.contains(session)));
    named.next()
}

fn first_line(file: &Path) -> Option<String> {
    let mut line = String::new();
    BufReader::new(open_regular(file).ok()?.take(MAX_BYTES)).read_line(&mut line).ok()?;
    Some(line)
}

fn gemini_text(line: &Value) -> Option<String> {
    let content = &line["content"];
    let text = || content.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    (line["type"] == "gemini").then(|| text().or_else(|| texts(content, ""))).flatten()
}

/// The texts of content blocks of a type; an empty type for blocks without one.
fn texts(blocks: &Value, kind: &str) -> Option<String> {
    let is_text = |block: &&Value| block["type"].as_str().unwrap_or_default() == kind;
    let blocks = blocks.as_array()?.iter().filter(is_text);
    let texts: Vec<_> = blocks.filter_map(|block| block["text"].as_str()).collect();
    Some(texts.join("\n")).filter(|text| !text.trim().is_empty())
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fugue_protocol::Timestamp;

    use super::super::AgentHomes;
    use super::*;

    const ID: &str = "01a1e3ac-27ea-7e11-b86a-0f8706035a60";

    fn write(path: &Path, lines: &[&str]) {
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, lines.join("\n")).expect("a file");
    }

    fn request(agent: &str, id: Option<&str>, home: &Path) -> LastMessageRequest {
        let homes = AgentHomes::new(|name| (name == "HOME").then(|| home.to_owned()));
        let since = millis(&"2026-11-16T09:00:00Z".into()).expect("a time");
        LastMessageRequest {
            agent: agent.to_owned(),
            conversation: id.map(|id| id.parse().expect("an id")),
            directory: "/proj".into(),
            since: Timestamp::from_millis(since),
            homes,
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
            let words = last_message(&request(agent, Some(ID), home.path()));
            assert_eq!(words, Some(Some(format!("hi {agent}"))));
        }
        assert_eq!(last_message(&request("codex", None, home.path())), Some(Some("hi codex".into())));
        assert_eq!(last_message(&request("claude", None, home.path())), Some(None), "it is not guessed");
        assert_eq!(last_message(&request("robot", Some(ID), home.path())), None);
    }

    #[test]
    fn a_thread_is_not_chosen_among_several_and_old_words_do_not_count() {
        let home = tempfile::tempdir().expect("a directory");
        let meta = r#"{"payload":{"cwd":"/proj","timestamp":"2026-11-16T09:24:56Z"}}"#;
        for name in ["a", "b"] {
            write(&home.path().join(format!(".codex/sessions/2026/11/16/rollout-{name}.jsonl")), &[meta]);
        }
        assert_eq!(codex_file(&request("codex", None, home.path())), None);
        let old = r#"{"type":"gemini","timestamp":"2026-11-15T09:24:56Z","content":"old"}"#;
        let first = format!(r#"{{"sessionId":"{ID}"}}"#);
        write(&home.path().join(".gemini/tmp/p/chats/session-01a1e3ac.jsonl"), &[&first, old]);
        assert_eq!(last_message(&request("gemini", Some(ID), home.path())), Some(None));
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
