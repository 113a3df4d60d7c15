//! More windows than a status line has room for.

use fugue_testkit::Terminal;
use insta::assert_snapshot;

use crate::{attached, house};

/// The status line.
fn status(terminal: &Terminal) -> String {
    terminal.picture().lines().rev().nth(1).unwrap_or_default().to_owned()
}

/// The status line, once it has this.
fn with(terminal: &mut Terminal, part: &str) -> String {
    terminal.until(&format!("`{part}` on the status line"), |terminal| status(terminal).contains(part));
    status(terminal)
}

#[test]
fn the_current_window_is_on_the_status_line_however_many_there_are() {
    let house = house();
    let mut terminal = attached(&house, 80, 24);
    for _ in 0..20 {
        house.ok(&["create-window", "-s", "work", "-n", "files", "--background", "--", "cat"]);
    }
    let mut seen = vec![with(&mut terminal, "21 panes")];
    terminal.prefix("p");
    seen.push(with(&mut terminal, "20:files*"));
    terminal.prefix("'10\r");
    seen.push(with(&mut terminal, "10:files*"));
    // A click on what is cut goes there, and the list goes with it.
    terminal.send("\x1b[<0;9;24M\x1b[<0;9;24m");
    seen.push(with(&mut terminal, "7:files*"));
    terminal.resize(40, 10);
    seen.push(with(&mut terminal, "7:files*  8> 21 panes  HH:MM"));
    assert_snapshot!("many-windows", seen.join("\n"));
}
