//! The results of commands that ran in parallel, as text: for each a line with its exit code, then the end of its output.

use super::{ForModel, ModelContent, TextBudget};
use crate::text_tail::amount;
use crate::views::{ParallelOutcome, ParallelRun, ParallelRuns};

/// The size limit of all output together.
const MAX_OUTPUT: usize = 20 << 10;

impl ForModel for ParallelRuns {
    const AS_TEXT: bool = true;

    fn for_model(&self, _: TextBudget) -> Option<ModelContent> {
        Some(ModelContent::Text(render(self)))
    }
}

/// Renders the header and the output of each command.
fn render(results: &ParallelRuns) -> String {
    let budget = TextBudget(MAX_OUTPUT / results.runs.len().max(1));
    let all = if results.succeeded { "all succeeded" } else { "not all succeeded" };
    let kept = if results.kept { "panes kept" } else { "panes closed" };
    let header = format!("{} commands · {all} · {} ms · {kept}", results.runs.len(), results.elapsed_ms);
    let runs = results.runs.iter().map(|run| section(run, results.kept, budget));
    std::iter::once(header).chain(runs).collect::<Vec<_>>().join("\n")
}

fn section(run: &ParallelRun, kept: bool, budget: TextBudget) -> String {
    let tail = budget.tail(run.output.trim_end(), &run.start);
    let (lines, bytes) = (run.lines_missing + tail.lines, run.bytes_missing + tail.bytes);
    let missing = match lines + bytes {
        0 => String::new(),
        _ if kept => {
            let (amount, pane) = (amount(lines, bytes), run.pane_id.short());
            format!(" · {amount} before this not shown: in pane {pane} before {}", tail.start)
        }
        _ => format!(" · {} before this not shown; set keep to read all of it", amount(lines, bytes)),
    };
    let dropped = run.dropped.as_ref().map(|dropped| format!(" · {dropped}")).unwrap_or_default();
    format!("== {} · {}{missing}{dropped}\n{}", run.command, outcome(run, kept), tail.text)
}

fn outcome(run: &ParallelRun, kept: bool) -> String {
    match (run.outcome, run.exit) {
        (ParallelOutcome::Timeout, _) if kept => {
            format!("still running at the timeout, in pane {}", run.pane_id.short())
        }
        (ParallelOutcome::Timeout, _) => "killed at the timeout; set keep to let it run".into(),
        (_, Some(exit)) => exit.to_string(),
        (_, None) => "pane was closed".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaneId;
    use crate::views::ExitStatus;

    #[test]
    fn each_command_has_its_exit_code_and_its_last_lines() {
        let run = |command: &str, outcome, exit, output: &str| ParallelRun {
            command: command.into(),
            pane_id: PaneId::from_bytes([7; 16]),
            outcome,
            exit,
            output: output.into(),
            lines_missing: 0,
            bytes_missing: 0,
            dropped: None,
            start: "0:0".into(),
        };
        let runs = vec![
            run("make", ParallelOutcome::Exited, Some(ExitStatus::Code(0)), "built\n\n"),
            run("sleep 9", ParallelOutcome::Timeout, None, ""),
        ];
        let runs = ParallelRuns { runs, succeeded: false, kept: false, elapsed_ms: 12 };
        assert_eq!(
            render(&runs),
            "2 commands · not all succeeded · 12 ms · panes closed\n== make · exit code 0\nbuilt\n\
             == sleep 9 · killed at the timeout; set keep to let it run\n"
        );
        let kept = render(&ParallelRuns { kept: true, ..runs });
        assert!(kept.ends_with("== sleep 9 · still running at the timeout, in pane 07070707\n"), "{kept}");
    }

    #[test]
    fn the_header_says_how_much_of_a_long_line_is_not_shown() {
        let run = ParallelRun {
            command: "long".into(),
            pane_id: PaneId::from_bytes([7; 16]),
            outcome: ParallelOutcome::Exited,
            exit: Some(ExitStatus::Code(0)),
            output: "x".repeat(1_000),
            lines_missing: 2,
            bytes_missing: 50,
            dropped: None,
            start: "2:0".into(),
        };
        let header = |kept| section(&run, kept, TextBudget(100)).lines().next().unwrap().to_owned();
        let cut = "== long · exit code 0 · 2 lines (950 bytes) before this not shown";
        assert_eq!(header(true), format!("{cut}: in pane 07070707 before 2:900"));
        assert_eq!(header(false), format!("{cut}; set keep to read all of it"));
    }
}
