#![allow(clippy::unwrap_used)]

use crate::{Limits, Screen, Size};

fn screen(text: &str) -> Screen {
    let mut screen = Screen::new(Size { cols: 12, rows: 3 }, Limits::default());
    screen.feed(text.as_bytes());
    screen
}

#[test]
fn plain_text_joins_wrapped_rows_when_asked() {
    let screen = screen("a line that wraps\r\nend");
    assert_eq!(screen.screen_text(false), "a line that\nwraps\nend");
    assert_eq!(screen.screen_text(true), "a line that wraps\nend");
}

#[test]
fn ansi_text_draws_the_same_screen_again() {
    let first = screen(
        "\x1b[1;31mred\x1b[0m \x1b[4:3;58;5;9mcurl\x1b[m\r\n\x1b]8;;https://x.y\x07link\x1b]8;;\x07 漢\x1b[48;2;1;2;3m \x1b[m",
    );
    let ansi = first.screen_ansi();
    assert_eq!(ansi[0], "\x1b[0;1;31mred\x1b[0m \x1b[0;4:3;58:5:9mcurl\x1b[0m");
    let again = screen(&ansi.join("\r\n"));
    assert_eq!(again.rows(), first.rows());
}

#[test]
fn history_keeps_its_colors() {
    let screen = screen("\x1b[32mgreen\x1b[m 👩\u{200d}👧 wrapped along\r\n\n\n\n\x1b[31mred\x1b[m");
    let green = "\x1b[0;32mgreen\x1b[0m 👩\u{200d}👧 wrapped along";
    assert_eq!(screen.lines_ansi(0, 1), [green]);
    assert_eq!(screen.lines_ansi(4, 5), ["\x1b[0;31mred\x1b[0m"]);
    let rows: Vec<String> = screen.wrapped_lines(0, 1, 9).iter().map(|(_, row)| row.text()).collect();
    assert_eq!(rows, ["green 👩\u{200d}👧", "wrapped a", "long"]);
}

#[test]
fn json_contains_only_attributes_that_are_not_plain() {
    let screen = screen("\x1b[1;38;2;255;0;16mbold\x1b[m 漢");
    let json = serde_json::to_string(&screen.rows()[0]).unwrap();
    assert_eq!(
        json,
        r##"{"spans":[{"text":"bold","fg":"#ff0010","bold":true},{"text":" "},{"text":"漢","width":2}],"wrapped":false}"##
    );
}

#[test]
fn text_cannot_inject_html_or_svg() {
    let screen = screen("\x1b]8;;javascript:alert(1)\x07<b>&\x1b]8;;\x07\x1b[7m'\"\x1b[m");
    let html = screen.screen_html();
    assert!(html.contains("&lt;b&gt;&amp;"), "{html}");
    assert!(!html.contains("javascript"), "{html}");
    assert!(html.contains("<span style=\"color:#000000;background:#e5e5e5\">&#39;&quot;</span>"), "{html}");
    let svg = screen.screen_svg();
    assert!(svg.contains(">&lt;b&gt;&amp;</text>"), "{svg}");
    assert_eq!(svg.matches("<rect").count(), 3, "background, cursor, reversed text: {svg}");
}

#[test]
fn reverse_video_exchanges_the_colors_of_a_picture() {
    let plain = screen("\x1b[?5hx");
    assert!(plain.screen_html().starts_with("<pre style=\"color:#000000;background:#e5e5e5\">"));
    assert!(plain.screen_svg().contains("<rect width=\"100%\" height=\"100%\" fill=\"#e5e5e5\"/>"));
    let back = screen("\x1b[?5hx\x1b[?5l");
    assert!(back.screen_html().starts_with("<pre style=\"color:#e5e5e5;background:#000000\">"));
}
