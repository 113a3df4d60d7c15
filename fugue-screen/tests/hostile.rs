//! Hostile or careless programs: nothing they write may cost users their text or their screen.

use fugue_screen::{Limits, Mirror, Screen, Size};

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size { cols, rows }, Limits::default())
}

fn lines(screen: &Screen) -> Vec<String> {
    screen.lines(0, u64::MAX).into_iter().map(|line| line.text).collect()
}

#[test]
fn wide_characters_survive_resizes_to_one_column() {
    let mut screen = screen(20, 6);
    screen.feed("漢字 kanji\r\n👩\u{200d}👧 family, 한국어\r\n\x1b[31m語\x1b[0m$ 漢x".as_bytes());
    let before = (lines(&screen), screen.end());
    for (cols, rows) in [(1, 6), (3, 1), (1, 1), (2, 40), (1, 3), (200, 2), (1, 50), (20, 6)] {
        screen.resize(Size { cols, rows });
        assert_eq!((lines(&screen), screen.end()), before, "at {cols}x{rows}");
    }
    assert_eq!(screen.screen_rows()[..3], ["漢字 kanji", "👩\u{200d}👧 family, 한국어", "語$ 漢x"]);
    let widths: Vec<u8> = screen.rows()[2].spans.iter().map(|span| span.width).collect();
    assert_eq!(widths, [2, 1, 2, 1], "wide again");
    screen.feed(b"!");
    assert_eq!(screen.screen_rows()[2], "語$ 漢x!", "the cursor is where it was");
}

#[test]
fn a_reset_ends_a_synchronized_update() {
    let mut screen = screen(20, 3);
    let mut mirror = Mirror::default();
    screen.feed(b"abc\x1b[?2026hhalf");
    mirror.apply(&screen.update_since(0));
    screen.feed(b"\x1bcafter");
    mirror.apply(&screen.update_since(mirror.revision));
    assert_eq!((mirror.rows[0].text().as_str(), mirror.cursor.col), ("after", 5));
    assert_eq!(screen.sync_since(), None);
}

#[test]
fn a_new_program_ends_the_synchronized_update_of_the_previous_one() {
    let mut screen = screen(20, 3);
    screen.feed(b"abc\x1b[?2026hhalf");
    screen.begin_program();
    screen.feed(b"new");
    let mut mirror = Mirror::default();
    mirror.apply(&screen.update_since(0));
    assert_eq!((mirror.rows[1].text().as_str(), mirror.cursor.col), ("new", 3));
}

#[test]
fn a_million_marks_on_one_letter_are_bounded() {
    let mut screen = screen(20, 3);
    screen.feed(b"a");
    let marks = "\u{301}\u{20dd}\u{fe0f}".repeat(1000);
    (0..333).for_each(|_| screen.feed(marks.as_bytes()));
    screen.feed(b"b");
    assert_eq!(screen.cursor().col, 2);
    assert!(screen.screen_rows()[0].ends_with('b'));
    assert!(screen.snapshot().len() < 4096);
}

#[test]
fn invalid_images_are_ignored_at_any_length_and_split() {
    let pixels = "#0;2;0;0;0#0!200~-".repeat(20_000);
    let kitty = "AAAA".repeat(100_000);
    for picture in [
        format!("\x1bPq{pixels}\x1b\\"),
        format!("\x1bP0;1;0q\"1;1;9;9{pixels}\x1b\\"),
        format!("\x1b_Ga=T,f=100,m=1;{kitty}\x1b\\\x1b_Gm=0;{kitty}\x1b\\"),
        format!("\x1b]1337;File=inline=1:{kitty}\x07"),
        format!("\x1b]1337;MultipartFile=\x07\x1b]1337;FilePart={kitty}\x07\x1b]1337;FileEnd\x07"),
    ] {
        let mut screen = screen(20, 3);
        screen.feed(b"before ");
        picture.as_bytes().chunks(4093).for_each(|chunk| screen.feed(chunk));
        screen.feed(b"after");
        assert_eq!(screen.screen_rows()[0], "before after", "{:?}", &picture[..20]);
        assert_eq!((screen.take_replies(), screen.take_events().len()), (Vec::new(), 0));
    }
}

#[test]
fn prompt_marks_stay_at_their_text_after_a_resize() {
    let mut screen = screen(30, 4);
    for n in 0..6 {
        screen.feed(format!("\x1b]133;A\x07漢字 $ \x1b]133;B\x07echo {n}\r\n\x1b]133;C\x07").as_bytes());
        screen.feed(format!("{n} 漢字漢字漢字 long enough to wrap\r\n\x1b]133;D;{n}\x07").as_bytes());
    }
    for (cols, rows) in [(7, 3), (1, 2), (80, 30), (2, 9), (30, 4)] {
        screen.resize(Size { cols, rows });
        for back in 0..6 {
            let (n, record) = (5 - back, screen.command(back).expect("the command is remembered"));
            assert_eq!((record.command_line, record.exit), (format!("echo {n}"), Some(n as i32)));
            let record = screen.command(back).expect("the command is remembered");
            assert_eq!(screen.command_output(&record), format!("{n} 漢字漢字漢字 long enough to wrap"));
        }
    }
}

#[test]
fn an_update_from_a_hostile_host_is_refused() {
    let mut screen = screen(20, 3);
    screen.feed("\x1b]2;title\x07\x1b]8;;http://a\x07hello é".as_bytes());
    let wire = screen.encode_update_since(0);
    let mirror =
        |wire: &[u8]| fugue_screen::Update::decode(wire).map(|update| Mirror::default().apply(&update));
    assert_eq!(mirror(&wire), Ok(()));
    let at =
        |part: &[u8]| wire.windows(part.len()).position(|found| found == part).expect("it is in the update");
    let with = |at: usize, count: usize, bytes: &[u8]| [&wire[..at], bytes, &wire[at + count..]].concat();
    for (what, hostile) in [
        ("a control in the text", with(at(b"hello"), 1, b"\x1b")),
        ("DEL in the text", with(at(b"hello"), 1, b"\x7f")),
        ("a C1 control in the text", with(at("é".as_bytes()), 2, b"\xc2\x9b")),
        ("a control in the title", with(at(b"title"), 1, b"\x07")),
        ("a control in a link", with(at(b"http"), 1, b"\x1b")),
        ("no columns", with(3, 1, b"\0")),
        ("1001 columns", with(3, 1, b"\xe9\x07")),
        ("65535 rows", with(4, 1, b"\xff\xff\x03")),
    ] {
        assert_eq!(&wire[3..5], [20, 3]);
        assert!(mirror(&hostile).is_err(), "{what}");
    }
}

/// Two links of two kilobytes that alternate in every cell.
fn linked(cols: u16, rows: u16) -> Screen {
    let mut screen = screen(cols, rows);
    let address = |site: char| format!("http://{site}/{}", "x".repeat(2000));
    let cells =
        format!("\x1b]8;;{}\x07a\x1b]8;;{}\x07b", address('a'), address('b')).repeat(usize::from(cols) / 2);
    screen.feed(cells.as_bytes());
    for row in 2..=rows {
        screen.feed(format!("\x1b[1;1;1;{cols};1;{row};1;1$v").as_bytes());
    }
    screen
}

#[test]
fn cells_with_the_same_link_share_its_address() {
    let mut mirror = Mirror::default();
    let screen = linked(100, 50);
    mirror.apply(&fugue_screen::Update::decode(&screen.encode_update_since(0)).expect("a valid update"));
    for rows in [screen.rows(), mirror.rows] {
        let link = |row: usize, span: usize| rows[row].spans[span].link.clone().expect("a link");
        assert!(std::sync::Arc::ptr_eq(&link(0, 0), &link(49, 98)));
        assert_ne!(link(0, 0), link(0, 1));
    }
}

#[test]
fn text_with_colors_is_bounded_however_many_links_it_has() {
    let screen = linked(200, 50);
    let rows = screen.screen_ansi();
    assert!(rows[0].contains("http://a/") && rows.iter().map(String::len).sum::<usize>() < 6 << 20);
    assert_eq!(screen.screen_rows()[49], "ab".repeat(100));
    let mut screen = self::screen(200, 50);
    (0..2000).for_each(|n| screen.feed(format!("\x1b[3{}mline {n}\r\n", n % 8).as_bytes()));
    let last = screen.last_lines_ansi(0, u64::MAX, 1000);
    assert!((1000..1030).contains(&last.lines.iter().map(|line| line.len() + 1).sum::<usize>()));
    assert_eq!(last.lines, screen.lines_ansi(last.first, u64::MAX));
    assert!(last.lines[0].contains(&format!("line {}", last.first)));
}

/// Each is found without a search through all of them.
#[test]
fn many_links_and_colors_are_kept_apart() {
    let mut screen = screen(100, 50);
    for n in 0..100_000 {
        let [_, r, g, b] = u32::to_be_bytes(n);
        screen.feed(format!("\x1b]8;;http://x/{n}\x07\x1b[38;2;{r};{g};{b}mx").as_bytes());
    }
    let mut mirror = Mirror::default();
    mirror.apply(&fugue_screen::Update::decode(&screen.encode_update_since(0)).expect("a valid update"));
    let spans = &mirror.rows[48].spans;
    assert_eq!(spans.len(), 100);
    assert_eq!(spans[7].link.as_deref(), Some("http://x/99807"));
    assert_eq!(spans[7].style.fg, fugue_screen::Color::Rgb(1, 0x85, 0xdf));
    // All of it is one line, which history splits at 64 KB.
    let kept = screen.styled_lines(0, 1).remove(0).spans;
    assert_eq!(kept[70].link.as_deref(), Some("http://x/70"));
}
