//! `fugue hosts`: the other hosts in the configuration, whether they can be reached, and fugue itself on them.

pub(crate) mod configured;
mod install;
mod ping;
pub(crate) mod remote_parent;

pub(crate) use ping::on_each;

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use fugue_client::{CallError, HostName};
use fugue_protocol::escape::{escape, escape_json, escape_lines};
use fugue_protocol::host::{is_host_address, is_host_name};
use serde_json::{Value, json};

use crate::config_edit::{self, ConfigEdit};
use crate::context::{self, CommandFailure};
use crate::project;
use configured::{config_path, named};

/// The section of the configuration.
const SECTION: &str = "hosts";

/// The command line.
pub(crate) fn command() -> Command {
    let name = || Arg::new("name").value_name("NAME").required(true).help("Name of the host");
    let address =
        Arg::new("address").value_name("ADDRESS").help("ssh destination, such as user@box [default: NAME]");
    let names =
        Arg::new("name").value_name("NAME").num_args(0..).help("Host names or addresses [default: all]");
    Command::new("hosts")
        .about("List or manage remote hosts that run fugue")
        .subcommand(Command::new("add").about("Add a host to config.toml").arg(name()).arg(address))
        .subcommand(Command::new("list").visible_alias("ls").about("List the hosts in config.toml"))
        .subcommand(Command::new("remove").about("Remove a host from config.toml").arg(name()))
        .subcommand(
            Command::new("ping")
                .about("Check whether hosts are reachable, and measure their latency")
                .arg(names),
        )
        .subcommand(
            Command::new("install")
                .about(
                    "Copy fugue and its relay to hosts on the same platform, and upgrade the daemons there",
                )
                .arg(
                    Arg::new("name")
                        .value_name("NAME")
                        .num_args(1..)
                        .required_unless_present("all")
                        .help("Host names or addresses"),
                )
                .arg(
                    Arg::new("all")
                        .long("all")
                        .action(ArgAction::SetTrue)
                        .conflicts_with("name")
                        .help("All hosts in config.toml"),
                ),
        )
}

/// Runs the command.
pub(crate) fn run(words: Vec<OsString>) -> Result<(), CommandFailure> {
    let args = context::parse(command(), words)?;
    match args.subcommand() {
        Some(("add", args)) => add(args),
        Some(("list", args)) => list(args),
        Some(("remove", args)) => remove(args),
        Some(("ping", args)) => ping::run(args),
        Some((_, args)) => install::run(args),
        None => list(&args),
    }
}

fn name_in(args: &ArgMatches) -> String {
    args.get_one::<String>("name").cloned().unwrap_or_default()
}

fn add(args: &ArgMatches) -> Result<(), CommandFailure> {
    let name = name_in(args);
    let address = args.get_one::<String>("address").cloned().unwrap_or_else(|| name.clone());
    if !is_host_name(&name) {
        let hint =
            "hint: use letters, digits, -, _ and . in the name, as in `fugue hosts add box user@box.example`";
        return Err(CallError::Local(format!("Invalid host name: {name}\n{hint}")).into());
    }
    if !is_host_address(&address) {
        let hint = "hint: use an ssh destination, such as user@box or ssh://user@box:2222";
        return Err(CallError::Local(format!("Invalid address: {address}\n{hint}")).into());
    }
    project::authorize(args)?;
    let path = config_path()?;
    let edit = ConfigEdit { section: Some(SECTION), key: name.clone(), value: address.as_str().into() };
    config_edit::set(&path, &[edit]).map_err(CallError::Local)?;
    report(args, json!({ "name": name, "address": address }), &format!("added {name} ({address})"));
    Ok(())
}

fn remove(args: &ArgMatches) -> Result<(), CommandFailure> {
    let name = name_in(args);
    project::authorize(args)?;
    let path = config_path()?;
    if !config_edit::remove(&path, SECTION, &name).map_err(CallError::Local)? {
        return Err(no_such_host(&name, &path).into());
    }
    report(args, json!({ "name": name }), &format!("removed {name}"));
    Ok(())
}

fn no_such_host(name: &str, path: &Path) -> CallError {
    CallError::Local(format!(
        "No host {name} in {}\nhint: `fugue hosts list` lists the configured hosts",
        path.display()
    ))
}

fn list(args: &ArgMatches) -> Result<(), CommandFailure> {
    let hosts = configured::all();
    let width = hosts.iter().map(|host| host.name.len()).max().unwrap_or(0);
    let row = |host: &HostName| format!("{:width$}  {}\n", host.name, escape(&host.address));
    let text = match hosts.is_empty() {
        true => "no hosts\nhint: `fugue hosts add NAME ADDRESS` adds one\n".to_owned(),
        false => hosts.iter().map(row).collect(),
    };
    let json = |host: &HostName| json!({ "name": host.name, "address": host.address });
    report(args, json!({ "hosts": hosts.iter().map(json).collect::<Vec<_>>() }), text.trim_end());
    Ok(())
}

/// Prints a result for people, or as JSON.
fn report(args: &ArgMatches, json: Value, text: &str) {
    let json = || escape_json(&json.to_string()).into_owned();
    let text = if args.get_flag("json") { json() } else { escape_lines(text).into_owned() };
    let _ = writeln!(std::io::stdout(), "{text}");
}
