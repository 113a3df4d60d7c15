//! Tests with damaged files: flipped bytes, and cut, deleted, older and exchanged files.

use std::fs;
use std::path::{Path, PathBuf};

use fugue_core::{PayloadSource, World};
use fugue_protocol::{MessageId, SessionId, SessionName};

use super::database_thread::{JournalFile, KEPT_EVENT_BYTES};
use super::messages::MessageChange;
use super::recovery::RecoveredState;

/// A journal whose files lie in a directory while no daemon has them open.
struct ClosedJournal {
    directory: tempfile::TempDir,
}

fn event(number: u64) -> (u64, String) {
    let session = SessionId::from_bytes([1; 16]);
    (1_000 + number, serde_json::json!({"event": "session_closed", "session": session}).to_string())
}

fn message(number: u64) -> Vec<MessageChange> {
    let id = MessageId::from_bytes([u8::try_from(number).expect("few"); 16]);
    let envelope = serde_json::json!({
        "message": id, "target": {"broadcast": true}, "recipients": [], "msg_type": "status_report", "sent_at": 1, "expires_at": u64::MAX >> 2, "bytes": 5,
    });
    let body = PayloadSource::Text(format!("\"body {number}\""));
    vec![MessageChange::Sent { number, message: id, envelope: envelope.to_string(), body }]
}

impl ClosedJournal {
    /// A journal with a checkpoint and thirty appends, of which some have messages.
    fn new() -> Self {
        let journal = Self { directory: tempfile::tempdir().expect("a directory") };
        let (mut file, _) = journal.open();
        journal.append(&mut file, 1..=15);
        let world = serde_json::to_string(&World::default()).expect("json");
        file.checkpoint(&world).expect("stored");
        journal.append(&mut file, 16..=30);
        journal
    }

    fn append(&self, file: &mut JournalFile, numbers: std::ops::RangeInclusive<u64>) {
        for number in numbers {
            let messages = if number % 3 == 0 { message(number / 3) } else { Vec::new() };
            file.append(&[event(number)], &messages).expect("stored");
        }
    }

    fn open(&self) -> (JournalFile, RecoveredState) {
        JournalFile::open(self.directory.path()).expect("a journal")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Opens the journal, and asserts that all events and messages are there. Returns the warnings.
    fn nothing_lost(&self, what: &str) -> Vec<String> {
        let (file, recovered) = self.open();
        assert_eq!(file.tip.last_event, 30, "{what}: {:?}", recovered.warnings);
        assert_eq!(recovered.last_event, 30, "{what}");
        assert_eq!(file.tip.last_message, 10, "{what}");
        assert_eq!(file.messages_with_bodies(), (1..=10).collect::<Vec<_>>(), "{what}");
        assert!(!recovered.lost, "{what}: {:?}", recovered.warnings);
        drop(file);
        let (_, again) = self.open();
        assert_eq!(again.warnings, Vec::<String>::new(), "{what}: it was repaired");
        recovered.warnings
    }
}

impl JournalFile {
    /// The numbers of the messages whose bodies are as they were sent.
    fn messages_with_bodies(&self) -> Vec<u64> {
        let ids = (1..=10).map(|number| MessageId::from_bytes([number; 16])).collect::<Vec<_>>();
        let bodies = super::messages::bodies(&self.database, &ids).expect("readable");
        let numbers =
            bodies.values().filter_map(|body| body.strip_prefix("\"body ")?.strip_suffix('"')?.parse().ok());
        let mut numbers: Vec<u64> = numbers.collect();
        numbers.sort_unstable();
        numbers
    }
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).expect("a file");
    bytes[at] ^= 0x10;
    fs::write(path, bytes).expect("written");
}

#[test]
fn a_kill_leaves_nothing_to_warn_of() {
    let journal = ClosedJournal::new();
    assert_eq!(journal.nothing_lost("unharmed"), Vec::<String>::new());
}

#[test]
fn a_flipped_byte_in_the_write_ahead_log_loses_nothing() {
    let length = fs::metadata(ClosedJournal::new().path("journal.db-wal")).expect("a log").len();
    let mut noticed = 0;
    for at in (40..usize::try_from(length).expect("small")).step_by(10_007) {
        let journal = ClosedJournal::new();
        flip(&journal.path("journal.db-wal"), at);
        noticed += journal.nothing_lost(&format!("byte {at}")).len();
    }
    assert!(noticed > 5, "only {noticed} were noticed");
}

#[test]
fn a_flipped_byte_in_the_copy_is_noticed_wherever_it_is() {
    let length = fs::metadata(ClosedJournal::new().path("journal.copy")).expect("a copy").len();
    for at in (0..usize::try_from(length).expect("small")).step_by(1_009) {
        let journal = ClosedJournal::new();
        flip(&journal.path("journal.copy"), at);
        let warnings = journal.nothing_lost(&format!("byte {at}"));
        assert!(
            warnings[0].contains("journal.copy: ") && warnings[0].contains("nothing was lost"),
            "{warnings:?}"
        );
        assert!(warnings[0].contains("moved aside: journal.copy.damaged-"), "{warnings:?}");
    }
}

#[test]
fn a_file_that_is_cut_emptied_or_deleted_is_rebuilt() {
    for name in ["journal.db", "journal.db-wal", "journal.copy", "journal.witness"] {
        for keeps in [None, Some(0), Some(50), Some(99)] {
            let journal = ClosedJournal::new();
            let (path, what) = (journal.path(name), format!("{name} keeps {keeps:?} %"));
            let length = fs::metadata(&path).expect("a file").len();
            match keeps {
                None => fs::remove_file(&path).expect("removed"),
                Some(percent) => {
                    let file = fs::OpenOptions::new().write(true).open(&path).expect("a file");
                    file.set_len(length * percent / 100).expect("cut");
                }
            }
            journal.nothing_lost(&what);
        }
    }
}

#[test]
fn an_older_file_that_was_put_back_is_recognized() {
    for names in [&["journal.db", "journal.db-wal"][..], &["journal.db-wal"], &["journal.copy"]] {
        let journal = ClosedJournal { directory: tempfile::tempdir().expect("a directory") };
        let (mut file, _) = journal.open();
        journal.append(&mut file, 1..=20);
        let older: Vec<_> =
            names.iter().map(|name| (name, fs::read(journal.path(name)).expect("a file"))).collect();
        journal.append(&mut file, 21..=30);
        drop(file);
        older.iter().for_each(|(name, bytes)| fs::write(journal.path(name), bytes).expect("written"));
        let warnings = journal.nothing_lost(&format!("{names:?}"));
        assert!(warnings[0].contains("nothing was lost"), "{warnings:?}");
    }
}

#[test]
fn a_file_of_another_journal_is_recognized() {
    for names in [&["journal.db", "journal.db-wal"][..], &["journal.copy"], &["journal.witness"]] {
        let (journal, other) = (ClosedJournal::new(), ClosedJournal::new());
        let (mut file, _) = other.open();
        file.append(&[event(31)], &[]).expect("stored");
        drop(file);
        for name in names {
            fs::copy(other.path(name), journal.path(name)).expect("copied");
        }
        journal.nothing_lost(&format!("{names:?}"));
    }
}

#[test]
fn files_whose_names_were_exchanged_are_exchanged_back() {
    let journal = ClosedJournal::new();
    let (database, copy) = (journal.path("journal.db"), journal.path("journal.copy"));
    fs::rename(&database, journal.path("parked")).expect("renamed");
    fs::rename(&copy, &database).expect("renamed");
    fs::rename(journal.path("parked"), &copy).expect("renamed");
    assert_eq!(journal.nothing_lost("exchanged").len(), 1);
}

#[test]
fn a_loss_from_both_files_is_told_though_what_is_left_is_sound() {
    let journal = ClosedJournal { directory: tempfile::tempdir().expect("a directory") };
    let (mut file, _) = journal.open();
    journal.append(&mut file, 1..=20);
    let names = ["journal.db", "journal.db-wal", "journal.copy"];
    let older = names.map(|name| (name, fs::read(journal.path(name)).expect("a file")));
    journal.append(&mut file, 21..=30);
    drop(file);
    older.iter().for_each(|(name, bytes)| fs::write(journal.path(name), bytes).expect("written"));
    let (file, recovered) = journal.open();
    assert_eq!((file.tip.last_event, recovered.lost), (20, true));
    assert!(recovered.warnings[0].contains("may be lost"), "{:?}", recovered.warnings);
}

#[test]
fn when_both_files_are_damaged_what_can_be_read_is_kept_and_the_loss_is_told() {
    let journal = ClosedJournal::new();
    let copy = journal.path("journal.copy");
    let length = usize::try_from(fs::metadata(&copy).expect("a copy").len()).expect("small");
    flip(&copy, length - 20);
    fs::write(journal.path("journal.db-wal"), vec![b'x'; 20_000]).expect("written");
    let (file, recovered) = journal.open();
    assert_eq!((file.tip.last_event, recovered.lost), (29, true));
    assert!(recovered.warnings[0].contains("may be lost"), "{:?}", recovered.warnings);
    drop(file);
    for name in ["journal.db", "journal.db-wal", "journal.copy"] {
        fs::write(journal.path(name), vec![b'x'; 20_000]).expect("written");
    }
    let (file, recovered) = journal.open();
    assert_eq!((file.tip.last_event, recovered.lost), (0, true));
    assert!(recovered.warnings[0].contains("messages were lost"), "{:?}", recovered.warnings);
}

#[test]
fn a_journal_of_the_former_format_is_taken_over() {
    let directory = tempfile::tempdir().expect("a directory");
    let database = rusqlite::Connection::open(directory.path().join("journal.db")).expect("a database");
    let (at, body) = event(1);
    database
        .execute_batch(
            "CREATE TABLE event(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, body TEXT NOT NULL);
             CREATE TABLE world(id INTEGER PRIMARY KEY CHECK (id = 1), after INTEGER NOT NULL, body TEXT NOT NULL);
             CREATE TABLE message(number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, envelope TEXT NOT NULL, body TEXT NOT NULL);
             CREATE TABLE delivery(number INTEGER NOT NULL, session BLOB NOT NULL, receipt TEXT NOT NULL, PRIMARY KEY(number, session)) WITHOUT ROWID;
             PRAGMA user_version = 2;",
        )
        .expect("tables");
    database
        .execute("INSERT INTO event(at, body) VALUES (?1, ?2)", rusqlite::params![at.cast_signed(), body])
        .expect("a row");
    let MessageChange::Sent { message, envelope, .. } = &message(1)[0] else { panic!("a message") };
    let row = rusqlite::params![message.as_bytes(), envelope, "\"body 1\""];
    database.execute("INSERT INTO message(id, envelope, body) VALUES (?1, ?2, ?3)", row).expect("a row");
    drop(database);
    for _ in 0..2 {
        let (file, recovered) = JournalFile::open(directory.path()).expect("a journal");
        assert_eq!((file.tip.last_event, file.tip.last_message), (1, 1));
        assert_eq!((file.messages_with_bodies(), recovered.warnings), (vec![1], Vec::new()));
    }
}

#[test]
fn a_flood_of_large_events_is_bounded_in_both_files() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut file, _) = JournalFile::open(directory.path()).expect("a journal");
    let name: SessionName = "work".parse().expect("a name");
    let large = serde_json::json!({
        "event": "session_renamed", "session": SessionId::from_bytes([1; 16]), "name": name, "padding": "x".repeat(1 << 20),
    });
    let world = serde_json::to_string(&World::default()).expect("json");
    for number in 0..200_u64 {
        file.append(&[(number, large.to_string())], &[]).expect("stored");
        if number % 4 == 3 {
            file.checkpoint(&world).expect("stored");
            file.database.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).expect("moved");
        }
    }
    let kept = file.since(0, usize::MAX).expect("readable");
    let bytes: u64 = kept.events.iter().map(|(_, _, body)| body.len() as u64).sum();
    assert_eq!(kept.events.last().map(|(number, ..)| *number), Some(200));
    assert!(bytes <= KEPT_EVENT_BYTES && bytes > KEPT_EVENT_BYTES - (6 << 20), "{bytes}");
    let sizes = ["journal.db", "journal.copy"]
        .map(|name| fs::metadata(directory.path().join(name)).expect("a file").len() >> 20);
    assert!(sizes[0] < 96 && sizes[1] < 32, "{sizes:?} MiB");
    drop(file);
    assert_eq!(JournalFile::open(directory.path()).expect("a journal").1.warnings, Vec::<String>::new());
}

#[test]
fn a_journal_without_events_begins_with_the_next_one() {
    let (file, recovered) = ClosedJournal::new().open();
    assert_eq!(file.since(0, 1).expect("readable").oldest, 1);
    // As after a rebuild from a copy that begins with the world.
    file.database.execute("DELETE FROM event", []).expect("deleted");
    assert_eq!(file.since(0, 1).expect("readable").oldest, recovered.last_event + 1);
}

#[test]
fn what_a_newer_version_wrote_is_kept_and_told_once() {
    let journal = ClosedJournal::new();
    let (mut file, _) = journal.open();
    let newer = serde_json::json!({ "event": "session_painted", "color": "red" });
    let mut unknown = message(11);
    let MessageChange::Sent { envelope, .. } = &mut unknown[0] else { panic!("a message") };
    *envelope = serde_json::json!({ "kind": "not known yet" }).to_string();
    file.append(&[(2_000, newer.to_string()), event(32)], &unknown).expect("stored");
    drop(file);
    let (mut file, recovered) = journal.open();
    assert_eq!((file.tip.last_event, recovered.lost), (32, false));
    assert_eq!(file.messages_with_bodies().len(), 10);
    let [warning] = recovered.warnings.as_slice() else { panic!("{:?}", recovered.warnings) };
    assert!(warning.contains("session_painted") && warning.contains("1 message"), "{warning}");
    assert!(file.since(30, 1).expect("readable").events[0].2.contains("red"), "the row is there");
    let mut world = recovered.world;
    world.evolve(&fugue_protocol::Event::WarningRaised { warning: warning.clone() });
    file.checkpoint(&serde_json::to_string(&world).expect("json")).expect("stored");
    drop(file);
    let (_, recovered) = journal.open();
    assert_eq!(recovered.warnings, Vec::<String>::new());
    assert_eq!(recovered.world.newer.names(), ["session_painted"]);
}

#[test]
fn a_checkpoint_that_only_a_newer_version_can_read_is_left_as_it_is() {
    let journal = ClosedJournal::new();
    let (mut file, _) = journal.open();
    file.checkpoint(r#"{"sessions":"in another form"}"#).expect("stored");
    drop(file);
    let before = fs::read(journal.path("journal.copy")).expect("a copy");
    for _ in 0..2 {
        let Err(why) = JournalFile::open(journal.directory.path()) else { panic!("it was opened") };
        assert!(why.contains("a newer version wrote it") && why.contains("nothing was changed"), "{why}");
    }
    assert_eq!(fs::read(journal.path("journal.copy")).expect("a copy"), before);
}

#[test]
fn a_journal_with_an_event_that_the_first_version_did_not_know_has_a_format_that_it_refuses() {
    let journal = ClosedJournal::new();
    let formats = |file: &JournalFile| {
        let copy = super::copy_reader::CopyReader::open(&journal.path("journal.copy")).expect("a copy");
        let copy = super::copy_reader::scan(copy).format;
        (super::database::format(&file.database).expect("a number"), copy)
    };
    let (mut file, _) = journal.open();
    assert_eq!(formats(&file), (3, 3));
    file.append(&[(2_000, r#"{"event":"session_painted"}"#.into())], &[]).expect("stored");
    assert_eq!(formats(&file), (4, 4));
    drop(file);
    fs::remove_file(journal.path("journal.db")).expect("removed");
    let (file, recovered) = journal.open();
    assert_eq!((formats(&file), recovered.lost), ((4, 4), false), "a rebuilt database has it as well");
    drop(file);
    fs::remove_file(journal.path("journal.copy")).expect("removed");
    let (file, _) = journal.open();
    assert_eq!(formats(&file), (4, 4), "and so has a rebuilt copy");
}
