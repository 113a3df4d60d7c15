//! The outer terminal's modes. However the client ends, the terminal is restored.

use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

use fugue_protocol::Size;
use rustix::fs::{Mode, OFlags, open};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr, ttyname};

use super::output::write_all_soon;
use super::terminal_record;

/// The sequences that switch modes on, and those that restore them in reverse order.
const MODES: &[(&str, &str)] = &[
    // The window's title is saved on a stack, and the alternate screen preserves the shell's lines.
    ("\x1b[22;0t", "\x1b[23;0t"),
    ("\x1b[?1049h", "\x1b[?1049l"),
    // Kitty keyboard: unambiguous keys with their shifted forms. The alternate screen has a stack of its own.
    ("\x1b[>5u", "\x1b[<u"),
    ("\x1b[?2004h", "\x1b[?2004l"),
    ("\x1b[?1004h", "\x1b[?1004l"),
    // Changes between light and dark are reported.
    ("\x1b[?2031h", "\x1b[?2031l"),
    // No line wraps: a character that is wider than expected stays in its row.
    ("\x1b[?7l", "\x1b[?7h"),
    ("\x1b[?25l", "\x1b[0 q\x1b[?25h"),
    ("\x1b[m\x1b[2J", "\x1b[m\x1b]8;;\x1b\\"),
];

/// The mouse, which a person may leave to the terminal: on, and off.
pub(crate) const MOUSE: (&str, &str) = ("\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1002l");

/// Resets the cursor's color to the terminal's own.
pub(crate) const RESET_CURSOR_COLOR: &str = "\x1b]112\x1b\\";

/// Whether a program has set the cursor's color.
static COLORED: AtomicBool = AtomicBool::new(false);

/// Notes whether a program has set the cursor's color.
pub(crate) fn set_cursor_colored(colored: bool) {
    COLORED.store(colored, Ordering::Relaxed);
}

/// The terminal's original attributes, while it is in raw mode.
static ORIGINAL: Mutex<Option<Termios>> = Mutex::new(None);

/// The terminal, opened separately: a shell shares our standard output and must not find it non-blocking.
static TERMINAL: OnceLock<Option<OwnedFd>> = OnceLock::new();

/// The terminal as a descriptor that never blocks. Where it cannot be opened, standard output takes its place.
pub(crate) fn terminal() -> BorrowedFd<'static> {
    let opened = TERMINAL.get_or_init(|| {
        let name = ttyname(stdout(), Vec::new()).ok()?;
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        open(name.as_c_str(), flags, Mode::empty()).ok()
    });
    opened.as_ref().map_or_else(stdout, AsFd::as_fd)
}

/// Switches the terminal to raw mode and to the client's modes.
pub(crate) fn enter() -> io::Result<()> {
    let original = tcgetattr(stdin())?;
    let mut raw = original.clone();
    raw.make_raw();
    terminal_record::save(&original);
    tcsetattr(stdin(), OptionalActions::Now, &raw)?;
    swap_original(Some(original));
    write_all_soon(MODES.iter().map(|(on, _)| *on).collect::<String>().as_bytes())
}

/// Switches the terminal again after the client was stopped: the shell left its own modes. The original attributes stay
/// those to be restored.
pub(crate) fn reenter() -> io::Result<()> {
    let Some(original) = swap_original(None) else { return enter() };
    let mut raw = original.clone();
    terminal_record::save(&original);
    swap_original(Some(original));
    raw.make_raw();
    tcsetattr(stdin(), OptionalActions::Now, &raw)?;
    // Some modes are on a stack: they are switched off first, so that none is pushed twice.
    let on: String = MODES.iter().map(|(on, _)| *on).collect();
    write_all_soon(format!("{}{on}", off()).as_bytes())
}

/// Restores the terminal; does nothing if that was done.
pub(crate) fn leave() {
    if let Some(original) = swap_original(None) {
        let _ = write_all_soon(off().as_bytes());
        let _ = tcsetattr(stdin(), OptionalActions::Now, &original);
        terminal_record::remove();
    }
}

/// Restores the terminal if a client was killed in it; from now on its attributes are recorded in this directory.
pub(crate) fn restore_after_kill(directory: &Path) {
    if let Some(original) = terminal_record::open(directory) {
        let _ = write_all_soon(off().as_bytes());
        terminal_record::restore(&original);
    }
}

/// Switches everything off, after ending whatever sequence is unfinished.
fn off() -> String {
    let off: String = MODES.iter().rev().map(|(_, off)| *off).collect();
    // A cursor color that the person chose stays, unless a program in a pane has set another.
    let cursor = if COLORED.load(Ordering::Relaxed) { RESET_CURSOR_COLOR } else { "" };
    format!("\x1b\\\x1b[?2026l{}{cursor}{off}", MOUSE.1)
}

fn swap_original(termios: Option<Termios>) -> Option<Termios> {
    let mut original = ORIGINAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    std::mem::replace(&mut *original, termios)
}

/// Restores the terminal on a panic, too, so that its message can be read.
pub(crate) fn leave_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        leave();
        before(panic);
        let _ = writeln!(
            io::stderr(),
            "fugue: This is a bug\nhint: `fugue debug-bundle` writes a file for a bug report"
        );
    }));
}

/// The terminal's device.
pub(crate) fn device() -> Option<String> {
    ttyname(terminal(), Vec::new()).ok()?.into_string().ok()
}

/// The terminal's size.
pub(crate) fn size() -> Size {
    let window = tcgetwinsize(stdout()).ok();
    let size = window.map(|window| Size::new(window.ws_col, window.ws_row));
    size.filter(|size| size.is_sane()).unwrap_or(Size::DEFAULT)
}

/// The width and height of a cell in pixels, if the terminal says how large it is.
pub(crate) fn cell_size() -> Option<(u16, u16)> {
    let window = tcgetwinsize(stdout()).ok()?;
    let side = |pixels: u16, cells: u16| pixels.checked_div(cells).filter(|side| *side > 0);
    Some((side(window.ws_xpixel, window.ws_col)?, side(window.ws_ypixel, window.ws_row)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fugue_testkit::TestTerminal;
    use std::process::Command;

    /// Tells this same test that it is the client.
    const CLIENT: &str = "FUGUE_TEST_PANICS";

    #[test]
    fn a_panic_leaves_a_usable_terminal_and_a_readable_message() {
        if std::env::var_os(CLIENT).is_some() {
            leave_on_panic();
            enter().expect("a terminal");
            panic!("on purpose");
        }
        let mut client = Command::new(std::env::current_exe().expect("this test"));
        let name = std::thread::current().name().expect("a name").to_owned();
        client.args([name.as_str(), "--exact", "--nocapture"]).env(CLIENT, "1").env("RUST_BACKTRACE", "0");
        let mut terminal = TestTerminal::spawn(client, 80, 24);
        assert_ne!(terminal.wait_for_exit(), 0);
        let written = String::from_utf8_lossy(&terminal.written).into_owned();
        assert!(written.contains("\x1b[?1049h"), "it had a screen of its own: {written:?}");
        let modes = terminal.screen().modes();
        assert!(!terminal.is_raw() && !terminal.screen().on_alternate() && modes.cursor_visible());
        assert_eq!((modes.kitty_keyboard(), modes.bracketed_paste()), (0, false));
        assert!(terminal.picture().contains("on purpose"), "{}", terminal.picture());
    }
}
