//! What is known of agents, checked on their captured screens and on the rest of the tree.

mod captured_screens;
mod hook_payloads;
mod one_place;
mod recognition;
// The same conversion as the daemon's, which has the terminal emulator.
#[path = "../../../fugue-server/src/pane/agent/shown_screen.rs"]
mod shown_screen;
