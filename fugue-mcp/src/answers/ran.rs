//! A command that was run, for a model: one header line, then what it wrote.

use fugue_protocol::views::{RunOutcome, RunResult};

use super::output::{Room, tail};

/// The header and the output.
pub(super) fn told(ran: &RunResult, room: Room) -> String {
    let (cut, text) = tail(&ran.output, room);
    let missing = ran.lines_missing + cut as u64;
    let mut header =
        vec![outcome(ran), format!("pane {}{}", ran.pane_id, if ran.pane_closed { " (closed)" } else { "" })];
    header.push(format!("{:.1} s", ran.elapsed_ms as f64 / 1000.0));
    if missing > 0 {
        header.push(format!("{missing} older lines of output not shown"));
    }
    if !ran.pane_closed {
        header.push(format!("next {}", ran.cursor));
    }
    header.extend(advice(ran, missing).map(str::to_owned));
    format!("{}\n{text}", header.join(" · "))
}

fn outcome(ran: &RunResult) -> String {
    match (ran.outcome, ran.exit_code, ran.signal) {
        (_, Some(code), _) => format!("exit {code}"),
        (_, _, Some(signal)) => format!("ended by signal {signal}"),
        (RunOutcome::Finished | RunOutcome::Exited, ..) => "ended".into(),
        (RunOutcome::WaitingForInput, ..) => "still running, waits for input".into(),
        (RunOutcome::Timeout, ..) => "still running".into(),
        (RunOutcome::NotRun, ..) => "not run: the shell did not take it".into(),
        (RunOutcome::Closed, ..) => "the pane was closed".into(),
    }
}

/// What to do next where that is not plain.
fn advice(ran: &RunResult, missing: u64) -> Option<&'static str> {
    match ran.outcome {
        RunOutcome::WaitingForInput => Some("fugue_send_input types into it"),
        RunOutcome::Timeout => Some(
            "fugue_wait until command_done or exit goes on waiting; fugue_send_input keys [\"C-c\"] stops it",
        ),
        _ if missing > 0 && !ran.pane_closed => {
            Some("fugue_get_output mode last_command, with lines, before or grep, shows more")
        }
        _ if missing > 0 => Some("name a pane, or write the output to a file, to read all of it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::PaneId;

    use super::*;

    fn ran(outcome: RunOutcome, exit_code: Option<i32>) -> RunResult {
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
    fn an_end_is_told_first() {
        let text = told(&ran(RunOutcome::Finished, Some(1)), Room::USUAL);
        assert_eq!(text, "exit 1 · pane 07070707-0707-0707-0707-070707070707 · 1.2 s · next 4:0\na\nb");
    }

    #[test]
    fn what_goes_on_is_told_with_the_next_call() {
        let text = told(&ran(RunOutcome::WaitingForInput, None), Room::USUAL);
        assert!(text.starts_with("still running, waits for input · "), "{text}");
        assert!(text.contains("fugue_send_input types into it\na"), "{text}");
    }
}
