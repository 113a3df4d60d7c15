//! Pictures of a pane's screen.

use std::io;

use base64::prelude::{BASE64_STANDARD, Engine};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::Format;
use fugue_protocol::views::Picture;
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::Screen;
use tokio::sync::oneshot;

/// Returns a picture of the screen. One of a screen that is too large would hold up all panes; its text does not.
pub(crate) fn picture(pane_id: PaneId, screen: &Screen, format: Format) -> Result<Picture, Refusal> {
    if format != Format::Text && !screen.fits_picture() {
        return Err(too_large());
    }
    let content = match format {
        Format::Svg => screen.screen_svg(),
        // Painted by `png`.
        Format::Png => String::new(),
        Format::Html => screen.screen_html(),
        Format::Ansi => screen.screen_ansi().join("\n"),
        Format::Json => serde_json::to_string(&screen.view()).unwrap_or_default(),
        Format::Text => screen.screen_text(false),
    };
    Ok(Picture { pane_id, format, content })
}

fn too_large() -> Refusal {
    Refusal::argument("format", ArgumentProblem::PictureTooLarge)
}

/// Paints the screen as a PNG on another thread, so that the pane is not held up.
pub(crate) fn png(
    pane_id: PaneId,
    screen: &Screen,
) -> impl Future<Output = Result<Result<Picture, Refusal>, oneshot::error::RecvError>> + 'static {
    let (answer, picture) = oneshot::channel();
    let image = screen.image();
    tokio::task::spawn_blocking(move || {
        let failed = |why: io::Error| ArgumentProblem::PictureFailed { why: why.to_string() };
        let file = image
            .ok_or_else(too_large)
            .and_then(|image| image.png().map_err(|why| Refusal::argument("format", failed(why))));
        let picture =
            file.map(|file| Picture { pane_id, format: Format::Png, content: BASE64_STANDARD.encode(&file) });
        let _ = answer.send(picture);
    });
    picture
}

#[cfg(test)]
mod tests {
    use fugue_screen::{Limits, Size};

    use super::*;

    #[test]
    fn a_picture_of_a_huge_screen_is_refused_in_every_format_but_its_text_is_returned() {
        let screen = |cols, rows| Screen::new(Size { cols, rows }, Limits::default());
        let pane = PaneId::from_bytes([0; 16]);
        for format in [Format::Svg, Format::Html, Format::Ansi, Format::Json] {
            assert!(picture(pane, &screen(300, 200), format).is_ok(), "{format:?}");
            assert_eq!(picture(pane, &screen(1000, 1000), format).err(), Some(too_large()), "{format:?}");
        }
        assert!(picture(pane, &screen(1000, 1000), Format::Text).is_ok());
    }

    #[test]
    fn a_picture_with_megabytes_of_addresses_is_refused() {
        let mut screen = Screen::new(Size { cols: 200, rows: 100 }, Limits::default());
        let address = "a".repeat(2000);
        let links = format!("\x1b]8;;http://a/{address}\x1b\\x\x1b]8;;http://b/{address}\x1b\\y").repeat(100);
        (0..30).for_each(|_| screen.feed(links.as_bytes()));
        assert_eq!(picture(PaneId::from_bytes([0; 16]), &screen, Format::Json).err(), Some(too_large()));
    }
}
