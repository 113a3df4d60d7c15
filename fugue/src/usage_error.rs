//! Errors of the command line in the words of all other errors: what is wrong, then a hint.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What is wrong with a command line of these words, and what to do about it.
pub(crate) fn worded(error: &clap::Error, words: &[OsString]) -> String {
    let hint = hint(error).unwrap_or_else(|| help_hint(words));
    format!("{}\nhint: {hint}", message(error))
}

/// Where the command that the words name is described.
fn help_hint(words: &[OsString]) -> String {
    let command = (1..words.len()).find_map(|at| {
        let word = words[at].to_str()?;
        let is_value = matches!(words[at - 1].to_str(), Some("--server" | "--host"));
        (!is_value && !word.starts_with('-')).then_some(word)
    });
    match command {
        Some(command) => format!("`fugue {command} --help` describes the command"),
        None => "`fugue --help` lists the commands".to_owned(),
    }
}

fn message(error: &clap::Error) -> String {
    let argument =
        context(error, ContextKind::InvalidArg).map(|argument| name(&argument)).unwrap_or_default();
    let value = context(error, ContextKind::InvalidValue).unwrap_or_default();
    match error.kind() {
        ErrorKind::UnknownArgument if argument.starts_with('-') => format!("Unknown option: {argument}"),
        ErrorKind::UnknownArgument => format!("Unexpected argument: {argument}"),
        ErrorKind::MissingRequiredArgument if !argument.is_empty() => {
            let all = error.get(ContextKind::InvalidArg).map(names).unwrap_or_default();
            format!("Missing {}: {}", if all.len() == 1 { "argument" } else { "arguments" }, all.join(", "))
        }
        ErrorKind::InvalidValue if value.is_empty() => format!("{argument} needs a value"),
        ErrorKind::InvalidValue => format!("Invalid value for {argument}: {value}"),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            format!("Invalid value for {argument}: {}", reason(&argument, &value, &why))
        }
        ErrorKind::ArgumentConflict => match error.get(ContextKind::PriorArg).map(names) {
            Some(others) if others != [argument.as_str()] && !others.is_empty() => {
                format!("{argument} cannot be used with {}", others.join(", "))
            }
            _ => format!("{argument} is given more than once"),
        },
        _ => first_paragraph(error),
    }
}

fn hint(error: &clap::Error) -> Option<String> {
    let suggested =
        [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    if let Some(near) = suggested.iter().find_map(|kind| context(error, *kind)) {
        return Some(format!("did you mean `{}`?", name(&near)));
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            return Some(format!("use {}", either(values)));
        }
        _ => {}
    }
    let usage = context(error, ContextKind::Usage).unwrap_or_default();
    let usage = usage.trim().trim_start_matches("Usage:").trim();
    usage.lines().next().filter(|usage| !usage.is_empty()).map(|usage| format!("use `{}`", usage.trim()))
}

/// What is wrong with a value, as the reader of the value says it or, for numbers, better.
fn reason(argument: &str, value: &str, why: &str) -> String {
    let number = match argument.ends_with("-ms") {
        true => "must be a whole number of milliseconds, such as 30000",
        false => "must be a whole number",
    };
    let is_number = ["invalid digit", "cannot parse integer", "number too large", "number too small"];
    if is_number.iter().any(|begin| why.starts_with(begin)) {
        return format!("`{value}` {number}");
    }
    match why.strip_prefix(&format!("{value} is not in ")).and_then(|range| range.split_once("..=")) {
        Some((least, most)) => format!("`{value}` must be from {least} to {most}"),
        None => why.to_owned(),
    }
}

/// An argument without its value or the marks of usage: `--size <SIZE>` is `--size`.
fn name(argument: &str) -> String {
    let word = argument.split(' ').next().unwrap_or_default();
    word.trim_matches(|c| "<>[]".contains(c)).trim_end_matches("...").trim_end_matches('>').to_owned()
}

fn names(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::Strings(all) => all.iter().map(|argument| name(argument)).collect(),
        other => vec![name(&other.to_string())],
    }
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::Strings(all) => all.first().cloned(),
        ContextValue::None => None,
        value => Some(value.to_string()),
    }
}

/// Values in a sentence: `a, b or c`.
fn either(values: &[String]) -> String {
    match values.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => values.concat(),
    }
}

fn first_paragraph(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    text.split("\n\n").next().unwrap_or_default().lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        let parsed = crate::help::command_line().try_get_matches_from(&words);
        parsed.map_or_else(|error| worded(&error, &words), |_| String::new())
    }

    #[test]
    fn a_wrong_command_line_is_reported_like_any_other_error() {
        for (line, expected) in [
            ("fugue run", "Missing argument: COMMAND\nhint: use `fugue run <COMMAND>`"),
            ("fugue kill-session --sesion x", "Unknown option: --sesion\nhint: did you mean `--session`?"),
            ("fugue run make test", "Unexpected argument: test\nhint: use `fugue run [OPTIONS] <COMMAND>`"),
            (
                "fugue wait --timeout-ms abc",
                "Invalid value for --timeout-ms: `abc` must be a whole number of milliseconds, such as 30000\nhint: `fugue wait --help` describes the command",
            ),
            (
                "fugue attach --read-only --read-only",
                "--read-only is given more than once\nhint: use `fugue attach [OPTIONS] [SESSION]`",
            ),
            (
                "fugue split-pane --percent 100",
                "Invalid value for --percent: `100` must be from 1 to 99\nhint: `fugue split-pane --help` describes the command",
            ),
            (
                "fugue split-pane --percent 10 --cells 3",
                "--percent cannot be used with --cells\nhint: use `fugue create-pane --percent <PERCENT> [-- <WORDS>...]`",
            ),
        ] {
            assert_eq!(said(line), expected, "{line}");
        }
    }
}
