//! fugue and tmux run the same lines, and have the same windows, panes, sizes, names and focus afterwards. The lines are
//! random, but the same in every run: rows of commands with targets, after rows of lines that arrange a window.
//! `docs/tmux.md` lists the differences that are meant; [`meant`] leaves them out.
//!
//! `FUGUE_DIFFERENCE_SEED` and `FUGUE_DIFFERENCE_SCRIPTS` choose other scripts, and how many.

mod meant;
mod scripts;
mod servers;

use scripts::{Kind, Script};
use servers::{Fugue, Multiplexer, Tmux};

/// How many scripts of each kind: together they take some seconds on two processors.
const SCRIPTS: usize = 50;

/// The most differences that are printed.
const SHOWN: usize = 10;

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// Runs scripts of a kind in both programs, and says where they differ.
#[track_caller]
fn same(kind: Kind) {
    let count = number("FUGUE_DIFFERENCE_SCRIPTS", SCRIPTS as u64) as usize;
    let scripts = scripts::random(kind, number("FUGUE_DIFFERENCE_SEED", 1), count);
    let (ours, theirs) = std::thread::scope(|scope| {
        let theirs = scope.spawn(|| Tmux::new().run(&scripts));
        (Fugue::new().run(&scripts), theirs.join().expect("tmux runs"))
    });
    let differences: Vec<String> = scripts
        .iter()
        .enumerate()
        .filter_map(|(at, script)| difference(script, &ours[at], &theirs[at]))
        .collect();
    let shown = differences.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} of {count} scripts differ:\n\n{shown}", differences.len());
}

/// The first difference between what a script led to in both programs, line by line.
fn difference(script: &Script, ours: &[String], theirs: &[String]) -> Option<String> {
    assert_eq!((ours.len(), theirs.len()), (script.lines.len(), script.lines.len()), "{:?}", script.lines);
    for (at, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let lines = &script.lines[..=at];
        if meant::ends(lines, ours, theirs) {
            return None;
        }
        let (ours, theirs) = (meant::compared(ours, lines), meant::compared(theirs, lines));
        if ours != theirs {
            let lines = lines.join("\n");
            return Some(format!("{lines}\n--- tmux\n{theirs}\n--- fugue\n{ours}"));
        }
    }
    None
}

#[test]
fn panes_are_arranged_as_in_tmux() {
    same(Kind::Layouts);
}

#[test]
fn panes_move_and_are_focused_as_in_tmux() {
    same(Kind::Panes);
}

#[test]
fn windows_move_and_are_current_as_in_tmux() {
    same(Kind::Windows);
}

#[test]
fn targets_name_the_same_as_in_tmux() {
    same(Kind::Targets);
}

#[test]
fn options_hold_where_they_do_in_tmux() {
    same(Kind::Options);
}

#[test]
fn buffers_have_the_names_and_contents_that_they_have_in_tmux() {
    same(Kind::Buffers);
}

#[test]
fn formats_print_what_they_print_in_tmux() {
    same(Kind::Texts);
}
