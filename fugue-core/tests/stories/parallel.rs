//! Commands side by side.

use fugue_core::{EdgeRequest, Effect, Input};
use fugue_protocol::views::{ExitStatus, ParallelOutcome, ParallelRuns};

use crate::story::Story;

/// What the edge is asked to read when all is over.
fn told(story: &mut Story) -> ParallelRuns {
    match story.step.effects.pop() {
        Some(Effect::Request { request: EdgeRequest::Outputs { told, .. }, .. }) => told,
        other => panic!("nothing is told but {other:?}"),
    }
}

fn exits(told: &ParallelRuns) -> Vec<Option<ExitStatus>> {
    told.runs.iter().map(|run| run.exit).collect()
}

#[test]
fn commands_run_out_of_sight_and_are_told_when_all_have_ended() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'make test' 'make lint'");
    assert!(story.step.answers.is_empty());
    story.looks(
        "work*
           0 bash* 80x24: a* 80x24
           1 parallel-1 80x24: b* 80x24
           2 parallel-2 80x24: c* 80x24",
    );
    story.exit("c", ExitStatus::Code(1));
    assert!(story.step.effects.iter().all(|effect| !matches!(effect, Effect::Request { .. })));
    story.exit("b", ExitStatus::Code(0));
    let told = told(&mut story);
    assert_eq!(
        (exits(&told), told.succeeded),
        (vec![Some(ExitStatus::Code(0)), Some(ExitStatus::Code(1))], false)
    );
    let panes = told.runs.iter().map(|run| run.pane_id).collect();
    story.tell(Input::PanesReleased { panes });
    story.looks("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn what_still_runs_when_the_time_is_over_is_told_so() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'sleep 9' true --wait-ms 1000");
    story.exit("c", ExitStatus::Code(0));
    story.pass(1000);
    let told = told(&mut story);
    let outcomes: Vec<_> = told.runs.iter().map(|run| run.outcome).collect();
    assert_eq!(outcomes, [ParallelOutcome::Timeout, ParallelOutcome::Exited]);
    assert!(!told.succeeded);
}

#[test]
fn whoever_gives_up_leaves_nothing_behind_unless_it_was_to_be_kept() {
    let mut story = Story::of(&["create-session -s work"]);
    let ticket = story.begin(story.inside("a"), "run-parallel 'sleep 9' 'sleep 9'");
    story.tell(Input::CallerGone { ticket });
    story.looks("work*\n0 bash* 80x24: a* 80x24");
    let ticket = story.begin(story.inside("a"), "run-parallel 'sleep 9' --keep");
    story.tell(Input::CallerGone { ticket });
    story.looks("work*\n0 bash* 80x24: a* 80x24\n1 parallel-1 80x24: d* 80x24");
}

#[test]
fn a_pane_that_somebody_closes_counts_as_closed() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'sleep 9' true");
    story.exit("c", ExitStatus::Code(0));
    story.run("close-pane -t %b");
    assert_eq!(told(&mut story).runs[0].outcome, ParallelOutcome::Closed);
}

#[test]
fn too_many_or_none_are_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    story.refused(
        r#"run-parallel {"commands":[]}"#,
        "commands: must not be empty\nhint: give a shell command line, for example `make test 2>&1 | tail`",
    );
    let many = "true ".repeat(17);
    let full = "Too many parallel commands: the limit is 16\nhint: run at most 16 commands per call";
    story.refused(&format!("run-parallel {many}"), full);
    story.next_start_fails();
    assert!(story.answer(story.inside("a"), "run-parallel true nope").is_err());
    story.looks("work*\n0 bash* 80x24: a* 80x24");
}

#[test]
fn the_next_daemon_closes_what_was_opened_for_a_call_that_nobody_waits_for() {
    let mut story = Story::of(&["create-session -s work"]);
    story.begin(story.inside("a"), "run-parallel 'sleep 9' 'sleep 9'");
    story.begin(story.inside("a"), "run-parallel 'sleep 9' --keep");
    story.exit("c", ExitStatus::Code(0));
    let runs = ["a", "b", "d"].map(|pane| story.run_of(pane)).to_vec();
    story.restart();
    story.tell(Input::RunsHeld { runs });
    story.looks("work*\n0 bash* 80x24: a* 80x24\n1 parallel-1 80x24: d* 80x24");
}
