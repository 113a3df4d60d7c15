//! The result of a command as text: one header line, then its output.

use super::{ForModel, ModelContent, TextBudget};
use crate::text_tail::amount;
use crate::verbs::OutputCursor;
use crate::views::{RunOutcome, RunResult};

impl ForModel for RunResult {
    const AS_TEXT: bool = true;

    fn for_model(&self, budget: TextBudget) -> Option<ModelContent> {
        Some(ModelContent::Text(render(self, budget)))
    }
}

/// Renders the header and the output.
fn render(run: &RunResult, budget: TextBudget) -> String {
    let tail = budget.tail(&run.output, &run.start);
    let (lines, bytes) = (run.lines_missing + tail.lines, run.bytes_missing + tail.bytes);
    // The id of a pane that is closed is of no use.
    let pane = if run.pane_closed { "pane closed".into() } else { format!("pane {}", run.pane_id) };
    let mut header = vec![outcome(run), pane];
    header.push(format!("{:.1} s", run.elapsed_ms as f64 / 1000.0));
    if !run.pane_closed {
        header.push(format!("next {}", run.cursor));
    }
    if lines + bytes > 0 {
        header.push(format!(
            "{} before this not shown: {}",
            amount(lines, bytes),
            reading_hint(run, tail.start)
        ));
    }
    header.extend(run.dropped.as_ref().map(ToString::to_string));
    header.extend(advice(run).map(str::to_owned));
    format!("{}\n{}", header.join(" · "), tail.text)
}

/// How to read the output before this cursor.
fn reading_hint(run: &RunResult, start: OutputCursor) -> String {
    match run.pane_closed {
        false => format!("fugue_get_output with before {start}, or grep"),
        true => "run it in a shell pane (pane_id), with more lines, or into a file".into(),
    }
}

fn outcome(run: &RunResult) -> String {
    match (run.outcome, run.exit_code, run.signal) {
        (_, Some(code), _) => format!("exit {code}"),
        (_, _, Some(signal)) => format!("ended by signal {signal}"),
        (RunOutcome::Finished | RunOutcome::Exited, ..) => "ended".into(),
        (RunOutcome::WaitingForInput, ..) => "still running, waiting for input".into(),
        (RunOutcome::Timeout, ..) => "still running".into(),
        (RunOutcome::NotRun, ..) => "not run: the shell did not accept the command".into(),
        (RunOutcome::Closed, ..) => "the pane was closed".into(),
    }
}

/// The next step, where it is not obvious.
fn advice(run: &RunResult) -> Option<&'static str> {
    match run.outcome {
        RunOutcome::WaitingForInput => Some("answer with fugue_send_input"),
        RunOutcome::Timeout if run.own_pane => Some(
            "to keep waiting, call fugue_wait with until exit; to stop the command, call fugue_send_input with \
             keys [\"C-c\"]",
        ),
        RunOutcome::Timeout => Some(
            "to keep waiting, call fugue_wait with until command_done; to stop the command, call \
             fugue_send_input with keys [\"C-c\"]",
        ),
        RunOutcome::Exited if run.pane_closed => Some("the pane's shell exited, so the pane was closed"),
        RunOutcome::Exited => Some("the pane's shell exited; fugue_respawn_pane starts it again"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaneId;

    fn run(outcome: RunOutcome, exit_code: Option<i32>) -> RunResult {
        RunResult {
            pane_id: PaneId::from_bytes([7; 16]),
            outcome,
            exit_code,
            signal: None,
            output: "a\nb".into(),
            lines_missing: 0,
            bytes_missing: 0,
            dropped: None,
            start: "2:0".into(),
            elapsed_ms: 1_250,
            cursor: "4:0".into(),
            pane_closed: false,
            own_pane: false,
        }
    }

    #[test]
    fn after_a_timeout_the_header_names_a_wait_that_is_possible() {
        let in_shell = run(RunOutcome::Timeout, None);
        let text = render(&in_shell, TextBudget::DEFAULT);
        assert!(text.contains("call fugue_wait with until command_done; to stop"), "{text}");
        let text = render(&RunResult { own_pane: true, ..in_shell }, TextBudget::DEFAULT);
        assert!(text.contains("call fugue_wait with until exit; to stop"), "{text}");
    }

    #[test]
    fn the_header_begins_with_the_exit_code() {
        let text = render(&run(RunOutcome::Finished, Some(1)), TextBudget::DEFAULT);
        assert_eq!(text, "exit 1 · pane 07070707-0707-0707-0707-070707070707 · 1.2 s · next 4:0\na\nb");
    }

    #[test]
    fn a_command_that_waits_for_input_has_the_next_step_in_the_header() {
        let text = render(&run(RunOutcome::WaitingForInput, None), TextBudget::DEFAULT);
        assert!(text.starts_with("still running, waiting for input · "), "{text}");
        assert!(text.contains("answer with fugue_send_input\na"), "{text}");
    }

    #[test]
    fn the_header_says_how_much_of_a_long_line_is_not_shown() {
        let mut long = RunResult { output: "x".repeat(900), ..run(RunOutcome::Finished, Some(0)) };
        let header = |run: &RunResult| render(run, TextBudget(100)).lines().next().unwrap().to_owned();
        let cut = "800 bytes before this not shown: ";
        assert!(header(&long).ends_with(&format!("{cut}fugue_get_output with before 2:800, or grep")));
        long.pane_closed = true;
        assert!(header(&long).contains(&format!("{cut}run it in a shell pane")), "{}", header(&long));
    }

    #[test]
    fn the_header_counts_output_that_is_no_longer_kept() {
        let dropped = crate::views::DroppedOutput { lines: 7, before: "9:0".into(), reason: None };
        let long = RunResult { dropped: Some(dropped), ..run(RunOutcome::Finished, Some(0)) };
        let text = render(&long, TextBudget::DEFAULT);
        assert!(text.contains(" · 7 lines before 9:0 are no longer kept\n"), "{text}");
    }

    #[test]
    fn an_exited_shell_is_named_as_the_reason_that_its_pane_is_closed() {
        let exited = RunResult { pane_closed: true, ..run(RunOutcome::Exited, Some(3)) };
        let text = render(&exited, TextBudget::DEFAULT);
        assert!(text.starts_with("exit 3 · pane closed · "), "{text}");
        assert!(text.contains("the pane's shell exited, so the pane was closed\n"), "{text}");
    }
}
