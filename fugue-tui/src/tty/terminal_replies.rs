//! Queries to the outer terminal, and its replies: its colors, how many it has, and the images that it can show.

use fugue_screen::Rgb;

/// Asks whether a 24-bit color is kept exactly.
pub(crate) const DEPTH_QUERY: &str = "\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[m";

/// Asks whether the terminal has the kitty graphics protocol, how large a cell is, and what else it has. The last reply
/// completes them: every terminal sends that one.
const IMAGE_QUERY: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[16t\x1b[c";

/// Asks for the same where a program between may take the first query for something else.
const IMAGE_QUERY_BEHIND_OTHERS: &str = "\x1b[16t\x1b[c";

/// Asks which images a terminal with these variables can show. It may take the query of the kitty graphics protocol for
/// something else: tmux and screen do not pass it on, and tmux sets a title with it; a console may print it.
pub(crate) fn image_query(variable: impl Fn(&str) -> String) -> &'static str {
    let term = variable("TERM");
    let is_behind_others =
        !variable("TMUX").is_empty() || ["tmux", "screen", "linux"].iter().any(|name| term.starts_with(name));
    if is_behind_others { IMAGE_QUERY_BEHIND_OTHERS } else { IMAGE_QUERY }
}

/// Asks for the palette, and then for the colors of text and background: the reply to the last one completes them.
pub(crate) fn color_query() -> String {
    let palette: String = (0..16).map(|number| format!("\x1b]4;{number};?\x1b\\")).collect();
    palette + "\x1b]10;?\x1b\\\x1b]11;?\x1b\\"
}

/// A reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalReply {
    /// A color of the palette.
    Palette(u8, Rgb),
    /// The color of text.
    Foreground(Rgb),
    /// The color of the background.
    Background(Rgb),
    /// The terminal has 24-bit colors.
    TrueColor,
    /// The terminal has the kitty graphics protocol.
    KittyImages,
    /// The width and height of a cell in pixels.
    CellSize(u16, u16),
    /// What the terminal has, sixel among it or not.
    Attributes { sixel: bool },
    /// The terminal changed between light and dark.
    SchemeChanged,
}

/// Parses a control string without its introducer and terminator.
pub(super) fn parse_reply(introducer: u8, body: &[u8]) -> Option<TerminalReply> {
    let text = std::str::from_utf8(body).ok()?;
    match (introducer, text.split_once(';')) {
        (b']', Some(("4", entry))) => {
            let (number, color) = entry.split_once(';')?;
            Some(TerminalReply::Palette(number.parse().ok()?, rgb(color)?))
        }
        (b']', Some(("10", color))) => rgb(color).map(TerminalReply::Foreground),
        (b']', Some(("11", color))) => rgb(color).map(TerminalReply::Background),
        (b'P', _) if text.starts_with("1$r") && text.contains("1:2:3") || text.contains("2;1;2;3") => {
            Some(TerminalReply::TrueColor)
        }
        (b'_', Some(("Gi=31", "OK"))) => Some(TerminalReply::KittyImages),
        _ => None,
    }
}

/// Parses `rgb:ffff/8080/0000`, with one to four digits each.
fn rgb(text: &str) -> Option<Rgb> {
    let digits = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?;
    let mut parts = digits.split('/').map(|part| {
        let most = (1_u32 << (4 * part.len().min(4))) - 1;
        let value = u32::from_str_radix(part.get(..part.len().min(4))?, 16).ok()?;
        u8::try_from(value * 255 / most.max(1)).ok()
    });
    Some((parts.next()??, parts.next()??, parts.next()??))
}

/// Whether a color is dark, as the eye sees it.
pub(crate) fn is_dark((r, g, b): Rgb) -> bool {
    2 * u32::from(r) + 5 * u32::from(g) + u32::from(b) < 8 * 128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_reports_its_colors() {
        let parse = |introducer, body: &str| parse_reply(introducer, body.as_bytes());
        assert_eq!(parse(b']', "11;rgb:ffff/ffff/0000"), Some(TerminalReply::Background((255, 255, 0))));
        assert_eq!(parse(b']', "10;rgb:0/80/f"), Some(TerminalReply::Foreground((0, 128, 255))));
        assert_eq!(parse(b'P', "1$r0;48:2::1:2:3m"), Some(TerminalReply::TrueColor));
        assert_eq!(parse(b'P', "1$r48;2;1;2;3m"), Some(TerminalReply::TrueColor));
        assert_eq!(parse(b']', "4;3;rgb:ff/80/00"), Some(TerminalReply::Palette(3, (255, 128, 0))));
        assert_eq!(parse(b']', "4;300;rgb:ff/80/00"), None);
        assert_eq!(parse(b'_', "Gi=31;OK"), Some(TerminalReply::KittyImages));
        assert_eq!(parse(b'_', "Gi=31;ENOTSUP:no"), None);
        assert_eq!(parse(b'P', "1$r0m"), None);
        assert_eq!(parse(b']', "11;rgb:"), None);
        assert!(is_dark((30, 30, 40)) && !is_dark((250, 244, 237)));
    }
}
