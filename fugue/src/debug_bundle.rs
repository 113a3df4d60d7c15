//! `fugue debug-bundle`: one text file with what a bug report needs. It holds no output of programs, no messages and
//! no values of variables: names, counts, versions and the daemon's log.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use fugue_client::{CallError, Connection, StartPolicy};
use fugue_protocol::escape::escape_lines;
use fugue_protocol::verbs::{GetServerStatus, ListSessions};
use serde::Serialize;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};
use crate::doctor;

/// The most of the log that is included, in bytes: its end, which tells what happened last.
const LOG_BYTES: u64 = 256 << 10;

/// The fields of a reply that can hold secrets or private text; their values are left out.
const PRIVATE: [&str; 8] = ["command", "argv", "metadata", "env", "environment", "title", "text", "detail"];

/// The command line.
pub(crate) fn command() -> Command {
    Command::new("debug-bundle")
        .about("Write diagnostics for a bug report, without secrets")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .default_value("fugue-debug.txt")
                .help("File to write; it must not exist yet"),
        )
        .after_help(
            "The file contains versions, check results, counts and the end of the daemon's log. Read it before you share \
             it.",
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let path = args.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    let mut file = create(&path)?;
    let text = bundle(&args);
    file.write_all(text.as_bytes()).map_err(|why| cannot_write(&path, &why))?;
    let path = escape_lines(&path.display().to_string()).into_owned();
    let _ = writeln!(std::io::stdout(), "Wrote {path}; read it before you share it");
    Ok(())
}

fn create(path: &Path) -> Result<File, CallError> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    created.map_err(|why| cannot_write(path, &why))
}

fn cannot_write(path: &Path, why: &std::io::Error) -> CallError {
    CallError::Local(format!("Cannot write {}: {why}\nhint: choose another file", path.display()))
}

fn bundle(args: &ArgMatches) -> String {
    let server = args.get_one::<String>("server").map(String::as_str);
    let checks: Vec<_> = doctor::checks(server).iter().map(doctor::check::Check::json).collect();
    let sections = [
        ("version", doctor::version()),
        ("checks", checks.iter().map(|check| format!("{check}\n")).collect()),
        ("daemon", daemon(args)),
        ("log", log(args)),
    ];
    sections.iter().map(|(name, text)| format!("== {name}\n{}\n\n", text.trim_end())).collect()
}

/// The daemon's status, and its sessions without private text.
fn daemon(args: &ArgMatches) -> String {
    let asked = context::open(args, StartPolicy::Never).and_then(|mut connection| {
        Ok([ask(&mut connection, &GetServerStatus {})?, ask(&mut connection, &ListSessions::default())?])
    });
    match asked {
        Ok(replies) => replies.iter().map(|reply| format!("{reply:#}\n")).collect(),
        Err(error) => error.message(),
    }
}

fn ask<V>(connection: &mut Connection, verb: &V) -> Result<Value, CallError>
where
    V: fugue_protocol::verbs::VerbSpec,
    V::Reply: Serialize,
{
    let reply = connection.call(verb)?;
    Ok(without_private(serde_json::to_value(reply).map_err(|why| CallError::Malformed(why.to_string()))?))
}

/// The same value without what may be private: the field stays, so that one sees that it was set.
fn without_private(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(fields.into_iter().map(redacted).collect()),
        Value::Array(items) => items.into_iter().map(without_private).collect(),
        other => other,
    }
}

fn redacted((name, value): (String, Value)) -> (String, Value) {
    let is_private = PRIVATE.contains(&name.as_str()) && !value.is_null();
    let value = if is_private { json!("(omitted)") } else { without_private(value) };
    (name, value)
}

/// The end of the daemon's log, in whole lines.
fn log(args: &ArgMatches) -> String {
    let read = |path: PathBuf| -> std::io::Result<String> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(LOG_BYTES).read_to_end(&mut bytes)?;
        Ok(escape_lines(&String::from_utf8_lossy(&bytes)).into_owned())
    };
    match context::paths(args).map(|paths| read(paths.state.join("log"))) {
        Ok(Ok(text)) => text,
        Ok(Err(why)) => format!("cannot be read: {why}"),
        Err(error) => error.message(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_metadata_and_titles_are_left_out_wherever_they_are() {
        let reply = json!({"sessions": [{"name": "work", "metadata": {"token": "s3cret"},
            "panes": [{"command": "curl -H s3cret", "title": "s3cret", "pid": 7}]}]});
        let shown = without_private(reply).to_string();
        assert!(!shown.contains("s3cret"), "{shown}");
        assert!(shown.contains("\"pid\":7") && shown.contains("\"name\":\"work\""), "{shown}");
    }
}
