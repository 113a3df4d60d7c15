//! The daemon: whether it runs, answers, and has this binary's version.

use fugue_client::{CallError, Paths, StartPolicy, connect};
use fugue_protocol::messages::Role;
use fugue_protocol::verbs::GetServerStatus;
use fugue_protocol::views::ServerStatus;

use super::check::Check;

pub(super) fn checks(paths: &Paths) -> Vec<Check> {
    let status = connect(paths, Role::Command, StartPolicy::Never)
        .and_then(|mut connection| connection.call(&GetServerStatus {}));
    match status {
        Ok(status) => described(&status),
        Err(CallError::NoDaemon(_)) => vec![Check::good("daemon", "not running")],
        Err(error) => {
            let remedy = error.hint_in(&fugue_protocol::refusal::CommandLineWords);
            let remedy = remedy.unwrap_or_else(|| format!("see {}", paths.state.join("log").display()));
            vec![Check::problem("daemon", error.message(), remedy)]
        }
    }
}

fn described(status: &ServerStatus) -> Vec<Check> {
    let panes = if status.panes == 1 { "1 pane".into() } else { format!("{} panes", status.panes) };
    let what = format!("pid {}, keeper {}, {panes}", status.pid, status.keeper_pid);
    let own = env!("CARGO_PKG_VERSION");
    let daemon = if status.version == own {
        Check::good("daemon", what)
    } else {
        let finding =
            format!("{what}; the daemon is version {}, but this binary is version {own}", status.version);
        Check::note("daemon", finding, "fugue upgrade")
    };
    let warning = |text: &String| Check::problem("warning", text.clone(), "fugue server-status");
    std::iter::once(daemon).chain(status.warnings.iter().map(warning)).collect()
}
