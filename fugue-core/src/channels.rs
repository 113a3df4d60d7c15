//! The channels of tmux's `wait-for`: which are locked, and which were signalled while nobody waited. Only `evolve` changes
//! them. Who waits is known to the machine.

use std::collections::{BTreeMap, VecDeque};

use fugue_protocol::refusal::Quota;
use fugue_protocol::{Event, IdempotencyKey, Refusal, limits};
use serde::{Deserialize, Serialize};

/// The channels by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Channels {
    known: BTreeMap<String, Channel>,
    /// The number of the last signal.
    signals: u64,
    /// The keys of the last waits that heard a signal. Whoever lost the reply with a daemon repeats the call.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    heard_by: VecDeque<IdempotencyKey>,
}

/// How many waits are remembered. They are repeated at once, so that this many have to end within the instant in which a
/// daemon is replaced before one of them waits again.
const REMEMBERED: usize = 256;

/// A channel that was signalled or locked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Channel {
    /// The number of its last signal, by which whoever waits recognizes a newer one.
    #[serde(default)]
    signal: u64,
    /// Whether nobody has waited for that signal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_unheard: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lock: Option<Lock>,
}

/// A lock, with the key of whoever took it, if they gave one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Lock {
    key: Option<IdempotencyKey>,
}

impl Channel {
    fn is_idle(&self) -> bool {
        !self.is_unheard && self.lock.is_none()
    }
}

impl Channels {
    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The number of a channel's last signal.
    pub(crate) fn last_signal(&self, name: &str) -> u64 {
        self.known.get(name).map_or(0, |channel| channel.signal)
    }

    /// Whether a signal came while nobody waited.
    pub(crate) fn is_unheard(&self, name: &str) -> bool {
        self.known.get(name).is_some_and(|channel| channel.is_unheard)
    }

    /// Whether a wait with this key has heard a signal before.
    pub(crate) fn has_heard(&self, key: Option<&IdempotencyKey>) -> bool {
        key.is_some_and(|key| self.heard_by.contains(key))
    }

    pub(crate) fn is_locked(&self, name: &str) -> bool {
        self.known.get(name).is_some_and(|channel| channel.lock.is_some())
    }

    /// Whether a lock was taken with this key.
    pub(crate) fn is_locked_with(&self, name: &str, key: Option<&IdempotencyKey>) -> bool {
        let lock = self.known.get(name).and_then(|channel| channel.lock.as_ref());
        key.is_some() && lock.is_some_and(|lock| lock.key.as_ref() == key)
    }

    /// Refuses one channel too many; those that are idle make room.
    pub(crate) fn check_room(&self, name: &str) -> Result<(), Refusal> {
        let is_full = self.known.len() >= limits::CHANNELS && !self.known.values().any(Channel::is_idle);
        match is_full && !self.known.contains_key(name) {
            true => Err(Refusal::TooMany { what: Quota::Channels, limit: limits::CHANNELS }),
            false => Ok(()),
        }
    }

    /// The events that free all channels.
    pub(crate) fn clear(&self) -> Vec<Event> {
        let unheard = self.known.iter().filter(|(_, channel)| channel.is_unheard);
        let locked = self.known.iter().filter(|(_, channel)| channel.lock.is_some());
        let heard = unheard.map(|(name, _)| Event::ChannelHeard { channel: name.clone(), key: None });
        heard.chain(locked.map(|(name, _)| Event::ChannelUnlocked { channel: name.clone() })).collect()
    }

    pub(crate) fn signalled(&mut self, name: &str) {
        self.signals += 1;
        let signal = self.signals;
        let channel = self.channel(name);
        (channel.signal, channel.is_unheard) = (signal, true);
    }

    pub(crate) fn heard(&mut self, name: &str, key: Option<&IdempotencyKey>) {
        if let Some(channel) = self.known.get_mut(name) {
            channel.is_unheard = false;
        }
        self.heard_by.extend(key.cloned());
        while self.heard_by.len() > REMEMBERED {
            self.heard_by.pop_front();
        }
    }

    pub(crate) fn locked(&mut self, name: &str, key: Option<&IdempotencyKey>) {
        self.channel(name).lock = Some(Lock { key: key.cloned() });
    }

    pub(crate) fn unlocked(&mut self, name: &str) {
        if let Some(channel) = self.known.get_mut(name) {
            channel.lock = None;
        }
    }

    /// A channel, for which the idle one that was signalled the longest ago makes room.
    fn channel(&mut self, name: &str) -> &mut Channel {
        if self.known.len() >= limits::CHANNELS && !self.known.contains_key(name) {
            let idle = self.known.iter().filter(|(_, channel)| channel.is_idle());
            let oldest = idle.min_by_key(|(_, channel)| channel.signal).map(|(name, _)| name.clone());
            oldest.map(|oldest| self.known.remove(&oldest));
        }
        self.known.entry(name.to_owned()).or_default()
    }
}
