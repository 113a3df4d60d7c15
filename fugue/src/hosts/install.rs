//! `fugue hosts install`: copies this binary to `~/.local/bin` of a host of the same platform, and has the daemon there run
//! it.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use fugue_client::{CallError, HostName, ssh_command};
use fugue_protocol::escape::escape;

use crate::context::CommandFailure;

/// Writes its input beside the old binary and puts it into its place, so that a running one is not touched.
const INSTALL: &str = "set -e; mkdir -p \"$HOME/.local/bin\"; new=\"$HOME/.local/bin/.fugue.$$\"; \
                       trap \"rm -f $new\" EXIT; cat > \"$new\"; chmod 755 \"$new\"; \"$new\" --version; \
                       mv \"$new\" \"$HOME/.local/bin/fugue\"";

/// Has a daemon that runs go on with the new binary.
const UPGRADE: &str = "\"$HOME/.local/bin/fugue\" upgrade";

pub(super) fn run(host: &HostName) -> Result<(), CommandFailure> {
    let theirs = remote(host, "uname -sm", Stdio::null())?;
    let ours = output_of(Command::new("uname").arg("-sm"), "uname")?;
    if theirs != ours {
        let hint = "hint: build fugue there, and put it on the PATH or in ~/.local/bin";
        let name = &host.name;
        return Err(
            CallError::Local(format!("{name} is {theirs}, but this binary is for {ours}\n{hint}")).into()
        );
    }
    let cannot = |why: std::io::Error| CallError::Local(format!("Cannot read this executable: {why}"));
    let binary = File::open("/proc/self/exe").map_err(cannot)?;
    let version = remote(host, INSTALL, Stdio::from(binary))?;
    let version = escape(&version);
    let _ = writeln!(std::io::stdout(), "installed {version} on {} as ~/.local/bin/fugue", host.name);
    upgrade(host)
}

/// Upgrades the daemon of the host, if one is running.
fn upgrade(host: &HostName) -> Result<(), CommandFailure> {
    let output = shell(host, UPGRADE, Stdio::null())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().next().unwrap_or_default().trim_start_matches("fugue: ");
    if output.status.success() {
        let _ = writeln!(std::io::stdout(), "{}", escape(&text(&output)));
    } else if !why.starts_with("No fugue daemon is running") {
        let hint = format!("hint: `ssh {} .local/bin/fugue upgrade` tries again", host.address);
        let what = format!("The daemon on {} was not upgraded: {}", host.name, escape(why));
        return Err(CallError::Local(format!("{what}\n{hint}")).into());
    }
    Ok(())
}

/// Runs a line of shell on the host, and returns what it prints.
fn remote(host: &HostName, line: &str, input: Stdio) -> Result<String, CallError> {
    let output = shell(host, line, input)?;
    if output.status.success() {
        return Ok(text(&output));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("ssh failed");
    Err(failed(host, why))
}

fn shell(host: &HostName, line: &str, input: Stdio) -> Result<Output, CallError> {
    let mut ssh = ssh_command(host)?;
    let output = ssh.arg(format!("sh -c '{line}'")).stdin(input).output();
    output.map_err(|why| failed(host, &why.to_string()))
}

fn failed(host: &HostName, why: &str) -> CallError {
    CallError::Local(format!("Cannot install fugue on {}: {why}", host.name))
}

fn output_of(command: &mut Command, name: &str) -> Result<String, CallError> {
    let output = command.output().map_err(|why| CallError::Local(format!("Cannot run {name}: {why}")))?;
    Ok(text(&output))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
