//! The tool list and the reference page, compared with the copies in the repository.
//!
//! To renew them, run `FUGUE_RENEW=1 INSTA_UPDATE=always cargo test -p fugue-mcp --test tool_snapshots`.

use std::path::Path;

#[test]
fn the_tool_list_matches_its_snapshot() {
    insta::assert_json_snapshot!("tools", fugue_mcp::tool_list());
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/mcp-tools.md");
    let page = fugue_mcp::reference_page();
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::create_dir_all(path.parent().expect("the page has a directory"))
            .expect("creates the directory");
        std::fs::write(&path, &page).expect("writes the page");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/reference/mcp-tools.md is out of date: run this test with FUGUE_RENEW=1");
}
