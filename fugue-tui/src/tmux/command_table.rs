//! Those of tmux's commands that the client carries out in its own way, as rows: their names, the fugue commands that take
//! their place, and what their flags mean. `fugue-tmux` carries out all others.

use super::command_row::{Operands, TmuxCommand, TmuxFlag, no, row};

use TmuxFlag::{
    Before, Directory, Idle, IdleWith, Instead, InsteadWith, Into, Is, Name, Pane, PaneDirectory, Percent,
    Place, Session, SessionName, Share, Window, With,
};

/// The commands.
pub(crate) const COMMANDS: &[TmuxCommand] = &[
    // Panes.
    row(
        "split-window",
        "create-pane",
        &[
            ('h', Is("--right")),
            ('v', Is("--below")),
            ('b', Before),
            ('d', Is("-d")),
            ('c', PaneDirectory),
            ('e', With("--env")),
            ('l', Share),
            ('p', Percent),
            ('f', Is("--full")),
            ('t', Pane("--pane")),
        ],
        Operands::Program,
    ),
    row(
        "select-pane",
        "focus-pane",
        &[
            ('L', Is("--left --wrap")),
            ('R', Is("--right --wrap")),
            ('U', Is("--above --wrap")),
            ('D', Is("--below --wrap")),
            ('l', Instead("focus-pane -t {last-pane}")),
            ('Z', Idle),
            ('t', Pane("-t")),
        ],
        Operands::None,
    ),
    row("last-pane", "focus-pane -t {last-pane}", &[('Z', Idle)], Operands::None),
    row("kill-pane", "close-pane", &[('t', Pane("-t"))], Operands::None),
    row(
        "resize-pane",
        "resize-pane",
        &[
            ('L', Is("--left")),
            ('R', Is("--right")),
            ('U', Is("--above")),
            ('D', Is("--below")),
            ('Z', Instead("zoom-pane")),
            ('t', Pane("-t")),
        ],
        Operands::Amount,
    ),
    row("break-pane", "break-pane", &[('d', Is("-d")), ('n', With("-n")), ('s', Pane("-t"))], Operands::None),
    row("join-pane", "join-pane", JOIN, Operands::None).defaults(JOINED),
    row("move-pane", "join-pane", JOIN, Operands::None).defaults(JOINED),
    row(
        "respawn-pane",
        "respawn-pane",
        &[('k', Is("-k")), ('c', Directory), ('e', With("--env")), ('t', Pane("-t"))],
        Operands::Program,
    ),
    row("display-panes", "display-panes", &[('b', Idle), ('d', IdleWith), ('N', Idle)], Operands::Template),
    row("send-keys", "send-input", &[('t', Pane("-t"))], Operands::Keys),
    row("send-prefix", "send-prefix", &[('2', Is("-2"))], Operands::None)
        .lacks(&[("t", "the prefix is sent to the active pane")]),
    // Windows.
    row(
        "new-window",
        "create-window",
        &[('n', Name("-n")), ('d', Is("-d")), ('c', PaneDirectory), ('e', With("--env")), ('t', Into("-s"))],
        Operands::Program,
    ),
    row(
        "select-window",
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
        "next-window",
        "select-window -w {next-window}",
        &[('a', Instead("select-window -w {next-alert}"))],
        Operands::None,
    ),
    row(
        "previous-window",
        "select-window -w {previous-window}",
        &[('a', Instead("select-window -w {previous-alert}"))],
        Operands::None,
    ),
    row("last-window", "select-window -w {last-window}", &[], Operands::None),
    row("rename-window", "rename-window", &[('t', Window("-w"))], Operands::Name),
    row("kill-window", "kill-window", &[('t', Window("-w"))], Operands::None),
    row("move-window", "move-window", &[('t', Place)], Operands::None),
    row("resize-window", "resize-window", &[], Operands::Words),
    row(
        "rotate-window",
        "rotate-panes",
        &[('D', Idle), ('U', Idle), ('Z', Idle), ('t', Window("-w"))],
        Operands::None,
    )
    .defaults(&[('D', "--backward")]),
    row(
        "select-layout",
        "select-layout",
        &[('n', Is("{next-layout}")), ('p', Is("{previous-layout}")), ('t', Window("-w"))],
        Operands::Layout,
    ),
    row("next-layout", "select-layout {next-layout}", &[], Operands::None),
    row("previous-layout", "select-layout {previous-layout}", &[], Operands::None),
    row(
        "find-window",
        "find-window",
        &[
            ('C', Is("-C")),
            ('i', Is("-i")),
            ('N', Is("-N")),
            ('r', Is("-r")),
            ('T', Is("-T")),
            ('t', IdleWith),
            ('Z', Idle),
        ],
        Operands::Words,
    ),
    // Sessions and clients.
    row(
        "new-session",
        "new-session",
        &[
            ('s', SessionName("-s")),
            ('n', With("-n")),
            ('d', Instead("create-session")),
            ('c', Directory),
            ('e', With("--env")),
        ],
        Operands::Program,
    ),
    row("attach-session", "attach", &[('t', Session(""))], Operands::Words),
    row(
        "switch-client",
        "attach",
        &[
            ('t', Session("")),
            ('n', Is("{next-session}")),
            ('p', Is("{previous-session}")),
            ('l', Is("{last-session}")),
            ('T', InsteadWith("key-table")),
            ('Z', Idle),
        ],
        Operands::None,
    )
    .lacks(&[("r", "use `fugue attach --read-only`")]),
    row("rename-session", "rename-session", &[('t', Session("-s"))], Operands::SessionName),
    row("kill-session", "kill-session", &[('t', Session("-s"))], Operands::None)
        .defaults(&[('t', "-s {session-name}")]),
    row("detach-client", "detach", &[('P', Idle)], Operands::None),
    row("suspend-client", "suspend", &[], Operands::None),
    row("refresh-client", "redraw", &[('S', Idle)], Operands::None).lacks(&[
        ("cDLRU", "windows cannot be panned"),
        ("ABCfFr", "it is for clients in control mode"),
        ("l", "programs cannot read the clipboard"),
    ]),
    // Lists and other overlays.
    row("choose-tree", "choose-tree", CHOOSE_TREE, Operands::Template),
    // Aliases that tmux has by default (`command-alias`).
    row("choose-window", "choose-tree", CHOOSE, Operands::Template),
    row("choose-session", "choose-tree --sessions", CHOOSE, Operands::Template),
    row("choose-client", "choose-client", CHOOSE, Operands::Template),
    row("choose-buffer", "choose-buffer", CHOOSE, Operands::Template),
    row("list-keys", "help", &[('N', Idle), ('a', Idle)], Operands::None),
    row("list-commands", "palette", &[], Operands::None),
    row("list-sessions", "list-sessions", &[], Operands::None),
    row("list-panes", "list-panes", &[], Operands::None),
    row("list-clients", "list-clients", &[], Operands::None),
    row("show-messages", "show-messages", &[], Operands::None)
        .lacks(&[("JT", "only the client's status messages can be listed")]),
    row("display-message", "say", &[('d', IdleWith)], Operands::Plain),
    row("clock-mode", "clock", &[], Operands::None)
        .lacks(&[("t", "the clock is always shown in the client that runs the command")]),
    row(
        "display-popup",
        "display-popup",
        &[
            ('E', Is("-E")),
            ('C', Is("-C")),
            ('w', With("-w")),
            ('h', With("-h")),
            ('x', With("-x")),
            ('y', With("-y")),
            ('d', Name("-d")),
            ('e', With("-e")),
        ],
        Operands::Boxed,
    ),
    row(
        "command-prompt",
        "command-prompt",
        &[
            ('1', Idle),
            ('b', Idle),
            ('F', Idle),
            ('I', IdleWith),
            ('N', Idle),
            ('p', IdleWith),
            ('T', IdleWith),
        ],
        Operands::Question,
    )
    .lacks(&[("i", "commands run only after you press Enter"), ("k", "use `describe-key`")]),
    row(
        "confirm-before",
        "confirm",
        &[('p', IdleWith), ('b', Idle), ('c', IdleWith), ('y', Idle)],
        Operands::Words,
    ),
    row(
        "display-menu",
        "display-menu",
        &[
            ('T', With("-T")),
            ('C', With("-C")),
            ('x', With("-x")),
            ('y', With("-y")),
            ('b', IdleWith),
            ('c', IdleWith),
            ('H', IdleWith),
            ('M', Idle),
            ('O', Idle),
            ('s', IdleWith),
            ('S', IdleWith),
            ('t', IdleWith),
        ],
        Operands::Words,
    ),
    row("copy-mode", "copy-mode", &[('u', Is("--up")), ('e', Idle), ('H', Idle)], Operands::None)
        .lacks(&[("st", "copy mode always works on the active pane"), ("dMq", "use the copy-mode keys")]),
    row("paste-buffer", "paste-buffer", &[('p', Idle), ('b', With(""))], Operands::Words),
    row("delete-buffer", "delete-buffer", &[], Operands::None),
    row("set-environment", "set-environment", &[], Operands::Words),
    row("kill-server", "confirm shutdown", &[], Operands::None),
    row("start-server", "server-status", &[], Operands::None),
    row("clear-history", "clear-history", &[('H', Idle), ('t', Pane("-t"))], Operands::None),
    // Commands without a counterpart.
    no(
        "link-window",
        "a window belongs to one session: attach another client to that session, or use `move-window`",
    ),
    no("unlink-window", "a window belongs to one session: use `move-window` or `kill-window`"),
    no("customize-mode", "fugue is configured in config.toml; changes take effect immediately"),
    no("clear-prompt-history", "prompt history is kept only while the client is running"),
    no("show-prompt-history", "the arrow keys recall earlier lines at the prompt"),
    no("server-access", "a daemon serves only its own user"),
    no("lock-client", "lock the terminal or the desktop instead"),
    no("lock-server", "lock the terminal or the desktop instead"),
    no("lock-session", "lock the terminal or the desktop instead"),
];

/// The lists have their own formats, orders and keys.
const CHOOSE: &[(char, TmuxFlag)] = &[
    ('F', IdleWith),
    ('f', IdleWith),
    ('K', IdleWith),
    ('N', Idle),
    ('O', IdleWith),
    ('r', Idle),
    ('t', IdleWith),
    ('Z', Idle),
];

const CHOOSE_TREE: &[(char, TmuxFlag)] = &[
    ('s', Is("--sessions")),
    ('w', Idle),
    ('F', IdleWith),
    ('f', IdleWith),
    ('G', Idle),
    ('K', IdleWith),
    ('N', Idle),
    ('O', IdleWith),
    ('r', Idle),
    ('t', IdleWith),
    ('Z', Idle),
];

const JOIN: &[(char, TmuxFlag)] =
    &[('h', Is("--right")), ('v', Is("--below")), ('b', Before), ('s', Pane("-t")), ('t', Pane("--beside"))];

/// The marked pane, or else the active one, goes beside the active one.
const JOINED: &[(char, &str)] = &[('s', "-t {marked-or-this-pane}"), ('t', "--beside {this-pane}")];
