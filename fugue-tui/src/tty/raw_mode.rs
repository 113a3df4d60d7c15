//! The outer terminal's modes. However the client ends, the terminal is put back as it was original.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use fugue_protocol::Size;
use rustix::fs::{Mode, OFlags, open};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr, ttyname};

use super::output::write_soon;

/// What is switched on, and what puts it back: the pairs in this order, and backwards.
const MODES: &[(&str, &str)] = &[
    // The window's title goes on a stack, and the other screen keeps the shell's lines.
    ("\x1b[22;0t", "\x1b[23;0t"),
    ("\x1b[?1049h", "\x1b[?1049l"),
    // Kitty keyboard: unambiguous keys with their shifted forms. The stack is the alternate screen's own.
    ("\x1b[>5u", "\x1b[<u"),
    ("\x1b[?2004h", "\x1b[?2004l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    // Light and dark are told when they change.
    ("\x1b[?2031h", "\x1b[?2031l"),
    // Nothing runs on in the next row: a character that is wider than was thought stays where it is.
    ("\x1b[?7l", "\x1b[?7h"),
    ("\x1b[?25l", "\x1b[0 q\x1b[?25h"),
    ("\x1b[m\x1b[2J", "\x1b[m\x1b]8;;\x1b\\"),
];

/// The mouse, which a person may keep for the terminal: switched on, and off.
pub(crate) const MOUSE: (&str, &str) = ("\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1002l");

/// Gives the cursor the terminal's own color.
pub(crate) const RESET_CURSOR_COLOR: &str = "\x1b]112\x1b\\";

/// The cursor has a color that a program chose.
static COLORED: AtomicBool = AtomicBool::new(false);

/// The cursor has such a color now, or no longer.
pub(crate) fn set_cursor_colored(colored: bool) {
    COLORED.store(colored, Ordering::Relaxed);
}

/// How the terminal was, while it is not so.
static ORIGINAL: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal, opened once more: a shell shares our standard output and must not find it changed.
static TERMINAL: OnceLock<Option<OwnedFd>> = OnceLock::new();

/// The terminal as something that never makes us wait. Where it cannot be opened, standard output must do.
pub(crate) fn terminal() -> BorrowedFd<'static> {
    let opened = TERMINAL.get_or_init(|| {
        let name = ttyname(stdout(), Vec::new()).ok()?;
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        open(name.as_c_str(), flags, Mode::empty()).ok()
    });
    opened.as_ref().map_or_else(stdout, AsFd::as_fd)
}

/// Makes the terminal ours.
pub(crate) fn enter() -> io::Result<()> {
    let original = tcgetattr(stdin())?;
    let mut raw = original.clone();
    raw.make_raw();
    tcsetattr(stdin(), OptionalActions::Now, &raw)?;
    swap_original(Some(original));
    write_soon(MODES.iter().map(|(on, _)| *on).collect::<String>().as_bytes())
}

/// Makes the terminal ours once more: a shell that was in front meanwhile left it in its own modes. How it was original
/// at first stays what is put back.
pub(crate) fn reenter() -> io::Result<()> {
    let Some(original) = swap_original(None) else { return enter() };
    let mut raw = original.clone();
    swap_original(Some(original));
    raw.make_raw();
    tcsetattr(stdin(), OptionalActions::Now, &raw)?;
    // Some modes lie on a stack: off first, so that none lies there twice.
    let on: String = MODES.iter().map(|(on, _)| *on).collect();
    write_soon(format!("{}{on}", off()).as_bytes())
}

/// Puts the terminal back; nothing happens when it is so already.
pub(crate) fn leave() {
    if let Some(original) = swap_original(None) {
        let _ = write_soon(off().as_bytes());
        let _ = tcsetattr(stdin(), OptionalActions::Now, &original);
    }
}

/// What switches everything off; first of all an end to whatever sequence is unfinished.
fn off() -> String {
    let off: String = MODES.iter().rev().map(|(_, off)| *off).collect();
    // Who chose a color for the terminal's cursor keeps it, unless a program in a pane took another.
    let cursor = if COLORED.load(Ordering::Relaxed) { RESET_CURSOR_COLOR } else { "" };
    format!("\x1b\\\x1b[?2026l{}{cursor}{off}", MOUSE.1)
}

fn swap_original(termios: Option<Termios>) -> Option<Termios> {
    let mut original = ORIGINAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::mem::replace(&mut *original, termios)
}

/// A panic, too, leaves a usable terminal, and its words can be read.
pub(crate) fn leave_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        leave();
        before(panic);
    }));
}

/// How large it is.
pub(crate) fn size() -> Size {
    let window = tcgetwinsize(stdout()).ok();
    let size = window.map(|window| Size::new(window.ws_col, window.ws_row));
    size.filter(|size| size.is_sane()).unwrap_or(Size::DEFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_testkit::Terminal;
    use std::process::Command;

    /// Says to this same test that it is the client.
    const CLIENT: &str = "FUGUE_TEST_PANICS";

    #[test]
    fn a_panic_leaves_a_usable_terminal_and_its_words() {
        if std::env::var_os(CLIENT).is_some() {
            leave_on_panic();
            enter().expect("a terminal");
            panic!("on purpose");
        }
        let mut client = Command::new(std::env::current_exe().expect("this test"));
        let name = std::thread::current().name().expect("a name").to_owned();
        client.args([name.as_str(), "--exact", "--nocapture"]).env(CLIENT, "1").env("RUST_BACKTRACE", "0");
        let mut terminal = Terminal::of(client, 80, 24);
        assert_ne!(terminal.ended(), 0);
        let written = String::from_utf8_lossy(&terminal.written).into_owned();
        assert!(written.contains("\x1b[?1049h"), "it had a screen of its own: {written:?}");
        let modes = terminal.screen().modes();
        assert!(!terminal.is_raw() && !terminal.screen().on_alternate() && modes.cursor_visible());
        assert_eq!((modes.kitty_keyboard(), modes.bracketed_paste()), (0, false));
        assert!(terminal.picture().contains("on purpose"), "{}", terminal.picture());
    }
}
