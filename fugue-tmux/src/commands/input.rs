//! What is typed into panes, and what they show: `send-keys`, `capture-pane`, `clear-history`.

use fugue_protocol::targets::TargetPlace;
use fugue_protocol::verbs::{ClearHistory, GetOutput, Mode, OutputCursor, SendInput};
use fugue_protocol::views::PaneOutput;
use fugue_screen::keys::Key;

use super::{buffers, clients};
use crate::context::{LineContext, Outcome, pane_choice};
use crate::flags::Flags;

/// The most times that `-N` repeats keys.
const REPEATS: usize = 1_000;

/// Lines that are read if all of the scrollback is wanted.
const ALL_LINES: usize = 1_000_000;

/// `send-keys`
pub(super) async fn send_keys(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    if given.has('X') {
        let words: Vec<_> = given.operands.iter().map(String::as_str).collect();
        return clients::in_client(cx, &format!("copy-mode {}", words.join(" "))).await;
    }
    let mut parts = Vec::new();
    if given.has('R') {
        cx.call(&ClearHistory { choice: pane_choice(at) }).await?;
    }
    let times = given.value('N').and_then(|times| times.parse().ok()).unwrap_or(1_usize).min(REPEATS);
    for _ in 0..times {
        for word in &given.operands {
            let word = if given.has('F') { cx.expand(word, at).await? } else { word.clone() };
            parts.push(typed(&word, given)?);
        }
    }
    for (text, keys) in grouped(parts) {
        send(cx, at, text, keys).await?;
    }
    Ok(String::new())
}

/// A word of `send-keys`.
enum Typed {
    Text(String),
    Key(String),
}

fn typed(word: &str, given: &Flags) -> Result<Typed, String> {
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

async fn send(cx: &mut LineContext, at: TargetPlace, text: String, keys: Vec<String>) -> Result<(), String> {
    let input = Some(text).filter(|text| !text.is_empty());
    if input.is_none() && keys.is_empty() {
        return Ok(());
    }
    cx.call(&SendInput { choice: pane_choice(at), input, keys, ..SendInput::default() }).await?;
    Ok(())
}

/// `capture-pane`
pub(super) async fn capture(cx: &mut LineContext, given: &Flags) -> Outcome {
    let at = cx.pane(given)?;
    let rows = i64::from(cx.views(at).2.dimensions.rows);
    let read = GetOutput { choice: pane_choice(at), ansi: given.has('e'), ..GetOutput::default() };
    let lines = usize::try_from(rows).unwrap_or(usize::MAX);
    let screen = GetOutput { mode: Some(Mode::Screen), lines, screen_state: true, ..read.clone() };
    let shown = cx.call(&screen).await?;
    let screen: Vec<String> = shown.text.lines().map(str::to_owned).collect();
    let is_above =
        |letter, extreme| given.value(letter).is_some_and(|line| line.starts_with('-') && line != extreme);
    let above = match is_above('S', "") || is_above('E', "-") {
        true => lines_above(cx, read, &shown).await?,
        false => Vec::new(),
    };
    let text = lines_between(&above, &screen, given, rows);
    if given.has('p') {
        return Ok(text);
    }
    buffers::store(cx, given.value('b'), text.as_str().into()).await
}

/// The lines of the history above the screen. The last one may be the beginning of a line that continues on the screen.
async fn lines_above(cx: &LineContext, read: GetOutput, shown: &PaneOutput) -> Result<Vec<String>, String> {
    // The history of a full-screen program is what was above the screen before it began.
    let before = shown.start.as_ref().and_then(|start| start.parse::<OutputCursor>().ok());
    if before.is_none() && !shown.full_screen {
        return Ok(Vec::new());
    }
    let history = GetOutput { mode: Some(Mode::History), lines: ALL_LINES, before, ..read };
    let history = cx.call(&history).await?;
    let above = history.text.lines().map(str::to_owned);
    let count = shown.screen.and_then(|screen| screen.history_lines).filter(|_| shown.full_screen);
    Ok(above.take(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX)).collect())
}

/// The lines from `-S` to `-E`, where 0 is the first row of the screen and those above it are negative. As in tmux, a line
/// that is not there means the nearest one, and two bounds in the wrong order are swapped.
fn lines_between(above: &[String], screen: &[String], given: &Flags, rows: i64) -> String {
    let first = -i64::try_from(above.len()).unwrap_or_default();
    let bound = |letter: char, usual: i64, extreme: i64| match given.value(letter) {
        Some("-") => extreme,
        number => number.and_then(|number| number.parse().ok()).unwrap_or(usual).clamp(first, rows - 1),
    };
    let (start, end) = (bound('S', 0, first), bound('E', rows - 1, rows - 1));
    let line = |at: i64| match usize::try_from(at) {
        Ok(row) => screen.get(row),
        Err(_) => above.get(usize::try_from(at - first).unwrap_or(usize::MAX)),
    };
    let line = |at| line(at).map_or("\n".to_owned(), |line| format!("{line}\n"));
    (start.min(end)..=start.max(end)).map(line).collect()
}

/// `clear-history`
pub(super) async fn clear_history(cx: &mut LineContext, given: &Flags) -> Outcome {
    let choice = pane_choice(cx.pane(given)?);
    cx.call(&ClearHistory { choice }).await?;
    Ok(String::new())
}
