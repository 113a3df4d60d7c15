//! What a program last reported about itself and has not withdrawn: working directory, progress, status, title.

use std::collections::VecDeque;

use crate::binary_format::{DecodeError, Reader, put_bytes, put_number};
use crate::events::{BlockedBy, ProgramState, ProgramStatus, ProgressReport};
use crate::title_stack::TitleStack;
use crate::untrusted_text::clean;

/// The number of status reports kept, as in the Program Status Protocol. The one that was renewed least recently is
/// dropped.
const MOST: usize = 256;
/// The longest text that is kept, which is a path.
const LONGEST: usize = 4096;

const STATES: [ProgramState; 6] = [
    ProgramState::Idle,
    ProgramState::Working,
    ProgramState::Done,
    ProgramState::Blocked,
    ProgramState::Error,
    ProgramState::Clear,
];
const KINDS: [BlockedBy; 3] = [BlockedBy::Permission, BlockedBy::Question, BlockedBy::Auth];

/// The reports that are in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramReports {
    pub cwd: Option<String>,
    pub progress: ProgressReport,
    /// The newest last.
    pub statuses: VecDeque<ProgramStatus>,
    /// A notification that arrives in pieces.
    pub unfinished: Option<Box<PartialNotification>>,
    pub title: TitleStack,
}

/// A notification of which the last piece has not arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartialNotification {
    pub id: String,
    pub title: Vec<u8>,
    pub body: Vec<u8>,
}

impl Default for ProgramReports {
    fn default() -> Self {
        Self {
            cwd: None,
            progress: ProgressReport::None,
            statuses: VecDeque::new(),
            unfinished: None,
            title: TitleStack::default(),
        }
    }
}

impl ProgramReports {
    /// Replaces the report with the same id. `clear` removes it and all below it.
    pub(crate) fn status(&mut self, status: &ProgramStatus) {
        if status.state == ProgramState::Clear {
            return self.statuses.retain(|known| !is_below(&known.id, &status.id));
        }
        self.statuses.retain(|known| known.id != status.id);
        if self.statuses.len() == MOST {
            self.statuses.pop_front();
        }
        self.statuses.push_back(status.clone());
    }

    /// Drops reports of work under way, since the program that sent them is gone. What is done or failed stays so.
    pub(crate) fn end_activity(&mut self) {
        self.statuses.retain(|known| matches!(known.state, ProgramState::Done | ProgramState::Error));
        self.progress = ProgressReport::None;
    }

    /// Drops the status reports and the progress.
    pub(crate) fn forget_states(&mut self) {
        self.statuses.clear();
        self.progress = ProgressReport::None;
    }

    /// Resets what RIS resets.
    pub(crate) fn reset(&mut self) {
        self.forget_states();
        self.title.stack.clear();
    }

    /// Forgets all reports, since another program starts.
    pub(crate) fn begin_program(&mut self, revision: u64) {
        *self = Self::default();
        self.title.revision = revision;
    }

    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        put_text(out, self.cwd.as_deref());
        let (kind, percent) = match self.progress {
            ProgressReport::None => (0, 0),
            ProgressReport::Percent(percent) => (1, percent),
            ProgressReport::Error(percent) => (2, percent),
            ProgressReport::Busy => (3, 0),
            ProgressReport::Paused(percent) => (4, percent),
        };
        put_number(out, kind);
        put_number(out, u64::from(percent));
        put_number(out, self.statuses.len() as u64);
        self.statuses.iter().for_each(|status| put_status(out, status));
        put_number(out, u64::from(self.unfinished.is_some()));
        if let Some(unfinished) = &self.unfinished {
            [unfinished.id.as_bytes(), &unfinished.title, &unfinished.body]
                .iter()
                .for_each(|text| put_bytes(out, text));
        }
    }

    pub(crate) fn decode(input: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let cwd = text(input)?;
        let (kind, percent) = (input.number()?, input.small::<u8>()?.min(100));
        let progress = match kind {
            1 => ProgressReport::Percent(percent),
            2 => ProgressReport::Error(percent),
            3 => ProgressReport::Busy,
            4 => ProgressReport::Paused(percent),
            _ => ProgressReport::None,
        };
        let mut statuses = VecDeque::new();
        for _ in 0..input.count(7)?.min(MOST) {
            statuses.push_back(status(input)?);
        }
        let unfinished = input.flag()?.then(|| unfinished(input)).transpose()?.map(Box::new);
        Ok(Self { cwd, progress, statuses, unfinished, title: TitleStack::default() })
    }
}

fn unfinished(input: &mut Reader<'_>) -> Result<PartialNotification, DecodeError> {
    let mut bytes = || Ok(input.bytes()?.iter().copied().take(LONGEST).collect::<Vec<u8>>());
    Ok(PartialNotification { id: clean(&bytes()?, LONGEST), title: bytes()?, body: bytes()? })
}

fn is_below(id: &str, above: &str) -> bool {
    above.is_empty() || id == above || id.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
}

fn put_text(out: &mut Vec<u8>, text: Option<&str>) {
    put_number(out, u64::from(text.is_some()));
    put_bytes(out, text.unwrap_or_default().as_bytes());
}

fn text(input: &mut Reader<'_>) -> Result<Option<String>, DecodeError> {
    let (present, text) = (input.flag()?, clean(input.bytes()?, LONGEST));
    Ok(present.then_some(text))
}

fn put_status(out: &mut Vec<u8>, status: &ProgramStatus) {
    put_bytes(out, status.id.as_bytes());
    put_number(out, status.state as u64);
    put_number(out, status.kind.map_or(0, |kind| kind as u64 + 1));
    put_number(out, status.progress.map_or(0, |percent| u64::from(percent) + 1));
    [&status.app, &status.title, &status.message].into_iter().for_each(|text| put_text(out, text.as_deref()));
}

fn status(input: &mut Reader<'_>) -> Result<ProgramStatus, DecodeError> {
    Ok(ProgramStatus {
        id: clean(input.bytes()?, LONGEST),
        state: *STATES.get(input.small::<usize>()?).ok_or(DecodeError("unknown program state"))?,
        kind: input.small::<usize>()?.checked_sub(1).and_then(|at| KINDS.get(at).copied()),
        progress: input.small::<u8>()?.checked_sub(1).map(|percent| percent.min(100)),
        app: text(input)?,
        title: text(input)?,
        message: text(input)?,
    })
}
