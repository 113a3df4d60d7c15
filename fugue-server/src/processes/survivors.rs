//! Processes that outlived the loss of their pane: they ignored the hangup, and run on without a terminal. They are found
//! once, when the daemon starts, by the pane's id in their environment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use fugue_protocol::PaneId;
use fugue_protocol::views::Survivor;

/// Processes that are looked at: as many as Linux runs by default.
const PROCESSES: usize = 32_768;

/// The most that is read of a process's environment and command line. The pane's id is far in front of this.
const BYTES: u64 = 256 << 10;

/// Survivors that are named for each pane: more would not be read.
const PER_PANE: usize = 8;

/// The length of a command line that is shown, in characters.
const COMMAND_CHARS: usize = 80;

/// Returns the processes that still run in these panes, which were lost.
pub(crate) fn find(lost: &BTreeSet<PaneId>) -> Vec<(PaneId, Vec<Survivor>)> {
    let own = std::fs::read_link("/proc/self/exe").ok();
    let own_start = start(Path::new("/proc/self"));
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found = BTreeMap::<PaneId, Vec<Survivor>>::new();
    for pid in pids.take(PROCESSES) {
        let directory = Path::new("/proc").join(pid.to_string());
        // A daemon or client of fugue that was started in the pane is not the pane's work.
        let is_fugue = own.is_some() && std::fs::read_link(directory.join("exe")).ok() == own;
        // What was started after this daemon may be the pane's next program.
        let is_older = start(&directory) < own_start;
        let pane = pane_of(&directory).filter(|pane| lost.contains(pane) && !is_fugue && is_older);
        if let Some(survivors) = pane.map(|pane| found.entry(pane).or_default())
            && survivors.len() < PER_PANE
        {
            survivors.push(Survivor { pid, command: command(&directory) });
        }
    }
    found.into_iter().collect()
}

/// Whether a survivor is still the process that was found: its id may belong to another one by now.
pub(crate) fn is_alive(pane: PaneId, survivor: &Survivor) -> bool {
    pane_of(&Path::new("/proc").join(survivor.pid.to_string())) == Some(pane)
}

/// The pane in whose environment a process runs. A process that has ended has none.
fn pane_of(process: &Path) -> Option<PaneId> {
    let environment = read(&process.join("environ"))?;
    let mut variables = environment.split(|byte| *byte == 0);
    let id = variables.find_map(|variable| variable.strip_prefix(b"FUGUE_PANE_ID="))?;
    std::str::from_utf8(id).ok()?.parse().ok()
}

/// When a process was started, in ticks since the machine was.
fn start(process: &Path) -> Option<u64> {
    let stat = read(&process.join("stat"))?;
    // The name before the numbers may contain anything, but ends with the last `)`.
    let numbers = String::from_utf8_lossy(&stat).rsplit_once(')')?.1.to_owned();
    numbers.split_ascii_whitespace().nth(19)?.parse().ok()
}

fn command(process: &Path) -> String {
    let line = read(&process.join("cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&line).replace('\0', " ");
    fugue_protocol::escape::escape(text.trim()).chars().take(COMMAND_CHARS).collect()
}

fn read(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
