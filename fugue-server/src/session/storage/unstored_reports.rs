//! Reports that were handled in a batch that could not be stored, and that nobody makes again: that a client left, that a
//! result was delivered, what a pane shows. They are handled again once something can be stored.

use std::mem::{Discriminant, discriminant};

use fugue_core::{Input, MachineStep};
use fugue_protocol::{Event, PaneId};

/// Those reports, in order, and only the newest of a kind about a client or pane. So there are a few for each client and
/// pane at most.
#[derive(Default)]
pub(crate) struct UnstoredReports(Vec<Input>);

impl UnstoredReports {
    pub(crate) fn add(&mut self, report: Input) {
        self.0.retain(|earlier| subject(earlier) != subject(&report));
        self.0.push(report);
    }

    pub(crate) fn take(&mut self) -> Vec<Input> {
        std::mem::take(&mut self.0)
    }
}

/// The kind of a report, and the clients or panes that it is about.
fn subject(report: &Input) -> (Discriminant<Input>, Vec<PaneId>, u64) {
    let (panes, client) = match report {
        Input::ClientLeft { client } => (Vec::new(), *client),
        Input::PanesReleased { panes } => (panes.clone(), 0),
        Input::ResultDelivered { pane }
        | Input::AgentObserved { pane, .. }
        | Input::DialogObserved { pane, .. }
        | Input::TitleChanged { pane, .. }
        | Input::DirectoryChanged { pane, .. }
        | Input::ForegroundChanged { pane, .. }
        | Input::CommandEnded { pane, .. } => (vec![*pane], 0),
        _ => (Vec::new(), 0),
    };
    (discriminant(report), panes, client)
}

/// Returns a copy of an input that is such a report.
pub(crate) fn report(input: &Input) -> Option<Input> {
    Some(match input {
        Input::ClientLeft { client } => Input::ClientLeft { client: *client },
        Input::PanesReleased { panes } => Input::PanesReleased { panes: panes.clone() },
        Input::ResultDelivered { pane } => Input::ResultDelivered { pane: *pane },
        Input::AgentObserved { pane, front, evidence } => {
            Input::AgentObserved { pane: *pane, front: front.clone(), evidence: evidence.clone() }
        }
        Input::DialogObserved { pane, dialog, answered } => {
            Input::DialogObserved { pane: *pane, dialog: dialog.clone(), answered: *answered }
        }
        Input::TitleChanged { pane, title } => Input::TitleChanged { pane: *pane, title: title.clone() },
        Input::DirectoryChanged { pane, cwd } => Input::DirectoryChanged { pane: *pane, cwd: cwd.clone() },
        Input::ForegroundChanged { pane, program } => {
            Input::ForegroundChanged { pane: *pane, program: program.clone() }
        }
        Input::CommandEnded { pane, exit } => Input::CommandEnded { pane: *pane, exit: *exit },
        // Whoever it was about is forgotten by now; the panes that it closed are not.
        Input::CallerGone { .. } | Input::RetriesOver { .. } => Input::PanesReleased { panes: Vec::new() },
        _ => return None,
    })
}

/// Names the panes that a step closed in a report that was made of it.
pub(super) fn with_closed_panes(report: Input, step: &MachineStep) -> Input {
    let closed = step.events.iter().filter_map(|event| match event {
        Event::PaneClosed { pane } => Some(*pane),
        _ => None,
    });
    match report {
        Input::PanesReleased { panes } if panes.is_empty() => {
            Input::PanesReleased { panes: closed.collect() }
        }
        report => report,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_reports_about_a_pane_the_newest_is_kept() {
        let mut reports = UnstoredReports::default();
        let title = |pane: u8, title: &str| Input::TitleChanged {
            pane: PaneId::from_bytes([pane; 16]),
            title: title.into(),
        };
        for input in [title(1, "old"), title(2, "other"), Input::ClientLeft { client: 7 }, title(1, "new")] {
            reports.add(report(&input).expect("a report"));
        }
        let kept: Vec<_> = reports.take().iter().map(|report| format!("{report:?}")).collect();
        assert_eq!(kept.len(), 3);
        assert!(
            kept[0].contains("other") && kept[1].contains("ClientLeft") && kept[2].contains("new"),
            "{kept:?}"
        );
        assert!(reports.take().is_empty());
    }
}
