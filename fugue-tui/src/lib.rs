//! The terminal client: attaches to a session, sends what is typed, draws the daemon's screens, detaches. It owns none
//! of what it shows: the tree, the layout and the screens are all the daemon's.

mod agents;
mod app;
mod attachment;
mod clock;
mod command;
mod config;
mod copy_mode;
mod draw;
mod hints;
mod images;
mod key_list;
mod keys;
mod last_copied;
mod login_environment;
mod overlays;
mod paint;
mod screen_targets;
mod text_wrap;
mod theme;
mod tmux;
mod tree;
mod tty;

use std::io::IsTerminal;
use std::path::Path;

pub use attachment::{AttachEnd, AttachOptions, LineSteps};
pub use config::check as check_config;
use fugue_client::{CallError, Env, Paths, is_daemon_of_environment};
pub use key_list::{ListedKey, default_key_list, is_same_line, key_list};
pub use login_environment::login_environment;
pub use text_wrap::wrapped;
pub use tty::abilities::{TerminalAbilities, terminal_abilities};

/// Checks that this terminal can be attached to the daemon at these paths: that it is one, and not a pane of that daemon.
/// `alternative` is the hint for a caller without a terminal.
pub fn check_terminal(paths: &Paths, alternative: &str) -> Result<(), CallError> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(CallError::Local(format!("Attaching requires a terminal\nhint: {alternative}")));
    }
    if let Some(why) = terminal_refusal() {
        let hint = "hint: use a terminal emulator, or set TERM to this terminal's type (TERM=xterm-256color)";
        return Err(CallError::Local(format!("{why}\n{hint}")));
    }
    // Another host can be shown by the client that shows this pane.
    let is_of_daemon = || paths.host.is_some() || is_daemon_of_environment(paths);
    if Env::own().get("FUGUE_PANE_ID").is_some() && is_of_daemon() {
        let why = "Already inside fugue: this terminal is one of its panes";
        let hint = "hint: run `choose-tree` or `new-session` at fugue's command prompt; unset FUGUE_PANE_ID to attach anyway";
        return Err(CallError::Local(format!("{why}\n{hint}")));
    }
    Ok(())
}

/// Why fugue cannot be attached in this terminal because of its type, if it cannot.
pub fn terminal_refusal() -> Option<String> {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    tty::terminal_type::refusal(&variable("TERM"), variable)
}

/// Why fugue has no counterpart of a tmux command or of one of its flags; nothing if it has one.
pub fn tmux_refusal(words: &[String]) -> Option<String> {
    let why = tmux::refusal(words)?;
    // Outside the client nobody knows how keys are bound.
    Some(keys::bindings::Keys::default().name_keys(&why))
}

/// Checks a line of commands as it would be typed at the client's prompt; the error says what is wrong with it.
pub fn check_line(line: &str) -> Result<(), String> {
    command::check(line, &[])
}

/// The size that the windows of a new session have in this terminal, with the settings of the file at `config`.
pub fn window_area(config: &Path) -> fugue_protocol::Size {
    app::new_window_size(tty::raw_mode::size(), config)
}

/// Restores the terminal if a client was killed in it. Its record is in this directory, beside the daemon's socket.
pub fn restore_terminal(runtime: &Path) {
    tty::raw_mode::restore_after_kill(runtime);
}

/// Attaches until the person detaches.
pub fn attach(options: AttachOptions) -> Result<AttachEnd, CallError> {
    if let Some(runtime) = options.paths.socket.parent() {
        restore_terminal(runtime);
    }
    app::App::new(options)?.run()
}
