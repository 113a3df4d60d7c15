//! The rule by which a pane is set aside because its output makes the daemon die. Otherwise the next daemon would die of
//! the same output, and so on, and no pane could be used.
//!
//! A death is blamed on a pane only if the daemon was processing that pane's output. Then:
//!
//! - A crash (a fatal signal, an abort, a panic, an error) counts. So does a kill if the kernel ran out of memory.
//! - Any other `SIGKILL` comes from outside and is nobody's fault. But if the last daemons were all killed while they
//!   replayed the same piece of output, that piece is what keeps them from starting: it never ends, or it takes so much
//!   memory that something else than this kernel kills them.
//!
//! Anything else clears the suspicion: deaths must follow each other on one pane.

use fugue_protocol::{RunId, Timestamp};

/// Crashes in a row after which a pane is set aside: the first may be chance.
const CRASHES: u64 = 2;

/// Kills in a row during the replay of one piece after which a pane is set aside. One more than crashes, since a test or
/// a person may kill two daemons at the same point of their start.
const KILLS: u64 = 3;

/// Deaths that are further apart are no crash loop: the keeper starts a daemon within seconds.
const WINDOW_MS: u64 = 60_000;

/// The way in which a daemon died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeathCause {
    /// It crashed: by a signal of its own making, a panic or an error.
    Crash,
    /// It was killed because memory ran out.
    OutOfMemory,
    /// It was killed for another reason.
    Killed,
    /// It ended on purpose, or nothing is known.
    Unknown,
}

/// The output that a daemon was processing when it died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputWork {
    /// The program.
    pub run: RunId,
    /// The offset in its output.
    pub offset: u64,
    /// Whether the daemon was restoring the pane at its start.
    pub is_replay: bool,
}

/// The pane that the last deaths are blamed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suspect {
    /// Its program.
    pub run: RunId,
    /// The offset in its output at the last death.
    pub offset: u64,
    /// Crashes in a row.
    pub crashes: u64,
    /// Kills in a row while the same piece was replayed.
    pub kills: u64,
    /// The time of the last death.
    pub at: Timestamp,
}

impl Suspect {
    /// Whether the pane is to be set aside.
    pub fn is_set_aside(&self) -> bool {
        self.crashes >= CRASHES || self.kills >= KILLS
    }
}

/// Judges a death: returns the suspect after it, if there is one.
pub fn judge(
    before: Option<Suspect>,
    cause: DeathCause,
    work: Option<OutputWork>,
    now: Timestamp,
) -> Option<Suspect> {
    let OutputWork { run, offset, is_replay } = work?;
    let recent = |suspect: &Suspect| now.millis().abs_diff(suspect.at.millis()) < WINDOW_MS;
    let before = before.filter(|suspect| suspect.run == run && recent(suspect));
    let (crashes, kills) = before.map_or((0, 0), |suspect| (suspect.crashes, suspect.kills));
    let suspect = Suspect { run, offset, crashes, kills, at: now };
    match cause {
        DeathCause::Crash | DeathCause::OutOfMemory => {
            Some(Suspect { crashes: crashes + 1, kills: 0, ..suspect })
        }
        DeathCause::Killed if is_replay => {
            let is_stuck = before.is_some_and(|before| before.offset == offset);
            Some(Suspect { crashes: 0, kills: if is_stuck { kills + 1 } else { 1 }, ..suspect })
        }
        DeathCause::Killed | DeathCause::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(run: u8, offset: u64) -> Option<OutputWork> {
        Some(OutputWork { run: RunId::from_bytes([run; 16]), offset, is_replay: true })
    }

    fn live(run: u8, offset: u64) -> Option<OutputWork> {
        replay(run, offset).map(|work| OutputWork { is_replay: false, ..work })
    }

    /// Whether the last of these deaths, a second apart, sets its pane aside.
    fn sets_aside(deaths: &[(DeathCause, Option<OutputWork>)]) -> bool {
        let mut suspect = None;
        for (at, (cause, work)) in deaths.iter().enumerate() {
            suspect = judge(suspect, *cause, *work, Timestamp::from_millis(1_000 * at as u64));
        }
        suspect.is_some_and(|suspect| suspect.is_set_aside())
    }

    use DeathCause::{Crash, Killed, OutOfMemory, Unknown};

    #[test]
    fn the_second_crash_in_a_row_on_one_pane_sets_it_aside() {
        assert!(!sets_aside(&[(Crash, live(1, 10))]));
        assert!(sets_aside(&[(Crash, live(1, 10)), (Crash, replay(1, 0))]));
        assert!(sets_aside(&[(OutOfMemory, live(1, 10)), (Crash, replay(1, 9))]));
        assert!(!sets_aside(&[(Crash, live(1, 10)), (Crash, replay(2, 0))]), "another pane");
        assert!(!sets_aside(&[(Crash, live(1, 10)), (Crash, None), (Crash, live(1, 10))]), "not in a row");
        assert!(!sets_aside(&[(Crash, live(1, 10)), (Unknown, live(1, 10)), (Crash, live(1, 10))]));
    }

    #[test]
    fn kills_from_outside_set_nothing_aside_however_many_there_are() {
        assert!(!sets_aside(&[(Killed, live(1, 10)); 100]), "under output");
        let moving: Vec<_> = (0..100).map(|offset| (Killed, replay(1, offset))).collect();
        assert!(!sets_aside(&moving), "while it is restored, at one piece after the other");
        assert!(!sets_aside(&[(Killed, replay(1, 10)); 2]));
    }

    #[test]
    fn a_piece_of_output_during_which_every_daemon_is_killed_sets_its_pane_aside() {
        assert!(sets_aside(&[(Killed, replay(1, 10)); 3]));
        let interrupted = [(Killed, replay(1, 10)), (Killed, replay(1, 10)), (Killed, replay(2, 10))];
        assert!(!sets_aside(&interrupted));
    }

    #[test]
    fn deaths_that_are_far_apart_are_no_crash_loop() {
        let first = judge(None, Crash, live(1, 10), Timestamp::from_millis(0));
        let second = judge(first, Crash, live(1, 10), Timestamp::from_millis(WINDOW_MS));
        assert!(!second.expect("a suspect").is_set_aside());
        let second = judge(first, Crash, live(1, 10), Timestamp::from_millis(WINDOW_MS - 1));
        assert!(second.expect("a suspect").is_set_aside());
    }
}
