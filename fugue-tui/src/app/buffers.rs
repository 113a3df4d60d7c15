//! The daemon's paste buffers: storing, pasting, listing and removing them.

use fugue_protocol::PaneId;
use fugue_protocol::buffer_content::BufferContent;
use fugue_protocol::verbs::{GetBuffer, ListPasteBuffers, RemoveBuffer, StoreBuffer};
use fugue_protocol::views::{BufferName, PasteBuffer, PasteBufferList};
use serde_json::value::RawValue;

use super::App;
use super::state::daemon::Purpose;
use crate::overlays::{self, Overlay};

impl App {
    /// Keeps copied text in a buffer.
    pub(super) fn keep_copied(&mut self, text: String) {
        let store = StoreBuffer { name: None, content: BufferContent::from(text.as_str()) };
        self.pastes.copied.keep(text, self.daemon.host_name());
        self.daemon.request(Purpose::StoreBuffer, &store);
    }

    /// Handles the reply to copied text: of several texts under way, only the last one counts.
    pub(super) fn copied_stored(&mut self) {
        if !self.daemon.has_requested(Purpose::StoreBuffer) {
            self.pastes.copied.stored();
        }
    }

    /// Pastes a buffer, or the newest, where the keyboard is.
    pub(super) fn paste_buffer(&mut self, words: &[&str]) {
        let into = self.active_pane().filter(|_| self.overlays.current.is_none());
        self.request_paste(words.first().copied(), into);
    }

    /// Pastes the newest buffer into a pane.
    pub(super) fn paste_newest_into(&mut self, pane: PaneId) {
        self.request_paste(None, Some(pane));
    }

    fn request_paste(&mut self, name: Option<&str>, into: Option<PaneId>) {
        let lacking = self.pastes.copied.lacking(self.daemon.host_name()).filter(|_| name.is_none());
        if let Some(text) = lacking.map(str::to_owned) {
            return self.paste_text(text.as_bytes(), into);
        }
        let nth = name.and_then(|name| name.parse().ok());
        self.daemon.request(Purpose::PasteBuffer(into), &GetBuffer { name: name.map(str::to_owned), nth });
    }

    fn paste_text(&mut self, text: &[u8], into: Option<PaneId>) {
        match into {
            Some(pane) => self.paste_into(pane, text),
            None => self.paste(text),
        }
    }

    /// Pastes the buffer that was requested.
    pub(super) fn buffer_received(&mut self, into: Option<PaneId>, reply: &RawValue) {
        let Ok(buffer) = serde_json::from_str::<PasteBuffer>(reply.get()) else { return };
        match (buffer.content, buffer.name) {
            (Some(content), _) => self.paste_text(content.as_bytes(), into),
            (None, Some(name)) => {
                let key = self.key_for("choose-buffer");
                self.say_error(format!("No buffer {name}; {key} lists buffers"));
            }
            (None, None) => {
                let key = self.key_for("copy-mode");
                self.say(format!("Nothing copied yet; {key} starts copy mode"));
            }
        }
    }

    pub(super) fn request_buffers(&mut self) {
        self.daemon.request(Purpose::Buffers, &ListPasteBuffers::default());
    }

    /// Lists the buffers.
    pub(super) fn list_buffers(&mut self, reply: &RawValue) {
        let Ok(list) = serde_json::from_str::<PasteBufferList>(reply.get()) else { return };
        let lacking = self.pastes.copied.lacking(self.daemon.host_name());
        let list = overlays::buffers(lacking, &list.buffers, &self.key_for("copy-mode"));
        self.open_overlay(Overlay::List(list));
        self.watch_visible();
    }

    /// Deletes the newest buffer.
    pub(super) fn delete_buffer(&mut self) {
        match self.pastes.copied.take_lacking(self.daemon.host_name()) {
            Some(_) => self.say("Deleted newest buffer"),
            None => self.daemon.request(Purpose::RemoveBuffer, &RemoveBuffer::default()),
        }
    }

    /// Says whether a buffer was deleted.
    pub(super) fn buffer_removed(&mut self, reply: &RawValue) {
        let removed = serde_json::from_str::<BufferName>(reply.get()).ok().and_then(|removed| removed.name);
        self.say(if removed.is_some() { "Deleted newest buffer" } else { "Nothing copied yet" });
    }

    /// Copies a text behind that of the newest buffer, which it replaces.
    pub(super) fn append_copied(&mut self, text: String) {
        match self.pastes.copied.take_lacking(self.daemon.host_name()) {
            Some(before) => self.store_copied(before + &text),
            None => {
                self.pastes.appended = Some(text);
                self.daemon.request(Purpose::AppendCopied, &GetBuffer::default());
            }
        }
    }

    /// Handles the newest buffer, to which copied text is appended; without one, the text is copied alone.
    pub(super) fn append_to(&mut self, reply: Option<&RawValue>) {
        let Some(text) = self.pastes.appended.take() else { return };
        let newest = reply.and_then(|reply| serde_json::from_str::<PasteBuffer>(reply.get()).ok());
        let PasteBuffer { name, content } = newest.unwrap_or_default();
        if name.is_some() {
            self.daemon.request(Purpose::Quiet, &RemoveBuffer { name });
        }
        self.store_copied(content.unwrap_or_default().to_text() + &text);
    }
}
