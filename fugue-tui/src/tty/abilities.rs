//! What the outer terminal can do, asked before any client runs in it.

use std::io::{IsTerminal, Write, stdin, stdout};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

use super::input_decoder::{InputDecoder, TerminalInput};
use super::terminal_replies::{DEPTH_QUERY, TerminalReply, image_query};

/// How long the terminal may take to answer: long enough for ssh.
const PATIENCE: Duration = Duration::from_millis(500);

/// What a terminal can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TerminalAbilities {
    /// Whether it has 24-bit colors.
    pub true_color: bool,
    /// Whether it has the kitty graphics protocol.
    pub kitty_images: bool,
    /// Whether it shows sixel images.
    pub sixel_images: bool,
}

/// Asks this terminal what it can do. Returns `None` if it is no terminal, or does not answer.
pub fn terminal_abilities() -> Option<TerminalAbilities> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return None;
    }
    let original = tcgetattr(stdin()).ok()?;
    let mut raw = original.clone();
    raw.make_raw();
    tcsetattr(stdin(), OptionalActions::Now, &raw).ok()?;
    let abilities = ask();
    let _ = tcsetattr(stdin(), OptionalActions::Now, &original);
    abilities
}

fn ask() -> Option<TerminalAbilities> {
    let mut out = stdout();
    let images = image_query(|name| std::env::var(name).unwrap_or_default());
    out.write_all(format!("{DEPTH_QUERY}{images}").as_bytes()).ok()?;
    out.flush().ok()?;
    let (mut decoder, mut abilities) = (InputDecoder::default(), TerminalAbilities::default());
    let deadline = Instant::now() + PATIENCE;
    loop {
        let left = deadline.checked_duration_since(Instant::now())?;
        let left = Timespec::try_from(left).ok()?;
        let input = stdin();
        let mut polled = [PollFd::new(&input, PollFlags::IN)];
        if poll(&mut polled, Some(&left)).ok()? == 0 {
            return None;
        }
        let mut bytes = [0; 1024];
        let count = rustix::io::read(&input, &mut bytes).ok().filter(|count| *count > 0)?;
        for input in decoder.feed(&bytes[..count], Instant::now()) {
            match input {
                TerminalInput::Reply(TerminalReply::TrueColor) => abilities.true_color = true,
                TerminalInput::Reply(TerminalReply::KittyImages) => abilities.kitty_images = true,
                // The last query, which every terminal answers.
                TerminalInput::Reply(TerminalReply::Attributes { sixel }) => {
                    return Some(TerminalAbilities { sixel_images: sixel, ..abilities });
                }
                _ => {}
            }
        }
    }
}
