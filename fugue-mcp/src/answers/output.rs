//! A pane's text for a model: one header line, then the rows. The tail is kept, and what was cut is said.

use fugue_protocol::views::{CommandView, Life, PaneOutput};

/// A command is shown so far.
const COMMAND: usize = 80;

/// How much text an answer may hold, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room(usize);

impl Room {
    /// Unless more is asked for: what a model reads without losing sight of its task.
    pub(crate) const USUAL: Self = Self(8 << 10);
    /// At most: above this, clients cut, and some of them keep the beginning.
    pub(crate) const MOST: Self = Self(24 << 10);

    /// Whether so many bytes fit.
    pub(crate) fn holds(self, bytes: usize) -> bool {
        bytes <= self.0
    }
}

/// The header and the rows.
pub(crate) fn rows(output: &PaneOutput, room: Room) -> String {
    let (cut, text) = tail(&output.text, room);
    let from = output.from_line + cut as u64;
    let mut header = vec![format!("pane {}", output.pane_id), state(output)];
    header.extend(output.command.as_ref().map(command));
    match output.matches {
        Some(matches) => header.push(format!("{matches} lines match")),
        None if from >= output.to_line => header.push(format!("no lines of {}", output.to_line)),
        None => header.push(format!("lines {}-{} of {}", from + 1, output.to_line, output.to_line)),
    }
    header.push(format!("next {}", output.cursor));
    header.extend(output.note.clone());
    if output.lines_missing > 0 {
        header.push(format!("{} lines before these are not shown", output.lines_missing + cut as u64));
    } else if cut > 0 {
        header.push(format!("{cut} older lines cut"));
    }
    if output.matches.is_none() && (cut > 0 || output.start.is_some()) {
        header.push(format!("earlier: before {from}:0"));
    }
    format!("{}\n{text}", header.join(" · "))
}

fn state(output: &PaneOutput) -> String {
    match (output.state, output.exit) {
        (_, Some(exit)) => format!("ended, {exit}"),
        (Life::Lost, None) => "lost".into(),
        _ => "running".into(),
    }
}

/// Which command wrote it, and how that ended.
fn command(command: &CommandView) -> String {
    let line: String = command.line.lines().next().unwrap_or_default().chars().take(COMMAND).collect();
    let how = match (command.running, command.exit_code) {
        (true, _) => "still runs".into(),
        (false, Some(code)) => format!("exit {code}"),
        (false, None) => "ended".into(),
    };
    let long = command.duration_ms.map(|long| format!(" after {:.1} s", long as f64 / 1000.0));
    // A shell that marks no prompts does not say what it runs.
    let line = if line.is_empty() { "the last command".into() } else { format!("`{line}`") };
    format!("{line} {how}{}", long.unwrap_or_default())
}

/// The newest whole lines that fit, and how many were left out before them. A single line too long keeps its end.
pub(super) fn tail(text: &str, room: Room) -> (usize, &str) {
    let room = room.0;
    if text.len() <= room {
        return (0, text);
    }
    let over = text.ceil_char_boundary(text.len() - room);
    let begin = text[over..].find('\n').map_or(over, |at| over + at + 1);
    let begin = if begin >= text.len() { over } else { begin };
    (text[..begin].matches('\n').count(), &text[begin..])
}

#[cfg(test)]
mod tests {
    use fugue_protocol::PaneId;
    use fugue_protocol::views::ExitStatus;

    use super::*;

    fn output(text: &str) -> PaneOutput {
        let lines = text.lines().count() as u64;
        PaneOutput {
            pane_id: PaneId::from_bytes([7; 16]),
            text: text.into(),
            from_line: 10,
            to_line: 10 + lines,
            oldest_line: 0,
            cursor: format!("{}:0", 10 + lines),
            start: None,
            matches: None,
            command: None,
            lines_missing: 0,
            note: None,
            state: Life::Running,
            exit: None,
        }
    }

    #[test]
    fn no_rows_are_said_to_be_none() {
        let text = rows(&output(""), Room::USUAL);
        assert!(text.ends_with(" · running · no lines of 10 · next 10:0\n"), "{text}");
    }

    #[test]
    fn one_line_says_where_the_rows_come_from() {
        let text = rows(&output("a\nb"), Room::USUAL);
        let header = "pane 07070707-0707-0707-0707-070707070707 · running · lines 11-12 of 12 · next 12:0";
        assert_eq!(text, format!("{header}\na\nb"));
    }

    #[test]
    fn a_command_that_nobody_named_has_no_empty_name() {
        let view = CommandView { line: String::new(), running: false, exit_code: Some(3), duration_ms: None };
        assert_eq!(command(&view), "the last command exit 3");
        assert_eq!(command(&CommandView { line: "make".into(), ..view }), "`make` exit 3");
    }

    #[test]
    fn an_end_is_told_with_its_code() {
        let ended = PaneOutput { state: Life::Exited, exit: Some(ExitStatus::Code(3)), ..output("a") };
        assert!(rows(&ended, Room::USUAL).contains("· ended, exit code 3 ·"));
    }

    #[test]
    fn a_command_is_told_with_its_end_and_how_long_it_took() {
        let make = |running, duration_ms| {
            let command =
                CommandView { line: "make".into(), running, exit_code: (!running).then_some(2), duration_ms };
            rows(&PaneOutput { command: Some(command), ..output("a") }, Room::USUAL)
        };
        assert!(make(false, Some(1_250)).contains("· `make` exit 2 after 1.2 s ·"));
        assert!(make(false, None).contains("· `make` exit 2 ·"));
        assert!(make(true, Some(61_000)).contains("· `make` still runs after 61.0 s ·"));
    }

    #[test]
    fn the_newest_lines_are_kept_and_the_cut_is_said() {
        let text: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let shown = rows(&output(text.trim_end()), Room(100));
        let (header, body) = shown.split_once('\n').unwrap();
        assert!(body.ends_with("line 998\nline 999") && body.starts_with("line "), "{body}");
        let cut = header.split("· ").find_map(|part| part.strip_suffix(" older lines cut ")).unwrap();
        let from = 10 + cut.parse::<u64>().unwrap();
        assert!(header.ends_with(&format!(" · earlier: before {from}:0")), "{header}");
    }

    #[test]
    fn a_line_longer_than_the_room_keeps_its_end() {
        let (cut, kept) = tail("aaaaaaaéé", Room(3));
        assert_eq!((cut, kept), (0, "é"));
    }
}
