//! Commands that ran side by side, as text: a line for each with how it ended, then the end of what it wrote.

use fugue_protocol::views::{ParallelOutcome, ParallelRun, ParallelRuns};

/// What all of them may take together.
const MOST: usize = 20 << 10;

/// The answer.
pub(super) fn told(told: &ParallelRuns) -> String {
    let room = MOST / told.runs.len().max(1);
    let all = if told.succeeded { "all succeeded" } else { "not all succeeded" };
    let kept = if told.kept { "panes kept" } else { "panes closed" };
    let header = format!("{} commands · {all} · {} ms · {kept}", told.runs.len(), told.elapsed_ms);
    let runs = told.runs.iter().map(|run| one(run, room));
    std::iter::once(header).chain(runs).collect::<Vec<_>>().join("\n")
}

fn one(run: &ParallelRun, room: usize) -> String {
    let (cut, text) = tail(run.output.trim_end(), room);
    let missing = run.lines_missing + cut as u64;
    let missing = if missing > 0 { format!(" · {missing} lines before these") } else { String::new() };
    format!("== {} · {}{missing}\n{text}", run.command, how(run))
}

fn how(run: &ParallelRun) -> String {
    match (run.outcome, run.exit) {
        (ParallelOutcome::Timeout, _) => {
            format!("still ran when the time was over, pane {}", run.pane_id.short())
        }
        (_, Some(exit)) => exit.to_string(),
        (_, None) => "its pane was closed".into(),
    }
}

/// The newest whole lines that fit, and how many were left out before them.
fn tail(text: &str, room: usize) -> (usize, &str) {
    if text.len() <= room {
        return (0, text);
    }
    let over = text.ceil_char_boundary(text.len() - room);
    let begin = text[over..].find('\n').map_or(over, |at| over + at + 1);
    (text[..begin].matches('\n').count(), &text[begin..])
}

#[cfg(test)]
mod tests {
    use fugue_protocol::PaneId;
    use fugue_protocol::views::ExitStatus;

    use super::*;

    #[test]
    fn each_command_has_its_end_and_its_last_lines() {
        let run = |command: &str, outcome, exit, output: &str| ParallelRun {
            command: command.into(),
            pane_id: PaneId::from_bytes([7; 16]),
            outcome,
            exit,
            output: output.into(),
            lines_missing: 0,
        };
        let runs = vec![
            run("make", ParallelOutcome::Exited, Some(ExitStatus::Code(0)), "built\n\n"),
            run("sleep 9", ParallelOutcome::Timeout, None, ""),
        ];
        let runs = ParallelRuns { runs, succeeded: false, kept: false, elapsed_ms: 12 };
        assert_eq!(
            told(&runs),
            "2 commands · not all succeeded · 12 ms · panes closed\n== make · exit code 0\nbuilt\n\
             == sleep 9 · still ran when the time was over, pane 07070707\n"
        );
    }
}
