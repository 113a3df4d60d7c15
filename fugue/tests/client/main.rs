//! The client, as a person sees it: the real binary in a real terminal, whole screens.

mod agents;
mod commands;
mod copying;
mod manners;
mod screens;
mod settings;
mod together;
mod typing;
mod windows;

use fugue_testkit::{House, Terminal};

/// The sizes at which whole screens are looked at.
const SIZES: [(u16, u16); 2] = [(80, 24), (200, 50)];

fn house() -> House {
    House::new(env!("CARGO_BIN_EXE_fugue"))
}

/// A client that shows a session with a shell, its prompt there.
fn attached(house: &House, cols: u16, rows: u16) -> Terminal {
    let mut terminal = house.terminal(&["new", "-s", "work", "--", "sh"], cols, rows);
    terminal.shows("\n[cursor 0,2]");
    terminal
}
