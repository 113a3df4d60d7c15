//! A terminal between two pipes: reads a program's output from stdin and writes replies to stdout. When the output
//! ends, it prints the screen to stderr.
//!
//! `terminal 80x25 < recording` shows the screen that a recording leads to. With a PTY in front it can run a
//! conformance suite.

use std::error::Error;
use std::io::{Read, Write};

use fugue_screen::{Limits, Screen, Size};

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().nth(1).unwrap_or_else(|| "80x25".to_owned());
    let (cols, rows) = size.split_once('x').ok_or("a size looks like 80x25")?;
    let mut screen = Screen::new(Size { cols: cols.parse()?, rows: rows.parse()? }, Limits::default());
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut chunk = [0; 4096];
    loop {
        let read = input.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        screen.feed(&chunk[..read]);
        output.write_all(&screen.take_replies())?;
        output.flush()?;
    }
    screen.screen_rows().iter().for_each(|row| eprintln!("{row}"));
    Ok(())
}
