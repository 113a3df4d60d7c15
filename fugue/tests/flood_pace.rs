//! A flood of output in one pane while someone types into another.

use fugue_testkit::TestServer;

/// Floods are read more slowly while someone types elsewhere, but they are read.
#[test]
fn a_flood_in_another_pane_goes_on_while_someone_types() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["sh", "-c", "echo ready; exec cat"]);
    let mut terminal = server.terminal(&["attach", "work"], 80, 24);
    terminal.shows("ready");
    let flood = "seq -f 'line %.0f' 200000; touch written; exec cat";
    server.ok(&["create-window", "-d", "-s", "work", "--name", "flood", "--", "sh", "-c", flood]);
    let (written, mut typed) = (server.path().join("written"), String::new());
    while !written.exists() {
        if typed.len() == 70 {
            terminal.send("\n");
            typed.clear();
        }
        typed.push('x');
        terminal.send("x");
        terminal.shows(&typed);
    }
    server.ok(&["wait", "-t", "work:flood", "--match", "^line 200000$"]);
    let end = server.ok(&["get-output", "-t", "work:flood", "--lines", "3"]);
    assert!(end.contains("line 199999\nline 200000"), "{end}");
}
