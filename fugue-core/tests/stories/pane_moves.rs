//! Panes that move: into a window of their own, beside another, from session to session.

use crate::story::Story;

#[test]
fn a_pane_gets_a_window_of_its_own_named_after_its_program() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R -- /usr/bin/vim x", "break-pane"]);
    story.happened(&[
        "window opened vim at 1",
        "moved b to vim",
        "layout bash",
        "focused a",
        "window selected vim",
    ]);
    story.wishes(&["resize a 80x24", "resize b 80x24"]);
    story.looks("work*\n0 bash 80x24: a* 80x24\n1 vim* 80x24: b* 80x24");
    story.refused("break-pane", "pane: already the only pane in its window\nhint: name a pane in a window with several panes; `fugue list-panes` lists panes");
    story.run("create-pane -R");
    story.run("break-pane -t %b -d -n own");
    story.looks("work*\n0 bash 80x24: a* 80x24\n1 vim* 80x24: c* 80x24\n2 own 80x24: b* 80x24");
}

#[test]
fn a_pane_moves_beside_another_of_its_window() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "create-pane -D"]);
    story.run("join-pane -t %a --beside %b --above");
    story.looks("work*\n0 bash* 80x24: a* 80x6 / b 80x5 / c 80x11");
    story.refused("join-pane -t %a --beside %a", "layout: pane %a cannot be placed next to itself");
}

#[test]
fn a_pane_joins_another_window_and_leaves_its_own_whole() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "create-window -n two"]);
    story.run("join-pane -t %b --beside %c --left");
    story.happened(&["layout two", "moved b to two", "focused b", "layout bash", "focused a"]);
    story.wishes(&["resize a 80x24", "resize b 40x24", "resize c 39x24"]);
    story.looks("work*\n0 bash 80x24: a* 80x24\n1 two* 80x24: b* 40x24 | c 39x24");
}

#[test]
fn the_last_pane_of_a_window_takes_it_along() {
    let story = Story::of(&["create-session -s work", "create-window -n two", "join-pane -t %a --beside %b"]);
    story.happened(&["layout two", "moved a to two", "focused a", "window closed bash"]);
    story.looks("work*\n0 two* 80x24: b 80x12 / a* 80x11");
}

#[test]
fn the_session_goes_where_the_last_pane_of_its_current_window_goes() {
    let mut story =
        Story::of(&["create-session -s work -n one", "create-window -n two", "create-window -n three"]);
    story.run("join-pane --beside %a");
    story.looks("work*\n0 one* 80x24: a 80x12 / c* 80x11\n1 two 80x24: b* 80x24");
    story.run("join-pane -t %b --beside %a");
    story.looks("work*\n0 one* 80x24: a 80x6 / b* 80x5 / c 80x11");
}

#[test]
fn the_last_pane_of_a_session_takes_it_along() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two"]);
    story.run("join-pane -t %b --beside %a --right");
    story.happened(&[
        "layout bash",
        "moved b to bash",
        "focused b",
        "window closed bash",
        "session closed two",
    ]);
    story.looks("one*\n0 bash* 80x24: a 40x24 | b* 39x24");
    assert_eq!(story.reply(story.inside("b"), "whoami")["session_name"], "one");
}

#[test]
fn a_pane_that_finds_no_room_stays_where_it_is() {
    let mut story = Story::of(&["create-session -s work", "create-session -s tiny --size 4x2"]);
    story.refused(
        "join-pane -t %a --beside %b --right",
        "No room: pane %b has only 4 of the 5 columns needed\n\
         hint: close or zoom a pane, enlarge the window, or open a new window",
    );
    story.run("resize-window -s tiny 5x3");
    story.run("join-pane -t %a --beside %b --right");
    story.looks("tiny*\n0 bash* 5x3: b 2x3 | a* 2x3");
}

#[test]
fn a_pane_keeps_its_id_its_name_and_its_run_wherever_it_goes() {
    let mut story = Story::of(&["create-session -s one", "create-pane -n build", "create-session -s two"]);
    let before = story.world().panes[&story.aliases.pane("b")].clone();
    story.run("break-pane -t build");
    story.run("move-window -s one -w 1 --to-session two");
    story.run("join-pane -t build --beside %c");
    story.run("swap-panes -t build --with %c");
    let after = story.world().panes[&story.aliases.pane("b")].clone();
    assert_eq!((before.life, before.name, before.launch), (after.life, after.name, after.launch));
}
