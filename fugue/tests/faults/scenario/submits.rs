//! Lines that are submitted to a program that records them: acknowledged ones whole, once and in order.

use std::fs;

use fugue_testkit::{TestServer, until};

use super::tally::Tally;
use super::{Stage, pause};

const RECORD: &str = "submitted";

pub(super) fn start(server: &TestServer) -> String {
    server.session("submits", &["sh", "-c", "exec cat > submitted"])
}

pub(super) fn run(stage: &Stage<'_>, pane: &str) -> Tally {
    let (mut tally, mut random) = (Tally::new("submitted lines"), stage.random(5));
    let (mut acknowledged, mut unacknowledged) = (Vec::new(), Vec::new());
    let mut number = 0;
    while !stage.is_over() {
        number += 1;
        let length = usize::try_from(random.below(60)).expect("small");
        let line = format!("submit-{number}-{}", "x".repeat(length));
        let words = ["send-input", "-t", pane, "--submit", &line];
        let sent = tally.timed(|| stage.server.run(&words));
        if sent.code == 0 {
            acknowledged.push(line);
        } else {
            unacknowledged.push((line, sent.err));
        }
        pause(&mut random, 200);
    }
    stage.server.ok(&["send-input", "-t", pane, "--submit", "submitted all"]);
    let record = || fs::read_to_string(stage.server.path().join(RECORD)).unwrap_or_default();
    until("the last line was read", || record().contains("submitted all\n"));
    compare(&record(), &acknowledged, &unacknowledged, &mut tally);
    tally.counts = format!("{} acknowledged, {} told as unknown", acknowledged.len(), unacknowledged.len());
    tally
}

fn compare(record: &str, acknowledged: &[String], unacknowledged: &[(String, String)], tally: &mut Tally) {
    for line in acknowledged {
        match record.lines().filter(|shown| shown == line).count() {
            0 => tally.lose(1, || line.clone()),
            count => tally.double(count - 1, || line.clone()),
        }
    }
    let told = |shown: &str| unacknowledged.iter().any(|(line, _)| line == shown);
    let known = |shown: &str| {
        shown == "submitted all" || told(shown) || acknowledged.iter().any(|line| line == shown)
    };
    for shown in record.lines().filter(|shown| !known(shown)) {
        tally.mistake(|| format!("recorded {shown:?}; not acknowledged: {unacknowledged:?}"));
    }
    let order: Vec<_> =
        record.lines().filter(|shown| acknowledged.iter().any(|line| line == shown)).collect();
    if !order.is_sorted_by_key(|line| acknowledged.iter().position(|other| other == line)) {
        tally.mistake(|| "the lines are not in order".into());
    }
}
