//! The lines of tmux's control mode: how blocks, output and notifications are written.

use std::fmt::Write;

/// The number of a command and the time at which it ran, between which its output stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guard {
    /// When it ran, in seconds.
    pub(super) time: i64,
    /// Its number.
    pub(super) number: u64,
    /// Whether the client asked for it; the command that attached was given on the command line.
    pub(super) is_asked: bool,
}

impl Guard {
    /// The block of a command: what it printed, or why it failed.
    pub(super) fn block(self, output: &[u8], failed: Option<&str>) -> Vec<u8> {
        let mut block = format!("%begin {}\n", self.words()).into_bytes();
        block.extend(output);
        if let Some(why) = failed {
            block.extend(why.as_bytes());
        }
        if !block.ends_with(b"\n") {
            block.push(b'\n');
        }
        let end = if failed.is_some() { "%error" } else { "%end" };
        block.extend(format!("{end} {}\n", self.words()).bytes());
        block
    }

    fn words(self) -> String {
        format!("{} {} {}", self.time, self.number, u8::from(self.is_asked))
    }
}

/// Output of a pane: a backslash and bytes below a space are written as octal numbers. With an age in milliseconds, it is in the
/// form of a client that has asked for pauses.
pub(super) fn output(pane: u64, bytes: &[u8], age: Option<u64>) -> Vec<u8> {
    let mut line = match age {
        Some(age) => format!("%extended-output %{pane} {age} : "),
        None => format!("%output %{pane} "),
    }
    .into_bytes();
    for byte in bytes {
        match byte {
            b'\\' | 0..b' ' => {
                let mut octal = String::new();
                let _ = write!(octal, "\\{byte:03o}");
                line.extend(octal.bytes());
            }
            byte => line.push(*byte),
        }
    }
    line.push(b'\n');
    line
}

/// A notification. A name with a line break in it must not begin another line.
pub(super) fn notification(text: &str) -> Vec<u8> {
    let mut line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.push('\n');
    line.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: Vec<u8>) -> String {
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn control_characters_and_backslashes_of_output_are_octal_and_all_else_is_as_it_was() {
        assert_eq!(
            text(output(3, "a\\\r\n\x1b[1m é\x7f".as_bytes(), None)),
            "%output %3 a\\134\\015\\012\\033[1m é\x7f\n"
        );
        assert_eq!(text(output(3, b"a", Some(12))), "%extended-output %3 12 : a\n");
    }

    #[test]
    fn a_block_stands_between_the_same_numbers() {
        let guard = Guard { time: 7, number: 2, is_asked: true };
        assert_eq!(text(guard.block(b"one\ntwo\n", None)), "%begin 7 2 1\none\ntwo\n%end 7 2 1\n");
        assert_eq!(text(guard.block(b"", None)), "%begin 7 2 1\n%end 7 2 1\n");
        assert_eq!(text(guard.block(b"", Some("no"))), "%begin 7 2 1\nno\n%error 7 2 1\n");
        assert_eq!(text(guard.block(b"no line break", None)), "%begin 7 2 1\nno line break\n%end 7 2 1\n");
        assert_eq!(text(notification("%window-renamed @1 a\n%exit")), "%window-renamed @1 a %exit\n");
    }
}
