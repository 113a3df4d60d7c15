//! An outer terminal for a test: the real binary in a real PTY, shown by fugue's own screen model.

mod far_end;

use std::fs::File;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use fugue_screen::{Limits, Screen, Size};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::TestServer;
use far_end::{Gate, listen, resize};

/// What a client does takes milliseconds; on a busy machine seconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Between two writes of one picture less time passes than this.
const QUIET: Duration = Duration::from_millis(25);

/// A terminal with a client in it.
pub struct TestTerminal {
    master: File,
    child: Child,
    output: Receiver<Vec<u8>>,
    stopped: Arc<Gate>,
    screen: Screen,
    /// All that was written to it.
    pub written: Vec<u8>,
    /// What its last row showed, one time after the other.
    last_rows: Vec<String>,
}

impl TestServer {
    /// Runs a command in a terminal of this size.
    pub fn terminal(&self, words: &[&str], cols: u16, rows: u16) -> TestTerminal {
        self.terminal_with(words, cols, rows, &[])
    }

    /// The same with more in its environment.
    pub fn terminal_with(&self, words: &[&str], cols: u16, rows: u16, env: &[(&str, &str)]) -> TestTerminal {
        let mut command = self.command(words);
        command.envs(env.iter().copied());
        TestTerminal::spawn(command, cols, rows)
    }
}

impl TestTerminal {
    /// Any program in a terminal of its own, with no fugue between.
    pub fn spawn(mut command: Command, cols: u16, rows: u16) -> Self {
        let size = Size { cols, rows };
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a PTY");
        grantpt(&master).expect("a PTY");
        unlockpt(&master).expect("a PTY");
        resize(&master, size);
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
        let stopped = Arc::new(Gate::default());
        let output = listen(master.try_clone().expect("its other end"), Arc::clone(&stopped));
        Self {
            master,
            child,
            output,
            stopped,
            screen: Screen::new(size, Limits::default()),
            written: Vec::new(),
            last_rows: Vec::new(),
        }
    }

    /// The client's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Types.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.master.write_all(bytes.as_ref()).expect("the terminal takes it");
    }

    /// Types after the prefix.
    pub fn prefix(&mut self, keys: &str) {
        self.send(format!("\x02{keys}"));
    }

    /// Takes nothing more, as a terminal does that hangs.
    pub fn stop_reading(&mut self) {
        self.stopped.set(true);
    }

    /// Takes everything again.
    pub fn resume_reading(&mut self) {
        self.stopped.set(false);
    }

    /// Leaves the terminal as a shell does: it edits lines and echoes.
    pub fn set_cooked_mode(&mut self) {
        let mut modes = tcgetattr(&self.master).expect("its modes");
        modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        tcsetattr(&self.master, OptionalActions::Now, &modes).expect("its modes");
    }

    /// Whether keys go to the program as they are pressed.
    pub fn is_raw(&self) -> bool {
        let modes = tcgetattr(&self.master).expect("its modes").local_modes;
        !modes.intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Gives the terminal another ground, and tells whoever wants to know.
    pub fn set_background(&mut self, background: fugue_screen::Rgb) {
        let mut colors = fugue_screen::TerminalPalette::default();
        colors.background = background;
        self.screen.set_colors(colors);
        let replies = self.screen.take_replies();
        self.send(replies);
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        let size = Size { cols, rows };
        self.screen.resize(size);
        resize(&self.master, size);
        crate::signal("WINCH", self.child.id());
    }

    /// Takes in output for a moment at most.
    fn listen(&mut self, moment: Duration) -> bool {
        match self.output.recv_timeout(moment) {
            Ok(bytes) => {
                self.written.extend_from_slice(&bytes);
                self.show(&bytes);
                let replies = self.screen.take_replies();
                // A client that has ended does not hear them.
                let _ = self.master.write_all(&replies);
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    /// Shows what was written, picture after picture.
    fn show(&mut self, mut bytes: &[u8]) {
        /// Ends a picture.
        const END: &[u8] = b"\x1b[?2026l";
        while let Some(at) = bytes.windows(END.len()).position(|part| part == END) {
            let (picture, rest) = bytes.split_at(at + END.len());
            self.screen.feed(picture);
            self.look_at_the_last_row();
            bytes = rest;
        }
        self.screen.feed(bytes);
        self.look_at_the_last_row();
    }

    fn look_at_the_last_row(&mut self) {
        let row = self.screen.screen_rows().pop().filter(|_| self.screen.sync_since().is_none());
        self.last_rows.extend(row.filter(|row| self.last_rows.last() != Some(row)));
    }

    /// Whether the last row has said this, now or before, however short.
    pub fn status_showed(&self, words: &str) -> bool {
        self.last_rows.iter().any(|row| row.contains(words))
    }

    /// What is shown, rows and the cursor's place; the clock reads HH:MM.
    pub fn picture(&self) -> String {
        let mut rows = self.screen.screen_rows();
        if let Some(row) = rows.last_mut() {
            *row = masked(row);
        }
        // Root's prompt reads as anybody's.
        rows.iter_mut().for_each(|row| *row = format!("{row} ").replace("# ", "$ ").trim_end().to_owned());
        let cursor = self.screen.cursor();
        let place =
            if cursor.visible { format!("cursor {},{}", cursor.row, cursor.col) } else { "no cursor".into() };
        format!("{}\n[{place}]", rows.join("\n"))
    }

    /// The screen.
    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    /// Waits until what is shown fits: a whole picture, never one that is being painted.
    pub fn until(&mut self, what: &str, fits: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        loop {
            let goes_on = self.settle(begun);
            if fits(self) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "never: {what}\n{}", self.picture());
            assert!(goes_on, "the client ended before: {what}\n{}", self.picture());
        }
    }

    /// Takes in output until no update of the terminal is open and nothing more comes; says whether more may come.
    fn settle(&mut self, begun: Instant) -> bool {
        loop {
            let before = self.written.len();
            let goes_on = self.listen(QUIET);
            let settled = self.written.len() == before && self.screen.sync_since().is_none();
            if settled || !goes_on || begun.elapsed() > PATIENCE {
                return goes_on;
            }
        }
    }

    /// Waits until a text is shown.
    pub fn shows(&mut self, text: &str) {
        self.until(&format!("`{text}` is shown"), |terminal| terminal.picture().contains(text));
    }

    /// Takes in what was written before the end: until nobody can write any more, or nothing comes for long.
    fn take_the_rest(&mut self) {
        let mut before = usize::MAX;
        while self.written.len() != before {
            before = self.written.len();
            if !self.listen(QUIET * 20) {
                break;
            }
        }
    }

    /// Waits until the client has ended, and gives its exit code.
    pub fn ended(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            assert!(begun.elapsed() < PATIENCE, "the client does not end\n{}", self.picture());
            self.listen(Duration::from_millis(10));
            if let Some(status) = self.child.try_wait().expect("its status") {
                self.take_the_rest();
                return status.code().unwrap_or(-1);
            }
        }
    }
}

impl Drop for TestTerminal {
    fn drop(&mut self) {
        self.stopped.set(false);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A row with its time made the same for all.
fn masked(row: &str) -> String {
    let is_time = |part: &[char]| {
        part.iter().enumerate().all(|(at, c)| if at == 2 { *c == ':' } else { c.is_ascii_digit() })
    };
    let mut chars: Vec<char> = row.chars().collect();
    if let Some(at) = chars.windows(5).rposition(is_time) {
        chars.splice(at..at + 5, "HH:MM".chars());
    }
    chars.into_iter().collect()
}
