//! References by id, name, number and last digits, and refusals for those that match nothing.

use fugue_protocol::Event;

use crate::story::{OUTSIDE, Story};

#[test]
fn panes_windows_and_sessions_are_found_by_id_name_or_last_digits() {
    let mut story = Story::of(&["create-session -s work", "create-pane -n build", "create-session -s other"]);
    for pane in ["%b", "%b~", "build"] {
        assert_eq!(story.reply(OUTSIDE, &format!("focus-pane -t {pane}"))["pane_id"], "%b", "{pane}");
    }
    let digits = story.aliases.pane("b").short().to_uppercase();
    assert_eq!(story.reply(OUTSIDE, &format!("focus-pane -t {digits}"))["pane_id"], "%b");
    for session in ["$work", "work"] {
        assert_eq!(story.reply(OUTSIDE, &format!("get-tags -s {session}"))["session_id"], "$work");
    }
}

#[test]
fn too_few_digits_are_not_a_reference() {
    let mut story = Story::of(&["create-session -s work"]);
    let digits = story.aliases.pane("a").to_string().split_off(33);
    let missing = format!("Pane not found: {digits}\nhint: `fugue list-panes` lists panes");
    story.refused(&format!("focus-pane -t {digits}"), &missing);
}

#[test]
fn an_ambiguous_pane_name_is_refused_unless_the_session_decides() {
    let mut story = Story::of(&["create-session -s one", "create-pane -n build", "create-session -s two"]);
    story.run("create-pane -n build");
    story.refused("close-pane -t build", "`build` matches 2 panes\nhint: use the full id");
    story.run("close-pane -t build -s one");
    story.assert_events(&["closed b", "layout bash", "focused a"]);
    story
        .refused("close-pane -t build -s one", "Pane not found: build\nhint: `fugue list-panes` lists panes");
}

#[test]
fn a_name_takes_precedence_over_digits() {
    let mut story = Story::of(&["create-session -s work", "create-pane"]);
    let digits = story.aliases.pane("a").short();
    story.run(&format!("rename-pane -t %b {digits}"));
    assert_eq!(story.reply(OUTSIDE, &format!("focus-pane -t {digits}"))["pane_id"], "%b");
}

#[test]
fn an_unknown_session_is_refused_with_the_nearest_name() {
    let mut story = Story::of(&["create-session -s work"]);
    for line in ["kill-session -s wrok", "select-session wrok", "create-pane -s wrok", "list-panes -s wrok"] {
        story.refused(line, "Session not found: wrok\nhint: did you mean `work`?");
    }
    let list = "hint: `fugue list-sessions` lists sessions";
    story.refused("select-session xyz", &format!("Session not found: xyz\n{list}"));
    let id = "019a0000-0000-7000-8000-000000000001";
    story.refused(&format!("kill-session -s {id}"), &format!("Session not found: {id}\n{list}"));
}

#[test]
fn a_refusal_for_a_closed_pane_has_its_exit_code() {
    use fugue_protocol::views::ExitStatus;
    let mut story = Story::of(&["create-session -s work", "create-pane"]);
    story.exit("b", ExitStatus::Code(3));
    for pane in ["%b", "%b~"] {
        let name = story.aliases.with_ids(pane);
        let refusal = story.answer(OUTSIDE, &format!("focus-pane -t {name}")).unwrap_err();
        let ended =
            fugue_protocol::refusal::Hint::text("its program exited (exit code 3) and the pane was closed");
        assert_eq!(refusal.hints(), [ended]);
    }
}

#[test]
fn a_pane_is_not_found_in_a_session_it_is_not_in() {
    let mut story = Story::of(&["create-session -s one", "create-session -s two"]);
    story.refused("focus-pane -t %a -s two", "Pane not found: %a\nhint: `fugue list-panes` lists panes");
}

#[test]
fn panes_are_listed_in_session_window_and_layout_order() {
    let mut story = Story::of(&["create-session -s one", "create-pane -L", "create-session -s two"]);
    let panes = |story: &mut Story, line: &str| {
        let reply = story.reply(OUTSIDE, line);
        let ids = reply["panes"].as_array().unwrap().iter();
        ids.map(|pane| pane["pane_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(panes(&mut story, "list-panes"), ["%b", "%a", "%c"]);
    assert_eq!(panes(&mut story, "list-panes -s one"), ["%b", "%a"]);
    let pane = &story.reply(OUTSIDE, "list-panes -s one")["panes"][1];
    assert_eq!(pane["place"], serde_json::json!({"col": 41, "row": 0, "cols": 39, "rows": 24}));
    assert_eq!((&pane["active"], &pane["state"]), (&false.into(), &"running".into()));
}

#[test]
fn every_command_understands_the_targets_of_tmux() {
    let mut story = Story::of(&[
        "create-session -s work",
        "create-pane",
        "create-window -n logs",
        "create-session -s worker",
        "select-session work",
    ]);
    for (target, pane) in [
        ("work:0.1", "%b"),
        ("work:0.0", "%a"),
        ("work:0", "%a"),
        ("work:", "%c"),
        ("=work:logs", "%c"),
        (":0.{last}", "%b"),
        (":0.+", "%a"),
        ("worker", "%d"),
        ("worke:", "%d"),
        ("%2", "%c"),
        ("@2", "%d"),
        ("$1:", "%d"),
    ] {
        let focused = story.reply(OUTSIDE, &format!("focus-pane -t '{target}'"));
        assert_eq!(focused["pane_id"], pane, "{target}");
    }
    assert_eq!(story.reply(OUTSIDE, "select-window -w work:logs")["index"], 1);
    assert_eq!(story.reply(OUTSIDE, "select-window -w work:!")["index"], 0);
    assert_eq!(story.reply(OUTSIDE, "rename-window -w lo news")["name"], "news");
    assert_eq!(story.reply(OUTSIDE, "get-tags -s '$1'")["session_id"], "$worker");
    story.run("kill-session -s worke");
    story.refused("focus-pane -t work:7", "Pane not found: work:7\nhint: `fugue list-panes` lists panes");
}

#[test]
fn an_agent_cannot_abbreviate_names() {
    let mut story = Story::of(&["create-session -s work", "create-session -s other"]);
    let refused = story.answer(story.inside("b"), "kill-session -s wor");
    assert!(refused.is_ok(), "a person at a shell in a pane may: {refused:?}");
    let mut story = Story::of(&["create-session -s work", "create-session -s other"]);
    let agent = fugue_core::Caller::Bridge { pane: story.aliases.pane("b"), claims: false };
    assert!(story.answer(agent, "kill-session -s wor").is_err());
    assert!(story.answer(agent, "get-tags -s work:").is_ok());
}

#[test]
fn numbers_are_never_given_twice_and_survive_a_restart() {
    let mut story = Story::of(&["create-session -s work", "create-pane", "close-pane -t %b", "create-pane"]);
    let numbers = |story: &mut Story| {
        let panes = story.reply(OUTSIDE, "list-panes")["panes"].clone();
        panes.as_array().expect("a list").iter().map(|pane| pane["number"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&mut story), [0, 2]);
    story.restart();
    assert_eq!(numbers(&mut story), [0, 2]);
}

#[test]
fn a_name_that_begins_as_an_id_does_or_has_invisible_characters_is_refused() {
    let mut story = Story::of(&["create-session -s work"]);
    for line in ["rename-pane", "rename-window -w 0", "rename-session", "create-window -n", "create-pane -n"]
    {
        for sign in ["%9", "@1", "$2", "=work"] {
            let refusal = story.answer(OUTSIDE, &format!("{line} '{sign}'")).expect_err(line).to_string();
            assert!(refusal.contains("a name cannot begin with `%`, `@`, `$` or `=`"), "{line}: {refusal}");
        }
        for hidden in [
            "\u{ad}",
            "\u{61c}",
            "\u{34f}",
            "\u{115f}",
            "\u{180e}",
            "\u{2800}",
            "\u{3164}",
            "\u{fe0f}",
            "\u{e0041}",
        ] {
            let refusal =
                story.answer(OUTSIDE, &format!("{line} 'lead{hidden}'")).expect_err(line).to_string();
            assert!(refusal.contains("a name cannot contain the invisible character"), "{line}: {refusal}");
        }
    }
    let refusal =
        story.answer(OUTSIDE, "set-tags --add 'orchestrator\u{ad}'").expect_err("a tag").to_string();
    assert!(refusal.contains("invisible character"), "{refusal}");
    story.run("set-tags --add child:lead");
    story.run("rename-pane 'work ✨ 日本'");
}

#[test]
fn a_pane_with_the_name_of_a_target_is_not_found_in_its_place() {
    let story = Story::of(&["create-session -s work", "create-pane", "create-session -s other"]);
    for (target, meant) in [("%0", Some("a")), ("work:0.0", Some("a")), ("%9", None), ("work:7", None)] {
        let mut events = story.history.clone();
        // Earlier versions let a program name its pane like this.
        let name = Some(target.parse().expect("a name"));
        events.push(Event::PaneRenamed { pane: story.aliases.pane("b"), name });
        let mut story = Story::after(events);
        let found = story.answer(OUTSIDE, &format!("explain '{target}'"));
        let found =
            found.is_ok().then(|| story.reply(OUTSIDE, &format!("explain '{target}'"))["pane_id"].clone());
        assert_eq!(found, meant.map(|pane| serde_json::json!(format!("%{pane}"))), "{target}");
    }
}

#[test]
fn an_index_comes_before_a_name_as_in_tmux() {
    let mut story = Story::of(&["create-session -s work -n a", "create-window -n 0"]);
    for line in ["select-window -w 0", "select-window -w work:0", "select-window -s work -w 0"] {
        story.run("select-window -w 1");
        story.run(line);
        story.assert_tree(
            "work*
               0 a* 80x24: a* 80x24
               1 0 80x24: b* 80x24",
        );
    }
    story.run("select-window -w work:=0");
    story.assert_tree("work*\n0 a 80x24: a* 80x24\n1 0* 80x24: b* 80x24");
}
