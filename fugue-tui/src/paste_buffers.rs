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

    /// The buffer that was set last.
    pub(crate) fn newest(&self) -> Option<String> {
        self.unshared.clone().or_else(|| self.store.get(None).map(text))
    }

    pub(crate) fn take_newest(&mut self) -> Option<String> {
        let newest = self.newest()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_buffer_is_not_one_that_is_named_by_a_number() {
        let directory = tempfile::tempdir().expect("a directory");
        let store = BufferStore::of(&directory.path().join("sock"));
        store.set(Some("0"), b"old").expect("stored");
        let mut buffers = PasteBuffers::new(store);
        buffers.push("new".into());
        assert_eq!((buffers.newest().as_deref(), buffers.get("0").as_deref()), (Some("new"), Some("old")));
        assert_eq!(buffers.take_newest().as_deref(), Some("new"));
        assert_eq!(buffers.newest().as_deref(), Some("old"));
    }
}
