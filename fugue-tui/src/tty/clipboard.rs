//! Copying to the clipboard of the person's own terminal: OSC 52, which works over ssh, and inside a tmux that
//! passes it on.

use super::output::TerminalOutput;

/// Terminals drop longer ones, some without a word.
const LONGEST: usize = 1 << 20;

/// Sends text to the clipboard, and says which way it went.
pub(crate) fn copy(text: &str, output: &mut TerminalOutput) -> String {
    let count = counted(text);
    if text.len() > LONGEST {
        return format!(" {count} copied; too many for the terminal's clipboard, prefix ] pastes them");
    }
    let sequence = format!("\x1b]52;c;{}\x07", base64(text.as_bytes()));
    match output.has_room(sequence.len()) && output.put(sequence.as_bytes()).is_ok() {
        true => format!(" {count} copied: {}", way(std::env::var_os("TMUX").is_some())),
        false => format!(" {count} copied: prefix ] pastes them"),
    }
}

/// Which way it went. As it comes, tmux lets no program write to the clipboard, and says nothing of it.
fn way(inside_tmux: bool) -> &'static str {
    match inside_tmux {
        false => "to the terminal's clipboard (OSC 52), and prefix ] pastes them",
        true => "to tmux (OSC 52), if its set-clipboard is on; prefix ] pastes them",
    }
}

/// How many characters there are.
pub(crate) fn counted(text: &str) -> String {
    let count = text.chars().count();
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
