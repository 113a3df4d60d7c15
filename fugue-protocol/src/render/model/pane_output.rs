//! A pane for a model: its picture, or its output as text, which is one header line and then the rows. Of long output the
//! newest rows are kept, and the header says what was cut and how to read it.

use super::{ForModel, ModelContent, TextBudget};
use crate::text_tail::{TextTail, amount};
use crate::verbs::{Format, Mode, OutputCursor};
use crate::views::{CommandView, Life, PaneOutput, Picture};

/// The length limit of a command in the header.
const MAX_COMMAND: usize = 80;

impl ForModel for PaneOutput {
    const AS_TEXT: bool = true;

    fn for_model(&self, budget: TextBudget) -> Option<ModelContent> {
        Some(ModelContent::Text(render(self, budget)))
    }
}

/// Renders the header and the rows.
fn render(output: &PaneOutput, budget: TextBudget) -> String {
    let start = output.start.clone().unwrap_or_else(|| format!("{}:0", output.from_line));
    let tail = budget.tail(output.text.strip_suffix('\n').unwrap_or(&output.text), &start);
    let mut header = vec![format!("pane {}", output.pane_id), state(output)];
    header.extend(output.command.as_ref().map(command));
    header.push(shown(output, &tail));
    header.push(format!("next {}", output.cursor));
    header.extend(output.note.clone());
    let (lines, bytes) = (output.lines_missing + tail.lines, output.bytes_missing + tail.bytes);
    if lines + bytes > 0 {
        header.push(format!("{} before this not shown", amount(lines, bytes)));
    }
    header.extend(earlier(output, &tail).map(|cursor| format!("earlier: before {cursor}")));
    header.extend(output.dropped.as_ref().map(ToString::to_string));
    format!("{}\n{}", header.join(" · "), tail.text)
}

/// Which rows, lines or matches are shown.
fn shown(output: &PaneOutput, tail: &TextTail<'_>) -> String {
    let from = output.from_line + tail.lines;
    match (output.matches, output.mode) {
        (Some(1), _) => "1 line matches".into(),
        (Some(matches), _) => format!("{matches} lines match"),
        (None, Mode::Screen) if output.full_screen => "screen of a full-screen program".into(),
        (None, _) if from >= output.to_line && output.dropped.is_some() => "no lines".into(),
        (None, _) if from >= output.to_line => format!("no lines ({} in total)", output.to_line),
        (None, Mode::Screen) => format!("screen, lines {}-{}", from + 1, output.to_line),
        (None, _) => format!("lines {}-{}", from + 1, output.to_line),
    }
}

/// The cursor before which there is more: of matches, that of the first one shown.
fn earlier(output: &PaneOutput, tail: &TextTail<'_>) -> Option<OutputCursor> {
    if tail.bytes == 0 && output.start.is_none() {
        return None;
    }
    if output.matches.is_none() {
        return (!(output.full_screen && output.mode == Mode::Screen)).then_some(tail.start);
    }
    tail.text.lines().find_map(|row| row.split_once([' '])?.0.trim_end_matches([':', '-']).parse().ok())
}

fn state(output: &PaneOutput) -> String {
    match (output.state, output.exit) {
        (_, Some(exit)) => format!("ended, {exit}"),
        (Life::Lost, None) => "lost".into(),
        _ => "running".into(),
    }
}

/// The command that wrote the output, and how it ended.
fn command(command: &CommandView) -> String {
    let line: String = command.line.lines().next().unwrap_or_default().chars().take(MAX_COMMAND).collect();
    let how = match (command.running, command.exit_code) {
        (true, _) => "still running".into(),
        (false, Some(code)) => format!("exit {code}"),
        (false, None) => "ended".into(),
    };
    let long = command.duration_ms.map(|long| format!(" after {:.1} s", long as f64 / 1000.0));
    // Without prompt marks the command is not known.
    let line = if line.is_empty() { "last command".into() } else { format!("`{line}`") };
    format!("{line}: {how}{}", long.unwrap_or_default())
}

/// The size limit of an image. It costs a model by its area, not its bytes, but clients reject very large ones.
const MAX_IMAGE: usize = 1 << 20;

/// A picture is shown whole or not at all.
impl ForModel for Picture {
    const AS_TEXT: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        let (bytes, pane) = (self.content.len(), self.pane_id.short());
        if self.format == Format::Png && bytes <= MAX_IMAGE {
            return Some(ModelContent::Png(self.content.clone()));
        }
        if TextBudget::MAX.allows(bytes) {
            return Some(ModelContent::Text(self.content.clone()));
        }
        Some(ModelContent::Error(format!(
            "The picture is too large to show: {bytes} bytes\n\
             hint: use format \"text\", or save it to a file in a shell: fugue screenshot -t {pane} > picture.svg"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaneId;
    use crate::views::{DroppedOutput, ExitStatus};

    fn output(text: &str) -> PaneOutput {
        let lines = text.lines().count() as u64;
        PaneOutput {
            pane_id: PaneId::from_bytes([7; 16]),
            mode: Mode::History,
            full_screen: false,
            text: text.into(),
            from_line: 10,
            to_line: 10 + lines,
            oldest_line: 0,
            cursor: format!("{}:0", 10 + lines),
            start: None,
            matches: None,
            command: None,
            lines_missing: 0,
            bytes_missing: 0,
            dropped: None,
            note: None,
            commands: Vec::new(),
            screen: None,
            state: Life::Running,
            exit: None,
        }
    }

    #[test]
    fn the_header_says_that_there_are_no_rows() {
        let text = render(&output(""), TextBudget::DEFAULT);
        assert!(text.ends_with(" · running · no lines (10 in total) · next 10:0\n"), "{text}");
    }

    #[test]
    fn the_header_says_where_the_rows_come_from() {
        let text = render(&output("a\nb"), TextBudget::DEFAULT);
        let header = "pane 07070707-0707-0707-0707-070707070707 · running · lines 11-12 · next 12:0";
        assert_eq!(text, format!("{header}\na\nb"));
    }

    #[test]
    fn an_unknown_command_is_called_the_last_command() {
        let view = CommandView { line: String::new(), running: false, exit_code: Some(3), duration_ms: None };
        assert_eq!(command(&view), "last command: exit 3");
        assert_eq!(command(&CommandView { line: "make".into(), ..view }), "`make`: exit 3");
    }

    #[test]
    fn the_header_of_an_ended_pane_has_its_exit_code() {
        let ended = PaneOutput { state: Life::Exited, exit: Some(ExitStatus::Code(3)), ..output("a") };
        assert!(render(&ended, TextBudget::DEFAULT).contains("· ended, exit code 3 ·"));
    }

    #[test]
    fn the_header_has_the_command_with_its_exit_code_and_duration() {
        let make = |running, duration_ms| {
            let command =
                CommandView { line: "make".into(), running, exit_code: (!running).then_some(2), duration_ms };
            render(&PaneOutput { command: Some(command), ..output("a") }, TextBudget::DEFAULT)
        };
        assert!(make(false, Some(1_250)).contains("· `make`: exit 2 after 1.2 s ·"));
        assert!(make(false, None).contains("· `make`: exit 2 ·"));
        assert!(make(true, Some(61_000)).contains("· `make`: still running after 61.0 s ·"));
    }

    #[test]
    fn the_newest_lines_are_kept_and_the_header_counts_the_others() {
        let text: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let shown = render(&output(text.trim_end()), TextBudget(100));
        let (header, body) = shown.split_once('\n').unwrap();
        let rows = body.lines().count() as u64;
        assert!(body.starts_with(&format!("line {}\n", 1000 - rows)) && body.ends_with("line 999"), "{body}");
        let (lines, bytes) = (1000 - rows, text.trim_end().len() - body.len());
        let cut = format!(
            " · {lines} lines ({bytes} bytes) before this not shown · earlier: before {}:0",
            10 + lines
        );
        assert!(header.ends_with(&cut), "{header}");
    }

    #[test]
    fn of_a_long_line_the_end_is_kept_and_the_cursor_before_it_given() {
        let mut long = output(&format!("{}{}", "a".repeat(900), "b".repeat(100)));
        let header = |output: &PaneOutput| {
            let text = render(output, TextBudget(100));
            let (header, body) = text.split_once('\n').unwrap();
            assert_eq!(body, "b".repeat(100));
            header.split(" · ").skip(4).map(str::to_owned).collect::<Vec<_>>().join(" · ")
        };
        assert_eq!(header(&long), "900 bytes before this not shown · earlier: before 10:900");
        long.start = Some("10:50".into());
        assert_eq!(header(&long), "900 bytes before this not shown · earlier: before 10:950");
    }

    #[test]
    fn earlier_matches_are_before_the_first_one_shown() {
        let found = PaneOutput {
            matches: Some(9),
            start: Some("3:4".into()),
            ..output("3:4: a\n--\n9:17: b\n12:0: c")
        };
        let header = |budget| render(&found, TextBudget(budget)).lines().next().unwrap().to_owned();
        assert!(
            header(100).ends_with(" · 9 lines match · next 14:0 · earlier: before 3:4"),
            "{}",
            header(100)
        );
        assert!(
            header(20).ends_with("1 line (7 bytes) before this not shown · earlier: before 9:17"),
            "{}",
            header(20)
        );
    }

    #[test]
    fn the_header_counts_output_that_is_no_longer_kept() {
        let dropped = DroppedOutput {
            lines: 2113,
            before: "2114:0".into(),
            reason: Some("history_lines = 10000".into()),
        };
        let described = format!(" · {dropped}");
        let found = PaneOutput { matches: Some(0), dropped: Some(dropped), ..output("") };
        let header = |output| render(&output, TextBudget::DEFAULT).lines().next().unwrap().to_owned();
        let none = header(found.clone());
        assert!(none.contains(" · 0 lines match · ") && none.ends_with(&described), "{none}");
        let read = header(PaneOutput { matches: None, ..found });
        assert!(read.contains(" · no lines · ") && read.ends_with(&described), "{read}");
    }

    #[test]
    fn the_screen_of_a_full_screen_program_is_named() {
        let editor = PaneOutput { full_screen: true, mode: Mode::Screen, to_line: 10, ..output("~\n~") };
        let text = render(&editor, TextBudget::DEFAULT);
        assert!(text.contains(" · running · screen of a full-screen program · next 12:0\n~\n~"), "{text}");
    }
}
