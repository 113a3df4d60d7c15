//! tmux's formats of the status line as parts of fugue's.

use fugue_config::StatusPart;
use toml::{Table, Value};

/// tmux's second status line: the panes of the window.
const PANES: &str = "#{P:#{?pane_active,#[reverse],} #P:#{pane_current_command} #[default]}";

/// Formats that are parts with a name.
const PARTS: [(&str, &str); 10] = [
    ("#S", "session"),
    ("[#S]", "session"),
    ("#{session_name}", "session"),
    ("[#{session_name}]", "session"),
    ("#H", "host"),
    ("#h", "host"),
    ("#{host}", "host"),
    ("#{host_short}", "host"),
    ("%H:%M", "clock"),
    ("%R", "clock"),
];

/// `status-left`: the list of windows follows it.
pub(super) fn left(format: &str) -> Option<Value> {
    Some(Value::Array(part(format).into_iter().chain(["windows".into()]).collect()))
}

/// `status-right`: agents that need the person are shown in any case.
pub(super) fn right(format: &str) -> Option<Value> {
    let usual = ["warnings", "agents", "messages"].map(Value::from);
    Some(Value::Array(usual.into_iter().chain(part(format)).collect()))
}

/// `status 2` and more: fugue has two lines, the second of which shows the panes as in tmux.
pub(super) fn second_line(count: &str) -> Option<Value> {
    ["2", "3", "4", "5"].contains(&count).then(|| sides([("center", PANES)]))
}

/// `status-format[1]`: the second line. `#[align=…]` divides it into sides.
pub(super) fn second_format(format: &str) -> Option<Value> {
    let mut texts = [("left", String::new()), ("center", String::new()), ("right", String::new())];
    let (mut side, mut rest) = (0, format);
    while let Some(at) = rest.find("#[") {
        let end = at + rest[at..].find(']')?;
        let words = rest[at + 2..end].split([',', ' ']);
        let align = words.filter_map(|word| word.strip_prefix("align=")).next_back();
        texts[side].1 += &rest[..at];
        side = match align {
            Some("left") => 0,
            Some("centre" | "absolute-centre") => 1,
            Some("right") => 2,
            _ => side,
        };
        texts[side].1 += &rest[at..=end];
        rest = &rest[end + 1..];
    }
    texts[side].1 += rest;
    let [left, center, right] = &texts;
    Some(sides([left, center, right].map(|(side, text)| (*side, text.as_str()))))
}

fn sides<const COUNT: usize>(texts: [(&str, &str); COUNT]) -> Value {
    let texts = texts.into_iter().filter_map(|(side, text)| Some((side.to_owned(), part(text)?)));
    Value::Table(texts.map(|(side, part)| (side, Value::Array(vec![part]))).collect::<Table>())
}

/// The part for a format; nothing if it shows nothing.
fn part(format: &str) -> Option<Value> {
    let text = format.trim();
    if text.is_empty() {
        return None;
    }
    if let Some((_, name)) = PARTS.iter().find(|(known, _)| *known == text) {
        return Some((*name).into());
    }
    let command = text.strip_prefix("#(").and_then(|rest| rest.strip_suffix(')'));
    if let Some(command) = command.filter(|command| !command.contains(['#', ')'])) {
        return Some(format!("!{command}").into());
    }
    Some(StatusPart::Text(text.to_owned()).to_toml())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_becomes_a_part_or_a_text() {
        for (format, part) in [
            ("[#S] ", "[\"session\", \"windows\"]"),
            ("", "[\"windows\"]"),
            ("#[fg=green]#H #{pane_id}", "[\"#[fg=green]#H #{pane_id}\", \"windows\"]"),
            ("#(uptime -p)", "[\"!uptime -p\", \"windows\"]"),
            ("#(a #S)", "[\"#(a #S)\", \"windows\"]"),
            ("tmux", "[{ text = \"tmux\" }, \"windows\"]"),
        ] {
            assert_eq!(left(format).map(|value| value.to_string()).as_deref(), Some(part), "{format}");
        }
        let shown = right("%d.%m. %H:%M").map(|value| value.to_string());
        assert_eq!(shown.as_deref(), Some("[\"warnings\", \"agents\", \"messages\", \"%d.%m. %H:%M\"]"));
    }

    #[test]
    fn the_second_line_is_divided_by_its_alignment() {
        let line =
            second_format("#[align=left]#H#[align=right fg=red]%H:%M:%S").map(|value| value.to_string());
        let expected = "{ left = [\"#[align=left]#H\"], right = [\"#[align=right fg=red]%H:%M:%S\"] }";
        assert_eq!(line.as_deref(), Some(expected));
        assert!(second_line("2").is_some_and(|value| value.to_string().contains("pane_current_command")));
        assert_eq!(second_line("on"), None);
    }
}
