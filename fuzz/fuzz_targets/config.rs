//! Reads any text as `config.toml`: no panic, every mistake has a line of the file, and reading it again over the last
//! good settings gives the same.
//!
//! `cargo +stable fuzz run -s none config -- -max_len=2048`

#![no_main]

use fugue_config::{Config, ConfigSource};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = ConfigSource::Text(text.to_owned());
    let Ok(config) = Config::parse(&source, None) else { return };
    let lines = text.lines().count() + 1;
    assert!(config.mistakes.iter().filter_map(|mistake| mistake.line).all(|line| line <= lines));
    let again = Config::parse(&source, Some(&config)).expect("it was usable");
    assert_eq!(again.scopes, config.scopes);
});
