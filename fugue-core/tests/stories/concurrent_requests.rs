//! A request that starts a program is checked twice, and the world may change in between.

use fugue_protocol::views::ExitStatus;

use crate::story::{OUTSIDE, Story};

fn slow(lines: &[&str]) -> Story {
    let mut story = Story::of(lines);
    story.starts_are_slow();
    story
}

/// The request is refused after its program was started, and the program is killed.
#[track_caller]
fn abandoned(story: &mut Story, ticket: u64, sentence: &str) {
    story.finish_starts();
    let refusal = story.answer_to(ticket).expect_err("the operation should fail");
    assert_eq!(story.sentence(&refusal), sentence);
    story.assert_events(&[]);
    story.assert_effects(&["kill 1"]);
}

#[test]
fn a_split_is_refused_if_its_session_is_killed_meanwhile() {
    let mut story = slow(&["create-session -s work", "create-session -s other"]);
    let ticket = story.begin(OUTSIDE, "create-pane -s work");
    story.run("kill-session -s work");
    abandoned(&mut story, ticket, "Session not found: $work\nhint: `fugue list-sessions` lists sessions");
    story.assert_tree("other*\n0 bash* 80x24: b* 80x24");
}

#[test]
fn a_split_is_refused_if_its_pane_is_closed_meanwhile() {
    let mut story = slow(&["create-session -s work", "create-pane -R"]);
    let ticket = story.begin(OUTSIDE, "create-pane --pane %b");
    story.run("close-pane -t %b");
    let closed = "Pane not found: %b\nhint: the pane was closed";
    abandoned(&mut story, ticket, closed);
    let ticket = story.begin(OUTSIDE, "create-pane -R");
    story.run("rename-window other");
    story.finish_starts();
    assert!(story.answer_to(ticket).is_ok());
    story.assert_tree("work*\n0 other* 80x24: a 40x24 | c* 39x24");
}

#[test]
fn sessions_that_are_created_at_once_have_the_numbers_that_their_programs_were_told() {
    let mut story = slow(&[]);
    for name in ["one", "two"] {
        story.begin(OUTSIDE, &format!("create-session -s {name}"));
    }
    let told: Vec<_> = story.pending_starts.iter().map(|(_, children)| children[0].numbers.session).collect();
    assert_eq!(told, [0, 1]);
    story.pending_starts.reverse();
    story.finish_starts();
    let number = |story: &Story, name: &str| {
        story
            .world()
            .sessions
            .values()
            .find(|session| session.name.as_str() == name)
            .expect("it is there")
            .number
    };
    assert_eq!((number(&story, "one"), number(&story, "two")), (0, 1));
    story.begin(OUTSIDE, "create-session -s three");
    story.finish_starts();
    assert_eq!(number(&story, "three"), 2);
}

#[test]
fn concurrent_splits_of_one_pane_are_refused_when_space_runs_out() {
    let mut story = slow(&["create-session -s work --size 12x9"]);
    let tickets: Vec<_> = (0..3).map(|_| story.begin(OUTSIDE, "create-pane --pane %a -R")).collect();
    story.finish_starts();
    story.assert_effects(&["host b 5x9", "resize a 6x9", "host c 2x9", "resize a 3x9", "kill 1"]);
    story.assert_tree("work*\n0 bash* 12x9: a 3x9 | c* 2x9 | b 5x9");
    let refusal = story.answer_to(tickets[2]).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        format!("Not enough room: pane {} has only 3 of the 5 columns needed", story.aliases.pane("a"))
    );
}

#[test]
fn a_default_target_is_fixed_when_the_request_is_made() {
    let mut story = slow(&["create-session -s one", "create-session -s two"]);
    story.begin(OUTSIDE, "create-window -n mine");
    story.begin(OUTSIDE, "create-pane -R");
    story.run("select-session one");
    story.finish_starts();
    story.assert_tree(
        "one*
           0 bash* 80x24: a* 80x24
         two
           0 bash 80x24: b 40x24 | d* 39x24
           1 mine* 80x24: c* 80x24",
    );
}

#[test]
fn a_new_pane_starts_in_the_right_place_although_its_creators_pane_was_closed() {
    let mut story = slow(&["create-session -s work", "create-window -n two", "create-session -s mine"]);
    story.begin(story.inside("b"), "create-pane");
    story.begin(story.inside("b"), "create-window");
    let orphan = story.begin(story.inside("b"), "create-pane -R");
    story.run("close-pane -t %b");
    story.step = Default::default();
    story.start_next();
    story.assert_effects(&["kill 1"]);
    story.start_next();
    abandoned(
        &mut story,
        orphan,
        "Window not found: @two\nhint: `fugue list-sessions` lists sessions and their windows",
    );
    story
        .assert_tree("work\n0 bash 80x24: a* 80x24\n1 bash* 80x24: d* 80x24\nmine*\n0 bash* 80x24: c* 80x24");
}

#[test]
fn two_unnamed_sessions_created_at_once_get_different_numbers() {
    let mut story = slow(&[]);
    story.begin(OUTSIDE, "create-session");
    story.begin(OUTSIDE, "create-session");
    let names: Vec<_> =
        story.pending_starts.iter().map(|(_, born)| born[0].session_name.to_string()).collect();
    assert_eq!(names, ["0", "1"], "each program is told the name its session will have");
    story.refused(
        "create-session -s 1",
        "Session already exists: 1\n\
         hint: `fugue attach 1` attaches to it; otherwise, choose another name",
    );
    story.next_start_fails();
    story.finish_starts();
    story.assert_tree("1*\n0 bash* 80x24: a* 80x24");
    story.begin(OUTSIDE, "create-session -s 0");
    story.finish_starts();
}

#[test]
fn of_two_concurrent_respawns_the_second_is_refused() {
    let mut story = slow(&["create-session -s work --on-exit keep"]);
    story.exit("a", ExitStatus::Code(0));
    story.begin(OUTSIDE, "respawn-pane");
    let late = story.begin(OUTSIDE, "respawn-pane");
    story.step = Default::default();
    story.start_next();
    abandoned(
        &mut story,
        late,
        "The program in pane %a is still running\nhint: `fugue respawn-pane --kill` kills it first",
    );
}

#[test]
fn a_respawn_follows_a_moved_pane_and_is_refused_for_a_closed_one() {
    let mut story = slow(&["create-session -s work", "create-session -s big --size 100x30"]);
    story.begin(OUTSIDE, "respawn-pane -k -s work");
    story.run("join-pane -t %a --beside %b -R");
    story.finish_starts();
    story.assert_effects(&["host a 49x30"]);
    let ticket = story.begin(OUTSIDE, "respawn-pane -k -t %a");
    story.run("close-pane -t %a");
    let closed = "Pane not found: %a\nhint: the pane was closed";
    abandoned(&mut story, ticket, closed);
}

#[test]
fn a_start_report_without_a_request_is_ignored() {
    let mut story = Story::of(&["create-session -s work"]);
    story.input(fugue_core::Input::Started { ticket: 999, outcome: Ok(Vec::new()) });
    story.assert_events(&[]);
    story.assert_effects(&[]);
}
