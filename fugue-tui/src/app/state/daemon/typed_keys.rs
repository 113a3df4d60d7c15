//! Keys on their way to the daemon: keys that come together are sent together, and keys that a killed daemon did not
//! type are typed by the next one.

use std::time::{Duration, Instant};

use fugue_client::UndeliveredKeys;
use fugue_protocol::PaneId;

use super::DaemonConnection;

/// An echo arrives within this time. The client does not sleep that long after a key, because waking it up takes a good
/// part of that.
const ECHO: Duration = Duration::from_micros(400);

impl DaemonConnection {
    /// Types into a pane. While the daemon is away, or has no room, the keys are kept.
    pub(crate) fn type_in(&mut self, pane: PaneId, bytes: &[u8]) {
        match self.unsent_keys.back_mut() {
            Some((same, keys)) if *same == pane => keys.extend_from_slice(bytes),
            _ => {
                self.send_keys();
                self.unsent_keys.push_back((pane, bytes.to_vec()));
            }
        }
    }

    /// Whether keys are on their way to the daemon.
    pub(crate) fn has_unsent_keys(&self) -> bool {
        !self.unsent_keys.is_empty() || self.wants_to_write()
    }

    /// Announces that input comes from the terminal, most likely for the same pane as the last.
    pub(crate) fn expect_keys(&mut self) {
        if let Some((connection, pane)) = self.connection.as_mut().zip(self.last_typed_pane) {
            // A broken connection is noticed when it is read next.
            let _ = connection.announce_keys(pane);
        }
    }

    /// Sends the keys of this turn: keys that came together go together. What finds no room is sent later.
    pub(crate) fn send_keys(&mut self) {
        while let Some(connection) = self.connection.as_mut().filter(|connection| !connection.is_full())
            && let Some((pane, bytes)) = self.unsent_keys.pop_front()
        {
            if bytes.is_empty() {
                continue;
            }
            // A broken connection is noticed when it is read next.
            let _ = connection.send_keys(pane, &bytes);
            self.last_typed_pane = Some(pane);
            let now = Instant::now();
            self.unprobed_since.get_or_insert(now);
            self.echo_until = Some(now + ECHO);
        }
    }

    /// The time by which the echo of typed text should have arrived.
    pub(crate) fn take_echo_until(&mut self) -> Option<Instant> {
        self.echo_until.take()
    }

    /// Once the new daemon has welcomed this client, types what the former one did not. Returns what the person must
    /// know about it.
    pub(crate) fn retype(&mut self) -> Option<Option<String>> {
        let next = self.connection.as_ref().filter(|next| next.client().is_some())?;
        let undelivered = self.former.take()?.into_undelivered_keys(next);
        for (pane, bytes) in &undelivered.again {
            self.type_in(*pane, bytes);
        }
        self.send_keys();
        Some(warning(&undelivered, self.paths.host.as_ref().map(|remote| remote.host.name.as_str())))
    }

    /// The message after a connection was lost without losing any input.
    pub(crate) fn reconnected(&self) -> String {
        let remote = self.paths.host.as_ref();
        remote.map_or("Daemon restarted; reconnected".into(), |remote| {
            format!("Reconnected to {}", remote.host.name)
        })
    }
}

/// What the person must know about keys that were typed as the daemon stopped, or as the line to its host dropped.
fn warning(keys: &UndeliveredKeys, host: Option<&str>) -> Option<String> {
    let what = host.map_or("Daemon restarted".into(), |host| format!("Connection to {host} was lost"));
    match keys {
        UndeliveredKeys { unsure: true, .. } => {
            Some(format!("{what} while you were typing; check whether your last keystrokes arrived"))
        }
        UndeliveredKeys { doubtful: count @ 1.., .. } => {
            let (s, pronoun) = if *count == 1 { ("", "it") } else { ("s", "they") };
            Some(format!(
                "{what} while you were typing {count} character{s}; check whether {pronoun} arrived"
            ))
        }
        _ => None,
    }
}
