//! The values of the names in tmux's formats, for a pane with its window and its session.

use super::ids::IdKind;
use super::places::Place;
use super::{Shim, VERSION, formats, options};

use fugue_protocol::views::Life;

impl Shim {
    /// Expands a format for a pane.
    pub(super) fn expand(&self, format: &str, place: Place<'_>) -> String {
        formats::expand(format, &|name| self.variable(name, place))
    }

    fn variable(&self, name: &str, place: Place<'_>) -> Option<String> {
        let value = name.strip_prefix("pane_").map(|name| self.pane_variable(name, place));
        let value =
            value.or_else(|| name.strip_prefix("window_").map(|name| self.window_variable(name, place)));
        let value =
            value.or_else(|| name.strip_prefix("session_").map(|name| self.session_variable(name, place)));
        value.unwrap_or_else(|| self.other_variable(name))
    }

    fn pane_variable(&self, name: &str, Place { window, pane, .. }: Place<'_>) -> Option<String> {
        let (at, index) = (pane.place, window.panes.iter().position(|other| other.pane_id == pane.pane_id));
        Some(match name {
            "id" => self.ids.name(IdKind::Pane, &pane.pane_id.to_string()),
            "index" => index.unwrap_or_default().to_string(),
            "title" => pane.name.as_ref().map_or(pane.title.clone(), ToString::to_string),
            "active" => flag(pane.active),
            "dead" => flag(pane.state != Life::Running),
            "pid" => pane.pid?.to_string(),
            "current_path" | "start_path" => pane.cwd.clone()?,
            "current_command" => base_name(&pane.command).to_owned(),
            "start_command" => pane.command.clone(),
            "width" => pane.dimensions.cols.to_string(),
            "height" => pane.dimensions.rows.to_string(),
            "left" => at.col.to_string(),
            "top" => at.row.to_string(),
            "right" => (at.col + at.cols).saturating_sub(1).to_string(),
            "bottom" => (at.row + at.rows).saturating_sub(1).to_string(),
            "in_mode" | "input_off" | "synchronized" | "marked" => flag(false),
            _ => return None,
        })
    }

    fn window_variable(&self, name: &str, Place { window, .. }: Place<'_>) -> Option<String> {
        Some(match name {
            "id" => self.ids.name(IdKind::Window, &window.window_id.to_string()),
            "index" => window.index.to_string(),
            "name" => window.name.to_string(),
            "active" => flag(window.active),
            "panes" => window.panes.len().to_string(),
            "width" => window.dimensions.cols.to_string(),
            "height" => window.dimensions.rows.to_string(),
            "zoomed_flag" => flag(window.zoomed),
            "flags" => if window.active { "*" } else { "" }.to_owned(),
            "bigger" => flag(false),
            _ => return None,
        })
    }

    fn session_variable(&self, name: &str, Place { session, .. }: Place<'_>) -> Option<String> {
        Some(match name {
            "id" => self.ids.name(IdKind::Session, &session.session_id.to_string()),
            "name" => session.name.to_string(),
            "windows" => session.windows.len().to_string(),
            "attached" => session.clients.to_string(),
            "created" => (session.created_at.millis() / 1_000).to_string(),
            _ => return None,
        })
    }

    fn other_variable(&self, name: &str) -> Option<String> {
        Some(match name {
            "version" => VERSION.trim_start_matches("tmux ").to_owned(),
            "socket_path" => self.socket.display().to_string(),
            "client_control_mode" => flag(false),
            name => options::value(name)?.to_owned(),
        })
    }
}

fn flag(truth: bool) -> String {
    if truth { "1" } else { "0" }.to_owned()
}

/// The name of the program in a command line.
fn base_name(command: &str) -> &str {
    let program = command.split_whitespace().next().unwrap_or_default();
    program.rsplit('/').next().unwrap_or(program)
}
