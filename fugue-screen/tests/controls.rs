//! Controls and sequences as tables: bytes in, rows out. The screen has ten columns and four rows.

use fugue_screen::{Limits, Screen, Size};

fn screen(bytes: &str) -> Screen {
    let mut screen = Screen::new(Size { cols: 10, rows: 4 }, Limits::default());
    screen.feed(bytes.as_bytes());
    screen
}

/// Checks rows of: a name, what a program writes, and the four rows of the screen, separated by `/`.
fn shows(table: &[(&str, &str, &str)]) {
    for (what, bytes, rows) in table {
        assert_eq!(screen(bytes).screen_rows().join("/"), *rows, "{what}: {bytes:?}");
    }
}

/// Checks rows of: a query and its reply.
fn answers(table: &[(&str, &str)]) {
    for (question, answer) in table {
        let replies = String::from_utf8_lossy(&screen(question).take_replies()).into_owned();
        assert_eq!(replies, *answer, "{question:?}");
    }
}

const ABCD: &str = "aaaaa\r\nbbbbb\r\nccccc\r\nddddd";

/// The same with four full rows on the screen first.
fn shows_on_abcd(table: &[(&str, &str, &str)]) {
    for (what, bytes, rows) in table {
        let bytes = format!("{ABCD}{bytes}");
        assert_eq!(screen(&bytes).screen_rows().join("/"), *rows, "{what}: {bytes:?}");
    }
}

#[test]
fn the_cursor_moves_where_it_is_sent() {
    shows(&[
        ("CUP", "\x1b[2;3HX", "/  X//"),
        ("CUP beyond the screen", "\x1b[99;99HX", "///         X"),
        ("HVP", "\x1b[3;2fX", "// X/"),
        ("CUU CUF", "\x1b[3;3H\x1b[A\x1b[2CX", "/    X//"),
        ("CUD CUB", "\x1b[2;5H\x1b[B\x1b[2DX", "//  X/"),
        ("CNL", "abc\x1b[2EX", "abc//X/"),
        ("CPL", "\x1b[4;4H\x1b[2FX", "/X//"),
        ("CHA", "abc\x1b[6GX", "abc  X///"),
        ("HPA HPR", "a\x1b[3`X\x1b[2aY", "a X  Y///"),
        ("VPA VPR", "a\x1b[2dX\x1b[eY", "a/ X/  Y/"),
        ("BS stops at the edge", "ab\x08\x08\x08X", "Xb///"),
        ("save and restore", "ab\x1b7\x1b[3;3HX\x1b8Y", "abY//  X/"),
        ("SCOSC SCORC", "ab\x1b[s\x1b[3;3HX\x1b[uY", "abY//  X/"),
        ("CUU stops at the top margin", "\x1b[2;3r\x1b[3;1H\x1b[9AX", "/X//"),
        ("CUD stops at the bottom margin", "\x1b[2;3r\x1b[2;1H\x1b[9BX", "//X/"),
        ("CUF stops at the right margin", "\x1b[?69h\x1b[2;5s\x1b[1;3H\x1b[9CX", "    X///"),
        ("CUB stops at the left margin", "\x1b[?69h\x1b[2;5s\x1b[1;4H\x1b[9DX", " X///"),
        ("origin mode counts from the margins", "\x1b[2;3r\x1b[?6h\x1b[1;1HX\x1b[9;1HY", "/X/Y/"),
        ("reverse wrap follows wrapped rows", "abcdefghijkl\x1b[?45h\x1b[4DX", "abcdefghXj/kl//"),
        ("reverse wrap stops at an unwrapped row", "ab\r\nc\x1b[?45h\x1b[9DX", "ab/X//"),
    ]);
}

#[test]
fn tabs_move_to_the_tab_stops() {
    shows(&[
        ("every eight columns", "a\tb", "a       b///"),
        ("HTS", "\x1b[3g\x1b[1;4H\x1bH\r\tX", "   X///"),
        ("TBC of one", "\x1b[1;9H\x1b[g\r\tX", "         X///"),
        ("CHT", "\x1b[3g\x1b[1;3H\x1bH\x1b[1;6H\x1bH\r\x1b[2IX", "     X///"),
        ("CBT", "\x1b[1;10H\x1b[ZX", "        X///"),
        ("DECST8C", "\x1b[3g\x1b[?5W\r\tX", "        X///"),
    ]);
}

#[test]
fn lines_scroll_within_the_margins() {
    shows_on_abcd(&[
        ("LF at the bottom scrolls", "\nX", "bbbbb/ccccc/ddddd/     X"),
        ("IND", "\x1bDX", "bbbbb/ccccc/ddddd/     X"),
        ("NEL", "\x1bEX", "bbbbb/ccccc/ddddd/X"),
        ("RI at the top scrolls down", "\x1b[H\x1bMX", "X/aaaaa/bbbbb/ccccc"),
        ("IL", "\x1b[2;3H\x1b[LX", "aaaaa/X/bbbbb/ccccc"),
        ("DL", "\x1b[2;3H\x1b[MX", "aaaaa/Xcccc/ddddd/"),
        ("SU", "\x1b[2S", "ccccc/ddddd//"),
        ("SD", "\x1b[T", "/aaaaa/bbbbb/ccccc"),
        ("region: LF", "\x1b[2;3r\x1b[3;1H\nX", "aaaaa/ccccc/X/ddddd"),
        ("region: RI", "\x1b[2;3r\x1b[2;1H\x1bMX", "aaaaa/X/bbbbb/ddddd"),
        ("region: SU", "\x1b[2;3r\x1b[S", "aaaaa/ccccc//ddddd"),
        ("region: IL", "\x1b[2;3r\x1b[2;1H\x1b[L", "aaaaa//bbbbb/ddddd"),
        ("region: IL outside does nothing", "\x1b[2;3r\x1b[4;1H\x1b[L", "aaaaa/bbbbb/ccccc/ddddd"),
        ("region: LF below it does not scroll", "\x1b[1;2r\x1b[4;1H\nX", "aaaaa/bbbbb/ccccc/Xdddd"),
        ("side margins: SU", "\x1b[?69h\x1b[2;3s\x1b[S", "abbaa/bccbb/cddcc/d  dd"),
        ("side margins: SD", "\x1b[?69h\x1b[2;3s\x1b[T", "a  aa/baabb/cbbcc/dccdd"),
        ("side margins: DL", "\x1b[?69h\x1b[2;3s\x1b[2;2H\x1b[M", "aaaaa/bccbb/cddcc/d  dd"),
    ]);
}

#[test]
fn characters_are_inserted_and_deleted() {
    shows(&[
        ("ICH", "abcdef\x1b[1;3H\x1b[2@", "ab  cdef///"),
        ("DCH", "abcdef\x1b[1;3H\x1b[2P", "abef///"),
        ("ECH", "abcdef\x1b[1;3H\x1b[2X", "ab  ef///"),
        ("IRM", "abcdef\x1b[1;3H\x1b[4hXY\x1b[4lZ", "abXYZdef///"),
        ("REP", "ab\x1b[3bc", "abbbbc///"),
        ("REP after REP has nothing to repeat", "a\x1b[b\x1b[2bc", "aac///"),
        ("REP after a control has nothing to repeat", "ab\r\x1b[3bc", "cb///"),
        ("REP after a sequence has nothing to repeat", "ab\x1b[3G\x1b[3b\x1b[1m\x1b[bc", "abc///"),
        ("ICH at a right margin", "abcdefgh\x1b[?69h\x1b[1;5s\x1b[1;2H\x1b[2@", "a  bcfgh///"),
        ("DCH at a right margin", "abcdefgh\x1b[?69h\x1b[1;5s\x1b[1;2H\x1b[2P", "ade  fgh///"),
        ("DECIC", "abc\r\nabc\x1b[1;2H\x1b['}", "a bc/a bc//"),
        ("DECDC", "abc\r\nabc\x1b[1;2H\x1b['~", "ac/ac//"),
        ("DECBI", "abc\r\nabc\x1b[H\x1b6", " abc/ abc//"),
        ("DECFI", "abc\x1b[1;10H\x1b9", "bc///"),
        ("SL", "abc\r\nabc\x1b[ @", "bc/bc//"),
        ("SR", "abc\r\nabc\x1b[2 A", "  abc/  abc//"),
    ]);
}

#[test]
fn erasing_removes_what_it_should() {
    shows_on_abcd(&[
        ("EL right", "\x1b[2;3H\x1b[K", "aaaaa/bb/ccccc/ddddd"),
        ("EL left", "\x1b[2;3H\x1b[1K", "aaaaa/   bb/ccccc/ddddd"),
        ("EL whole", "\x1b[2;3H\x1b[2K", "aaaaa//ccccc/ddddd"),
        ("ED below", "\x1b[2;3H\x1b[J", "aaaaa/bb//"),
        ("ED above", "\x1b[2;3H\x1b[1J", "/   bb/ccccc/ddddd"),
        ("ED whole", "\x1b[2;3H\x1b[2JX", "/  X//"),
        ("DECERA", "\x1b[2;2;3;3$z", "aaaaa/b  bb/c  cc/ddddd"),
        ("DECFRA", "\x1b[88;2;2;3;3$x", "aaaaa/bXXbb/cXXcc/ddddd"),
        ("DECCRA", "\x1b[1;1;2;2;1;3;4;1$v", "aaaaa/bbbbb/cccaa/dddbb"),
        ("DECALN", "\x1b#8", "EEEEEEEEEE/EEEEEEEEEE/EEEEEEEEEE/EEEEEEEEEE"),
        ("RIS", "\x1bcX", "X///"),
    ]);
    shows(&[
        ("DECSED skips protected characters", "a\x1b[1\"qb\x1b[0\"qc\x1b[?2J", " b///"),
        ("ED does not", "a\x1b[1\"qb\x1b[0\"qc\x1b[2J", "///"),
        ("DECSEL", "a\x1b[1\"qb\x1b[0\"qc\x1b[?2K", " b///"),
        ("DECSERA", "a\x1b[1\"qb\x1b[0\"qc\x1b[1;1;1;3${", " b///"),
        ("SPA guards against ED", "a\x1bVb\x1bWc\x1b[2J", " b///"),
    ]);
}

#[test]
fn text_wraps_only_in_autowrap_mode() {
    shows(&[
        ("wraps", "abcdefghijkl", "abcdefghij/kl//"),
        ("not before the next character", "abcdefghij\rX", "Xbcdefghij///"),
        ("DECAWM off", "\x1b[?7labcdefghijkl", "abcdefghil///"),
        ("side margins", "\x1b[?69h\x1b[3;5s\x1b[1;3Habcde", "  abc/  de//"),
        ("wide characters do not split", "abcdefghi漢", "abcdefghi/漢//"),
        ("writing on half of one blanks the other", "漢字\x1b[1;2HX", " X字///"),
        ("LNM", "\x1b[20hab\ncd", "ab/cd//"),
        ("VT and FF are line feeds", "a\x0bb\x0cc", "a/ b/  c/"),
        ("NUL and DEL are ignored", "a\0b\x7fc", "abc///"),
    ]);
}

#[test]
fn shifts_select_other_character_sets() {
    shows(&[
        ("line drawing", "\x1b(0lqk\x1b(Bq", "┌─┐q///"),
        ("shift out and in", "\x1b)0q\x0eq\x0fq", "q─q///"),
        ("British", "\x1b(A#\x1b(B#", "£#///"),
        ("single shift", "\x1b*0\x1bNqq", "─q///"),
        ("locking shift", "\x1b+0\x1boq\x0fq", "─q///"),
        ("DECSC keeps sets", "\x1b(0\x1b7\x1b(B\x1b8q", "─///"),
    ]);
}

#[test]
fn unknown_sequences_are_ignored() {
    shows(&[
        ("CSI", "a\x1b[99;1xb\x1b[>5;2zc\x1b[1 ~d", "abcd///"),
        ("OSC", "a\x1b]1337;File=x:aGk=\x07b\x1b]fugue:spawn\x1b\\c", "abc///"),
        ("DCS, sixel", "a\x1bPq#0;2;0;0;0~~\x1b\\b", "ab///"),
        ("APC, kitty graphics", "a\x1b_Gf=24;AAAA\x1b\\b", "ab///"),
        ("PM and SOS", "a\x1b^x\x1b\\b\x1bXy\x1b\\c", "abc///"),
        ("CAN ends a sequence", "a\x1b[12\x18b\x1b]0;t\x1ac", "abc///"),
        ("C1 in UTF-8", "a\u{9b}31mb", "a31mb///"),
        ("controls within a sequence", "ab\x1b[\r1CX", "aX///"),
        ("tmux passthrough is unwrapped", "a\x1bPtmux;\x1b\x1b]2;t\x07\x1b\\b", "ab///"),
    ]);
}

#[test]
fn queries_have_their_replies() {
    answers(&[
        ("\x1b[c", "\x1b[?64;1;6;15;18;21;22;28;52c"),
        ("\x1bZ", "\x1b[?64;1;6;15;18;21;22;28;52c"),
        ("\x1b[>c", "\x1b[>41;400;0c"),
        ("\x1b[=c", "\x1bP!|00000000\x1b\\"),
        ("\x1b[5n", "\x1b[0n"),
        ("\x1b[2;3H\x1b[6n", "\x1b[2;3R"),
        ("\x1b[2;3H\x1b[?6n", "\x1b[?2;3;1R"),
        ("\x1b[2;3r\x1b[?6h\x1b[6n", "\x1b[1;1R"),
        ("\x1b[x", "\x1b[2;1;1;128;128;1;0x"),
        ("\x1b[18t", "\x1b[8;4;10t"),
        ("\x1b[14t", "\x1b[4;64;80t"),
        ("\x1b]2;secret\x07\x1b[21t\x1b[20t", ""),
        ("\x1b[?2026$p", "\x1b[?2026;2$y"),
        ("\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"),
        ("\x1b[?2027$p\x1b[?9999$p\x1b[4$p", "\x1b[?2027;1$y\x1b[?9999;0$y\x1b[4;2$y"),
        ("\x1b[?u\x1b[>5u\x1b[?u\x1b[<u\x1b[?u", "\x1b[?0u\x1b[?5u\x1b[?0u"),
        ("\x1b[=3;1u\x1b[=8;2u\x1b[=1;3u\x1b[?u", "\x1b[?10u"),
        ("\x1b[1;4:3;38;2;1;2;3m\x1bP$qm\x1b\\", "\x1bP1$r0;1;4:3;38:2::1:2:3m\x1b\\"),
        ("\x1b[2;3r\x1bP$qr\x1b\\", "\x1bP1$r2;3r\x1b\\"),
        ("\x1bP$qfoo\x1b\\", "\x1bP0$r\x1b\\"),
        ("\x1b[4 q\x1bP$q q\x1b\\", "\x1bP1$r4 q\x1b\\"),
        ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
        ("\x1b]4;1;#123456\x07\x1b]4;1;?\x1b\\", "\x1b]4;1;rgb:1212/3434/5656\x1b\\"),
        (
            "\x1b]11;rgb:ff/80/00\x07\x1b]11;?\x07\x1b]111\x07\x1b]11;?\x07",
            "\x1b]11;rgb:ffff/8080/0000\x07\x1b]11;rgb:0000/0000/0000\x07",
        ),
        ("ab\x1b[1;0;1;1;1;2*y", "\x1bP1!~FF3D\x1b\\"),
        ("\x1bP+q436F;5463;466F6F\x1b\\", "\x1bP1+r436F=323536\x1b\\\x1bP1+r5463\x1b\\\x1bP0+r\x1b\\"),
        ("\x05\x1b]52;c;?\x07\x1b]50;?\x07\x1bGQ", ""),
    ]);
}

#[test]
fn programs_enter_and_leave_the_alternate_screen() {
    shows(&[
        ("1049 keeps the cursor", "ab\x1b[?1049h\x1b[3;3HX\x1b[?1049lc", "abc///"),
        ("1049 starts clean", "ab\x1b[?1049hX\x1b[?1049l\x1b[?1049h", "///"),
        ("47 does not clear", "ab\x1b[?47hX\x1b[?47l\x1b[?47h", "  X///"),
        ("1047 clears when leaving", "ab\x1b[?1047hX\x1b[?1047l\x1b[?1047h", "///"),
        ("soft reset keeps the text", "ab\x1b[2;3r\x1b[?6h\x1b[!p\x1b[4;1HX", "ab///X"),
    ]);
}

#[test]
fn mode_2027_controls_whether_emoji_are_joined() {
    shows(&[
        ("on", "👩\u{200d}👧X", "👩\u{200d}👧X///"),
        ("off", "\x1b[?2027l👩\u{200d}👧X", "👩\u{200d}👧X///"),
    ]);
    assert_eq!(screen("👩\u{200d}👧").cursor().col, 2);
    assert_eq!(screen("\x1b[?2027l👩\u{200d}👧").cursor().col, 4);
    assert_eq!(screen("❤\u{fe0f}").cursor().col, 2);
    assert_eq!(screen("🇩🇪🇫🇷").cursor().col, 4);
    assert_eq!(screen(&format!("e{}", "\u{301}".repeat(500))).cursor().col, 1);
}

#[test]
fn designated_character_sets_map_their_letters() {
    shows(&[
        ("Latin-1 in G1, by SO", "\x1b-A\x0eDvr\x0fD", "ÄöòD///"),
        ("in G2, by a locking shift", "\x1b.A\x1bnD\x0fD", "ÄD///"),
        ("in G3, for one character", "\x1b/A\x1bODD", "ÄD///"),
        ("DEC supplemental", "\x1b)%5\x0eDW\x0fW", "ÄŒW///"),
        ("British needs no mode", "\x1b(A#", "£///"),
        ("German in its mode", "\x1b[?42h\x1b(K[\\]{|}~@", "ÄÖÜäöüß§///"),
        ("but not without the mode", "\x1b(K[", "[///"),
        ("Portuguese has a longer name", "\x1b[?42h\x1b(%6[", "Ã///"),
        ("unknown sets are ASCII", "\x1b(&4a\x1b-H\x0eb", "ab///"),
    ]);
}

#[test]
fn vt52_mode_works_until_it_is_left() {
    shows(&[
        ("a cursor address", "\x1b[?2l\x1bY\"#X\x1bY  Y", "Y//   X/"),
        ("an address beyond the screen", "\x1b[?2l\x1bY~~X", "///         X"),
        ("an invalid address", "\x1b[?2l\x1bY\"éX", "éX///"),
        ("moving", "ab\x1b[?2l\x1bB\x1bCX\x1bA\x1bD\x1bDY", "abY/   X//"),
        ("home and erasing", "abc\r\ndef\x1b[?2l\x1bHX\x1bKY\x1bJ", "XY///"),
        ("drawing", "\x1b[?2l\x1bFq\x1bGq", "─q///"),
        ("reverse line feed", "a\x1b[?2l\x1bH\x1bIX", "X/a//"),
        ("leaving", "\x1b[?2l\x1b<\x1b[2;2HX", "/ X//"),
        ("control sequences keep working", "\x1b[?2l\x1b[2;2HX", "/ X//"),
    ]);
    answers(&[
        ("\x1b[?2l\x1bZ", "\x1b/Z"),
        ("\x1b[?2$p", "\x1b[?2;1$y"),
        ("\x1b[?2l\x1b[?2$p", "\x1b[?2;2$y"),
    ]);
}

/// Checks what is drawn, where text alone does not show it.
fn draws(table: &[(&str, &str, &str)]) {
    for (what, bytes, rows) in table {
        let drawn: Vec<String> = screen(bytes).rows().iter().map(fugue_screen::RowView::text).collect();
        assert_eq!(drawn.join("/"), *rows, "{what}: {bytes:?}");
    }
}

#[test]
fn double_width_rows_hold_half_as_much_and_read_as_written() {
    shows(&[
        ("DECDWL wraps in the middle", "\x1b#6abcdefg", "abcde/fg//"),
        ("text that does not fit is lost", "abcdefghij\x1b#6", "abcde///"),
        ("the cursor stays within it", "\x1b#6\x1b[1;9HX\x1b[2;9HY", "    X/        Y//"),
        ("also when it moves in from below", "\x1b#6\x1b[2;9H\x1bMX", "    X///"),
        ("DECSWL makes the row full width again", "\x1b#6abc\x1b#5defgh", "abcdefgh///"),
        ("ED makes rows single", "\x1b#6\x1b[2Jabcdefg", "abcdefg///"),
        ("EL does not", "\x1b#6x\r\x1b[Kabcdefg", "abcde/fg//"),
        ("rows that scroll in are single", "\x1b[4H\x1b#6\nabcdefg", "///abcdefg"),
    ]);
    draws(&[
        ("DECDWL", "\x1b#6abc", "a b c///"),
        ("wide characters", "\x1b#6漢b", "漢  b///"),
        ("DECDHL: the lower half is empty", "\x1b#3big\r\n\x1b#4big", "b i g///"),
    ]);
    let cursor = screen("\x1b#6abc").cursor();
    assert_eq!((cursor.row, cursor.col), (0, 6), "where it is drawn");
}
