//! Open `/proc/PID/stat` files of callers' ancestors. A shell is the ancestor of every command that is run in it: reading a
//! file that is open costs half as much as opening it, too.

use std::collections::VecDeque;
use std::fs::File;

use fugue_keeper::ProcessStat;

/// The most files that are open: the ancestors of the callers in a dozen panes.
const MAX_FILES: usize = 64;

/// The open files, the one that was read last first. A file belongs to one process: when that has ended, it cannot be read
/// any more, even if another process has got its pid.
#[derive(Default)]
pub(crate) struct ProcessStatFiles(VecDeque<(u32, File)>);

impl ProcessStatFiles {
    /// Reads the facts about a process; none if it is gone.
    pub(crate) fn read(&mut self, pid: u32) -> Option<ProcessStat> {
        let open = self.0.iter().position(|(open, _)| *open == pid).and_then(|at| self.0.remove(at));
        let read = open.and_then(|(_, file)| Some((ProcessStat::read(&file)?, file)));
        let (stat, file) = match read {
            Some(read) => read,
            None => {
                let file = ProcessStat::open(pid)?;
                (ProcessStat::read(&file)?, file)
            }
        };
        self.0.truncate(MAX_FILES - 1);
        self.0.push_front((pid, file));
        Some(stat)
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn sleeping() -> Child {
        Command::new("sleep").arg("600").spawn().expect("sleep")
    }

    fn end(mut child: Child) {
        child.kill().expect("killed");
        child.wait().expect("reaped");
    }

    #[test]
    fn a_process_is_read_again_and_one_that_has_ended_is_gone() {
        let (own, child) = (std::process::id(), sleeping());
        let mut files = ProcessStatFiles::default();
        for _ in 0..2 {
            assert_eq!(files.read(child.id()).map(|stat| stat.parent), Some(own));
        }
        let pid = child.id();
        end(child);
        assert_eq!(files.read(pid), None);
        // As if this process had got its pid.
        let child = sleeping();
        let file = ProcessStat::open(child.id()).expect("its file");
        end(child);
        files.0.push_front((own, file));
        assert_eq!(files.read(own), ProcessStat::of(own));
    }

    #[test]
    fn the_number_of_open_files_has_a_bound() {
        let children: Vec<_> = std::iter::repeat_with(sleeping).take(MAX_FILES + 1).collect();
        let mut files = ProcessStatFiles::default();
        for child in &children {
            files.read(child.id()).expect("it runs");
        }
        assert_eq!(files.0.len(), MAX_FILES);
        assert!(!files.0.iter().any(|(pid, _)| *pid == children[0].id()), "the oldest is closed");
        children.into_iter().for_each(end);
    }
}
