//! Popups: windows that a client shows in a box, and that no session lists.

use fugue_core::{Caller, Input};
use fugue_protocol::verbs::{CreateWindow, ResizeWindow, WindowChoice};
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{Size, Verb};

use super::clients::attach;
use crate::story::{OUTSIDE, Story};

/// A session with two windows, and client 1 with a popup over them; client 2 shows the session, too.
fn popup() -> Story {
    let mut story = Story::of(&["create-session -s work", "create-window -n logs"]);
    attach(&mut story, 1, "work");
    attach(&mut story, 2, "work");
    open(&mut story, OUTSIDE);
    show(&mut story, 1);
    story
}

fn open(story: &mut Story, caller: Caller) {
    let name = "popup".parse().ok();
    let create = CreateWindow { popup: true, name, ..CreateWindow::default() };
    let ticket = story.request(caller, create.into());
    story.answer_to(ticket).expect("a popup");
}

/// The client tells that it shows the popup.
fn show(story: &mut Story, client: u64) {
    let popup = story.world().windows.values().find(|window| window.popup).expect("a popup").id;
    let choice = WindowChoice { session: None, window: Some(popup.into()) };
    let resize = ResizeWindow { choice, size: Size::new(20, 5), shown_by: Some(client) };
    let ticket = story.request(OUTSIDE, resize.into());
    story.answer_to(ticket).expect("shown");
}

const WINDOWS: &str = "work*\n0 bash 80x24: a* 80x24\n1 logs* 80x24: b* 80x24";

#[test]
fn a_popup_is_none_of_the_windows_of_its_session() {
    let mut story = popup();
    story.assert_tree(WINDOWS);
    let list = story.reply(OUTSIDE, "list-sessions");
    let session = &list["sessions"][0];
    assert_eq!(session["windows"].as_array().map(Vec::len), Some(2));
    assert_eq!(session["popups"][0]["panes"][0]["dimensions"]["cols"], 20);
    assert_eq!(story.reply(OUTSIDE, "list-panes")["panes"].as_array().map(Vec::len), Some(2));
    for line in ["select-window -w @popup", "move-window -w @popup", "swap-windows -w @logs --with @popup"] {
        story.refused(line, "window: is a popup, not one of the session's windows");
    }
    for line in ["create-pane --pane %c", "join-pane -t %a --beside %c", "swap-panes -t %a --with %c"] {
        story.refused(line, "window: is a popup, not one of the session's windows");
    }
}

#[test]
fn a_program_in_a_popup_acts_on_the_window_below_it() {
    let mut story = popup();
    story.run_in("c", "create-pane --right");
    story.assert_tree("work*\n0 bash 80x24: a* 80x24\n1 logs* 80x24: b 40x24 | d* 39x24");
    story.run_in("c", "close-pane");
    assert!(!story.world().windows.values().any(|window| window.popup));
}

#[test]
fn a_popup_that_its_client_has_just_opened_survives_another_client_that_leaves() {
    let mut story = Story::of(&["create-session -s work"]);
    [1, 2, 3].into_iter().for_each(|client| attach(&mut story, client, "work"));
    open(&mut story, OUTSIDE);
    story.input(Input::ClientLeft { client: 2 });
    story.assert_events(&["client 2 left"]);
    show(&mut story, 1);
    story.input(Input::ClientLeft { client: 3 });
    story.assert_events(&["client 3 left"]);
    open(&mut story, OUTSIDE);
    story.input(Input::ClientLeft { client: 1 });
    assert!(
        !story.world().windows.values().any(|window| window.popup),
        "nobody is left to show the other one"
    );
}

#[test]
fn a_popup_is_closed_with_its_program_its_client_or_its_session() {
    let mut story = popup();
    let run = story.world().panes[&story.aliases.pane("c")].run_id().expect("a run");
    story.input(Input::Exited { run, exit: ExitStatus::Code(3) });
    story.assert_tree(WINDOWS);
    assert!(story.world().panes.len() == 2 && story.world().popup_clients.is_empty());

    let mut story = popup();
    story.input(Input::ClientLeft { client: 2 });
    story.assert_events(&["client 2 left"]);
    story.input(Input::ClientLeft { client: 1 });
    story.assert_events(&["client 1 left", "closed c", "window closed popup"]);

    let mut story = popup();
    story.run("create-session -s other");
    story.run("kill-session -t work");
    assert_eq!((story.world().windows.len(), story.world().panes.len()), (1, 1));
}

#[test]
fn the_last_window_of_a_session_takes_the_popup_with_it() {
    for line in ["kill-window -w @logs", "close-pane -t %b", "move-window -w @logs --to-session other"] {
        let mut story = popup();
        story.run("create-session -s other");
        story.run("kill-window -s work -w 0");
        story.run(line);
        assert!(!story.world().windows.values().any(|window| window.popup), "{line}");
        assert!(story.world().sessions.values().all(|session| session.name.as_str() == "other"), "{line}");
    }
}

#[test]
fn a_popup_survives_a_restart_of_the_daemon_until_its_client_does_not_come_back() {
    let mut story = popup();
    story.restart();
    attach(&mut story, 7, "work");
    attach(&mut story, 8, "work");
    show(&mut story, 7);
    story.assert_events(&["popup popup shown by 7"]);
    story.input(Input::ClientLeft { client: 8 });
    assert!(story.world().windows.values().any(|window| window.popup));
    story.input(Input::ClientLeft { client: 7 });
    assert!(!story.world().windows.values().any(|window| window.popup));

    let mut story = popup();
    story.restart();
    story.input(Input::RunsHeld { runs: Vec::new() });
    assert!(!story.world().windows.values().any(|window| window.popup), "its program is lost");
}

#[test]
fn a_window_is_no_popup_because_a_client_says_so() {
    let mut story = popup();
    let window = story.world().windows.values().find(|window| !window.popup).expect("a window").id;
    let choice = WindowChoice { session: None, window: Some(window.into()) };
    let resize: Verb = ResizeWindow { choice, size: Size::new(20, 5), shown_by: Some(1) }.into();
    let ticket = story.request(OUTSIDE, resize);
    story.answer_to(ticket).expect_err("it is a window");
}
