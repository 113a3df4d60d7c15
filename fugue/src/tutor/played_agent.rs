//! The agent of the tutor: works for a moment, asks for permission, and ends when it has an answer.

use std::io::{Read, Write, stdin, stdout};
use std::thread::sleep;
use std::time::Duration;

use fugue_agents::played;
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};

/// How long the agent seems to work before it asks.
const WORK: Duration = Duration::from_secs(3);

/// How long its last words are shown.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What it asks to run.
const COMMAND: &str = "make test";

const CLEAR: &str = "\x1b[2J\x1b[H";

/// Plays the agent until it is answered.
pub(super) fn run() {
    if let Ok(mut mode) = tcgetattr(stdin()) {
        mode.make_raw();
        let _ = tcsetattr(stdin(), OptionalActions::Now, &mode);
    }
    show("Played by the tutor: no real agent runs here.\n\n● Reading the code…");
    sleep(WORK);
    let answer = ask();
    show(&format!("● {}: {COMMAND} was {}.", played::CHOICES[answer], ["allowed", "rejected"][answer]));
    sleep(LAST_WORDS);
}

/// Asks until a choice is made, and returns its index.
fn ask() -> usize {
    let mut selected = 0;
    loop {
        let cols = tcgetwinsize(stdout()).map_or(80, |size| usize::from(size.ws_col));
        let dialog = played::dialog(COMMAND, selected, cols);
        show(&format!("● May I run the tests?\n\n{dialog}\x1b[?25l"));
        let mut key = [0; 16];
        let read = stdin().read(&mut key).unwrap_or_default();
        match &key[..read] {
            [] | b"\r" | b"\n" => return selected,
            b"\x1b[A" | b"\x1bOA" | b"k" => selected = selected.saturating_sub(1),
            b"\x1b[B" | b"\x1bOB" | b"j" => selected = (selected + 1).min(played::CHOICES.len() - 1),
            [number @ b'1'..=b'2'] => return usize::from(number - b'1'),
            _ => {}
        }
    }
}

fn show(text: &str) {
    let _ = write!(stdout(), "{CLEAR}{}", text.replace('\n', "\r\n"));
    let _ = stdout().flush();
}
