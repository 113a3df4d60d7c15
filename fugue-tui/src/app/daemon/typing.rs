//! What is typed, on its way to the daemon: keys that come together go together, and what one that was killed did not
//! type the next one does.

use std::time::{Duration, Instant};

use fugue_client::UndeliveredKeys;
use fugue_protocol::PaneId;

use super::DaemonLink;

/// An echo is there in less than this. So long the client does not sleep after a key: to wake it takes a good part of that.
const ECHO: Duration = Duration::from_micros(400);

impl DaemonLink {
    /// Types into a pane; what is typed while the daemon is away is kept for a while.
    pub(in crate::app) fn type_in(&mut self, pane: PaneId, bytes: &[u8]) {
        match &mut self.typed {
            Some((same, typed)) if *same == pane => typed.extend_from_slice(bytes),
            _ => {
                self.send_typed();
                self.typed = Some((pane, bytes.to_vec()));
            }
        }
    }

    /// Something comes from the terminal: most likely it is typed into the same pane as before.
    pub(in crate::app) fn expect_keys(&mut self) {
        if let Some((line, pane)) = self.line.as_mut().zip(self.typed_last) {
            // What breaks here is heard of when the line is read next.
            let _ = line.expect(pane);
        }
    }

    /// Sends what was typed: keys that came together go together.
    pub(in crate::app) fn send_typed(&mut self) {
        let Some(line) = &mut self.line else { return };
        let Some((pane, bytes)) = self.typed.take().filter(|(_, bytes)| !bytes.is_empty()) else { return };
        let _ = line.type_in(pane, &bytes);
        self.typed_last = Some(pane);
        self.sound();
        self.echo_until = Some(Instant::now() + ECHO);
    }

    /// Until when what was typed is likely to be answered at once.
    pub(in crate::app) fn take_echo_until(&mut self) -> Option<Instant> {
        self.echo_until.take()
    }

    /// Types what the daemon before did not, once this one has said a word; and gives what the person must know of it.
    pub(in crate::app) fn type_again(&mut self) -> Option<Option<String>> {
        let settled =
            self.former.take_if(|_| self.line.as_ref().is_some_and(|line| line.client().is_some()))?.settle();
        for (pane, bytes) in &settled.again {
            self.type_in(*pane, bytes);
        }
        self.send_typed();
        Some(in_words(&settled))
    }
}

/// What the person must know of keys that were typed as the daemon went away.
fn in_words(settled: &UndeliveredKeys) -> Option<String> {
    let s = if settled.doubtful == 1 { "" } else { "s" };
    match settled {
        UndeliveredKeys { unsure: true, .. } => {
            Some("the daemon went away while you typed: look whether the last keys arrived".into())
        }
        UndeliveredKeys { doubtful: 1.., .. } => Some(format!(
            "the daemon died as it typed {} character{s}: look whether {} arrived",
            settled.doubtful,
            if settled.doubtful == 1 { "it" } else { "they" }
        )),
        _ => None,
    }
}
