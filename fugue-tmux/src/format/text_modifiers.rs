//! The modifiers of a text: lengths, padding, substitution, paths, quotes and times.

use chrono::{Local, TimeZone};
use regex::RegexBuilder;

use super::modifiers::Modifier;
use super::{BYTES, truncated};

/// The time format of `#{t:…}`.
const TIME: &str = "%a %b %e %H:%M:%S %Y";

/// The order in which modifiers are applied, however they are written.
const ORDER: [&str; 10] = ["a", "t", "b", "d", "q", "s", "=", "p", "n", "w"];

/// Applies the modifiers of a text.
pub(super) fn all_applied(modifiers: &[Modifier], value: String, now: i64) -> String {
    let ordered =
        ORDER.iter().flat_map(|name| modifiers.iter().filter(move |modifier| modifier.name == *name));
    ordered.fold(value, |value, modifier| applied(modifier, value, now))
}

fn applied(modifier: &Modifier, value: String, now: i64) -> String {
    match modifier.name.as_str() {
        "=" => limited(modifier, value),
        "p" => padded(modifier.argument(0), value),
        "n" => value.len().to_string(),
        "w" => value.chars().count().to_string(),
        "b" => value.rsplit('/').next().unwrap_or_default().to_owned(),
        "d" => directory(&value),
        "q" => quoted(modifier.argument(0), &value),
        "a" => {
            let code = value.parse::<u8>().ok().filter(|code| (32..127).contains(code));
            code.map(|code| char::from(code).to_string()).unwrap_or_default()
        }
        "s" => substituted(modifier, value),
        "t" => told(modifier, &value, now),
        _ => value,
    }
}

/// `#{=5:…}` keeps the beginning, `#{=-5:…}` the end; `#{=/5/...:…}` marks what was cut.
fn limited(modifier: &Modifier, value: String) -> String {
    let Ok(limit) = modifier.argument(0).parse::<i64>() else { return value };
    let (most, count) = (usize::try_from(limit.unsigned_abs()).unwrap_or(BYTES), value.chars().count());
    if count <= most || limit == 0 {
        return value;
    }
    let mark = modifier.argument(1);
    match limit > 0 {
        true => value.chars().take(most).collect::<String>() + mark,
        false => mark.to_owned() + &value.chars().skip(count - most).collect::<String>(),
    }
}

/// `#{p10:…}` adds blanks at the end, `#{p-10:…}` at the beginning.
fn padded(width: &str, value: String) -> String {
    let width: i64 = width.parse().unwrap_or_default();
    let most = usize::try_from(width.unsigned_abs()).unwrap_or(BYTES).min(usize::from(u16::MAX));
    match width < 0 {
        true => format!("{value:>most$}"),
        false => format!("{value:<most$}"),
    }
}

fn directory(path: &str) -> String {
    match path.rsplit_once('/') {
        _ if path.is_empty() => String::new(),
        Some(("", _)) => "/".to_owned(),
        Some((directory, _)) => directory.to_owned(),
        None => ".".to_owned(),
    }
}

/// Text for a shell, or for another format.
fn quoted(flags: &str, value: &str) -> String {
    if flags.contains('e') || flags.contains('h') {
        return value.replace('#', "##");
    }
    let special = |c: char| "|&;<>()$`\\\"'*?[# =%".contains(c);
    value.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

/// `#{s/pattern/replacement/i:…}`
fn substituted(modifier: &Modifier, value: String) -> String {
    let ignore_case = modifier.argument(2).contains('i');
    let Ok(pattern) = RegexBuilder::new(modifier.argument(0)).case_insensitive(ignore_case).build() else {
        return value;
    };
    // tmux writes groups as \1, and a dollar sign means itself.
    let replacement = modifier.argument(1).replace('$', "$$");
    let groups = (0..=9)
        .fold(replacement, |text, group| text.replace(&format!("\\{group}"), &format!("${{{group}}}")));
    truncated(pattern.replace_all(&value, groups.as_str()).into_owned())
}

/// `#{t:…}`: a time as text; `#{t/f/%H#:%M:…}` in a format of one's own.
fn told(modifier: &Modifier, value: &str, now: i64) -> String {
    let Ok(seconds) = value.parse::<i64>() else { return String::new() };
    match modifier.argument(0) {
        "f" => time(seconds, &modifier.argument(1).replace("%%", "%")),
        flags if flags.contains('p') => time(seconds, recent_form(now - seconds)),
        _ => time(seconds, TIME),
    }
}

/// A short form of a time, given how many seconds ago it was.
fn recent_form(age: i64) -> &'static str {
    match age {
        ..86_400 => "%H:%M",
        86_400..2_419_200 => "%a%d",
        2_419_200..31_536_000 => "%d%b",
        _ => "%h%y",
    }
}

/// A format of strftime; one that is invalid is left as it is.
pub(super) fn time(seconds: i64, format: &str) -> String {
    use std::fmt::Write;
    let Some(at) = Local.timestamp_opt(seconds, 0).single() else { return format.to_owned() };
    let mut text = String::new();
    match write!(text, "{}", at.format(format)) {
        Ok(()) => truncated(text),
        Err(_) => format.to_owned(),
    }
}
