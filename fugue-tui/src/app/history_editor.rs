//! A pane's history in the person's editor, in a window of its own that closes with the editor.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use fugue_protocol::verbs::{CreateWindow, KeyValue, Program};

use super::App;
use super::state::daemon::Purpose;

impl App {
    /// Opens a text in `$VISUAL`, `$EDITOR` or `vi`.
    pub(super) fn edit(&mut self, text: &str) {
        let file = match self.write_history(text) {
            Ok(file) => file,
            Err(why) => return self.say_error(format!("Cannot write the scrollback to a file: {why}")),
        };
        // The shell splits an editor with arguments, and removes the file after the editor.
        let line = r#"$FUGUE_EDITOR "$1"; rm -f -- "$1""#;
        let env = vec![KeyValue("FUGUE_EDITOR".into(), super::hints::editor())];
        let file = file.to_string_lossy().into_owned();
        let argv = ["sh", "-c", line, "fugue-history", &file].map(String::from).to_vec();
        let program = Program { argv, env, ..Program::default() };
        let session = Some(self.tree.here.into());
        let name = "history".parse().ok();
        let create = CreateWindow { session, name, program, ..CreateWindow::default() };
        self.daemon.request(Purpose::Command, &create);
    }

    /// Writes a file that only this user can read, beside the daemon's socket.
    fn write_history(&self, text: &str) -> std::io::Result<PathBuf> {
        let directory = self.options.paths.socket.parent().unwrap_or(std::path::Path::new("/tmp"));
        let pane = self.tree.pane().map(|pane| pane.pane_id.to_string()).unwrap_or_default();
        let path = directory.join(format!("history-{pane}.txt"));
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        Ok(path)
    }
}
