//! Round trips, and frames that are longer or shorter than expected.

use super::*;
use crate::link::messages::MAX_FRAME;

fn messages() -> Vec<Message> {
    let pane = *b"0123456789abcdef";
    let exits = [None, Some(Exit::Code(-1)), Some(Exit::Signal(9)), Some(Exit::Unknown)];
    let holding = |exit: Option<Exit>| {
        let (stored_offset, seen_offset) = (u64::MAX - 1, 1 << 33);
        let (snapshot, stalled) = (exit.is_some(), exit.is_none());
        Holding { pane, pid: 7, stored_offset, seen_offset, snapshot, stalled, exit }
    };
    let mut messages = vec![
        Message::Take,
        Message::Spawn(SpawnRequest { pane, cols: 80, rows: 24, ..SpawnRequest::default() }),
        Message::Stored { pane, offset: 1 << 40 },
        Message::Forget { pane },
        Message::Shutdown,
        Message::Listen,
        Message::Succeed,
        Message::AdoptionEnd,
        Message::Terminate { pane, pid: 1 << 22 },
        Message::Successor { pid: 77, version: 4 },
        Message::Ping,
        Message::Pong,
        Message::Upgrade,
        Message::Upgraded,
        Message::UpgradeFailed { errno: 13 },
        Message::Serving,
        Message::Failed,
        Message::Ready { version: 3, panes: 200 },
        Message::Spawned { pane, pid: 1 << 22 },
        Message::SpawnFailed { pane, stage: SpawnStage::Cwd, errno: 2 },
        Message::Exited { pane, exit: Exit::Signal(11) },
    ];
    messages.extend(exits.map(holding).map(Message::Holding));
    messages.extend(exits.map(holding).map(Message::Adopt));
    messages
}

#[test]
fn every_message_survives_a_round_trip() {
    for message in messages() {
        let frame = encode(&message);
        assert!(frame.len() <= MAX_FRAME);
        assert_eq!(decode(&frame), Ok(message));
    }
}

#[test]
fn a_newer_peer_may_append_fields() {
    for message in messages() {
        let frame = [encode(&message), vec![0xFF; 20]].concat();
        assert_eq!(decode(&frame), Ok(message));
    }
}

#[test]
fn a_truncated_frame_is_an_error() {
    // The version of a successor was appended, so a shorter frame is one of an older keeper.
    let appended = |message: &Message| matches!(message, Message::Successor { .. });
    for message in messages().into_iter().filter(|message| !appended(message)) {
        let frame = encode(&message);
        (1..frame.len()).for_each(|end| assert_eq!(decode(&frame[..end]), Err(Malformed::TooShort)));
    }
}

#[test]
fn a_successor_that_does_not_say_its_version_is_of_no_known_version() {
    let frame = encode(&Message::Successor { pid: 77, version: 4 });
    let of_older = &frame[..frame.len() - 2];
    assert_eq!(decode(of_older), Ok(Message::Successor { pid: 77, version: 0 }));
}
