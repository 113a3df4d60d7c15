//! A record of the terminal's attributes while the client has changed them. A client that is killed with SIGKILL cannot
//! restore its terminal; the next one in the same terminal finds the record and does it.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::stdio::{stdin, stdout};
use rustix::termios::{
    ControlModes, InputModes, LocalModes, OptionalActions, OutputModes, Termios, tcgetattr, tcsetattr,
    ttyname,
};
use serde_json::{Value, json};

/// The file of this terminal, once its directory is known.
static FILE: Mutex<Option<PathBuf>> = Mutex::new(None);

fn file() -> MutexGuard<'static, Option<PathBuf>> {
    FILE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps records in this directory. Returns the attributes to restore if a client was killed in this terminal.
pub(super) fn open(directory: &Path) -> Option<Termios> {
    let name = ttyname(stdout(), Vec::new()).ok()?.into_string().ok()?;
    let path = directory.join(format!("terminal{}", name.replace('/', "-")));
    *file() = Some(path.clone());
    let record: Value = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    let original = restored(&record)?;
    let _ = fs::remove_file(&path);
    Some(original)
}

/// Records the attributes that the terminal had.
pub(super) fn save(original: &Termios) {
    let Some(path) = file().clone() else { return };
    let record = json!({
        "client": identity(std::process::id()),
        "session": session(),
        "modes": modes(original),
    });
    let open = fs::OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(path);
    // Best effort: without a record nobody restores the terminal, as without this module.
    let _ = open.and_then(|mut file| std::io::Write::write_all(&mut file, record.to_string().as_bytes()));
}

/// Removes the record: the terminal is restored.
pub(super) fn remove() {
    if let Some(path) = &*file() {
        let _ = fs::remove_file(path);
    }
}

/// The attributes that a record says the terminal had, if the client that wrote it is dead and the login is the same. A
/// shell may have restored its own attributes since; those stay.
fn restored(record: &Value) -> Option<Termios> {
    let client = record["client"]["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())?;
    if record["session"] != session() || record["client"] == identity(client) {
        return None;
    }
    let current = tcgetattr(stdin()).ok()?;
    let original = with_modes(&current, &record["modes"])?;
    let mut raw = original.clone();
    raw.make_raw();
    Some(if modes(&raw) == modes(&current) { original } else { current })
}

/// Restores the attributes of a terminal in which a client was killed.
pub(super) fn restore(original: &Termios) {
    let _ = tcsetattr(stdin(), OptionalActions::Now, original);
}

/// The session of this process, which a new login does not share: its leader, with the number 0 if that is outside this
/// PID namespace.
fn session() -> Value {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    field(&stat, 6).and_then(|leader| leader.parse().ok()).map_or(Value::Null, identity)
}

/// A process, told from others that had its number by when it started.
fn identity(pid: u32) -> Value {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    json!({ "pid": pid, "started": field(&stat, 22) })
}

/// A field of `/proc/PID/stat` by its number. The name, field 2, may contain anything.
fn field(stat: &str, number: usize) -> Option<&str> {
    stat.rsplit_once(')').and_then(|(_, fields)| fields.split_ascii_whitespace().nth(number - 3))
}

/// What raw mode changes.
fn modes(termios: &Termios) -> Value {
    json!([
        termios.input_modes.bits(),
        termios.output_modes.bits(),
        termios.control_modes.bits(),
        termios.local_modes.bits()
    ])
}

fn with_modes(current: &Termios, modes: &Value) -> Option<Termios> {
    let bits = |at: usize| modes[at].as_u64().and_then(|bits| u32::try_from(bits).ok());
    let mut termios = current.clone();
    termios.input_modes = InputModes::from_bits_retain(bits(0)?);
    termios.output_modes = OutputModes::from_bits_retain(bits(1)?);
    termios.control_modes = ControlModes::from_bits_retain(bits(2)?);
    termios.local_modes = LocalModes::from_bits_retain(bits(3)?);
    Some(termios)
}
