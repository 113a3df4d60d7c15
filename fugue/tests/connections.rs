//! Many requests, many connections, and peers that send garbage.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

use fugue_client::{Connection, ServerFrame};
use fugue_protocol::Event;
use fugue_protocol::frames::FrameReader;
use fugue_protocol::messages::{self, Hello, Role};
use fugue_protocol::verbs::{GetServerStatus, PollMessages, SubscribeEvents};
use fugue_testkit::{PATIENCE, TestServer, signal};
use serde_json::value::RawValue;

fn test_server() -> TestServer {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    server
}

/// Valid and invalid requests in turn: the verb, its arguments, and the code of the refusal, if any.
const MIXED: [(&str, &str, Option<&str>); 6] = [
    ("list-sessions", "{}", None),
    ("get-tags", r#"{"session":"nobody"}"#, Some("session_not_found")),
    ("no-such-verb", "{}", Some("unknown_verb")),
    ("rename-session", r#"{"name":"a\u0007b"}"#, Some("bad_arguments")),
    ("get-output", r#"{"session":"work","lines":3}"#, None),
    ("get-tags", r#"{"session":"work","color":"red"}"#, Some("bad_arguments")),
];

fn send_mixed(connection: &mut Connection, count: usize) -> BTreeMap<u64, Option<&'static str>> {
    let mut expected = BTreeMap::new();
    for (verb, args, refusal) in MIXED.iter().cycle().take(count) {
        let args: Box<RawValue> = serde_json::from_str(args).expect("JSON");
        expected.insert(connection.send_named(verb, &args).expect("sent"), *refusal);
    }
    expected
}

fn receive_all(connection: &mut Connection, mut expected: BTreeMap<u64, Option<&str>>) {
    while !expected.is_empty() {
        let ServerFrame::Answer(id, answer) = connection.next_frame().expect("an answer") else { continue };
        let refusal = expected.remove(&id).unwrap_or_else(|| panic!("{id} was answered twice or never sent"));
        assert_eq!(
            answer.as_ref().err().map(|refused| refused.code.as_str()),
            refusal,
            "request {id}: {answer:?}"
        );
    }
}

#[test]
fn a_thousand_requests_on_one_connection_are_each_answered_to_their_own_id() {
    let server = test_server();
    let mut connection = server.connect();
    let expected = send_mixed(&mut connection, 1_000);
    receive_all(&mut connection, expected);
}

#[test]
fn requests_that_arrive_just_before_their_pane_is_closed_are_answered() {
    let server = test_server();
    let panes: Vec<_> = (0..20).map(|number| server.session(&format!("s{number}"), &["cat"])).collect();
    let mut connection = server.connect();
    // All are processed at once when the daemon continues.
    let daemon = server.daemon_pid();
    signal("STOP", daemon);
    let mut expected = BTreeMap::new();
    for pane in &panes {
        let wait = format!(r#"{{"pane":"{pane}","until":"exit"}}"#);
        let submit = format!(r#"{{"pane":"{pane}","input":"last words","submit":true}}"#);
        let named = format!(r#"{{"pane":"{pane}"}}"#);
        let requests =
            [("wait", wait), ("send-input", submit), ("get-output", named.clone()), ("close-pane", named)];
        for (verb, args) in requests {
            let args = RawValue::from_string(args).expect("JSON");
            expected.insert(connection.send_named(verb, &args).expect("sent"), verb);
        }
    }
    signal("CONT", daemon);
    while !expected.is_empty() {
        let ServerFrame::Answer(id, answer) = connection.next_frame().expect("an answer") else { continue };
        let verb = expected.remove(&id).expect("a request");
        let answer = answer.unwrap_or_else(|refused| panic!("{verb} is refused: {}", refused.message));
        let answer: serde_json::Value = serde_json::from_str(answer.get()).expect("JSON");
        match verb {
            "wait" => assert_eq!(answer["outcome"], "closed"),
            "send-input" => assert_eq!(answer["submit"], "pending"),
            _ => {}
        }
    }
}

#[test]
fn a_wait_that_arrives_while_the_program_exits_reports_its_exit_status() {
    let server = test_server();
    let panes: Vec<_> = (0..20).map(|number| server.session(&format!("s{number}"), &["cat"])).collect();
    let listed = server.json(&["list-panes"]);
    let listed = listed["panes"].as_array().expect("panes");
    let pid = |pane: &String| {
        let view = listed.iter().find(|view| view["pane_id"] == **pane).expect("a pane");
        view["pid"].as_u64().expect("a process") as u32
    };
    let mut connection = server.connect();
    for pane in &panes {
        let args = RawValue::from_string(format!(r#"{{"pane":"{pane}","until":"exit"}}"#)).expect("JSON");
        signal("TERM", pid(pane));
        let mut waits: BTreeSet<_> =
            (0..50).map(|_| connection.send_named("wait", &args).expect("sent")).collect();
        while !waits.is_empty() {
            let ServerFrame::Answer(id, answer) = connection.next_frame().expect("an answer") else {
                continue;
            };
            assert!(waits.remove(&id), "{id} was answered twice or never sent");
            let waited = answer.unwrap_or_else(|refused| panic!("the wait is refused: {}", refused.message));
            let waited: serde_json::Value = serde_json::from_str(waited.get()).expect("JSON");
            assert_eq!((&waited["outcome"], &waited["exit"]["signal"]), (&"exited".into(), &15.into()));
        }
    }
}

#[test]
fn a_subscriber_gets_the_event_before_the_reply_that_mentions_it() {
    let server = test_server();
    let mut connection = server.connect();
    connection.call(&SubscribeEvents { since: None }).expect("events");
    connection.call(&GetServerStatus {}).expect("an answer, after which past events have been sent");
    for (old, new) in [("work", "rest"), ("rest", "work")].into_iter().cycle().take(50) {
        let args = format!(r#"{{"session":"{old}","name":"{new}"}}"#);
        let args: Box<RawValue> = serde_json::from_str(&args).expect("JSON");
        let id = connection.send_named("rename-session", &args).expect("sent");
        let mut is_told = false;
        loop {
            match connection.next_frame().expect("a frame") {
                // Something else may happen meanwhile, such as another program in the foreground.
                ServerFrame::Event(record) => is_told |= matches!(record.event, Event::SessionRenamed { .. }),
                ServerFrame::Answer(answered, Ok(_)) if answered == id => break assert!(is_told),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn fifty_connections_at_once_are_served() {
    let server = test_server();
    let mut connections: Vec<_> = (0..50).map(|_| server.connect()).collect();
    let expected: Vec<_> = connections.iter_mut().map(|connection| send_mixed(connection, 60)).collect();
    for (connection, expected) in connections.iter_mut().zip(expected) {
        receive_all(connection, expected);
    }
    assert_eq!(server.json(&["server-status"])["connections"], 51);
}

/// The daemon's answer to raw bytes, until it closes the connection.
fn answer_to(server: &TestServer, bytes: &[u8]) -> String {
    let mut socket = UnixStream::connect(server.socket()).expect("the daemon is running");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    socket.write_all(bytes).expect("sent");
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).expect("the connection is closed");
    String::from_utf8_lossy(&answer).into_owned()
}

fn framed(text: &str) -> Vec<u8> {
    let mut frame = Vec::new();
    fugue_protocol::frames::write(&mut frame, fugue_protocol::frames::FrameKind::Words, text.as_bytes());
    frame
}

#[test]
fn garbage_closes_only_its_own_connection_with_a_reason() {
    let server = test_server();
    let mut other = server.connect();
    let hello = framed(r#"{"hello":{"protocol":1}}"#);
    let cases: [(&str, Vec<u8>); 6] = [
        ("unknown kind of frame", b"GET / HTTP/1.1\r\n\r\n".to_vec()),
        ("the limit is 65536", vec![0xff, 0xff, 0xff, 0xff, 0]),
        ("a connection must begin with a `hello` message", framed(r#"{"id":1,"verb":"list-sessions"}"#)),
        ("speaks version 99", framed(r#"{"hello":{"protocol":99}}"#)),
        ("a request must have an id", [hello.clone(), framed("{}")].concat()),
        ("Invalid request", [hello.clone(), framed("not json")].concat()),
    ];
    for (reason, bytes) in cases {
        let answer = answer_to(&server, &bytes);
        assert!(answer.contains(reason), "{reason}: {answer}");
    }
    let too_long = [hello, (1u32 << 30).to_le_bytes().to_vec(), vec![0]].concat();
    assert!(answer_to(&server, &too_long).contains("frame_too_large"));
    let expected = send_mixed(&mut other, 6);
    receive_all(&mut other, expected);
}

#[test]
fn a_client_of_another_version_is_told_both_versions_and_what_to_do() {
    let server = test_server();
    let answer = answer_to(&server, &framed(r#"{"hello":{"protocol":99,"version":"9.9.9"}}"#));
    assert!(answer.contains("the client (fugue 9.9.9) speaks version 99"), "{answer}");
    assert!(
        answer.contains("`fugue upgrade` replaces the daemon with this version; programs keep running"),
        "{answer}"
    );
    assert!(!answer.contains("shutdown"), "{answer}");
}

#[test]
fn a_request_without_a_verb_is_refused_and_the_connection_stays_open() {
    let server = test_server();
    let mut socket = UnixStream::connect(server.socket()).expect("the daemon is running");
    socket.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let requests = [
        r#"{"hello":{"protocol":1,"unknown":true}}"#,
        r#"{"id":1}"#,
        r#"{"id":2,"verb":"list-sessions","more":1}"#,
    ];
    socket.write_all(&requests.map(framed).concat()).expect("sent");
    let mut received = String::new();
    let mut piece = [0; 4096];
    while !received.contains(r#""id":2,"reply""#) {
        let count = socket.read(&mut piece).expect("an answer");
        assert!(count > 0, "closed after {received}");
        received += &String::from_utf8_lossy(&piece[..count]);
    }
    assert!(received.contains("a request must name a verb"), "{received}");
}

#[test]
fn a_peer_that_disconnects_in_mid_frame_affects_nobody_else() {
    let server = test_server();
    for cut in 1..40 {
        let bytes = framed(r#"{"hello":{"protocol":1,"role":"command"}}"#);
        let mut socket = UnixStream::connect(server.socket()).expect("the daemon is running");
        socket.write_all(&bytes[..cut]).expect("sent");
    }
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane\n");
}

#[test]
fn a_reply_names_the_session_that_was_assumed() {
    let server = test_server();
    let mut connection = server.connect();
    connection.call(&fugue_protocol::verbs::GetTags::default()).expect("tags");
    assert_eq!(connection.assumed_session().map(ToString::to_string).as_deref(), Some("work"));
    let session = "work".parse().ok();
    connection.call(&fugue_protocol::verbs::GetTags { session }).expect("tags");
    assert_eq!(connection.assumed_session(), None);
}

#[test]
fn a_read_only_client_is_restricted_by_the_daemon() {
    let server = test_server();
    let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    let socket = UnixStream::connect(server.socket()).expect("a socket");
    let mut requests = messages::greeting(Hello::new(Role::Terminal, None)).expect("a greeting");
    let mut asks = |id: u64, verb: &str, args: String| {
        let args = RawValue::from_string(args).expect("JSON");
        requests.extend(messages::request_named(id, verb, &args).expect("a request"));
        if id == 1 {
            requests.extend(messages::keys(pane.parse().expect("an id"), b"typed"));
        }
    };
    let attach =
        |read_only| format!(r#"{{"session":"work","size":{{"cols":80,"rows":24}},"read_only":{read_only}}}"#);
    asks(1, "attach-client", attach(true));
    asks(2, "attach-client", attach(false));
    asks(3, "send-input", format!(r#"{{"pane":"{pane}","input":"sent"}}"#));
    asks(4, "create-window", r#"{"session":"work"}"#.into());
    asks(5, "focus-pane", format!(r#"{{"pane":"{pane}"}}"#));
    asks(6, "get-output", format!(r#"{{"pane":"{pane}"}}"#));
    (&socket).write_all(&requests).expect("written");
    let mut reader = FrameReader::new(1 << 20);
    let (mut answers, mut notices) = (BTreeMap::new(), Vec::new());
    while answers.len() < 6 {
        let mut piece = [0; 4096];
        let count = (&socket).read(&mut piece).expect("data");
        assert!(count > 0, "the daemon closed the connection");
        reader.push(&piece[..count]);
        while let Some((_, body)) = reader.next_frame().expect("a frame") {
            let body: serde_json::Value = serde_json::from_slice(body).expect("JSON");
            let code = |of: &str| body[of]["code"].as_str().map(str::to_owned);
            match body["id"].as_u64() {
                Some(id) => drop(answers.insert(id, code("refusal"))),
                None => notices.extend(code("notice")),
            }
        }
    }
    let only = Some("only_watches".to_owned());
    let expected = [None, None, only.clone(), only, None, None];
    assert_eq!(answers.into_values().collect::<Vec<_>>(), expected);
    assert_eq!(notices, ["only_watches"], "its keys are refused");
    assert_eq!(server.text(&pane).trim(), "", "nothing reached the pane");
    assert_eq!(server.ok(&["ls"]), "work: 1 window, 1 pane (1 client)\n");
}

#[test]
fn a_wait_is_answered_though_a_client_attaches_at_the_moment_when_its_time_is_over() {
    let server = test_server();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let socket = UnixStream::connect(server.socket()).expect("the daemon runs");
            let mut terminal = Connection::new(socket, Role::Terminal, None).expect("a connection");
            let attach = serde_json::json!({ "session": "work", "size": { "cols": 80, "rows": 24 } });
            let attach = serde_json::value::to_raw_value(&attach).expect("JSON");
            while !is_over.load(Ordering::Acquire) {
                terminal.call_named("attach-client", &attach).expect("it attaches");
            }
        });
        let mut waiting = server.connect();
        let wait = PollMessages {
            session: Some("work".parse().expect("a session")),
            wait_ms: 1,
            ..PollMessages::default()
        };
        for _ in 0..500 {
            let page = waiting.call(&wait).expect("it is answered");
            assert_eq!(page.messages.len(), 0);
        }
        is_over.store(true, Ordering::Release);
    });
}
