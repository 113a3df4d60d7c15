//! Whole screens at two sizes.

use fugue_testkit::TestTerminal;
use insta::assert_snapshot;

use crate::{SIZES, attached, test_server};
use fugue_screen::Color;

/// Runs a scenario at each size; its snapshots are named after the scenario and the size.
fn at_each_size(scenario: &str, run: impl Fn(&mut TestTerminal)) {
    for (cols, rows) in SIZES {
        let server = test_server();
        let mut terminal = attached(&server, cols, rows);
        run(&mut terminal);
        assert_snapshot!(format!("{scenario}-{cols}x{rows}"), terminal.picture());
    }
}

/// Waits until this many prompts are shown.
fn prompts(terminal: &mut TestTerminal, count: usize) {
    terminal.until(&format!("{count} prompts"), |terminal| {
        terminal.picture().matches(['$', '#']).count() == count
    });
}

#[test]
fn the_first_run_creates_a_session() {
    for (cols, rows) in SIZES {
        let server = test_server();
        let mut terminal = server.terminal(&[], cols, rows);
        terminal.shows("\n[cursor 0,2]");
        terminal.shows("C-b d  detaches; programs keep running");
        assert_snapshot!(format!("welcome-{cols}x{rows}"), terminal.picture());
        terminal.send("echo 漢字 and more\r");
        terminal.until("the echo", |terminal| terminal.picture().matches("漢字 and more").count() == 2);
        assert_snapshot!(format!("first-run-{cols}x{rows}"), terminal.picture());
    }
}

#[test]
fn panes_are_split_with_borders_and_titles() {
    at_each_size("split", |terminal| {
        terminal.prefix("%");
        crate::shows_panes(terminal, 2);
        prompts(terminal, 2);
        terminal.prefix("\"");
        crate::shows_panes(terminal, 3);
        prompts(terminal, 3);
        terminal.prefix(":");
        terminal.send("rename-pane logs\r");
        terminal.shows("─ logs ─");
    });
}

#[test]
fn a_pane_is_zoomed_and_unzoomed() {
    at_each_size("zoom", |terminal| {
        terminal.prefix("%");
        crate::shows_panes(terminal, 2);
        prompts(terminal, 2);
        terminal.prefix("z");
        terminal.shows("*Z");
        terminal.until("no border", |terminal| !terminal.picture().contains('│'));
    });
}

#[test]
fn a_key_moves_a_border() {
    at_each_size("resize", |terminal| {
        terminal.prefix("%");
        crate::shows_panes(terminal, 2);
        prompts(terminal, 2);
        let before = column(terminal);
        terminal.prefix("\x1b[1;3D");
        terminal.until("the border five columns to the left", |terminal| column(terminal) == before - 5);
        prompts(terminal, 2);
    });
}

fn column(terminal: &TestTerminal) -> usize {
    let picture = terminal.picture();
    picture.lines().next().and_then(|row| row.chars().position(|c| c == '│')).unwrap_or(0)
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    prompts(&mut terminal, 2);
    terminal.resize(100, 30);
    terminal
        .until("the new size", |terminal| column(terminal) == 50 && terminal.picture().lines().count() == 31);
    terminal.until("the status line at the bottom", |terminal| {
        terminal.screen().screen_rows().last().is_some_and(|row| row.contains("0:sh*"))
    });
    assert_snapshot!("another-size", terminal.picture());
}

#[test]
fn two_clients_of_different_size_see_one_window() {
    for (cols, rows) in SIZES {
        let server = test_server();
        let mut large = attached(&server, cols, rows);
        let mut small = server.terminal(&["attach", "work"], 60, 15);
        small.shows("$");
        // Every row below the smaller window is filled, down to the status line; the first of them says why.
        large.until("the smaller window", |terminal| {
            let shown = terminal.screen().screen_rows();
            let below = &shown[15..shown.len() - 1];
            shown[14].starts_with(" 60x14, sized by another terminal ·")
                && below
                    .iter()
                    .all(|row| row.chars().filter(|cell| *cell == '·').count() == usize::from(cols))
        });
        assert_snapshot!(format!("two-clients-large-{cols}x{rows}"), large.picture());
        large.send("echo from the large one\r");
        large.until("its own size again", |terminal| {
            !terminal.picture().contains('·') && terminal.picture().matches("from the large one").count() == 2
        });
        small.until("the echo", |terminal| terminal.picture().matches("from the large one").count() == 2);
        assert_snapshot!(format!("two-clients-small-beside-{cols}x{rows}"), small.picture());
    }
}

#[test]
fn a_window_does_not_keep_the_size_of_a_detached_client() {
    let server = test_server();
    let mut large = attached(&server, 80, 24);
    let mut small = server.terminal(&["attach", "work"], 60, 15);
    small.shows("$");
    large.until("the smaller window", |terminal| terminal.picture().contains('·'));
    small.prefix("d");
    assert_eq!(small.wait_for_exit(), 0);
    large.until("its own size", |terminal| !terminal.picture().contains('·'));
}

#[test]
fn a_long_paste_into_a_list_or_prompt_is_truncated() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    let paste = format!("\x1b[200~{}\x1b[201~", "some words ".repeat(20_000));
    terminal.prefix("P");
    terminal.shows("╭─ Run");
    terminal.send(&paste);
    terminal.shows("│ > some words some words");
    terminal.send("\x1b");
    terminal.until("the list is gone", |terminal| !terminal.picture().contains("╭─ Run"));
    terminal.prefix(":");
    terminal.send(&paste);
    terminal.shows("words some");
    terminal.send("\x15rename-window here\r");
    terminal.shows("0:here");
}

#[test]
fn programs_keep_running_while_no_client_is_attached() {
    for (cols, rows) in SIZES {
        let server = test_server();
        let mut terminal = attached(&server, cols, rows);
        terminal.send("echo before\r");
        terminal.until("the echo", |terminal| terminal.picture().matches("before").count() == 2);
        terminal.prefix("d");
        assert_eq!(terminal.wait_for_exit(), 0);
        assert_snapshot!(format!("detached-{cols}x{rows}"), terminal.picture());
        let mut terminal = server.terminal(&["attach"], cols, rows);
        terminal.shows("work");
        terminal.until("the earlier output", |terminal| terminal.picture().matches("before").count() == 2);
        assert_snapshot!(format!("reattached-{cols}x{rows}"), terminal.picture());
    }
}

#[test]
fn a_list_of_keys_can_be_searched() {
    at_each_size("help", |terminal| {
        terminal.prefix("?");
        terminal.shows("╭─ Keys");
        terminal.send("zoom");
        terminal.shows("│ > zoom ");
    });
}

#[test]
fn windows_are_created_renamed_and_selected() {
    at_each_size("windows", |terminal| {
        terminal.prefix("c");
        terminal.shows("1:sh*");
        terminal.prefix(",");
        terminal.shows("Rename window:");
        terminal.send("\x15logs\r");
        terminal.shows("1:logs*");
        terminal.prefix("0");
        terminal.shows("0:sh*");
        terminal.prefix("w");
        terminal.shows("╭─ Windows");
        terminal.until("the tree and a preview", |terminal| {
            terminal.picture().contains("1: logs") && terminal.picture().contains('$')
        });
    });
}

#[test]
fn a_popup_covers_the_panes_until_its_program_exits() {
    at_each_size("popup", |terminal| {
        terminal.prefix("%");
        prompts(terminal, 2);
        terminal.prefix(":");
        terminal.send("display-popup -w 40 -h 6 -- sh -c 'echo in a box; read line; exit'\r");
        terminal.until("the popup", |terminal| terminal.picture().contains("│in a box"));
        terminal.until("its cursor", |terminal| {
            let cursor = terminal.screen().cursor();
            let row = terminal.screen().screen_rows()[usize::from(cursor.row) - 1].clone();
            row.contains("in a box")
        });
    });
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":");
    terminal.send("display-popup -E -- sh -c 'echo in a box; read line; exit'\r");
    terminal.shows("in a box");
    terminal.send("done\r");
    terminal.until("the panes alone", |terminal| !terminal.picture().contains('╭'));
    // A program that exits at once leaves no popup, and keys go to the pane.
    terminal.prefix(":");
    terminal.send("display-popup -E true\r");
    // Keys typed before the exit is known belong to the popup and are discarded with it.
    let pane = server.json(&["list-panes"])["panes"][0]["pane_id"].as_str().expect("a pane").to_owned();
    let wait = ["wait", "-t", &pane, "--match", "^still here$", "--timeout-ms", "1000"];
    let typed = (0..60).any(|_| {
        terminal.send("echo still'' here\r");
        server.run(&wait).code == 0
    });
    assert!(typed, "{}", server.text(&pane));
    terminal.shows("\nstill here\n");
    assert!(!terminal.picture().contains('╭'), "{}", terminal.picture());
}

#[test]
fn input_to_one_synchronized_pane_reaches_the_others() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    prompts(&mut terminal, 2);
    terminal.prefix(":");
    terminal.send("sync-panes\r");
    terminal.shows("Input is sent to 2 panes");
    terminal.send("echo both\r");
    terminal.until("both echoes", |terminal| terminal.picture().matches("both").count() == 4);
}

#[test]
fn synchronized_panes_are_those_of_their_window_also_later_ones() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix(":set -w synchronize-panes\r");
    terminal.shows("opened in this window will be synchronized");
    terminal.prefix("%");
    prompts(&mut terminal, 2);
    terminal.prefix("c");
    terminal.shows("1:sh*");
    prompts(&mut terminal, 1);
    terminal.prefix("%");
    prompts(&mut terminal, 2);
    terminal.prefix(":setw synchronize-panes\r");
    terminal.shows("Input is sent to 2 panes");
    terminal.shows("0:sh-⇉ ");
    terminal.send("echo here\r");
    terminal.until("both echoes", |terminal| terminal.picture().matches("here").count() == 4);
    // A pane that is closed gets nothing, and nobody complains.
    terminal.prefix("x");
    terminal.shows("(y/N)");
    terminal.send("y");
    terminal.until("one pane", |terminal| !terminal.picture().contains('│'));
    terminal.send("clear; echo alone\r");
    terminal.until("its output", |terminal| terminal.picture().starts_with("alone\n"));
    terminal.prefix("0");
    prompts(&mut terminal, 2);
    assert!(!terminal.picture().contains("here"), "{}", terminal.picture());
    terminal.send("echo first\r");
    terminal.until("both echoes", |terminal| terminal.picture().matches("first").count() == 4);
}

#[test]
fn a_format_says_whether_panes_are_synchronized() {
    let server = test_server();
    let mut terminal = attached(&server, 80, 24);
    terminal.prefix("%");
    prompts(&mut terminal, 2);
    let toggle = ":setw synchronize-panes; display 'sync #{?pane_synchronized,on,off}'\r";
    for said in ["sync on", "sync off", "sync on"] {
        terminal.prefix(toggle);
        terminal.shows(said);
    }
    terminal.prefix(":list-panes -F 'pane #P #{pane_synchronized}'\r");
    terminal.shows("pane 0 1");
    terminal.shows("pane 1 1");
    terminal.send("\x03");
    terminal.prefix(":show -w synchronize-panes\r");
    terminal.shows("synchronize-panes on");
    // Only the client knows.
    let shell = server.run(&["show", "-wv", "synchronize-panes"]);
    assert!(shell.err.starts_with("only an attached client knows synchronize-panes\nhint: "), "{shell:?}");
}

#[test]
fn input_reaches_only_the_panes_chosen_for_synchronization() {
    let server = test_server();
    let mut terminal = attached(&server, 90, 24);
    terminal.prefix("%");
    prompts(&mut terminal, 2);
    terminal.prefix("%");
    prompts(&mut terminal, 3);
    terminal.prefix(":sync-pane\r");
    terminal.shows("1 pane selected");
    terminal.prefix("o");
    terminal.until("the first pane", |terminal| terminal.screen().cursor().col < 40);
    terminal.prefix(":sync-pane\r");
    terminal.shows("Input is sent to 2 panes");
    terminal.send("echo chosen\r");
    terminal.until("two echoes", |terminal| terminal.picture().matches("chosen").count() == 4);
    terminal.shows("0:sh*⇉");
    // Input to a pane that was not chosen reaches only that pane.
    terminal.prefix("o");
    terminal.until("the pane between", |terminal| (45..70).contains(&terminal.screen().cursor().col));
    terminal.send("echo alone\r");
    terminal.until("the echo", |terminal| terminal.picture().matches("alone").count() == 2);
    assert_eq!(terminal.picture().matches("chosen").count(), 4, "{}", terminal.picture());
    terminal.prefix(":sync-panes off\r");
    terminal.shows("no longer synchronized");
    terminal.until("no mark", |terminal| !terminal.picture().contains('⇉'));
}

#[test]
fn the_palette_finds_commands_by_a_few_letters() {
    at_each_size("palette", |terminal| {
        terminal.prefix("P");
        terminal.shows("╭─ Run");
        terminal.send("new pane belo");
        terminal.shows("│ > new pane belo ");
    });
}

/// The background colors of the first and the last cell of a row.
fn backgrounds(terminal: &TestTerminal, row: usize) -> (Color, Color) {
    let spans = &terminal.screen().update_since(0).rows[row].1.spans;
    let first = spans.first().map_or(Color::Default, |span| span.style.bg);
    let width: usize = spans.iter().map(|span| span.text.chars().count() * usize::from(span.width)).sum();
    let last = spans.last().filter(|_| width == 80).map_or(Color::Default, |span| span.style.bg);
    (first, last)
}

#[test]
fn a_program_that_sets_terminal_colors_changes_only_its_pane() {
    let server = test_server();
    let env = [("COLORTERM", "truecolor")];
    let mut terminal = server.terminal_with(&["new", "-s", "work", "--", "sh"], 80, 24, &env);
    terminal.shows("\n[cursor 0,2]");
    terminal.send("printf '\\033]11;#123456\\007\\033]12;#abcdef\\007\\033]4;1;#010203\\007'\r");
    let blue = Color::Rgb(0x12, 0x34, 0x56);
    terminal.until("the background", |terminal| backgrounds(terminal, 5) == (blue, blue));
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(written.contains("\x1b]12;#abcdef\x1b\\"), "the cursor's color");
    assert_ne!(backgrounds(&terminal, 23).0, blue, "the status line keeps its color");
    // Copy mode has the same colors.
    terminal.prefix("[");
    terminal.shows("[0/0]");
    assert_eq!(backgrounds(&terminal, 5), (blue, blue));
    terminal.send("q\x02%");
    crate::shows_panes(&mut terminal, 2);
    terminal
        .until("the background of one pane", |terminal| backgrounds(terminal, 5) == (blue, Color::Default));
    terminal.until("the terminal's own cursor", |terminal| {
        String::from_utf8_lossy(&terminal.written).contains("\x1b]112\x1b\\")
    });
    terminal.send("\x02oprintf '\\033]111\\007\\033]112\\007'\r");
    terminal.until("the terminal's own background", |terminal| {
        backgrounds(terminal, 5) == (Color::Default, Color::Default)
    });
}
