use super::*;
use fugue_protocol::PaneId;
use fugue_protocol::frames::{self, FrameKind};
use fugue_protocol::messages::Role;

fn session() -> ClientSession {
    ClientSession::new(Hello::new(Role::Command, None)).expect("a session")
}

/// A session that has received these frames.
fn received(frames: &[(FrameKind, &[u8])]) -> ClientSession {
    let mut bytes = Vec::new();
    frames.iter().for_each(|(kind, body)| frames::write(&mut bytes, *kind, body));
    let mut session = session();
    session.fill(|buffer| io::Read::read(&mut bytes.as_slice(), buffer)).expect("bytes");
    session
}

fn json(text: &str) -> (FrameKind, &[u8]) {
    (FrameKind::Words, text.as_bytes())
}

fn no_args() -> Box<RawValue> {
    serde_json::from_str("{}").expect("JSON")
}

#[test]
fn the_greeting_goes_out_before_the_first_request() {
    let mut session = session();
    let greeting = session.unsent();
    assert_eq!(session.queue_request("whoami", &no_args()).expect("an id"), 1);
    let mut written = Vec::new();
    session.flush(|bytes| io::Write::write(&mut written, bytes)).expect("sent");
    let request = messages::request_named(1, "whoami", &no_args()).expect("a frame");
    assert_eq!(&written[greeting..], request);
    assert_eq!((session.sent(), session.unsent()), (written.len() as u64, 0));
}

#[test]
fn bytes_that_would_block_stay_queued() {
    let mut session = session();
    let all = session.unsent();
    let mut room = 5;
    let take = |bytes: &[u8]| match std::mem::take(&mut room) {
        0 => Err(io::ErrorKind::WouldBlock.into()),
        room => Ok(bytes.len().min(room)),
    };
    session.flush(take).expect("no error");
    assert_eq!((session.sent(), session.unsent()), (5, all - 5));
    assert_eq!(session.end(), all as u64);
}

#[test]
fn a_daemon_that_stopped_reading_can_still_be_read() {
    let mut session = received(&[json(r#"{"id":1,"reply":true}"#)]);
    session.flush(|_| Err(io::ErrorKind::BrokenPipe.into())).expect("no error yet");
    assert!(!session.can_send() && session.unsent() > 0);
    assert!(matches!(session.next_frame(), Ok(Some(ServerFrame::Answer(1, Ok(_))))));
}

#[test]
fn an_interrupted_read_is_retried_and_the_end_of_the_stream_is_an_error() {
    let mut session = session();
    let mut results = vec![Ok(0), Err(io::ErrorKind::Interrupted.into())];
    let end = session.fill(|_| results.pop().expect("two reads")).expect_err("the end");
    assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_reply_carries_the_assumed_session_and_the_unread_count() {
    let mut session = received(&[
        json(r#"{"welcome":{"protocol":1,"version":"0","client":7}}"#),
        json(r#"{"id":1,"reply":{},"session":"work","unread":3}"#),
        json(r#"{"id":2,"reply":{}}"#),
    ]);
    assert_eq!(session.client(), None);
    assert!(matches!(session.next_frame(), Ok(Some(ServerFrame::Answer(1, Ok(_))))));
    assert_eq!(session.client(), Some(7));
    assert_eq!(
        (session.assumed_session().map(ToString::to_string), session.unread()),
        (Some("work".into()), 3)
    );
    assert!(matches!(session.next_frame(), Ok(Some(ServerFrame::Answer(2, Ok(_))))));
    assert_eq!((session.assumed_session(), session.unread()), (None, 0));
    assert!(matches!(session.next_frame(), Ok(None)));
}

#[test]
fn binary_frames_are_split_into_pane_and_content() {
    let pane = [7; 16];
    let body = [&pane[..], b"abc"].concat();
    let mut session = received(&[(FrameKind::Screen, &body), (FrameKind::Clipboard, &body)]);
    let frame = session.next_frame().expect("a frame");
    assert!(
        matches!(frame, Some(ServerFrame::Screen(id, update)) if id == PaneId::from_bytes(pane) && update == b"abc")
    );
    assert!(matches!(session.next_frame(), Ok(Some(ServerFrame::Copied(_, text))) if text == "abc"));
}

#[test]
fn frames_that_no_daemon_sends_are_errors() {
    for frame in [(FrameKind::Screen, &b"short"[..]), (FrameKind::Keys, b""), json("not JSON")] {
        assert!(matches!(received(&[frame]).next_frame(), Err(CallError::Malformed(_))), "{frame:?}");
    }
}

#[test]
fn a_refusal_without_an_id_ends_the_connection() {
    let refusal = json(r#"{"refusal":{"code":"bad_request","message":"no"}}"#);
    assert!(matches!(received(&[refusal]).next_frame(), Err(CallError::Refused(_))));
}

#[test]
fn a_request_over_the_limit_is_refused_and_uses_no_id() {
    let mut session = session();
    let long = RawValue::from_string(format!("\"{}\"", "a".repeat(limits::REQUEST_BYTES))).expect("JSON");
    assert!(matches!(session.queue_request("send-input", &long), Err(CallError::Refused(_))));
    assert_eq!(session.queue_request("whoami", &no_args()).expect("an id"), 1);
}

#[test]
fn text_in_a_frame_of_its_own_belongs_to_the_reply_that_follows() {
    let text = messages::text(7, "zeile\n\"ü\"\n");
    let reply = r#"{"id":7,"reply":{"text":""}}"#;
    let body = &text[frames::HEADER..];
    let mut session = received(&[(FrameKind::Text, body), json(reply)]);
    assert!(matches!(session.next_frame(), Ok(Some(ServerFrame::Answer(7, Ok(_))))));
    assert_eq!(session.take_text(8), None);
    assert_eq!(session.take_text(7).as_deref(), Some("zeile\n\"ü\"\n"));
    assert_eq!(session.take_text(7), None);
    for invalid in [&b"short"[..], b"12345678\xff"] {
        assert!(received(&[(FrameKind::Text, invalid)]).next_frame().is_err());
    }
}
