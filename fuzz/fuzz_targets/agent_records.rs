//! Reads any text as what agents and their user write: records of conversations, and agents.toml. No panic; what an agent
//! said is in its record; and a mistake in agents.toml is one line that names a line of the file.
//!
//! `cargo +stable fuzz run -s none agent_records -- -max_len=4096`

#![no_main]

use fugue_config::ConfigSource;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for agent in ["claude", "codex", "gemini"] {
        let said = fugue_server::last_text_of(agent, text.as_bytes());
        assert!(said.is_none_or(|said| !said.is_empty() && said.len() <= text.len()));
    }
    if let Err(mistake) = fugue_server::read_agent_table(&ConfigSource::Text(text.to_owned())) {
        assert!(mistake.starts_with("agents.toml") && !mistake.contains('\n'), "{mistake:?}");
    }
});
