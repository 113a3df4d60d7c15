//! tmux's key bindings as entries of `[keys]` and `[copy_keys]`.

use fugue_config::{Config, ConfigSource, KeyTable, UnusableConfig};
use fugue_tmux::reader;
use toml::Value;

use super::option_commands;
use crate::config_edit::{self, ConfigEdit};

/// The section and key of the command that everything copied is piped to.
pub(super) const COPY_COMMAND: (&str, &str) = ("client", "copy_command");

/// A binding: its table, its key, and the command.
struct TmuxBinding<'a> {
    copy_mode: bool,
    key: String,
    repeats: bool,
    note: Option<&'a str>,
    command: &'a [String],
}

impl TmuxBinding<'_> {
    fn section(&self) -> &'static str {
        if self.copy_mode { "copy_keys" } else { "keys" }
    }
}

/// Reads the flags and the key of `bind-key` and `unbind-key`.
fn read(words: &[String]) -> Result<TmuxBinding<'_>, String> {
    let (mut table, mut repeats, mut note, mut rest) = ("prefix", false, None, words);
    while let [word, after @ ..] = rest {
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else { break };
        rest = after;
        match letters {
            "n" => table = "root",
            "r" => repeats = true,
            "nr" | "rn" => (table, repeats) = ("root", true),
            "q" => {}
            "T" | "N" => {
                let [value, after @ ..] = rest else { return Err(format!("-{letters} expects an argument")) };
                if letters == "T" {
                    table = value;
                } else {
                    note = Some(value.as_str());
                }
                rest = after;
            }
            _ if letters.starts_with('T') => table = &letters[1..],
            _ => {
                // `bind - split-window`: a dash is a key.
                return Err(format!("unknown flag -{letters}"));
            }
        }
    }
    let [key, command @ ..] = rest else { return Err("no key".into()) };
    let copy_mode = matches!(table, "copy-mode" | "copy-mode-vi");
    let name = fugue_key(key)?;
    let key = match table {
        "prefix" => format!("prefix {name}"),
        "root" | "copy-mode" | "copy-mode-vi" => name,
        own => match own.parse::<KeyTable>()? {
            KeyTable::Own(table) => format!("{table} {name}"),
            KeyTable::Root | KeyTable::Prefix => name,
        },
    };
    Ok(TmuxBinding { copy_mode, key, repeats, note, command })
}

/// The name of a key.
fn fugue_key(key: &str) -> Result<String, String> {
    let mouse = ["Mouse", "Wheel", "DoubleClick", "TripleClick"].iter().any(|word| key.contains(word));
    if mouse {
        return Err(format!("mouse events cannot be bound: {key}"));
    }
    let renamed = match key {
        "DC" => "Delete",
        "IC" => "Insert",
        "PPage" | "PgUp" => "PageUp",
        "NPage" | "PgDn" => "PageDown",
        "BSpace" => "Backspace",
        key => key.trim_start_matches('\\'),
    };
    let renamed = if renamed.is_empty() { key } else { renamed };
    renamed.parse::<fugue_screen::keys::Key>().map_err(|_| format!("unknown key: {key}"))?;
    Ok(renamed.to_owned())
}

/// The command line of a binding.
fn line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+={}#,~^".contains(c);
    let quoted = |word: &String| match word.as_str() {
        ";" => ";".to_owned(),
        word if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    };
    if let [block] = words
        && block.contains(char::is_whitespace)
    {
        return one_line(block);
    }
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A block of commands on one line. One that was given to `bind-key` in a shell may have a command on each line.
fn one_line(block: &str) -> String {
    let (mut commands, mut quote, mut escaped) = (vec![String::new()], None, false);
    for c in block.chars() {
        match (c, quote) {
            _ if std::mem::take(&mut escaped) => {}
            ('\\', None | Some('"')) => escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(end)) if c == end => quote = None,
            ('\n', None) => {
                commands.push(String::new());
                continue;
            }
            _ => {}
        }
        commands.last_mut().into_iter().for_each(|command| command.push(c));
    }
    let commands = commands.iter().map(|command| command.trim()).filter(|command| !command.is_empty());
    commands.collect::<Vec<_>>().join("; ")
}

/// The entries for `bind-key`: that of the key, and the command that a key of copy mode pipes to.
pub(crate) fn bind(words: &[String]) -> Result<Vec<ConfigEdit>, String> {
    let binding = read(words)?;
    let command = separated(binding.command);
    let binding = TmuxBinding { command: &command, ..binding };
    if binding.command.is_empty() {
        return Err("no command".into());
    }
    if let Some(why) = option_commands::refusal(binding.command) {
        return Err(why);
    }
    let edits = if binding.copy_mode { copy_key(&binding)? } else { vec![client_key(&binding)] };
    check(&edits)?;
    Ok(edits)
}

/// The words of a binding's commands, with each `;` between two of them as a word of its own: `a\; b` ends the first one
/// as `a \; b` does.
fn separated(command: &[String]) -> Vec<String> {
    match command {
        [block] if block.contains(char::is_whitespace) => command.to_vec(),
        words => reader::split(words).join(&";".to_owned()),
    }
}

/// Refuses entries that would be mistakes in `config.toml`.
pub(super) fn check(edits: &[ConfigEdit]) -> Result<(), String> {
    let text = edits.iter().try_fold(String::new(), |text, edit| edit.apply(&text))?;
    config_edit::mistakes(&text).first().map_or(Ok(()), |mistake| Err(reason(mistake)))
}

/// The section and key of the entry for `bind-key` and `unbind-key`.
pub(super) fn place(words: &[String]) -> Option<(&'static str, String)> {
    let binding = read(words).ok()?;
    Some((binding.section(), binding.key))
}

/// What is wrong with an entry, without the line in a file that does not exist yet.
fn reason(mistake: &str) -> String {
    mistake.rsplit_once("\": ").map_or(mistake, |(_, why)| why).to_owned()
}

fn client_key(binding: &TmuxBinding<'_>) -> ConfigEdit {
    let command = line(binding.command);
    let value = match (binding.repeats, binding.note) {
        (false, None) => Value::from(command),
        (repeats, note) => {
            // In the order of their names, which is that of the map unless a feature of the crate keeps the given one.
            let mut table = toml::Table::new();
            if let Some(note) = note {
                table.insert("about".into(), note.into());
            }
            if repeats {
                table.insert("repeat".into(), true.into());
            }
            table.insert("run".into(), command.into());
            Value::Table(table)
        }
    };
    ConfigEdit { section: Some(binding.section()), key: binding.key.clone(), value }
}

/// tmux's copy mode commands, and fugue's actions.
const ACTIONS: &[(&str, &str)] = &[
    ("append-selection-and-cancel", "append"),
    ("back-to-indentation", "indent"),
    ("begin-selection", "select-text"),
    ("bottom-line", "screen-bottom"),
    ("copy-end-of-line", "copy-to-line-end"),
    ("copy-end-of-line-and-cancel", "copy-to-line-end"),
    ("copy-pipe", "copy"),
    ("copy-pipe-and-cancel", "copy"),
    ("copy-pipe-end-of-line", "copy-to-line-end"),
    ("copy-pipe-end-of-line-and-cancel", "copy-to-line-end"),
    ("copy-pipe-no-clear", "copy"),
    ("copy-selection", "copy"),
    ("copy-selection-and-cancel", "copy"),
    ("copy-selection-no-clear", "copy"),
    ("cursor-down", "down"),
    ("cursor-left", "left"),
    ("cursor-right", "right"),
    ("cursor-up", "up"),
    ("end-of-line", "line-end"),
    ("goto-line", "go-to-line"),
    ("halfpage-down", "half-down"),
    ("halfpage-up", "half-up"),
    ("history-bottom", "bottom"),
    ("history-top", "top"),
    ("jump-to-mark", "go-to-mark"),
    ("middle-line", "screen-middle"),
    ("next-matching-bracket", "bracket"),
    ("next-paragraph", "paragraph-on"),
    ("next-space", "space-on"),
    ("next-space-end", "space-end"),
    ("next-word", "word-on"),
    ("next-word-end", "word-end"),
    ("other-end", "other-end"),
    ("previous-matching-bracket", "bracket-back"),
    ("previous-paragraph", "paragraph-back"),
    ("previous-space", "space-back"),
    ("previous-word", "word-back"),
    ("rectangle-toggle", "toggle-block"),
    ("refresh-from-pane", "refresh"),
    ("search-backward", "search-up"),
    ("search-backward-incremental", "search-up"),
    ("search-forward", "search-down"),
    ("search-forward-incremental", "search-down"),
    ("select-line", "select-lines"),
    ("start-of-line", "line-start"),
    ("top-line", "screen-top"),
];

/// The entry of a key of copy mode. The command that tmux's key pipes to becomes the one for everything that is copied.
fn copy_key(binding: &TmuxBinding<'_>) -> Result<Vec<ConfigEdit>, String> {
    let (action, piped) = match binding.command.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["send-keys" | "send", "-X", action, rest @ ..] if action.starts_with("copy-pipe") => {
            let mut words = rest.iter().copied().take_while(|word| *word != ";");
            (*action, words.find(|word| !word.starts_with('-')).filter(|command| !command.is_empty()))
        }
        ["send-keys" | "send", "-X", action, ..] => (*action, None),
        _ => return Err("copy-mode keys can only run copy-mode actions".into()),
    };
    let ours = ACTIONS.iter().find(|(tmux, _)| *tmux == action).map_or(action, |(_, ours)| ours);
    let key = ConfigEdit { section: Some(binding.section()), key: binding.key.clone(), value: ours.into() };
    let (section, setting) = COPY_COMMAND;
    let command = piped.map(|command| ConfigEdit {
        section: Some(section),
        key: setting.into(),
        value: command.into(),
    });
    Ok(std::iter::once(key).chain(command).collect())
}

/// The entries of `[keys]` that `unbind-key -a -T TABLE` removes: those of a table of the person's own.
pub(crate) fn unbound_table(words: &[String], text: &str) -> Result<Option<Vec<String>>, String> {
    let given = fugue_tmux::command_table::find("unbind-key")?.parse(words)?;
    if !given.has('a') {
        return Ok(None);
    }
    let table = given.value('T').map(str::parse::<KeyTable>).transpose()?;
    let Some(table @ KeyTable::Own(_)) = table else {
        return Err("fugue cannot unbind all keys at once; unbind them one at a time".into());
    };
    let config = Config::parse(&ConfigSource::Text(text.to_owned()), None);
    let keys = config.unwrap_or_else(UnusableConfig::or_defaults).keys;
    let of_table = keys.into_iter().filter(|entry| entry.value.table == table);
    Ok(Some(of_table.map(|entry| entry.name).collect()))
}

/// The entry for `unbind-key`.
pub(crate) fn unbind(words: &[String]) -> Result<Vec<ConfigEdit>, String> {
    let binding = read(words)?;
    Ok(vec![ConfigEdit { section: Some(binding.section()), key: binding.key, value: "".into() }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(line: &str) -> Result<String, String> {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let lines = |edits: Vec<ConfigEdit>| edits.iter().map(ConfigEdit::line).collect::<Vec<_>>();
        bind(&words).map(|edits| lines(edits).join("\n"))
    }

    #[test]
    fn bindings_become_entries() {
        for (line, entry) in [
            ("| split-window -h", "\"prefix |\" = \"split-window -h\""),
            ("-n M-Left select-pane -L", "M-Left = \"select-pane -L\""),
            ("-r H resize-pane -L 5", "\"prefix H\" = { repeat = true, run = \"resize-pane -L 5\" }"),
            (
                "S setw synchronize-panes; display hi",
                "\"prefix S\" = \"setw synchronize-panes ; display hi\"",
            ),
            (
                "g popup -d #{pane_current_path} -E lazygit",
                "\"prefix g\" = \"popup -d #{pane_current_path} -E lazygit\"",
            ),
            ("r source-file x ; display hi", "\"prefix r\" = \"source-file x ; display hi\""),
        ] {
            assert_eq!(bound(line).as_deref(), Ok(entry), "{line}");
        }
        assert_eq!(
            bound("-n MouseDown1Pane select-pane"),
            Err("mouse events cannot be bound: MouseDown1Pane".into())
        );
        let piped = bound("-T copy-mode-vi y send-keys -X copy-pipe-and-cancel xclip");
        assert_eq!(piped.as_deref(), Ok("y = \"copy\"\ncopy_command = \"xclip\""));
        let with_flag = bound("-T copy-mode-vi y send-keys -X copy-pipe -C xclip");
        assert_eq!(with_flag, piped);
        let selected = bound("-T copy-mode-vi Enter send -X copy-selection-and-cancel");
        assert_eq!(selected.as_deref(), Ok("Enter = \"copy\""));
        assert!(bound("x frobnicate").is_err_and(|why| why.contains("nknown command `frobnicate`")));
        assert_eq!(bound("-T mine x detach").as_deref(), Ok("\"mine x\" = \"detach\""));
        assert!(bound("-T a;b x detach").is_err_and(|why| why.contains("cannot name a key table")));
        let selects = bound("R switch-client -T mine");
        assert_eq!(selects.as_deref(), Ok("\"prefix R\" = \"switch-client -T mine\""));
    }

    #[test]
    fn all_keys_of_a_table_of_ones_own_are_unbound_at_once() {
        let text = "[keys]\n\"mine a\" = \"detach\"\n\"prefix b\" = \"detach\"\n\"mine c\" = \"detach\"\n";
        let unbound = |line: &str| {
            let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            unbound_table(&words, text)
        };
        assert_eq!(unbound("-a -T mine"), Ok(Some(vec!["mine a".to_owned(), "mine c".to_owned()])));
        assert_eq!(unbound("-T mine a"), Ok(None));
        for line in ["-a", "-a -T prefix", "-a -T root"] {
            assert!(unbound(line).is_err_and(|why| why.contains("cannot unbind all keys at once")), "{line}");
        }
    }
}
