//! Typing: what waits to be read by the program, in order, and texts that are submitted once the program took them in.

use std::collections::VecDeque;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use fugue_core::edge_request::TypeRequest;
use fugue_protocol::refusal::nearest;
use fugue_protocol::views::{InputSent, Submitted};
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::keys::Key;
use fugue_screen::{Modes, paste};

use super::submitting::{self, Watch, settled};
use super::unread::Unread;
use super::waiting::Sight;
use crate::client::Receipt;
use crate::reply::Reply;

/// What a program may leave unread: four of the largest inputs. Past that whoever types is refused.
const UNREAD: usize = 4 << 20;

/// What one input takes besides its text, while it waits behind another: its keys' names and its way back.
const BESIDES: usize = 256;

/// What waits to be typed.
pub(super) struct Input {
    pane: PaneId,
    unread: Unread,
    /// Something that a person typed found no room.
    torn: bool,
    submits: VecDeque<Submit>,
}

/// A text that is being submitted. What comes later waits behind it.
struct Submit {
    stage: Stage,
    enter: Vec<u8>,
    /// The end of the text: where it still stands, it was not taken.
    end: String,
    by_agent: bool,
    reply: Box<dyn FnOnce(Submitted)>,
    behind: Vec<Later>,
}

enum Stage {
    /// It was typed, and Enter is due when the screen is quiet.
    Typed(Instant),
    /// Enter was pressed, and what comes of it is watched.
    Pressed(Watch),
}

/// What is typed now, or behind what is being submitted.
pub(super) struct Later {
    pub(super) typing: TypeRequest,
    /// Where the text ended when it was asked for.
    pub(super) cursor: String,
    pub(super) reply: Reply,
}

impl Later {
    fn bytes(&self) -> usize {
        self.typing.text.len() + self.typing.keys.iter().map(String::len).sum::<usize>() + BESIDES
    }
}

impl Input {
    pub(super) fn new(pane: PaneId) -> Self {
        Self { pane, unread: Unread::default(), torn: false, submits: VecDeque::new() }
    }

    /// Forgets what waits: nobody reads any more.
    pub(super) fn discard(&mut self) {
        self.unread.clear();
    }

    /// Answers of the screen's go first in line: programs wait for them.
    pub(super) fn answer(&mut self, bytes: &[u8]) {
        if self.unread.len() + bytes.len() <= UNREAD {
            self.unread.put(bytes, None);
        }
    }

    /// What a person typed, as it is: a person sees what is under way and does not wait behind it.
    /// After what found no room nothing is taken until the program has read all: better an end than a hole.
    pub(super) fn typed(&mut self, bytes: &[u8], receipt: Option<Receipt>) -> Result<(), Refusal> {
        self.torn &= !self.unread.is_empty();
        self.torn |= self.unread.len() + bytes.len() > UNREAD;
        if self.torn {
            return Err(Refusal::InputFull { pane: self.pane, waiting: self.unread.len() });
        }
        self.unread.put(bytes, receipt);
        Ok(())
    }

    /// Types, or queues behind a text that is not submitted yet. A person's keys are not mixed with an agent's.
    pub(super) fn type_in(&mut self, later: Later, sight: Sight<'_>, shell: bool) {
        if let Some(remaining_ms) = sight.held.filter(|_| later.typing.by_agent) {
            return later.reply.refuse(Refusal::KeyboardHeld { pane: self.pane, remaining_ms });
        }
        if let Some(submit) = self.submits.back_mut() {
            let behind = submit.behind.iter().map(Later::bytes).sum::<usize>();
            let waiting = self.unread.len() + behind;
            if waiting + later.bytes() > UNREAD {
                return later.reply.refuse(Refusal::InputFull { pane: self.pane, waiting });
            }
            return submit.behind.push(later);
        }
        match self.encode(&later.typing, sight.screen.modes()) {
            Ok(bytes) => self.put(later, bytes, sight, shell),
            Err(refusal) => later.reply.refuse(refusal),
        }
    }

    /// Types a line and submits it, if nothing else is under way. Whether it was typed.
    pub(super) fn nudge(&mut self, text: &str, sight: Sight<'_>) -> bool {
        let free = self.submits.is_empty() && self.unread.is_empty();
        if free {
            self.unread.put(&paste(text, sight.screen.modes()), None);
            let enter = Key::plain(fugue_screen::keys::Code::Enter).encode(sight.screen.modes());
            let (stage, end) = (Stage::Typed(sight.now), submitting::end_of(text));
            // What comes of it is seen by whoever typed it.
            let (reply, behind) = (Box::new(drop), Vec::new());
            self.submits.push_back(Submit { stage, enter, end, by_agent: true, reply, behind });
        }
        free
    }

    fn put(&mut self, Later { typing, cursor, reply }: Later, bytes: Vec<u8>, sight: Sight<'_>, shell: bool) {
        let count = bytes.len();
        self.unread.put(&bytes, None);
        let pane_id = self.pane;
        let sent = move |bytes, submit| InputSent { pane_id, bytes, cursor, submit };
        let enter = match typing.submit {
            true => Key::plain(fugue_screen::keys::Code::Enter).encode(sight.screen.modes()),
            false => Vec::new(),
        };
        let all = count + enter.len();
        if typing.submit && !shell && count > 0 {
            let reply = Box::new(move |seen| reply.done(&sent(all, Some(seen))));
            let (stage, end) = (Stage::Typed(sight.now), submitting::end_of(&typing.text));
            let by_agent = typing.by_agent;
            self.submits.push_back(Submit { stage, enter, end, by_agent, reply, behind: Vec::new() });
        } else {
            self.unread.put(&enter, None);
            reply.done(&sent(all, (typing.submit && shell).then_some(Submitted::Submitted)));
        }
    }

    fn encode(&self, typing: &TypeRequest, modes: &Modes) -> Result<Vec<u8>, Refusal> {
        let mut bytes = if typing.submit && typing.text.contains('\n') {
            paste(&typing.text, modes)
        } else {
            typing.text.clone().into_bytes()
        };
        for name in &typing.keys {
            bytes.extend(key(name)?.encode(modes));
        }
        if self.unread.len() + bytes.len() > UNREAD {
            return Err(Refusal::InputFull { pane: self.pane, waiting: self.unread.len() });
        }
        Ok(bytes)
    }

    /// When the next Enter is due, if the screen was last written to at `written`.
    pub(super) fn due(&self, written: Instant) -> Option<Instant> {
        match &self.submits.front()?.stage {
            Stage::Typed(since) => Some(settled(written, *since)),
            Stage::Pressed(watch) => Some(watch.due(written)),
        }
    }

    /// Presses Enter where it is due, watches what comes of it, and types what waited behind.
    pub(super) fn press(&mut self, sight: Sight<'_>, shell: bool) {
        while let Some(submit) = self.submits.front_mut() {
            match &submit.stage {
                // A person has begun to type behind it: Enter would send both.
                Stage::Typed(_) if submit.by_agent && sight.held.is_some() => {
                    self.told(Submitted::Pending, sight, shell);
                }
                Stage::Typed(since) if settled(sight.written, *since) <= sight.now => {
                    self.unread.put(&std::mem::take(&mut submit.enter), None);
                    submit.stage = Stage::Pressed(Watch::new(sight));
                }
                Stage::Typed(_) => return,
                Stage::Pressed(watch) => match watch.verdict(sight, &submit.end) {
                    Some(seen) => self.told(seen, sight, shell),
                    None => return,
                },
            }
        }
    }

    fn told(&mut self, seen: Submitted, sight: Sight<'_>, shell: bool) {
        let Some(submit) = self.submits.pop_front() else { return };
        (submit.reply)(seen);
        for later in submit.behind {
            self.type_in(later, sight, shell);
        }
    }

    /// Lets the program read as much as it takes now.
    pub(super) fn write_to(&mut self, master: BorrowedFd<'_>) -> io::Result<()> {
        self.unread.write_to(master)
    }
}

fn key(name: &str) -> Result<Key, Refusal> {
    let names = [
        "Enter", "Escape", "Tab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
        "PageDown",
    ];
    name.parse()
        .map_err(|_| Refusal::BadKey { key: name.to_owned(), nearest: nearest(name, names.into_iter()) })
}

#[cfg(test)]
mod tests;
