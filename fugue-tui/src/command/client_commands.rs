//! The commands of the client itself, as rows: their names, and a few words about each.

/// Commands that only the client can run.
pub(crate) const OWN: &[(&str, &str)] = &[
    ("detach", "detach; programs keep running"),
    ("attach", "switch to another session: attach NAME"),
    ("new-session", "create a session and switch to it: new-session -s NAME"),
    ("suspend", "suspend the client"),
    ("send-prefix", "send the prefix key to the program"),
    ("command-prompt", "type a command"),
    ("ask", "ask for a word: ask QUESTION SUGGESTION COMMAND"),
    ("confirm", "ask before running a command: confirm COMMAND"),
    ("choose-tree", "choose a session, window or pane"),
    ("display-panes", "show pane numbers"),
    ("copy-mode", "copy mode: scroll back, search and copy"),
    ("paste-buffer", "paste the newest buffer"),
    ("display-popup", "run a program in a popup: display-popup -w 60 -h 50% -- PROGRAM"),
    ("sync-pane", "synchronize this pane's input with others, or stop"),
    ("sync-panes", "synchronize the input of all visible panes, or stop"),
    ("move-pane", "move this pane beside another one, in any session"),
    ("next-agent", "go to the agent that has waited longest for you"),
    ("agents", "list all agents and their states"),
    ("sidebar", "show or hide the sidebar"),
    ("messages", "list the messages between agents"),
    ("mute", "mute or unmute notifications from this pane"),
    ("choose-client", "list attached clients; Enter detaches one"),
    ("choose-buffer", "choose a buffer to paste"),
    ("delete-buffer", "delete the newest buffer"),
    ("describe-key", "describe a key"),
    ("edit-history", "open the pane's scrollback in $EDITOR"),
    ("mark", "mark the pane, or clear its mark"),
    ("unmark", "clear the mark"),
    ("pane-menu", "show the pane menu"),
    ("window-menu", "show the window menu"),
    ("show-messages", "show past status messages"),
    ("palette", "find a command or a pane"),
    ("help", "list all keys"),
    ("clock", "show the time"),
    ("say", "show a message on the status line: say TEXT"),
    ("info", "show information about this pane"),
    ("redraw", "redraw the screen"),
    ("reload", "reload config.toml"),
];

/// Whether a command is the client's own.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == name)
}
