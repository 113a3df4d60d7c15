//! `fugue hosts install`: copies this binary and the relay to `~/.local/bin` of hosts of the same platform, and has what
//! runs there run the new ones.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use clap::ArgMatches;
use fugue_client::{CallError, HostName, ssh_command};
use fugue_protocol::escape::{escape, escape_lines};

use super::{configured, named, on_each};
use crate::context::CommandFailure;

/// How many hosts are installed at once: more would share the same uplink, and ssh may ask about each.
const AT_ONCE: usize = 8;

/// The relay, which is installed too if it is beside this binary.
const RELAY: &str = "fugue-fleet";

/// Writes its input beside the old binary `$name` and puts it into its place, so that a running one is not touched.
const INSTALL: &str = "set -e; mkdir -p \"$HOME/.local/bin\"; new=\"$HOME/.local/bin/.$name.$$\"; \
                       trap \"rm -f $new\" EXIT; cat > \"$new\"; chmod 755 \"$new\"; \"$new\" --version; \
                       mv \"$new\" \"$HOME/.local/bin/$name\"";

/// Has a daemon that runs go on with the new binary.
const UPGRADE: &str = "\"$HOME/.local/bin/fugue\" upgrade";

/// Restarts the relay if it runs as the service in docs/fleet.md. Without systemd there is none.
const RESTART_RELAY: &str = "systemctl --user try-restart fugue-fleet 2> /dev/null || true";

/// Where a shell that ssh runs a command in finds fugue, if it does.
const FIND: &str = "command -v fugue || true";

pub(super) fn run(args: &ArgMatches) -> Result<(), CommandFailure> {
    let given = args.get_many::<String>("name").into_iter().flatten().map(|name| named(name));
    let hosts: Vec<HostName> = if args.get_flag("all") { configured::all() } else { given.collect() };
    if hosts.is_empty() {
        let hint = "hint: `fugue hosts add NAME ADDRESS` adds one";
        return Err(CallError::Local(format!("No hosts in config.toml\n{hint}")).into());
    }
    let mut failed = Vec::new();
    for some in hosts.chunks(AT_ONCE) {
        for (host, outcome) in some.iter().zip(on_each(some, install)) {
            match outcome {
                Ok(text) => drop(writeln!(std::io::stdout(), "{}", escape_lines(text.trim_end()))),
                Err(error) => failed.push((host, error)),
            }
        }
    }
    match failed.len() {
        0 => Ok(()),
        1 => failed.pop().map_or(Ok(()), |(_, error)| Err(error.into())),
        count => {
            for (_, error) in failed {
                let _ = writeln!(std::io::stderr(), "fugue: {}", escape_lines(&error.to_string()));
            }
            Err(CallError::Local(format!("{count} of {} hosts were not installed", hosts.len())).into())
        }
    }
}

/// Installs one host. Returns what was done.
fn install(host: &HostName) -> Result<String, CallError> {
    let theirs = remote(host, "uname -sm", Stdio::null())?;
    let ours = output_of(Command::new("uname").arg("-sm"), "uname")?;
    if theirs != ours {
        let hint = "hint: build fugue there, and put it on the PATH or in ~/.local/bin";
        let name = &host.name;
        return Err(CallError::Local(format!("{name} is {theirs}, but this binary is for {ours}\n{hint}")));
    }
    let mut done = copy(host, "fugue", "/proc/self/exe".into())?;
    done += &match relay() {
        Some(relay) => copy(host, RELAY, relay)?,
        None => format!("{RELAY} is not next to this binary, so it was not installed on {}\n", host.name),
    };
    done += &upgrade(host)?;
    remote(host, RESTART_RELAY, Stdio::null())?;
    if remote(host, FIND, Stdio::null())?.is_empty() {
        done += &format!(
            "note: commands that ssh runs on {} do not find ~/.local/bin; use `ssh {} .local/bin/fugue …`\n",
            host.name, host.address
        );
    }
    Ok(done)
}

fn relay() -> Option<PathBuf> {
    let relay = std::env::current_exe().ok()?.with_file_name(RELAY);
    relay.is_file().then_some(relay)
}

fn copy(host: &HostName, name: &str, from: PathBuf) -> Result<String, CallError> {
    let cannot = |why: std::io::Error| CallError::Local(format!("Cannot read {}: {why}", from.display()));
    let binary = File::open(&from).map_err(cannot)?;
    let version = remote(host, &format!("name={name}; {INSTALL}"), Stdio::from(binary))?;
    Ok(format!("installed {version} on {} as ~/.local/bin/{name}\n", host.name))
}

/// Upgrades the daemon of the host, if one is running.
fn upgrade(host: &HostName) -> Result<String, CallError> {
    let output = shell(host, UPGRADE, Stdio::null())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().next().unwrap_or_default().trim_start_matches("fugue: ");
    if output.status.success() {
        return Ok(format!("{}\n", text(&output)));
    }
    if why.starts_with("No fugue daemon is running") {
        return Ok(String::new());
    }
    let hint = format!("hint: `ssh {} .local/bin/fugue upgrade` tries again", host.address);
    let what = format!("The daemon on {} was not upgraded: {}", host.name, escape(why));
    Err(CallError::Local(format!("{what}\n{hint}")))
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
    CallError::Local(format!("Cannot install fugue on {}: {}", host.name, escape(why)))
}

fn output_of(command: &mut Command, name: &str) -> Result<String, CallError> {
    let output = command.output().map_err(|why| CallError::Local(format!("Cannot run {name}: {why}")))?;
    Ok(text(&output))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
