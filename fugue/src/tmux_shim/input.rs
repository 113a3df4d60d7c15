//! What is typed into panes, and what they show: `send-keys`, `capture-pane`, `clear-history`.

use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::{ClearHistory, GetOutput, Mode, SendInput};
use fugue_screen::keys::Key;

use super::flags::ShimFlags;
use super::places::pane_choice;
use super::shim::{Outcome, Shim};
use super::{buffers, clients};

/// The most times that `-N` repeats keys.
const REPEATS: usize = 1_000;

/// Lines that are read if all of the scrollback is wanted.
const ALL_LINES: usize = 1_000_000;

/// `send-keys`
pub(super) fn send_keys(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.pane(given)?;
    if given.has('X') {
        let words: Vec<_> = given.operands.iter().map(String::as_str).collect();
        return clients::in_client(shim, &format!("copy-mode {}", words.join(" ")));
    }
    let mut parts = Vec::new();
    if given.has('R') {
        shim.call(&ClearHistory { choice: pane_choice(at) })?;
    }
    let times = given.value('N').and_then(|times| times.parse().ok()).unwrap_or(1_usize).min(REPEATS);
    for _ in 0..times {
        for word in &given.operands {
            let word = if given.has('F') { shim.expand(word, at) } else { word.clone() };
            parts.push(typed(&word, given)?);
        }
    }
    for (text, keys) in grouped(parts) {
        send(shim, at, text, keys)?;
    }
    Ok(String::new())
}

/// A word of `send-keys`.
enum Typed {
    Text(String),
    Key(String),
}

fn typed(word: &str, given: &ShimFlags) -> Result<Typed, String> {
    if given.has('H') {
        let code = u32::from_str_radix(word.trim_start_matches("0x"), 16).ok().and_then(char::from_u32);
        return code.map(|c| Typed::Text(c.to_string())).ok_or_else(|| format!("invalid key: {word}"));
    }
    if let Some(code) = word.strip_prefix("0x").filter(|_| !given.has('l')) {
        let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
        if let Some(c) = code {
            return Ok(Typed::Text(c.to_string()));
        }
    }
    let is_key = !given.has('l') && word.chars().count() > 1 && word.parse::<Key>().is_ok();
    Ok(if is_key { Typed::Key(word.to_owned()) } else { Typed::Text(word.to_owned()) })
}

/// Text, and the keys after it: each is one call.
fn grouped(parts: Vec<Typed>) -> Vec<(String, Vec<String>)> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for part in parts {
        match (part, groups.last_mut()) {
            (Typed::Key(key), Some((_, keys))) => keys.push(key),
            (Typed::Key(key), None) => groups.push((String::new(), vec![key])),
            (Typed::Text(text), Some((before, keys))) if keys.is_empty() => *before += &text,
            (Typed::Text(text), _) => groups.push((text, Vec::new())),
        }
    }
    groups
}

fn send(shim: &mut Shim, at: TargetPlace, text: String, keys: Vec<String>) -> Result<(), String> {
    let input = Some(text).filter(|text| !text.is_empty());
    if input.is_none() && keys.is_empty() {
        return Ok(());
    }
    shim.call(&SendInput { choice: pane_choice(at), input, keys, ..SendInput::default() })?;
    Ok(())
}

/// `capture-pane`
pub(super) fn capture(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let at = shim.pane(given)?;
    let rows = i64::from(shim.views(at).2.dimensions.rows);
    let ansi = given.has('e');
    let read = |shim: &mut Shim, mode, lines| {
        let wanted =
            GetOutput { choice: pane_choice(at), mode: Some(mode), lines, ansi, ..GetOutput::default() };
        Ok::<_, String>(shim.call(&wanted)?.text)
    };
    let screen = read(shim, Mode::Screen, usize::try_from(rows).unwrap_or(usize::MAX))?;
    let screen: Vec<String> = screen.lines().map(str::to_owned).collect();
    let above: Vec<String> = match given.value('S') {
        Some(start) if start == "-" || start.starts_with('-') => {
            let all = read(shim, Mode::History, ALL_LINES)?;
            let all: Vec<String> = all.lines().map(str::to_owned).collect();
            let shown = screen.iter().rev().skip_while(|line| line.is_empty()).count();
            all[..all.len().saturating_sub(shown)].to_vec()
        }
        _ => Vec::new(),
    };
    let text = lines_between(&above, &screen, given, rows)?;
    if given.has('p') {
        return Ok(text);
    }
    buffers::store(shim, given.value('b'), &(text + "\n"))
}

/// The lines from `-S` to `-E`, where 0 is the first row of the screen and those above it are negative.
fn lines_between(
    above: &[String],
    screen: &[String],
    given: &ShimFlags,
    rows: i64,
) -> Result<String, String> {
    let first = -i64::try_from(above.len()).unwrap_or_default();
    let bound = |letter: char, usual: i64, extreme: i64| match given.value(letter) {
        None => Ok(usual),
        Some("-") => Ok(extreme),
        Some(number) => number.parse::<i64>().map_err(|_| format!("invalid line number: {number}")),
    };
    let (start, end) = (bound('S', 0, first)?, bound('E', rows - 1, rows - 1)?);
    let empty = String::new();
    let line = |at: i64| match usize::try_from(at) {
        Ok(row) => screen.get(row).unwrap_or(&empty),
        Err(_) => above.get(usize::try_from(at - first).unwrap_or(usize::MAX)).unwrap_or(&empty),
    };
    let lines: Vec<_> = (start.max(first)..=end.min(rows - 1)).map(line).map(String::as_str).collect();
    Ok(lines.join("\n"))
}

/// `clear-history`
pub(super) fn clear_history(shim: &mut Shim, given: &ShimFlags) -> Outcome {
    let choice = pane_choice(shim.pane(given)?);
    shim.call(&ClearHistory { choice })?;
    Ok(String::new())
}
