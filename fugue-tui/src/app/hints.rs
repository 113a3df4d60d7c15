//! Labels on links and paths, and opening what they are on: links with `open_command`, files in the person's editor.

use std::path::{Path, PathBuf};
use std::process::Command;

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{CreateWindow, KeyValue, Program};

use super::App;
use super::state::daemon::Purpose;
use crate::overlays::{HintPane, Hints, Overlay};
use crate::screen_targets::{PathTarget, ScreenTarget};

/// Editors that take the line after the path, and those that take it after an option. All others take `+LINE`.
const AFTER_PATH: [&str; 5] = ["hx", "helix", "zed", "subl", "kak"];
const AFTER_OPTION: [&str; 3] = ["code", "codium", "cursor"];

/// The person's editor: `$VISUAL`, `$EDITOR` or `vi`.
pub(super) fn editor() -> String {
    let named = ["VISUAL", "EDITOR"].map(super::env_var).into_iter().find(|name| !name.is_empty());
    named.unwrap_or_else(|| "vi".into())
}

/// The arguments with which an editor opens a file at a line.
fn editor_arguments(editor: &str, file: &str, target: &PathTarget) -> Vec<String> {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit('/').next().unwrap_or_default();
    let numbers: String = [target.line, target.col].into_iter().flatten().map(|n| format!(":{n}")).collect();
    match target.line {
        None => vec![file.to_owned()],
        Some(_) if AFTER_PATH.contains(&name) => vec![format!("{file}{numbers}")],
        Some(_) if AFTER_OPTION.contains(&name) => vec!["--goto".into(), format!("{file}{numbers}")],
        Some(line) => vec![format!("+{line}"), file.to_owned()],
    }
}

/// The file that a path on a pane's screen names, if there is one. git shows paths with `a/` and `b/` before them.
fn existing_file(path: &str, directory: &Path, home: &Path) -> Option<PathBuf> {
    let absolute = |path: &str| match path.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => directory.join(path),
    };
    let without_side = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/"));
    let candidates = [Some(path), without_side].into_iter().flatten().map(absolute);
    candidates.into_iter().find(|path| path.exists())
}

impl App {
    /// Labels the links and paths that are visible: in the popup, or else in the window's panes.
    pub(super) fn show_hints(&mut self) {
        let panes = match self.popup_inside() {
            Some((pane, inside)) => vec![self.hint_pane(pane, Some(inside))],
            None => self.tree.visible_panes().iter().map(|pane| self.hint_pane(pane.pane_id, None)).collect(),
        };
        match Hints::new(panes, &self.config.settings.link_schemes) {
            Some(hints) => self.open_overlay(Overlay::Hints(hints)),
            None => self.say("No links or paths on the screen"),
        }
    }

    /// What a pane shows now: its program's screen, or its copy mode.
    fn hint_pane(&self, pane: PaneId, place: Option<fugue_protocol::Rect>) -> HintPane {
        let mirror = self.panes.mirrors.get(&pane);
        let rows = match self.overlays.find_copy_mode(pane) {
            Some(copy) => copy.visible_rows().to_vec(),
            None => mirror.map(|mirror| mirror.rows.clone()).unwrap_or_default(),
        };
        let colors = mirror.map(|mirror| mirror.colors.clone()).unwrap_or_default();
        HintPane { pane, place, rows, colors }
    }

    /// Opens a link or a path that a pane shows.
    pub(super) fn open_target(&mut self, target: &ScreenTarget, pane: PaneId) {
        match target {
            ScreenTarget::Link(address) => self.open_link(address),
            ScreenTarget::Path(path) => self.open_path(path, pane),
        }
    }

    fn open_link(&mut self, address: &str) {
        // Only links whose scheme is allowed have labels; this is where one leaves the terminal.
        if !self.config.settings.link_schemes.allows(address) {
            return self.say_error("Cannot open this type of link");
        }
        // The shell splits a command with arguments.
        let mut command = Command::new("sh");
        command.args(["-c", r#"exec $FUGUE_OPEN "$1""#, "fugue-open", address]);
        command.env("FUGUE_OPEN", &self.config.settings.open_command);
        match self.events.jobs.start("open_command", command) {
            Ok(()) => self.say(format!("Opening {address}")),
            Err(why) => self.say_error(why),
        }
    }

    fn open_path(&mut self, target: &PathTarget, pane: PaneId) {
        if self.options.read_only {
            return self.say_read_only();
        }
        // The files of the pane's host are not here.
        if let Some(host) = self.daemon.host_name().map(str::to_owned) {
            return self.say_error(format!("Cannot open a file on {host} from here; copy its path instead"));
        }
        let directory = self.tree.find_pane(pane).and_then(|view| view.cwd.clone()).unwrap_or_default();
        let home = PathBuf::from(super::env_var("HOME"));
        let Some(file) = existing_file(&target.path, Path::new(&directory), &home) else {
            return self.say_error(format!("No such file: {}", target.path));
        };
        let editor = editor();
        let arguments = editor_arguments(&editor, &file.to_string_lossy(), target);
        let mut argv = ["sh", "-c", r#"exec $FUGUE_EDITOR "$@""#, "fugue-edit"].map(String::from).to_vec();
        argv.extend(arguments);
        let env = vec![KeyValue("FUGUE_EDITOR".into(), editor)];
        let cwd = Some(directory).filter(|directory| !directory.is_empty());
        let program = Program { argv, env, cwd, ..Program::default() };
        let name = file.file_name().and_then(|name| name.to_string_lossy().parse().ok());
        let session = Some(self.tree.here.into());
        let create = CreateWindow { session, name, program, ..CreateWindow::default() };
        self.daemon.request(Purpose::Command, &create);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_opens_a_file_at_its_line() {
        let target = |line, col| PathTarget { path: "a.rs".into(), line, col };
        let words = |editor: &str, target: &PathTarget| editor_arguments(editor, "/x/a.rs", target).join(" ");
        assert_eq!(words("vim -u NONE", &target(Some(3), Some(7))), "+3 /x/a.rs");
        assert_eq!(words("/usr/bin/hx", &target(Some(3), Some(7))), "/x/a.rs:3:7");
        assert_eq!(words("code --wait", &target(Some(3), None)), "--goto /x/a.rs:3");
        assert_eq!(words("hx", &target(None, None)), "/x/a.rs");
    }

    #[test]
    fn a_path_is_looked_up_where_it_was_shown() {
        let root = std::env::temp_dir().join(format!("fugue-hints-{}", std::process::id()));
        std::fs::create_dir_all(root.join("src")).expect("a directory");
        std::fs::write(root.join("src/a.rs"), "").expect("a file");
        let find = |path: &str| existing_file(path, &root, &root.join("src"));
        assert_eq!(find("src/a.rs"), Some(root.join("src/a.rs")));
        assert_eq!(find("b/src/a.rs"), Some(root.join("src/a.rs")), "as git shows it");
        assert_eq!(find("~/a.rs"), Some(root.join("src/a.rs")));
        assert_eq!(find("src/b.rs"), None);
        std::fs::remove_dir_all(&root).expect("it can be removed");
    }
}
