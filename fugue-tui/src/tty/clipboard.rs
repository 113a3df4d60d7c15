//! The clipboard of the person's own terminal, by OSC 52: it works over ssh, and inside a tmux that passes it on.

use super::output::TtyOutput;

/// The longest text that is sent: terminals drop longer ones, some without a word.
const MAX_BYTES: usize = 1 << 20;

/// The outcome of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClipboardResult {
    Sent,
    /// It was sent to a tmux, which by default lets no program write to the clipboard and does not say so.
    SentToTmux,
    TooLong,
    /// The terminal does not take more now.
    NotSent,
}

/// Sends text to the clipboard.
pub(crate) fn copy(text: &str, output: &mut TtyOutput) -> ClipboardResult {
    if text.len() > MAX_BYTES {
        return ClipboardResult::TooLong;
    }
    let sequence = format!("\x1b]52;c;{}\x07", base64(text.as_bytes()));
    let sent = output.has_room(sequence.len()) && output.write(sequence.as_bytes()).is_ok();
    match (sent, std::env::var_os("TMUX").is_some()) {
        (true, false) => ClipboardResult::Sent,
        (true, true) => ClipboardResult::SentToTmux,
        (false, _) => ClipboardResult::NotSent,
    }
}

/// The number of characters, in words.
pub(crate) fn count_characters(text: &str) -> String {
    characters(text.chars().count())
}

/// A number of characters, in words.
pub(crate) fn characters(count: usize) -> String {
    format!("{count} character{}", if count == 1 { "" } else { "s" })
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for at in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * at)) as usize & 63];
            out.push(if at > group.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn base64_is_padded() {
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("é", "w6k=")] {
            assert_eq!(super::base64(text.as_bytes()), coded);
        }
    }
}
