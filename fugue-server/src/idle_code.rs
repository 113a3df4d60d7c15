//! Giving back the memory of code that has run and is not needed for now: that of the start, and that which starts panes.
//! The kernel maps the program around every page that is touched, so that after these most of it is mapped, while panes
//! that run need a fraction of it. A page that is needed again is mapped again, from the page cache.

use std::fs;
use std::rc::Rc;
use std::time::Duration;

use rustix::mm::{Advice, madvise};
use tokio::sync::Notify;

/// How long after the daemon or a pane has started: that is over by then, and so are the first requests of whoever started
/// it.
const DELAY: Duration = Duration::from_millis(250);

/// Who gives back the memory. Nothing happens while no pane starts.
#[derive(Debug, Clone)]
pub(crate) struct IdleCode(Rc<Notify>);

impl IdleCode {
    /// Starts it, with the daemon.
    pub(crate) fn start() -> Self {
        let started = Rc::new(Notify::new());
        started.notify_one();
        tokio::task::spawn_local(release_after(Rc::clone(&started)));
        Self(started)
    }

    /// A pane has started.
    pub(crate) fn pane_started(&self) {
        self.0.notify_one();
    }
}

/// Gives the memory back after each start, or after the last one of several.
async fn release_after(started: Rc<Notify>) {
    loop {
        started.notified().await;
        while tokio::time::timeout(DELAY, started.notified()).await.is_ok() {}
        for (start, length) in code_of_own_program() {
            release(start, length);
        }
    }
}

/// The parts of the memory in which the code of this program is, by address and length.
fn code_of_own_program() -> Vec<(usize, usize)> {
    let (maps, program) = (fs::read_to_string("/proc/self/maps"), fs::read_link("/proc/self/exe"));
    let (Ok(maps), Ok(program)) = (maps, program) else { return Vec::new() };
    let Some(program) = program.to_str() else { return Vec::new() };
    maps.lines().filter_map(|line| code_at(line, program)).collect()
}

/// The memory that a line of `maps` is about, if it is code of this program.
fn code_at(line: &str, program: &str) -> Option<(usize, usize)> {
    // Only code is never written: the pages of data may be changed copies, which are lost if they are given back.
    let (range, rest) = line.split_once(" r-xp ")?;
    if !rest.ends_with(program) {
        return None;
    }
    let (start, end) = range.split_once('-')?;
    let (start, end) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    Some((start, end.checked_sub(start)?))
}

#[allow(unsafe_code, reason = "madvise takes an address")]
fn release(start: usize, length: usize) {
    // SAFETY: the memory is code, mapped from the program's file and never written. A page that is given back is mapped
    // from the file again, with the same content, when it is touched.
    let released = unsafe { madvise(start as *mut _, length, Advice::LinuxDontNeed) };
    if let Err(why) = released {
        tracing::debug!("Cannot release the pages of the executable: {why}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The resident kilobytes of this program's code.
    fn resident() -> u64 {
        let smaps = fs::read_to_string("/proc/self/smaps").expect("the memory map");
        let program = fs::read_link("/proc/self/exe").expect("the program");
        let mut is_code = false;
        let mut resident = 0;
        for line in smaps.lines() {
            let value = line.strip_prefix("Rss:").filter(|_| is_code);
            match value.and_then(|value| value.trim().strip_suffix(" kB")) {
                Some(kilobytes) => resident += kilobytes.parse::<u64>().expect("a number"),
                None if line.contains('-') && line.contains(' ') && !line.contains(": ") => {
                    is_code = code_at(line, program.to_str().expect("text")).is_some();
                }
                None => {}
            }
        }
        resident
    }

    #[test]
    fn the_code_is_given_back_and_runs_on() {
        let code = code_of_own_program();
        assert!(!code.is_empty(), "the program has code");
        // Read every page, as if it had all been run.
        for (start, length) in &code {
            for page in (0..*length).step_by(4096) {
                touch(start + page);
            }
        }
        let before = resident();
        code.iter().for_each(|(start, length)| release(*start, *length));
        let after = resident();
        assert!(after < before / 2, "{before} KiB, then {after} KiB");
    }

    #[allow(unsafe_code, reason = "reads code as data")]
    fn touch(address: usize) {
        // SAFETY: the address is in a mapping of this process that can be read and does not change.
        std::hint::black_box(unsafe { std::ptr::read_volatile(address as *const u8) });
    }

    #[test]
    fn only_code_of_the_program_is_given_back() {
        let line = |permissions: &str, file: &str| {
            format!("55a0-66b0 {permissions} 00001000 fe:00 77 {:20} {file}", "")
        };
        assert_eq!(code_at(&line("r-xp", "/bin/fugue"), "/bin/fugue"), Some((0x55a0, 0x1110)));
        for (permissions, file) in [("rw-p", "/bin/fugue"), ("r--p", "/bin/fugue"), ("r-xp", "/lib/libc.so")]
        {
            assert_eq!(code_at(&line(permissions, file), "/bin/fugue"), None);
        }
    }
}
