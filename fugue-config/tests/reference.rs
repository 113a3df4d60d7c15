//! The reference page of the settings is generated. To update it, run this test with `FUGUE_RENEW=1`.

use std::path::PathBuf;

use fugue_config::{Config, ConfigSource, SECTIONS, reference_page};

#[test]
fn the_reference_page_matches_the_table_of_settings() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/settings.md");
    let page = reference_page();
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::write(&path, &page).expect("written");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == page, "docs/reference/settings.md is out of date: run this test with FUGUE_RENEW=1");
}

#[test]
fn the_examples_on_the_reference_page_are_valid() {
    for section in SECTIONS {
        let text = format!("[{}]\n{}\n", section.name, section.example);
        let config = Config::parse(&ConfigSource::Text(text), None).expect("valid TOML");
        assert_eq!(config.mistakes, [], "[{}]", section.name);
    }
}
