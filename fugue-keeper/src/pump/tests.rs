//! The pump, with a terminal in this process.

use super::*;

fn pump() -> (Pump, OwnedFd) {
    let pty = pty::open(80, 24).expect("a terminal");
    let (pipe_r, pipe_w) = pty::pipe().expect("a pipe");
    let segment = pty::segment().expect("a segment");
    (Pump::new(pty.master, pipe_r, pipe_w, segment).expect("a pump"), pty.slave)
}

/// The same kernel objects in other hands.
fn successor(pump: &Pump) -> Pump {
    let [master, pipe_r, pipe_w, segment] =
        pump.fds().map(|fd| fd.try_clone_to_owned().expect("a descriptor"));
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
    assert_eq!(pump.turn(100).expect("a turn"), Turn { moved: 0, state: State::Drained });
    rustix::io::write(&slave, b"one two").expect("written");
    assert_eq!(pump.turn(3).expect("a turn"), Turn { moved: 3, state: State::More });
    assert_eq!(pump.turn(100).expect("a turn"), Turn { moved: 4, state: State::Drained });
    rustix::io::write(&slave, b" three").expect("written");
    drop(slave);
    assert_eq!(pump.turn(100).expect("a turn"), Turn { moved: 6, state: State::Hangup });
    assert_eq!((text(&pump).as_str(), pump.head()), ("one two three", 13));
}

#[test]
fn a_successor_goes_on_where_a_killed_pump_stopped_between_two_moves() {
    let (mut killed, slave) = pump();
    rustix::io::write(&slave, b"stored ").expect("written");
    killed.turn(100).expect("a turn");
    rustix::io::write(&slave, b"in the pipe ").expect("written");
    killed.fill_pipe(STEP).expect("the first of the two moves");
    rustix::io::write(&slave, b"in the terminal").expect("written");
    let mut pump = successor(&killed);
    drop(killed);
    assert_eq!(pump.turn(100).expect("a turn").state, State::Drained);
    assert_eq!(text(&pump), "stored in the pipe in the terminal");
}

#[test]
fn a_terminal_that_gives_a_few_bytes_is_not_asked_again() {
    let (mut pump, slave) = pump();
    assert_eq!(pump.edge_turn(8000).expect("a turn"), Turn { moved: 0, state: State::Drained });
    writes(&slave, &pump, &[b'x'; FEW - 1]);
    assert_eq!(pump.edge_turn(8000).expect("a turn"), Turn { moved: FEW - 1, state: State::Short });
    writes(&slave, &pump, &[b'x'; FEW]);
    assert_eq!(pump.edge_turn(8000).expect("a turn"), Turn { moved: FEW, state: State::Drained });
    writes(&slave, &pump, &[b'x'; FEW]);
    assert_eq!(pump.edge_turn(FEW).expect("a turn"), Turn { moved: FEW, state: State::More });
    drop(slave);
    assert_eq!(pump.edge_turn(8000).expect("a turn"), Turn { moved: 0, state: State::Hangup });
}

/// Writes, and waits until the kernel has brought it all.
fn writes(slave: &OwnedFd, pump: &Pump, bytes: &[u8]) {
    rustix::io::write(slave, bytes).expect("written");
    while rustix::io::ioctl_fionread(&pump.master).expect("a count") < bytes.len() as u64 {
        std::thread::yield_now();
    }
}

#[test]
fn two_holders_take_turns() {
    let (mut one, slave) = pump();
    let mut other = successor(&one);
    for word in ["a", "b", "c", "d"] {
        rustix::io::write(&slave, word.as_bytes()).expect("written");
        one.resume().expect("it looks");
        one.turn(100).expect("a turn");
        std::mem::swap(&mut one, &mut other);
    }
    assert_eq!(text(&one), "abcd");
}

#[test]
fn a_terminal_that_does_not_splice_is_read() {
    let (mut pump, slave) = pump();
    rustix::io::write(&slave, b"by hand").expect("written");
    assert!(matches!(pump.copy(3), Ok(Step::Moved(3))));
    assert!(matches!(pump.copy(100), Ok(Step::Moved(4))));
    assert!(matches!(pump.copy(100), Ok(Step::Over(State::Drained))));
    drop(slave);
    assert!(matches!(pump.copy(100), Ok(Step::Over(State::Hangup))));
    assert_eq!(text(&pump), "by hand");
    assert!(tty_splices());
}
