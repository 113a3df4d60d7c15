//! Malformed frames on the link do not stop the keeper.

mod common;

use std::os::fd::{AsFd, BorrowedFd};

use common::test_daemon::shell;
use common::{TestKeeper, wait_for};
use fugue_keeper::{Link, MAX_FRAME, Malformed, Message};

#[test]
fn malformed_frames_are_skipped() {
    let keeper = TestKeeper::new();
    let daemon = keeper.daemon();
    daemon.take();
    let mut pane = daemon.spawn(shell(1, "read line; echo got $line"));
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let null = std::fs::File::open("/dev/null").expect("null");
    for round in 0..3000_usize {
        let mut frame: Vec<u8> = (0..round % (MAX_FRAME + 40)).map(|_| next(&mut random)).collect();
        if let Some(kind) = frame.first_mut() {
            // Half of them look like a message of a known kind, but never like one that terminates something.
            *kind = [2, 3, 9, 10, 65, 66, 67, 68, 69, 70, *kind | 0x80][round % 11];
        }
        let fds: Vec<BorrowedFd<'_>> = (0..round % 4).map(|_| null.as_fd()).collect();
        while daemon.link.send_frame(&frame, &fds).is_err() {
            // Answers to frames that looked like a spawn request.
            while matches!(daemon.link.try_recv(), Ok(Some(_))) {}
        }
    }
    pane.types("me\n");
    pane.shows("got me");
    drop(pane);
    daemon.kill();
    assert_eq!(keeper.daemon().take().len(), 1);
}

#[test]
fn each_malformed_frame_is_a_named_error_and_the_link_stays_usable() {
    let (near, far) = Link::pair().expect("a link");
    let error_of = |frame: &[u8]| {
        near.send_frame(frame, &[]).expect("room");
        let error = far.try_recv().expect_err("garbage");
        *error.get_ref().and_then(|inner| inner.downcast_ref::<Malformed>()).expect("a malformed frame")
    };
    assert_eq!(error_of(&[]), Malformed::Empty);
    assert_eq!(error_of(&[200]), Malformed::Unknown(200));
    assert_eq!(error_of(&[3, 1, 2]), Malformed::TooShort);
    assert_eq!(error_of(&[10; 40]), Malformed::TooShort);
    assert_eq!(error_of(&[11; 20]), Malformed::TooShort);
    assert_eq!(error_of(&[70, 1]), Malformed::TooShort);
    assert_eq!(error_of(&[1; MAX_FRAME + 1]), Malformed::TooLong);
    assert_eq!(error_of(&[2; 30]), Malformed::Body([2; 16]));
    near.send(&Message::Take, &[]).expect("room");
    assert_eq!(far.try_recv().expect("a message").expect("now").0, Message::Take);
    assert!(far.try_recv().expect("nothing").is_none());
    drop(near);
    wait_for(&far);
    assert_eq!(far.try_recv().expect_err("the end").kind(), std::io::ErrorKind::UnexpectedEof);
}

#[test]
fn the_last_messages_of_a_peer_that_never_read_are_received() {
    let (near, far) = Link::pair().expect("a link");
    far.send(&Message::Take, &[]).expect("room");
    near.send(&Message::Shutdown, &[]).expect("room");
    drop(near);
    assert_eq!(far.try_recv().expect("a message").expect("now").0, Message::Shutdown);
    // A process that another test has just forked may hold the other end for a moment.
    wait_for(&far);
    assert_eq!(far.try_recv().expect_err("the end").kind(), std::io::ErrorKind::UnexpectedEof);
}

fn next(random: &mut u64) -> u8 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    random.to_le_bytes()[3]
}
