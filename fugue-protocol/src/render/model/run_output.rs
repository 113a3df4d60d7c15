//! The result of a command as text: one header line, then its output.

use super::{ForModel, ModelContent, TextBudget};
use crate::views::{RunOutcome, RunResult};

impl ForModel for RunResult {
    const AS_TEXT: bool = true;

    fn for_model(&self, budget: TextBudget) -> Option<ModelContent> {
        Some(ModelContent::Text(render(self, budget)))
    }
}

/// Renders the header and the output.
fn render(run: &RunResult, budget: TextBudget) -> String {
    let (cut, text) = budget.tail(&run.output);
    let missing = run.lines_missing + cut as u64;
    let mut header =
        vec![outcome(run), format!("pane {}{}", run.pane_id, if run.pane_closed { " (closed)" } else { "" })];
    header.push(format!("{:.1} s", run.elapsed_ms as f64 / 1000.0));
    if missing > 0 {
        header.push(format!("{missing} older lines not shown"));
    }
    if !run.pane_closed {
        header.push(format!("next {}", run.cursor));
    }
    header.extend(advice(run, missing).map(str::to_owned));
    format!("{}\n{text}", header.join(" · "))
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
fn advice(run: &RunResult, missing: u64) -> Option<&'static str> {
    match run.outcome {
        RunOutcome::WaitingForInput => Some("answer with fugue_send_input"),
        RunOutcome::Timeout => Some(
            "to keep waiting, call fugue_wait with until command_done or exit; to stop the command, call \
             fugue_send_input with keys [\"C-c\"]",
        ),
        _ if missing > 0 && !run.pane_closed => {
            Some("to see more, call fugue_get_output with mode last_command and lines, before or grep")
        }
        _ if missing > 0 => Some(
            "to read all the output, run the command in a shell pane (pane_id) or redirect its output to a file",
        ),
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
            elapsed_ms: 1_250,
            cursor: "4:0".into(),
            pane_closed: false,
        }
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
}
