//! Pastes, of any length and of any bytes: in parts, each of which is taken before the next is sent.

use std::time::{Duration, Instant};

use fugue_protocol::PaneId;
use fugue_protocol::refusal::Refused;
use fugue_protocol::verbs::{GetOutput, PaneChoice, SendInput};

use super::App;
use super::daemon::Purpose;

/// A paste goes to its pane in parts of so many bytes.
const PART: usize = 256 << 10;

/// A pane that has no room for a part is asked again after this.
const AGAIN: Duration = Duration::from_millis(20);

impl App {
    /// Types into a pane, behind what is being pasted into it.
    pub(super) fn send(&mut self, pane: PaneId, bytes: Vec<u8>) {
        if self.options.read_only {
            return self.say("this client only watches");
        }
        if self.pastes.iter().any(|(behind, _)| *behind == pane) {
            return self.pastes.push_back((pane, bytes));
        }
        self.daemon.type_in(pane, &bytes);
    }

    pub(super) fn paste(&mut self, pasted: &[u8]) {
        if let Some(layer) = &mut self.layer {
            layer.paste(&String::from_utf8_lossy(pasted));
            self.dirty = true;
            return;
        }
        let Some((pane, modes)) = self.keyboard() else { return };
        self.claim();
        let bytes = fugue_screen::paste_bytes(pasted, &modes);
        if bytes.len() <= PART {
            self.send_to_others(pane, |modes| fugue_screen::paste_bytes(pasted, modes));
            return self.send(pane, bytes);
        }
        self.pastes.extend(parts(&bytes).map(|part| (pane, part.to_vec())));
        self.paste_on();
    }

    /// Sends the next part. What is no text cannot travel as a word: it is typed, and what is asked behind it tells when
    /// it was taken.
    pub(super) fn paste_on(&mut self) {
        self.paste_again = None;
        if self.daemon.has_asked(Purpose::Paste) || self.options.read_only {
            return;
        }
        let Some((pane, part)) = self.pastes.front() else { return };
        let (choice, pane) = (PaneChoice::of(*pane), *pane);
        match std::str::from_utf8(part) {
            Ok(text) => {
                let input = Some(text.to_owned());
                self.daemon.ask(Purpose::Paste, &SendInput { choice, input, ..SendInput::default() });
            }
            Err(_) => {
                self.daemon.type_in(pane, part);
                self.daemon.ask(Purpose::Paste, &GetOutput { choice, lines: 1, ..GetOutput::default() });
            }
        }
    }

    /// Keys found no room: where they are a part of a paste, they are sent again.
    pub(super) fn refused_keys(&mut self, refused: Refused) {
        match refused.code == "input_full" && self.daemon.has_asked(Purpose::Paste) {
            true => self.paste_refused = true,
            false => self.say(refused.message),
        }
    }

    /// A part was taken, or there was no room for it yet, or the pane is gone.
    pub(super) fn pasted(&mut self, refused: Option<Refused>) {
        let no_room = std::mem::take(&mut self.paste_refused);
        match refused {
            None if no_room => return self.paste_later(),
            Some(refused) if refused.code == "input_full" || refused.code == "busy" => {
                return self.paste_later();
            }
            Some(refused) => {
                self.pastes.clear();
                self.say(refused.message);
            }
            None => drop(self.pastes.pop_front()),
        }
        self.paste_on();
    }

    fn paste_later(&mut self) {
        self.paste_again = Some(Instant::now() + AGAIN);
    }

    pub(super) fn paste_due(&self) -> Option<Instant> {
        self.paste_again
    }
}

/// Bytes in parts; a character that is one is not cut in two.
fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let most = rest.len().min(PART);
        let inside = |at: &usize| rest.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
        // A character has at most four bytes: where more of them follow each other, it is none.
        let end = (most.saturating_sub(3)..=most).rev().find(|at| !inside(at)).unwrap_or(most);
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paste_is_parted_between_characters_and_whole_again() {
        let text = "a".repeat(PART - 1) + &"é漢".repeat(PART);
        let all: Vec<&[u8]> = parts(text.as_bytes()).collect();
        assert!(all.iter().all(|part| std::str::from_utf8(part).is_ok() && part.len() <= PART));
        assert_eq!(all.concat(), text.as_bytes());
        let none = vec![0x80; 3 * PART];
        assert_eq!(parts(&none).map(<[u8]>::len).collect::<Vec<_>>(), [PART; 3], "no text at all");
        assert_eq!(parts(b"").count(), 0);
    }
}
