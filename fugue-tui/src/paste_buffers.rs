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

    /// A buffer by its place, or by its name.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        match name.parse::<usize>() {
            Ok(number) => self.all().into_iter().nth(number),
            Err(_) => self.store.get(Some(name)).map(text),
        }
    }

    pub(crate) fn take_newest(&mut self) -> Option<String> {
        let newest = self.get("0")?;
        if self.unshared.take().is_none() {
            self.store.delete(None);
        }
        Some(newest)
    }

    pub(crate) fn all(&self) -> Vec<String> {
        let stored = self.store.list();
        let stored = stored.iter().filter_map(|buffer| self.store.get(Some(&buffer.name))).map(text);
        self.unshared.clone().into_iter().chain(stored).collect()
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}
