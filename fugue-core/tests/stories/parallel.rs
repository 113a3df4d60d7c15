//! Commands that run in parallel.

use fugue_core::{EdgeRequest, Effect, Input};
use fugue_protocol::views::{ExitStatus, ParallelOutcome, ParallelRuns};

use crate::story::Story;

/// The finished runs whose output the edge is asked to read.
fn finished(story: &mut Story) -> ParallelRuns {
    match story.step.effects.pop() {
        Some(Effect::Request { request: EdgeRequest::Outputs { told: runs, .. }, .. }) => runs,
        other => panic!("expected the finished runs, got {other:?}"),
    }
}

fn exits(parallel: &ParallelRuns) -> Vec<Option<ExitStatus>> {
    parallel.runs.iter().map(|run| run.exit).collect()
}

#[test]
fn parallel_commands_run_in_background_windows_until_all_have_exited() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'make test' 'make lint'");
    assert!(story.step.answers.is_empty());
    story.assert_tree(
        "work*
           0 bash* 80x24: a* 80x24
           1 parallel-1 80x24: b* 80x24
           2 parallel-2 80x24: c* 80x24",
    );
    story.exit("c", ExitStatus::Code(1));
    assert!(story.step.effects.iter().all(|effect| !matches!(effect, Effect::Request { .. })));
    story.exit("b", ExitStatus::Code(0));
    let parallel = finished(&mut story);
    assert_eq!(
        (exits(&parallel), parallel.succeeded),
        (vec![Some(ExitStatus::Code(0)), Some(ExitStatus::Code(1))], false)
    );
    let panes = parallel.runs.iter().map(|run| run.pane_id).collect();
    story.input(Input::PanesReleased { panes });
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn a_parallel_command_that_exceeds_the_time_limit_is_reported() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'sleep 9' true --wait-ms 1000");
    story.exit("c", ExitStatus::Code(0));
    story.advance(1000);
    let parallel = finished(&mut story);
    let outcomes: Vec<_> = parallel.runs.iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [ParallelOutcome::Timeout, ParallelOutcome::Exited]);
    assert!(!parallel.succeeded);
}

#[test]
fn a_disconnected_caller_leaves_no_panes_unless_it_asked_to_keep_them() {
    let mut story = Story::of(&["create-session -s work"]);
    let ticket = story.begin(story.inside("a"), "run-parallel 'sleep 9' 'sleep 9'");
    story.input(Input::CallerGone { ticket });
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24");
    let ticket = story.begin(story.inside("a"), "run-parallel 'sleep 9' --keep");
    story.input(Input::CallerGone { ticket });
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24\n1 parallel-1 80x24: d* 80x24");
}

#[test]
fn a_parallel_command_whose_pane_is_closed_is_reported_as_closed() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'sleep 9' true");
    story.exit("c", ExitStatus::Code(0));
    story.run("close-pane -t %b");
    assert_eq!(finished(&mut story).runs[0].outcome, ParallelOutcome::Closed);
}

#[test]
fn no_or_too_many_parallel_commands_are_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    story.refused(
        r#"run-parallel {"commands":[]}"#,
        "commands: must not be empty\nhint: specify a shell command line, for example `make test 2>&1 | tail`",
    );
    let many = "true ".repeat(17);
    let full = "Too many parallel commands: the limit is 16\nhint: run at most 16 commands per call";
    story.refused(&format!("run-parallel {many}"), full);
    story.next_start_fails();
    assert!(story.answer(story.inside("a"), "run-parallel true nope").is_err());
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn a_restarted_daemon_closes_the_panes_of_abandoned_parallel_runs() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'sleep 9' 'sleep 9'");
    story.begin(story.inside("a"), "run-parallel 'sleep 9' --keep");
    story.exit("c", ExitStatus::Code(0));
    let runs = ["a", "b", "d"].map(|pane| story.run_of(pane)).to_vec();
    story.restart();
    story.input(Input::RunsHeld { runs });
    story.assert_tree("work*\n0 bash* 80x24: a* 80x24\n3 parallel-1 80x24: d* 80x24");
}
