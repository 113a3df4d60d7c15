//! Output that costs much more than its bytes is processed in turns, so that it does not hold up other panes.

use fugue_screen::{Limits, Screen, Size};

/// The output that a daemon reads in one turn.
const TURN_BYTES: usize = 8190;

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size { cols, rows }, Limits::default())
}

/// Processes output in turns, and returns how many there were.
fn feed_in_turns(screen: &mut Screen, bytes: &[u8]) -> usize {
    let (mut rest, mut turns) = (bytes, 0);
    while !rest.is_empty() {
        rest = &rest[screen.feed_turn(rest)..];
        turns += 1;
    }
    turns
}

#[test]
fn a_sequence_that_changes_every_cell_is_not_repeated_a_thousand_times_in_one_turn() {
    let margins = "\x1b[?69h\x1b[1;999s\x1b[999;1H";
    for (setup, repeated) in [
        ("", "\x1b[$t"),
        ("", "\x1b[1$r"),
        ("", "\x1b[88$x"),
        ("", "\x1b[$v"),
        ("", "\x1b[$z"),
        ("", "\x1b[1;1*y"),
        ("", "\x1b#8"),
        ("\x1b#8", "\x1b['}\x1b['~"),
        ("\x1b#8\x1b[H", "\x1b[ A\x1b[ @"),
        ("\x1b[41m", "\x1b[2J"),
        ("\x1b[41m", "\x1b[?1049h\x1b[?1049l"),
        ("", "x\x1b[65535b"),
        ("\x1b[?45h", "\x1b[65535D"),
        (margins, "\n"),
        (margins, "\x1bM\x1b[H\x1bM\x1b[999H"),
        ("\x1b[?69h\x1b[1;2s\x1b[1000H", "xy"),
        ("\x1b[?69h\x1b[1;2s\x1b[1000H", "äö"),
        ("", "\x1b_Ga=d\x1b\\"),
    ] {
        let mut screen = screen(1000, 1000);
        let setup = format!("\x1b_Ga=T,f=24,s=1,v=1,i=1,c=9,r=900,C=1;AAAA\x1b\\{setup}");
        screen.feed(setup.as_bytes());
        let output = repeated.repeat(TURN_BYTES / repeated.len());
        let processed = screen.feed_turn(output.as_bytes());
        assert!(processed > 0 && processed < output.len() / 2, "{repeated:?}: {processed}");
    }
}

#[test]
fn output_is_the_same_in_turns_and_at_once() {
    let mut output = String::from("\x1b[?69h\x1b[3;90s");
    for n in 0..60 {
        output.push_str(&format!(
            "line {n} 漢字 of many\r\n\x1b[3{}m\x1b[2;2;40;99$t\x1b[2;2;9;9;1;7;7$v",
            n % 8
        ));
        output.push_str("x\x1b[3000b\x1b[5'}äöü\x1b[1;1;1;1;9;9*y\x1b[L\x1b[41mword after word\n\n\n");
    }
    let (mut whole, mut parts) = (screen(200, 50), screen(200, 50));
    whole.feed(output.as_bytes());
    let turns = feed_in_turns(&mut parts, output.as_bytes());
    assert!(turns > 3, "{turns}");
    assert_eq!(parts.screen_ansi(), whole.screen_ansi());
    assert_eq!(parts.lines_ansi(0, u64::MAX), whole.lines_ansi(0, u64::MAX));
    assert_eq!(parts.cursor(), whole.cursor());
    assert_eq!(parts.take_replies(), whole.take_replies());
}

#[test]
fn usual_output_is_processed_in_one_turn() {
    let colored = |n: usize| format!("\x1b[38;5;{}m{n} \x1b[1mbold\x1b[0m text\x1b[K\r\n", n % 256);
    let redrawn = |n: usize| format!("\x1b[{};1H\x1b[44mstatus {n}\x1b[K\x1b[0m", n % 50 + 1);
    for (setup, output) in [
        ("", "some words of text in a line of usual length\r\n".repeat(200)),
        ("", "\r\n".repeat(4095)),
        ("", (0..300).map(colored).collect()),
        ("", (0..300).map(redrawn).collect()),
        ("\x1b[1;49r\x1b[49;1H", "a line above the status line\r\n".repeat(250)),
        ("\x1b[?1049h", "\x1b[H\x1b[2J\x1b[Htop\r\n".repeat(10)),
    ] {
        let mut screen = screen(200, 50);
        screen.feed(setup.as_bytes());
        let bytes = &output.as_bytes()[..output.len().min(TURN_BYTES)];
        assert_eq!(screen.feed_turn(bytes), bytes.len(), "{:?}", &output[..20]);
    }
}

#[test]
fn a_checksum_that_cannot_be_sent_is_not_computed() {
    let mut screen = screen(200, 50);
    screen.feed(&b"\x1b[1;1*y".repeat(2000));
    let before = (screen.work_done(), screen.take_replies().len());
    assert!(before.0 < 1500 * 200 * 50 && before.1 > 15 << 10, "{before:?}");
    screen.feed(b"\x1b[1;1*y");
    assert_eq!(screen.take_replies(), b"\x1bP1!~1E00\x1b\\");
}

#[test]
fn many_overlapping_images_in_sixel_are_bounded() {
    let mut screen = screen(1000, 1000);
    for n in 1..200 {
        screen.feed(format!("\x1b[{n};{n}H\x1bPq\"1;1;4000;4000#1~\x1b\\").as_bytes());
    }
    let pieces = screen.image_pieces().len();
    assert!((1..20).contains(&pieces), "{pieces}");
    screen.feed(b"\x1b[H\x1bPq\"1;1;8;16#1~\x1b\\");
    assert!(screen.image_pieces().len() > 1, "small images are kept beside a large one");
}
