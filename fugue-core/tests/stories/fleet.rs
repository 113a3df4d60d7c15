//! Messages to and from other hosts: the outbox, what arrives, and what another host cannot do.

use fugue_core::scope::Scopes;
use fugue_core::{FleetMembership, Settings, StartRules};
use fugue_protocol::Refusal;
use serde_json::{Value, json};

use crate::story::{OUTSIDE, Story};

pub(crate) const ID: &str = "019a0000-0000-7000-8000-000000000001";

/// A session of another host.
const SESSION: &str = "019a0000-0000-7000-8000-0000000000aa";

pub(crate) fn settings() -> Settings {
    with_outbox(2)
}

pub(crate) fn with_outbox(outbox_messages: usize) -> Settings {
    let fleet = Some(FleetMembership {
        host: "a".parse().expect("a name"),
        outbox_messages,
        run: Default::default(),
    });
    Settings { fleet, ..Settings::default() }
}

/// A request of another host for a session.
const START: &str = r#"start-remote {"host":"b","request":{"host":"a","start":"create-session","message":{"message_id":"019a0000-0000-7000-8000-000000000001","target":{"session":"a/x"},"msg_type":"fleet.start","payload":{},"bytes":2,"sent_at":0,"expires_at":1000000000000000,"number":1}}}"#;

/// A host `a` with a session `lead`, whose pane is `a`.
pub(crate) fn host() -> Story {
    let mut story = Story::with(settings());
    story.run("create-session -s lead");
    story
}

/// A message from a session `worker` of another host.
pub(crate) fn arriving(id: &str, to: &str, reply_to: Option<&str>) -> Value {
    json!({ "host": "a", "session": to, "message": {
        "message_id": id, "from_session_id": SESSION, "from_session_name": "worker", "target": { "session": "a/lead" },
        "msg_type": "note", "payload": {}, "bytes": 2, "sent_at": 0, "expires_at": 1_000_000_000_000_000_u64,
        "number": 1, "reply_to": reply_to,
    } })
}

pub(crate) fn deliver(story: &mut Story, host: &str, messages: &[Value], receipts: &[Value]) -> Value {
    let call = json!({ "host": host, "messages": messages, "receipts": receipts });
    story.reply(OUTSIDE, &format!("deliver-remote {call}"))
}

/// The state of each recipient of a message.
pub(crate) fn receipts(story: &mut Story, id: &str) -> Vec<String> {
    let report = story.reply(OUTSIDE, &format!("message-status {id}"));
    let receipts = report["receipts"].as_array().cloned().unwrap_or_default();
    let text = |receipt: &Value| {
        let text = |field: &str| receipt[field].as_str().unwrap_or_default().to_owned();
        [text("session_name"), text("state"), text("reason")].join(" ").trim_end().to_owned()
    };
    let mut receipts: Vec<_> = receipts.iter().map(text).collect();
    receipts.sort();
    receipts
}

/// The only message in the outbox, with its id as it travels.
fn waiting(story: &mut Story) -> (Value, String) {
    let page = story.reply(OUTSIDE, "take-outbox");
    let message = page["messages"][0].clone();
    let id = story.aliases.message("m1").to_string();
    (message, id)
}

#[test]
fn a_message_to_another_host_waits_in_the_outbox_until_it_is_relayed() {
    let mut story = host();
    story.run_in("a", "send-orchestration -s b/worker task.assigned");
    let (message, id) = waiting(&mut story);
    assert_eq!((&message["host"], &message["session"]), (&json!("b"), &json!("worker")));
    story.run(&format!("confirm-outbox --relayed b/{id}"));
    story.assert_events(&["relayed m1"]);
    let page = story.reply(OUTSIDE, "take-outbox");
    assert_eq!((&page["messages"], &page["waiting"]), (&json!([]), &json!(0)));
    let report = story.reply(OUTSIDE, &format!("message-status {id}"));
    assert_eq!(report["receipts"][0]["state"], "relayed");
    assert_eq!(report["receipts"][0]["session_name"], "b/worker");
}

#[test]
fn the_outbox_is_bounded() {
    let mut story = host();
    story.run("send-orchestration -s b/one note");
    story.run("send-orchestration -s c/two note");
    story.refused(
        "send-orchestration -s b/one note",
        "The outbox for other hosts is full: 2 messages, 4 bytes\n\
         hint: try again in 5000 ms; `fugue fleet status` shows why messages are not relayed",
    );
    story.run("send-orchestration -s lead note");
}

#[test]
fn a_message_from_another_host_is_stored_once() {
    let mut story = host();
    let message = arriving(ID, "lead", None);
    let first = deliver(&mut story, "b", std::slice::from_ref(&message), &[]);
    assert_eq!((&first["stored"], &first["duplicates"]), (&json!(1), &json!(0)));
    let again = deliver(&mut story, "b", &[message.clone(), message], &[]);
    assert_eq!((&again["stored"], &again["duplicates"]), (&json!(0), &json!(2)));
    let page = story.reply(story.inside("a"), "poll-messages");
    assert_eq!(page["messages"][0]["from_session_name"], "b/worker");
    assert_ne!(
        page["messages"][0]["from_session_id"],
        json!(SESSION),
        "another host does not choose ids here"
    );
}

#[test]
fn its_receipts_wait_in_the_outbox_too() {
    let mut story = host();
    deliver(&mut story, "b", &[arriving(ID, "lead", None)], &[]);
    let receipt = story.reply(OUTSIDE, "take-outbox")["receipts"][0].clone();
    assert_eq!((&receipt["host"], &receipt["state"]), (&json!("b"), &json!("queued")), "it is stored");
    story.run_in("a", &format!("poll-messages -n 0 --ack {ID}"));
    let receipt = story.reply(OUTSIDE, "take-outbox")["receipts"][0].clone();
    assert_eq!((&receipt["host"], &receipt["state"]), (&json!("b"), &json!("read")));
    let confirmed = json!({ "host": "b", "message_id": ID, "state": "read" });
    story.run(&format!("confirm-outbox {}", json!({ "reported": [confirmed] })));
    assert_eq!(story.reply(OUTSIDE, "take-outbox")["receipts"], json!([]));
}

#[test]
fn a_session_that_does_not_exist_is_refused_by_name() {
    let mut story = host();
    let outcome = deliver(&mut story, "b", &[arriving(ID, "nobody", None)], &[]);
    assert_eq!(outcome["refused"][0]["reason"], "Session not found: nobody");
}

#[test]
fn only_the_host_of_the_recipient_can_say_what_became_of_a_message() {
    let mut story = host();
    story.run_in("a", "send-orchestration -s b/worker note");
    let (_, id) = waiting(&mut story);
    let receipt = json!({ "host": "a", "message_id": id, "state": "read" });
    deliver(&mut story, "c", &[], std::slice::from_ref(&receipt));
    let state = |story: &mut Story| {
        story.reply(OUTSIDE, &format!("message-status {id}"))["receipts"][0]["state"].clone()
    };
    assert_eq!(state(&mut story), "queued");
    deliver(&mut story, "b", &[], &[receipt]);
    assert_eq!(state(&mut story), "read");
}

#[test]
fn only_the_host_that_was_asked_can_answer() {
    let mut story = host();
    story.run_in("a", "send-orchestration -s b/worker note");
    let (_, question) = waiting(&mut story);
    let other = ID.replace("0001", "0002");
    deliver(&mut story, "c", &[arriving(&other, "lead", Some(&question))], &[]);
    deliver(&mut story, "b", &[arriving(ID, "lead", Some(&question))], &[]);
    let page = story.reply(story.inside("a"), "poll-messages");
    let replies: Vec<_> =
        page["messages"].as_array().expect("messages").iter().map(|m| &m["reply_to"]).collect();
    assert_eq!(replies, [&Value::Null, &json!("!m1")]);
}

#[test]
fn an_answer_goes_to_the_session_that_asked_by_its_id() {
    let mut story = host();
    deliver(&mut story, "b", &[arriving(ID, "lead", None)], &[]);
    story.run_in("a", &format!("send-orchestration --reply-to {ID} help.answer"));
    let message = story.reply(OUTSIDE, "take-outbox")["messages"][0].clone();
    assert_eq!((&message["host"], &message["session"]), (&json!("b"), &json!(SESSION)));
}

#[test]
fn agents_cannot_use_the_verbs_of_the_relay() {
    let mut story = host();
    for line in [
        "take-outbox",
        "expand-outbox 019a0000-0000-7000-8000-000000000001",
        "confirm-outbox",
        "deliver-remote b",
        START,
    ] {
        let refusal = story.answer(story.inside("a"), line).expect_err("not for agents");
        assert_eq!(refusal, Refusal::OnlyRelay, "{line}");
        let entry = story.step.audit.take().expect("an audit entry");
        assert!(entry.refusal.is_some(), "{line}");
    }
}

#[test]
fn without_a_fleet_there_are_no_other_hosts() {
    let mut story = Story::of(&["create-session -s lead"]);
    story.refused(
        "send-orchestration -s b/worker note",
        "Session not found: b/worker\nhint: `fugue list-sessions` lists sessions",
    );
    story.refused(
        "take-outbox",
        "No fleet configured: this daemon does not send messages to other hosts\n\
         hint: set `host` in the [fleet] section of config.toml; see docs/fleet.md",
    );
}

#[test]
fn a_restart_keeps_the_outbox() {
    let mut story = host();
    story.run("send-orchestration -s b/worker note");
    deliver(&mut story, "b", &[arriving(ID, "lead", None)], &[]);
    story.run(&format!("poll-messages -s lead -n 0 --ack {ID}"));
    let before = story.reply(OUTSIDE, "take-outbox");
    story.restart();
    story.machine.configure(settings(), Scopes::default());
    assert_eq!(story.reply(OUTSIDE, "take-outbox"), before);
}

#[test]
fn a_session_that_was_created_from_another_host_reports_to_its_parent_there() {
    let mut story = host();
    story.run("create-session -s worker --tag child:b/lead");
    story.run_in("b", "send-orchestration --parent note");
    story.run_in("b", "report-status working");
    let page = story.reply(OUTSIDE, "take-outbox");
    let messages = page["messages"].as_array().expect("messages");
    let to: Vec<_> = messages.iter().map(|item| (&item["host"], &item["session"])).collect();
    assert_eq!(to, [(&json!("b"), &json!("lead")); 2]);
}

#[test]
fn a_message_over_the_rate_limit_is_refused_only_if_it_is_new() {
    let mut story = host();
    let message = arriving(ID, "lead", None);
    assert_eq!(deliver(&mut story, "b", std::slice::from_ref(&message), &[])["stored"], 1);
    let other = arriving("019a0000-0000-7000-8000-000000000002", "lead", None);
    let call = json!({ "host": "b", "messages": [message, other], "refuse_new": "too many" });
    let outcome = story.reply(OUTSIDE, &format!("deliver-remote {call}"));
    assert_eq!((&outcome["stored"], &outcome["duplicates"]), (&json!(0), &json!(1)));
    assert_eq!(outcome["refused"][0]["reason"], "too many");
}

#[test]
fn a_message_is_relayed_again_until_its_host_says_that_it_has_stored_it() {
    let mut story = host();
    story.run_in("a", "send-orchestration -s b/worker task.assigned");
    let (_, id) = waiting(&mut story);
    story.run(&format!("confirm-outbox --relayed b/{id}"));
    let unstored = |story: &mut Story| {
        let page = story.reply(OUTSIDE, "take-outbox --unstored-after-ms 0");
        page["messages"]
            .as_array()
            .expect("messages")
            .iter()
            .map(|it| it["relays"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(story.reply(OUTSIDE, "take-outbox")["messages"], json!([]));
    assert_eq!(unstored(&mut story), [json!(1)]);
    story.run(&format!("confirm-outbox --relayed b/{id}"));
    assert_eq!(unstored(&mut story), [json!(2)]);
    let stored = json!({ "host": "a", "message_id": id, "state": "queued" });
    deliver(&mut story, "b", &[], &[stored]);
    assert_eq!(unstored(&mut story), [] as [Value; 0]);
    assert_eq!(receipts(&mut story, &id), ["b/worker relayed"]);
}

#[test]
fn the_receipts_of_a_message_that_arrives_again_are_relayed_again() {
    let mut story = host();
    let message = arriving(ID, "lead", None);
    deliver(&mut story, "b", std::slice::from_ref(&message), &[]);
    assert_eq!(story.reply(OUTSIDE, "take-outbox")["receipts"][0]["state"], "queued");
    let reported = json!({ "host": "b", "message_id": ID, "state": "queued" });
    story.run(&format!("confirm-outbox {}", json!({ "reported": [reported] })));
    assert_eq!(story.reply(OUTSIDE, "take-outbox")["receipts"], json!([]));
    deliver(&mut story, "b", &[message], &[]);
    assert_eq!(story.reply(OUTSIDE, "take-outbox")["receipts"][0]["state"], "queued");
}

/// A request of host `b` to start something here, with an id that ends in this number.
fn start(number: usize, what: &str, payload: &Value) -> String {
    let call = json!({ "host": "b", "request": { "host": "a", "start": what, "message": {
        "message_id": format!("019a0000-0000-7000-8000-{number:012}"), "target": { "session": "a/x" },
        "msg_type": "fleet.start", "payload": payload, "bytes": 2, "sent_at": 0,
        "expires_at": 1_000_000_000_000_000_u64, "number": 1,
    } } });
    format!("start-remote {call}")
}

/// The answer to such a request if the rules of this host allow these programs.
fn started(rules: &[&str], what: &str, payload: &Value) -> Result<(), String> {
    let mut story = with_start_rules(rules, Settings::default().quotas);
    story.answer(OUTSIDE, &start(1, what, payload)).map(drop).map_err(|refusal| refusal.to_string())
}

fn with_start_rules(rules: &[&str], quotas: fugue_core::settings::Quotas) -> Story {
    let rules = [("b".to_owned(), rules.iter().map(|rule| (*rule).to_owned()).collect())];
    let fleet = settings().fleet.map(|fleet| FleetMembership { run: StartRules::new(rules.into()), ..fleet });
    let mut story = Story::with(Settings { fleet, quotas, ..Settings::default() });
    story.run("create-session -s lead");
    story
}

#[test]
fn a_rule_for_a_program_does_not_allow_it_with_other_arguments() {
    let argv = |words: &[&str]| json!({ "argv": words });
    assert_eq!(started(&["cargo test"], "create-session", &argv(&["cargo", "test"])), Ok(()));
    assert_eq!(started(&["cat"], "create-session", &argv(&["cat"])), Ok(()));
    for words in [&["cargo"][..], &["cargo", "run"], &["cargo", "test", "x"], &["cargo test"], &["sh"]] {
        assert!(started(&["cargo test"], "create-session", &argv(words)).is_err(), "{words:?}");
    }
    assert_eq!(started(&["claude"], "spawn-agent", &json!({ "agent": "claude" })), Ok(()));
    let mode = json!({ "agent": "claude", "permission_mode": "bypassPermissions" });
    let refused = started(&["claude"], "spawn-agent", &mode).expect_err("a permission mode");
    assert!(refused.contains("with environment variables, a worktree or a permission mode"), "{refused}");
    assert_eq!(started(&["*"], "spawn-agent", &mode), Ok(()));
}

#[test]
fn another_host_starts_no_more_programs_a_minute_than_an_agent() {
    let quotas = fugue_core::settings::Quotas { spawns_per_minute: 2, ..Settings::default().quotas };
    let mut story = with_start_rules(&["*"], quotas);
    let mut request = |number| {
        let line = start(number, "create-session", &json!({ "argv": ["cat"] }));
        story.answer(OUTSIDE, &line).map(drop).map_err(|refusal| refusal.to_string())
    };
    assert_eq!([request(1), request(2)], [Ok(()), Ok(())]);
    let refused = request(3).expect_err("too many");
    assert!(refused.contains("host `b`"), "{refused}");
}
