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

/// Removes what a submit that was told as unknown left in front of the next line.
fn without_remainder<'a>(shown: &'a str, unacknowledged: &[(String, String)]) -> &'a str {
    let Some(at) = shown.rfind("submit").filter(|at| *at > 0) else { return shown };
    let is_told = unacknowledged.iter().any(|(line, _)| line.starts_with(&shown[..at]));
    if is_told { &shown[at..] } else { shown }
}

fn compare(record: &str, acknowledged: &[String], unacknowledged: &[(String, String)], tally: &mut Tally) {
    let record: Vec<_> = record.lines().map(|shown| without_remainder(shown, unacknowledged)).collect();
    for line in acknowledged {
        match record.iter().filter(|shown| *shown == line).count() {
            0 => tally.lose(1, || line.clone()),
            count => tally.double(count - 1, || line.clone()),
        }
    }
    let place = |shown: &str| acknowledged.iter().position(|line| line == shown);
    let is_told = |shown: &str| unacknowledged.iter().any(|(line, _)| line == shown);
    let is_known = |shown: &str| shown == "submitted all" || is_told(shown) || place(shown).is_some();
    for shown in record.iter().filter(|shown| !is_known(shown)) {
        tally.mistake(|| format!("recorded {shown:?}; not acknowledged: {unacknowledged:?}"));
    }
    if !record.iter().filter_map(|shown| place(shown)).is_sorted() {
        tally.mistake(|| "the lines are not in order".into());
    }
}
