//! The outer terminal's modes. However the client ends, the terminal is put back as it was found.

use std::io::{self, Write};
use std::sync::Mutex;

use fugue_protocol::Size;
use rustix::stdio::stdin;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

/// What is switched on, and what puts it back: the pairs in this order, and backwards.
const MODES: &[(&str, &str)] = &[
    // The window's title goes on a stack, and the other screen keeps the shell's lines.
    ("\x1b[22;0t", "\x1b[23;0t"),
    ("\x1b[?1049h", "\x1b[?1049l"),
    // Kitty keyboard: unambiguous keys with their shifted forms. The stack is the alternate screen's own.
    ("\x1b[>5u", "\x1b[<u"),
    ("\x1b[?2004h", "\x1b[?2004l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    ("\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1002l"),
    ("\x1b[?25l", "\x1b[0 q\x1b[?25h"),
    ("\x1b[m\x1b[2J", "\x1b[m\x1b]8;;\x1b\\"),
];

/// How the terminal was, while it is not so.
static FOUND: Mutex<Option<Termios>> = Mutex::new(None);

/// Makes the terminal ours.
pub(crate) fn enter() -> io::Result<()> {
    let found = tcgetattr(stdin())?;
    let mut raw = found.clone();
    raw.make_raw();
    tcsetattr(stdin(), OptionalActions::Now, &raw)?;
    keep(Some(found));
    write(MODES.iter().map(|(on, _)| *on).collect::<String>().as_bytes())
}

/// Puts the terminal back; nothing happens when it is so already.
pub(crate) fn leave() {
    if let Some(found) = keep(None) {
        let off: String = MODES.iter().rev().map(|(_, off)| *off).collect();
        let _ = write(format!("\x1b[?2026l{off}").as_bytes());
        let _ = tcsetattr(stdin(), OptionalActions::Now, &found);
    }
}

fn keep(termios: Option<Termios>) -> Option<Termios> {
    let mut found = FOUND.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::mem::replace(&mut *found, termios)
}

/// A panic, too, leaves a usable terminal, and its words can be read.
pub(crate) fn leave_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        leave();
        before(panic);
    }));
}

/// Writes to the terminal, all of it.
pub(crate) fn write(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// How large it is.
pub(crate) fn size() -> Size {
    let window = tcgetwinsize(rustix::stdio::stdout()).ok();
    let size = window.map(|window| Size::new(window.ws_col, window.ws_row));
    size.filter(|size| size.is_sane()).unwrap_or(Size::DEFAULT)
}
