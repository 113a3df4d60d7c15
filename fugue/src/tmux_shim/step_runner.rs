//! Runs a line at a shell: its requests go over a connection to the daemon, the rest is carried out in this process.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use fugue_client::{Connection, Paths};
use fugue_protocol::SessionId;
use fugue_tmux::steps::{Step, StepReply};
use fugue_tmux::{Line, Progress};

use super::local_steps::LocalSteps;

/// Carries out steps.
pub(super) struct StepRunner {
    connection: Connection,
    paths: Paths,
    local: LocalSteps,
}

impl StepRunner {
    pub(super) fn new(connection: Connection, paths: Paths, server: Option<String>) -> Self {
        Self { connection, paths, local: LocalSteps { server, most_output: u64::MAX } }
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

    fn carry_out(&mut self, step: Step) -> Result<StepReply, String> {
        match step {
            Step::Call { verb, args } => {
                let reply = self.connection.call_named(verb, &args).map_err(|why| why.message())?;
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
