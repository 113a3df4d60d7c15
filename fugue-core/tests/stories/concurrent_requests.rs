//! A request that starts a program is decided twice, and the world may change in between.

use fugue_protocol::views::ExitStatus;

use crate::story::{OUTSIDE, Story};

fn slow(lines: &[&str]) -> Story {
    let mut story = Story::of(lines);
    story.starts_are_slow();
    story
}

/// The request is refused after all, and what was started for it is ended.
#[track_caller]
fn abandoned(story: &mut Story, ticket: u64, sentence: &str) {
    story.tell_started();
    let refusal = story.answer_to(ticket).expect_err("it is done");
    assert_eq!(story.sentence(&refusal), sentence);
    story.happened(&[]);
    story.wishes(&["abandon 1"]);
}

#[test]
fn the_window_is_closed_meanwhile() {
    let mut story = slow(&["create-session -s work", "create-session -s other"]);
    let ticket = story.begin(OUTSIDE, "create-pane -s work");
    story.run("kill-session -s work");
    abandoned(&mut story, ticket, "Session not found: $work\nhint: `fugue list-sessions` lists sessions");
    story.looks("other*\n0 bash* 80x24: b* 80x24");
}

#[test]
fn the_pane_to_be_split_is_closed_meanwhile() {
    let mut story = slow(&["create-session -s work", "create-pane -R"]);
    let ticket = story.begin(OUTSIDE, "create-pane --pane %b");
    story.run("close-pane -t %b");
    let gone =
        "Pane not found: %b\nhint: its program has ended (exit status unknown) and the pane was closed";
    abandoned(&mut story, ticket, gone);
    let ticket = story.begin(OUTSIDE, "create-pane -R");
    story.run("rename-window other");
    story.tell_started();
    assert!(story.answer_to(ticket).is_ok());
    story.looks("work*\n0 other* 80x24: a 40x24 | c* 39x24");
}

#[test]
fn somebody_else_splits_the_same_pane_meanwhile() {
    let mut story = slow(&["create-session -s work --size 12x9"]);
    let tickets: Vec<_> = (0..3).map(|_| story.begin(OUTSIDE, "create-pane --pane %a -R")).collect();
    story.tell_started();
    story.wishes(&["host b 5x9", "resize a 6x9", "host c 2x9", "resize a 3x9", "abandon 1"]);
    story.looks("work*\n0 bash* 12x9: a 3x9 | c* 2x9 | b 5x9");
    let refusal = story.answer_to(tickets[2]).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        format!("No room: pane {} has only 3 of the 5 columns needed", story.aliases.pane("a"))
    );
}

#[test]
fn what_was_left_out_is_what_it_was_when_the_program_was_told_where_it_is() {
    let mut story = slow(&["create-session -s one", "create-session -s two"]);
    story.begin(OUTSIDE, "create-window -n mine");
    story.begin(OUTSIDE, "create-pane -R");
    story.run("select-session one");
    story.tell_started();
    story.looks(
        "one*
           0 bash* 80x24: a* 80x24
         two
           0 bash 80x24: b 40x24 | d* 39x24
           1 mine* 80x24: c* 80x24",
    );
}

#[test]
fn an_agents_pane_is_closed_while_its_own_new_one_starts() {
    let mut story = slow(&["create-session -s work", "create-window -n two", "create-session -s mine"]);
    story.begin(story.inside("b"), "create-pane");
    story.begin(story.inside("b"), "create-window");
    let orphan = story.begin(story.inside("b"), "create-pane -R");
    story.run("close-pane -t %b");
    story.step = Default::default();
    story.start_next();
    story.wishes(&["abandon 1"]);
    story.start_next();
    abandoned(
        &mut story,
        orphan,
        "Window not found: @two\nhint: `fugue list-sessions` lists sessions and their windows",
    );
    story.looks("work\n0 bash 80x24: a* 80x24\n1 bash* 80x24: d* 80x24\nmine*\n0 bash* 80x24: c* 80x24");
}

#[test]
fn two_sessions_without_names_get_two_numbers() {
    let mut story = slow(&[]);
    story.begin(OUTSIDE, "create-session");
    story.begin(OUTSIDE, "create-session");
    let names: Vec<_> = story.nursery.iter().map(|(_, born)| born[0].session_name.to_string()).collect();
    assert_eq!(names, ["0", "1"], "each program is told the name its session will have");
    story.refused(
        "create-session -s 1",
        "Session already exists: 1\n\
         hint: `fugue attach 1` attaches to it; choose another name to create a session",
    );
    story.next_start_fails();
    story.tell_started();
    story.looks("1*\n0 bash* 80x24: a* 80x24");
    story.begin(OUTSIDE, "create-session -s 0");
    story.tell_started();
}

#[test]
fn a_pane_is_respawned_twice_at_once_and_one_of_the_two_is_ended() {
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
fn the_pane_to_be_respawned_moves_or_goes_meanwhile() {
    let mut story = slow(&["create-session -s work", "create-session -s big --size 100x30"]);
    story.begin(OUTSIDE, "respawn-pane -k -s work");
    story.run("join-pane -t %a --beside %b -R");
    story.tell_started();
    story.wishes(&["host a 49x30"]);
    let ticket = story.begin(OUTSIDE, "respawn-pane -k -t %a");
    story.run("close-pane -t %a");
    let gone =
        "Pane not found: %a\nhint: its program has ended (exit status unknown) and the pane was closed";
    abandoned(&mut story, ticket, gone);
}

#[test]
fn an_answer_for_nobody_is_ignored() {
    let mut story = Story::of(&["create-session -s work"]);
    story.tell(fugue_core::Input::Started { ticket: 999, outcome: Ok(Vec::new()) });
    story.happened(&[]);
    story.wishes(&[]);
}
