//! Asking a daemon to upgrade. This works whatever protocol it speaks, since only the stable part of the greeting is used.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use fugue_protocol::frames::FrameReader;
use fugue_protocol::limits;
use fugue_protocol::messages::{self, Hello, Role, ServerMessage, Welcome};
use fugue_protocol::upgrade::UpgradeRequest;

use crate::call_error::{CallError, malformed};
use crate::daemon_watch::DaemonWatch;
use crate::env::Env;
use crate::paths::Paths;
use crate::paths::StartPolicy;
use crate::startup::connect_or_start;

/// How long a daemon may take to answer: it checks the new binary, and its keeper executes it.
const ANSWER: Duration = Duration::from_secs(20);

/// How often a daemon that is being replaced is asked again.
const RETRY: Duration = Duration::from_millis(20);

/// Asks the daemon at these paths for an upgrade, or for its report. After an upgrade, returns once the daemon is gone.
pub fn request_upgrade(paths: &Paths, request: UpgradeRequest) -> Result<Welcome, CallError> {
    let is_replaced = !request.report_only;
    let claim = Env::own().claimed_pane(&paths.socket);
    let hello = Hello { upgrade: Some(request), ..Hello::new(Role::Command, claim) };
    let mut socket = connect_or_start(paths, StartPolicy::Never)?;
    socket.set_read_timeout(Some(ANSWER)).map_err(CallError::Lost)?;
    socket.write_all(&messages::greeting(hello).map_err(malformed)?).map_err(CallError::Lost)?;
    let welcome = read_welcome(&mut socket).map_err(|error| match error {
        CallError::Lost(why) if why.kind() == io::ErrorKind::WouldBlock => {
            let error = DaemonWatch::new(paths).unresponsive();
            if is_replaced { error.after_sending("upgrade") } else { error }
        }
        error => error,
    })?;
    if is_replaced {
        // The end of the stream; an error is one, too.
        while socket.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
    }
    Ok(welcome)
}

/// Waits until a daemon reports, while another one is starting or is being rolled back.
pub fn await_report(paths: &Paths, binary: &str, within: Duration) -> Result<Welcome, CallError> {
    let begun = Instant::now();
    loop {
        let request = UpgradeRequest { binary: binary.to_owned(), report_only: true };
        match request_upgrade(paths, request) {
            Err(error) if error.is_temporary() && begun.elapsed() < within => std::thread::sleep(RETRY),
            report => return report,
        }
    }
}

fn read_welcome(socket: &mut UnixStream) -> Result<Welcome, CallError> {
    let (mut reader, mut buffer) = (FrameReader::new(limits::REPLY_BYTES), vec![0; 4 << 10]);
    loop {
        while let Some((_, body)) = reader.next_frame().map_err(malformed)? {
            let message: ServerMessage<'_> = serde_json::from_slice(body).map_err(malformed)?;
            match message {
                ServerMessage { refusal: Some(refused), .. } => return Err(CallError::from(refused)),
                ServerMessage { welcome: Some(welcome), .. } => return Ok(welcome),
                _ => {}
            }
        }
        match socket.read(&mut buffer) {
            Ok(0) => return Err(CallError::Lost(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => reader.push(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(CallError::Lost(error)),
        }
    }
}
