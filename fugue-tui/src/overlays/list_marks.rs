//! Marked rows of the list of agents, and its keys: one answers what the selected agent asks, others act on all marked
//! agents. A dialog is always answered alone, whatever is marked.

use std::collections::BTreeSet;

use fugue_protocol::PaneId;
use fugue_screen::keys::{Code, Key};

use super::list::List;
use super::list_row::ListRow;
use super::outcome::{BulkAct, OverlayOutcome};

/// The keys of these acts, with Control or Meta, and a word for each.
pub(super) const BULK_KEYS: [(char, BulkAct, &str); 5] = [
    ('s', BulkAct::Message, "message"),
    ('y', BulkAct::Prompt, "prompt"),
    ('e', BulkAct::Interrupt, "interrupt"),
    ('t', BulkAct::Tag, "tag"),
    ('x', BulkAct::Close, "close"),
];

/// The marks of a list.
#[derive(Debug, Default)]
pub(super) struct ListMarks {
    panes: BTreeSet<PaneId>,
    /// The selected row is gone, and the list selected another: digits answer nothing until the person moves.
    pub(super) is_lost: bool,
    /// The prefix key, which the list never gets.
    prefix: Option<Key>,
}

impl List {
    /// Lets panes be marked, and keys answer and act.
    pub(crate) fn with_marks(mut self) -> Self {
        self.marks = Some(ListMarks::default());
        self
    }

    /// Names keys with Meta where Control would make them the prefix.
    pub(crate) fn avoiding(mut self, prefix: Key) -> Self {
        if let Some(marks) = &mut self.marks {
            marks.prefix = Some(prefix);
        }
        self
    }

    /// The name of a key that only a list with marks has.
    pub(super) fn mark_key_name(&self, letter: char) -> String {
        let prefix = self.marks.as_ref().and_then(|marks| marks.prefix);
        let is_prefix = prefix.is_some_and(|key| key.mods.ctrl && key.code == Code::Char(letter));
        format!("{}-{letter}", if is_prefix { 'M' } else { 'C' })
    }

    /// Handles a key that only a list with marks has.
    pub(super) fn mark_key(&mut self, key: Key) -> Option<OverlayOutcome> {
        self.marks.as_ref()?;
        // Meta is for those whose prefix is one of these keys.
        match (key.mods.ctrl || key.mods.alt, key.code) {
            // A space is part of a filter that was begun.
            (with, Code::Char(' ')) if with || self.filter.is_empty() => self.toggle_mark(),
            (true, Code::Char('a')) => self.toggle_all(),
            (true, Code::Char(c)) => {
                let (_, act, _) = BULK_KEYS.iter().find(|(key, ..)| *key == c)?;
                return Some(self.act(*act));
            }
            (false, Code::Char(c @ '1'..='9')) if self.filter.is_empty() => return self.answer(c),
            _ => return None,
        }
        Some(OverlayOutcome::Stay)
    }

    /// Marks the selected agent or takes its mark away, and goes on to the next agent.
    fn toggle_mark(&mut self) {
        let Some((pane, marks)) = self.preview().zip(self.marks.as_mut()) else { return };
        if !marks.panes.remove(&pane) {
            marks.panes.insert(pane);
        }
        let is_next = |at: &usize| {
            let row = &self.rows[self.fitting[*at]];
            row.choice.is_none() && row.is_choosable()
        };
        let next = (self.chosen + 1..self.fitting.len()).find(is_next);
        self.chosen = next.unwrap_or(self.chosen);
    }

    /// Marks all agents that the filter leaves, or none if they all are marked.
    fn toggle_all(&mut self) {
        let found: BTreeSet<PaneId> = self.fitting.iter().filter_map(|at| self.rows[*at].pane).collect();
        let Some(marks) = &mut self.marks else { return };
        match found.is_subset(&marks.panes) {
            true => marks.panes.retain(|pane| !found.contains(pane)),
            false => marks.panes.extend(found),
        }
    }

    /// An act on the marked agents, in the order of the list; without marks, on the selected one.
    fn act(&self, act: BulkAct) -> OverlayOutcome {
        let marked = self.rows.iter().filter(|row| self.is_marked(row)).filter_map(|row| row.pane);
        let mut panes: Vec<PaneId> = marked.collect();
        if panes.is_empty() {
            panes.extend(self.preview());
        }
        if panes.is_empty() { OverlayOutcome::Stay } else { OverlayOutcome::Act(act, panes) }
    }

    /// Answers the dialog of the selected agent with one of its choices. The list stays, for the next agent.
    fn answer(&self, digit: char) -> Option<OverlayOutcome> {
        let pane = self.preview().filter(|_| !self.marks.as_ref().is_some_and(|marks| marks.is_lost))?;
        let mut choices =
            self.rows.iter().filter(|row| row.pane == Some(pane) && row.choice.is_some()).peekable();
        choices.peek()?;
        let number = digit.to_digit(10).map(|digit| digit as usize);
        let chosen = choices.find(|row| row.choice == number);
        Some(chosen.map_or(OverlayOutcome::Stay, |row| OverlayOutcome::StayAndRun(row.command.clone())))
    }

    /// Whether this is the row of a marked agent.
    pub(super) fn is_marked(&self, row: &ListRow) -> bool {
        let marks = self.marks.as_ref().filter(|_| row.choice.is_none());
        marks.zip(row.pane).is_some_and(|(marks, pane)| marks.panes.contains(&pane))
    }

    /// Forgets marks of panes that are no longer listed.
    pub(super) fn drop_lost_marks(&mut self) {
        let listed: BTreeSet<PaneId> = self.rows.iter().filter_map(|row| row.pane).collect();
        if let Some(marks) = &mut self.marks {
            marks.panes.retain(|pane| listed.contains(pane));
        }
    }

    /// How many agents are marked, where they can be.
    pub(super) fn marked(&self) -> Option<usize> {
        self.marks.as_ref().map(|marks| marks.panes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane(number: u8) -> PaneId {
        PaneId::from_bytes([number; 16])
    }

    fn row(number: u8, choice: Option<usize>) -> ListRow {
        let command = match choice {
            Some(choice) => format!("answer-permission d{number} {choice}"),
            None => format!("go {number}"),
        };
        ListRow {
            text: format!("agent {number}"),
            command,
            choice,
            pane: Some(pane(number)),
            ..ListRow::default()
        }
    }

    /// Three agents, of which the first two ask something.
    fn list() -> List {
        let rows = [(1, None), (1, Some(1)), (1, Some(2)), (2, None), (2, Some(1)), (3, None)];
        List::new("", rows.map(|(number, choice)| row(number, choice)).into(), 0).with_marks()
    }

    fn press(list: &mut List, keys: &str) -> OverlayOutcome {
        keys.split(' ').map(|key| list.key(key.parse().unwrap())).last().expect("a key")
    }

    #[test]
    fn a_digit_answers_the_selected_agent_alone() {
        let mut open = list();
        let answer = |text: &str| OverlayOutcome::StayAndRun(text.into());
        assert_eq!(press(&mut open, "2"), answer("answer-permission d1 2"));
        assert_eq!(press(&mut open, "C-a 1"), answer("answer-permission d1 1"), "whatever is marked");
        assert_eq!(press(&mut open, "3"), OverlayOutcome::Stay, "no such choice");
        assert_eq!(
            (press(&mut open, "End 1"), open.filter.as_str()),
            (OverlayOutcome::Stay, "1"),
            "it asks nothing"
        );
        assert_eq!(press(&mut open, "C-u Home a 1"), OverlayOutcome::Stay, "part of a filter");
        assert_eq!(open.filter, "a1");
    }

    #[test]
    fn a_digit_answers_nothing_after_the_selected_agent_is_gone() {
        let mut open = list();
        press(&mut open, "Down Down Down");
        open.renew(List::new("", vec![row(1, None), row(1, Some(1))], 0));
        assert_eq!((press(&mut open, "1"), open.filter.as_str()), (OverlayOutcome::Stay, "1"));
        assert_eq!(press(&mut open, "C-u Up 1"), OverlayOutcome::StayAndRun("answer-permission d1 1".into()));
    }

    #[test]
    fn acts_are_on_the_marked_agents_or_the_selected_one() {
        let mut open = list();
        assert_eq!(press(&mut open, "Down C-x"), OverlayOutcome::Act(BulkAct::Close, vec![pane(1)]));
        assert_eq!(
            press(&mut open, "End Space Home Space C-s"),
            OverlayOutcome::Act(BulkAct::Message, vec![pane(1), pane(3)])
        );
        assert_eq!(open.chosen, 3, "the next agent, not a choice");
        assert_eq!(
            press(&mut open, "M-a M-e"),
            OverlayOutcome::Act(BulkAct::Interrupt, vec![pane(1), pane(2), pane(3)])
        );
        assert_eq!(
            open.foot_text(u16::MAX),
            "3 marked  C-s message  C-y prompt  C-e interrupt  C-t tag  C-x close"
        );
        let open_after = |prefix: &str| {
            let mut open = list().avoiding(prefix.parse().unwrap());
            press(&mut open, "Space");
            open.foot_text(u16::MAX)
        };
        assert_eq!(open_after("C-t"), "1 marked  C-s message  C-y prompt  C-e interrupt  M-t tag  C-x close");
        assert!(list().avoiding("C-a".parse().unwrap()).foot_text(u16::MAX).contains("M-a mark all"));
        assert_eq!(
            press(&mut open, "C-a C-t"),
            OverlayOutcome::Act(BulkAct::Tag, vec![pane(2)]),
            "no marks again"
        );
        press(&mut open, "C-a");
        open.renew(List::new("", vec![row(2, None)], 0));
        assert_eq!(press(&mut open, "C-x"), OverlayOutcome::Act(BulkAct::Close, vec![pane(2)]));
    }
}
