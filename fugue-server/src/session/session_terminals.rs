//! The colors of the terminals in which sessions were last shown. Programs in a session's panes get these when they ask.

use std::collections::BTreeMap;

use fugue_core::edge_request::TerminalColors;
use fugue_protocol::SessionId;

use crate::pane::ClientColors;

/// The terminal colors of each session.
#[derive(Default)]
pub(super) struct SessionColors(BTreeMap<SessionId, ClientColors>);

impl SessionColors {
    /// Takes over the colors that a terminal reported; the others stay as they were. Returns the colors if they changed.
    pub(super) fn update(&mut self, session: SessionId, reported: &TerminalColors) -> Option<ClientColors> {
        let before = self.get(session);
        let mut colors = ClientColors {
            foreground: reported.foreground.or(before.foreground),
            background: reported.background.or(before.background),
            ..before
        };
        colors.palette.iter_mut().zip(&reported.palette).for_each(|(color, new)| *color = Some(*new));
        self.0.insert(session, colors);
        (colors != before).then_some(colors)
    }

    pub(super) fn get(&self, session: SessionId) -> ClientColors {
        self.0.get(&session).copied().unwrap_or_default()
    }

    /// Forgets the sessions that are closed.
    pub(super) fn retain(&mut self, is_open: impl Fn(&SessionId) -> bool) {
        self.0.retain(|session, _| is_open(session));
    }
}

#[cfg(test)]
mod tests {
    use fugue_protocol::RgbColor;

    use super::*;

    #[test]
    fn colors_that_a_terminal_does_not_report_stay_as_they_were() {
        let (mut colors, session) = (SessionColors::default(), SessionId::from_bytes([1; 16]));
        let (red, blue) = (RgbColor(255, 0, 0), RgbColor(0, 0, 255));
        let first = TerminalColors { foreground: Some(red), ..TerminalColors::default() };
        assert!(colors.update(session, &first).is_some());
        assert_eq!(colors.update(session, &first), None, "nothing changed");
        let second = TerminalColors { background: Some(blue), ..TerminalColors::default() };
        colors.update(session, &second);
        assert_eq!((colors.get(session).foreground, colors.get(session).background), (Some(red), Some(blue)));
        colors.retain(|_| false);
        assert_eq!(colors.get(session), ClientColors::default());
    }
}
