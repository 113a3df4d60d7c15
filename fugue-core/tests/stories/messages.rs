//! Messages: who receives them, and refusals if there is no recipient.

use fugue_core::Input;
use fugue_protocol::worktree::GitLocation;
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

/// Puts a pane's directory into this worktree of this repository.
fn locate(story: &mut Story, pane: &str, repository: &str, worktree: &str) {
    let pane = story.aliases.pane(pane);
    let (repository, worktree) = (repository.to_owned(), worktree.to_owned());
    story.input(Input::Located {
        pane,
        place: Some(GitLocation { repository, worktree, branch: None, remote: None }),
    });
}

fn names(reply: &Value) -> Vec<&str> {
    let to = reply["recipients"].as_array().expect("recipients");
    to.iter().map(|to| to["session_name"].as_str().expect("a name")).collect()
}

/// An orchestrator (pane a) that created two workers (b, c).
fn team() -> Story {
    let mut story = Story::of(&["create-session -s lead --tag orchestrator"]);
    story.run_in("a", "create-session -s one --tag worker");
    story.run_in("a", "create-session -s two --tag worker");
    story
}

#[test]
fn a_message_to_a_tag_reaches_every_session_with_it_but_the_senders_own() {
    let mut story = team();
    let sent = story.reply(story.inside("a"), "send-orchestration --tag worker task.assigned '{\"n\":1}'");
    assert_eq!(
        sent,
        json!({
            "message_id": "!m1",
            "recipients": [
                { "session_id": "$one", "session_name": "one" },
                { "session_id": "$two", "session_name": "two" },
            ],
        })
    );
    story.assert_events(&["sent m1 to one two"]);
    let sent = story.reply(story.inside("b"), "send-orchestration --tag worker hello");
    assert_eq!(names(&sent), ["two"]);
}

#[test]
fn a_message_to_a_session_by_name_or_id_may_go_to_the_sender() {
    let mut story = team();
    assert_eq!(names(&story.reply(story.inside("a"), "send-orchestration -s two note")), ["two"]);
    assert_eq!(names(&story.reply(story.inside("a"), "send-orchestration -s $one note")), ["one"]);
    assert_eq!(names(&story.reply(story.inside("a"), "send-orchestration -s lead note")), ["lead"]);
    assert_eq!(names(&story.reply(OUTSIDE, "send-orchestration -s lead note")), ["lead"]);
    story.refused("send-orchestration -s led note", "Session not found: led\nhint: did you mean `lead`?");
}

#[test]
fn a_target_may_be_a_json_string() {
    let mut story = team();
    let line =
        r#"send-orchestration {"target":"{\"session\":\"two\"}","msg_type":"t","payload":"{\"a\":1}"}"#;
    assert_eq!(names(&story.reply(story.inside("a"), line)), ["two"]);
    assert_eq!(story.payloads.values().next().expect("a payload"), r#"{"a":1}"#);
}

#[test]
fn a_broadcast_reaches_only_the_senders_repository() {
    let mut story = team();
    story.run("create-session -s stranger");
    locate(&mut story, "a", "/src/app", "/src/app");
    locate(&mut story, "b", "/src/app", "/src/app-fix");
    locate(&mut story, "c", "/src/other", "/src/other");
    let sent = story.reply(story.inside("a"), "broadcast 'stop please'");
    assert_eq!(names(&sent), ["one"]);
    let payload: Value =
        serde_json::from_str(story.payloads.values().next().expect("a payload")).expect("JSON");
    let from = story.aliases.with_names(payload["from_session_id"].as_str().expect("a sender"));
    assert_eq!((from.as_str(), &payload["message"]), ("$lead", &json!("stop please")));
    let sent = story.reply(
        story.inside("b"),
        r#"send-orchestration {"target":{"broadcast":true},"msg_type":"t","payload":{}}"#,
    );
    assert_eq!(names(&sent), ["lead"]);
}

#[test]
fn a_broadcast_from_outside_a_repository_is_refused() {
    let mut story = team();
    let refused = "No repository: session `lead` is not in a git repository\n\
        hint: change to a directory in a repository, or send to a tag or a session";
    story.refused_to(story.inside("a"), "broadcast hello", refused);
    locate(&mut story, "a", "/src/app", "/src/app");
    let alone = "No recipients: no other session is in this repository\n\
        hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags";
    story.refused_to(story.inside("a"), "broadcast hello", alone);
    story.refused(
        "broadcast hello",
        "No repository: the caller (outside any session) is not in a git repository\n\
         hint: change to a directory in a repository, or send to a tag or a session",
    );
}

#[test]
fn a_worktree_is_found_by_its_path_or_directory_name_even_after_a_move() {
    let mut story = team();
    locate(&mut story, "b", "/src/app", "/src/app-fix");
    for path in ["/src/app-fix", "/src/app-fix/", "app-fix"] {
        let sent = story.reply(story.inside("a"), &format!("send-orchestration --worktree {path} note"));
        assert_eq!(names(&sent), ["one"], "{path}");
    }
    locate(&mut story, "b", "/src/app", "/src/app-moved");
    let gone = "No recipients: no other session is in worktree `/src/app-fix`; \
        known worktrees: /src/app-moved\n\
        hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags";
    story.refused_to(story.inside("a"), "send-orchestration --worktree /src/app-fix note", gone);
    let sent = story.reply(story.inside("a"), "send-orchestration --worktree app-moved note");
    assert_eq!(names(&sent), ["one"]);
    let view = &story.reply(OUTSIDE, "list-sessions")["sessions"][1];
    assert_eq!((&view["repository"], &view["worktree"]), (&json!("/src/app"), &json!("/src/app-moved")));
}

#[test]
fn each_session_in_a_lineage_of_four_messages_its_own_parent() {
    let mut story = team();
    story.run_in("b", "create-session -s deeper");
    story.run_in("d", "create-session -s deepest");
    for (pane, parent) in [("e", "deeper"), ("d", "one"), ("b", "lead"), ("c", "lead")] {
        let sent = story.reply(story.inside(pane), "send-orchestration --parent note");
        assert_eq!(names(&sent), [parent]);
    }
    story.refused_to(
        story.inside("a"),
        "send-orchestration --parent note",
        "No recipients: session `lead` has no parent\n\
         hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags",
    );
}

#[test]
fn workers_report_only_to_their_own_orchestrator() {
    let mut story = team();
    story.run("create-session -s boss --tag orchestrator");
    story.run_in("d", "create-session -s three --tag worker");
    let recipients = |story: &mut Story, pane: &str, line: &str| {
        let reply = story.reply(story.inside(pane), line);
        names(&reply).iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(recipients(&mut story, "b", "report-status working 'on it'"), ["lead"]);
    assert_eq!(recipients(&mut story, "e", "report-status blocked"), ["boss"]);
    assert_eq!(recipients(&mut story, "e", "request-help 'what now'"), ["boss"]);
    // A session without a parent reports to every orchestrator.
    story.run("create-session -s free");
    assert_eq!(recipients(&mut story, "f", "report-status idle"), ["lead", "boss"]);
    assert_eq!(recipients(&mut story, "a", "report-status idle"), ["boss"]);
}

#[test]
fn a_child_tag_alone_determines_the_parent() {
    let mut story = team();
    story.run("create-session -s adopted --tag child:lead");
    let sent = story.reply(story.inside("d"), "send-orchestration --parent note");
    assert_eq!(names(&sent), ["lead"]);
}

#[test]
fn a_renamed_session_keeps_its_children_and_messages() {
    let mut story = team();
    story.run_in("b", "report-status working");
    story.run("rename-session -s lead chief");
    story.assert_events(&[
        "session renamed chief",
        "tags one +child:chief -child:lead",
        "tags two +child:chief -child:lead",
    ]);
    let sent = story.reply(story.inside("b"), "send-orchestration --parent note");
    assert_eq!(names(&sent), ["chief"]);
    story.run("rename-session -s one first");
    let page = story.reply(story.inside("a"), "poll-messages");
    assert_eq!((page["session_name"].as_str(), page["unread"].as_u64()), (Some("chief"), Some(2)));
    assert_eq!(names(&story.reply(story.inside("a"), "send-orchestration -s first note")), ["first"]);
}

#[test]
fn a_status_report_and_a_help_request_have_documented_payloads() {
    let mut story = team();
    let reported = story.reply(story.inside("b"), "report-status waiting_for_input 'may I?'");
    assert_eq!(reported["status"], "waiting_for_input");
    story.assert_events(&[
        "reported b waiting_for_input",
        "agent b agent waiting_for_input",
        "sent m1 to lead",
    ]);
    let agent = &story.reply(OUTSIDE, "list-panes -s one")["panes"][0]["agent"];
    assert_eq!((&agent["state"], &agent["reason"]), (&json!("waiting_for_input"), &json!("may I?")));
    assert_eq!(agent["source"], "reported");
    let page = story.reply(story.inside("a"), "poll-messages");
    assert_eq!(page["messages"][0]["msg_type"], "status.update");
    assert_eq!(
        page["messages"][0]["payload"],
        json!({ "session_id": "$one", "status": "waiting_for_input", "message": "may I?" })
    );
    story.run_in("b", "request-help 'stuck on tests'");
    let page = story.reply(story.inside("a"), "poll-messages --type help.*");
    assert_eq!(page["messages"][0]["payload"], json!({ "session_id": "$one", "context": "stuck on tests" }));
}

#[test]
fn a_status_report_without_a_recipient_says_so_and_a_help_request_is_refused() {
    let mut story = Story::of(&["create-session -s alone"]);
    let no_recipient = "No recipients: no other session is tagged `orchestrator`\n\
        hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags";
    let reported = story.reply(story.inside("a"), "report-status working");
    story.assert_events(&["reported a working", "agent a agent working"]);
    assert_eq!(reported["recipients"], json!([]));
    assert_eq!(reported["note"], "No recipients: no other session is tagged `orchestrator`");
    story.refused_to(story.inside("a"), "request-help me", no_recipient);
}

#[test]
fn a_session_whose_parent_is_gone_asks_the_orchestrators_of_its_repository() {
    let mut story = team();
    story.run("create-session -s boss --tag orchestrator");
    story.run("create-session -s other --tag orchestrator");
    story.run("kill-session -s lead");
    for (pane, repository) in [("b", "/r"), ("d", "/r"), ("e", "/elsewhere")] {
        locate(&mut story, pane, repository, repository);
    }
    assert_eq!(names(&story.reply(story.inside("b"), "request-help me")), ["boss"]);
    assert_eq!(names(&story.reply(story.inside("b"), "report-status blocked")), ["boss"]);
    let elsewhere = "No recipients: no other session in this repository is tagged `orchestrator`\n\
        hint: `fugue list-sessions` lists sessions, tags and worktrees; `fugue set-tags` sets tags";
    story.run("kill-session -s boss");
    story.refused_to(story.inside("b"), "request-help me", elsewhere);
    story.refused_to(
        story.inside("c"),
        "request-help me",
        "No repository: session `two` is not in a git repository\n\
         hint: change to a directory in a repository, or send to a tag or a session",
    );
}

#[test]
fn a_session_whose_parent_is_gone_asks_an_orchestrator_of_its_lineage_wherever_that_is() {
    let mut story = team();
    story.run_in("b", "create-session -s deeper");
    story.run("kill-session -s one");
    for (pane, repository) in [("a", "/r"), ("d", "/elsewhere")] {
        locate(&mut story, pane, repository, repository);
    }
    assert_eq!(names(&story.reply(story.inside("d"), "request-help me")), ["lead"]);
}

#[test]
fn an_agent_cannot_create_a_session_that_names_another_parent() {
    let mut story = team();
    let reserved = "Tag `child:two` is reserved: it marks a session as a child of another\n\
        hint: choose another tag; only the user may set this one";
    story.refused_to(story.inside("b"), "create-session -s x --tag child:two", reserved);
    story.run_in("b", "create-session -s y --tag child:one");
    let sent = story.reply(story.inside("d"), "send-orchestration --parent note");
    assert_eq!(names(&sent), ["one"]);
}

#[test]
fn an_agent_whose_pane_was_closed_cannot_send() {
    let mut story = team();
    let b = story.inside("b");
    story.run("kill-session -s one");
    let gone = "Pane not found\nhint: the pane of this process was closed; name a session or a pane";
    for line in ["send-orchestration -s lead note", "report-status idle", "poll-messages", "claim x"] {
        story.refused_to(b, line, gone);
    }
}

#[test]
fn sending_with_the_same_idempotency_key_is_a_duplicate() {
    let mut story = team();
    let line = "send-orchestration --tag worker note '{\"n\":1}' --idempotency-key k1";
    let first = story.reply(story.inside("a"), line);
    let again = story.reply(story.inside("a"), line);
    story.assert_events(&[]);
    assert_eq!((&again["message_id"], &again["duplicate"]), (&first["message_id"], &json!(true)));
    assert_eq!(again["recipients"], first["recipients"]);
    // Keys of different senders are independent.
    story.run_in("b", "send-orchestration -s two note --idempotency-key k1");
    story.assert_events(&["sent m2 to two"]);
}

#[test]
fn an_agent_cannot_set_parent_tags() {
    let mut story = team();
    story.run("create-session -s free");
    let reserved = "Tag `child:two` is reserved: it marks a session as a child of another\n\
        hint: choose another tag; only the user may set this one";
    // Otherwise any agent could redirect the reports of `free` to itself.
    story.refused_to(story.inside("c"), "set-tags -s free --add child:two", reserved);
    story.refused_to(story.inside("d"), "set-tags --add child:two", reserved);
    let reserved = reserved.replace("child:two", "child:lead");
    story.refused_to(story.inside("b"), "set-tags --remove child:lead", &reserved);
    story.run("set-tags -s free --add child:lead");
    assert_eq!(names(&story.reply(story.inside("d"), "send-orchestration --parent note")), ["lead"]);
}
