//! Pane output as text: one header line, then the rows. Of long output the newest rows are kept, and the header says what
//! was cut.

use super::{ForModel, ModelContent, TextBudget};
use crate::views::{CommandView, Life, PaneOutput};

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
    let (cut, text) = budget.tail(&output.text);
    let from = output.from_line + cut as u64;
    let mut header = vec![format!("pane {}", output.pane_id), state(output)];
    header.extend(output.command.as_ref().map(command));
    match output.matches {
        Some(1) => header.push("1 line matches".into()),
        Some(matches) => header.push(format!("{matches} lines match")),
        None if from >= output.to_line => header.push(format!("no lines ({} in total)", output.to_line)),
        None => header.push(format!("lines {}-{} of {}", from + 1, output.to_line, output.to_line)),
    }
    header.push(format!("next {}", output.cursor));
    header.extend(output.note.clone());
    if output.lines_missing > 0 {
        header.push(format!("{} earlier lines not shown", output.lines_missing + cut as u64));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaneId;
    use crate::views::ExitStatus;

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
    fn the_header_says_that_there_are_no_rows() {
        let text = render(&output(""), TextBudget::DEFAULT);
        assert!(text.ends_with(" · running · no lines (10 in total) · next 10:0\n"), "{text}");
    }

    #[test]
    fn the_header_says_where_the_rows_come_from() {
        let text = render(&output("a\nb"), TextBudget::DEFAULT);
        let header = "pane 07070707-0707-0707-0707-070707070707 · running · lines 11-12 of 12 · next 12:0";
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
        assert!(body.ends_with("line 998\nline 999") && body.starts_with("line "), "{body}");
        let cut = header.split("· ").find_map(|part| part.strip_suffix(" older lines cut ")).unwrap();
        let from = 10 + cut.parse::<u64>().unwrap();
        assert!(header.ends_with(&format!(" · earlier: before {from}:0")), "{header}");
    }
}
