//! Moving panes: into a window of their own, next to another, to another session.

use fugue_core::Settings;

use crate::story::Story;

#[test]
fn a_broken_out_pane_gets_a_window_named_after_its_program() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R -- /usr/bin/vim x", "break-pane"]);
    story.assert_events(&[
        "window opened vim at 1",
        "moved b to vim",
        "layout bash",
        "focused a",
        "window selected vim",
    ]);
    story.assert_effects(&["resize a 80x24", "resize b 80x24"]);
    story.assert_tree("work*\n0 bash 80x24: a* 80x24\n1 vim* 80x24: b* 80x24");
    story.refused("break-pane", "pane: already the only pane in its window\nhint: specify a pane whose window has other panes; `fugue list-panes` lists panes");
    story.run("create-pane -R");
    story.run("break-pane -t %b -d -n own");
    story.assert_tree("work*\n0 bash 80x24: a* 80x24\n1 vim* 80x24: c* 80x24\n2 own 80x24: b* 80x24");
}

#[test]
fn a_shell_that_is_broken_out_names_its_window() {
    let shell = "zsh".parse().ok();
    let mut story = Story::with(Settings { shell, ..Settings::default() });
    ["create-session -s work -n logs", "create-pane -R", "break-pane"]
        .iter()
        .for_each(|line| story.run(line));
    story.assert_tree("work*\n0 logs 80x24: a* 80x24\n1 zsh* 80x24: b* 80x24");
}

#[test]
fn a_pane_moves_next_to_another_in_its_window() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "create-pane -D"]);
    story.run("join-pane -t %a --beside %b --above");
    story.assert_tree("work*\n0 bash* 80x24: a* 80x6 / b 80x5 / c 80x11");
    story.refused(
        "join-pane -t %a --beside %a",
        "beside: a pane cannot be placed next to itself\nhint: `fugue list-panes` lists panes",
    );
}

#[test]
fn a_pane_that_joins_another_window_gives_its_space_to_its_neighbors() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "create-window -n two"]);
    story.run("join-pane -t %b --beside %c --left");
    story.assert_events(&["layout two", "moved b to two", "focused b", "layout bash", "focused a"]);
    story.assert_effects(&["resize a 80x24", "resize b 40x24", "resize c 39x24"]);
    story.assert_tree("work*\n0 bash 80x24: a* 80x24\n1 two* 80x24: b* 40x24 | c 39x24");
}

#[test]
fn moving_the_last_pane_of_a_window_closes_the_window() {
    let story = Story::of(&["create-session -s work", "create-window -n two", "join-pane -t %a --beside %b"]);
    story.assert_events(&["layout two", "moved a to two", "focused a", "window closed bash"]);
    story.assert_tree("work*\n1 two* 80x24: b 80x12 / a* 80x11");
}

#[test]
fn the_current_window_follows_the_last_pane_of_the_closed_one() {
    let mut story =
        Story::of(&["create-session -s work -n one", "create-window -n two", "create-window -n three"]);
    story.run("join-pane --beside %a");
    story.assert_tree("work*\n0 one* 80x24: a 80x12 / c* 80x11\n1 two 80x24: b* 80x24");
    story.run("join-pane -t %b --beside %a");
    story.assert_tree("work*\n0 one* 80x24: a 80x6 / b* 80x5 / c 80x11");
}

#[test]
fn moving_the_last_pane_of_a_session_closes_the_session() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two"]);
    story.run("join-pane -t %b --beside %a --right");
    story.assert_events(&[
        "layout bash",
        "moved b to bash",
        "focused b",
        "window closed bash",
        "session closed two",
    ]);
    story.assert_tree("one*\n0 bash* 80x24: a 40x24 | b* 39x24");
    assert_eq!(story.reply(story.inside("b"), "whoami")["session_name"], "one");
}

#[test]
fn a_pane_that_does_not_fit_is_not_moved() {
    let mut story = Story::of(&["create-session -s work", "create-session -s tiny --size 4x2"]);
    story.refused(
        "join-pane -t %a --beside %b --right",
        "Not enough room: pane %b has only 4 of the 5 columns needed\n\
         hint: close or zoom a pane, enlarge the window, or open a new window",
    );
    story.run("resize-window -s tiny 5x3");
    story.run("join-pane -t %a --beside %b --right");
    story.assert_tree("tiny*\n0 bash* 5x3: b 2x3 | a* 2x3");
}

#[test]
fn a_moved_pane_keeps_its_id_name_and_program() {
    let mut story = Story::of(&["create-session -s one", "create-pane -n build", "create-session -s two"]);
    let before = story.world().panes[&story.aliases.pane("b")].clone();
    story.run("break-pane -t build");
    story.run("move-window -s one -w 1 --to-session two");
    story.run("join-pane -t build --beside %c");
    story.run("swap-panes -t build --with %c");
    let after = story.world().panes[&story.aliases.pane("b")].clone();
    assert_eq!((before.life, before.name, before.launch), (after.life, after.name, after.launch));
}
