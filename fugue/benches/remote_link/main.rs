//! A session on another host over a long line with losses: typing, a flood and its end, compared with tmux over ssh.
//! Needs sshd and tmux.
//!
//! `cargo bench -p fugue --bench remote_link`

mod slow_link;

use std::process::Command;
use std::time::{Duration, Instant};

use fugue_testkit::{SshHosts, TestTerminal};
use slow_link::{Line, SlowLink};

/// A line to another continent.
const LINE: Line = Line { round_trip: Duration::from_millis(100), loss: 1, bytes_per_second: 1_250_000 };

/// Keys that are typed, at the pace of a quick person.
const KEYS: usize = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// The lines of the flood, about 14 MB.
const FLOOD: usize = 2_000_000;

fn main() {
    let fugue = env!("CARGO_BIN_EXE_fugue");
    let hosts = SshHosts::start(fugue);
    let link = SlowLink::new(hosts.port(), LINE);
    hosts.lead_through(link.port);
    hosts.there.ok(&["new", "-d", "-s", "work", "--", "env", "PS1=@", "sh"]);
    println!(
        "{:<22} {:>8} {:>9} {:>9} {:>8} {:>10} {:>8} {:>10} {:>8}",
        "", "attach", "echo p50", "echo p95", "up/key", "down/key", "flood", "flood", "C-c"
    );
    let attach = || hosts.terminal(&["--host", "box", "attach", "work"]);
    measure("fugue", &link, attach);
    let config = hosts.here.path().join("config/fugue");
    std::fs::create_dir_all(&config).expect("a directory");
    std::fs::write(config.join("config.toml"), "[client]\npredict_echo = \"never\"\n").expect("written");
    measure("fugue, no prediction", &link, attach);
    measure("ssh and tmux", &link, || TestTerminal::spawn(tmux(&hosts), 80, 24));
    let _ = ssh(&hosts).args(["box", "tmux", "-L", "line", "kill-server"]).status();
}

fn ssh(hosts: &SshHosts) -> Command {
    let mut command = Command::new("ssh");
    command.arg("-F").arg(hosts.here.path().join("ssh_config")).args(["-o", "Compression=yes"]);
    command
}

fn tmux(hosts: &SshHosts) -> Command {
    let mut command = ssh(hosts);
    command.args(["-t", "box", "tmux", "-L", "line", "-f", "/dev/null", "new", "env PS1=@ sh"]);
    command
}

fn measure(system: &str, link: &SlowLink, attach: impl FnOnce() -> TestTerminal) {
    let start = Instant::now();
    let mut terminal = attach();
    terminal.sees("the prompt", |terminal| terminal.picture().contains('@'));
    let attached = start.elapsed();
    // What was typed in the last measurement is on the screen.
    terminal.send("clear\r");
    terminal.until("a clear screen", |terminal| terminal.picture().starts_with("@\n"));
    let before = link.passed();
    let mut echoes: Vec<_> = (1..=KEYS).map(|count| echo(&mut terminal, count)).collect();
    let after = link.passed();
    echoes.sort_unstable();
    let per_key = |from: u64, to: u64| (to - from) / KEYS as u64;
    let (up, down) = (per_key(before.0, after.0), per_key(before.1, after.1));
    terminal.send("\x15");
    let (flood, bytes) = flood(&mut terminal, link);
    println!(
        "{system:<22} {:>5} ms {:>6} ms {:>6} ms {:>6} B {:>8} B {:>6.1} s {:>7} KB {:>5} ms",
        attached.as_millis(),
        echoes[KEYS / 2].as_millis(),
        echoes[KEYS * 95 / 100].as_millis(),
        up,
        down,
        flood.as_secs_f64(),
        bytes / 1000,
        interrupt(&mut terminal).as_millis()
    );
}

/// The time from a key to its echo, the one of this number in the line.
fn echo(terminal: &mut TestTerminal, count: usize) -> Duration {
    std::thread::sleep(PAUSE);
    let typed = Instant::now();
    terminal.send("x");
    let echoed = "x".repeat(count);
    terminal.sees("the echo", |terminal| terminal.picture().contains(&echoed));
    typed.elapsed()
}

/// The time until the end of a flood is shown, and the bytes that it took.
fn flood(terminal: &mut TestTerminal, link: &SlowLink) -> (Duration, u64) {
    let (_, before) = link.passed();
    let start = Instant::now();
    terminal.send(format!("seq {FLOOD}; echo 'do'ne\r"));
    terminal.sees("the end of the flood", |terminal| terminal.picture().contains("\ndone"));
    (start.elapsed(), link.passed().1 - before)
}

/// The time from `C-c` in an endless flood until the prompt is shown.
fn interrupt(terminal: &mut TestTerminal) -> Duration {
    terminal.send("yes\r");
    terminal.sees("the flood", |terminal| terminal.picture().contains("\ny\ny\n"));
    // Until the line is as full as it gets.
    std::thread::sleep(3 * LINE.round_trip);
    let typed = Instant::now();
    terminal.send("\x03");
    terminal.sees("the prompt", |terminal| terminal.picture().contains("^C"));
    typed.elapsed()
}
