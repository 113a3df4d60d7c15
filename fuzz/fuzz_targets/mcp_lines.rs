//! Parses any line as a JSON-RPC message: no panic, and a line is a message, an error to answer, or nothing.
//!
//! `cargo +stable fuzz run -s none mcp_lines -- -max_len=4096`

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| fugue_mcp::parse_line(line));
