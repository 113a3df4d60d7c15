//! `fugue hosts ping`: connects to hosts side by side, and measures a round trip to their daemons.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::ArgMatches;
use fugue_client::{CallError, DaemonName, HostName, StartPolicy};
use fugue_protocol::verbs::GetServerStatus;
use serde_json::{Value, json};

use super::{configured, named, report};
use crate::context::{self, CommandFailure};

/// What a host answered.
struct PingAnswer {
    version: String,
    sessions: usize,
    round_trip: Duration,
}

pub(super) fn run(args: &ArgMatches) -> Result<(), CommandFailure> {
    let given: Vec<HostName> =
        args.get_many::<String>("name").into_iter().flatten().map(|name| named(name)).collect();
    let hosts = if given.is_empty() { configured::all() } else { given };
    let answers = on_each(&hosts, ask);
    let rows: Vec<_> = hosts.iter().zip(&answers).collect();
    let width = hosts.iter().map(|host| host.name.len()).max().unwrap_or(0);
    let text: Vec<String> =
        rows.iter().map(|(host, answer)| format!("{:width$}  {}", host.name, describe(answer))).collect();
    let text = if text.is_empty() { "no hosts".to_owned() } else { text.join("\n") };
    let json: Vec<Value> = rows.iter().map(|(host, answer)| as_json(host, answer)).collect();
    report(args, json!({ "hosts": json }), &text);
    if answers.iter().all(Result::is_ok) { Ok(()) } else { Err(CommandFailure::ExitCode(1)) }
}

/// The most hosts that are called at a time: an sshd through which many of them lead refuses some if more than ten have not
/// logged in yet (`MaxStartups`).
const AT_A_TIME: usize = 8;

/// Calls a function for every host, for a few of them side by side.
pub(crate) fn on_each<T: Send>(
    hosts: &[HostName],
    call: impl Fn(&HostName) -> Result<T, CallError> + Sync,
) -> Vec<Result<T, CallError>> {
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        hosts.get(at).map(|host| (at, call(host)))
    };
    let mut answers: Vec<_> = hosts.iter().map(|_| None).collect();
    std::thread::scope(|scope| {
        let start = |_| scope.spawn(|| std::iter::from_fn(take).collect::<Vec<_>>());
        let callers: Vec<_> = (0..hosts.len().min(AT_A_TIME)).map(start).collect();
        for (at, answer) in callers.into_iter().filter_map(|caller| caller.join().ok()).flatten() {
            answers[at] = Some(answer);
        }
    });
    let ended = || Err(CallError::Local("The call ended unexpectedly".into()));
    answers.into_iter().map(|answer| answer.unwrap_or_else(ended)).collect()
}

fn ask(host: &HostName) -> Result<PingAnswer, CallError> {
    let daemon = DaemonName { host: Some(host.clone()), server: None };
    let mut connection = context::open_daemon(&daemon, StartPolicy::Never)?;
    // The first call connects and logs in.
    connection.call(&GetServerStatus {})?;
    let begun = Instant::now();
    let status = connection.call(&GetServerStatus {})?;
    Ok(PingAnswer { version: status.version, sessions: status.sessions, round_trip: begun.elapsed() })
}

fn describe(answer: &Result<PingAnswer, CallError>) -> String {
    match answer {
        Ok(PingAnswer { version, sessions, round_trip }) => {
            let s = if *sessions == 1 { "" } else { "s" };
            format!("fugue {version}, {sessions} session{s}, {:.1} ms", round_trip.as_secs_f64() * 1_000.0)
        }
        Err(error) => error.message().lines().next().unwrap_or_default().to_owned(),
    }
}

fn as_json(host: &HostName, answer: &Result<PingAnswer, CallError>) -> Value {
    match answer {
        Ok(PingAnswer { version, sessions, round_trip }) => json!({
            "name": host.name,
            "reachable": true,
            "version": version,
            "sessions": sessions,
            "round_trip_ms": round_trip.as_secs_f64() * 1_000.0,
        }),
        Err(error) => json!({ "name": host.name, "reachable": false, "error": error.message() }),
    }
}
