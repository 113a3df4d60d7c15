//! The same lines in a real tmux, which runs as a server of its own and ends with the measurement.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A private tmux server, and the directory of its socket and of the file that its pane shows.
struct Server {
    directory: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.run(&["kill-server"]);
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

impl Server {
    /// Starts the server with one idle pane, so that the cost of the server itself is not counted.
    fn start(name: &str, text: &[u8]) -> Result<Self, String> {
        let directory = std::env::temp_dir().join(format!("fugue-heap-{name}-{}", std::process::id()));
        let server = Self { directory };
        std::fs::create_dir_all(&server.directory).map_err(|error| error.to_string())?;
        std::fs::write(server.file(), text).map_err(|error| error.to_string())?;
        server.run(&[
            "set",
            "-g",
            "history-limit",
            "10000",
            ";",
            "new",
            "-d",
            "-x",
            "200",
            "-y",
            "50",
            "cat",
        ])?;
        Ok(server)
    }

    fn file(&self) -> PathBuf {
        self.directory.join("lines")
    }

    fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("tmux")
            .args(["-L", "heap", "-f", "/dev/null"])
            .args(arguments)
            .env_remove("TMUX")
            .env("TMUX_TMPDIR", &self.directory)
            .stdin(Stdio::null())
            .output()
            .map_err(|_| "missing".to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
            false => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
        }
    }

    /// Shows the file in a new pane and waits until all of it has been shown.
    fn fill(&self, lines: usize) -> Result<(), String> {
        let show = format!("cat {}; tmux wait -S shown; exec cat", self.file().display());
        self.run(&["neww", "-n", "full", &show, ";", "wait", "shown"])?;
        let kept = self.run(&[
            "display",
            "-p",
            "-t",
            "full",
            "#{e|+:#{history_size},#{pane_height}} #{pane_width}",
        ])?;
        // Lines that are not kept would make tmux look smaller than it is.
        if kept == format!("{lines} 200") { Ok(()) } else { Err(format!("kept {kept}")) }
    }
}

/// Returns what showing the text adds to a tmux server, in bytes, or the reason why that is unknown.
pub(crate) fn growth(name: &str, text: &[u8], lines: usize) -> Result<usize, String> {
    let server = Server::start(name, text)?;
    let process = server.run(&["display", "-p", "#{pid}"])?;
    let before = resident(&process).ok_or("unknown")?;
    server.fill(lines)?;
    let after = resident(&process).ok_or("unknown")?;
    Ok(after.saturating_sub(before))
}

/// The resident size of a process in bytes, where `/proc` reports it.
pub(crate) fn resident(process: &str) -> Option<usize> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kilobytes =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"))?;
    Some(kilobytes.trim().parse::<usize>().ok()? * 1024)
}
