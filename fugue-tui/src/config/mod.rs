//! The client's settings: those of `[client]` as they are, and the key bindings, copy mode keys and theme as the client
//! uses them. `fugue-config` reads the file; what needs the client's own tables is checked here.

mod keys;
mod theme;

use std::path::Path;
use std::time::Duration;

use fugue_client::HostName;
use fugue_config::{
    ClientSettings, Config, ConfigEntry, ConfigSource, CopyKeyStyle, Mistake, SettingReader, StatusSettings,
};

pub(crate) use theme::ThemeSettings;

use crate::copy_mode::key_tables::CopyKeys;
use crate::keys::bindings::Keys;

/// The longest time for which a key repeats, in milliseconds: tmux's maximum.
const LONGEST_REPEAT: usize = 32_767;

/// Other names of verbs, which key bindings may use.
pub(crate) type Aliases<'a> = &'a [(&'a str, &'static str)];

/// The client's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ClientConfig {
    /// The section `[client]`.
    pub(crate) settings: ClientSettings,
    /// The section `[status]`.
    pub(crate) status: StatusSettings,
    /// The key bindings.
    pub(crate) keys: Keys,
    /// The keys of copy mode.
    pub(crate) copy_keys: CopyKeys,
    /// The theme, and the parts that differ from it.
    pub(crate) theme: ThemeSettings,
    /// The other hosts.
    pub(crate) hosts: Vec<HostName>,
}

impl ClientConfig {
    /// Reads a file, and lists the mistakes in it: the daemon's too, since the person who wrote them looks at this
    /// client. A file that cannot be used leaves the `current` settings in force, and a mistake in the status line leaves
    /// the current line.
    pub(crate) fn read(path: &Path, aliases: Aliases<'_>, current: &Self) -> (Self, Vec<String>) {
        match Config::parse(&ConfigSource::read(path), None) {
            Ok(config) => {
                let (mut read, mistakes) = Self::build(&config, aliases);
                if config.status_mistaken {
                    read.status = current.status.clone();
                }
                (read, all_mistakes(&config, mistakes).iter().map(ToString::to_string).collect())
            }
            Err(unusable) => (current.clone(), vec![unusable.mistake.to_string()]),
        }
    }

    /// Builds the client's tables, and lists the entries that do not fit into them.
    fn build(config: &Config, aliases: Aliases<'_>) -> (Self, Vec<Mistake>) {
        let mut mistakes = Vec::new();
        let mut built =
            Self { settings: config.client.clone(), status: config.status.clone(), ..Self::default() };
        let host =
            |entry: &ConfigEntry<String>| HostName { name: entry.name.clone(), address: entry.value.clone() };
        built.hosts = config.other_hosts().map(host).collect();
        built.copy_keys.emacs = config.client.copy_keys == CopyKeyStyle::Emacs;
        // Before the bindings, since one of them may use the new prefix.
        built.keys.set_prefix(config.client.prefix);
        built.keys.prefix2 = config.client.prefix2;
        built.keys.repeat = Duration::from_millis(config.client.repeat_time.min(LONGEST_REPEAT) as u64);
        each(&config.keys, &mut mistakes, |entry| keys::bind(&mut built.keys, entry, aliases));
        each(&config.copy_keys, &mut mistakes, |entry| keys::bind_copy_key(&mut built.copy_keys, entry));
        each(&config.theme, &mut mistakes, |entry| built.theme.set(entry));
        (built, mistakes)
    }
}

/// Returns the mistakes of a file that only the client's tables can find, together with those already found.
pub fn check(config: &Config, aliases: Aliases<'_>) -> Vec<Mistake> {
    all_mistakes(config, ClientConfig::build(config, aliases).1)
}

fn all_mistakes(config: &Config, more: Vec<Mistake>) -> Vec<Mistake> {
    let mut all = config.mistakes.clone();
    all.extend(more);
    all.sort_by_key(|mistake| mistake.line);
    all
}

/// Applies each entry of a section. An invalid entry is a mistake and does not affect the others.
fn each<T>(
    entries: &[ConfigEntry<T>],
    mistakes: &mut Vec<Mistake>,
    mut apply: impl FnMut(&ConfigEntry<T>) -> Result<(), String>,
) {
    for entry in entries {
        if let Err(text) = apply(entry) {
            mistakes.push(Mistake { line: entry.line, reader: SettingReader::Client, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use fugue_config::KeyTable;

    use super::*;
    use crate::copy_mode::action_table::Act;
    use crate::paint::ColorDepth;
    use crate::theme::{Theme, ThemePart};

    fn build(text: &str) -> (ClientConfig, Vec<String>) {
        let config = Config::parse(&ConfigSource::Text(text.into()), None).expect("valid TOML");
        let (built, _) = ClientConfig::build(&config, &[]);
        (built, check(&config, &[]).iter().map(ToString::to_string).collect())
    }

    #[test]
    fn defaults_are_those_of_an_empty_file() {
        assert_eq!(build(""), (ClientConfig::default(), Vec::new()));
    }

    #[test]
    fn the_client_does_not_complain_about_the_daemons_scopes() {
        assert_eq!(build("[scopes]\n\"worker-*\" = \"observe\"\n").1, Vec::<String>::new());
    }

    #[test]
    fn a_changed_prefix_and_other_settings_apply() {
        let (config, mistakes) =
            build("history_lines = 5\n[client]\nprefix = \"C-a\"\nmouse = false\ncopy_keys = \"emacs\"\n");
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!((config.keys.prefix(), config.settings.mouse), ("C-a".parse().unwrap(), false));
        assert!(config.copy_keys.emacs);
    }

    #[test]
    fn copy_mode_keys_are_bound_by_the_name_of_an_action() {
        let text = "[copy_keys]\n\"Y\" = \"copy\"\n\"q\" = \"\"\n\"Z\" = \"copi\"\n\"z\" = 3\n";
        let (config, mistakes) = build(text);
        assert_eq!(config.copy_keys.find("Y".parse().unwrap()), Some(Act::Copy));
        assert_eq!(config.copy_keys.find("q".parse().unwrap()), None, "removed");
        assert_eq!(config.copy_keys.find("y".parse().unwrap()), Some(Act::Copy), "as before");
        assert_eq!(
            mistakes,
            [
                "config.toml, line 4: \"Z\": copy mode has no action \"copi\"; did you mean \"copy\"?",
                "config.toml, line 5: \"z\" must be a string",
            ]
        );
    }

    #[test]
    fn key_bindings_are_added_removed_and_checked() {
        let text = r#"
[keys]
"prefix h" = "focus-pane --left"
"prefix Left" = { run = "resize-pane --left", repeat = true, about = "narrower" }
"M-z" = "zoom-pane"
"prefix x" = ""
"prefix y" = "zoom-pain"
"#;
        let (config, mistakes) = build(text);
        let bound = |key: &str| {
            config.keys.find(&KeyTable::Prefix, key.parse().unwrap()).map(|found| found.command.as_ref())
        };
        assert_eq!((bound("h"), bound("x")), (Some("focus-pane --left"), None));
        assert_eq!(bound("Left"), Some("resize-pane --left"));
        assert_eq!(config.keys.find(&KeyTable::Root, "M-z".parse().unwrap()).unwrap().command, "zoom-pane");
        assert_eq!(
            mistakes,
            ["config.toml, line 7: \"prefix y\": unknown command `zoom-pain`; did you mean `zoom-pane`?"]
        );
    }

    #[test]
    fn a_theme_and_its_parts_are_checked() {
        let text = "[theme]\nname = \"dust\"\ndark = \"dusk\"\nbar = \"black on green\"\nboarder = \"red\"\nborder = \"grin\"\n";
        let (config, mistakes) = build(text);
        let same = build("[theme]\ndark = \"dusk\"\nbar = \"black on green\"\n").0;
        assert_eq!(config.theme.theme(true, ColorDepth::True), same.theme.theme(true, ColorDepth::True));
        assert_eq!(mistakes.len(), 3, "{mistakes:?}");
        assert_eq!(
            mistakes[..2],
            [
                "config.toml, line 2: \"name\": unknown theme \"dust\"; did you mean \"dusk\"?",
                "config.toml, line 5: unknown setting \"boarder\" in [theme]; did you mean \"border\"?",
            ]
        );
        assert!(mistakes[2].starts_with("config.toml, line 6: \"border\": "), "{mistakes:?}");
    }

    #[test]
    fn the_theme_follows_the_terminal_unless_one_is_chosen() {
        let themes = |text: &str| build(text).0.theme;
        let (default, named) = (themes(""), |name: &str| Theme::named(name).unwrap());
        assert_eq!(default.theme(true, ColorDepth::True), named("dusk"));
        assert_eq!(default.theme(false, ColorDepth::Palette), named("dawn"));
        assert_eq!(default.theme(true, ColorDepth::Named), named("terminal"));
        let own = themes("[theme]\nname = \"terminal\"\n");
        assert_eq!(own.theme(true, ColorDepth::True), named("terminal"));
        assert_eq!(own.theme(false, ColorDepth::True), Theme::on_light());
    }

    #[test]
    fn mistakes_are_listed_in_the_order_of_the_file() {
        let (_, mistakes) = build("[keys]\n\"a\" = \"zoom-pain\"\n[client]\nbell = 1\n");
        let lines: Vec<_> = mistakes.iter().map(|text| text.split(':').next().unwrap()).collect();
        assert_eq!(lines, ["config.toml, line 2", "config.toml, line 4"]);
    }

    #[test]
    fn a_file_that_cannot_be_used_changes_nothing() {
        let directory = std::env::temp_dir().join(format!("fugue-config-{}", std::process::id()));
        std::fs::write(&directory, "[client]\nmouse = = 1\n").expect("a file");
        let (current, _) = build("[client]\nmouse = false\n");
        let (kept, mistakes) = ClientConfig::read(&directory, &[], &current);
        let _ = std::fs::remove_file(&directory);
        assert_eq!((kept, mistakes.len()), (current, 1));
    }

    #[test]
    fn completions_look_like_messages_whose_style_a_person_chose() {
        let faint = |text: &str| {
            let theme = build(text).0.theme.theme(true, ColorDepth::True);
            (theme.of(ThemePart::MessageFaint), theme.of(ThemePart::Message))
        };
        let (faint_style, message) = faint("[theme]\nmessage = \"red on black\"\n");
        assert_eq!(faint_style, message, "legible on a background that the theme does not know");
        let (faint_style, message) =
            faint("[theme]\nmessage = \"red on black\"\nmessage_faint = \"blue on white\"\n");
        assert_ne!(faint_style, message);
    }
}
