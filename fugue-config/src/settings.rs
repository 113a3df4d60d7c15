//! The table of settings. A row is a doc comment, a name, a type, a default and the time at which a change takes effect.

use fugue_protocol::views::OnExit;
use fugue_protocol::{FleetHost, limits};
use fugue_screen::LinkSchemes;
use fugue_screen::keys::{Code, Key, Mods};
use toml::Value;
use toml::de::DeValue;

use crate::choices::{
    ActivityAction, ClipboardAccess, CopyKeyStyle, ImageOutput, PredictEcho, RestorePrograms, StatusPosition,
};
use crate::run_rules::RunRules;
use crate::status_parts::{Seconds, StatusPart, StatusSides};
use crate::value::SettingType;

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The section of the file; nothing for the top of the file.
    pub section: Option<&'static str>,
    /// The name within the section.
    pub key: &'static str,
    /// The sentences that describe it.
    pub about: &'static [&'static str],
    /// The process that uses it.
    pub reader: SettingReader,
    /// When a change takes effect.
    pub takes_effect: TakesEffect,
    /// Describes the valid values.
    pub expected: fn() -> String,
    /// The default; nothing if the setting is not set by default.
    pub default: fn() -> Option<Value>,
}

/// The process that uses a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingReader {
    /// The daemon.
    Daemon,
    /// Every attached terminal client.
    Client,
}

/// When a changed setting takes effect. No setting needs a restart of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakesEffect {
    /// As soon as the file is written.
    Immediately,
    /// In panes that are created afterwards.
    NewPanes,
    /// When a client attaches.
    NextAttach,
    /// When `fugue fleet run` is started again.
    NextRelay,
}

impl SettingReader {
    /// The word for it on the reference page and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Daemon => "daemon",
            Self::Client => "client",
        }
    }
}

impl TakesEffect {
    /// The words for it on the reference page and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Immediately => "immediately",
            Self::NewPanes => "in new panes",
            Self::NextAttach => "at the next attach",
            Self::NextRelay => "when the relay restarts",
        }
    }
}

impl Setting {
    /// The full name: `on_exit`, `client.mouse`.
    pub fn name(&self) -> String {
        self.section.map(|section| format!("{section}.{}", self.key)).unwrap_or_else(|| self.key.into())
    }
}

/// Returns every setting, in the order of the reference page.
pub fn settings() -> impl Iterator<Item = &'static Setting> {
    let shown = ClientSettings::TABLE.iter().chain(StatusSettings::TABLE);
    DaemonSettings::TABLE.iter().chain(shown).chain(FleetSettings::TABLE)
}

/// Generates a struct with a field for each row, its defaults, and the table itself.
macro_rules! table {
    (
        $(#[$about:meta])* $struct:ident, $reader:ident, $section:expr;
        $($(#[doc = $doc:literal])+ $key:ident: $type:ty = $default:expr, $takes_effect:ident;)+
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $struct { $($(#[doc = $doc])+ pub $key: $type,)+ }

        impl Default for $struct {
            fn default() -> Self {
                Self { $($key: $default,)+ }
            }
        }

        impl $struct {
            pub(crate) const TABLE: &'static [Setting] = &[$(Setting {
                section: $section,
                key: stringify!($key),
                about: &[$($doc),+],
                reader: SettingReader::$reader,
                takes_effect: TakesEffect::$takes_effect,
                expected: <$type as SettingType>::expected,
                default: || <$type as SettingType>::to_toml(&$default),
            },)+];

            /// Reads a value into the field of this name; nothing if there is no such setting.
            pub(crate) fn set(&mut self, key: &str, value: &DeValue<'_>) -> Option<Result<(), String>> {
                match key {
                    $(stringify!($key) => Some(SettingType::read(value).map(|value| self.$key = value)),)+
                    _ => None,
                }
            }

            /// Returns the value of this name, if it is set.
            pub(crate) fn get(&self, key: &str) -> Option<Value> {
                match key {
                    $(stringify!($key) => self.$key.to_toml(),)+
                    _ => None,
                }
            }
        }
    };
}

table! {
    /// The settings that the daemon uses. They are at the top of the file, before any section.
    DaemonSettings, Daemon, None;

    /// The program that a pane runs by default, and the shell that runs command lines. Defaults to `$SHELL`, then
    /// `/bin/sh`.
    shell: Option<String> = None, NewPanes;
    /// What happens to a pane when its program exits: `close` closes it, `keep` keeps it with its last screen and its
    /// exit code, and `keep_failed` keeps it only if the exit code is not 0. `--on-exit` overrides this setting for one
    /// pane. Panes that an agent creates are kept if their program fails, even with `close`.
    on_exit: OnExit = OnExit::Close, NewPanes;
    /// Whether windows are named after the program in their active pane, for example `vim` while you edit. A window
    /// that you have named keeps its name.
    automatic_names: bool = true, NewPanes;
    /// The number of the first window of a session and of the first pane of a window.
    base_index: usize = 0, Immediately;
    /// Whether windows are always numbered without gaps. By default, a window keeps its index when another one is
    /// closed, and the next new window gets the free index.
    renumber_windows: bool = false, Immediately;
    /// Whether a window that is not shown is marked when a pane in it prints something. `client.activity_action` sets
    /// what else happens.
    monitor_activity: bool = false, Immediately;
    /// Seconds without output after which a window that is not shown is marked as silent; 0 disables this.
    monitor_silence: usize = 0, Immediately;
    /// The maximum number of lines in a pane's scrollback.
    history_lines: usize = 10_000, NewPanes;
    /// The maximum size of a pane's scrollback in bytes, regardless of the number of lines.
    history_bytes: usize = 32 << 20, NewPanes;
    /// Whether bash, zsh and fish mark their prompts (OSC 133). `fugue run` and `get-output --mode last_command` use the
    /// marks to find the output of a command. Your shell's own startup files are not changed.
    prompt_marks: bool = true, NewPanes;
    /// Whether the `tmux` command in every pane runs fugue: a directory with a symlink named `tmux` comes first
    /// in `PATH`, and `TMUX` and `TMUX_PANE` are set, so that scripts and plugins written for tmux control fugue.
    tmux_link: bool = false, NewPanes;
    /// Whether the last screen of every pane is saved to disk, so that it can be shown after a reboot. Each file is
    /// readable only by you and is at most 256 KiB in size. If this is turned off, the files are deleted.
    save_screens: bool = true, Immediately;
    /// Which programs that were lost in a reboot are restarted when fugue starts: `never` restarts nothing (you can
    /// still run `fugue restore`), `shells` restarts shells, and `all` restarts everything that `fugue restore` would.
    restore_programs: RestorePrograms = RestorePrograms::Never, Immediately;
    /// Whether agents may type into a pane in which another agent is asking you for permission.
    agents_may_answer: bool = false, Immediately;
    /// Whether agents may ask fugue to type notifications of unread messages into their pane while they are idle.
    type_notices: bool = false, Immediately;
    /// Whether agents that have an inbox of their own (Claude Code, Codex, OpenCode) are notified of unread messages
    /// through that inbox, which wakes idle agents. Sessions that have chosen their own delivery methods are not
    /// affected.
    push_notices: bool = true, Immediately;
    /// The maximum number of open sessions created by an agent, including those created by agents that it started. This
    /// limit does not apply to you.
    max_sessions_per_agent: usize = limits::AGENT_SESSIONS, Immediately;
    /// The maximum number of open panes that an agent may have, in its own session and in sessions created by it or by
    /// agents that it started.
    max_panes_per_agent: usize = limits::AGENT_PANES, Immediately;
    /// The maximum number of programs that an agent, together with the agents that it started, may start per minute.
    spawns_per_minute: usize = limits::AGENT_SPAWNS, Immediately;
    /// The maximum number of messages that the agents in a session may send per minute.
    messages_per_minute: usize = limits::AGENT_MESSAGES, Immediately;
}

table! {
    /// The settings that the terminal client uses, in the section `[client]`.
    ClientSettings, Client, Some("client");

    /// The prefix key, which you press before a command's key.
    prefix: Key = Key { code: Code::Char('b'), mods: Mods { ctrl: true, ..Mods::default() } }, Immediately;
    /// Another prefix key. `send-prefix -2` sends it to the program.
    prefix2: Option<Key> = None, Immediately;
    /// Milliseconds for which a key that repeats needs no prefix after it was pressed; 0 makes no key repeat.
    repeat_time: usize = 500, Immediately;
    /// Which keys take precedence in copy mode. Keys that exist only in the other set also work.
    copy_keys: CopyKeyStyle = CopyKeyStyle::Vi, Immediately;
    /// Whether fugue handles the mouse. If not, you can use the terminal's own text selection.
    mouse: bool = true, Immediately;
    /// Whether the status line is shown.
    status: bool = true, Immediately;
    /// Whether the status line shows the time.
    clock: bool = true, Immediately;
    /// Whether the status line shows a few keys when you attach for the first times.
    hints: bool = true, Immediately;
    /// Whether every pane has a title line above it.
    titles: bool = false, Immediately;
    /// Whether the sidebar is open when a client attaches in a terminal with at least 100 columns.
    sidebar: bool = false, NextAttach;
    /// Whether the terminal shows a notification (OSC 9, 99 or 777) when an agent needs your attention.
    notify: bool = true, Immediately;
    /// Whether the terminal's bell rings when an agent needs your attention.
    bell: bool = true, Immediately;
    /// What happens when a window that is not shown has activity or is silent (`monitor_activity`, `monitor_silence`):
    /// `mark` marks it on the status line and in the tree, `message` also shows a status message, and `bell` also rings
    /// the terminal's bell.
    activity_action: ActivityAction = ActivityAction::Mark, Immediately;
    /// Whether fugue sets the terminal's title. When you detach, the terminal's previous title is restored.
    set_titles: bool = false, Immediately;
    /// The terminal's title, in tmux's format syntax.
    titles_format: String = "#S:#I:#W".into(), Immediately;
    /// A shell command, such as `xclip -in`, to which everything you copy is also piped. The command is killed after 5
    /// seconds.
    copy_command: Option<String> = None, Immediately;
    /// Whether programs in visible panes may write to the terminal's clipboard (OSC 52): `ask` asks you first, so
    /// that a program cannot silently replace what you are about to paste. Programs can never read the
    /// clipboard.
    clipboard: ClipboardAccess = ClipboardAccess::Ask, Immediately;
    /// Additional schemes that links (OSC 8) may use, such as `["file"]`. `http`, `https` and `mailto` are always
    /// allowed; `javascript`, `vbscript` and `data` never are.
    link_schemes: LinkSchemes = LinkSchemes::default(), Immediately;
    /// How images in panes are shown: `kitty` and `sixel` select a protocol, and `auto` asks the terminal which one it
    /// supports. With `off`, or if the terminal supports neither, a box is shown instead of the image.
    images: ImageOutput = ImageOutput::Auto, Immediately;
    /// When the characters that you type are shown, underlined, before the program echoes them: `auto` does this in
    /// sessions on other hosts if echoes take longer than 30 ms, `always` in all sessions, and `never` in none. Nothing
    /// is shown before the program has echoed the first character of a line.
    predict_echo: PredictEcho = PredictEcho::Auto, Immediately;
    /// The command that opens a link when you type the link's label in capitals. The address is passed as the last
    /// argument.
    open_command: String = open_command(), Immediately;
    /// The environment variables that an attaching client copies to its session, for use in new panes.
    /// `SSH_AUTH_SOCK` is a symlink that always points to the ssh agent of the client that attached last, so it also
    /// works in older panes.
    update_environment: Vec<String> = update_environment(), NextAttach;
}

/// The system's own command for opening a link.
fn open_command() -> String {
    if cfg!(target_os = "macos") { "open".into() } else { "xdg-open".into() }
}

table! {
    /// The settings of the status line, in the section `[status]`.
    StatusSettings, Client, Some(StatusSettings::SECTION);

    /// Where the status line is: `top` or `bottom`.
    position: StatusPosition = StatusPosition::Bottom, Immediately;
    /// The parts on the left.
    left: Vec<StatusPart> = StatusPart::usual_left(), Immediately;
    /// The parts in the middle.
    center: Vec<StatusPart> = Vec::new(), Immediately;
    /// The parts on the right.
    right: Vec<StatusPart> = StatusPart::usual_right(), Immediately;
    /// A second line below the first, with `left`, `center` and `right` parts.
    second_line: Option<StatusSides> = None, Immediately;
    /// The format of the `clock` part, in `strftime` syntax.
    clock_format: String = "%H:%M".into(), Immediately;
    /// How often the `load` and `battery` parts are updated and commands are run.
    interval: Seconds = Seconds::new(15), Immediately;
}

impl StatusSettings {
    /// The name of the section.
    pub(crate) const SECTION: &'static str = "status";

    /// The lines, from the first to the last.
    pub fn lines(&self) -> Vec<StatusSides> {
        let first =
            StatusSides { left: self.left.clone(), center: self.center.clone(), right: self.right.clone() };
        [first].into_iter().chain(self.second_line.clone()).collect()
    }
}

/// The variables that belong to a login or a display: those that tmux updates, and Wayland's.
fn update_environment() -> Vec<String> {
    let names = [
        "DISPLAY",
        "KRB5CCNAME",
        "SSH_AGENT_PID",
        "SSH_ASKPASS",
        "SSH_AUTH_SOCK",
        "SSH_CONNECTION",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
    ];
    names.map(String::from).to_vec()
}

table! {
    /// The settings of the fleet, in the section `[fleet]`.
    FleetSettings, Daemon, Some(FleetSettings::SECTION);

    /// The name of this host in the fleet: lowercase letters, digits and hyphens. Other hosts address its sessions as
    /// `host/session`. If this is not set, no messages are exchanged with other hosts.
    host: Option<FleetHost> = None, Immediately;
    /// The addresses of the NATS servers, such as `tls://nats.example:4222`. For a cluster, list several.
    servers: Vec<String> = Vec::new(), NextRelay;
    /// Hosts of the fleet to which the relay connects over ssh instead of NATS. Each must be a host in `[hosts]`, and have
    /// the same name there as in its own `fleet.host`. Only one of the two hosts needs this setting and a relay.
    ssh: Vec<String> = Vec::new(), NextRelay;
    /// The file that contains this host's credentials (a `.creds` file).
    creds: Option<String> = None, NextRelay;
    /// The file that contains this host's nkey seed, if the server authenticates hosts by nkey rather than by JWT.
    nkey_seed: Option<String> = None, NextRelay;
    /// The file that contains the servers' CA certificate, if the system does not already trust it.
    tls_ca: Option<String> = None, NextRelay;
    /// The number of servers in a cluster that store each message: 1, 3 or 5. Used only when the stream is created.
    replicas: usize = 1, NextRelay;
    /// What sessions on other hosts may start on this one, in a section `[fleet.run]`: for each host (`desk`) or session
    /// (`"desk/lead"`), a list of agents and programs, such as `["claude", "cargo"]`, with any arguments. `["*"]`
    /// allows everything, including shells, environment variables and worktrees. By default, nothing is allowed.
    run: RunRules = RunRules::default(), Immediately;
    /// The maximum number of messages waiting to be relayed to other hosts.
    outbox_messages: usize = limits::OUTBOX_MESSAGES, Immediately;
    /// Seconds after which a message is relayed again if the other host has not confirmed receipt and the NATS servers
    /// no longer have the message.
    resend_after: Seconds = Seconds::new(60), NextRelay;
    /// The maximum number of messages accepted per minute from each other host. Excess messages are dead-lettered.
    messages_per_minute_per_host: usize = limits::FLEET_MESSAGES, NextRelay;
}

impl FleetSettings {
    /// The section of the file.
    pub(crate) const SECTION: &'static str = "fleet";
}
