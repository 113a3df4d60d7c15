//! The pump, with a terminal in this process.

use super::*;

fn pump() -> (Pump, OwnedFd) {
    let pty = pty::open(80, 24).expect("a terminal");
    let (pipe_r, pipe_w) = pty::pipe().expect("a pipe");
    let segment = pty::segment().expect("a segment");
    (Pump::new(pty.master, pipe_r, pipe_w, segment).expect("a pump"), pty.slave)
}

/// A second pump over the same kernel objects.
fn successor(pump: &Pump) -> Pump {
    let [master, pipe_r, pipe_w, segment] =
        pump.fds().in_order().map(|fd| fd.try_clone_to_owned().expect("a descriptor"));
    Pump::new(master, pipe_r, pipe_w, segment).expect("a pump")
}

fn text(pump: &Pump) -> String {
    let mut buffer = vec![0; 1 << 20];
    let count = pump.read_at(0, &mut buffer).expect("readable");
    String::from_utf8_lossy(&buffer[..count]).into_owned()
}

#[test]
fn output_moves_until_the_terminal_is_drained_and_then_hung_up() {
    let (mut pump, slave) = pump();
    assert_eq!(pump.turn(100).expect("a turn"), PumpTurn { moved: 0, state: PumpState::Drained });
    rustix::io::write(&slave, b"one two").expect("written");
    assert_eq!(pump.turn(3).expect("a turn"), PumpTurn { moved: 3, state: PumpState::More });
    assert_eq!(pump.turn(100).expect("a turn"), PumpTurn { moved: 4, state: PumpState::Drained });
    rustix::io::write(&slave, b" three").expect("written");
    drop(slave);
    assert_eq!(pump.turn(100).expect("a turn"), PumpTurn { moved: 6, state: PumpState::Hangup });
    assert_eq!((text(&pump).as_str(), pump.head()), ("one two three", 13));
}

#[test]
fn a_successor_continues_where_a_killed_pump_stopped() {
    let (mut killed, slave) = pump();
    rustix::io::write(&slave, b"stored ").expect("written");
    killed.turn(100).expect("a turn");
    rustix::io::write(&slave, b"in the pipe ").expect("written");
    killed.fill_pipe(STEP_BYTES).expect("the first of the two moves");
    rustix::io::write(&slave, b"in the terminal").expect("written");
    let mut pump = successor(&killed);
    drop(killed);
    assert_eq!(pump.turn(100).expect("a turn").state, PumpState::Drained);
    assert_eq!(text(&pump), "stored in the pipe in the terminal");
}

#[test]
fn a_terminal_that_gives_a_few_bytes_is_not_read_again() {
    let (mut pump, slave) = pump();
    assert_eq!(pump.edge_turn(8000).expect("a turn"), PumpTurn { moved: 0, state: PumpState::Drained });
    writes(&slave, &pump, &[b'x'; SHORT_READ - 1]);
    assert_eq!(
        pump.edge_turn(8000).expect("a turn"),
        PumpTurn { moved: SHORT_READ - 1, state: PumpState::Short }
    );
    writes(&slave, &pump, &[b'x'; SHORT_READ]);
    assert_eq!(
        pump.edge_turn(8000).expect("a turn"),
        PumpTurn { moved: SHORT_READ, state: PumpState::Drained }
    );
    writes(&slave, &pump, &[b'x'; SHORT_READ]);
    assert_eq!(
        pump.edge_turn(SHORT_READ).expect("a turn"),
        PumpTurn { moved: SHORT_READ, state: PumpState::More }
    );
    drop(slave);
    assert_eq!(pump.edge_turn(8000).expect("a turn"), PumpTurn { moved: 0, state: PumpState::Hangup });
}

/// Writes, and waits until the kernel has delivered it all.
fn writes(slave: &OwnedFd, pump: &Pump, bytes: &[u8]) {
    rustix::io::write(slave, bytes).expect("written");
    while rustix::io::ioctl_fionread(pump.master()).expect("a count") < bytes.len() as u64 {
        std::thread::yield_now();
    }
}

#[test]
fn two_holders_take_turns() {
    let (mut one, slave) = pump();
    let mut other = successor(&one);
    for word in ["a", "b", "c", "d"] {
        rustix::io::write(&slave, word.as_bytes()).expect("written");
        one.resume().expect("a position");
        one.turn(100).expect("a turn");
        std::mem::swap(&mut one, &mut other);
    }
    assert_eq!(text(&one), "abcd");
}

#[test]
fn a_terminal_that_cannot_be_spliced_is_read() {
    let (mut pump, slave) = pump();
    rustix::io::write(&slave, b"by hand").expect("written");
    assert!(matches!(pump.copy(3), Ok(PumpStep::Moved(3))));
    assert!(matches!(pump.copy(100), Ok(PumpStep::Moved(4))));
    assert!(matches!(pump.copy(100), Ok(PumpStep::Stopped(PumpState::Drained))));
    drop(slave);
    assert!(matches!(pump.copy(100), Ok(PumpStep::Stopped(PumpState::Hangup))));
    assert_eq!(text(&pump), "by hand");
    assert!(can_splice_tty());
}

#[test]
fn output_that_the_segment_cannot_take_is_written_by_the_next_turn() {
    let (mut pump, slave) = pump();
    let fds = pump.fds().in_order().map(|fd| fd.try_clone_to_owned().expect("a descriptor"));
    let number = fds[3].as_raw_fd();
    let read_only = std::fs::File::open(format!("/proc/self/fd/{number}")).expect("the segment");
    let with_segment = |segment: OwnedFd| {
        let [master, pipe_r, pipe_w] = [0, 1, 2].map(|at: usize| fds[at].try_clone().expect("a descriptor"));
        Arc::new(PumpFds { master, pipe_r, pipe_w, segment })
    };
    pump.fds = with_segment(read_only.into());
    writes(&slave, &pump, b"kept");
    assert!(pump.copy(100).is_err());
    pump.fds = with_segment(fds[3].try_clone().expect("a descriptor"));
    pump.turn(100).expect("a turn");
    assert_eq!(text(&pump), "kept");
}

#[test]
fn freed_output_takes_no_memory() {
    let (mut pump, slave) = pump();
    for _ in 0..16 {
        writes(&slave, &pump, &[b'x'; 1 << 10]);
        pump.turn(8000).expect("a turn");
    }
    assert!(pump.memory().expect("a size") >= 16 << 10);
    pump.fds().free(pump.head()).expect("freed");
    assert!(pump.memory().expect("a size") <= 4 << 10);
}
