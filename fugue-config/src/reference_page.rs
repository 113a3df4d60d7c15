//! The reference page, generated from the table.

use std::fmt::Write;

use crate::sections::{SECTIONS, Section};
use crate::settings::{ClientSettings, DaemonSettings, FleetSettings, Setting, StatusSettings};

const INTRODUCTION: &str = "\
# Settings

fugue reads `config.toml` in `$XDG_CONFIG_HOME/fugue`, or in `~/.config/fugue` if that variable is not set.

```sh
fugue config path     # prints the file's path
fugue config show     # prints every setting, its value, and the line that sets it
fugue config check    # lists the errors in the file; the exit code is 1 if there are any
```

The daemon and every attached client reload the file as soon as it is written. No setting requires a daemon restart; the
tables show which ones take effect only in new panes, at the next attach or after `fugue fleet run` is restarted.
If the file cannot be watched, it is checked every 2 seconds, and `fugue doctor` says so. Removing the file restores the
defaults, except for [`[scopes]`](#scopes).

Errors are reported with the line number and the nearest valid name. Attached clients show them when the file is
written, `fugue server-status` shows those in the daemon's settings, and `fugue config check` lists them all. An invalid
entry does not affect the others; that setting uses its default value (for an invalid scope, see [`[scopes]`](#scopes)).
If `[status]` contains an error, a running client keeps its current status line.
A file that is not valid TOML, or that has more than 10,000 entries or 1 MiB, is ignored entirely: a running daemon or
client keeps its settings, and a newly started one uses the defaults. The daemon keeps the last scopes in any case. If
there were none and such a file mentions scopes or cannot be read, or if the last scopes are not known, agents may only
observe other sessions.

This page is generated from the table in `fugue-config/src/settings.rs`; to update it, run the `fugue-config` tests with
`FUGUE_RENEW=1`.
";

/// Returns the reference page of the settings, in Markdown.
pub fn reference_page() -> String {
    let mut page = String::from(INTRODUCTION);
    page += "\n## Daemon\n\nThese settings go at the top of the file, before any section.\n\n";
    page += &table(DaemonSettings::TABLE);
    page += "\n## `[client]`\n\nSettings for the terminal client.\n\n";
    page += &table(ClientSettings::TABLE);
    page += "\n## `[status]`\n\nFor the parts of the status line and their syntax, see\n\
             [status-line.md](../status-line.md).\n\n";
    page += &table(StatusSettings::TABLE);
    page += "\n## `[fleet]`\n\nMessages between hosts, which `fugue fleet run` relays; see [fleet.md](../fleet.md).\n\n";
    page += &table(FleetSettings::TABLE);
    SECTIONS.iter().for_each(|section| page += &described(section));
    page
}

fn table(settings: &[Setting]) -> String {
    let mut rows =
        String::from("| setting | value | default | takes effect | description |\n|---|---|---|---|---|\n");
    for setting in settings {
        let about: Vec<&str> = setting.about.iter().map(|line| line.trim()).collect();
        let default = (setting.default)().map_or_else(|| "not set".into(), |value| format!("`{value}`"));
        let (key, expected, effect) = (setting.key, (setting.expected)(), setting.takes_effect.name());
        let _ = writeln!(rows, "| `{key}` | {expected} | {default} | {effect} | {} |", about.join(" "));
    }
    rows
}

fn described(section: &Section) -> String {
    let (name, about, example) = (section.name, section.about, section.example);
    format!(
        "\n## `[{name}]`\n\n{about}\n\nA change takes effect immediately.\n\n```toml\n[{name}]\n{example}\n```\n"
    )
}
