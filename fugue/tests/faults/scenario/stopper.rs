//! Stops of the keeper, the daemon, the reaper and the relay by a signal, during which nobody may be left without an answer.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use fugue_keeper::ProcessStat;
use fugue_testkit::{TestServer, signal, until};

use super::killer::Processes;
use super::relay::Relay;

/// How long nobody may be left without an answer. Processes of a debug build take their time to start.
const SILENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 3 });

/// How long the daemon is stopped: clients wait longer before they give up.
const STOP: Duration = Duration::from_secs(1);

/// Stops the keeper, which has to be replaced before the status is answered.
pub(super) fn stop_keeper(server: &TestServer, Processes { keeper, .. }: Processes) -> Result<(), String> {
    signal("STOP", keeper);
    answered(server, &["server-status"])?;
    match Path::new(&format!("/proc/{keeper}")).exists() {
        true => Err("the keeper that was stopped is still there".into()),
        false => Ok(()),
    }
}

/// Stops the daemon for a moment. It answers whoever asked meanwhile.
pub(super) fn stop_daemon(server: &TestServer, Processes { daemon, .. }: Processes) -> Result<(), String> {
    signal("STOP", daemon);
    let begun = Instant::now();
    let asking = server.command(&["server-status"]).stdout(std::process::Stdio::null()).spawn();
    std::thread::sleep(STOP);
    signal("CONT", daemon);
    let status = asking.and_then(|mut asking: Child| asking.wait()).map_err(|why| why.to_string())?;
    within_silence(begun, "server-status")?;
    if status.success() { Ok(()) } else { Err(format!("server-status: {status}")) }
}

/// Stops the reaper. Exits are told all the same.
pub(super) fn stop_reaper(server: &TestServer, Processes { keeper, .. }: Processes) -> Result<(), String> {
    let reaper = ProcessStat::of(keeper).map(|stat| stat.parent).filter(|&pid| pid > 1);
    let Some(reaper) = reaper else { return Ok(()) };
    signal("STOP", reaper);
    let answered = answered(server, &["run", "true"]);
    signal("CONT", reaper);
    answered
}

/// Stops the relay. The commands that show its state report the stop, and its end.
pub(super) fn stop_relay(server: &TestServer, relay: &Relay) -> Result<(), String> {
    let pid = relay.pid();
    signal("STOP", pid);
    until("the relay is stopped", || is_stopped(pid));
    let stopped = relay_is_reported(server, pid, true);
    signal("CONT", pid);
    until("the relay runs again", || !is_stopped(pid));
    stopped.and_then(|()| relay_is_reported(server, pid, false))
}

fn is_stopped(pid: u32) -> bool {
    ProcessStat::of(pid).is_some_and(|stat| stat.state == 'T')
}

/// Checks that both commands report whether the relay is stopped.
fn relay_is_reported(server: &TestServer, pid: u32, stopped: bool) -> Result<(), String> {
    let line = format!("relay   stopped, process {pid}\n");
    let warning = format!("The relay (pid {pid}) is stopped");
    for (words, sign) in [(&["fleet", "status"][..], line), (&["server-status"][..], warning)] {
        let begun = Instant::now();
        // The relay has no server to connect to, so `fleet status` ends with an error.
        let ran = server.run(words);
        within_silence(begun, &words.join(" "))?;
        if ran.out.is_empty() || ran.out.contains(&sign) != stopped {
            return Err(format!("{words:?} while the relay is stopped ({stopped}): {ran:?}"));
        }
    }
    Ok(())
}

fn answered(server: &TestServer, words: &[&str]) -> Result<(), String> {
    let begun = Instant::now();
    let ran = server.run(words);
    within_silence(begun, words[0])?;
    if ran.code == 0 { Ok(()) } else { Err(format!("{words:?}: {}", ran.err)) }
}

fn within_silence(begun: Instant, what: &str) -> Result<(), String> {
    let took = begun.elapsed();
    if took <= SILENCE { Ok(()) } else { Err(format!("{what} was silent for {took:?}")) }
}
