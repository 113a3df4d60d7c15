//! tmux's commands, as rows: their names, the fugue commands that take their place, and what their flags mean.

/// A tmux command.
pub(crate) struct TmuxCommand {
    /// Its name and its abbreviation.
    pub(crate) names: &'static [&'static str],
    pub(crate) becomes: Translation,
    pub(crate) flags: &'static [(char, TmuxFlag)],
    pub(crate) rest: Operands,
    /// What is meant when a flag is omitted.
    pub(crate) defaults: &'static [(char, &'static str)],
}

impl TmuxCommand {
    const fn defaults(self, defaults: &'static [(char, &'static str)]) -> Self {
        Self { defaults, ..self }
    }
}

/// What a tmux command becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Translation {
    /// This fugue command.
    Line(&'static str),
    /// The same command, run by `fugue tmux`, whose output is shown.
    Job,
    /// Nothing; the text says what to do instead.
    Nothing(&'static str),
}

/// The meaning of a flag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TmuxFlag {
    /// These words.
    Is(&'static str),
    /// This word and the flag's value.
    With(&'static str),
    /// This word and the pane, window or session that the value names.
    Pane(&'static str),
    Window(&'static str),
    Session(&'static str),
    /// The session in which something is created.
    Into(&'static str),
    /// A window's new position.
    Place,
    /// The size of a new pane; in percent in any case.
    Share,
    Percent,
    /// A directory, which may be that of the active pane.
    Directory,
    /// Before, not after.
    Before,
    /// Another command altogether.
    Instead(&'static str),
    /// No effect here; and no effect, with a value.
    Idle,
    IdleWith,
}

impl TmuxFlag {
    pub(crate) fn has_value(&self) -> bool {
        !matches!(self, Self::Is(_) | Self::Before | Self::Instead(_) | Self::Idle)
    }
}

/// The operands after the flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operands {
    /// tmux takes none; with some it is a fugue command.
    None,
    /// The same as in fugue.
    Words,
    /// A name, which may begin with a dash.
    Name,
    /// How far a border moves.
    Amount,
    /// A line for the shell, or a program with its arguments.
    Program,
    /// The same for a popup.
    Boxed,
    /// Text and keys.
    Keys,
    /// A message; a format in it is for `fugue tmux` to expand.
    Plain,
}

const fn row(
    names: &'static [&'static str],
    becomes: &'static str,
    flags: &'static [(char, TmuxFlag)],
    rest: Operands,
) -> TmuxCommand {
    TmuxCommand { names, becomes: Translation::Line(becomes), flags, rest, defaults: &[] }
}

const fn no(names: &'static [&'static str], why: &'static str) -> TmuxCommand {
    TmuxCommand { names, becomes: Translation::Nothing(why), flags: &[], rest: Operands::None, defaults: &[] }
}

/// A command that has no counterpart in the client, but is run all the same.
const fn job(names: &'static [&'static str]) -> TmuxCommand {
    TmuxCommand { names, becomes: Translation::Job, flags: &[], rest: Operands::None, defaults: &[] }
}

use TmuxFlag::{
    Before, Directory, Idle, IdleWith, Instead, Into, Is, Pane, Percent, Place, Session, Share, Window, With,
};

/// The commands.
pub(crate) const COMMANDS: &[TmuxCommand] = &[
    // Panes.
    row(
        &["split-window", "splitw"],
        "create-pane",
        &[
            ('h', Is("--right")),
            ('v', Is("--below")),
            ('b', Before),
            ('d', Is("-d")),
            ('c', Directory),
            ('e', With("--env")),
            ('l', Share),
            ('p', Percent),
            ('f', Is("--full")),
            ('t', Pane("--pane")),
        ],
        Operands::Program,
    ),
    row(
        &["select-pane", "selectp"],
        "focus-pane",
        &[
            ('L', Is("--left --wrap")),
            ('R', Is("--right --wrap")),
            ('U', Is("--above --wrap")),
            ('D', Is("--below --wrap")),
            ('l', Instead("focus-pane -t {last-pane}")),
            ('m', Instead("mark")),
            ('M', Instead("unmark")),
            ('Z', Idle),
            ('t', Pane("-t")),
        ],
        Operands::None,
    ),
    row(&["last-pane", "lastp"], "focus-pane -t {last-pane}", &[('Z', Idle)], Operands::None),
    row(&["kill-pane", "killp"], "close-pane", &[('t', Pane("-t"))], Operands::None),
    row(
        &["resize-pane", "resizep"],
        "resize-pane",
        &[
            ('L', Is("--left")),
            ('R', Is("--right")),
            ('U', Is("--above")),
            ('D', Is("--below")),
            ('Z', Instead("zoom-pane")),
            ('x', With("--cols")),
            ('y', With("--rows")),
            ('t', Pane("-t")),
        ],
        Operands::Amount,
    ),
    row(
        &["swap-pane", "swapp"],
        "swap-panes",
        &[
            ('U', Is("--with {previous-pane}")),
            ('D', Is("--with {next-pane}")),
            ('d', Idle),
            ('Z', Idle),
            ('s', Pane("-t")),
            ('t', Pane("--with")),
        ],
        Operands::None,
    ),
    row(
        &["break-pane", "breakp"],
        "break-pane",
        &[('d', Is("-d")), ('n', With("-n")), ('s', Pane("-t"))],
        Operands::None,
    ),
    row(&["join-pane", "joinp"], "join-pane", JOIN, Operands::None).defaults(JOINED),
    row(&["move-pane", "movep"], "join-pane", JOIN, Operands::None).defaults(JOINED),
    row(
        &["respawn-pane", "respawnp"],
        "respawn-pane",
        &[('k', Is("-k")), ('c', Directory), ('e', With("--env")), ('t', Pane("-t"))],
        Operands::Program,
    ),
    row(&["display-panes", "displayp"], "display-panes", &[('d', IdleWith)], Operands::None),
    row(&["capture-pane", "capturep"], "get-output", &[('p', Idle), ('t', Pane("-t"))], Operands::None),
    row(&["send-keys", "send"], "send-input", &[('t', Pane("-t"))], Operands::Keys),
    row(&["send-prefix"], "send-prefix", &[], Operands::None),
    // Windows.
    row(
        &["new-window", "neww"],
        "create-window",
        &[('n', With("-n")), ('d', Is("-d")), ('c', Directory), ('e', With("--env")), ('t', Into("-s"))],
        Operands::Program,
    ),
    row(
        &["select-window", "selectw"],
        "select-window",
        &[
            ('t', Window("-w")),
            ('n', Is("-w {next-window}")),
            ('p', Is("-w {previous-window}")),
            ('l', Is("-w {last-window}")),
        ],
        Operands::None,
    ),
    row(
        &["next-window", "next"],
        "select-window -w {next-window}",
        &[('a', Instead("select-window -w {next-call}"))],
        Operands::None,
    ),
    row(
        &["previous-window", "prev"],
        "select-window -w {previous-window}",
        &[('a', Instead("select-window -w {previous-call}"))],
        Operands::None,
    ),
    row(&["last-window", "last"], "select-window -w {last-window}", &[], Operands::None),
    row(&["rename-window", "renamew"], "rename-window", &[('t', Window("-w"))], Operands::Name),
    row(&["kill-window", "killw"], "kill-window", &[('t', Window("-w"))], Operands::None),
    row(&["move-window", "movew"], "move-window", &[('s', Window("-w")), ('t', Place)], Operands::None),
    row(
        &["swap-window", "swapw"],
        "swap-windows",
        &[('d', Idle), ('s', Window("-w")), ('t', Window("--with"))],
        Operands::None,
    ),
    row(&["resize-window", "resizew"], "resize-window", &[], Operands::Words),
    row(
        &["rotate-window", "rotatew"],
        "rotate-panes",
        &[('D', Idle), ('U', Idle), ('Z', Idle), ('t', Window("-w"))],
        Operands::None,
    )
    .defaults(&[('D', "--backward")]),
    row(
        &["select-layout", "selectl"],
        "select-layout",
        &[
            ('n', Is("{next-layout}")),
            ('p', Is("{previous-layout}")),
            ('E', Is("{even-layout}")),
            ('t', Window("-w")),
        ],
        Operands::Words,
    ),
    row(&["next-layout", "nextl"], "select-layout {next-layout}", &[], Operands::None),
    row(&["previous-layout", "prevl"], "select-layout {previous-layout}", &[], Operands::None),
    row(&["find-window", "findw"], "choose-tree", &[], Operands::Words),
    // Sessions and clients.
    row(
        &["new-session", "new"],
        "new-session",
        &[
            ('s', With("-s")),
            ('n', With("-n")),
            ('d', Instead("create-session")),
            ('c', Directory),
            ('e', With("--env")),
        ],
        Operands::Program,
    ),
    row(&["attach-session", "attach"], "attach", &[('t', Session(""))], Operands::Words),
    row(
        &["switch-client", "switchc"],
        "attach",
        &[
            ('t', Session("")),
            ('n', Is("{next-session}")),
            ('p', Is("{previous-session}")),
            ('l', Is("{last-session}")),
            ('Z', Idle),
        ],
        Operands::None,
    ),
    row(&["rename-session", "rename"], "rename-session", &[('t', Session("-s"))], Operands::Name),
    row(&["kill-session"], "kill-session", &[('t', Session("-s"))], Operands::None)
        .defaults(&[('t', "-s {session-name}")]),
    row(&["detach-client", "detach"], "detach", &[('P', Idle)], Operands::None),
    row(&["suspend-client", "suspendc"], "suspend", &[], Operands::None),
    row(&["refresh-client", "refresh"], "redraw", &[('S', Idle)], Operands::None),
    // Lists and other overlays.
    row(
        &["choose-tree"],
        "choose-tree",
        &[('s', Idle), ('w', Idle), ('Z', Idle), ('G', Idle)],
        Operands::Words,
    ),
    row(&["choose-client"], "choose-client", &[('Z', Idle)], Operands::None),
    row(&["choose-buffer"], "choose-buffer", &[('Z', Idle)], Operands::None),
    row(&["list-keys", "lsk"], "help", &[('N', Idle), ('a', Idle)], Operands::None),
    row(&["list-commands", "lscm"], "palette", &[], Operands::None),
    row(&["list-buffers", "lsb"], "choose-buffer", &[], Operands::None),
    row(&["show-buffer", "showb"], "choose-buffer", &[], Operands::None),
    row(&["list-sessions", "ls"], "list-sessions", &[], Operands::None),
    job(&["list-windows", "lsw"]),
    row(&["list-panes", "lsp"], "list-panes", &[], Operands::None),
    row(&["list-clients", "lsc"], "list-clients", &[], Operands::None),
    row(&["show-messages", "showmsgs"], "show-messages", &[], Operands::None),
    row(&["show-environment", "showenv"], "get-environment", &[], Operands::None),
    row(&["display-message", "display"], "say", &[('d', IdleWith)], Operands::Plain),
    row(&["clock-mode"], "clock", &[], Operands::None),
    row(
        &["display-popup", "popup"],
        "display-popup",
        &[('E', Idle), ('w', With("-w")), ('h', With("-h")), ('d', With("-d"))],
        Operands::Boxed,
    ),
    row(&["command-prompt"], "command-prompt", &[('I', With(""))], Operands::Words),
    row(&["confirm-before", "confirm"], "confirm", &[('p', IdleWith), ('b', Idle)], Operands::Words),
    row(&["copy-mode"], "copy-mode", &[('u', Is("--up")), ('e', Idle)], Operands::None),
    row(&["paste-buffer", "pasteb"], "paste-buffer", &[('p', Idle), ('b', With(""))], Operands::Words),
    row(&["delete-buffer", "deleteb"], "delete-buffer", &[], Operands::None),
    row(&["set-environment", "setenv"], "set-environment", &[], Operands::Words),
    job(&["source-file", "source"]),
    row(&["kill-server"], "confirm shutdown", &[], Operands::None),
    row(&["start-server", "start"], "server-status", &[], Operands::None),
    // Commands that `fugue tmux` runs.
    job(&["set-option", "set"]),
    job(&["set-window-option", "setw"]),
    job(&["show-options", "show"]),
    job(&["show-window-options", "showw"]),
    job(&["bind-key", "bind"]),
    job(&["unbind-key", "unbind"]),
    job(&["respawn-window", "respawnw"]),
    row(&["clear-history", "clearhist"], "clear-history", &[('H', Idle), ('t', Pane("-t"))], Operands::None),
    job(&["pipe-pane", "pipep"]),
    job(&["load-buffer", "loadb"]),
    job(&["save-buffer", "saveb"]),
    job(&["set-buffer", "setb"]),
    job(&["run-shell"]),
    job(&["if-shell", "if"]),
    job(&["wait-for"]),
    job(&["has-session", "has"]),
    // Commands without a counterpart.
    no(&["link-window", "linkw"], "a window belongs to one session; several clients can show it"),
    no(&["unlink-window", "unlinkw"], "a window belongs to one session; several clients can show it"),
    no(&["customize-mode"], "fugue is configured in config.toml; changes take effect immediately"),
    no(&["clear-prompt-history", "clearphist"], "prompt history is kept only while the client is running"),
    no(&["show-prompt-history", "showphist"], "the arrow keys recall earlier lines at the prompt"),
    no(&["set-hook"], "`fugue events --follow` streams events to a script"),
    no(&["show-hooks"], "`fugue events --follow` streams events to a script"),
    no(&["display-menu", "menu"], "use `pane-menu` or `window-menu`"),
    no(&["server-access"], "a daemon serves only its own user"),
    no(&["lock-client", "lockc"], "lock the terminal or the desktop instead"),
    no(&["lock-server", "lock"], "lock the terminal or the desktop instead"),
    no(&["lock-session", "locks"], "lock the terminal or the desktop instead"),
];

const JOIN: &[(char, TmuxFlag)] = &[
    ('h', Is("--right")),
    ('v', Is("--below")),
    ('b', Before),
    ('d', Idle),
    ('s', Pane("-t")),
    ('t', Pane("--beside")),
];

/// The marked pane goes beside the active one.
const JOINED: &[(char, &str)] = &[('s', "-t {marked-pane}"), ('t', "--beside {this-pane}")];
