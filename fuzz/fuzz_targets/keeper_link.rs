//! Sends any bytes as frames over the link between daemon and keeper: no panic, and the link stays usable.
//!
//! `cargo +stable fuzz run -s none keeper_link -- -max_len=300`

#![no_main]

use fugue_keeper::{Link, Message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|frame: &[u8]| {
    let (ours, theirs) = Link::pair().expect("a link");
    if ours.send_frame(frame, &[]).is_ok() {
        let _ = theirs.try_recv();
    }
    ours.send(&Message::Take, &[]).expect("the link is open");
    let (message, _) = theirs.try_recv().expect("a usable link").expect("a message");
    assert_eq!(message, Message::Take);
});
