//! The daemon is killed while a verb is being carried out: the caller gets the truth, and nothing happens twice.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use fugue_testkit::{TestServer, signal};
use serde_json::Value;

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

fn spawn(server: &TestServer, words: &[&str]) -> Child {
    server.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("fugue starts")
}

#[test]
fn an_event_follower_resumes_after_every_kill_and_ends_when_the_daemon_is_shut_down() {
    let server = test_server();
    server.session("work", &["cat"]);
    let mut follow = spawn(&server, &["events", "--follow", "--since", "0"]);
    let mut lines = BufReader::new(follow.stdout.take().expect("its output")).lines();
    let mut ids = Vec::new();
    let mut read_until = |value: &str| {
        for line in lines.by_ref() {
            let event: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
            assert_ne!(event["event"], "events_missed");
            ids.extend(event["id"].as_u64());
            if event["value"] == value {
                return;
            }
        }
        panic!("the follower ended before {value}");
    };
    for number in 0..5 {
        let before = format!("before-{number}");
        server.ok(&["set-metadata", "-s", "work", "number", &before]);
        read_until(&before);
        signal("KILL", server.daemon_pid());
        let after = format!("after-{number}");
        server.ok(&["set-metadata", "-s", "work", "number", &after]);
        read_until(&after);
    }
    server.ok(&["shutdown"]);
    let ended = follow.wait().expect("it ends");
    let mut said = String::new();
    follow.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    ids.extend(lines.filter_map(|line| serde_json::from_str::<Value>(&line.ok()?).ok()?["id"].as_u64()));
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "every event once and in order");
    assert_eq!(
        (ended.code(), said.as_str()),
        (Some(0), "fugue: The daemon was shut down; there are no more events\n")
    );
    assert!(!server.socket().exists(), "no daemon was started to follow");
}
