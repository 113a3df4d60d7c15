//! The scroll region and the left and right margins.

use crate::modes::ModeFlag;
use crate::parser::Params;
use crate::terminal::{Terminal, VT420};

impl Terminal {
    /// DECSTBM.
    pub(super) fn scroll_region(&mut self, p: &Params) {
        let top = p.or(0, 1) - 1;
        let bottom = p.or(1, self.buffers.size.rows).min(self.rows());
        if top + 1 < bottom {
            self.buffers.margins.top = top;
            self.buffers.margins.bottom = bottom;
            self.home();
        }
    }

    /// CSI s: DECSLRM if left and right margins are enabled; otherwise it saves the cursor.
    pub(super) fn left_right_or_save(&mut self, p: &Params) {
        if !self.has(ModeFlag::LeftRightMargins) {
            return self.save_cursor();
        }
        let left = p.or(0, 1) - 1;
        let right = p.or(1, self.buffers.size.cols).min(self.cols());
        if left + 1 < right {
            self.buffers.margins.left = left;
            self.buffers.margins.right = right;
            self.home();
        }
    }

    pub(super) fn home(&mut self) {
        self.set_position(1, 1);
    }

    /// Enables or disables left and right margins, which only a VT420 has.
    pub(super) fn set_left_right_margins(&mut self, on: bool) {
        self.modes.set(ModeFlag::LeftRightMargins, on && self.settings.conformance_level >= VT420);
        self.buffers.margins.left = 0;
        self.buffers.margins.right = self.cols();
    }
}
