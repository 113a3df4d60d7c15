//! Images in panes: shown by a terminal that can, at the right cells and no further than their pane, and gone when their
//! text is. Where they cannot be shown, a box takes their place.

use fugue_screen::ImageSupport;
use fugue_testkit::{TestServer, TestTerminal};

use crate::test_server;

const KITTY: ImageSupport = ImageSupport { kitty: true, sixel: false };
const SIXEL: ImageSupport = ImageSupport { kitty: false, sixel: true };
const NEITHER: ImageSupport = ImageSupport { kitty: false, sixel: false };

/// A client attached to a session with a shell, in a terminal that shows images.
fn attached(server: &TestServer, support: ImageSupport) -> TestTerminal {
    let mut terminal = server.terminal(&["new", "-s", "work", "--", "sh"], 80, 24);
    terminal.show_images(support);
    terminal.shows("\n[cursor 0,2]");
    terminal
}

/// Types a command that prints an image of 640 by 480 pixels. Its pixels are no image, but nobody decodes them.
fn print_kitty(terminal: &mut TestTerminal, control: &str) {
    terminal.send(format!("printf '\\033_Ga=T,f=24,o=z,s=640,v=480,{control};AAAA\\033\\\\'\r"));
}

/// Types a command that prints a sixel image of 40 by 40 pixels, which is 4 by 2 cells.
fn print_sixel(terminal: &mut TestTerminal) {
    let rows = "!40~-".repeat(6) + "!40N";
    terminal.send(format!("printf '\\033P0;1;0q\"1;1;40;40#1;2;99;0;0{rows}\\033\\\\'\r"));
}

/// Sets how images are shown.
fn configure(server: &TestServer, images: &str) {
    let directory = server.path().join("config/fugue");
    std::fs::create_dir_all(&directory).expect("a directory");
    std::fs::write(directory.join("config.toml"), format!("[client]\nimages = \"{images}\"\n"))
        .expect("a file");
}

fn wait_for_images(terminal: &mut TestTerminal, places: &[&str]) {
    terminal.until(&format!("images at {places:?}"), |terminal| terminal.images() == places);
}

#[test]
fn a_kitty_image_is_shown_at_its_cells_and_removed_with_its_window() {
    let server = test_server();
    let mut terminal = attached(&server, KITTY);
    print_kitty(&mut terminal, "c=10,r=4");
    // The command takes one row.
    wait_for_images(&mut terminal, &["1,0 10x4"]);
    terminal.shows("\n          $\n");
    let image = &terminal.screen().visible_images()[0];
    assert_eq!((image.bytes(), image.zlib, image.size.width), (&[0, 0, 0][..], true, 640));
    terminal.prefix("c");
    wait_for_images(&mut terminal, &[]);
    terminal.prefix("p");
    wait_for_images(&mut terminal, &["1,0 10x4"]);
    terminal.prefix("?");
    wait_for_images(&mut terminal, &[]);
    terminal.send("\x1b[27u");
    wait_for_images(&mut terminal, &["1,0 10x4"]);
    terminal.prefix("d");
    terminal.wait_for_exit();
    assert_eq!(terminal.images(), [""; 0]);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(written.contains("a=d,d=I"), "its memory is freed");
}

#[test]
fn a_kitty_image_scrolls_with_its_text() {
    let server = test_server();
    let mut terminal = attached(&server, KITTY);
    print_kitty(&mut terminal, "c=10,r=8");
    wait_for_images(&mut terminal, &["1,0 10x8"]);
    terminal.send("clear; printf '\\n\\n'\r");
    wait_for_images(&mut terminal, &[]);
    print_kitty(&mut terminal, "c=10,r=8,i=7,q=2");
    wait_for_images(&mut terminal, &["3,0 10x8"]);
    terminal.send("seq 16\r");
    wait_for_images(&mut terminal, &["0,0 10x6"]);
    assert_eq!(terminal.screen().image_pieces()[0].source.y, 120, "its upper quarter is gone");
    terminal.send("printf '\\033_Ga=d,d=i,i=7\\033\\\\'\r");
    wait_for_images(&mut terminal, &[]);
}

#[test]
fn a_kitty_image_ends_at_the_border_of_its_pane() {
    let server = test_server();
    let mut terminal = attached(&server, KITTY);
    print_kitty(&mut terminal, "");
    // 64 columns and 24 rows: the upper one has scrolled away, and the last is the status line's.
    terminal.until("an image", |terminal| !terminal.images().is_empty());
    let whole = terminal.images();
    terminal.prefix("%");
    terminal.shows("│");
    terminal.until("a smaller image", |terminal| terminal.images() != whole && !terminal.images().is_empty());
    let piece = terminal.screen().image_pieces()[0];
    let border = terminal.screen().screen_rows()[0].chars().position(|c| c == '│').expect("a border");
    assert_eq!((piece.col, usize::from(piece.cols)), (0, border));
    assert_eq!(piece.source.width, 10 * border as u32, "a pixel is still a pixel");
}

#[test]
fn an_image_is_a_box_where_it_cannot_be_shown() {
    let server = test_server();
    let mut terminal = attached(&server, NEITHER);
    print_kitty(&mut terminal, "c=17,r=3");
    terminal.shows("\n┌───────────────┐\n│ image 640x480 │\n└───────────────┘$");
    assert!(!String::from_utf8_lossy(&terminal.written).contains("a=t"), "its bytes were not sent");
    terminal.send("clear\r");
    terminal.until("the box is gone", |terminal| !terminal.picture().contains("image 640x480"));
}

#[test]
fn a_sixel_image_is_shown_and_removed() {
    let server = test_server();
    let mut terminal = attached(&server, SIXEL);
    terminal.send("printf 'a\\nb\\n'\r");
    terminal.shows("\nb\n");
    print_sixel(&mut terminal);
    // The command takes two rows; the prompt is written over the image's first cells in its last row.
    wait_for_images(&mut terminal, &["5,0 4x1", "6,2 2x1"]);
    terminal.prefix("c");
    wait_for_images(&mut terminal, &[]);
    terminal.prefix("p");
    wait_for_images(&mut terminal, &["5,0 4x1", "6,2 2x1"]);
    terminal.send("\rclear\r");
    wait_for_images(&mut terminal, &[]);
    print_kitty(&mut terminal, "c=17,r=3");
    terminal.shows("│ image 640x480 │");
}

#[test]
fn a_sixel_image_is_shown_by_a_terminal_with_the_kitty_protocol() {
    let server = test_server();
    let mut terminal = attached(&server, KITTY);
    print_sixel(&mut terminal);
    terminal.until("an image", |terminal| !terminal.images().is_empty());
    let image = &terminal.screen().visible_images()[0];
    assert_eq!((image.format, image.bytes().len()), (fugue_screen::ImageFormat::Rgba, 40 * 40 * 4));
}

#[test]
fn programs_are_told_what_the_terminal_can_show_and_how_large_it_is() {
    for (support, answer) in [
        (KITTY, "^[_Gi=31;OK^[\\^[[?64;1;4;6;15;18;21;22;28;52c^[[6;20;10t"),
        (SIXEL, "^[[?64;1;4;6;15;18;21;22;28;52c^[[6;20;10t"),
        (NEITHER, "^[[?64;1;6;15;18;21;22;28;52c^[[6;20;10t"),
    ] {
        let server = test_server();
        let mut terminal = attached(&server, support);
        // The daemon knows it when the pane has the size in pixels.
        terminal.send("tty\r");
        terminal.shows("/dev/pts/");
        let picture = terminal.picture();
        let name = picture.lines().find(|line| line.starts_with("/dev/pts/")).expect("its name").to_owned();
        let tty = std::fs::File::open(name).expect("the pane's terminal");
        fugue_testkit::until("a size in pixels", || {
            let size = rustix::termios::tcgetwinsize(&tty).expect("a size");
            (size.ws_xpixel, size.ws_ypixel) == (800, 460)
        });
        let query = "\\033_Gi=31,s=1,v=1,a=q,f=24;AAAA\\033\\\\\\033[c\\033[16t";
        let bytes = answer.replace("^[", "^").len();
        terminal.send(format!(
            "clear; stty raw -echo; printf '{query}'; dd bs=1 count={bytes} 2>/dev/null | cat -v; stty sane\r"
        ));
        terminal.until(answer, |terminal| terminal.picture().replace('\n', "").contains(answer));
    }
}

#[test]
fn a_program_that_asks_before_it_turns_off_echo_gets_the_answer() {
    let server = test_server();
    let mut terminal = attached(&server, KITTY);
    let (query, answer) = ("\\033_Gi=1,s=1,v=1,a=q,f=24;AAAA\\033\\\\", "^[_Gi=1;OK^[\\");
    let bytes = answer.replace("^[", "^").len();
    let read = format!("dd bs=1 count={bytes} 2>/dev/null | cat -v");
    // `icat` takes a moment, too.
    let ask = format!("printf '{query}'; sleep 0.1; stty raw -echo");
    terminal.send(format!("clear; {ask}; {read}; stty sane; echo do''ne\r"));
    terminal.shows("done");
    let picture = terminal.picture();
    assert_eq!(picture.matches(answer).count(), 1, "the terminal echoed it: {picture}");
}

#[test]
fn the_setting_turns_images_off_and_on() {
    let server = test_server();
    let mut terminal = attached(&server, KITTY);
    print_kitty(&mut terminal, "c=17,r=3");
    wait_for_images(&mut terminal, &["1,0 17x3"]);
    configure(&server, "off");
    wait_for_images(&mut terminal, &[]);
    terminal.shows("│ image 640x480 │");
    configure(&server, "auto");
    wait_for_images(&mut terminal, &["1,0 17x3"]);
    assert!(!terminal.picture().contains("image 640x480 │"));
}
