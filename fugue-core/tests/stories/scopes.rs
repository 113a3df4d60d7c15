//! Scopes: every verb that changes something is checked, and nothing an agent does widens its own scope.

use fugue_core::caller::{NoPane, Unattributed};
use fugue_core::scope::Scopes;
use fugue_core::{Caller, Input, KeySpace, Settings};
use fugue_protocol::verbs::{Nature, Reach, VERBS};
use fugue_protocol::{Refusal, Scope};
use serde_json::json;

use crate::clients::attach;
use crate::story::{OUTSIDE, Story};

/// A session `worker` with pane a, limited by a scope; a session `victim` with panes b and c, and window `more` with d.
fn story(scope: Scope) -> Story {
    let mut story = Story::of(&[
        "create-session -s worker",
        "create-session -s victim --worktree theirs",
        "create-pane -s victim",
        "create-window -s victim -n more",
        "select-session worker",
        "claim lock --ttl-ms 100000",
        "send-orchestration -s victim note",
        "store-buffer --name copied text",
    ]);
    limit(&mut story, scope);
    story
}

fn limit(story: &mut Story, scope: Scope) {
    story.machine.configure(Settings::default(), Scopes::new([("worker*".to_owned(), scope)]));
}

const ORPHAN: Caller = Caller::Unattributed(Unattributed { why: NoPane::Orphan, claimed: None });

/// A request of another host for a session.
const START_REMOTE: &str = r#"start-remote {"host":"other","request":{"host":"a","start":"create-session","message":{"message_id":"019a0000-0000-7000-8000-000000000001","target":{"session":"a/x"},"msg_type":"fleet.start","payload":{},"bytes":2,"sent_at":0,"expires_at":1000000000000000,"number":1}}}"#;

/// A call of a verb that concerns the victim.
fn call(verb: &str) -> &'static str {
    match verb {
        "create-session" => "create-session -s new",
        "rename-session" => "rename-session -s victim mine",
        "select-session" => "select-session victim",
        "kill-session" => "kill-session -s victim",
        "remove-worktree" => "remove-worktree -s victim",
        "set-tags" => "set-tags -s victim --add mine",
        "set-metadata" => "set-metadata -s victim k v",
        "set-environment" => "set-environment -s victim K v",
        "create-window" => "create-window -s victim",
        "create-layout" => r#"create-layout -s victim '{"direction":"below","children":[{},{}]}'"#,
        "rename-window" => "rename-window -s victim mine",
        "select-window" => "select-window -s victim -w 0",
        "move-window" => "move-window -s victim -w more --to-session worker",
        "swap-windows" => "swap-windows -s victim -w 0 --with 1",
        "resize-window" => "resize-window -s victim 60x20",
        "select-layout" => "select-layout -s victim -w 0 even-horizontal",
        "rotate-panes" => "rotate-panes -s victim -w 0",
        "kill-window" => "kill-window -s victim",
        "create-pane" => "create-pane -s victim",
        "rename-pane" => "rename-pane -t %b mine",
        "mute-pane" => "mute-pane -t %b",
        "mark-pane" => "mark-pane -t %b",
        "focus-pane" => "focus-pane -t %b",
        "resize-pane" => "resize-pane -t %b --below --by 3",
        "zoom-pane" => "zoom-pane -t %b",
        "swap-panes" => "swap-panes -t %b --with %a",
        "join-pane" => "join-pane -t %b --beside %a",
        "break-pane" => "break-pane -t %b",
        "respawn-pane" => "respawn-pane -t %b -k",
        "restore-panes" => "restore-panes -s victim",
        "resume-agent" => "resume-agent %b",
        "spawn-agent" => "spawn-agent claude -t %b",
        "close-pane" => "close-pane -t %b",
        "answer-permission" => "answer-permission 1a2b3c4d 1",
        "send-input" => "send-input -t %b ls",
        "run" => "run -t %b ls",
        "run-parallel" => "run-parallel -s victim ls",
        "attach-client" => "attach-client -s victim --size 80x24",
        "detach-client" => "detach-client -s victim",
        "run-in-client" => "run-in-client -c 1 help",
        "clear-history" => "clear-history -t %b",
        "set-global-environment" => "set-global-environment A b",
        "get-global-environment" => "get-global-environment",
        "subscribe-orchestration" => "subscribe-orchestration -s victim --deliver count",
        "send-orchestration" => "send-orchestration -s victim note",
        "report-status" => "report-status working",
        "report-conversation" => "report-conversation claude id-1",
        "report-state" => "report-state claude working",
        "request-help" => "request-help why",
        "broadcast" => "broadcast note",
        "announce-messages" => "announce-messages -s victim",
        "poll-messages" => "poll-messages -s victim",
        "message-status" => "message-status !m1",
        "list-messages" => "list-messages",
        "resend-message" => "resend-message !m1",
        "take-outbox" => "take-outbox",
        "expand-outbox" => "expand-outbox 019a0000-0000-7000-8000-000000000001",
        "confirm-outbox" => "confirm-outbox",
        "deliver-remote" => "deliver-remote other",
        "start-remote" => START_REMOTE,
        "claim" => "claim other --ttl-ms 1000",
        "release" => "release lock",
        "shutdown" => "shutdown",
        "authorize" => "authorize",
        "get-metrics" => "get-metrics",
        "dismiss-warnings" => "dismiss-warnings",
        "change-option" => "change-option pane:%b @o x",
        "change-hook" => "change-hook pane:%a bell x",
        "store-buffer" => "store-buffer text",
        "get-buffer" => "get-buffer",
        "list-paste-buffers" => "list-paste-buffers",
        "rename-buffer" => "rename-buffer kept --name copied",
        "remove-buffer" => "remove-buffer",
        "use-channel" => "use-channel signal done",
        "hold-pipe" => "hold-pipe -t %b key",
        "end-pipe" => "end-pipe -t %b",
        other => panic!("`{other}` changes something or is private, so it needs a call here"),
    }
}

#[test]
fn every_verb_that_changes_something_is_refused_beyond_the_scope() {
    for verb in VERBS.iter().filter(|verb| verb.nature != Nature::Reads) {
        if verb.properties.reach == Reach::Shared {
            continue;
        }
        for scope in [Scope::Observe, Scope::Descendants] {
            if verb.name == "create-session" && scope == Scope::Descendants {
                continue; // A new session is the caller's descendant.
            }
            let mut story = story(scope);
            attach(&mut story, 1, "victim");
            if verb.name == "resume-agent" {
                story.run("respawn-pane -t %b -k --command 'claude --session-id 019a0000-0000-7000-8000-000000000001'");
            }
            if ["restore-panes", "resume-agent"].contains(&verb.name) {
                let runs = vec![story.run_of("a")];
                story.input(Input::RunsHeld { runs }); // Only lost programs are started again.
            }
            if verb.name == "end-pipe" {
                story.begin(OUTSIDE, "hold-pipe -t %b key");
            }
            let before = story.world().clone();
            story.begin(story.inside("a"), call(verb.name));
            let answer = story.step.answers.pop();
            let reserved = |refusal: &Refusal| {
                matches!(
                    refusal,
                    Refusal::NotYourInbox { .. } | Refusal::OnlyPeopleAnswer | Refusal::OnlyRelay
                )
            };
            if matches!(&answer, Some((_, Err(refusal))) if reserved(refusal)) {
                continue; // Agents have only their own inbox, answer no dialogs and relay nothing, whatever their scope.
            }
            let refused = matches!(
                answer,
                Some((_, Err(Refusal::OutOfScope { .. } | Refusal::DaemonOutOfScope { .. })))
            );
            assert!(refused, "{} as {scope:?}: {answer:?}", verb.name);
            assert_eq!((story.step.effects.len(), story.world()), (0, &before), "{}", verb.name);
            let entry = story.step.audit.take().expect("an audit entry");
            assert!(entry.refusal.is_some() && entry.verb == verb.name);
        }
    }
}

#[test]
fn a_caller_that_cannot_be_attributed_changes_nothing_and_reads_no_messages() {
    for verb in VERBS {
        if verb.nature == Nature::Reads && verb.properties.reach == Reach::Sessions {
            continue;
        }
        let mut story = story(Scope::All);
        attach(&mut story, 1, "victim");
        let before = story.world().clone();
        story.begin(ORPHAN, call(verb.name));
        let answer = story.step.answers.pop();
        assert!(matches!(answer, Some((_, Err(_)))), "{}: {answer:?}", verb.name);
        assert_eq!((story.step.effects.len(), story.world()), (0, &before), "{}", verb.name);
    }
}

#[track_caller]
fn out_of_scope(story: &mut Story, pane: &str, line: &str) -> String {
    let refusal = story.answer(story.inside(pane), line).expect_err("it is out of scope");
    refusal.to_string()
}

#[test]
fn authority_is_inherited_by_what_an_agent_creates_renames_and_restarts() {
    let mut story = story(Scope::Descendants);
    story.run_in("a", "create-session -s free");
    story.run_in("e", "rename-session freer");
    story.run_in("e", "create-session -s freest");
    let refused = "Session victim is outside the scope (`descendants`) of ";
    assert_eq!(out_of_scope(&mut story, "e", "set-tags -s victim --add x"), format!("{refused}freer"));
    assert_eq!(out_of_scope(&mut story, "f", "set-tags -s victim --add x"), format!("{refused}freest"));
    story.run_in("a", "rename-session free");
    assert_eq!(out_of_scope(&mut story, "a", "set-tags -s victim --add x"), format!("{refused}free"));
    story.run_in("a", "set-tags -s freest --add grandchild");
    story.run("rename-session -s free trusted");
    story.run_in("a", "set-tags -s victim --add x");
    out_of_scope(&mut story, "e", "set-tags -s victim --add y");
    story.restart();
    limit(&mut story, Scope::Descendants);
    out_of_scope(&mut story, "f", "set-tags -s victim --add y");
}

#[test]
fn a_pane_that_an_agent_opens_or_restarts_in_a_freer_session_has_both_rules() {
    let mut story = story(Scope::All);
    story.run_in("a", "create-pane -s victim");
    story.run_in("a", "respawn-pane -t %b -k");
    limit(&mut story, Scope::Observe);
    for pane in ["e", "b"] {
        out_of_scope(&mut story, pane, "set-tags -s worker --add x");
        story.run_in(pane, "set-tags --add own");
    }
    story.run_in("c", "set-tags -s worker --add x");
    story.run("respawn-pane -t %b -k");
    story.run_in("b", "set-tags -s worker --add y");
}

#[test]
fn a_moved_pane_keeps_its_home_and_its_rule() {
    let mut story = story(Scope::Observe);
    story.run("create-pane -s worker -d");
    story.run("join-pane -t %a --beside %b");
    out_of_scope(&mut story, "a", "set-tags -s victim --add x");
    story.run_in("a", "set-tags -s worker --add home");
    story.run("kill-session -s worker");
    out_of_scope(&mut story, "a", "set-tags -s victim --add x");
}

#[test]
fn values_of_variables_are_shown_to_people_and_to_the_lineage_of_the_session() {
    let mut story = story(Scope::All);
    story.run("set-environment -s victim TOKEN secret");
    story.run_in("a", "create-session -s child -e TOKEN=own");
    let values = |story: &mut Story, caller: Caller, session: &str| {
        story.reply(caller, &format!("get-environment -s {session}"))["entries"]["TOKEN"].clone()
    };
    assert_eq!(values(&mut story, OUTSIDE, "victim"), json!("secret"));
    let (own, foreign) = (story.inside("b"), story.inside("a"));
    assert_eq!(values(&mut story, own, "victim"), json!("secret"));
    assert_eq!(values(&mut story, foreign, "child"), json!("own"));
    for caller in [foreign, ORPHAN, Caller::Agent(KeySpace::default())] {
        assert_eq!(values(&mut story, caller, "victim"), json!("(hidden)"));
    }
}
