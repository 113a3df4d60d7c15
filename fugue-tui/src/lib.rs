//! The terminal client: attach to a session, type, see, detach. It draws what the daemon's screens show and keeps no
//! truth of its own: the tree, the layout and the pictures are all the daemon's.

mod agents;
mod app;
mod command;
mod config;
mod copy_mode;
mod draw;
mod keys;
mod overlays;
mod paint;
mod paste_buffers;
mod theme;
mod tmux;
mod tree;
mod tty;

use std::io::IsTerminal;

use fugue_client::{CallError, Env, Paths};
use fugue_protocol::SessionId;
use fugue_protocol::views::SessionView;
use serde_json::value::RawValue;

/// What to attach to, and how.
#[derive(Debug, Clone)]
pub struct AttachOptions {
    /// Where the daemon is.
    pub places: Paths,
    /// The session.
    pub session: SessionId,
    /// Watch only: nothing that is typed reaches a pane.
    pub read_only: bool,
    /// Other names of verbs.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Whether this is the first that the person sees of a new daemon: then a few keys are told.
    pub first: bool,
    /// A verb's reply, worded for a person.
    pub worded: fn(&str, &RawValue) -> String,
}

/// Why this terminal cannot be used, before anything is done: it is none, or it is a pane itself. What can be done
/// without one is the caller's to know.
pub fn check_terminal(otherwise: &str) -> Result<(), CallError> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        let hint = format!("hint: {otherwise}");
        return Err(CallError::Place(format!("attaching needs a terminal\n{hint}")));
    }
    if Env::own().get("FUGUE_PANE_ID").is_some() {
        let why =
            "this terminal is a pane of fugue already: attached here, fugue would show itself in itself";
        let hint = "hint: C-b s goes to another session, C-b : new-session makes one; unset FUGUE_PANE_ID to do it all the same";
        return Err(CallError::Place(format!("{why}\n{hint}")));
    }
    Ok(())
}

/// Whether tmux has a command of this name.
pub fn is_tmux(name: &str) -> bool {
    tmux::ROWS.iter().any(|row| row.names.contains(&name))
}

/// A command line of tmux's in our words, seen from a session; nothing where it is none.
pub fn from_tmux(
    words: &[String],
    here: SessionId,
    sessions: Vec<SessionView>,
) -> Option<Result<Vec<String>, String>> {
    let mut tree = tree::Tree::new(here);
    tree.told(sessions);
    // What is the client's own is called the same here.
    let same = || matches!(words, [name] if tmux::is_own(name)).then(|| Ok(words.to_vec()));
    let words = tmux::translate(words, &tree, |_| true).or_else(same)?;
    Some(words.and_then(|words| command::filled(words, &tree)))
}

/// The size a new session should have in this terminal.
pub fn room() -> fugue_protocol::Size {
    app::room(tty::raw_mode::size())
}

/// Attaches and stays until the person leaves; gives the last words.
pub fn attach(options: AttachOptions) -> Result<String, CallError> {
    app::App::new(options)?.run()
}
