use super::*;

fn pane() -> PaneId {
    PaneId::from_bytes([7; 16])
}

/// A line that has greeted and typed `a`, and its other end, which has read that.
fn typed() -> (PollConnection, UnixStream) {
    let (ours, mut theirs) = UnixStream::pair().expect("a pair");
    let mut line = PollConnection::on(ours, Hello::new(Role::Terminal, None)).expect("a line");
    line.type_in(pane(), b"a").expect("it is taken");
    let mut all = vec![0; usize::try_from(line.sent).expect("a few bytes")];
    theirs.read_exact(&mut all).expect("what was sent");
    (line, theirs)
}

#[test]
fn what_is_typed_after_the_daemon_went_can_be_typed_again() {
    let (mut line, theirs) = typed();
    drop(theirs);
    let _ = line.type_in(pane(), b"b");
    assert!(matches!(line.hear(), Err(CallError::Lost(_))));
    let again = vec![(pane(), b"b".to_vec())];
    assert_eq!(line.settle(), UndeliveredKeys { again, doubtful: 0, unsure: false });
}

#[test]
fn a_daemon_that_takes_nothing_is_sent_no_more_than_may_wait() {
    let (mut line, mut theirs) = typed();
    let mut taken = 0;
    while !line.is_full() {
        line.type_in(pane(), &[b'a'; 1_000]).expect("there is room");
        taken += 1;
    }
    assert!(line.unsent.len() < UNSENT + 2_000, "one frame over the bound at most");
    assert!(matches!(line.type_in(pane(), b"b"), Err(CallError::Refused(_))));
    assert!(matches!(line.ask("whoami", &args()), Err(CallError::Refused(_))));
    let mut all = vec![0; line.unsent.len() + usize::try_from(line.sent).expect("a few bytes")];
    let read = theirs.read(&mut all).expect("what was sent");
    line.flush().expect("it is taken");
    assert!(read > 0 && taken > 1_000 && !line.is_full());
    line.type_in(pane(), b"b").expect("there is room again");
}

#[test]
fn keys_that_are_announced_are_nothing_that_was_typed() {
    let (mut line, mut theirs) = typed();
    let sent = line.sent;
    line.expect(pane()).expect("nothing is said");
    assert_eq!(line.sent, sent, "the daemon has not said a word");
    line.client = Some(1);
    line.expect(pane()).expect("it is taken");
    let mut frame = messages::keys(pane(), &[]);
    assert_eq!(line.sent, sent + frame.len() as u64);
    theirs.read_exact(&mut frame).expect("what was sent");
    drop(theirs);
    assert_eq!(line.settle(), UndeliveredKeys::default());
}

fn args() -> Box<RawValue> {
    serde_json::from_str("{}").expect("JSON")
}

#[test]
fn what_a_daemon_left_unread_is_not_typed_again_but_known() {
    let (mut line, theirs) = typed();
    line.type_in(pane(), b"b").expect("it is taken");
    drop(theirs);
    assert!(matches!(line.hear(), Err(CallError::Lost(_))));
    assert_eq!(line.settle(), UndeliveredKeys { again: Vec::new(), doubtful: 0, unsure: true });
}
