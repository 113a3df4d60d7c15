//! The calls to a systemd user manager, against one that is played: it answers with the messages that a manager sends.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fugue_resources::{Control, GroupLimits, GroupProvider, Placement};

/// What the manager does with a call to start a unit.
#[derive(Clone, Copy)]
enum Answer {
    /// The job ends with this result.
    Job(&'static str),
    /// Nothing ever.
    Silence,
    /// The first call fails because of the property with this name, and the second one is carried out.
    Without(&'static str),
    /// Anything fails.
    Error,
}

const UNIT: &str = "fugue-work-7.scope";

fn pad(bytes: &mut Vec<u8>, to: usize) {
    bytes.resize(bytes.len().next_multiple_of(to), 0);
}

fn string(bytes: &mut Vec<u8>, text: &str) {
    pad(bytes, 4);
    bytes.extend(u32::try_from(text.len()).expect("short").to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.push(0);
}

/// A message: its kind, its fields with one-letter signatures, and its body.
fn message(kind: u8, fields: &[(u8, u8, &str)], reply_to: Option<u32>, body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for (code, signature, text) in fields {
        pad(&mut all, 8);
        all.extend([*code, 1, *signature, 0]);
        if *signature == b'g' {
            all.push(u8::try_from(text.len()).expect("short"));
            all.extend(text.as_bytes());
            all.push(0);
        } else {
            string(&mut all, text);
        }
    }
    if let Some(serial) = reply_to {
        pad(&mut all, 8);
        all.extend([5, 1, b'u', 0]);
        all.extend(serial.to_le_bytes());
    }
    let mut bytes = vec![b'l', kind, 1, 1];
    bytes.extend(u32::try_from(body.len()).expect("short").to_le_bytes());
    bytes.extend(9_u32.to_le_bytes());
    bytes.extend(u32::try_from(all.len()).expect("short").to_le_bytes());
    bytes.extend(all);
    pad(&mut bytes, 8);
    bytes.extend(body);
    bytes
}

fn job_removed(unit: &str, result: &str) -> Vec<u8> {
    let mut body = 12_u32.to_le_bytes().to_vec();
    for text in ["/org/freedesktop/systemd1/job/12", unit, result] {
        string(&mut body, text);
    }
    let fields = [
        (1, b'o', "/org/freedesktop/systemd1"),
        (2, b's', "org.freedesktop.systemd1.Manager"),
        (3, b's', "JobRemoved"),
        (8, b'g', "uoss"),
    ];
    message(4, &fields, None, &body)
}

fn reply(serial: u32) -> Vec<u8> {
    let mut body = Vec::new();
    string(&mut body, "/org/freedesktop/systemd1/job/12");
    message(2, &[(8, b'g', "o")], Some(serial), &body)
}

fn error(serial: u32, text: &str) -> Vec<u8> {
    let mut body = Vec::new();
    string(&mut body, text);
    let fields = [(4, b's', "org.freedesktop.DBus.Error.InvalidArgs"), (8, b'g', "s")];
    message(3, &fields, Some(serial), &body)
}

/// Reads one call: its serial and its bytes.
fn read_call(stream: &mut UnixStream) -> Option<(u32, Vec<u8>)> {
    let mut header = [0; 16];
    stream.read_exact(&mut header).ok()?;
    let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let rest = number(12).next_multiple_of(8) + number(4);
    let mut bytes = vec![0; rest as usize];
    stream.read_exact(&mut bytes).ok()?;
    Some((number(8), bytes))
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

/// Plays a bus with a manager; returns the calls to it.
fn play(directory: &Path, answer: Answer) -> JoinHandle<Vec<Vec<u8>>> {
    std::fs::create_dir(directory.join("systemd")).expect("a directory");
    let listener = UnixListener::bind(directory.join("bus")).expect("a socket");
    std::thread::spawn(move || {
        let mut calls = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut begun = Vec::new();
            while !begun.ends_with(b"BEGIN\r\n") {
                let mut byte = [0];
                if stream.read_exact(&mut byte).is_err() {
                    return calls;
                }
                begun.push(byte[0]);
            }
            let user = rustix::process::geteuid().as_raw().to_string();
            let hex: String = user.bytes().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(String::from_utf8_lossy(&begun), format!("\0AUTH EXTERNAL {hex}\r\nBEGIN\r\n"));
            stream.write_all(b"OK 0123456789abcdef\r\n").expect("sent");
            serve(&mut stream, answer, &mut calls);
            if !matches!(answer, Answer::Without(_)) || calls.len() > 1 {
                return calls;
            }
        }
        calls
    })
}

fn serve(stream: &mut UnixStream, answer: Answer, calls: &mut Vec<Vec<u8>>) {
    while let Some((serial, call)) = read_call(stream) {
        if !contains(&call, "org.freedesktop.systemd1\0") || contains(&call, "AddMatch") {
            stream.write_all(&reply(serial)).expect("sent");
            continue;
        }
        let answers = match answer {
            // The job of another unit first, as a bus broadcasts them.
            Answer::Job(result) => {
                [job_removed("other.scope", "failed"), reply(serial), job_removed(UNIT, result)].concat()
            }
            Answer::Silence => Vec::new(),
            Answer::Without(name) if contains(&call, name) => {
                error(serial, &format!("Cannot set property {name}, or unknown property."))
            }
            Answer::Without(_) => [reply(serial), job_removed(UNIT, "done")].concat(),
            Answer::Error => error(serial, "Refusing activation"),
        };
        calls.push(call);
        // The caller hangs up as soon as it knows the outcome.
        let _ = stream.write_all(&answers);
    }
}

fn enter(answer: Answer) -> (std::io::Result<()>, Vec<Vec<u8>>, Duration) {
    let directory = tempfile::tempdir().expect("a directory");
    let manager = play(directory.path(), answer);
    let provider = GroupProvider::find(Some(directory.path()), &[]).expect("a manager");
    let limits = GroupLimits::from([(Control::MemoryMax, 4 << 30), (Control::CpuWeight, 50)]);
    let placement = provider.placement("work", "claude", "7", limits);
    assert!(matches!(&placement, Placement::Scope { unit, .. } if unit == UNIT), "{placement:?}");
    let begun = Instant::now();
    let outcome = placement.enter(begun + Duration::from_millis(300));
    (outcome, manager.join().expect("no panic"), begun.elapsed())
}

#[test]
fn a_program_gets_a_scope_with_its_limits() {
    let (outcome, calls, _) = enter(Answer::Job("done"));
    outcome.expect("placed");
    let [call] = calls.as_slice() else { panic!("one call: {calls:?}") };
    let words = ["StartTransientUnit", UNIT, "fail", "app-fugue.slice", "fugue: claude in session work"];
    let words = words.into_iter().chain(["MemoryMax", "CPUWeight", "PIDs", "OOMPolicy"]);
    words.for_each(|word| assert!(contains(call, word), "{word}"));
    assert!(call.windows(4).any(|part| part == std::process::id().to_le_bytes()), "this process");
    assert!(call.windows(8).any(|part| part == (4_u64 << 30).to_le_bytes()), "4 GiB");
    assert!(!contains(call, "TasksMax"), "what is not limited is not mentioned");
}

#[test]
fn an_older_manager_is_asked_again_without_what_it_does_not_know() {
    let (outcome, calls, _) = enter(Answer::Without("OOMPolicy"));
    outcome.expect("placed");
    assert_eq!(calls.len(), 2);
    assert!(!contains(&calls[1], "OOMPolicy") && contains(&calls[1], "MemoryMax"));
}

#[test]
fn a_manager_that_refuses_or_fails_is_told_as_it_said_it() {
    let (outcome, _, _) = enter(Answer::Error);
    assert_eq!(outcome.expect_err("refused").to_string(), "systemd: Refusing activation");
    let (outcome, _, _) = enter(Answer::Job("failed"));
    assert_eq!(outcome.expect_err("failed").to_string(), format!("systemd did not start {UNIT}: failed"));
}

#[test]
fn a_manager_that_does_not_answer_is_waited_for_until_the_deadline_only() {
    let (outcome, _, took) = enter(Answer::Silence);
    assert_eq!(outcome.expect_err("late").kind(), std::io::ErrorKind::TimedOut);
    assert!(took >= Duration::from_millis(290), "{took:?}");
}
