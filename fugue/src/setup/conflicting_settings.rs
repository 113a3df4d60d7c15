//! Settings with which an agent ignores what fugue adds to its files. They are the user's: setup reports them and changes
//! none.

use serde_json::Value;

use super::config_file::FileContents;
use super::jsonc::Document;
use super::toml_text;

/// Settings in JSON: where they are, the value that turns something off, and how that is reported.
type OffSwitch = (&'static [&'static str], bool, &'static str);

const HOOKS: [OffSwitch; 2] = [
    (&["disableAllHooks"], true, "the hooks are disabled by disableAllHooks"),
    (&["hooksConfig", "enabled"], false, "the hooks are disabled by hooksConfig.enabled"),
];

const SERVER: OffSwitch = (&["enabled"], false, "the MCP server is disabled (\"enabled\" is false)");

/// The settings of Codex that turn something off when they are false.
const CODEX: [(&[&str], &str); 3] = [
    (&["mcp_servers", "fugue", "enabled"], "the MCP server is disabled (\"enabled\" is false)"),
    (&["features", "hooks"], "the hooks are disabled by features.hooks"),
    (&["features", "codex_hooks"], "the hooks are disabled by features.codex_hooks"),
];

impl FileContents {
    /// Says which setting in a file keeps the contents from working.
    pub(super) fn obstacle(&self, text: &str) -> Option<&'static str> {
        match self {
            Self::Server { path, .. } => {
                let server = Document::parse(text).ok()?.get(path)?;
                off(&server, &SERVER)
            }
            Self::Hooks { .. } => {
                let document = Document::parse(text).ok()?;
                let setting = |(path, value, _): &&OffSwitch| document.get(path) == Some(Value::from(*value));
                HOOKS.iter().find(setting).map(|(_, _, why)| *why)
            }
            Self::CodexServer { .. } => {
                let table = toml::Value::Table(toml_text::parse(text).ok()?);
                let value = |path: &[&str]| path.iter().try_fold(&table, |value, name| value.get(*name));
                let is_off = |path: &[&str]| value(path).and_then(toml::Value::as_bool) == Some(false);
                CODEX.iter().find(|(path, _)| is_off(path)).map(|(_, why)| *why)
            }
            Self::CodexFeature | Self::Plugin { .. } => None,
        }
    }
}

fn off(value: &Value, (path, off, why): &OffSwitch) -> Option<&'static str> {
    let setting = path.iter().try_fold(value, |value, name| value.get(*name))?;
    (setting == &Value::from(*off)).then_some(*why)
}
