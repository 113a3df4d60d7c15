//! The journal's files are damaged at random while no daemon runs: names, tags, metadata and unread messages are there
//! again, and the user is told of it.
//!
//! `FUGUE_DAMAGE_CASES=500` runs the long form and `FUGUE_DAMAGE_SEED` chooses other places; both print a table.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use fugue_client::Connection;
use fugue_protocol::verbs::{GetEnvironment, GetMetadata, ListSessions, PollMessages, VerbSpec};
use fugue_testkit::{TestServer, signal, until};
use serde_json::{Value, json};

fn test_server() -> TestServer {
    TestServer::new(env!("CARGO_BIN_EXE_fugue"))
}

/// The files of a state directory, by name.
type Files = BTreeMap<String, Vec<u8>>;

/// The files that hold the journal. The index of the write-ahead log (`-shm`) is always rebuilt.
const FILES: [&str; 4] = ["journal.db", "journal.db-wal", "journal.copy", "journal.witness"];

/// A state directory that a killed daemon left, with an older version of its files and what it holds.
struct StateDirectory {
    older: Files,
    newest: Files,
    held: Value,
}

/// Reads the journal's files.
fn files(directory: &Path) -> Files {
    let read = |name: &str| Some((name.to_owned(), fs::read(directory.join(name)).ok()?));
    FILES.into_iter().filter_map(read).collect()
}

/// Kills daemon and keeper, and waits until both are gone.
fn kill(server: &TestServer) {
    let processes = [server.keeper_pid(), server.daemon_pid()];
    processes.into_iter().for_each(|process| signal("KILL", process));
    let is_gone = |process: &u32| !Path::new(&format!("/proc/{process}")).exists();
    until("both are gone", || processes.iter().all(is_gone));
}

impl StateDirectory {
    /// A directory with two sessions. With large messages, part of it is in the database itself, not only in its
    /// write-ahead log, which is moved there at 4 MiB.
    fn new(large_messages: usize) -> Self {
        let server = test_server();
        server.session("alpha", &["cat"]);
        server.session("beta", &["cat"]);
        server.ok(&["set-tags", "-s", "alpha", "--add", "reviewer", "main"]);
        server.ok(&["set-environment", "-s", "beta", "MODE", "careful"]);
        for number in 0..large_messages {
            let payload = json!({ "number": number, "text": "x".repeat(60_000) });
            server.ok(&["send-orchestration", "-s", "beta", "large", &payload.to_string()]);
        }
        if large_messages > 0 {
            let database = server.state_dir().join("journal.db");
            until("the log was moved", || fs::metadata(&database).is_ok_and(|file| file.len() > 100_000));
        }
        let older = files(&server.state_dir());
        for number in 0..12 {
            let (number, key) = (number.to_string(), format!("key-{number}"));
            server.ok(&["set-metadata", "-s", "alpha", &key, &number]);
            server.ok(&["send-orchestration", "-s", "beta", "note", &json!({ "note": number }).to_string()]);
        }
        server.ok(&["rename-session", "-s", "alpha", "chief"]);
        let held = held(&server);
        kill(&server);
        Self { older, newest: files(&server.state_dir()), held }
    }
}

/// Returns names, tags, metadata, environments and unread messages.
fn held(server: &TestServer) -> Value {
    fn ask<V: VerbSpec>(connection: &mut Connection, arguments: Value) -> Value {
        let verb: V = serde_json::from_value(arguments).expect("arguments");
        serde_json::to_value(connection.call(&verb).expect("a reply")).expect("JSON")
    }
    // A warning on standard error is expected.
    assert_eq!(server.run(&["ls"]).code, 0);
    let mut connection = server.connect();
    let sessions = ask::<ListSessions>(&mut connection, json!({}))["sessions"].as_array().cloned();
    let held = sessions.into_iter().flatten().map(|session| {
        let of = json!({ "session": session["name"] });
        let metadata = ask::<GetMetadata>(&mut connection, of.clone())["entries"].clone();
        let environment = ask::<GetEnvironment>(&mut connection, of)["entries"].clone();
        let all = json!({ "session": session["name"], "limit": 200, "max_bytes": 10_000_000 });
        let inbox = ask::<PollMessages>(&mut connection, all)["messages"].as_array().cloned();
        let message = |message: &Value| json!([message["message_id"], message["payload"]]);
        let inbox: Vec<_> = inbox.iter().flatten().map(message).collect();
        json!({
            "name": session["name"], "tags": session["tags"], "metadata": metadata, "environment": environment, "inbox": inbox,
        })
    });
    held.collect()
}

/// A small random number generator, so that a seed gives the same cases everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).expect("small")
    }
}

/// The kinds of damage. Only the last touches two files.
const KINDS: [&str; 8] = [
    "a flipped byte",
    "64 zero bytes",
    "a cut end",
    "an emptied file",
    "a deleted file",
    "an older file",
    "a file of another journal",
    "two files exchanged",
];

/// Damages files. Returns what was done.
fn damage(kind: &str, files: &mut Files, (older, other): (&Files, &Files), random: &mut Random) -> String {
    let names: Vec<String> = files.keys().cloned().collect();
    let name = names[random.below(names.len())].clone();
    let length = files[&name].len();
    let at = random.below(length);
    let bytes = files.get_mut(&name).expect("a file");
    match kind {
        "a flipped byte" => bytes[at] ^= 1 << random.below(8),
        "64 zero bytes" => bytes.iter_mut().skip(at).take(64).for_each(|byte| *byte = 0),
        "a cut end" => bytes.truncate(at),
        "an emptied file" => bytes.clear(),
        "a deleted file" => drop(files.remove(&name)),
        "an older file" => drop(older.get(&name).map(|older| older.clone_into(bytes))),
        "a file of another journal" => drop(other.get(&name).map(|other| other.clone_into(bytes))),
        _ => {
            let second = names[random.below(names.len())].clone();
            let (one, two) = (files[&name].clone(), files[&second].clone());
            files.insert(second.clone(), one);
            files.insert(name.clone(), two);
            return format!("{kind}: {name} and {second}");
        }
    }
    format!("{kind}: {name}, byte {at} of {length}")
}

/// What became of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Everything is there, and the user is warned.
    NoticedNothingLost,
    /// Something is missing, and the user is told so.
    NoticedLoss,
    /// Everything is there; the bytes were unused, or as a kill could have left them.
    Harmless,
    /// Something is missing, and nobody is told.
    Silent,
}

/// Starts a daemon on damaged files, and compares.
fn outcome(files: &Files, expected: &Value) -> (Outcome, Value) {
    let server = test_server();
    fs::create_dir_all(server.state_dir()).expect("a directory");
    for (name, bytes) in files {
        fs::write(server.state_dir().join(name), bytes).expect("written");
    }
    let held = held(&server);
    let status = server.json(&["server-status"]);
    let warnings = status["warnings"].clone();
    // Killed rather than shut down: there are many of them.
    let processes = ["keeper_pid", "pid"].map(|name| status[name].as_u64().expect("a process") as u32);
    processes.into_iter().for_each(|process| signal("KILL", process));
    let _ = fs::remove_file(server.socket());
    let says = |text: &str| {
        warnings.as_array().into_iter().flatten().any(|warning| warning.to_string().contains(text))
    };
    let outcome = match (held == *expected, says("nothing was lost"), says("lost")) {
        (true, true, _) => Outcome::NoticedNothingLost,
        (true, false, false) => Outcome::Harmless,
        (_, false, true) => Outcome::NoticedLoss,
        (false, _, _) => Outcome::Silent,
    };
    (outcome, warnings)
}

#[test]
fn random_damage_to_the_journal_is_never_silent_and_one_damaged_file_loses_nothing() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let mut random = Random(number("FUGUE_DAMAGE_SEED", 0x9e37_79b9_7f4a_7c15).max(1));
    let states = [StateDirectory::new(0), StateDirectory::new(80)];
    let mut table: BTreeMap<(usize, &str), [usize; 4]> = BTreeMap::new();
    for case in 0..usize::try_from(number("FUGUE_DAMAGE_CASES", 16)).expect("few") {
        let (state, other) = (&states[case / KINDS.len() % 2], &states[1 - case / KINDS.len() % 2]);
        let kind = case % KINDS.len();
        let mut files = state.newest.clone();
        let done = damage(KINDS[kind], &mut files, (&state.older, &other.newest), &mut random);
        let (outcome, warnings) = outcome(&files, &state.held);
        println!("{case} {done}: {outcome:?} {warnings}");
        table.entry((kind, KINDS[kind])).or_default()[outcome as usize] += 1;
        assert_ne!(outcome, Outcome::Silent, "{done}: {warnings}");
        assert!(outcome != Outcome::NoticedLoss || kind == KINDS.len() - 1, "{done}: {warnings}");
    }
    println!(
        "{:28} {:>16} {:>12} {:>9} {:>7}",
        "", "noticed, all kept", "noticed loss", "harmless", "silent"
    );
    for ((_, kind), [kept, lost, harmless, silent]) in table {
        println!("{kind:28} {kept:>16} {lost:>12} {harmless:>9} {silent:>7}");
    }
}

#[test]
fn a_warning_about_damage_is_shown_everywhere_until_it_is_dismissed() {
    let server = test_server();
    server.session("work", &["cat"]);
    server.ok(&["set-tags", "-s", "work", "--add", "kept"]);
    let daemon = server.daemon_pid();
    signal("STOP", daemon);
    let wal = server.state_dir().join("journal.db-wal");
    let mut bytes = fs::read(&wal).expect("a log");
    bytes[5_000] ^= 1;
    fs::write(&wal, bytes).expect("written");
    signal("KILL", daemon);
    let listed = server.run(&["ls"]);
    assert_eq!((listed.code, listed.out.as_str()), (0, "work: 1 window, 1 pane [kept]\n"));
    let warned = listed.err;
    assert!(warned.starts_with("fugue: warning: The journal was damaged ("), "{warned}");
    assert!(warned.contains("nothing was lost; moved aside: journal.db.damaged-2"), "{warned}");
    // It survives the daemon that found the damage.
    signal("KILL", server.daemon_pid());
    assert!(server.ok(&["server-status"]).contains("nothing was lost"));
    let mut terminal = server.terminal(&["attach", "work"], 100, 20);
    terminal.shows("1 warning ");
    server.ok(&["dismiss-warnings"]);
    terminal.until("the warning is gone", |terminal| !terminal.picture().contains("1 warning "));
    assert_eq!(server.ok(&["ls"]).lines().count(), 1);
    assert_eq!(server.json(&["server-status"])["warnings"], Value::Null);
}
