//! The daemon: whether it runs, answers, and has this binary's version; and the relay of its fleet.

use fugue_client::{CallError, Paths, StartPolicy, ask_relay, connect, running_relay};
use fugue_config::{Config, ConfigSource, UnusableConfig};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::GetServerStatus;
use fugue_protocol::views::ServerStatus;

use super::check::Check;

/// The relay, if this host needs one. The relay checks its connections for this.
pub(super) fn fleet(paths: &Paths) -> Option<Check> {
    let config =
        Config::parse(&ConfigSource::read(&paths.config), None).unwrap_or_else(UnusableConfig::or_defaults);
    let host = config.fleet.host?;
    if config.fleet.servers.is_empty() && config.fleet.ssh.is_empty() {
        return Some(Check::good("fleet", format!("{host}, reached by other hosts over ssh")));
    }
    let Some(relay) = running_relay(&paths.state) else {
        return Some(Check::problem("fleet", "The relay is not running", "fugue fleet run"));
    };
    let relay = match relay.stopped {
        true => relay,
        false => match ask_relay(&paths.state) {
            Ok(relay) => relay,
            Err(why) => {
                let finding = format!("The relay (pid {}) does not respond: {why}", relay.pid);
                return Some(Check::problem("fleet", finding, "restart the relay"));
            }
        },
    };
    Some(match relay.trouble() {
        None => Check::good("fleet", format!("{host}, relay pid {}", relay.pid)),
        Some(trouble) => {
            let remedy = trouble.hint.unwrap_or_else(|| "fugue fleet status".into());
            Check::problem("fleet", trouble.message, remedy)
        }
    })
}

pub(super) fn checks(paths: &Paths) -> Vec<Check> {
    let status = connect(paths, Role::Command, StartPolicy::Never)
        .and_then(|mut connection| connection.call(&GetServerStatus {}));
    match status {
        Ok(status) => described(&status),
        Err(CallError::NoDaemon(_)) => vec![Check::good("daemon", "not running")],
        Err(error) => {
            let remedy = error.hint_in(&fugue_protocol::refusal::CommandLineWords);
            let log = paths.state.join("log").display().to_string();
            let remedy = remedy
                .unwrap_or_else(|| format!("see {log}; `fugue debug-bundle` collects it for a bug report"));
            vec![Check::problem("daemon", error.message(), remedy)]
        }
    }
}

fn described(status: &ServerStatus) -> Vec<Check> {
    let panes = if status.panes == 1 { "1 pane".into() } else { format!("{} panes", status.panes) };
    let what =
        format!("version {}, pid {}, keeper {}, {panes}", status.version, status.pid, status.keeper_pid);
    let own = env!("CARGO_PKG_VERSION");
    let daemon = if status.version == own {
        Check::good("daemon", what)
    } else {
        Check::note("daemon", format!("{what}; this binary is version {own}"), "fugue upgrade")
    };
    let warning = |text: &String| Check::problem("warning", text.clone(), "fugue server-status");
    std::iter::once(daemon).chain(status.warnings.iter().map(warning)).collect()
}
