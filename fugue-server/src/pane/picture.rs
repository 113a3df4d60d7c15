//! Pictures of a pane's screen.

use base64::prelude::{BASE64_STANDARD, Engine};
use fugue_protocol::refusal::ArgumentProblem;
use fugue_protocol::verbs::Format;
use fugue_protocol::views::Picture;
use fugue_protocol::{PaneId, Refusal};
use fugue_screen::Screen;
use tokio::sync::oneshot;

/// Returns a picture of the screen.
pub(super) fn picture(pane_id: PaneId, screen: &Screen, format: Format) -> Picture {
    let content = match format {
        Format::Svg => screen.screen_svg(),
        // Painted by `png`.
        Format::Png => String::new(),
        Format::Html => screen.screen_html(),
        Format::Ansi => screen.screen_ansi().join("\n"),
        Format::Json => serde_json::to_string(&screen.view()).unwrap_or_default(),
        Format::Text => screen.screen_text(false),
    };
    Picture { pane_id, format, content }
}

/// Paints the screen as a PNG on another thread, so that the pane is not held up.
pub(super) fn png(
    pane_id: PaneId,
    screen: &Screen,
) -> impl Future<Output = Result<Result<Picture, Refusal>, oneshot::error::RecvError>> + 'static {
    let (answer, picture) = oneshot::channel();
    let image = screen.image();
    tokio::task::spawn_blocking(move || {
        let refuse = |problem| Refusal::argument("format", problem);
        let too_large = || refuse(ArgumentProblem::PictureTooLarge);
        let file = image.ok_or_else(too_large).and_then(|image| {
            image.png().map_err(|why| refuse(ArgumentProblem::PictureFailed { why: why.to_string() }))
        });
        let picture =
            file.map(|file| Picture { pane_id, format: Format::Png, content: BASE64_STANDARD.encode(&file) });
        let _ = answer.send(picture);
    });
    picture
}
