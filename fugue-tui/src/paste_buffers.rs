//! Paste buffers: what was copied, the newest first. All clients and commands of a daemon share them; if they cannot be
//! shared, the last text is kept here.

use fugue_client::BufferStore;

/// The paste buffers.
#[derive(Debug)]
pub(crate) struct PasteBuffers {
    store: BufferStore,
    /// The last text, if it could not be stored.
    unshared: Option<String>,
}

impl PasteBuffers {
    pub(crate) fn new(store: BufferStore) -> Self {
        Self { store, unshared: None }
    }

    /// Adds a text; the oldest ones make room.
    pub(crate) fn push(&mut self, text: String) {
        self.unshared = self.store.set(None, text.as_bytes()).is_err().then_some(text);
    }

    /// A buffer by its name, or by its place.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let placed = || Some(self.all().into_iter().nth(name.parse().ok()?)?.1);
        self.store.get(Some(name)).map(text).or_else(placed)
    }

    pub(crate) fn take_newest(&mut self) -> Option<String> {
        let newest = self.get("0")?;
        if self.unshared.take().is_none() {
            self.store.delete(None);
        }
        Some(newest)
    }

    /// All buffers with their names. One that is not shared has no name, only a place: the first.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let stored = self.store.list().into_iter();
        let stored =
            stored.filter_map(|buffer| Some((text(self.store.get(Some(&buffer.name))?), buffer.name)));
        let unshared = self.unshared.clone().map(|text| ("0".to_owned(), text));
        unshared.into_iter().chain(stored.map(|(text, name)| (name, text))).collect()
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
