//! Checksums of the journal's rows and records. They find damage, not forgery: whoever can write the files owns them.

/// A checksum over several fields. Each text is preceded by its length, so that no two lists of fields are the same
/// bytes.
#[derive(Default)]
pub(super) struct Checksum(crc32fast::Hasher);

impl Checksum {
    /// A checksum that continues an earlier one.
    pub(super) fn after(earlier: u32) -> Self {
        Self::default().number(earlier.into())
    }

    pub(super) fn number(mut self, number: u64) -> Self {
        self.0.update(&number.to_le_bytes());
        self
    }

    pub(super) fn bytes(self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        let mut counted = self.number(bytes.len() as u64);
        counted.0.update(bytes);
        counted
    }

    pub(super) fn finish(self) -> u32 {
        self.0.finalize()
    }
}

/// The checksum of one text.
pub(super) fn of_text(text: &str) -> u32 {
    Checksum::default().bytes(text).finish()
}

/// The checksum of an event's row.
pub(super) fn of_event(id: u64, at: u64, body: &str) -> u32 {
    Checksum::default().number(id).number(at).bytes(body).finish()
}

/// The checksum of a message's row, from the checksum of its body.
pub(super) fn of_message(number: u64, id: &[u8; 16], envelope: &str, body: u32) -> u32 {
    Checksum::default().number(number).bytes(id).bytes(envelope).number(body.into()).finish()
}

/// The checksum of a receipt's row.
pub(super) fn of_receipt(number: u64, session: &[u8; 16], receipt: &str) -> u32 {
    Checksum::default().number(number).bytes(session).bytes(receipt).finish()
}

/// The checksum of a checkpoint's row.
pub(super) fn of_world(after: u64, body: &str) -> u32 {
    Checksum::default().number(after).bytes(body).finish()
}
