//! The paste buffers. Only `evolve` changes them.

use fugue_protocol::buffer_content::BufferContent;
use fugue_protocol::refusal::{ArgumentProblem, Quota};
use fugue_protocol::views::{PasteBufferList, PasteBufferView, SAMPLE_CHARS};
use fugue_protocol::{Event, Refusal, Timestamp, limits};
use serde::{Deserialize, Serialize};

/// The paste buffers, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Buffers(Vec<Buffer>);

/// A paste buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Buffer {
    pub(crate) name: String,
    pub(crate) content: BufferContent,
    /// Whether it got its name by itself, so that it makes room for newer ones.
    automatic: bool,
    stored_at: Timestamp,
}

impl Buffer {
    fn view(&self) -> PasteBufferView {
        let text = String::from_utf8_lossy(self.content.as_bytes());
        PasteBufferView {
            name: self.name.clone(),
            bytes: self.content.as_bytes().len(),
            characters: text.chars().count(),
            stored_at: self.stored_at,
            sample: text.chars().take(SAMPLE_CHARS).collect(),
        }
    }

    fn bytes(&self) -> usize {
        self.content.as_bytes().len()
    }
}

impl Buffers {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A buffer; without a name, the newest.
    pub(crate) fn find(&self, name: Option<&str>) -> Option<&Buffer> {
        self.0.iter().rev().find(|buffer| name.is_none_or(|name| buffer.name == name))
    }

    /// The buffer at a place; the newest has 0.
    pub(crate) fn nth(&self, place: usize) -> Option<&Buffer> {
        self.0.iter().rev().nth(place)
    }

    /// All buffers, the newest first.
    pub(crate) fn list(&self) -> PasteBufferList {
        PasteBufferList { buffers: self.0.iter().rev().map(Buffer::view).collect() }
    }

    /// The next of tmux's names that is free: `buffer0`, `buffer1`, …
    fn free_name(&self, next: u64) -> String {
        let mut names = (next..).map(|number| format!("buffer{number}"));
        let free = names.find(|name| self.find(Some(name)).is_none());
        free.unwrap_or_else(|| unreachable!("there are more numbers than buffers"))
    }

    /// The events that set a buffer, and its name, whose number is at least `next` if none is given. The oldest automatic ones make room; those that were named do not.
    pub(crate) fn set(
        &self,
        name: Option<String>,
        content: BufferContent,
        now: Timestamp,
        next: u64,
    ) -> Result<(Vec<Event>, String), Refusal> {
        name.as_deref().map_or(Ok(()), check_name)?;
        let automatic = name.is_none();
        let name = name.unwrap_or_else(|| self.free_name(next));
        let mut events = self.making_room(&name, automatic, content.as_bytes().len())?;
        let stored = Event::BufferStored { name: name.clone(), content, automatic, stored_at: now };
        events.push(stored);
        Ok((events, name))
    }

    fn making_room(&self, name: &str, automatic: bool, bytes: usize) -> Result<Vec<Event>, Refusal> {
        let others: Vec<_> = self.0.iter().filter(|buffer| buffer.name != name).collect();
        let too_many = |what, limit| Err(Refusal::TooMany { what, limit });
        if bytes > limits::BUFFER_BYTES {
            return too_many(Quota::BufferBytes, limits::BUFFER_BYTES);
        }
        let named = others.iter().filter(|buffer| !buffer.automatic);
        if !automatic && named.clone().count() >= limits::NAMED_BUFFERS {
            return too_many(Quota::NamedBuffers, limits::NAMED_BUFFERS);
        }
        if named.map(|buffer| buffer.bytes()).sum::<usize>() + bytes > limits::ALL_BUFFER_BYTES {
            return too_many(Quota::AllBufferBytes, limits::ALL_BUFFER_BYTES);
        }
        let mut total = bytes + others.iter().map(|buffer| buffer.bytes()).sum::<usize>();
        let oldest: Vec<_> = others.into_iter().filter(|buffer| buffer.automatic).collect();
        let mut count = oldest.len() + usize::from(automatic);
        let mut removed = Vec::new();
        for buffer in oldest {
            if count <= limits::AUTOMATIC_BUFFERS && total <= limits::ALL_BUFFER_BYTES {
                break;
            }
            (count, total) = (count - 1, total - buffer.bytes());
            removed.push(Event::BufferRemoved { name: buffer.name.clone() });
        }
        Ok(removed)
    }

    /// The events that remove all of them.
    pub(crate) fn clear(&self) -> impl Iterator<Item = Event> {
        self.0.iter().map(|buffer| Event::BufferRemoved { name: buffer.name.clone() })
    }

    pub(crate) fn stored(&mut self, name: &str, content: &BufferContent, automatic: bool, at: Timestamp) {
        self.removed(name);
        self.0.push(Buffer { name: name.to_owned(), content: content.clone(), automatic, stored_at: at });
    }

    pub(crate) fn renamed(&mut self, name: &str, new_name: &str) {
        if name != new_name && self.find(Some(name)).is_some() {
            self.removed(new_name);
        }
        for buffer in self.0.iter_mut().filter(|buffer| buffer.name == name) {
            (buffer.name, buffer.automatic) = (new_name.to_owned(), false);
        }
    }

    pub(crate) fn removed(&mut self, name: &str) {
        self.0.retain(|buffer| buffer.name != name);
    }
}

/// Refuses a name that is empty, or too long to list.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    match name.chars().count() {
        0 => Err(Refusal::argument("name", ArgumentProblem::EmptyName)),
        1..=limits::NAME_CHARS => Ok(()),
        _ => Err(Refusal::TooMany { what: Quota::BufferNameCharacters, limit: limits::NAME_CHARS }),
    }
}
