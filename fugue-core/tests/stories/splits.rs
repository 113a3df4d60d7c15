//! New panes: their position and size, and refusals when they do not fit.

use fugue_core::Caller;
use fugue_protocol::Timestamp;
use fugue_protocol::events::EventRecord;

use serde_json::json;

use crate::story::{OUTSIDE, Story, refusal_of};

#[test]
fn a_new_pane_opens_on_the_requested_side() {
    for (flags, expected) in [
        ("--right", "a 40x24 | b* 39x24"),
        ("--left", "b* 40x24 | a 39x24"),
        ("--below", "a 80x12 / b* 80x11"),
        ("--above", "b* 80x12 / a 80x11"),
        ("--direction horizontal", "a 40x24 | b* 39x24"),
        ("--direction vertical", "a 80x12 / b* 80x11"),
        ("", "a 80x12 / b* 80x11"),
        ("-R -p 25", "a 59x24 | b* 20x24"),
        ("-L -p 99", "b* 77x24 | a 2x24"),
        ("--below -p 1", "a 80x22 / b* 80x1"),
        ("-R -d", "a* 40x24 | b 39x24"),
    ] {
        let story = Story::of(&["create-session -s work", &format!("create-pane {flags}")]);
        story.assert_tree(&format!("work*\n0 bash* 80x24: {expected}"));
    }
}

#[test]
fn nested_splits_take_space_only_from_the_split_pane() {
    let mut story =
        Story::of(&["create-session -s work", "create-pane -R", "create-pane -D", "create-pane -R"]);
    story.run("create-pane --pane %a -U -p 25");
    story.assert_events(&["layout bash", "opened e", "focused e"]);
    story.assert_effects(&["host e 40x6", "resize a 40x17"]);
    story.assert_tree(
        "work*
           0 bash* 80x24: (e* 40x6 / a 40x17) | (b 39x12 / (c 19x11 | d 19x11))",
    );
}

#[test]
fn a_split_defaults_to_the_callers_pane_or_else_the_active_one() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "create-window -n two"]);
    story.run("create-pane -w bash -U");
    story.run_in("a", "create-pane -D -d");
    story.run_in("a", "create-pane -w two -R");
    story.run_in("c", "create-pane -s work -w 0 -L -d -n side");
    story.assert_tree(
        "work*
           0 bash 80x24: (a 40x12 / e 40x11) | ((g 19x12 | d* 19x12) / b 39x11)
           1 two* 80x24: c 40x24 | f* 39x24",
    );
    story.refused("create-pane -w two --pane %a", "Pane not found: %a\nhint: `fugue list-panes` lists panes");
}

#[test]
fn a_split_that_does_not_fit_is_refused_and_changes_nothing() {
    let mut story = Story::of(&["create-session -s work --size 4x2"]);
    let hint = "hint: close or zoom a pane, enlarge the window, or open a new window";
    story.refused(
        "create-pane -R",
        &format!("Not enough room: pane %a has only 4 of the 5 columns needed\n{hint}"),
    );
    story.refused(
        "create-pane -D",
        &format!("Not enough room: pane %a has only 2 of the 3 rows needed\n{hint}"),
    );
    assert!(story.pending_starts.is_empty(), "no program was started");
    story.run("resize-window 5x3");
    story.run("create-pane -R");
    story.assert_tree("work*\n0 bash* 5x3: a 2x3 | b* 2x3");
}

#[test]
fn a_split_of_zero_or_a_hundred_percent_is_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    for percent in [0, 100, 255] {
        story.refused(
            &format!("create-pane {{\"percent\":{percent}}}"),
            &format!("percent: {percent} is not between 1 and 99\nhint: 50 splits the pane in half"),
        );
    }
    assert!(refusal_of("create-pane -p 100").contains("100 is not in 1..=99"));
    assert!(refusal_of("create-pane --direction up-left").contains("`up-left` is not a side"));
    assert!(refusal_of("create-pane --right --left").contains("cannot be used with"));
}

#[test]
fn the_number_of_panes_in_a_window_is_limited() {
    let mut story = Story::of(&["create-session -s work --size 1000x1000"]);
    for count in 1..fugue_protocol::limits::PANES_PER_WINDOW {
        story.run("create-pane --pane %a -R -d");
        if count % 4 == 0 {
            story.run("select-layout tiled");
        }
    }
    let full = "Too many panes in a window: the limit is 256\nhint: close panes that are no longer needed";
    story.refused("create-pane --pane %a", full);
    story.run("create-window -n other");
    story.refused("join-pane --beside %a", full);
}

#[test]
fn panes_in_a_tiny_window_keep_their_minimum_size() {
    let mut story = Story::of(&["create-session -s work", "create-pane -R", "create-pane -D"]);
    story.run("resize-window 1x1");
    story.assert_tree("work*\n0 bash* 1x1: a 2x3 | (b 2x1 / c* 2x1)");
    story.run("close-pane");
    story.assert_tree("work*\n0 bash* 1x1: a 2x1 | b* 2x1");
    story.run("resize-window 80x24");
    story.assert_tree("work*\n0 bash* 80x24: a 40x24 | b* 39x24");
}

#[test]
fn splits_nest_no_deeper_than_the_journal_can_read() {
    let mut story = Story::of(&["create-session -s work --size 1000x1000"]);
    let mut side = ["--right", "--below"].into_iter().cycle();
    let refusal = loop {
        let line = format!("create-pane {} -p 90", side.next().unwrap_or_default());
        if let Err(refusal) = story.answer(OUTSIDE, &line) {
            break refusal;
        }
    };
    assert_eq!(refusal.to_string(), "Not enough room: splits would be nested more than 24 levels deep");
    let text = serde_json::to_string(story.world()).unwrap();
    assert_eq!(serde_json::from_str::<fugue_core::World>(&text).unwrap(), *story.world());
    let at = Timestamp::from_millis(1);
    for event in std::mem::take(&mut story.history) {
        let record = EventRecord { id: Some(1), at, by: None, event };
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<EventRecord>(&text).unwrap(), record, "a watcher can read it");
    }
}

/// The MCP server of an agent in a pane.
fn agent_in(story: &Story, pane: &str) -> Caller {
    Caller::Bridge { pane: story.aliases.pane(pane), claims: false }
}

#[test]
fn an_agents_split_that_would_be_too_small_opens_a_window_and_says_so() {
    let mut story = Story::of(&["create-session -s work", "create-pane -D -d"]);
    let agent = agent_in(&story, "a");
    let roomy = story.reply(agent, "create-pane -R -d");
    assert_eq!(roomy.get("note"), None);
    story.reply(agent, "create-pane -D -d");
    for flags in ["-D", "-R -p 10", "-n log -D"] {
        let created = story.reply(agent, &format!("create-pane {flags}"));
        assert_eq!(
            created["note"],
            "a split would be smaller than 20x5, so the pane was opened in a window of its own",
            "{flags}"
        );
        assert_eq!(created["dimensions"], json!({ "cols": 80, "rows": 24 }));
    }
    story.assert_tree(
        "work*
           0 bash* 80x24: ((a* 40x6 / d 40x5) | c 39x12) / b 80x11
           1 bash 80x24: e* 80x24
           2 bash 80x24: f* 80x24
           3 bash 80x24: g* 80x24",
    );
}

#[test]
fn an_agents_pane_opens_in_a_window_where_there_is_no_room_at_all() {
    let mut story = Story::of(&["create-session -s work --size 4x2"]);
    let created = story.reply(agent_in(&story, "a"), "create-pane -R");
    assert!(created["note"].is_string(), "{created}");
    story.assert_tree("work*\n0 bash* 4x2: a* 4x2\n1 bash 4x2: b* 4x2");
}

#[test]
fn a_split_that_was_promised_stays_one_if_the_window_shrinks_meanwhile() {
    let mut story = Story::of(&["create-session -s work"]);
    story.starts_are_slow();
    let ticket = story.begin(agent_in(&story, "a"), "create-pane -D -d");
    story.run("resize-window 80x6");
    story.finish_starts();
    assert!(story.answer_to(ticket).is_ok());
    story.assert_tree("work*\n0 bash* 80x6: a* 80x3 / b 80x2");
}

#[test]
fn a_pane_can_have_a_size_in_cells_and_the_whole_edge_of_its_window() {
    let mut story = Story::of(&["create-session -s work --size 80x24", "create-pane -R --cells 20"]);
    let place = |story: &mut Story, pane: &str| {
        story.reply(OUTSIDE, &format!("focus-pane -t {pane}"))["place"].clone()
    };
    assert_eq!(place(&mut story, "%b")["cols"], 20);
    story.run("create-pane --pane %b --full --below --cells 5");
    let edge = place(&mut story, "%c");
    assert_eq!((&edge["cols"], &edge["rows"]), (&80.into(), &5.into()));
}
