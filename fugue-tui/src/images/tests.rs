use fugue_config::ImageOutput;
use fugue_protocol::{PaneId, Rect, Size};
use fugue_screen::{ImageData, ImagePiece, Limits, PixelSize, Screen};

use super::*;
use crate::paint::WrittenRun;

const CELL: PixelSize = PixelSize { width: 10, height: 20 };

/// An image as the daemon sends it: its bytes, and where it is.
fn sent(output: &str) -> (ImageData, ImagePiece) {
    let mut screen = Screen::new(fugue_screen::Size { cols: 80, rows: 24 }, Limits::default());
    screen.set_cell_size(Some(CELL));
    screen.feed(output.as_bytes());
    let data = ImageData::decode(&screen.visible_images()[0].encode()).expect("an image");
    (data, screen.image_pieces()[0])
}

/// A terminal that shows one image, and the image.
fn display(chosen: ImageOutput, output: &str) -> (ImageDisplay, ShownImage) {
    let (data, piece) = sent(output);
    let pane = PaneId::from_bytes([1; 16]);
    let mut display = ImageDisplay::default();
    (display.chosen, display.cell) = (Some(chosen), Some(CELL));
    display.library.insert(pane, data);
    (display, ShownImage { pane, piece })
}

/// What is written for a frame with these images, after text in these cells.
fn frame(display: &mut ImageDisplay, images: &[ShownImage], written: &[WrittenRun]) -> (String, Vec<Rect>) {
    let spoiled = display.prepare(images.to_vec(), Size::new(80, 24));
    let mut out = Vec::new();
    assert!(!display.show(written, false, &mut out), "it is all written");
    (String::from_utf8(out).expect("text").replace('\x1b', "^"), spoiled)
}

fn moved(image: ShownImage, row: u16) -> ShownImage {
    ShownImage { piece: ImagePiece { row, ..image.piece }, ..image }
}

#[test]
fn a_kitty_image_is_transmitted_once_put_moved_and_removed() {
    let (mut display, image) = display(ImageOutput::Kitty, "\x1b_Ga=T,f=24,s=1,v=1,X=3;AAAA\x1b\\");
    assert_eq!(
        frame(&mut display, &[image], &[]).0,
        "^_Ga=t,i=1718943744,f=24,s=1,v=1,q=2,m=0;AAAA^\\\
         ^[1;1H^_Ga=p,i=1718943744,p=1,x=0,y=0,w=1,h=1,X=3,Y=0,z=0,C=1,q=2^\\"
    );
    assert_eq!(frame(&mut display, &[image], &[]).0, "", "nothing changed");
    assert_eq!(
        frame(&mut display, &[moved(image, 4)], &[]).0,
        "^[5;1H^_Ga=p,i=1718943744,p=1,x=0,y=0,w=1,h=1,X=3,Y=0,z=0,C=1,q=2^\\"
    );
    assert_eq!(frame(&mut display, &[], &[]).0, "^_Ga=d,d=i,i=1718943744,p=1,q=2^\\");
    display.library.retain_pieces(image.pane, &[]);
    assert_eq!(frame(&mut display, &[], &[]).0, "^_Ga=d,d=I,i=1718943744,q=2^\\");
    assert_eq!(frame(&mut display, &[image], &[]).0, "", "its bytes are gone");
}

#[test]
fn a_kitty_image_fills_its_cells_if_they_have_another_size() {
    let (mut display, image) = display(ImageOutput::Kitty, "\x1b_Ga=T,f=24,o=z,s=40,v=30;AAAA\x1b\\");
    display.cell = Some(PixelSize { width: 7, height: 15 });
    assert!(frame(&mut display, &[image], &[]).0.contains(",w=40,h=30,c=4,r=2,z=0"));
}

#[test]
fn images_are_below_a_status_line_at_the_top() {
    let (mut display, image) = display(ImageOutput::Kitty, "\x1b_Ga=T,f=24,s=1,v=1;AAAA\x1b\\");
    display.top_rows = 1;
    assert!(frame(&mut display, &[moved(image, 4)], &[]).0.contains("^[6;1H^_Ga=p"));
}

#[test]
fn large_images_are_sent_in_chunks_and_again_after_the_terminal_was_cleared() {
    let data = "A".repeat(12_000);
    let (mut display, image) =
        display(ImageOutput::Kitty, &format!("\x1b_Ga=T,f=24,o=z,s=4,v=3;{data}\x1b\\"));
    let written = frame(&mut display, &[image], &[]).0;
    assert_eq!((written.matches("m=1;").count(), written.matches("m=0;").count()), (2, 1));
    let mut again = Vec::new();
    display.prepare(vec![image], Size::new(80, 24));
    display.show(&[], true, &mut again);
    assert!(String::from_utf8_lossy(&again).contains("a=t,"));
}

const SIXEL: &str = "\x1bP0;1;0q\"1;1;20;20#1;2;99;0;0!20~-!20~-!20~-!20B\x1b\\";

#[test]
fn a_sixel_image_is_passed_on_and_its_cells_are_written_again_when_it_goes() {
    let (mut display, image) = display(ImageOutput::Sixel, SIXEL);
    let drawn = format!("\x1b[1;1H{SIXEL}").replace('\x1b', "^");
    assert_eq!(frame(&mut display, &[image], &[]).0, drawn);
    assert_eq!(frame(&mut display, &[image], &[]).0, "", "nothing changed");
    let (written, spoiled) = frame(&mut display, &[moved(image, 2)], &[]);
    assert_eq!(
        (written, spoiled),
        (drawn.replace("[1;1H", "[3;1H"), vec![Rect { col: 0, row: 0, cols: 2, rows: 1 }])
    );
    assert_eq!(
        frame(&mut display, &[], &[]),
        (String::new(), vec![Rect { col: 0, row: 2, cols: 2, rows: 1 }])
    );
}

#[test]
fn a_sixel_image_is_cut_and_never_in_the_last_row() {
    let (mut display, image) = display(ImageOutput::Sixel, SIXEL);
    let part = image.piece.clipped(0..1, 0..1).expect("a part");
    let written = frame(&mut display, &[ShownImage { piece: part, ..image }], &[]).0;
    assert!(written.starts_with("^[1;1H^P0;1;0q\"1;1;10;20#1;2;99;0;0#1!10~"), "{written}");
    assert_eq!(frame(&mut display, &[moved(image, 23)], &[]).0, "");
}

#[test]
fn text_over_a_cut_sixel_image_does_not_decode_it_again() {
    let (mut display, image) = display(ImageOutput::Sixel, SIXEL);
    let part = ShownImage { piece: image.piece.clipped(0..1, 0..1).expect("a part"), ..image };
    let first = frame(&mut display, &[part], &[]).0;
    assert_eq!(display.kept_sixels(), (1, 1));
    // Another image's bytes under the same key would be drawn if it were decoded again.
    let (mut other, _) = sent(&SIXEL.replace("99;0;0", "0;99;0"));
    other.key = image.piece.image;
    display.library.insert(image.pane, other);
    let written = [WrittenRun::of(0, 0..1)];
    assert_eq!(frame(&mut display, &[part], &written).0, first, "written again as it was");
    display.library.retain_pieces(image.pane, &[]);
    frame(&mut display, &[], &[]);
    assert_eq!(display.kept_sixels(), (0, 0), "nothing is kept of an image that is gone");
}

#[test]
fn a_terminal_without_images_shows_none() {
    let (mut display, image) = display(ImageOutput::Off, SIXEL);
    assert!(!display.can_show(&image));
    assert_eq!(frame(&mut display, &[image], &[]), (String::new(), Vec::new()));
    display.chosen = Some(ImageOutput::Auto);
    assert!(!display.can_show(&image));
    display.has_sixel = true;
    assert!(display.can_show(&image));
    display.has_kitty = true;
    assert_eq!(display.protocol(), Some(ImageProtocol::Kitty));
}
