//! The terminals in which sessions were last shown. Programs in a session's panes are told about these when they ask.

use std::collections::BTreeMap;

use fugue_core::edge_request::TerminalReport;
use fugue_protocol::SessionId;
use fugue_screen::{ImageSupport, PixelSize};

use crate::pane::ClientTerminal;

/// The terminal of each session.
#[derive(Default)]
pub(super) struct SessionTerminals(BTreeMap<SessionId, ClientTerminal>);

impl SessionTerminals {
    /// Takes over what a terminal reported. Colors and sizes that it did not report stay as they were; images that it
    /// did not report cannot be shown. Returns the terminal if something changed.
    pub(crate) fn update(&mut self, session: SessionId, reported: &TerminalReport) -> Option<ClientTerminal> {
        let before = self.get(session);
        let (width, height) = (u32::from(reported.cell.0), u32::from(reported.cell.1));
        let cell = (width > 0 && height > 0).then_some(PixelSize { width, height });
        let mut terminal = ClientTerminal {
            foreground: reported.foreground.or(before.foreground),
            background: reported.background.or(before.background),
            palette: before.palette,
            cell: cell.or(before.cell),
            images: ImageSupport { kitty: reported.kitty_images, sixel: reported.sixel_images },
        };
        terminal.palette.iter_mut().zip(&reported.palette).for_each(|(color, new)| *color = Some(*new));
        self.0.insert(session, terminal);
        (terminal != before).then_some(terminal)
    }

    pub(crate) fn get(&self, session: SessionId) -> ClientTerminal {
        self.0.get(&session).copied().unwrap_or_default()
    }

    /// Forgets the sessions that are closed.
    pub(crate) fn retain(&mut self, is_open: impl Fn(&SessionId) -> bool) {
        self.0.retain(|session, _| is_open(session));
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::RgbColor;

    use super::*;

    #[test]
    fn colors_that_a_terminal_does_not_report_stay_as_they_were() {
        let (mut terminals, session) = (SessionTerminals::default(), SessionId::from_bytes([1; 16]));
        let (red, blue) = (RgbColor(255, 0, 0), RgbColor(0, 0, 255));
        let first = TerminalReport { foreground: Some(red), ..TerminalReport::default() };
        assert!(terminals.update(session, &first).is_some());
        assert_eq!(terminals.update(session, &first), None, "nothing changed");
        let second = TerminalReport { background: Some(blue), ..TerminalReport::default() };
        terminals.update(session, &second);
        let known = terminals.get(session);
        assert_eq!((known.foreground, known.background), (Some(red), Some(blue)));
        terminals.retain(|_| false);
        assert_eq!(terminals.get(session), ClientTerminal::default());
    }

    #[test]
    fn the_last_terminal_decides_which_images_can_be_shown() {
        let (mut terminals, session) = (SessionTerminals::default(), SessionId::from_bytes([1; 16]));
        let able = TerminalReport { cell: (9, 18), kitty_images: true, ..TerminalReport::default() };
        terminals.update(session, &able);
        let known = terminals.update(session, &TerminalReport::default()).expect("a change");
        assert_eq!((known.images, known.cell.is_some()), (ImageSupport::default(), true));
    }
}
