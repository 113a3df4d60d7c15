//! What is open over the panes: the overlay that has the keyboard, copy modes that wait in their panes, a popup.

use std::time::Instant;

use fugue_protocol::{PaneId, Size};

use super::copy_views::CopyViews;
use super::popup::Popup;
use super::prompt_tally::PromptTally;
use super::window_search::WindowSearch;
use crate::command::CommandOrigin;
use crate::copy_mode::CopyMode;
use crate::overlays::Overlay;
use crate::tree::TreeSnapshot;

/// Lines of the command prompt that are remembered: more than anybody goes back by hand.
const MAX_PROMPT_LINES: usize = 500;

/// Everything that is open over the panes.
#[derive(Default)]
pub(crate) struct OpenOverlays {
    /// The overlay that has the keyboard.
    pub(crate) current: Option<Overlay>,
    /// Where the line of the question comes from that is open.
    pub(crate) line_origin: CommandOrigin,
    /// A list that stays in sight while a question about its rows is open.
    pub(crate) behind: Option<Overlay>,
    /// When the overlay closes by itself.
    pub(crate) closes_at: Option<Instant>,
    /// Whether what the overlay lists has changed since it was requested.
    pub(crate) is_stale: bool,
    /// The panes that the question that is open is about.
    pub(crate) act_on: Vec<PaneId>,
    /// The outcome of the last prompt that was typed into marked agents.
    pub(crate) prompted: PromptTally,
    /// What the person saw when the overlay opened: its command is about that.
    pub(crate) opened_from: Option<TreeSnapshot>,
    /// A search for windows that waits for the text of their panes.
    pub(crate) search: Option<WindowSearch>,
    pub(crate) copy_views: CopyViews,
    pub(crate) popup: Option<Popup>,
    /// Lines typed at the command prompt, the newest last.
    pub(crate) prompt_lines: Vec<String>,
}

impl OpenOverlays {
    /// Opens an overlay, whose command is about what the person sees now. A copy mode that had the keyboard waits in its
    /// pane, unless it closes by itself; a question that was open is about nothing any more.
    pub(crate) fn open(&mut self, overlay: Overlay, from: TreeSnapshot) {
        let pane = overlay.copy_pane();
        self.behind = None;
        self.act_on.clear();
        // Copy mode stays in its pane.
        self.opened_from = pane.is_none().then_some(from);
        if let Some(Overlay::Copy(copy)) = self.current.replace(overlay)
            && Some(copy.pane) != pane
            && !copy.transient
        {
            self.copy_views.push(*copy);
        }
        self.closes_at = None;
    }

    /// Lets copy modes follow the keyboard, which is in pane `active` now: a pane's own copy mode has it when the pane
    /// has it, and waits otherwise. One that the wheel opened stays as long as it is visible. Returns whether anything
    /// changed.
    pub(crate) fn follow_keyboard(
        &mut self,
        active: Option<PaneId>,
        visible: impl Fn(PaneId) -> bool,
    ) -> bool {
        let leaves = |overlay: &mut Overlay| match overlay {
            Overlay::Copy(copy) => Some(copy.pane) != active && !(copy.transient && visible(copy.pane)),
            _ => false,
        };
        let left = self.current.take_if(leaves);
        let mut changed = left.is_some();
        if let Some(Overlay::Copy(copy)) = left
            && !copy.transient
        {
            self.copy_views.push(*copy);
        }
        if self.current.is_none()
            && let Some(copy) = active.and_then(|pane| self.copy_views.take(pane))
        {
            self.current = Some(Overlay::Copy(Box::new(copy)));
            changed = true;
        }
        changed
    }

    /// Gives every copy mode the size of its pane.
    pub(crate) fn resize_copy_views(&mut self, size: impl Fn(PaneId) -> Option<Size>) {
        let current =
            if let Some(Overlay::Copy(copy)) = &mut self.current { Some(&mut **copy) } else { None };
        for copy in self.copy_views.iter_mut().chain(current) {
            size(copy.pane).into_iter().for_each(|size| copy.resize(size));
        }
    }

    /// Closes the copy modes of panes that are gone, and returns whether the one with the keyboard was among them.
    pub(crate) fn close_lost_copy_views(&mut self, exists: impl Fn(PaneId) -> bool) -> bool {
        self.copy_views.retain(&exists);
        self.current.take_if(|overlay| overlay.copy_pane().is_some_and(|pane| !exists(pane))).is_some()
    }

    /// The copy mode that has the keyboard, if it is this pane's.
    pub(crate) fn copy_in(&mut self, pane: PaneId) -> Option<&mut CopyMode> {
        match &mut self.current {
            Some(Overlay::Copy(copy)) if copy.pane == pane => Some(copy),
            _ => None,
        }
    }

    /// Whether the copy mode that has the keyboard has a search to go on with.
    pub(crate) fn is_searching(&self) -> bool {
        matches!(&self.current, Some(Overlay::Copy(copy)) if copy.is_searching())
    }

    /// Goes on with the search. Returns whether there was one.
    pub(crate) fn search_step(&mut self) -> bool {
        match &mut self.current {
            Some(Overlay::Copy(copy)) if copy.is_searching() => copy.search_step(),
            _ => return false,
        }
        true
    }

    /// The copy mode of a pane, with the keyboard or without.
    pub(crate) fn find_copy_mode(&self, pane: PaneId) -> Option<&CopyMode> {
        match &self.current {
            Some(Overlay::Copy(copy)) if copy.pane == pane => Some(copy),
            _ => self.copy_views.iter().find(|copy| copy.pane == pane),
        }
    }

    /// Whether nothing is open but the panes.
    pub(crate) fn is_empty(&self) -> bool {
        self.current.is_none() && self.copy_views.is_empty() && self.popup.is_none()
    }

    /// Remembers a line for the arrow keys of the command prompt; the same line is kept once.
    pub(crate) fn remember_line(&mut self, line: &str) {
        self.prompt_lines.retain(|known| known != line);
        self.prompt_lines.push(line.to_owned());
        if self.prompt_lines.len() > MAX_PROMPT_LINES {
            self.prompt_lines.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    fn copy(number: u8, transient: bool) -> Overlay {
        let mut copy = CopyMode::new(pane(number), "text", Size::new(10, 2), None);
        copy.transient = transient;
        Overlay::Copy(Box::new(copy))
    }

    fn seen() -> TreeSnapshot {
        TreeSnapshot::of(&crate::tree::Tree::new(fugue_protocol::SessionId::from_bytes([1; 16])))
    }

    #[test]
    fn a_question_that_another_one_replaces_leaves_no_panes_to_act_on() {
        let mut overlays = OpenOverlays::default();
        let question = || Overlay::Confirm("Close the panes of a, b?".into(), "agents close".into());
        overlays.open(question(), seen());
        overlays.act_on = vec![pane(1), pane(2)];
        overlays.open(Overlay::DescribeKey, seen());
        assert!(
            overlays.act_on.is_empty(),
            "`agents close` typed now would close the panes of another question"
        );
    }

    #[test]
    fn copy_mode_stays_in_its_pane_until_the_pane_is_focused_again() {
        let mut overlays = OpenOverlays::default();
        overlays.open(copy(1, false), seen());
        assert!(overlays.follow_keyboard(Some(pane(2)), |_| true));
        assert!(overlays.current.is_none() && overlays.copy_views.has(pane(1)) && !overlays.is_empty());
        assert!(!overlays.follow_keyboard(Some(pane(2)), |_| true), "nothing changes");
        assert!(overlays.follow_keyboard(Some(pane(1)), |_| true));
        assert!(overlays.copy_in(pane(1)).is_some() && overlays.copy_views.is_empty());
    }

    #[test]
    fn copy_mode_opened_by_the_wheel_closes_when_out_of_sight() {
        let mut overlays = OpenOverlays::default();
        overlays.open(copy(1, true), seen());
        assert!(!overlays.follow_keyboard(Some(pane(2)), |_| true), "it is still visible");
        assert!(overlays.follow_keyboard(Some(pane(2)), |_| false) && overlays.is_empty());
    }

    #[test]
    fn copy_mode_closes_with_its_pane() {
        let mut overlays = OpenOverlays::default();
        overlays.open(copy(1, false), seen());
        overlays.open(copy(2, false), seen());
        assert!(!overlays.close_lost_copy_views(|id| id != pane(1)) && !overlays.copy_views.has(pane(1)));
        assert!(overlays.close_lost_copy_views(|_| false) && overlays.is_empty());
    }

    #[test]
    fn a_line_typed_twice_is_remembered_once() {
        let mut overlays = OpenOverlays::default();
        ["one", "two", "one"].iter().for_each(|line| overlays.remember_line(line));
        assert_eq!(overlays.prompt_lines, ["two", "one"]);
    }
}
