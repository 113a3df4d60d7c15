//! `fugue agents --all-hosts`: the agents of this host and of every host in the configuration.

use std::io::Write;

use clap::ArgMatches;
use fugue_client::{CallError, DaemonName, HostName, StartPolicy};
use fugue_protocol::escape::{escape, escape_json};
use fugue_protocol::verbs::ListSessions;
use fugue_protocol::views::SessionView;
use serde_json::{Value, json};

use crate::context::{self, CommandFailure};
use crate::hosts;

/// What a host answered.
type HostAnswer = Result<Vec<SessionView>, CallError>;

pub(super) fn run(args: &ArgMatches) -> Result<(), CommandFailure> {
    let others = hosts::configured::others();
    // clap sees this only if they come after the name of the command.
    if context::daemon_name(args) != DaemonName::default() {
        let why = "--all-hosts cannot be combined with --server or --host\nhint: omit one of them";
        return Err(CallError::Local(why.into()).into());
    }
    let here = ask(&DaemonName::default());
    let on_host = |host: &HostName| ask(&DaemonName { host: Some(host.clone()), server: None });
    let mut answers = vec![(None, here)];
    answers.extend(others.iter().map(|host| Some(host.name.as_str())).zip(hosts::on_each(&others, on_host)));
    let text = match args.get_flag("json") {
        true => json(&answers)?,
        false => answers.iter().map(|(host, answer)| section(*host, answer)).collect::<Vec<_>>().join("\n"),
    };
    let _ = write!(std::io::stdout(), "{text}");
    if answers.iter().all(|(_, answer)| answer.is_ok()) { Ok(()) } else { Err(CommandFailure::ExitCode(1)) }
}

/// The sessions of a daemon. One that is not running has none.
fn ask(daemon: &DaemonName) -> HostAnswer {
    let connection = context::open_daemon(daemon, StartPolicy::Never);
    let asked = connection.and_then(|mut connection| connection.call(&ListSessions::default()));
    match asked.map(|list| list.sessions) {
        Err(CallError::NoDaemon(_)) => Ok(Vec::new()),
        answer => answer,
    }
}

fn section(host: Option<&str>, answer: &HostAnswer) -> String {
    let host = host.unwrap_or("this host");
    match answer {
        Ok(sessions) => {
            let rows = super::rows(sessions);
            let table = if rows.is_empty() { "no agents\n".to_owned() } else { super::table(&rows) };
            format!("{host}:\n{table}")
        }
        Err(error) => format!("{host}: {}\n", escape(error.message().lines().next().unwrap_or_default())),
    }
}

fn json(answers: &[(Option<&str>, HostAnswer)]) -> Result<String, CallError> {
    let host = |(host, answer): &(Option<&str>, HostAnswer)| -> Result<Value, CallError> {
        match answer {
            Ok(sessions) => {
                let rows = serde_json::to_value(super::rows(sessions))
                    .map_err(|why| CallError::Malformed(why.to_string()))?;
                Ok(json!({ "host": host, "agents": rows }))
            }
            Err(error) => Ok(json!({ "host": host, "error": error.message() })),
        }
    };
    let hosts: Vec<Value> = answers.iter().map(host).collect::<Result<_, _>>()?;
    Ok(escape_json(&json!({ "hosts": hosts }).to_string()).into_owned() + "\n")
}
