//! tmux's lines as a person types them at a shell, and the import of a tmux.conf.

mod mistakes;
mod options;
mod panes;
mod programs;
mod random;
mod targets;
mod tmux_conf;
mod untrusted;

use fugue_testkit::TestServer;

const BINARY: &str = env!("CARGO_BIN_EXE_fugue");

/// A session `work` with a window of two panes and a window `logs`.
fn server() -> TestServer {
    let server = TestServer::new(BINARY);
    server.ok(&["new", "-d", "-s", "work", "-n", "edit", "--size", "80x24", "--", "cat"]);
    server.ok(&["split-window", "-d", "-h", "-t", "work:edit", "cat"]);
    server.ok(&["new-window", "-d", "-t", "work:", "-n", "logs", "cat"]);
    server
}

fn shown(server: &TestServer, format: &str) -> String {
    server.ok(&["display-message", "-p", "-t", "work", format]).trim_end().to_owned()
}
