//! A pane's history in the person's editor, in a window of its own that closes with the editor.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use fugue_protocol::PaneId;
use fugue_protocol::verbs::{CreateWindow, KeyValue, Program};

use super::App;
use super::state::daemon::Purpose;

impl App {
    /// Opens a pane's text in `$VISUAL`, `$EDITOR` or `vi`.
    pub(super) fn edit(&mut self, pane: PaneId, text: &str) {
        let file = match self.write_history(pane, text) {
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

    /// Writes a file that only this user can read, beside the daemon's socket. No two editors share one.
    fn write_history(&self, pane: PaneId, text: &str) -> std::io::Result<PathBuf> {
        let directory = self.options.paths.socket.parent().unwrap_or(std::path::Path::new("/tmp"));
        let now = crate::clock::now().millis();
        let path = directory.join(format!("history-{pane}-{}-{now}.txt", std::process::id()));
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        Ok(path)
    }
}
