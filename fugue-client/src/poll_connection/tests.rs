use super::*;
use fugue_protocol::frames::{self, FrameKind};
use fugue_protocol::input_ledger::LedgerEntry;

fn pane() -> PaneId {
    PaneId::from_bytes([7; 16])
}

/// A connection that has greeted and typed `a`, and the daemon's end, which has read that.
fn connection_that_typed() -> (PollConnection, UnixStream) {
    let (ours, mut theirs) = UnixStream::pair().expect("a socket pair");
    let mut connection = PollConnection::over(ours, Hello::new(Role::Terminal, None)).expect("a connection");
    connection.send_keys(pane(), b"a").expect("there is room");
    let mut all = vec![0; usize::try_from(connection.session.sent()).expect("a few bytes")];
    theirs.read_exact(&mut all).expect("the bytes sent");
    (connection, theirs)
}

/// The keys to type again over another connection.
fn undelivered(connection: PollConnection) -> UndeliveredKeys {
    connection.into_undelivered_keys(&connection_that_typed().0)
}

#[test]
fn keys_typed_after_the_daemon_exited_can_be_resent() {
    let (mut connection, theirs) = connection_that_typed();
    drop(theirs);
    let _ = connection.send_keys(pane(), b"b");
    assert!(matches!(connection.read_frames(), Err(CallError::Lost(_))));
    let again = vec![(pane(), b"b".to_vec())];
    assert_eq!(undelivered(connection), UndeliveredKeys { again, doubtful: 0, unsure: false });
}

#[test]
fn the_queue_for_a_daemon_that_does_not_read_is_bounded() {
    let (mut connection, mut theirs) = connection_that_typed();
    let mut accepted = 0;
    while !connection.is_full() {
        connection.send_keys(pane(), &[b'a'; 1_000]).expect("there is room");
        accepted += 1;
    }
    assert!(connection.session.unsent() < MAX_UNSENT + 2_000, "one frame over the bound at most");
    assert!(matches!(connection.send_keys(pane(), b"b"), Err(CallError::Refused(_))));
    assert!(matches!(connection.send_request("whoami", &no_args()), Err(CallError::Refused(_))));
    let mut all = vec![0; usize::try_from(connection.session.end()).expect("a few bytes")];
    let read = theirs.read(&mut all).expect("the bytes sent");
    connection.flush().expect("the socket takes more");
    assert!(read > 0 && accepted > 1_000 && !connection.is_full());
    connection.send_keys(pane(), b"b").expect("there is room again");
}

#[test]
fn announced_keys_do_not_count_as_typed() {
    let (mut connection, mut theirs) = connection_that_typed();
    let sent = connection.session.sent();
    connection.announce_keys(pane()).expect("nothing to send");
    assert_eq!(connection.session.sent(), sent, "the daemon has not sent its welcome");
    let mut welcome = Vec::new();
    let message = br#"{"welcome":{"protocol":1,"version":"0","client":1}}"#;
    frames::write(&mut welcome, FrameKind::Words, message);
    theirs.write_all(&welcome).expect("the welcome is sent");
    assert!(connection.read_frames().expect("no error").is_empty());
    connection.announce_keys(pane()).expect("the socket takes it");
    let mut frame = messages::keys(pane(), &[]);
    assert_eq!(connection.session.sent(), sent + frame.len() as u64);
    theirs.read_exact(&mut frame).expect("the bytes sent");
    drop(theirs);
    assert_eq!(undelivered(connection), UndeliveredKeys::default());
}

fn no_args() -> Box<RawValue> {
    serde_json::from_str("{}").expect("JSON")
}

#[test]
fn keys_the_daemon_did_not_read_are_reported_but_not_resent() {
    let (mut connection, theirs) = connection_that_typed();
    connection.send_keys(pane(), b"b").expect("there is room");
    drop(theirs);
    assert!(matches!(connection.read_frames(), Err(CallError::Lost(_))));
    assert_eq!(undelivered(connection), UndeliveredKeys { again: Vec::new(), doubtful: 0, unsure: true });
}

#[test]
fn a_line_that_ended_is_not_waited_for_and_says_why_when_its_process_exits() {
    let process = std::process::Command::new("sleep").arg("1000").spawn().expect("a process");
    let pid = rustix::process::Pid::from_child(&process);
    let (socket, far_end) = UnixStream::pair().expect("a socket");
    let hello = Hello::new(Role::Terminal, None);
    let line = HostLine { ssh: SshLine::for_test(process), key: "k1".into(), exit: None };
    let mut connection =
        PollConnection { line: Some(line), ..PollConnection::over(socket, hello).expect("a connection") };
    drop(far_end);
    assert!(!connection.is_ending());
    connection.flush().expect("no reason yet");
    assert!(connection.read_frames().is_ok_and(|frames| frames.is_empty()), "it does not wait");
    assert!(connection.is_ending() && !connection.wants_to_write(), "its process still runs");
    let is_readable = |connection: &PollConnection, timeout: Option<&Timespec>| {
        poll(&mut [PollFd::new(connection, PollFlags::IN)], timeout).is_ok_and(|count| count > 0)
    };
    assert!(!is_readable(&connection, Some(&Timespec::default())), "the client sleeps");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it ends");
    assert!(is_readable(&connection, None));
    let error = connection.read_frames().expect_err("the reason");
    assert!(error.to_string().starts_with("Cannot reach box: the connection was closed"), "{error}");
}

#[test]
fn keys_sent_to_a_daemon_that_is_still_alive_are_reported_but_not_typed_again() {
    let (mut connection, _theirs) = connection_that_typed();
    let ledger = connection.ledger.as_mut().expect("memory");
    ledger.write_as_daemon(&[]);
    let unsure = UndeliveredKeys { again: Vec::new(), doubtful: 0, unsure: true };
    assert_eq!(undelivered(connection), unsure, "it may read them later");
    let (mut connection, _theirs) = connection_that_typed();
    let ledger = connection.ledger.as_mut().expect("memory");
    ledger.write_as_daemon(&[LedgerEntry { pane: pane(), taken: 1, begun: 1 }]);
    assert_eq!(undelivered(connection), UndeliveredKeys::default(), "it has typed them");
}
