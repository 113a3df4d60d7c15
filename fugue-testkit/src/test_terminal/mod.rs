//! A terminal for a test: the real binary in a real PTY, rendered by fugue's own screen model.

mod pty_reader;

use std::fs::File;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use fugue_screen::{ImagePiece, ImageSupport, Limits, PixelSize, Screen, Size};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::TestServer;
use pty_reader::{Gate, set_size, spawn_reader};

/// The longest that a test waits for the client: it takes milliseconds, or seconds on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A pause longer than any between two writes of one frame.
const QUIET: Duration = Duration::from_millis(25);

/// A terminal with a client in it. Dropping it kills the client.
pub struct TestTerminal {
    master: File,
    child: Child,
    output: Receiver<Vec<u8>>,
    gate: Arc<Gate>,
    screen: Screen,
    /// Everything that was written to the terminal.
    pub written: Vec<u8>,
    /// The contents of the last row over time.
    last_rows: Vec<String>,
}

impl TestServer {
    /// Runs a command in a terminal of this size.
    pub fn terminal(&self, words: &[&str], cols: u16, rows: u16) -> TestTerminal {
        self.terminal_with(words, cols, rows, &[])
    }

    /// Runs a command in a terminal of this size, with more environment variables.
    pub fn terminal_with(&self, words: &[&str], cols: u16, rows: u16, env: &[(&str, &str)]) -> TestTerminal {
        let mut command = self.command(words);
        command.envs(env.iter().copied());
        TestTerminal::spawn(command, cols, rows)
    }
}

impl TestTerminal {
    /// Runs any program in a terminal.
    pub fn spawn(mut command: Command, cols: u16, rows: u16) -> Self {
        let size = Size { cols, rows };
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a PTY");
        grantpt(&master).expect("a PTY");
        unlockpt(&master).expect("a PTY");
        set_size(&master, size);
        let name = ptsname(&master, Vec::new()).expect("its name");
        let slave =
            File::options().read(true).write(true).open(name.to_str().expect("a path")).expect("its end");
        let stdio = || Stdio::from(slave.try_clone().expect("its end"));
        let named = command.get_envs().any(|(name, _)| name == "TERM");
        if !named {
            command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        }
        let child = command.stdin(stdio()).stdout(stdio()).stderr(stdio()).spawn().expect("the binary runs");
        drop(command);
        let master = File::from(master);
        let gate = Arc::new(Gate::default());
        let output = spawn_reader(master.try_clone().expect("its other end"), Arc::clone(&gate));
        Self {
            master,
            child,
            output,
            gate,
            screen: Screen::new(size, Limits::default()),
            written: Vec::new(),
            last_rows: Vec::new(),
        }
    }

    /// The process id of the client.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Types keys.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.master.write_all(bytes.as_ref()).expect("the terminal takes it");
    }

    /// Types the prefix and then keys.
    pub fn prefix(&mut self, keys: &str) {
        self.send(format!("\x02{keys}"));
    }

    /// Stops reading output, as a terminal that hangs does.
    pub fn stop_reading(&mut self) {
        self.gate.set(true);
    }

    /// Reads output again.
    pub fn resume_reading(&mut self) {
        self.gate.set(false);
    }

    /// Sets the terminal modes that a shell leaves behind: line editing and echo.
    pub fn set_cooked_mode(&mut self) {
        let mut modes = tcgetattr(&self.master).expect("its modes");
        modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        tcsetattr(&self.master, OptionalActions::Now, &modes).expect("its modes");
    }

    /// Whether the terminal is in raw mode.
    pub fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.master).expect("its modes").local_modes;
        !modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Changes the background color of the terminal, and reports it if the client asked for that.
    pub fn set_background(&mut self, background: fugue_screen::Rgb) {
        let mut colors = fugue_screen::TerminalPalette::default();
        colors.background = background;
        self.screen.set_colors(colors);
        let replies = self.screen.take_replies();
        self.send(replies);
    }

    /// Makes the terminal one that shows images, with cells of 10 by 20 pixels. The client asks for that when it starts.
    pub fn show_images(&mut self, support: ImageSupport) {
        self.screen.set_image_support(support);
        self.screen.set_cell_size(Some(PixelSize { width: 10, height: 20 }));
    }

    /// The places of the images that the terminal shows: `row,col colsxrows`.
    pub fn images(&self) -> Vec<String> {
        let place = |piece: &ImagePiece| format!("{},{} {}x{}", piece.row, piece.col, piece.cols, piece.rows);
        self.screen.image_pieces().iter().map(place).collect()
    }

    /// Resizes the terminal.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let size = Size { cols, rows };
        self.screen.resize(size);
        set_size(&self.master, size);
        crate::signal("WINCH", self.child.id());
    }

    /// Processes output that arrives within `limit`. Returns whether more may come.
    fn process_output(&mut self, limit: Duration) -> bool {
        match self.output.recv_timeout(limit) {
            Ok(bytes) => {
                self.written.extend_from_slice(&bytes);
                self.feed(&bytes);
                let replies = self.screen.take_replies();
                // Fails if the client has exited, which is fine.
                let _ = self.master.write_all(&replies);
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    /// Feeds output to the screen, one frame at a time.
    fn feed(&mut self, mut bytes: &[u8]) {
        /// The end of a synchronized update, which ends a frame.
        const END: &[u8] = b"\x1b[?2026l";
        while let Some(at) = bytes.windows(END.len()).position(|part| part == END) {
            let (frame, rest) = bytes.split_at(at + END.len());
            self.screen.feed(frame);
            self.record_last_row();
            bytes = rest;
        }
        self.screen.feed(bytes);
        self.record_last_row();
    }

    fn record_last_row(&mut self) {
        let row = self.screen.screen_rows().pop().filter(|_| self.screen.sync_since().is_none());
        self.last_rows.extend(row.filter(|row| self.last_rows.last() != Some(row)));
    }

    /// Whether the status line shows or has shown this text, however briefly.
    pub fn status_showed(&self, words: &str) -> bool {
        self.last_rows.iter().any(|row| row.contains(words))
    }

    /// The screen as text: rows and the cursor's position, with the clock masked as HH:MM.
    pub fn picture(&self) -> String {
        let mut rows = self.screen.screen_rows();
        if let Some(row) = rows.last_mut() {
            *row = mask_clock(row);
        }
        // The prompt of root is shown as that of any user.
        rows.iter_mut().for_each(|row| *row = format!("{row} ").replace("# ", "$ ").trim_end().to_owned());
        let cursor = self.screen.cursor();
        let position =
            if cursor.visible { format!("cursor {},{}", cursor.row, cursor.col) } else { "no cursor".into() };
        format!("{}\n[{position}]", rows.join("\n"))
    }

    /// The screen model.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Waits until the screen fulfills a condition. It is checked on whole frames only, never on one being painted.
    pub fn until(&mut self, what: &str, fits: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        loop {
            let running = self.settle(begun);
            if fits(self) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "never: {what}\n{}", self.picture());
            assert!(running, "the client ended before: {what}\n{}", self.picture());
        }
    }

    /// Waits until the screen fulfills a condition, and returns as soon as it does, even within a frame.
    pub fn sees(&mut self, what: &str, fits: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !fits(self) {
            assert!(begun.elapsed() < PATIENCE, "never: {what}\n{}", self.picture());
            assert!(self.process_output(QUIET), "the client ended before: {what}\n{}", self.picture());
        }
    }

    /// Processes output until no synchronized update is open and nothing more comes. Returns whether more may come.
    fn settle(&mut self, begun: Instant) -> bool {
        loop {
            let before = self.written.len();
            let running = self.process_output(QUIET);
            let settled = self.written.len() == before && self.screen.sync_since().is_none();
            if settled || !running || begun.elapsed() > PATIENCE {
                return running;
            }
        }
    }

    /// Waits until the screen shows a text.
    pub fn shows(&mut self, text: &str) {
        self.until(&format!("`{text}` is shown"), |terminal| terminal.picture().contains(text));
    }

    /// Processes the output that was written before the client exited.
    fn drain_output(&mut self) {
        let mut before = usize::MAX;
        while self.written.len() != before {
            before = self.written.len();
            if !self.process_output(QUIET * 20) {
                break;
            }
        }
    }

    /// Waits until the client has exited, and returns its exit code.
    pub fn wait_for_exit(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < PATIENCE, "the client does not end\n{}", self.picture());
            self.process_output(Duration::from_millis(10));
            if let Some(status) = self.child.try_wait().expect("its status") {
                self.drain_output();
                return status.code().unwrap_or(-1);
            }
        }
    }
}

impl Drop for TestTerminal {
    fn drop(&mut self) {
        self.gate.set(false);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Replaces the time in a row with HH:MM.
fn mask_clock(row: &str) -> String {
    let is_time = |part: &[char]| {
        part.iter().enumerate().all(|(at, c)| if at == 2 { *c == ':' } else { c.is_ascii_digit() })
    };
    let mut chars: Vec<char> = row.chars().collect();
    if let Some(at) = chars.windows(5).rposition(is_time) {
        chars.splice(at..at + 5, "HH:MM".chars());
    }
    chars.into_iter().collect()
}
