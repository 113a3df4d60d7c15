//! The results of commands that ran in parallel, as text: for each a line with its exit code, then the end of its output.

use super::{ForModel, ModelContent, TextBudget};
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
    let runs = results.runs.iter().map(|run| section(run, budget));
    std::iter::once(header).chain(runs).collect::<Vec<_>>().join("\n")
}

fn section(run: &ParallelRun, budget: TextBudget) -> String {
    let (cut, text) = budget.tail(run.output.trim_end());
    let missing = run.lines_missing + cut as u64;
    let missing = if missing > 0 { format!(" · {missing} earlier lines not shown") } else { String::new() };
    format!("== {} · {}{missing}\n{text}", run.command, outcome(run))
}

fn outcome(run: &ParallelRun) -> String {
    match (run.outcome, run.exit) {
        (ParallelOutcome::Timeout, _) => {
            format!("still running at the timeout, pane {}", run.pane_id.short())
        }
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
        };
        let runs = vec![
            run("make", ParallelOutcome::Exited, Some(ExitStatus::Code(0)), "built\n\n"),
            run("sleep 9", ParallelOutcome::Timeout, None, ""),
        ];
        let runs = ParallelRuns { runs, succeeded: false, kept: false, elapsed_ms: 12 };
        assert_eq!(
            render(&runs),
            "2 commands · not all succeeded · 12 ms · panes closed\n== make · exit code 0\nbuilt\n\
             == sleep 9 · still running at the timeout, pane 07070707\n"
        );
    }
}
