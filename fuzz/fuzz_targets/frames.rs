//! Feeds any bytes as a client's stream, split anywhere: no panic, the same frames whatever the split, and every message
//! becomes a request or a refusal.
//!
//! `cargo +stable fuzz run -s none frames -- -max_len=4096`

#![no_main]

use fugue_protocol::Verb;
use fugue_protocol::frames::{BadFrame, FrameKind, FrameReader};
use fugue_protocol::messages::ClientMessage;
use libfuzzer_sys::fuzz_target;

/// Frames are at most this long here, so that the limit is reached often.
const LIMIT: usize = 1 << 10;

type Frames = (Vec<(FrameKind, Vec<u8>)>, Option<BadFrame>);

fn frames<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Frames {
    let mut reader = FrameReader::new(LIMIT);
    let mut found = Vec::new();
    for chunk in chunks {
        reader.push(chunk);
        loop {
            match reader.next_frame() {
                Ok(Some((kind, body))) => found.push((kind, body.to_vec())),
                Ok(None) => break,
                Err(bad) => return (found, Some(bad)),
            }
        }
    }
    (found, None)
}

fuzz_target!(|data: &[u8]| {
    let Some((&head, stream)) = data.split_first() else { return };
    let whole = frames(std::iter::once(stream));
    assert_eq!(whole, frames(stream.chunks(usize::from(head) + 1)));
    for (_, body) in whole.0.iter().filter(|(kind, _)| *kind == FrameKind::Words) {
        let Ok(message) = serde_json::from_slice::<ClientMessage<'_>>(body) else { continue };
        if let Some(verb) = message.verb {
            let _ = Verb::read(&verb, message.args.map_or("{}", |args| args.get()));
        }
    }
});
