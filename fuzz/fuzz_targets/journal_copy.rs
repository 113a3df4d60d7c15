//! Reads any bytes as records of the journal's copy: no panic, and no more records than there are payloads.
//!
//! Every payload gets its right length and checksum, which a fuzzer would never guess. The input is a list of payloads,
//! each after its length in two bytes.
//!
//! `cargo +stable fuzz run -s none journal_copy -- -max_len=4096`

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let (mut payloads, mut rest) = (Vec::new(), input);
    while let Some((length, after)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(after.len());
        let (payload, after) = after.split_at(length);
        payloads.push(payload);
        rest = after;
    }
    assert!(fugue_server::count_copy_records(&payloads) <= payloads.len());
});
