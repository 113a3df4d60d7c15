//! The scroll region and the left and right margins.

use crate::modes::Flag;
use crate::parser::Params;
use crate::terminal::Terminal;

impl Terminal {
    /// DECSTBM.
    pub(super) fn scroll_region(&mut self, p: &Params) {
        let top = p.or(0, 1) - 1;
        let bottom = p.or(1, self.size.rows).min(self.rows());
        if top + 1 < bottom {
            self.margins.top = top;
            self.margins.bottom = bottom;
            self.home();
        }
    }

    /// CSI s is DECSLRM where margins are on, and saves the cursor where they are not.
    pub(super) fn left_right_or_save(&mut self, p: &Params) {
        if !self.has(Flag::LeftRightMargins) {
            return self.save_cursor();
        }
        let left = p.or(0, 1) - 1;
        let right = p.or(1, self.size.cols).min(self.cols());
        if left + 1 < right {
            self.margins.left = left;
            self.margins.right = right;
            self.home();
        }
    }

    pub(super) fn home(&mut self) {
        self.place(1, 1);
    }

    /// A VT420 has these margins, older ones do not.
    pub(super) fn set_left_right_margins(&mut self, on: bool) {
        self.modes.set(Flag::LeftRightMargins, on && self.level >= 64);
        self.margins.left = 0;
        self.margins.right = self.cols();
    }
}
