//! What keeps fugue from working in an agent: settings with which the agent ignores what fugue adds to its files, in the
//! files of the user, of the project in the current directory, and of the administrator.

use std::path::{Path, PathBuf};

use fugue_agents::KnownAgent;
use fugue_agents::setup::{FileFormat, OffSwitch, ProjectEntry, Switch, is_server};
use serde_json::Value;

use super::change;
use super::document::{self, at};
use super::home::Home;

/// Returns what keeps fugue from working in an agent that is run in this directory: a sentence each, with the file.
pub(super) fn obstacles(agent: &KnownAgent, home: &Home, directory: &Path) -> Vec<String> {
    let layers = layers(agent, home, directory);
    let switches = agent.setup.off_switches.iter();
    let mut found: Vec<_> = switches.filter_map(|switch| obstacle(switch, &layers)).collect();
    found.extend(other_server(agent, &layers));
    found
}

/// A file with settings of an agent.
struct Layer {
    path: PathBuf,
    values: Value,
    /// Whether the agent reads it in every directory, as the user's.
    is_users: bool,
}

/// Says that a setting turns something off, and where. The first file that decides it counts.
fn obstacle(setting: &OffSwitch, layers: &[Layer]) -> Option<String> {
    let said =
        layers.iter().find_map(|layer| Some((layer, (setting.read)(at(&layer.values, setting.path)?)?)));
    let (layer, _) = said.filter(|(_, switch)| *switch == Switch::Off)?;
    Some(format!("{} by {} in {}", setting.what, setting.path.join("."), layer.path.display()))
}

/// Returns the settings that apply in a directory; those that overrule others come first. A file that cannot be read is
/// reported elsewhere.
fn layers(agent: &KnownAgent, home: &Home, directory: &Path) -> Vec<Layer> {
    let settings = &agent.setup.settings;
    let user = (settings.user)(&home.environment());
    let layer = |path: PathBuf, is_users| {
        let values = read(&path, settings.format)?;
        Some(Layer { path, values, is_users })
    };
    let project = project_directories(directory)
        .into_iter()
        .flat_map(|directory| settings.project.iter().map(move |name| directory.join(name)))
        .filter(|path| !user.contains(path));
    let above =
        settings.managed.iter().map(PathBuf::from).chain(project).filter_map(|path| layer(path, false));
    let above: Vec<_> = project_state(agent, home, directory).into_iter().chain(above).collect();
    above.into_iter().chain(user.into_iter().filter_map(|path| layer(path, true))).collect()
}

/// Returns what an agent keeps for a project in a file of the user.
fn project_state(agent: &KnownAgent, home: &Home, directory: &Path) -> Option<Layer> {
    let ProjectEntry { file, path } = (agent.setup.settings.project_entry)(&home.environment(), directory)?;
    let values = at(&read(&file, FileFormat::Json)?, &path)?.clone();
    Some(Layer { path: file, values, is_users: false })
}

fn read(path: &Path, format: FileFormat) -> Option<Value> {
    document::values(format, &change::read(path).ok()??).ok()
}

/// Returns a directory and those above it, up to the root of its repository; without one, only the directory.
fn project_directories(directory: &Path) -> Vec<PathBuf> {
    let all: Vec<_> = directory.ancestors().map(Path::to_owned).collect();
    let root = all.iter().position(|directory| directory.join(".git").exists()).unwrap_or(0);
    all[..=root.min(all.len().saturating_sub(1))].to_vec()
}

/// Says that a project has another server of this name, which the agent starts instead.
fn other_server(agent: &KnownAgent, layers: &[Layer]) -> Option<String> {
    let is_other = |layer: &&Layer| {
        let server = at(&layer.values, &agent.setup.server);
        server.is_some_and(|server| !server["command"].is_null() && !is_server(server))
    };
    let layer = layers.iter().filter(|layer| !layer.is_users).find(is_other)?;
    Some(format!("the project has another MCP server \"fugue\" in {}", layer.path.display()))
}
