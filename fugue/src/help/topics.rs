//! `fugue help TOPIC`: what concerns several commands.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;

use clap::{Arg, Command};
use fugue_client::CallError;
use fugue_protocol::refusal::nearest;

use super::{command_line, width};
use crate::context::{self, CommandFailure};

/// The topics: name and text. The first line of a text says what it is about. A line that begins with two blanks is a
/// row: a term and, after `|`, what it means.
const TOPICS: [(&str, &str); 6] = [
    ("targets", include_str!("topics/targets.txt")),
    ("formats", include_str!("topics/formats.txt")),
    ("scopes", include_str!("topics/scopes.txt")),
    ("exit-codes", include_str!("topics/exit-codes.txt")),
    ("environment", include_str!("topics/environment.txt")),
    ("keys", include_str!("topics/keys.txt")),
];

/// The widest column of terms; what a longer one means stands below it.
const WIDEST_TERM: usize = 24;

/// The command line of `fugue help`.
pub(crate) fn command() -> Command {
    let about = Arg::new("about").value_name("TOPIC").num_args(0..).help("A topic or a command");
    Command::new("help").about("Explain targets, formats, scopes, keys and more").arg(about)
}

/// Prints a topic, or the help of a command. Without either, it lists the topics.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let about: Vec<_> = args.get_many::<String>("about").into_iter().flatten().map(String::as_str).collect();
    let Some(name) = about.first() else {
        print(&list(width::of_output()));
        return Ok(());
    };
    if let Some((_, text)) = TOPICS.iter().find(|(topic, _)| topic == name) {
        print(&laid_out(text, width::of_output()));
        return Ok(());
    }
    let is_known = command_line().find_subcommand(name).is_some();
    if !is_known {
        return Err(CallError::Local(unknown(name)).into());
    }
    let words = ["fugue"].into_iter().chain(about).chain(["--help"]);
    Ok(command_line().try_get_matches_from(words).map(drop)?)
}

/// Every topic, and their list, for a terminal of this width.
#[cfg(test)]
pub(super) fn all(width: usize) -> Vec<(String, String)> {
    let topics = TOPICS.iter().map(|(name, text)| ((*name).to_owned(), laid_out(text, width)));
    topics.chain([("fugue help".to_owned(), list(width))]).collect()
}

fn print(text: &str) {
    // A reader that has gone away has read enough.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn unknown(name: &str) -> String {
    let commands = command_line();
    let names = TOPICS.iter().map(|(topic, _)| *topic);
    let names = names.chain(commands.get_subcommands().map(Command::get_name));
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `fugue help {near}`?"),
        None => "`fugue help` lists the topics, and `fugue --help` the commands".to_owned(),
    };
    format!("No such topic or command: {name}\nhint: {hint}")
}

fn list(width: usize) -> String {
    let rows = TOPICS.iter().map(|(name, text)| {
        let about = text.lines().next().unwrap_or_default().trim_end_matches('.');
        format!("  {name}|{about}\n")
    });
    let rows: String = rows.collect();
    let text = format!(
        "`fugue help TOPIC` explains what concerns several commands, and `fugue help COMMAND` describes a command.\n\n\
         Topics:\n{rows}\n`fugue --help` lists the commands."
    );
    laid_out(&text, width)
}

/// A text wrapped to this width. The terms of rows that follow each other form a column.
fn laid_out(text: &str, width: usize) -> String {
    let (mut out, mut rows) = (String::new(), Vec::new());
    for line in text.lines() {
        if let Some(row) = line.strip_prefix("  ") {
            rows.push(row.split_once('|').unwrap_or((row, "")));
            continue;
        }
        add_rows(&mut out, &std::mem::take(&mut rows), width);
        let _ = writeln!(out, "{}", fugue_tui::wrapped(line, width).join("\n"));
    }
    add_rows(&mut out, &rows, width);
    out
}

fn add_rows(out: &mut String, rows: &[(&str, &str)], width: usize) {
    let lengths = rows.iter().map(|(term, _)| term.chars().count());
    let column = lengths.filter(|length| *length <= WIDEST_TERM).max().unwrap_or_default();
    for (term, meaning) in rows {
        let fits = term.chars().count() <= column;
        if !fits || meaning.is_empty() {
            let _ = writeln!(out, "  {term}");
        }
        let meanings = fugue_tui::wrapped(meaning, width.saturating_sub(column + 4).max(20));
        for (number, line) in meanings.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            let term = if number == 0 && fits { term } else { "" };
            let _ = writeln!(out, "  {term:column$}  {line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_form_a_column_and_a_long_one_stands_above_its_meaning() {
        let text = "See:\n  a|first of all\n  bcd|second\n  a-very-long-term-of-a-topic|third";
        let expected =
            "See:\n  a    first of all\n  bcd  second\n  a-very-long-term-of-a-topic\n       third\n";
        assert_eq!(laid_out(text, 40), expected);
    }

    #[test]
    fn every_key_in_the_topic_is_bound() {
        let (_, text) = TOPICS.iter().find(|(name, _)| *name == "keys").expect("the topic");
        let bound = fugue_tui::default_key_list();
        for key in text.lines().filter_map(|line| line.strip_prefix("  C-b ")?.split('|').next()) {
            let is_bound = bound.iter().any(|listed| listed.table == "prefix" && listed.key == key);
            assert!(is_bound, "C-b {key} is not bound");
        }
    }

    #[test]
    fn a_mistyped_topic_names_the_nearest_one() {
        assert_eq!(
            unknown("target"),
            "No such topic or command: target\nhint: did you mean `fugue help targets`?"
        );
    }
}
