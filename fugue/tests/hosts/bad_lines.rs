//! Typing over a line that is cut within frames, stands still, or is slow: no key is lost or doubled.

use std::time::Duration;

use fugue_testkit::{CuttingProxy, Random, TestTerminal};

use crate::sshd::Hosts;

/// A client that is attached over a proxy to a session on the other host whose program prints what it is given.
fn attached() -> (Hosts, CuttingProxy, TestTerminal) {
    let hosts = Hosts::start();
    let proxy = CuttingProxy::new(hosts.port());
    hosts.lead_through(proxy.port);
    hosts.there.session("far", &["sh", "-c", "stty -echo; echo ready; exec cat"]);
    let mut terminal = hosts.terminal(&["attach", "box:far"]);
    terminal.shows("ready");
    (hosts, proxy, terminal)
}

/// Checks that exactly these lines were typed, in this order.
fn check_typed(hosts: &Hosts, count: usize) {
    let pane = hosts.there.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    let text = hosts.there.text(&pane);
    let typed: Vec<&str> = text.lines().filter(|line| line.starts_with("line ")).collect();
    let expected: Vec<String> = (0..count).map(|number| format!("line {number}.")).collect();
    assert_eq!(typed, expected, "no key is lost or doubled");
}

#[test]
fn a_hundred_lines_arrive_once_though_the_line_is_cut_within_frames() {
    let (hosts, proxy, mut terminal) = attached();
    let seed = u64::from(std::process::id());
    eprintln!("seed {seed}");
    let mut random = Random(seed);
    for number in 0..100 {
        if number % 10 == 0 {
            // Five lines of their own are at least ten packets of 60 bytes.
            let bytes = random.below(500);
            eprintln!("cut after {bytes} bytes");
            proxy.cut_after(bytes);
        }
        terminal.send(format!("line {number}.\r"));
        // Half of the lines are typed as fast as it goes, the others one after the other, each in packets of its own.
        if number % 10 >= 5 {
            terminal.shows(&format!("line {number}."));
        }
    }
    assert!(proxy.cuts() >= 8, "{} cuts", proxy.cuts());
    check_typed(&hosts, 100);
}

#[test]
fn a_hundred_lines_arrive_once_though_the_line_stands_still() {
    let (hosts, proxy, mut terminal) = attached();
    for number in 0..100 {
        terminal.send(format!("line {number}.\r"));
        match number {
            // The same connection goes on after a while.
            20 => proxy.stand_still(),
            40 => {
                terminal.shows("not responding");
                proxy.go_on();
                terminal.shows("line 40.");
            }
            // The connection never goes on, and another one takes its place.
            60 => proxy.stand_still(),
            _ => {}
        }
    }
    terminal.shows("line 99.");
    assert!(proxy.connections() > 1, "the line was opened again");
    check_typed(&hosts, 100);
}

#[test]
fn a_hundred_lines_arrive_once_over_a_slow_line_that_is_cut() {
    let (hosts, proxy, mut terminal) = attached();
    proxy.delay(Duration::from_millis(40));
    for number in 0..100 {
        if number % 25 == 10 {
            proxy.cut_after(700);
        }
        terminal.send(format!("line {number}.\r"));
        if number % 25 == 24 {
            terminal.shows(&format!("line {number}."));
        }
    }
    check_typed(&hosts, 100);
}
