//! What programs use: read from their group, or summed up over their processes where there is no group.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::group_provider::is_own_group;
use crate::process_group_file::group_of;

/// What the programs of a pane use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The bytes of memory: in a group without the files that the kernel could drop at once, otherwise the resident memory
    /// of each process.
    pub memory: u64,
    /// The processor time since the start.
    pub cpu: Duration,
    /// The number of processes.
    pub processes: u32,
}

/// The processes of the machine at one moment, read when the first pane without a group asks.
#[derive(Debug, Default)]
pub struct UsageReader {
    processes: Option<ProcessTable>,
}

impl UsageReader {
    /// Returns what the programs use that were started by this process, and itself.
    pub fn read(&mut self, pid: u32) -> Option<Usage> {
        let group = group_of(pid).filter(|group| is_own_group(group));
        if let Some(usage) = group.as_deref().and_then(usage_of_group) {
            return Some(usage);
        }
        self.processes.get_or_insert_with(ProcessTable::read).usage_below(pid)
    }
}

/// Reads the files of a group; none if it has no memory controller.
fn usage_of_group(group: &Path) -> Option<Usage> {
    let text = |name: &str| fs::read_to_string(group.join(name)).ok();
    let field = |text: &str, name: &str| -> Option<u64> {
        text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
    };
    let used: u64 = text("memory.current")?.trim().parse().ok()?;
    let droppable = text("memory.stat").and_then(|stat| field(&stat, "inactive_file")).unwrap_or(0);
    let cpu = text("cpu.stat").and_then(|stat| field(&stat, "usage_usec")).unwrap_or(0);
    let processes = text("cgroup.procs")?.lines().count();
    Some(Usage {
        memory: used.saturating_sub(droppable),
        cpu: Duration::from_micros(cpu),
        processes: u32::try_from(processes).unwrap_or(u32::MAX),
    })
}

/// A process, as far as its use is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    parent: u32,
    /// The leader of its session, which is the pane's own program unless it went into another.
    session: u32,
    /// Its own processor time and that of the children that it has waited for.
    ticks: u64,
    pages: u64,
}

#[derive(Debug, Default)]
struct ProcessTable(BTreeMap<u32, Process>);

impl ProcessTable {
    fn read() -> Self {
        let Ok(entries) = fs::read_dir("/proc") else { return Self::default() };
        let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let process = |pid: u32| Some((pid, parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?));
        Self(pids.filter_map(process).collect())
    }

    /// The use of a process, of those in its session, and of those that descend from them.
    fn usage_below(&self, root: u32) -> Option<Usage> {
        self.0.get(&root)?;
        let below = self.0.iter().filter(|(pid, process)| self.belongs(**pid, process, root));
        let (mut pages, mut ticks, mut processes) = (0, 0, 0);
        for (_, process) in below {
            pages += process.pages;
            ticks += process.ticks;
            processes += 1;
        }
        let cpu = Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second().max(1));
        Some(Usage { memory: pages * rustix::param::page_size() as u64, cpu, processes })
    }

    fn belongs(&self, pid: u32, process: &Process, root: u32) -> bool {
        let (mut pid, mut process) = (pid, process);
        // Parents have no circles; the table may have one, because it was not read at one moment.
        for _ in 0..self.0.len() {
            if pid == root || process.session == root {
                return true;
            }
            match self.0.get(&process.parent) {
                Some(parent) => (pid, process) = (process.parent, parent),
                None => return false,
            }
        }
        false
    }
}

/// Reads a line of `/proc/PID/stat`. The name, in parentheses, may contain anything.
fn parse(stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let number = |at: usize| fields.get(at - 3)?.parse::<u64>().ok();
    let small = |at: usize| u32::try_from(number(at)?).ok();
    // The numbers of the fields are those of proc(5).
    let ticks = (14..=17).map(number).sum::<Option<u64>>()?;
    Some(Process { parent: small(4)?, session: small(6)?, ticks, pages: number(24)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(processes: &[(u32, u32, u32)]) -> ProcessTable {
        let process = |parent, session| Process { parent, session, ticks: 10, pages: 1 };
        ProcessTable(
            processes.iter().map(|&(pid, parent, session)| (pid, process(parent, session))).collect(),
        )
    }

    #[test]
    fn what_a_program_started_counts_wherever_it_went() {
        // The shell, its job, a daemon of the job, an orphan in the session, and somebody else's.
        let table = table(&[(10, 1, 10), (11, 10, 10), (12, 11, 12), (13, 1, 10), (20, 1, 20)]);
        let usage = table.usage_below(10).expect("it runs");
        assert_eq!(usage.processes, 4);
        assert_eq!(usage.cpu, Duration::from_millis(40_000 / rustix::param::clock_ticks_per_second()));
        assert_eq!(table.usage_below(99), None);
    }

    #[test]
    fn a_line_of_the_kernel_is_read_whatever_the_program_is_called() {
        let line =
            "42 (a b) ) S 7 42 6 0 -1 4194560 1 2 3 4 11 12 13 14 20 0 1 0 99 1000 55 18446744073709551615";
        let process = Process { parent: 7, session: 6, ticks: 50, pages: 55 };
        assert_eq!(parse(line), Some(process));
        assert_eq!(parse("42 (sh"), None);
    }

    #[test]
    fn this_process_uses_memory() {
        let usage = UsageReader::default().read(std::process::id()).expect("it runs");
        assert!(usage.memory > 1 << 20 && usage.processes >= 1, "{usage:?}");
    }

    #[test]
    fn a_group_tells_what_is_used_without_what_can_be_dropped() {
        let group = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(group.path().join(name), text).expect("written");
        assert_eq!(usage_of_group(group.path()), None);
        write("memory.current", "5000\n");
        write("memory.stat", "anon 3000\ninactive_file 1500\n");
        write("cpu.stat", "usage_usec 2500000\nuser_usec 1\n");
        write("cgroup.procs", "1\n2\n");
        let usage = Usage { memory: 3500, cpu: Duration::from_millis(2500), processes: 2 };
        assert_eq!(usage_of_group(group.path()), Some(usage));
    }
}
