//! The commands of the client itself, as rows: their names, and a few words about each.

/// Commands that only the client can run.
pub(crate) const OWN: &[(&str, &str)] = &[
    ("detach", "detach; programs keep running"),
    ("attach", "switch to another session: attach NAME"),
    ("new-session", "create a session and switch to it: new-session -s NAME"),
    ("suspend", "suspend client"),
    ("send-prefix", "send prefix key to program"),
    ("key-table", "look the next key up in a table: key-table NAME"),
    ("command-prompt", "command prompt"),
    ("ask", "prompt for text: ask QUESTION DEFAULT COMMAND"),
    ("confirm", "run a command after confirmation: confirm COMMAND"),
    ("choose-tree", "choose session, window or pane"),
    ("find-window", "find windows by name, title or visible text: find-window TEXT"),
    ("display-panes", "show pane numbers"),
    ("copy-mode", "copy mode: scroll, search and copy"),
    ("hints", "label links and paths: type a label to copy, or type it in capitals to open"),
    ("paste-buffer", "paste newest buffer"),
    ("display-popup", "run a program in a popup: display-popup -E -w 60 -h 50% -- PROGRAM"),
    ("sync-pane", "add this pane to the synchronized panes, or remove it"),
    ("sync-panes", "start or stop synchronizing the panes of this window"),
    ("move-pane", "move pane beside another, in any session"),
    ("next-agent", "next agent that has failed or needs attention, longest wait first"),
    ("go-back", "return to the pane you were in before jumping to an agent"),
    ("agents", "list agents and their states"),
    ("sidebar", "show or hide sidebar"),
    ("messages", "list messages between agents"),
    ("mute", "mute or unmute pane"),
    ("choose-client", "list attached clients; Enter detaches one"),
    ("choose-buffer", "choose buffer to paste"),
    ("delete-buffer", "delete newest buffer"),
    ("allow-copy", "allow a program to copy to the clipboard"),
    ("describe-key", "describe key"),
    ("edit-history", "open scrollback in $EDITOR"),
    ("mark", "mark or unmark pane"),
    ("unmark", "clear mark"),
    ("pane-menu", "pane menu"),
    ("window-menu", "window menu"),
    ("show-messages", "show past status messages"),
    ("palette", "find command, pane or agent"),
    ("help", "list keys"),
    ("clock", "show time"),
    ("say", "show a message on the status line: say TEXT"),
    ("info", "pane information"),
    ("tmux", "run a tmux command: tmux list-windows -a"),
    ("redraw", "redraw"),
    ("reload", "reload config.toml"),
];

/// Whether a command is the client's own.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == name)
}
