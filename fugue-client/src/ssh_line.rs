//! The line to another host: an ssh process that runs `fugue proxy` there, which relays bytes to and from the daemon.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::call_error::{CallError, ON_HOST};
use crate::idempotency_key::random_key;
use crate::paths::StartPolicy;
use crate::remote_host::{HostName, RemoteHost};

/// The variable with the command to run instead of `ssh`; words are separated by spaces.
const SSH_VARIABLE: &str = "FUGUE_SSH";

/// The flags of every line. A line that carries nothing for fifteen seconds has dropped; the user's port forwardings
/// belong to other lines and could be in use.
const OPTIONS: [&str; 9] = [
    "-T",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ServerAliveInterval=5",
    "-o",
    "ServerAliveCountMax=3",
    "-o",
    "ClearAllForwardings=yes",
];

/// The exit code of ssh for a failure of its own.
const SSH_FAILED: i32 = 255;

/// The exit code of a shell that does not find a command.
const NOT_FOUND: i32 = 127;

/// The exit code of `fugue proxy` if no daemon is running and none was to be started.
pub const NO_DAEMON: u8 = 3;

/// How long an ssh process that closed its end may take to exit.
pub(crate) const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The same for a client that has something else to do: whatever ssh says, it has said by then.
const SHORT_EXIT_TIMEOUT: Duration = Duration::from_millis(200);

/// The most that is kept of what ssh says: far more than a login prints.
const MAX_MESSAGE: u64 = 64 << 10;

/// Whether ssh may ask the person for a password or about a new host key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Questions {
    Allowed,
    /// Nobody could answer, or the terminal shows something else.
    Never,
}

/// A request for a line to a daemon.
#[derive(Debug)]
pub(crate) struct LineRequest<'a> {
    pub(crate) start: StartPolicy,
    pub(crate) questions: Questions,
    /// The key of this line, if keys are typed over it.
    pub(crate) key: Option<&'a str>,
    /// The key of the line that this one takes up again.
    pub(crate) former: Option<&'a str>,
}

/// An ssh process.
#[derive(Debug)]
pub(crate) struct SshLine {
    host: HostName,
    child: Child,
    /// What ssh and the proxy say about failures. Memory never blocks them.
    messages: File,
    /// Whether the line ended without having reached the daemon.
    never_connected: bool,
}

impl SshLine {
    /// Starts ssh. The socket is connected once the daemon's welcome arrives.
    pub(crate) fn open(host: &RemoteHost, line: &LineRequest<'_>) -> Result<(UnixStream, Self), CallError> {
        let cannot =
            |why: io::Error| CallError::Local(format!("Cannot start ssh to {}: {why}", host.host.name));
        let (ours, theirs) = UnixStream::pair().map_err(cannot)?;
        let messages = bounded_memory().map_err(cannot)?;
        let mut command = command(host, line);
        command.stdin(OwnedFd::from(theirs.try_clone().map_err(cannot)?)).stdout(OwnedFd::from(theirs));
        command.stderr(Stdio::from(messages.try_clone().map_err(cannot)?));
        let child = command.spawn().map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => missing_ssh(&host.host.name),
            _ => cannot(why),
        })?;
        Ok((ours, Self { host: host.host.clone(), child, messages, never_connected: false }))
    }

    /// Ends a line that does not answer any more.
    pub(crate) fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The host that it leads to.
    pub(crate) fn host(&self) -> &HostName {
        &self.host
    }

    /// Waits until ssh has exited.
    pub(crate) fn wait_for_exit(&mut self) {
        let _ = self.child.wait();
    }

    /// Handles the loss of the connection over this line. Before the welcome, the line says why it ended; later, it is
    /// ended and there is nothing to add.
    pub(crate) fn lost(&mut self, is_welcome: bool) -> Option<CallError> {
        self.lost_within(is_welcome, EXIT_TIMEOUT)
    }

    /// The same for a client that serves others on the same thread.
    pub(crate) fn lost_soon(&mut self, is_welcome: bool) -> Option<CallError> {
        self.lost_within(is_welcome, SHORT_EXIT_TIMEOUT)
    }

    fn lost_within(&mut self, is_welcome: bool, limit: Duration) -> Option<CallError> {
        if is_welcome {
            self.end();
            return None;
        }
        Some(self.failure_within(limit))
    }

    /// Whether the process has exited.
    pub(crate) fn has_exited(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(Some(_)))
    }

    /// A descriptor that is readable when the process has exited.
    pub(crate) fn process(&self) -> Option<OwnedFd> {
        pidfd_open(Pid::from_child(&self.child), PidfdFlags::empty()).ok()
    }

    /// A line to a host named `box` with this process.
    #[cfg(test)]
    pub(crate) fn for_test(child: Child) -> Self {
        let host = HostName { name: "box".into(), address: "ann@box".into() };
        Self { host, child, messages: bounded_memory().expect("memory"), never_connected: false }
    }

    /// The reason why the line ended before the daemon answered. Waits for the process to exit, if it has not yet.
    pub(crate) fn failure(&mut self) -> CallError {
        self.failure_within(EXIT_TIMEOUT)
    }

    fn failure_within(&mut self, limit: Duration) -> CallError {
        let status = self.wait(limit);
        let mut bytes = Vec::new();
        // Without its words, the exit code alone says less.
        let _ = self.messages.rewind().and_then(|()| self.messages.read_to_end(&mut bytes));
        let said = String::from_utf8_lossy(&bytes);
        let (code, said) = (status.and_then(|status| status.code()), said.trim_end_matches('\0'));
        self.never_connected = never_connected(code, said);
        explain(&self.host, code, said)
    }

    /// Whether the line is known to have ended before anything that was sent over it reached the daemon.
    pub(crate) fn never_connected(&self) -> bool {
        self.never_connected
    }

    /// Waits for the exit of a process that closed its end, and ends one that does not exit.
    fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let process = Pid::from_child(&self.child);
        if let Ok(process) = pidfd_open(process, PidfdFlags::empty()) {
            let timeout = Timespec::try_from(limit).unwrap_or_default();
            let _ = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&timeout));
        }
        if let Ok(Some(status)) = self.child.try_wait() {
            return Some(status);
        }
        self.end();
        None
    }
}

/// Memory of [`MAX_MESSAGE`] bytes that cannot grow: whatever ssh prints after that is dropped.
fn bounded_memory() -> io::Result<File> {
    let memory = memfd_create("fugue-ssh", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
    ftruncate(&memory, MAX_MESSAGE)?;
    fcntl_add_seals(&memory, SealFlags::GROW)?;
    Ok(File::from(memory))
}

/// A key for one line: nobody else's line is taken up by mistake.
pub(crate) fn line_key() -> String {
    random_key("line")
}

fn command(host: &RemoteHost, line: &LineRequest<'_>) -> Command {
    let mut command = ssh();
    // Screens shrink to a sixth or less, and that costs no time that could be measured on a fast line
    // (`tools/line-compression.py`). A binary that is copied would take far longer.
    command.args(["-o", "Compression=yes"]);
    if line.questions == Questions::Never {
        command.args(["-o", "BatchMode=yes"]);
    }
    command.arg("--").arg(&host.host.address).arg(proxy_command(host, line));
    command
}

/// The command that runs something on a host: what it is must be added.
pub fn ssh_command(host: &HostName) -> Result<Command, CallError> {
    let host = RemoteHost::new(host, None)?.host;
    let mut command = ssh();
    command.arg("--").arg(host.address);
    Ok(command)
}

fn ssh() -> Command {
    let configured = std::env::var(SSH_VARIABLE).unwrap_or_default();
    let mut words = configured.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("ssh"));
    command.args(words).args(OPTIONS);
    command
}

/// The command for the shell of the other host. Its words need no quotes: names of servers and keys are plain.
fn proxy_command(host: &RemoteHost, line: &LineRequest<'_>) -> OsString {
    let mut proxy = String::from("exec fugue proxy");
    let flags = [
        ("--server", host.server.as_deref()),
        ("--connection", line.key),
        ("--former-connection", line.former),
    ];
    for (flag, value) in flags {
        proxy.extend(value.map(|value| format!(" {flag} {value}")));
    }
    if line.start == StartPolicy::IfNeeded {
        proxy.push_str(" --start");
    }
    // A shell that runs one command over ssh has read no profile, which often names these directories.
    format!("sh -c 'PATH=\"$HOME/.local/bin:$PATH:$HOME/.cargo/bin\"; {proxy}'").into()
}

fn missing_ssh(host: &str) -> CallError {
    CallError::Local(format!(
        "Cannot reach {host}: ssh is not installed\nhint: install the OpenSSH client, or set {SSH_VARIABLE}"
    ))
}

/// What ssh says when it could not connect or log in. Whatever else it says, the line may have been up.
const NOT_CONNECTED: [&str; 6] = [
    "ssh: connect to host ",
    "ssh: Could not resolve hostname ",
    "Host key verification failed",
    "Permission denied (",
    "Too many authentication failures",
    "kex_exchange_identification: ",
];

/// Whether a line that ended like this never led to the daemon: ssh did not connect, or the proxy, which says why it
/// cannot, did not. A line that was cut may have carried a request.
fn never_connected(code: Option<i32>, said: &str) -> bool {
    match code {
        None | Some(0) => false,
        Some(SSH_FAILED) => NOT_CONNECTED.iter().any(|words| said.contains(words)),
        Some(_) => !said.contains("Lost the connection"),
    }
}

/// What a fugue says that lacks `proxy`, or a flag of it.
const NEWER_WORDS: [&str; 4] =
    ["'proxy'", "Unknown command: proxy", "'--connection'", "Unknown option: --connection"];

/// The error for a line that ended with this exit code after these words.
fn explain(host: &HostName, code: Option<i32>, said: &str) -> CallError {
    let HostName { name: host, address } = host;
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = lines().next_back().unwrap_or("the connection was closed").trim_start_matches("fugue: ");
    let install = format!("hint: `fugue hosts install {host}` installs this version there");
    match code {
        Some(SSH_FAILED) | None => {
            let hint = format!("hint: `ssh {address} true` shows whether ssh works");
            CallError::Local(format!("Cannot reach {host}: {last}\n{hint}"))
        }
        Some(NOT_FOUND) => CallError::Local(format!("fugue is not installed on {host}\n{install}")),
        Some(code) if code == i32::from(NO_DAEMON) => CallError::NoDaemon(format!("{ON_HOST}{host}")),
        Some(0) => CallError::Lost(io::ErrorKind::UnexpectedEof.into()),
        // A fugue without `proxy` refuses the command line.
        Some(2) if NEWER_WORDS.iter().any(|words| said.contains(words)) => {
            CallError::Local(format!("fugue on {host} is an older version\n{install}"))
        }
        Some(_) => {
            let text: Vec<&str> = lines().collect();
            CallError::Local(format!("On {host}: {}", text.join("\n").trim_start_matches("fugue: ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn request<'a>(key: Option<&'a str>, former: Option<&'a str>) -> LineRequest<'a> {
        LineRequest { start: StartPolicy::IfNeeded, questions: Questions::Never, key, former }
    }

    fn host(name: &str) -> HostName {
        HostName { name: name.into(), address: format!("ann@{name}") }
    }

    #[test]
    fn the_proxy_is_told_which_line_it_takes_up() {
        let remote = RemoteHost::new(&host("box"), Some("dev")).expect("an address");
        let words = proxy_command(&remote, &request(Some("k2"), Some("k1"))).into_string().expect("text");
        let flags = "--server dev --connection k2 --former-connection k1 --start";
        assert!(words.contains(&format!("fugue proxy {flags}'")), "{words}");
    }

    #[test]
    fn what_ssh_prints_is_kept_up_to_a_limit() {
        let mut memory = bounded_memory().expect("memory");
        memory.write_all(&vec![b'a'; MAX_MESSAGE as usize]).expect("room");
        assert!(memory.write_all(b"b").is_err(), "it does not grow");
    }

    #[test]
    fn only_a_line_that_was_never_up_certainly_carried_nothing() {
        assert!(never_connected(Some(255), "ssh: connect to host box port 22: Connection refused\n"));
        assert!(never_connected(Some(255), "ann@box: Permission denied (publickey).\n"));
        assert!(never_connected(Some(127), "sh: 1: exec: fugue: not found\n"));
        assert!(never_connected(Some(1), "fugue: HOME is not set\n"));
        assert!(!never_connected(Some(255), "Timeout, server box not responding.\n"));
        assert!(!never_connected(Some(255), "client_loop: send disconnect: Broken pipe\n"));
        assert!(!never_connected(None, ""), "somebody ended ssh");
    }

    #[test]
    fn the_reason_of_a_failed_line_names_the_host_and_the_next_step() {
        let denied =
            explain(&host("box"), Some(255), "Warning: x\nann@box: Permission denied (publickey).\n");
        assert_eq!(
            denied.to_string(),
            "Cannot reach box: ann@box: Permission denied (publickey).\nhint: `ssh ann@box true` shows whether ssh works"
        );
        let missing = explain(&host("box"), Some(127), "sh: 1: exec: fugue: not found\n").to_string();
        assert!(
            missing.starts_with("fugue is not installed on box\nhint: `fugue hosts install box`"),
            "{missing}"
        );
        let old = explain(&host("box"), Some(2), "error: unrecognized subcommand 'proxy'\n").to_string();
        assert!(old.starts_with("fugue on box is an older version\n"), "{old}");
        let older = explain(&host("box"), Some(2), "fugue: Unknown option: --connection\nhint: use `x`\n")
            .to_string();
        assert!(older.starts_with("fugue on box is an older version\n"), "{older}");
        let other = explain(&host("box"), Some(1), "fugue: HOME is not set\nhint: set HOME\n").to_string();
        assert_eq!(other, "On box: HOME is not set\nhint: set HOME");
        assert!(
            matches!(explain(&host("box"), Some(3), ""), CallError::NoDaemon(place) if place == "on box")
        );
    }
}
