//! The tools on paper: the snapshot of the whole list, and the reference page.

use std::path::Path;

#[test]
fn the_whole_tool_list_is_as_it_was_agreed() {
    insta::assert_json_snapshot!("tools", fugue_mcp::tool_list());
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/mcp-tools.md");
    let page = fugue_mcp::reference_page();
    if std::env::var_os("FUGUE_RENEW").is_some() {
        std::fs::create_dir_all(path.parent().expect("its folder")).expect("a folder for the page");
        std::fs::write(&path, &page).expect("the page is written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/reference/mcp-tools.md is old: run this test with FUGUE_RENEW=1");
}
