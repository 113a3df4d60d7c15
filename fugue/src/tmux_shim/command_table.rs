//! tmux's commands as rows: names, flags, and the function that carries it out. A command without a row belongs to an
//! attached client, which runs it.

use super::shim::{Run, ShimCommand};
use super::{buffers, channels, clients, environment, input, keys, panes};
use super::{listings, pipes, popups, sessions, set_options, shell, show_options, windows};

const fn row(names: &'static [&'static str], run: Run) -> ShimCommand {
    ShimCommand { names, run }
}

/// The commands.
pub(super) const COMMANDS: &[ShimCommand] = &[
    row(&["attach-session", "attach"], clients::attach),
    row(&["bind-key", "bind"], keys::bind),
    row(&["break-pane", "breakp"], panes::break_out),
    row(&["capture-pane", "capturep"], input::capture),
    row(&["clear-history", "clearhist"], input::clear_history),
    row(&["delete-buffer", "deleteb"], buffers::delete),
    row(&["detach-client", "detach"], clients::detach),
    row(&["display-message", "display"], listings::display),
    row(&["display-popup", "popup"], popups::popup),
    row(&["has-session", "has"], sessions::has),
    row(&["if-shell", "if"], shell::if_shell),
    row(&["join-pane", "joinp", "move-pane", "movep"], panes::join),
    row(&["kill-pane", "killp"], panes::kill),
    row(&["kill-server"], sessions::kill_server),
    row(&["kill-session"], sessions::kill),
    row(&["kill-window", "killw"], windows::kill),
    row(&["last-pane", "lastp"], panes::last),
    row(&["last-window", "last"], windows::last),
    row(&["list-buffers", "lsb"], buffers::list),
    row(&["list-clients", "lsc"], listings::list_clients),
    row(&["list-commands", "lscm"], listings::list_commands),
    row(&["list-keys", "lsk"], keys::list_keys),
    row(&["list-panes", "lsp"], listings::list_panes),
    row(&["list-sessions", "ls"], listings::list_sessions),
    row(&["list-windows", "lsw"], listings::list_windows),
    row(&["load-buffer", "loadb"], buffers::load),
    row(&["move-window", "movew"], windows::relocate),
    row(&["new-session", "new"], sessions::new),
    row(&["new-window", "neww"], windows::new),
    row(&["next-layout", "nextl"], windows::next_layout),
    row(&["next-window", "next"], windows::next),
    row(&["paste-buffer", "pasteb"], buffers::paste),
    row(&["pipe-pane", "pipep"], pipes::pipe),
    row(&["previous-layout", "prevl"], windows::previous_layout),
    row(&["previous-window", "prev"], windows::previous),
    row(&["rename-session", "rename"], sessions::rename),
    row(&["rename-window", "renamew"], windows::rename),
    row(&["resize-pane", "resizep"], panes::resize),
    row(&["resize-window", "resizew"], windows::resize),
    row(&["respawn-pane", "respawnp"], panes::respawn),
    row(&["respawn-window", "respawnw"], panes::respawn),
    row(&["rotate-window", "rotatew"], windows::rotate),
    row(&["run-shell", "run"], shell::run_shell),
    row(&["save-buffer", "saveb"], buffers::save),
    row(&["select-layout", "selectl"], windows::layout),
    row(&["select-pane", "selectp"], panes::select),
    row(&["select-window", "selectw"], windows::select),
    row(&["send-keys", "send"], input::send_keys),
    row(&["set-buffer", "setb"], buffers::set),
    row(&["set-environment", "setenv"], environment::set),
    row(&["set-option", "set"], set_options::set),
    row(&["set-window-option", "setw"], set_options::set),
    row(&["show-buffer", "showb"], buffers::show),
    row(&["show-environment", "showenv"], environment::show),
    row(&["show-options", "show"], show_options::show),
    row(&["show-window-options", "showw"], show_options::show),
    row(&["source-file", "source"], shell::source),
    row(&["split-window", "splitw"], panes::split),
    row(&["start-server", "start"], sessions::start_server),
    row(&["swap-pane", "swapp"], panes::swap),
    row(&["swap-window", "swapw"], windows::swap),
    row(&["switch-client", "switchc"], clients::switch),
    row(&["unbind-key", "unbind"], keys::unbind),
    row(&["wait-for", "wait"], channels::wait_for),
];

/// The commands that start a daemon.
const STARTING: [&str; 3] = ["new-session", "start-server", "attach-session"];

/// Whether a line is one of tmux's: its command exists, and has these flags.
pub(crate) fn understands(words: &[String]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let full = fugue_tui::tmux_full_name(name);
    let row = COMMANDS.iter().find(|row| full.is_some_and(|full| row.names.contains(&full)));
    row.is_some_and(|row| row.parse(rest).is_ok())
}

/// Whether tmux has a command of this name or abbreviation.
pub(crate) fn is_command(name: &str) -> bool {
    fugue_tui::is_tmux(name)
}

pub(super) fn starts_daemon(name: &str) -> bool {
    fugue_tui::tmux_full_name(name).is_some_and(|full| STARTING.contains(&full))
}
