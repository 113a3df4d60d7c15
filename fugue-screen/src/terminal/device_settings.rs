//! Device settings that are neither modes nor part of the screen: tab stops, cursor shape, conformance level.

use crate::cursor::CursorShape;
use crate::modes::Modes;
use crate::tab_stops::TabStops;

/// The conformance level of a VT420, the highest one we report (DECSCL).
pub(crate) const VT420: u16 = 64;

/// How much of a VT52 cursor address (`ESC Y`, row, column) has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vt52Address {
    /// Nothing: the row comes next.
    Row,
    /// The row: the column comes next.
    Column(u8),
}

/// Settings that a program changes by sequences of their own.
#[derive(Clone, Debug)]
pub(crate) struct DeviceSettings {
    /// The modes that XTSAVE saved.
    pub saved_modes: Modes,
    pub cursor_shape: CursorShape,
    pub tab_stops: TabStops,
    /// 2: attribute changes apply to rectangles; 0, 1: to the text between two positions (DECSACE).
    pub attribute_extent: u8,
    /// ISO guarded areas are in use, so every erase has to look for them.
    pub guarded_areas: bool,
    /// The level of terminal that the program wants to see (DECSCL).
    pub conformance_level: u16,
    /// In VT52 mode: a cursor address of which only a part has arrived.
    pub vt52_address: Option<Vt52Address>,
}

impl DeviceSettings {
    pub(crate) fn new(cols: u16) -> Self {
        Self {
            saved_modes: Modes::default(),
            cursor_shape: CursorShape::default(),
            tab_stops: TabStops::new(cols),
            attribute_extent: 0,
            guarded_areas: false,
            conformance_level: VT420,
            vt52_address: None,
        }
    }

    /// Resets what DECSTR resets.
    pub(crate) fn soft_reset(&mut self) {
        self.guarded_areas = false;
        self.attribute_extent = 0;
        self.vt52_address = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_soft_reset_keeps_tab_stops_and_level() {
        let mut settings = DeviceSettings::new(20);
        settings.tab_stops.clear();
        settings.conformance_level = 61;
        settings.guarded_areas = true;
        settings.vt52_address = Some(Vt52Address::Row);
        settings.soft_reset();
        assert_eq!(settings.tab_stops.after(0), None);
        assert_eq!(settings.conformance_level, 61);
        assert!(!settings.guarded_areas && settings.vt52_address.is_none());
    }
}
