//! Images in a screen: where they are, how they move and disappear, what programs are told, and what is kept of them.

use fugue_screen::{
    ImageFormat, ImagePiece, ImageSupport, Limits, Mirror, PixelSize, Screen, SixelImage, Size, Update,
};

const CELL: PixelSize = PixelSize { width: 10, height: 20 };

fn screen(cols: u16, rows: u16) -> Screen {
    let mut screen = Screen::new(Size { cols, rows }, Limits::default());
    screen.set_cell_size(Some(CELL));
    screen.set_image_support(ImageSupport { kitty: true, sixel: true });
    screen
}

/// A command that transmits an image of this size, compressed so that its length does not matter.
fn image(control: &str, width: u32, height: u32) -> String {
    format!("\x1b_Gf=24,o=z,s={width},v={height},{control};AAAA\x1b\\")
}

/// The rows, columns and sizes of what is visible: `row,col colsxrows`.
fn places(screen: &Screen) -> Vec<String> {
    screen.image_pieces().iter().map(place).collect()
}

fn place(piece: &ImagePiece) -> String {
    format!("{},{} {}x{}", piece.row, piece.col, piece.cols, piece.rows)
}

fn replies(screen: &mut Screen) -> String {
    String::from_utf8(screen.take_replies()).expect("text").replace('\x1b', "^")
}

#[test]
fn an_image_is_placed_at_the_cursor_which_moves_behind_it() {
    let mut screen = screen(40, 10);
    screen.feed(format!("ab{}c", image("a=T", 95, 45)).as_bytes());
    assert_eq!(places(&screen), ["0,2 10x3"]);
    assert_eq!(screen.screen_rows()[..3], ["ab", "", "            c"]);
    let piece = screen.image_pieces()[0];
    assert_eq!((piece.image_size.width, piece.source.width, piece.source.height), (95, 95, 45));
    let visible = screen.visible_images();
    assert_eq!((visible[0].format, visible[0].bytes()), (ImageFormat::Rgb, &[0, 0, 0][..]));
}

#[test]
fn an_image_in_chunks_is_placed_when_it_is_complete() {
    let mut screen = screen(40, 10);
    screen.feed(b"\x1b_Ga=T,f=24,s=2,v=1,i=3,c=4,r=2,m=1;AAEC\x1b\\");
    assert_eq!(places(&screen), [""; 0]);
    screen.feed(b"\x1b_Gm=0;AwQF\x1b\\");
    assert_eq!(places(&screen), ["0,0 4x2"]);
    assert_eq!(replies(&mut screen), "^_Gi=3;OK^\\");
    assert_eq!(screen.visible_images()[0].bytes(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn an_image_scrolls_with_the_text_and_is_cut_at_the_top() {
    let mut screen = screen(40, 5);
    screen.feed(format!("{}\r\n", image("a=T", 40, 80)).as_bytes());
    assert_eq!(places(&screen), ["0,0 4x4"]);
    screen.feed(b"one\r\ntwo\r\n");
    assert_eq!(places(&screen), ["0,0 4x2"]);
    assert_eq!((screen.image_pieces()[0].source.y, screen.image_pieces()[0].source.height), (40, 40));
    screen.feed(b"three\r\nfour\r\n");
    assert_eq!(places(&screen), [""; 0]);
    assert!(screen.visible_images().is_empty());
}

#[test]
fn a_tall_image_scrolls_the_screen_for_itself() {
    let mut screen = screen(40, 5);
    screen.feed(format!("1\r\n2\r\n3\r\n4{}x", image("a=T", 10, 60)).as_bytes());
    assert_eq!(places(&screen), ["2,1 1x3"]);
    assert_eq!(screen.screen_rows(), ["2", "3", "4", "", "  x"]);
    screen.feed(format!("\x1b[H{}", image("a=T,C=1", 10, 400)).as_bytes());
    assert_eq!(places(&screen), ["2,1 1x3", "0,0 1x5"], "it does not scroll if the cursor stays");
    assert_eq!((screen.cursor().row, screen.cursor().col), (0, 0));
}

#[test]
fn inserted_and_deleted_lines_cut_and_move_an_image() {
    let mut screen = screen(40, 8);
    screen.feed(format!("{}\x1b[2;1H\x1b[L", image("a=T", 10, 60)).as_bytes());
    assert_eq!(places(&screen), ["0,0 1x1", "2,0 1x2"]);
    screen.feed(b"\x1b[M\x1b[1;1H\x1b[M");
    assert_eq!(places(&screen), ["0,0 1x2"]);
    assert_eq!(screen.image_pieces()[0].source.y, 20);
}

#[test]
fn erasing_the_screen_resetting_and_deleting_remove_images() {
    for removal in [
        "\x1b[2J",
        "\x1b[H\x1b[J",
        "\x1bc",
        "\x1b_Ga=d\x1b\\",
        "\x1b_Ga=d,d=I,i=1\x1b\\",
        "\x1b_Ga=d,d=i,i=1,p=4\x1b\\",
        "\x1b_Ga=d,d=r,x=1,y=9\x1b\\",
        "\x1b_Ga=d,d=p,x=3,y=2\x1b\\",
        "\x1b_Ga=d,d=x,x=3\x1b\\",
        "\x1b_Ga=d,d=Y,y=2\x1b\\",
        "\x1b_Ga=d,d=z,z=5\x1b\\",
        "\x1b[2;4H\x1b_Ga=d,d=c\x1b\\",
    ] {
        let mut screen = screen(40, 8);
        screen.feed(format!("..{}", image("a=T,i=1,p=4,z=5,q=2", 40, 40)).as_bytes());
        assert_eq!(places(&screen), ["0,2 4x2"]);
        screen.feed(removal.as_bytes());
        assert_eq!(places(&screen), [""; 0], "{removal:?}");
    }
}

#[test]
fn a_deletion_of_something_else_keeps_an_image() {
    for kept in
        ["d=i,i=2", "d=i,i=1,p=5", "d=p,x=2,y=1", "d=y,y=3", "d=z,z=4", "d=c", "d=q,x=3,y=2,z=1", "d=n,I=1"]
    {
        let mut screen = screen(40, 8);
        screen.feed(format!("..{}", image("a=T,i=1,p=4,z=5,q=2", 40, 40)).as_bytes());
        screen.feed(format!("\x1b[5;1H\x1b_Ga=d,{kept}\x1b\\").as_bytes());
        assert_eq!(places(&screen), ["0,2 4x2"], "{kept}");
    }
}

#[test]
fn an_image_of_the_primary_screen_is_hidden_by_the_alternate_one() {
    let mut screen = screen(40, 8);
    screen.feed(image("a=T", 40, 40).as_bytes());
    screen.feed(b"\x1b[?1049h");
    assert_eq!(places(&screen), [""; 0]);
    screen.feed(format!("\x1b[4;5H{}", image("a=T", 10, 10)).as_bytes());
    assert_eq!(places(&screen), ["3,4 1x1"]);
    screen.feed(b"\x1b[?1049l");
    assert_eq!(places(&screen), ["0,0 4x2"]);
}

#[test]
fn an_image_can_be_put_several_times_and_moved() {
    let mut screen = screen(40, 8);
    screen.feed(image("a=t,i=7", 100, 40).as_bytes());
    assert_eq!(places(&screen), [""; 0]);
    screen.feed(b"\x1b_Ga=p,i=7,p=1,C=1\x1b\\\x1b[5;1H\x1b_Ga=p,i=7,p=2,x=10,w=30,c=6,r=1\x1b\\");
    assert_eq!(places(&screen), ["0,0 10x2", "4,0 6x1"]);
    assert_eq!(screen.image_pieces()[1].source.x, 10);
    assert_eq!(screen.visible_images().len(), 1, "the image is kept once");
    screen.feed(b"\x1b[7;3H\x1b_Ga=p,i=7,p=1,r=1\x1b\\");
    assert_eq!(places(&screen), ["4,0 6x1", "6,2 5x1"]);
    assert_eq!(replies(&mut screen), "^_Gi=7;OK^\\^_Gi=7,p=1;OK^\\^_Gi=7,p=2;OK^\\^_Gi=7,p=1;OK^\\");
}

#[test]
fn replies_are_sent_as_the_program_wants_them() {
    let told = |control: &str| {
        let mut screen = screen(40, 8);
        screen.feed(format!("\x1b_Gs=1,v=1,{control}\x1b\\").as_bytes());
        replies(&mut screen)
    };
    assert_eq!(told("a=q,f=24,i=31;AAAA"), "^_Gi=31;OK^\\");
    assert_eq!(told("a=q,f=24,i=31,q=1;AAAA"), "");
    assert_eq!(told("a=q,f=24;AAAA"), "", "an image without a name");
    assert_eq!(told("f=24,i=31,q=1;AAAAAA"), "^_Gi=31;ENODATA:wrong amount of data^\\");
    assert_eq!(told("f=24,i=31,q=2;AAAAAA"), "");
    assert_eq!(told("f=24,I=9;AAAA"), "^_Gi=4294967295,I=9;OK^\\");
    assert_eq!(told("a=p,i=5"), "^_Gi=5;ENOENT:no such image^\\");
    assert_eq!(told("a=f,i=5;AAAA"), "^_Gi=5;ENOTSUP:action not supported^\\");
    assert_eq!(told("a=T,U=1,f=24,i=5;AAAA"), "^_Gi=5;ENOTSUP:Unicode placeholders are not supported^\\");
    for medium in ["f", "t", "s"] {
        let reply = told(&format!("a=q,f=24,i=1,t={medium};L2V0Yy9wYXNzd2Q="));
        assert_eq!(reply, "^_Gi=1;ENOTSUP:only direct transmission is supported^\\");
    }
}

#[test]
fn a_query_is_not_answered_where_images_cannot_be_shown() {
    let mut screen = screen(40, 8);
    let query = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";
    screen.feed(query);
    assert_eq!(replies(&mut screen), "^_Gi=31;OK^\\^[?64;1;4;6;15;18;21;22;28;52c");
    screen.set_image_support(ImageSupport::default());
    screen.feed(query);
    screen.feed(b"\x1b_Gi=31,a=q,t=s,f=24,s=1,v=1;AAAA\x1b\\");
    assert_eq!(replies(&mut screen), "^[?64;1;6;15;18;21;22;28;52c");
}

#[test]
fn sizes_are_reported_in_pixels() {
    let mut screen = screen(40, 8);
    screen.feed(b"\x1b[14t\x1b[16t\x1b[18t");
    assert_eq!(replies(&mut screen), "^[4;160;400t^[6;20;10t^[8;8;40t");
    screen.set_cell_size(None);
    screen.feed(b"\x1b[16t");
    assert_eq!(replies(&mut screen), "^[6;16;8t");
}

/// A sixel image of 20 by 40 pixels: two by two cells.
const SIXEL: &str = "\x1bP0;1;0q\"1;1;20;40#1;2;100;0;0!20~-!20~-!20~-!20~-!20~-!20~-!20N\x1b\\";

#[test]
fn a_sixel_image_is_placed_and_the_cursor_stays_in_its_last_row() {
    let mut screen = screen(40, 8);
    screen.feed(format!("ab{SIXEL}c\r\nd").as_bytes());
    assert_eq!(places(&screen), ["0,2 2x1", "1,3 1x1"], "the c is written over a part");
    let image = &screen.visible_images()[0];
    assert_eq!((image.format, image.size), (ImageFormat::Sixel, PixelSize { width: 20, height: 40 }));
    assert!(SixelImage::decode(image.bytes(), image.size).is_some());
    assert_eq!(screen.screen_rows()[..3], ["ab", "  c", "d"]);
}

#[test]
fn a_sixel_image_contains_nothing_that_could_control_a_terminal() {
    let mut screen = screen(40, 8);
    screen.feed("\x1bPq#1~~\u{9c}\u{9b}2J\x07~\x7f\r\n\u{e9}~\x1b\\".as_bytes());
    screen.feed(b"\r\n\x1bPq~\x9c~\x1b\\");
    let images = screen.visible_images();
    assert_eq!(images.len(), 2);
    assert!(images.iter().all(|image| image.bytes().iter().all(u8::is_ascii_graphic)), "{images:?}");
}

#[test]
fn text_and_erasing_replace_a_sixel_image() {
    let mut screen = screen(40, 8);
    screen.feed(format!("{SIXEL}\x1b[1;1H \x1b[2;2H\x1b[K").as_bytes());
    assert_eq!(places(&screen), ["0,1 1x1", "1,0 1x1"]);
    assert_eq!(screen.image_pieces()[0].source.x, 10);
    screen.feed(b"\x1b[1;1Hxx\x1b[2;1Hxx");
    assert_eq!(places(&screen), [""; 0]);
}

#[test]
fn the_frames_of_a_sixel_animation_replace_each_other() {
    let mut screen = screen(40, 8);
    (0..300).for_each(|_| screen.feed(format!("\x1b[H{SIXEL}").as_bytes()));
    assert_eq!(places(&screen), ["0,0 2x2"]);
    assert_eq!(screen.visible_images().len(), 1);
}

#[test]
fn an_erased_sixel_does_not_come_back_under_another() {
    let mut screen = screen(40, 8);
    screen.feed(format!("\x1b[H{SIXEL}\x1b[1;1H\x1b[K\x1b[2;1H\x1b[K").as_bytes());
    assert_eq!(places(&screen), [""; 0]);
    screen.feed(format!("\x1b[2;1H{SIXEL}").as_bytes());
    assert_eq!(places(&screen), ["1,0 2x2"]);
    // What is left of it beside the other one stays.
    screen.feed(format!("\x1b[3;2H{SIXEL}").as_bytes());
    assert_eq!(places(&screen), ["1,0 2x2", "2,1 2x2"]);
}

#[test]
fn images_stay_at_their_text_after_a_resize() {
    let mut screen = screen(40, 8);
    screen.feed(format!("a\r\n{}\r\n{SIXEL}\r\nb", image("a=T", 300, 40)).as_bytes());
    assert_eq!(places(&screen), ["1,0 30x2", "3,0 2x2"]);
    screen.resize(Size { cols: 20, rows: 8 });
    assert_eq!(places(&screen), ["1,0 20x2", "3,0 2x2"], "cut at the right");
    screen.resize(Size { cols: 40, rows: 4 });
    assert_eq!(places(&screen), ["0,0 30x1", "1,0 2x2"]);
}

#[test]
fn a_viewer_sees_the_same_images() {
    let mut screen = screen(40, 5);
    let mut mirror = Mirror::default();
    let mut refresh = |screen: &Screen| {
        let update = Update::decode(&screen.encode_update_since(mirror.revision)).expect("an update");
        let changed = update.images.is_some();
        mirror.apply(&update);
        assert_eq!(mirror.images, screen.image_pieces());
        changed
    };
    refresh(&screen);
    screen.feed(format!("{}\r\n", image("a=T,z=-1", 40, 40)).as_bytes());
    assert!(refresh(&screen));
    screen.feed(b"text\r\n");
    assert!(!refresh(&screen), "they did not change");
    screen.feed(b"1\r\n2\r\n");
    assert!(refresh(&screen));
    screen.feed(b"\x1bc");
    assert!(refresh(&screen));
}

#[test]
fn a_restored_screen_knows_where_images_were_but_has_no_bytes() {
    let mut screen = screen(40, 8);
    screen.feed(format!("a\r\n{}\r\n{SIXEL}\r\n", image("a=T,i=4,p=2", 40, 20)).as_bytes());
    screen.feed(b"\x1b_Ga=T,f=24,s=2,v=1,i=3,c=4,r=2,q=2,m=1;AAEC\x1b\\\x1b_Gm=0;A");
    drop(screen.take_replies());
    let mut restored = Screen::restore(&screen.snapshot()).expect("our own snapshot");
    restored.set_cell_size(Some(CELL));
    assert_eq!(restored.image_pieces(), screen.image_pieces());
    assert!(restored.visible_images().is_empty());
    for screen in [&mut screen, &mut restored] {
        screen.feed(b"wQF\x1b\\x\x1b_Ga=p,i=4\x1b\\");
        assert_eq!(places(screen), ["1,0 4x1", "2,0 2x2", "4,0 4x2", "5,5 4x1"]);
        assert_eq!(replies(screen), "^_Gi=4;OK^\\");
    }
}

#[test]
fn a_flood_of_images_is_bounded() {
    let mut screen = screen(80, 24);
    let data = "A".repeat(4 << 20);
    for id in 1..=10 {
        let chunks = data.as_bytes().chunks(1 << 20);
        let last = chunks.len() - 1;
        for (at, chunk) in chunks.enumerate() {
            let control = if at == 0 { format!("a=T,f=24,o=z,s=10,v=10,i={id},q=2,") } else { String::new() };
            screen.feed(format!("\x1b_G{control}m={};", u8::from(at < last)).as_bytes());
            screen.feed(chunk);
            screen.feed(b"\x1b\\");
        }
    }
    let bytes: usize = screen.visible_images().iter().map(|image| image.bytes().len()).sum();
    assert!((8 << 20..=16 << 20).contains(&bytes), "{bytes}");
    assert_eq!(screen.image_pieces().len(), 10, "the others are shown as placeholders");
    for _ in 0..1000 {
        screen.feed(image("a=T,C=1", 1, 1).as_bytes());
    }
    assert!(screen.image_pieces().len() <= 128);
    assert!(screen.snapshot().len() < 100_000);
}
