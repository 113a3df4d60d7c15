//! Whom the kernel kills when the machine is out of memory: a number between -1000 (never) and 1000 that it adds to the
//! thousandths of the memory that a process uses.

use std::fs;
use std::io;

const FILE: &str = "/proc/self/oom_score_adj";

/// By how much programs in panes are raised. More than the thousandths of the memory that fugue itself ever uses, so that a
/// program dies before fugue; hardly more than that, because a person's other programs are not worth more than those in panes.
pub const PROGRAMS_RAISED_BY: i32 = 100;

/// The number of processes that keep a person's programs running. Only root may lower it; where the kernel kills without regard
/// to limits, it still prefers them to nothing.
const PROTECTED: i32 = -500;

/// Returns the number of this process.
pub fn own_score() -> Option<i32> {
    fs::read_to_string(FILE).ok()?.trim().parse().ok()
}

/// Sets the number of this process, which those that it starts inherit. An ordinary user may only raise it.
pub fn set_own_score(score: i32) -> io::Result<()> {
    fs::write(FILE, score.clamp(-1000, 1000).to_string())
}

/// Lowers the number of this process as far as its user may.
pub fn protect() {
    if own_score().is_some_and(|own| own > PROTECTED) {
        // Refused to everybody but root: the number stays, and those of programs are raised instead.
        let _ = set_own_score(PROTECTED);
    }
}
