//! Runs a line at a shell: its requests go over a connection to the daemon, the rest is carried out in this process.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use fugue_client::{CallError, Connection, Paths, StartPolicy, connect, random_key};
use fugue_protocol::SessionId;
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::{Arguments, Nature, VerbInfo};
use fugue_tmux::steps::{ShellStep, Step, StepReply};
use fugue_tmux::{Line, Progress};
use serde_json::value::{RawValue, to_raw_value};

use super::local_steps::LocalSteps;

/// How often a call is repeated: a daemon that goes away more often during one call will not stay.
const ATTEMPTS: usize = 5;

/// A call that was made this long before its daemon ended is not counted as an attempt.
const UNRELATED: Duration = Duration::from_secs(10);

/// The arguments of a call with a key, so that it can be repeated.
fn with_key(verb: &VerbInfo, args: &RawValue) -> serde_json::Result<Box<RawValue>> {
    let mut args: Arguments = serde_json::from_str(args.get())?;
    verb.add_key(&mut args, || random_key("tmux"));
    to_raw_value(&args)
}

/// Carries out steps.
pub(crate) struct StepRunner {
    connection: Connection,
    paths: Paths,
    local: LocalSteps,
}

impl StepRunner {
    pub(super) fn new(connection: Connection, paths: Paths, server: Option<String>) -> Self {
        Self { connection, paths, local: LocalSteps { server, most_output: u64::MAX } }
    }

    /// Another one for the same daemon.
    pub(crate) fn another(&self) -> Result<Self, CallError> {
        let connection = connect(&self.paths, Role::Command, StartPolicy::Never)?;
        Ok(Self::new(connection, self.paths.clone(), self.local.server.clone()))
    }

    /// Runs a line, and returns its exit code.
    pub(super) fn run(&mut self, mut line: Line) -> Result<u8, String> {
        let mut answer = None;
        loop {
            match line.next(answer) {
                Progress::Ended(code) => return code,
                Progress::Needs(step) => answer = Some(self.carry_out(step)),
            }
        }
    }

    /// Carries out a step.
    pub(crate) fn carry_out(&mut self, step: Step) -> Result<StepReply, String> {
        if let Some(why) = self.elsewhere(&step) {
            return Err(why);
        }
        match step {
            Step::Call { verb, args } => {
                let reply = self.call(verb, &args).map_err(|why| why.message())?;
                Ok(StepReply::Json(reply))
            }
            Step::Client(line) => Err(format!("`{line}` works only in an attached client")),
            Step::Print(bytes) => {
                let _ = io::stdout().write_all(&bytes);
                Ok(StepReply::Done)
            }
            Step::Attach { session, flags } => Err(self.attach(session, &flags)),
            step => self.local.carry_out(&self.paths, step),
        }
    }

    /// Why a step cannot be carried out if the daemon is on another host: it would start a program of this one.
    fn elsewhere(&self, step: &Step) -> Option<String> {
        let what = match step {
            Step::Shell(ShellStep { command, .. }) | Step::Pipe { command, .. } => {
                format!("start `{command}`")
            }
            Step::Attach { .. } => "attach this terminal".to_owned(),
            _ => return None,
        };
        let address = &self.paths.host.as_ref()?.host.address;
        Some(format!("`fugue --host` cannot {what}\nhint: use `ssh -t {address} fugue tmux …`"))
    }

    /// Calls a verb. If the daemon goes away, a read and a wait with a key are repeated: a new daemon is there at once.
    fn call(&mut self, verb: &str, args: &RawValue) -> Result<Box<RawValue>, CallError> {
        let waits = VerbInfo::find(verb).filter(|info| info.properties.wait.is_some() && info.may_repeat());
        let args = waits.map_or_else(|| Ok(args.to_owned()), |info| with_key(info, args));
        let args = args.map_err(|why| CallError::Malformed(why.to_string()))?;
        let may_repeat =
            waits.is_some() || VerbInfo::find(verb).is_some_and(|info| info.nature == Nature::Reads);
        let mut attempts = ATTEMPTS;
        loop {
            let asked_at = Instant::now();
            match self.connection.call_named(verb, &args) {
                Err(CallError::Lost(_)) if may_repeat && attempts > 0 => {
                    // A daemon that ends so much later does not end because of this call.
                    attempts = if asked_at.elapsed() > UNRELATED { ATTEMPTS } else { attempts - 1 };
                    self.connection = connect(&self.paths, Role::Command, StartPolicy::Never)?;
                }
                result => return result,
            }
        }
    }

    /// Attaches this terminal, in this process.
    fn attach(&self, session: SessionId, flags: &[&str]) -> String {
        let this = match std::env::current_exe() {
            Ok(this) => this,
            Err(why) => return why.to_string(),
        };
        let server = self.local.server.as_deref().map(|server| format!("--server={server}"));
        let mut fugue = Command::new(this);
        fugue.arg0("fugue").args(server).arg("attach").arg(session.to_string()).args(flags);
        format!("cannot attach: {}", fugue.exec())
    }
}
