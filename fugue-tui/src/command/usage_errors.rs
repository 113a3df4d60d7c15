//! What is wrong with the arguments of a command, in a short sentence: the parser's own is written for a terminal of its
//! own, with several lines.

use std::error::Error;
use std::num::{IntErrorKind, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use fugue_protocol::wording::capitalized;

/// Describes an error of a command's arguments.
pub(super) fn usage_error(command: &str, why: &clap::Error) -> String {
    let one = |kind| match why.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let argument = one(ContextKind::InvalidArg).map(bare);
    let value = one(ContextKind::InvalidValue).filter(|value| !value.is_empty());
    match (why.kind(), argument, value) {
        (ErrorKind::UnknownArgument, Some(word), _) => {
            let near = one(ContextKind::SuggestedArg).map(|near| format!("; did you mean `{near}`?"));
            let what = if word.starts_with('-') { "option" } else { "argument" };
            format!("`{command}` has no {what} `{word}`{}", near.unwrap_or_default())
        }
        (ErrorKind::InvalidValue, Some(word), Some(value)) => {
            format!("Invalid value `{value}` for {word}{}", valid_values(why))
        }
        (ErrorKind::InvalidValue, Some(word), None) => format!("`{command} {word}` needs a value"),
        (ErrorKind::ValueValidation, Some(word), Some(value)) => {
            let reason = why.source().map(|source| format!(": {}", reason(source))).unwrap_or_default();
            format!("Invalid value `{value}` for {word}{reason}")
        }
        (ErrorKind::MissingRequiredArgument, ..) => format!("`{command}` needs {}", missing(why)),
        (ErrorKind::ArgumentConflict, Some(word), _) => match one(ContextKind::PriorArg) {
            Some(other) => format!("{word} and {} cannot be used together", bare(other)),
            None => format!("{word} can be used only once"),
        },
        _ => first_line(why),
    }
}

/// Why a value is invalid. The standard library's words for numbers are for programmers.
fn reason(source: &(dyn Error + 'static)) -> String {
    match source.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow) => "the number is too large".into(),
        Some(IntErrorKind::NegOverflow) => "the number is too small".into(),
        Some(_) => "not a number".into(),
        None => source.to_string(),
    }
}

/// An argument without the name of its value: `--by <CELLS>` is `--by`, `<NAME>` is NAME.
fn bare(argument: &str) -> &str {
    let first = argument.split_whitespace().next().unwrap_or_default();
    first.trim_start_matches(['<', '[']).trim_end_matches(['>', ']', '.'])
}

fn missing(why: &clap::Error) -> String {
    match why.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => {
            names.iter().map(|name| bare(name)).collect::<Vec<_>>().join(" and ")
        }
        _ => "more arguments".into(),
    }
}

fn valid_values(why: &clap::Error) -> String {
    match why.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => format!(": use {}", values.join(", ")),
        _ => String::new(),
    }
}

fn first_line(why: &clap::Error) -> String {
    let text = why.to_string();
    capitalized(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
}
