//! How programs are ended, asked first.

mod common;

use common::acting::{Acting, shell};
use common::{Stage, lives, until, wait_for};
use fugue_keeper::{Exit, Message, SpawnRequest};

fn daemon(stage: &Stage) -> Acting {
    let daemon = stage.daemon();
    assert!(daemon.take().is_empty());
    daemon
}

#[test]
fn a_forgotten_program_hears_that_its_terminal_is_gone() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    let mut screen =
        daemon.spawn(shell(1, "trap 'echo saved; exit' HUP; echo up; while :; do sleep 0.01; done"));
    screen.shows("up");
    daemon.tell(&Message::Forget { pane: [1; 16] });
    screen.shows("saved");
    until("gone", || !lives(screen.pid));
}

#[test]
fn a_stubborn_program_is_killed_with_what_it_started() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    let mut screen = daemon.spawn(shell(1, "trap '' HUP; sleep 1000 & echo helper $! .; wait"));
    let helper = helper(&screen.shows(" ."));
    daemon.tell(&Message::Forget { pane: [1; 16] });
    until("gone", || !lives(screen.pid) && !lives(helper));
}

#[test]
fn a_stubborn_job_in_the_foreground_of_a_shell_is_killed_too() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    let argv = ["bash", "--norc", "-i"].map(Into::into).to_vec();
    let mut screen = daemon.spawn(SpawnRequest { program: "/bin/bash".into(), argv, ..shell(1, "") });
    screen.types("sh -c 'trap \"\" HUP; echo helper $$ .; while :; do sleep 0.01; done'\n");
    let helper = helper(&screen.shows(" .\r\n"));
    daemon.tell(&Message::Forget { pane: [1; 16] });
    until("gone", || !lives(screen.pid) && !lives(helper));
}

#[test]
fn a_stopped_program_is_ended() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    let screen = daemon.spawn(shell(1, "kill -STOP $$"));
    until("stopped", || state(screen.pid) == Some('T'));
    daemon.tell(&Message::Forget { pane: [1; 16] });
    until("gone", || !lives(screen.pid));
}

#[test]
fn no_zombie_stays() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    let screens: Vec<_> = (1..=5).map(|number| daemon.spawn(shell(number, "read go"))).collect();
    daemon.tell(&Message::Spawn(SpawnRequest { program: "/no/such/program".into(), ..shell(9, "") }));
    assert!(matches!(daemon.hear().0, Message::SpawnFailed { .. }));
    (1..=5).for_each(|number| daemon.tell(&Message::Forget { pane: [number; 16] }));
    until("collected", || screens.iter().all(|screen| state(screen.pid).is_none()));
    let children = format!("/proc/{0}/task/{0}/children", daemon.keeper());
    let only_daemon =
        || std::fs::read_to_string(&children).is_ok_and(|pids| pids.split_whitespace().count() == 1);
    until("alone with its daemon", only_daemon);
}

#[test]
fn an_exited_pane_can_be_forgotten_and_its_id_used_again() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    daemon.spawn(shell(1, "exit 3"));
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(3));
    daemon.tell(&Message::Forget { pane: [1; 16] });
    daemon.tell(&Message::Forget { pane: [1; 16] });
    daemon.spawn(shell(1, "exit 4"));
    assert_eq!(daemon.exit_of([1; 16]), Exit::Code(4));
}

#[test]
fn a_shutdown_ends_every_program_and_then_the_keeper() {
    let stage = Stage::new();
    let daemon = daemon(&stage);
    let keeper = daemon.keeper();
    (0..200).for_each(|number| drop(daemon.spawn(shell(number, "read go"))));
    daemon.tell(&Message::Shutdown);
    for _ in 0..200 {
        assert!(matches!(daemon.hear().0, Message::Exited { exit: Exit::Signal(libc::SIGHUP), .. }));
    }
    wait_for(&daemon.link);
    let end = daemon.link.try_recv().map(|_| ()).expect_err("the keeper is gone");
    assert_eq!(end.kind(), std::io::ErrorKind::UnexpectedEof);
    assert!(!lives(keeper) || state(keeper).is_none_or(|state| state != 'S'));
}

fn helper(text: &str) -> i32 {
    let words: Vec<_> = text.split_whitespace().collect();
    let at = words.iter().rposition(|&word| word == "helper").expect("a helper");
    words[at + 1].parse().expect("its pid")
}

fn state(pid: i32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}
