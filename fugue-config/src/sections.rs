//! The sections whose entries a person names: scopes, key bindings, copy mode keys and the theme. Names, types and lines
//! are checked here; whether a command, an action or a theme exists is the client's to know.

use fugue_agents::KnownAgent;
use fugue_protocol::Scope;
use fugue_protocol::host::{is_host_address, is_host_name};
use fugue_protocol::permission_rules::{PermissionRule, RuleVerdict};
use fugue_screen::keys::Key;
use toml::de::{DeTable, DeValue};

use crate::document::{EntryResult, LineEnds, RawEntry, entries};
use crate::key_table::KeyTable;
use crate::settings::{Setting, SettingReader, settings};
use crate::value::did_you_mean;

/// A section whose entries a person names.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// The name between the brackets.
    pub name: &'static str,
    /// The process that uses it.
    pub reader: SettingReader,
    /// The sentences that describe it.
    pub about: &'static str,
    /// Lines that show how it is written.
    pub example: &'static str,
}

/// The sections, in the order of the reference page. A change in any of them takes effect immediately.
pub const SECTIONS: [Section; 9] = [
    Section {
        name: "scopes",
        reader: SettingReader::Daemon,
        about: "What a session's agents may change outside their own session: nothing (`observe`), the sessions created \
                from their own (`descendants`), or everything (`all`, the default). Each entry names a session; a name that \
                ends in `*` matches every session with that prefix. An exact name takes precedence over a pattern, and a \
                longer pattern over a shorter one. A session that an agent creates is also subject to the rules for its \
                creator; the strictest rule applies. If an agent renames a session, the rules for the old name still \
                apply; if a person renames a session, the rules for the new name apply. Changes outside the agent's own \
                session, and refusals, are recorded in `audit.log` in the state directory. If a value is invalid, the last \
                valid one stays in effect, even after a daemon restart; if there was none, `observe` applies. The same \
                holds for all scopes if the file cannot be read or parsed. If the file is missing, the last scopes stay \
                in effect; a file without this section lifts them. See [security.md](../security.md).",
        example: "\"*\" = \"descendants\"\n\"worker-*\" = \"observe\"\nlead = \"all\"",
    },
    Section {
        name: "permissions",
        reader: SettingReader::Daemon,
        about: "Rules for answering agents' dialogs automatically. The name is an agent (or `*`), a colon and a command, \
                in which `*` matches any text; the value is `allow` (allow the command once) or `deny`. In an `allow` rule, \
                `*` does not match characters that can make a shell run another command, such as `;`, `&`, `|` and `$`. \
                `deny` rules take precedence. Rules answer only dialogs that the agent itself reports and that show the whole command, and every \
                answer is recorded in `audit.log` in the state directory. By default, there are no rules, and you \
                answer every dialog yourself. A rule with a mistake denies its command, or, if the command cannot be read, \
                keeps all rules from allowing anything. See [permissions.md](../permissions.md).",
        example: "\"claude: git status*\" = \"allow\"\n\"*: git push*\" = \"deny\"",
    },
    Section {
        name: "confine",
        reader: SettingReader::Daemon,
        about: "Which sessions' programs are confined by the kernel. Each entry names a session, or several by a name that \
                ends in `*`, as in `[scopes]`; the value is a profile (`worktree`, `read-only`, `offline`, or one of yours), \
                or `off`. A session keeps the profile that it was created with, and so do all sessions that its agents create. \
                A program that cannot be confined is not started. By default, nothing is confined. See \
                [confinement.md](../confinement.md).",
        example: "\"worker-*\" = \"worktree\"\n\"review-*\" = \"read-only\"",
    },
    Section {
        name: "confine_profiles",
        reader: SettingReader::Daemon,
        about: "Your own profiles for `[confine]`. Each is a table: `write` is `worktree` (the default) or `temporary` (nothing \
                but the temporary directory and the agent's own state); `ports` lists the only TCP ports that may be \
                used; `read_paths` and `write_paths` list further paths; `variables` lists the only environment variables \
                that are kept. See [confinement.md](../confinement.md).",
        example: "[confine_profiles.web]\nports = [443, 5432]\nread_paths = [\"~/datasets\"]",
    },
    Section {
        name: "hooks",
        reader: SettingReader::Daemon,
        about: "Shell commands that the daemon runs when something happens. The name is an event; the value is a command or \
                a list of commands. `{ tmux = \"LINE\" }` instead of a command runs a line of tmux's commands. Environment variables tell a command what happened. It may run `fugue`, which \
                then acts as you. At most 8 run at once, each for at most 60 seconds; failures are in \
                the daemon's log. The events and variables are listed in [hooks.md](../hooks.md).",
        example: "agent-needs-attention = 'notify-send \"$FUGUE_HOOK_SESSION\" \"$FUGUE_HOOK_REASON\"'\n\
                  pane-exited = [\"date >> ~/exits\"]",
    },
    Section {
        name: "theme",
        reader: SettingReader::Client,
        about: "The client's colors: `name` is the theme; `light` and `dark` are the themes for light and dark terminals. \
                Any other entry sets the style of one part. The themes and the parts are listed in [keys.md](../keys.md).",
        example: "name = \"terminal\"\nlight = \"dawn\"\ndark = \"dusk\"\nactive_border = \"#ff8700 bold\"",
    },
    Section {
        name: "keys",
        reader: SettingReader::Client,
        about: "Key bindings. The name is a key, or `prefix` followed by a key to press after the prefix; the value is a \
                command line, or a table with `run`, `repeat` and `about`. An empty command removes a binding. Any other \
                word before the key names a table of your own, which `switch-client -T NAME` selects for the next key.",
        example: "\"prefix h\" = \"focus-pane --left\"\n\
                  \"prefix H\" = { run = \"resize-pane --left --by 5\", repeat = true, about = \"narrower\" }\n\
                  \"M-z\" = \"zoom-pane\"\n\"prefix x\" = \"\"\n\
                  \"prefix R\" = \"switch-client -T resize\"\n\"resize h\" = { run = \"resize-pane --left\", repeat = true }",
    },
    Section {
        name: "copy_keys",
        reader: SettingReader::Client,
        about: "Key bindings in copy mode: the name is a key, and the value is a copy-mode action. The actions are listed \
                in [keys.md](../keys.md). An empty action removes a binding.",
        example: "\"Y\" = \"copy-to-line-end\"\n\"q\" = \"\"",
    },
    Section {
        name: "hosts",
        reader: SettingReader::Client,
        about: "Remote hosts that run fugue: the name is what you call the host, and the value is its ssh destination. \
                `fugue hosts` adds, lists and removes them; see [hosts.md](../hosts.md).",
        example: "gpu = \"ann@gpu.example\"\nbuild = \"build-1\"",
    },
];

/// Returns the names that `fugue config show` takes: of every setting, and of all sections.
pub fn names() -> Vec<String> {
    let mut with_settings: Vec<_> = settings().filter_map(|setting| setting.section).collect();
    with_settings.dedup();
    let sections = with_settings.into_iter().chain(SECTIONS.iter().map(|section| section.name));
    settings().map(Setting::name).chain(sections.map(str::to_owned)).collect()
}

/// An entry of a section, checked as far as this crate can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEntry<T> {
    /// The name as it is in the file.
    pub name: String,
    /// Its line, counted from 1; nothing if it is in force without being in the file.
    pub line: Option<usize>,
    /// Its value.
    pub value: T,
}

impl RawEntry<'_> {
    /// The entry with a value that was checked.
    pub(crate) fn with<T>(&self, value: T) -> ConfigEntry<T> {
        ConfigEntry { name: self.name.into(), line: Some(self.line), value }
    }
}

/// An entry of `[keys]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyBinding {
    /// The key.
    pub key: Key,
    /// The table that it is in.
    pub table: KeyTable,
    /// The command line; empty if the binding is removed.
    pub command: String,
    /// Whether the key works again at once without the prefix.
    pub repeats: bool,
    /// The description in the list of keys; empty for the command itself.
    pub about: String,
}

/// The fields of a key binding that is a table.
const BINDING_FIELDS: [&str; 3] = ["run", "repeat", "about"];

/// Reads an entry of `[scopes]`.
pub(crate) fn scope(_: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<Scope> {
    let fallback = "; until this is fixed, the last valid value applies, or \"observe\" if there was none";
    entry.read().map_err(|(line, why)| (line, why + fallback))
}

/// An entry of `[permissions]` as far as it can be read.
pub(crate) struct ReadRule {
    /// The rule that applies; none if it has no effect.
    pub(crate) rule: Option<PermissionRule>,
    /// Whether it might deny anything.
    pub(crate) is_unknown: bool,
    /// What is wrong with it.
    pub(crate) mistake: Option<(usize, String)>,
}

/// Reads an entry of `[permissions]`. If its value or the name of its agent is mistaken, it still names a command, which it
/// denies to every agent that it may be about.
pub(crate) fn permission_rule(entry: &RawEntry<'_>) -> ReadRule {
    let verdict = entry.read();
    let Some(rule) = PermissionRule::parse(entry.name, *verdict.as_ref().unwrap_or(&RuleVerdict::Deny))
    else {
        let why = "must have the form AGENT:COMMAND; until this is fixed, no rule allows anything";
        let mistake = Some((entry.line, format!("\"{}\" {why}", entry.name)));
        return ReadRule { rule: None, is_unknown: true, mistake };
    };
    let is_known = rule.agent == "*" || KnownAgent::find(&rule.agent).is_some();
    let denied = "; until this is fixed, the rule denies the command";
    let near = || did_you_mean(&rule.agent, KnownAgent::names());
    let unknown = |effect: &str| format!("\"{}\": unknown agent{effect}{}", entry.name, near());
    let mistake = match (is_known, rule.verdict, verdict) {
        (_, _, Err((line, why))) => Some((line, why + denied)),
        (true, _, Ok(_)) => None,
        (false, RuleVerdict::Deny, Ok(_)) => Some((entry.line, unknown(denied))),
        (false, RuleVerdict::Allow, Ok(_)) => Some((entry.line, unknown("; the rule has no effect"))),
    };
    let agent = if is_known { rule.agent.clone() } else { "*".into() };
    let has_effect = is_known || rule.verdict == RuleVerdict::Deny;
    let rule = has_effect.then(|| PermissionRule { agent, ..rule.clone() });
    ReadRule { rule, is_unknown: false, mistake }
}

/// Reads an entry of `[theme]`.
pub(crate) fn theme(_: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<String> {
    entry.read()
}

/// Reads an entry of `[copy_keys]`: a key and an action.
pub(crate) fn copy_key(_: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<(Key, String)> {
    Ok((entry.key(entry.name)?, entry.read()?))
}

/// Reads an entry of `[hosts]`: a name and an address.
pub(crate) fn host(_: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<String> {
    let address: String = entry.read()?;
    match (is_host_name(entry.name), is_host_address(&address)) {
        (false, _) => Err((
            entry.line,
            format!("\"{}\" is not a valid host name: use letters, digits, -, _ and .", entry.name),
        )),
        (_, false) => {
            Err((entry.line, format!("\"{}\" must be an ssh destination, such as user@box", entry.name)))
        }
        _ => Ok(address),
    }
}

/// Reads an entry of `[keys]`.
pub(crate) fn key_binding(lines: &LineEnds, entry: &RawEntry<'_>) -> EntryResult<KeyBinding> {
    let (table, name) = match entry.name.split_once(' ') {
        Some((table, name)) => (table.parse().map_err(|why| (entry.line, why))?, name.trim()),
        None => (KeyTable::Root, entry.name),
    };
    let key = entry.key(name)?;
    let mut binding = KeyBinding { key, table, command: String::new(), repeats: false, about: String::new() };
    match entry.value {
        DeValue::Table(fields) => read_fields(&mut binding, lines, entry, fields)?,
        DeValue::String(command) => binding.command = command.to_string(),
        _ => {
            return Err((
                entry.line,
                format!("\"{}\" must be a command line (a string) or a table", entry.name),
            ));
        }
    }
    Ok(binding)
}

fn read_fields(
    binding: &mut KeyBinding,
    lines: &LineEnds,
    entry: &RawEntry<'_>,
    fields: &DeTable<'_>,
) -> EntryResult<()> {
    for field in entries(lines, fields) {
        match field.name {
            "run" => binding.command = field.read()?,
            "about" => binding.about = field.read()?,
            "repeat" => binding.repeats = field.read()?,
            wrong => {
                let near = did_you_mean(wrong, BINDING_FIELDS.into_iter());
                return Err((field.line, format!("unknown field \"{wrong}\" in \"{}\"{near}", entry.name)));
            }
        }
    }
    Ok(())
}
