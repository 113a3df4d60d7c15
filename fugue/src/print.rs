//! Prints replies: the rendering for people, or the JSON as it came.

use std::io::{IsTerminal, Write};

use fugue_client::CallError;
use fugue_protocol::Timestamp;
use fugue_protocol::escape::{escape, escape_json, escape_lines, escape_output};
use fugue_protocol::render::{PrintContext, PrintedReply, Remark, Verdict};
use fugue_protocol::verbs::{Arguments, VerbInfo};
use serde_json::value::RawValue;

use crate::context::CommandFailure;

/// How this program prints for people.
pub(crate) const PEOPLE: PrintContext = PrintContext { clock };

/// Prints the reply to a call with these arguments, and decides the exit code.
pub(crate) fn reply(
    verb: &VerbInfo,
    reply: &RawValue,
    arguments: &Arguments,
    json: bool,
) -> Result<(), CommandFailure> {
    reply_with_text(verb, reply, None, arguments, json)
}

/// Prints a reply whose text may have come in a frame of its own.
pub(crate) fn reply_with_text(
    verb: &VerbInfo,
    reply: &RawValue,
    text: Option<String>,
    arguments: &Arguments,
    json: bool,
) -> Result<(), CommandFailure> {
    let printout = verb.for_people(reply.get(), arguments, &PEOPLE);
    let mut printout = printout.map_err(|why| CallError::Malformed(why.to_string()))?;
    if let Some(text) = text {
        printout.reply = PrintedReply::Verbatim(text);
    }
    if json {
        print(&escape_json(reply.get()));
    } else {
        print_reply(&printout.reply)?;
        printout.remarks.iter().for_each(print_remark);
    }
    match printout.verdict {
        Verdict::Success => Ok(()),
        Verdict::Failure { exit_code, reason } => {
            if let Some(reason) = reason {
                let _ = writeln!(std::io::stderr(), "fugue: {}", escape_lines(&reason));
            }
            Err(CommandFailure::ExitCode(exit_code))
        }
    }
}

/// A verb's reply as text that is safe to show on a screen.
pub(crate) fn text(verb: &str, reply: &RawValue) -> String {
    let verb = VerbInfo::find(verb);
    let printout = verb.map(|verb| verb.for_people(reply.get(), &Arguments::new(), &PEOPLE));
    match printout {
        Some(Ok(printout)) => printout.reply.escaped().into_owned(),
        Some(Err(why)) => why.to_string(),
        None => String::new(),
    }
}

/// The time of day by this machine's clock, with the date unless it is today's.
pub(crate) fn clock(at: Timestamp) -> String {
    let millis = i64::try_from(at.millis()).unwrap_or_default();
    let time = chrono::DateTime::from_timestamp_millis(millis).unwrap_or_default();
    dated(time.with_timezone(&chrono::Local).naive_local(), chrono::Local::now().date_naive())
}

fn dated(time: chrono::NaiveDateTime, today: chrono::NaiveDate) -> String {
    let format = if time.date() == today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    time.format(format).to_string()
}

fn print_reply(reply: &PrintedReply) -> Result<(), CommandFailure> {
    match reply {
        PrintedReply::Text(_) | PrintedReply::Nothing(_) => print_text(reply),
        // A terminal would obey or misplace what a file or a pipe takes as it is.
        PrintedReply::Verbatim(text) if std::io::stdout().is_terminal() => print(&escape_output(text)),
        PrintedReply::Verbatim(text) => print(text),
        PrintedReply::File(bytes) => return print_file(bytes),
    }
    Ok(())
}

/// Prints text of fugue's own.
pub(crate) fn print_text(reply: &PrintedReply) {
    if !matches!(reply, PrintedReply::Nothing(_)) || std::io::stdout().is_terminal() {
        print(&reply.escaped());
    }
}

fn print(text: &str) {
    if !text.is_empty() {
        let newline = if text.ends_with('\n') { "" } else { "\n" };
        // A reader that has gone away has read enough.
        let _ = write!(std::io::stdout().lock(), "{text}{newline}");
    }
}

/// A binary file goes to a file or a pipe; on a terminal it would be noise.
fn print_file(bytes: &[u8]) -> Result<(), CommandFailure> {
    let mut out = std::io::stdout().lock();
    if out.is_terminal() {
        let why =
            "Cannot print a PNG to a terminal\nhint: redirect it: `fugue screenshot --format png > pane.png`";
        return Err(CallError::Local(why.into()).into());
    }
    let _ = out.write_all(bytes);
    Ok(())
}

fn print_remark(remark: &Remark) {
    if !remark.people_only || std::io::stderr().is_terminal() {
        let _ = writeln!(std::io::stderr(), "fugue: {}", escape(&remark.text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_on_another_day_has_its_date() {
        let day = |day| chrono::NaiveDate::from_ymd_opt(2026, 11, day).unwrap();
        let time = day(15).and_hms_opt(9, 5, 0).unwrap();
        assert_eq!(dated(time, day(15)), "09:05:00");
        assert_eq!(dated(time, day(14)), "2026-11-15 09:05:00");
    }
}
