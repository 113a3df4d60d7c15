//! `fugue config`: the settings in force, the mistakes in `config.toml`, and where the file is.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use fugue_config::{Config, ConfigSource, Mistake, SECTIONS, Setting, UnusableConfig, settings};
use fugue_protocol::escape::{escape_json, escape_lines};
use serde_json::{Value, json};

use crate::context::{self, ALIASES, CommandFailure};
use crate::setting_name::SettingNameParser;

/// The command line.
pub(crate) fn command() -> Command {
    let name = Arg::new("name")
        .value_name("NAME")
        .hide_possible_values(true)
        .value_parser(SettingNameParser)
        .help("One setting, such as on_exit or client.mouse, or a section such as keys [default: all]");
    Command::new("config")
        .about("Show settings, or check the config files for errors")
        .subcommand_required(true)
        .subcommand(Command::new("show").about("Print settings and the lines that set them").arg(name))
        .subcommand(
            Command::new("check")
                .about("List the errors in config.toml and agents.toml; the exit code is 1 if there are any"),
        )
        .subcommand(Command::new("path").about("Print the file's path"))
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    let path = context::paths(&args)?.config;
    match args.subcommand() {
        Some(("show", args)) => show(&path, args),
        Some(("check", args)) => check(&path, args.get_flag("json")),
        Some((_, args)) => print_path(&path, args.get_flag("json")),
        None => Ok(()),
    }
}

fn print_path(path: &Path, as_json: bool) -> Result<(), CommandFailure> {
    let path = path.display().to_string();
    if as_json {
        print_json(&json!({ "path": path }));
    } else {
        print(&path);
    }
    Ok(())
}

/// Reads the file as a daemon or a client that starts now would.
fn read(path: &Path) -> (ConfigSource, Config) {
    let source = ConfigSource::read(path);
    let config = Config::parse(&source, None).unwrap_or_else(UnusableConfig::or_defaults);
    (source, config)
}

fn check(path: &Path, as_json: bool) -> Result<(), CommandFailure> {
    let (source, config) = read(path);
    let mistakes = fugue_tui::check_config(&config, &ALIASES);
    let agents = ConfigSource::read(&fugue_server::agent_table_path(path));
    let agents = fugue_server::read_agent_table(&agents).err();
    if as_json {
        let exists = source != ConfigSource::Missing;
        let agents = agents.iter().map(|mistake| json!({ "read_by": "daemon", "message": mistake }));
        let mistakes: Vec<Value> = mistakes.iter().map(mistake_json).chain(agents).collect();
        let path = path.display().to_string();
        print_json(&json!({ "path": path, "exists": exists, "mistakes": mistakes }));
    } else if source == ConfigSource::Missing {
        print(&format!("{} does not exist; every setting has its default value", path.display()));
    } else if mistakes.is_empty() {
        print(&format!("{} has no errors", path.display()));
    } else {
        mistakes.iter().for_each(|mistake| print(&mistake.to_string()));
    }
    agents.iter().filter(|_| !as_json).for_each(|mistake| print(mistake));
    if mistakes.is_empty() && agents.is_none() { Ok(()) } else { Err(CommandFailure::ExitCode(1)) }
}

fn mistake_json(mistake: &Mistake) -> Value {
    json!({ "line": mistake.line, "read_by": mistake.reader.name(), "message": mistake.text })
}

fn show(path: &Path, args: &ArgMatches) -> Result<(), CommandFailure> {
    let (_, config) = read(path);
    let wanted = args.get_one::<String>("name").map(String::as_str);
    let rows: Vec<ShownSetting> = rows(&config).into_iter().filter(|row| row.is(wanted)).collect();
    if args.get_flag("json") {
        print_json(&Value::from(rows.iter().map(ShownSetting::json).collect::<Vec<_>>()));
    } else {
        print(&as_toml(&rows));
    }
    if !config.mistakes.is_empty() {
        let _ = writeln!(std::io::stderr(), "config.toml has errors\nhint: `fugue config check` lists them");
    }
    Ok(())
}

/// A value in force, and where it comes from.
struct ShownSetting {
    section: Option<&'static str>,
    key: String,
    value: Option<toml::Value>,
    /// The line that sets it; nothing for a default.
    line: Option<usize>,
    /// The row of the table; nothing for an entry that a person named.
    setting: Option<&'static Setting>,
}

impl ShownSetting {
    fn is(&self, wanted: Option<&str>) -> bool {
        wanted.is_none_or(|wanted| {
            let named = self.setting.is_some_and(|setting| setting.name() == wanted);
            named || self.section == Some(wanted)
        })
    }

    fn json(&self) -> Value {
        let name = self.section.map_or_else(|| self.key.clone(), |section| format!("{section}.{}", self.key));
        let source = if self.line.is_some() { "config.toml" } else { "default" };
        let mut row = json!({ "name": name, "value": self.value, "source": source, "line": self.line });
        if let Some(setting) = self.setting {
            row["default"] = json!((setting.default)());
            row["takes_effect"] = json!(setting.takes_effect.name());
            row["read_by"] = json!(setting.reader.name());
        }
        row
    }

    /// A line of TOML, and the comment that says where the value comes from.
    fn toml(&self) -> (String, String) {
        let source = self.line.map_or_else(|| "default".into(), |line| format!("line {line}"));
        let key = toml_key(&self.key);
        match &self.value {
            Some(value) => (format!("{key} = {value}"), source),
            None => (format!("# {key} is not set"), source),
        }
    }
}

/// A key as TOML writes it.
fn toml_key(key: &str) -> String {
    let bare =
        !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if bare { key.into() } else { toml::Value::from(key).to_string() }
}

fn rows(config: &Config) -> Vec<ShownSetting> {
    let table = settings().map(|setting| ShownSetting {
        section: setting.section,
        key: setting.key.into(),
        value: config.value(setting),
        line: config.line(setting),
        setting: Some(setting),
    });
    let rows = table.chain(SECTIONS.iter().flat_map(|section| entries(config, section.name)));
    rows.map(|row| ShownSetting { value: row.value.map(without_password), ..row }).collect()
}

/// A value without the passwords in its URLs: what is printed ends up in terminals, logs and reports.
fn without_password(value: toml::Value) -> toml::Value {
    match value {
        toml::Value::String(text) => {
            let hidden = text.split_once("://").and_then(|(scheme, rest)| {
                let end = rest.find('/').unwrap_or(rest.len());
                let (login, host) = rest[..end].rsplit_once('@')?;
                let (user, _) = login.split_once(':')?;
                Some(format!("{scheme}://{user}:***@{host}{}", &rest[end..]))
            });
            toml::Value::String(hidden.unwrap_or(text))
        }
        toml::Value::Array(values) => values.into_iter().map(without_password).collect::<Vec<_>>().into(),
        other => other,
    }
}

/// The entries of a section that a person named.
fn entries(config: &Config, section: &'static str) -> Vec<ShownSetting> {
    let entries = config.section(section).into_iter();
    let shown = |(key, line, value)| ShownSetting {
        section: Some(section),
        key,
        value: Some(value),
        line,
        setting: None,
    };
    entries.map(shown).collect()
}

/// Settings as a file that would set them, with the source of each value in a comment.
fn as_toml(rows: &[ShownSetting]) -> String {
    let lines: Vec<_> = rows.iter().map(ShownSetting::toml).collect();
    let width =
        lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= 40).max().unwrap_or(0);
    let mut text = String::new();
    let mut section = None;
    for (row, (line, source)) in rows.iter().zip(&lines) {
        if row.section != section {
            section = row.section;
            let blank = if text.is_empty() { "" } else { "\n" };
            text += &format!("{blank}[{}]\n", section.unwrap_or_default());
        }
        text += &format!("{line:width$}  # {source}\n");
    }
    text.trim_end().to_owned()
}

fn print(text: &str) {
    let _ = writeln!(std::io::stdout(), "{}", escape_lines(text));
}

fn print_json(value: &Value) {
    let _ = writeln!(std::io::stdout(), "{}", escape_json(&value.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_not_shown() {
        let hidden = |text: &str| without_password(toml::Value::from(vec![text])).to_string();
        assert_eq!(hidden("nats://desk:se@cret@box:4222"), r#"["nats://desk:***@box:4222"]"#);
        assert_eq!(hidden("tls://box:4222/a:b@c"), r#"["tls://box:4222/a:b@c"]"#);
        assert_eq!(hidden("#{host}: a@b"), r##"["#{host}: a@b"]"##);
    }
}
