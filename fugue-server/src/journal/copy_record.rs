//! The records of the journal's copy: their bytes, and the pure functions that encode and decode them.
//!
//! A record is a length, a checksum and a payload; the checksum also covers that of the record before it, so a record
//! that was moved, removed or doubled does not fit. A payload is a kind and its fields: numbers in little-endian order,
//! and texts with their lengths.

use fugue_core::PayloadSource;
use fugue_protocol::{MessageId, SessionId};

use super::messages::MessageChange;
use super::tip::Tip;

/// The bytes before a payload: its length and its checksum.
pub(super) const FRAME_BYTES: usize = 8;

/// The bytes of a header's payload: its kind, the journal's id and five numbers.
pub(super) const HEADER_BYTES: usize = 1 + 16 + 5 * 8;

/// A record of the copy.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CopyRecord {
    /// The beginning of a file: the format and how far the snapshot that follows has got.
    Header { format: u64, tip: Tip },
    /// The last checkpoint of the world, in a snapshot.
    World { after: u64, body: String },
    /// Events after the checkpoint, in a snapshot. They are numbered from `first`.
    Events { first: u64, events: Vec<(u64, String)> },
    /// A message or a receipt, in a snapshot.
    Change(MessageChange),
    /// The end of the snapshot.
    SnapshotEnd,
    /// One append.
    Batch { batch: u64, first: u64, events: Vec<(u64, String)>, changes: Vec<MessageChange> },
    /// A checkpoint of the world after the last event.
    Checkpoint { batch: u64, world: String },
}

/// Payloads, by kind.
pub(super) fn header(format: u64, tip: &Tip) -> Vec<u8> {
    let numbers = [format, tip.batch, tip.last_event, tip.last_at, tip.last_message];
    numbers.into_iter().fold(Encoder::of(1).id(&tip.journal), Encoder::number).0
}

pub(super) fn world(after: u64, body: &str) -> Vec<u8> {
    Encoder::of(2).number(after).text(body).0
}

pub(super) fn events(first: u64, events: &[(u64, String)]) -> Vec<u8> {
    Encoder::of(3).number(first).events(events).0
}

pub(super) fn change(change: &MessageChange) -> Vec<u8> {
    Encoder::of(4).change(change).0
}

pub(super) fn snapshot_end() -> Vec<u8> {
    Encoder::of(5).0
}

pub(super) fn batch(batch: u64, first: u64, events: &[(u64, String)], changes: &[MessageChange]) -> Vec<u8> {
    let encoder = Encoder::of(6).number(batch).number(first).events(events).number(changes.len() as u64);
    changes.iter().fold(encoder, Encoder::change).0
}

pub(super) fn checkpoint(batch: u64, world: &str) -> Vec<u8> {
    Encoder::of(7).number(batch).text(world).0
}

/// Returns a payload with its length and checksum before it, and the checksum.
pub(super) fn framed(before: u32, payload: &[u8]) -> (Vec<u8>, u32) {
    let sum = payload_checksum(before, payload);
    let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
    let frame = [&length.to_le_bytes(), &sum.to_le_bytes(), payload].concat();
    (frame, sum)
}

/// The checksum of a record that follows one with the checksum `before`.
pub(super) fn payload_checksum(before: u32, payload: &[u8]) -> u32 {
    super::checksum::Checksum::after(before).bytes(payload).finish()
}

/// Decodes a payload.
pub(super) fn decode(payload: &[u8]) -> Option<CopyRecord> {
    let mut decoder = Decoder(payload);
    let record = match decoder.byte()? {
        1 => decoder.header()?,
        2 => CopyRecord::World { after: decoder.number()?, body: decoder.text()? },
        3 => CopyRecord::Events { first: decoder.number()?, events: decoder.events()? },
        4 => CopyRecord::Change(decoder.change()?),
        5 => CopyRecord::SnapshotEnd,
        6 => CopyRecord::Batch {
            batch: decoder.number()?,
            first: decoder.number()?,
            events: decoder.events()?,
            changes: decoder.list(Decoder::change)?,
        },
        7 => CopyRecord::Checkpoint { batch: decoder.number()?, world: decoder.text()? },
        _ => return None,
    };
    decoder.0.is_empty().then_some(record)
}

/// The largest number in the database, whose numbers have a sign.
const MOST: u64 = i64::MAX.cast_unsigned();

struct Encoder(Vec<u8>);

impl Encoder {
    fn of(kind: u8) -> Self {
        Self(vec![kind])
    }

    fn number(mut self, number: u64) -> Self {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn id(mut self, id: &[u8; 16]) -> Self {
        self.0.extend(id);
        self
    }

    fn text(self, text: &str) -> Self {
        let mut encoder = self.number(text.len() as u64);
        encoder.0.extend(text.as_bytes());
        encoder
    }

    fn kind(mut self, kind: u8) -> Self {
        self.0.push(kind);
        self
    }

    fn events(self, events: &[(u64, String)]) -> Self {
        let counted = self.number(events.len() as u64);
        events.iter().fold(counted, |encoder, (at, body)| encoder.number(*at).text(body))
    }

    fn change(self, change: &MessageChange) -> Self {
        match change {
            MessageChange::Sent { number, message, envelope, body } => {
                let encoder = self.kind(1).number(*number).id(message.as_bytes()).text(envelope);
                match body {
                    PayloadSource::Text(body) => encoder.kind(1).text(body),
                    PayloadSource::CopyOf(other) => encoder.kind(2).id(other.as_bytes()),
                }
            }
            MessageChange::Receipt { number, session, receipt } => {
                self.kind(2).number(*number).id(session.as_bytes()).text(receipt)
            }
            MessageChange::Forgotten { message } => self.kind(3).id(message.as_bytes()),
        }
    }
}

/// The bytes that are not decoded yet. Every method returns `None` if they are not what it expects.
struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    /// A number that the database can hold. A larger one is damage, and counting on from it would overflow.
    fn number(&mut self) -> Option<u64> {
        let number = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
        (number <= MOST).then_some(number)
    }

    fn id(&mut self) -> Option<[u8; 16]> {
        self.take(16)?.try_into().ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    /// A list grows with what is read, not with the count that stands before it.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let (count, mut items) = (self.number()?, Vec::new());
        for _ in 0..count {
            items.push(item(self)?);
        }
        Some(items)
    }

    fn events(&mut self) -> Option<Vec<(u64, String)>> {
        self.list(|decoder| Some((decoder.number()?, decoder.text()?)))
    }

    fn header(&mut self) -> Option<CopyRecord> {
        let (journal, format) = (self.id()?, self.number()?);
        let [batch, last_event, last_at, last_message] =
            [self.number()?, self.number()?, self.number()?, self.number()?];
        Some(CopyRecord::Header { format, tip: Tip { journal, batch, last_event, last_at, last_message } })
    }

    fn change(&mut self) -> Option<MessageChange> {
        Some(match self.byte()? {
            1 => MessageChange::Sent {
                number: self.number()?,
                message: MessageId::from_bytes(self.id()?),
                envelope: self.text()?,
                body: match self.byte()? {
                    1 => PayloadSource::Text(self.text()?),
                    2 => PayloadSource::CopyOf(MessageId::from_bytes(self.id()?)),
                    _ => return None,
                },
            },
            2 => MessageChange::Receipt {
                number: self.number()?,
                session: SessionId::from_bytes(self.id()?),
                receipt: self.text()?,
            },
            3 => MessageChange::Forgotten { message: MessageId::from_bytes(self.id()?) },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: PayloadSource) -> MessageChange {
        let message = MessageId::from_bytes([3; 16]);
        MessageChange::Sent { number: 1, message, envelope: "{}".into(), body }
    }

    #[test]
    fn every_record_is_decoded_as_it_was_encoded() {
        let tip = Tip { journal: [1; 16], batch: 2, last_event: 3, last_at: 4, last_message: 5 };
        let some = vec![(1, "é".to_owned()), (2, String::new())];
        let changes = || {
            let session = SessionId::from_bytes([4; 16]);
            vec![
                sent(PayloadSource::Text("body".into())),
                sent(PayloadSource::CopyOf(MessageId::from_bytes([5; 16]))),
                MessageChange::Receipt { number: 1, session, receipt: "{}".into() },
                MessageChange::Forgotten { message: MessageId::from_bytes([6; 16]) },
            ]
        };
        let expected = [
            (header(3, &tip), CopyRecord::Header { format: 3, tip }),
            (world(7, "{}"), CopyRecord::World { after: 7, body: "{}".into() }),
            (events(8, &some), CopyRecord::Events { first: 8, events: some.clone() }),
            (snapshot_end(), CopyRecord::SnapshotEnd),
            (
                batch(9, 10, &some, &changes()),
                CopyRecord::Batch { batch: 9, first: 10, events: some, changes: changes() },
            ),
            (checkpoint(11, "{}"), CopyRecord::Checkpoint { batch: 11, world: "{}".into() }),
        ];
        for (payload, record) in expected {
            assert_eq!(decode(&payload), Some(record));
            for cut in 0..payload.len() {
                assert_eq!(decode(&payload[..cut]), None, "{payload:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_count_that_the_bytes_do_not_hold_is_refused_without_memory_for_it() {
        assert_eq!(decode(&Encoder::of(3).number(1).number(MOST).0), None);
        assert_eq!(decode(&Encoder::of(2).number(1).number(MOST).0), None);
    }

    #[test]
    fn a_number_that_the_database_cannot_hold_is_refused() {
        let some = vec![(1, "{}".to_owned())];
        assert!(decode(&events(MOST, &some)).is_some());
        assert_eq!(decode(&events(MOST + 1, &some)), None);
        assert_eq!(decode(&batch(u64::MAX, 1, &some, &[])), None);
    }
}
