//! Reading the journal's copy: its records in order, and how the file ends.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::contents::Contents;
use super::copy_record::{self, CopyRecord, FRAME_BYTES};

/// The end of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CopyEnd {
    /// The file ends after a record.
    Complete,
    /// The last record is incomplete: the daemon was killed while it wrote it, or the file was cut.
    Torn,
    /// A record is not what was written.
    Damaged(String),
}

/// A reader of records.
pub(super) struct CopyReader<R> {
    source: R,
    /// The bytes that are left.
    left: u64,
    /// The bytes of the records that were read.
    pub(super) offset: u64,
    /// The checksum of the last record.
    pub(super) sum: u32,
}

impl CopyReader<BufReader<File>> {
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let left = file.metadata()?.len();
        Ok(Self::new(BufReader::with_capacity(1 << 16, file), left))
    }
}

impl<R: Read> CopyReader<R> {
    /// A reader of a source of this length. A record takes no more memory than the source has bytes.
    pub(super) fn new(source: R, length: u64) -> Self {
        Self { source, left: length, offset: 0, sum: 0 }
    }

    /// Reads the next record.
    pub(super) fn next(&mut self) -> Result<CopyRecord, CopyEnd> {
        if self.left == 0 {
            return Err(CopyEnd::Complete);
        }
        let frame = self.read(FRAME_BYTES as u64)?;
        let [length, sum] = [0, 4].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|byte| frame[at + byte])));
        let payload = self.read(length.into())?;
        let damaged = |what: &str| CopyEnd::Damaged(format!("{what} at byte {}", self.offset));
        if copy_record::payload_checksum(self.sum, &payload) != sum {
            return Err(damaged("an invalid checksum"));
        }
        let record = copy_record::decode(&payload).ok_or_else(|| damaged("an unknown record"))?;
        (self.sum, self.offset) = (sum, self.offset + (FRAME_BYTES + payload.len()) as u64);
        Ok(record)
    }

    fn read(&mut self, count: u64) -> Result<Vec<u8>, CopyEnd> {
        if count > self.left {
            return Err(CopyEnd::Torn);
        }
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(usize::MAX)];
        let unreadable = |why| CopyEnd::Damaged(format!("cannot read at byte {}: {why}", self.offset));
        self.source.read_exact(&mut bytes).map_err(unreadable)?;
        self.left -= count;
        Ok(bytes)
    }
}

/// Reads these payloads as records with the right lengths and checksums, and returns how many are records. For fuzz tests.
pub fn count_copy_records(payloads: &[&[u8]]) -> usize {
    let (mut file, mut sum) = (Vec::new(), 0);
    for payload in payloads {
        let (frame, next) = copy_record::framed(sum, payload);
        file.extend(frame);
        sum = next;
    }
    let scanned = scan(CopyReader::new(file.as_slice(), file.len() as u64));
    assert!(scanned.length <= file.len() as u64 && scanned.snapshot_length <= scanned.length);
    let mut reader = CopyReader::new(file.as_slice(), file.len() as u64);
    std::iter::from_fn(|| reader.next().ok()).count()
}

/// What a copy holds.
pub(super) struct ScannedCopy {
    /// The format of the file.
    pub(super) format: u64,
    /// The checksums of all records that can be read. `None` if not even the snapshot can be.
    pub(super) contents: Option<Contents>,
    pub(super) end: CopyEnd,
    /// The last record, if it came after the snapshot: the database may not have it yet.
    pub(super) last: Option<CopyRecord>,
    /// The length of the records that can be read, of the snapshot alone, and the checksum of the last record.
    pub(super) length: u64,
    pub(super) snapshot_length: u64,
    pub(super) sum: u32,
}

/// Reads a whole copy.
pub(super) fn scan<R: Read>(mut reader: CopyReader<R>) -> ScannedCopy {
    let (mut contents, mut format, mut last, mut snapshot_length) = (Contents::default(), 0, None, None);
    let end = loop {
        let record = match reader.next() {
            Ok(record) => record,
            Err(end) => break end,
        };
        let is_first = reader.offset == (FRAME_BYTES + copy_record::HEADER_BYTES) as u64;
        match record {
            CopyRecord::Header { format: found, .. } if is_first => format = found,
            CopyRecord::SnapshotEnd if snapshot_length.is_none() => snapshot_length = Some(reader.offset),
            _ => {}
        }
        if !contents.add(&record) {
            break CopyEnd::Damaged(format!("an out-of-order record at byte {}", reader.offset));
        }
        last = snapshot_length.is_some().then_some(record);
    };
    let contents = snapshot_length.map(|_| contents);
    let (length, sum) = (reader.offset, reader.sum);
    ScannedCopy {
        format,
        contents,
        end,
        last,
        length,
        snapshot_length: snapshot_length.unwrap_or_default(),
        sum,
    }
}
