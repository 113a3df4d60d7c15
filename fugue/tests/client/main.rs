//! The terminal client: the real binary in a real terminal, compared as whole screens.

mod agents;
mod boxes;
mod command_prompt;
mod copy_mode;
mod hints;
mod images;
mod key_input;
mod login_environment;
mod mouse_selection;
mod multiple_clients;
mod outer_terminal;
mod pastes;
mod pid_namespace;
mod popups;
mod questions;
mod screens;
mod settings;
mod status_line;
mod status_messages;
mod type_ahead;
mod window_list;

use fugue_testkit::{TestServer, TestTerminal};

/// The sizes at which whole screens are compared.
const SIZES: [(u16, u16); 2] = [(80, 24), (200, 50)];

/// The sizes at which screens with more detail are compared.
const THREE_SIZES: [(u16, u16); 3] = [(80, 24), (120, 35), (200, 50)];

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// A client attached to a session with a shell that shows its prompt.
fn attached(server: &TestServer, cols: u16, rows: u16) -> TestTerminal {
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh"], cols, rows);
    terminal.shows("\n[cursor 0,2]");
    terminal
}

/// Waits until this many panes are drawn: two have an arrow on the border between them; more than two have borders
/// without one.
fn shows_panes(terminal: &mut TestTerminal, count: usize) {
    let shown = |terminal: &TestTerminal| {
        let picture = terminal.picture();
        match (picture.contains(['◂', '▸', '▴', '▾']), picture.contains(['│', '─'])) {
            (true, _) => 2,
            (false, true) => 3,
            (false, false) => usize::from(picture.contains("0:")),
        }
    };
    terminal.until(&format!("{count} panes"), |terminal| shown(terminal) == count);
}
