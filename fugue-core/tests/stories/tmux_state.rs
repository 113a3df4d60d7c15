//! What tmux's commands leave behind: options, each of which has a scope and ends with it, the marked pane, channels, and
//! the pipes of panes.

use fugue_core::Input;
use fugue_core::Settings;
use fugue_core::scope::Scopes;
use fugue_protocol::{OptionScope, Scope, limits};
use serde_json::json;

use crate::story::{OUTSIDE, Story};

fn story() -> Story {
    Story::of(&["create-session -s work -n logs", "create-pane"])
}

fn options(story: &mut Story) -> serde_json::Value {
    story.reply(OUTSIDE, "list-options")["options"].take()
}

#[test]
fn an_option_ends_with_what_it_was_set_for() {
    let mut story = story();
    for line in [
        "change-option global @all 1",
        "change-option session:$work @s 2",
        "change-option window:@logs @w 3",
        "change-option pane:%a @p 4",
        "change-option pane:%b @p 5",
    ] {
        story.run(line);
    }
    story.run("close-pane -t %a");
    story.crash();
    let left = json!({
        "global": { "@all": "1" }, "session:$work": { "@s": "2" }, "window:@logs": { "@w": "3" }, "pane:%b": { "@p": "5" }
    });
    assert_eq!(options(&mut story), left, "a crash loses nothing");
    story.run("close-pane -t %b");
    assert_eq!(options(&mut story), json!({ "global": { "@all": "1" } }));
    story.input(Input::CloseAll);
    assert_eq!(options(&mut story), json!({}), "a shutdown leaves nothing");
}

#[test]
fn an_option_is_appended_to_kept_or_removed() {
    let mut story = story();
    let change =
        |story: &mut Story, line: &str| story.reply(OUTSIDE, &format!("change-option global {line}"));
    assert_eq!(change(&mut story, "@o one"), json!({}));
    assert_eq!(change(&mut story, "@o two --append"), json!({ "was_set": true }));
    assert_eq!(change(&mut story, "@o three --only-unset"), json!({ "was_set": true }));
    assert_eq!(options(&mut story), json!({ "global": { "@o": "onetwo" } }));
    change(&mut story, "@o");
    assert_eq!(options(&mut story), json!({}));
}

#[test]
fn options_of_what_is_not_there_and_those_without_room_are_refused() {
    let mut story = story();
    story.refused(
        "change-option pane:019a0000-0000-7000-8000-000000000001 @o x",
        "Pane not found: 019a0000-0000-7000-8000-000000000001\nhint: `fugue list-panes` lists panes",
    );
    let long = "x".repeat(limits::OPTION_BYTES);
    story.refused(
        &format!("change-option global @o {long}"),
        "Too many bytes in an option: the limit is 65536\nhint: make it shorter",
    );
    let long = "x".repeat(limits::OPTION_BYTES - 4);
    for number in 10..10 + limits::ALL_OPTION_BYTES / limits::OPTION_BYTES {
        story.run(&format!("change-option global @o{number} {long}"));
    }
    story.refused(
        "change-option pane:%a @more x",
        "Too many bytes in all options: the limit is 4194304\nhint: remove any that are no longer needed",
    );
    story.run("change-option global @o10 short");
    story.run("change-option pane:%a @more x");
}

#[test]
fn an_agent_with_a_scope_sets_options_of_its_own_session_only() {
    let mut story = Story::of(&["create-session -s worker", "create-session -s other"]);
    let scopes = Scopes::new([("worker".to_owned(), Scope::Descendants)]);
    story.machine.configure(Settings::default(), scopes);
    story.run_in("a", "change-option pane:%a @o x");
    for scope in ["pane:%b", "session:$other", "global"] {
        let inside = story.inside("a");
        let refused = story.answer(inside, &format!("change-option {scope} @o x"));
        assert!(refused.is_err(), "{scope}");
    }
    let list = story.reply(story.inside("a"), "list-options");
    assert_eq!(list, json!({ "options": { "pane:%a": { "@o": "x" } } }), "every option may be read");
}

/// The hooks as `scope event[index] line`.
fn hooks(story: &mut Story) -> Vec<String> {
    let list = story.reply(OUTSIDE, "list-hooks");
    let scopes = list["hooks"].as_object().expect("scopes").iter();
    let of_event = |scope: &str, event: &str, lines: &serde_json::Value| {
        let lines = lines.as_object().expect("lines").iter();
        lines.map(|(index, line)| format!("{scope} {event}[{index}] {line}")).collect::<Vec<_>>()
    };
    let events = scopes.flat_map(|(scope, events)| {
        events.as_object().expect("events").iter().flat_map(|(event, lines)| of_event(scope, event, lines))
    });
    events.collect()
}

#[test]
fn a_hook_has_several_lines_and_ends_with_what_it_was_set_for() {
    let mut story = story();
    for line in [
        "change-hook global bell one",
        "change-hook global bell two --append",
        "change-hook global bell five --index 5",
        "change-hook global pane-exited x",
        "change-hook pane:%a bell own",
        "change-hook session:$work bell own",
    ] {
        story.run(line);
    }
    story.run("change-hook global bell --index 0");
    story.crash();
    let set = [r#"global bell[1] "two""#, r#"global bell[5] "five""#, r#"global pane-exited[0] "x""#];
    let own = [r#"session:$work bell[0] "own""#, r#"pane:%a bell[0] "own""#];
    assert_eq!(hooks(&mut story), [&set[..], &own].concat());
    story.run("close-pane -t %a");
    story.run("change-hook global bell only");
    assert_eq!(hooks(&mut story), [r#"global bell[0] "only""#, set[2], own[0]]);
    story.run("change-hook global bell");
    assert_eq!(hooks(&mut story), [set[2], own[0]]);
    story.input(Input::CloseAll);
    assert_eq!(hooks(&mut story), Vec::<String>::new(), "a shutdown leaves nothing");
}

#[test]
fn hooks_are_bounded_and_know_whether_an_agent_set_them() {
    let mut story = story();
    let long = "x".repeat(limits::HOOK_BYTES);
    story.refused(
        &format!("change-hook global bell {long}"),
        "Too many bytes in a hook: the limit is 4096\nhint: make it shorter",
    );
    for _ in 0..limits::HOOK_LINES {
        story.run("change-hook global bell x --append");
    }
    story.refused(
        "change-hook pane:%a bell more",
        "Too many hooks: the limit is 500\nhint: remove any that are no longer needed",
    );
    story.run("change-hook global bell x --index 3");
    story.run_in("a", "change-hook global bell by-agent");
    story.run("change-hook global bell by-user --append");
    let lines = story.world().hooks.lines("bell", &[OptionScope::Global]);
    let lines: Vec<_> = lines.map(|line| (line.text.as_str(), line.by_agent)).collect();
    assert_eq!(lines, [("by-agent", true), ("by-user", false)]);
}

#[test]
fn an_agent_with_a_scope_sets_no_hook_not_even_for_its_own_pane() {
    let mut story = Story::of(&["create-session -s worker"]);
    let scopes = Scopes::new([("worker".to_owned(), Scope::Descendants)]);
    story.machine.configure(Settings::default(), scopes);
    for scope in ["pane:%a", "session:$worker", "global"] {
        let inside = story.inside("a");
        assert!(story.answer(inside, &format!("change-hook {scope} bell x")).is_err(), "{scope}");
    }
    assert_eq!(hooks(&mut story), Vec::<String>::new());
}

#[test]
fn one_pane_is_marked_until_it_is_closed() {
    let mut story = story();
    story.run("create-session -s other");
    story.run("mark-pane -t %a");
    story.assert_events(&["mark a"]);
    story.run("mark-pane -t %a");
    story.assert_events(&[]);
    story.run("mark-pane -t %c");
    story.crash();
    let marked = |story: &mut Story| {
        let panes = ["a", "b", "c"].map(|pane| (pane, story.aliases.pane(pane)));
        let is_marked = |id| story.world().panes.contains_key(&id) && story.world().pane_view(id).marked;
        panes.into_iter().filter(|(_, id)| is_marked(*id)).map(|(pane, _)| pane).collect::<String>()
    };
    assert_eq!(marked(&mut story), "c");
    story.run("close-pane -t %c");
    assert_eq!((marked(&mut story).as_str(), story.world().marked), ("", None));
    story.run("mark-pane -t %b");
    story.run("mark-pane --clear");
    story.assert_events(&["mark -"]);
}

#[test]
fn an_agent_takes_the_mark_from_no_session_beyond_its_scope() {
    let mut story = Story::of(&["create-session -s worker", "create-session -s other", "mark-pane -t %b"]);
    let scopes = Scopes::new([("worker".to_owned(), Scope::Descendants)]);
    story.machine.configure(Settings::default(), scopes);
    for line in ["mark-pane -t %a", "mark-pane --clear"] {
        let inside = story.inside("a");
        assert!(story.answer(inside, line).is_err(), "{line}");
    }
    story.run("mark-pane --clear");
    story.run_in("a", "mark-pane -t %a");
}

/// Begins to use a channel. Returns whether that is over at once.
fn begin(story: &mut Story, line: &str) -> (u64, bool) {
    let ticket = story.begin(OUTSIDE, &format!("use-channel {line}"));
    (ticket, story.step.answers.iter().any(|(to, _)| *to == ticket))
}

fn answered(story: &Story) -> Vec<u64> {
    story.step.answers.iter().map(|(ticket, _)| *ticket).collect()
}

#[test]
fn a_signal_wakes_all_that_wait_or_else_the_next_one() {
    let mut story = story();
    let (one, is_over) = begin(&mut story, "wait ready");
    assert!(!is_over);
    let (two, _) = begin(&mut story, "wait ready");
    let (signal, _) = begin(&mut story, "signal ready");
    assert_eq!(answered(&story), [signal, one, two]);
    assert!(!begin(&mut story, "wait ready --timeout-ms 50").1, "that signal was heard");
    story.advance(60);
    assert_eq!(story.step.answers.len(), 1, "it timed out");
    begin(&mut story, "signal ready");
    story.crash();
    assert!(begin(&mut story, "wait ready").1, "nobody heard that one");
    assert!(!begin(&mut story, "wait ready").1);
}

#[test]
fn a_wait_whose_reply_was_lost_with_the_daemon_does_not_wait_for_another_signal() {
    let mut story = story();
    begin(&mut story, "wait ready --idempotency-key one");
    begin(&mut story, "wait ready --idempotency-key two");
    begin(&mut story, "signal ready");
    story.crash();
    for key in ["one", "two"] {
        assert!(begin(&mut story, &format!("wait ready --idempotency-key {key}")).1, "the same call again");
    }
    assert!(!begin(&mut story, "wait ready --idempotency-key three").1, "that signal was heard");
}

#[test]
fn a_lock_goes_to_the_next_that_wants_it_and_outlives_a_crash_but_not_a_reboot() {
    let mut story = story();
    assert!(begin(&mut story, "lock turn --idempotency-key mine").1);
    let (second, _) = begin(&mut story, "lock turn");
    let (third, _) = begin(&mut story, "lock turn");
    let (unlock, _) = begin(&mut story, "unlock turn");
    assert_eq!(answered(&story), [unlock, second]);
    begin(&mut story, "unlock turn");
    assert!(answered(&story).contains(&third));
    begin(&mut story, "unlock turn");
    let outcome = story.reply(OUTSIDE, "use-channel unlock turn");
    assert_eq!(outcome, json!({ "outcome": "not_locked" }));
    begin(&mut story, "lock turn --idempotency-key mine");
    story.crash();
    assert!(begin(&mut story, "lock turn --idempotency-key mine").1, "the same call again");
    assert!(!begin(&mut story, "lock turn").1);
    story.crash();
    story.input(Input::RunsHeld { runs: Vec::new() });
    assert!(begin(&mut story, "lock turn").1, "nothing that held it runs");
}

#[test]
fn there_are_so_many_channels_and_idle_ones_make_room() {
    let mut story = story();
    for number in 0..limits::CHANNELS {
        begin(&mut story, &format!("signal c{number}"));
    }
    story.refused(
        "use-channel lock more",
        "Too many locked or signalled channels: the limit is 1000\nhint: unlock channels, or wait for them",
    );
    assert!(begin(&mut story, "wait c7").1);
    assert!(begin(&mut story, "lock more").1);
}

#[test]
fn a_pane_has_one_pipe_which_ends_when_it_is_asked_to_and_with_its_process() {
    let mut story = story();
    let piped = |story: &Story| story.world().pane_view(story.aliases.pane("a")).piped;
    let held = story.begin(OUTSIDE, "hold-pipe -t %a one");
    let end = story.begin(OUTSIDE, "await-pipe-end -t %a one");
    assert!(piped(&story) && story.step.answers.is_empty());
    story.begin(OUTSIDE, "hold-pipe -t %a two");
    assert_eq!(story.step.answers.len(), 1, "another one holds it");
    let ending = story.begin(OUTSIDE, "end-pipe -t %a");
    assert_eq!(answered(&story), [end], "its process is asked to end");
    assert!(piped(&story));
    story.input(Input::CallerGone { ticket: held });
    assert_eq!((answered(&story), piped(&story)), (vec![ending], false));
    assert_eq!(story.reply(OUTSIDE, "end-pipe -t %a"), json!({ "was_piped": false }));
    story.begin(OUTSIDE, "hold-pipe -t %a two");
    story.restart();
    assert!(!piped(&story), "its process tells the next daemon that it is there");
    let held = story.begin(OUTSIDE, "hold-pipe -t %a two");
    story.run("close-pane -t %a");
    assert!(answered(&story).contains(&held), "it ends with the pane");
}
