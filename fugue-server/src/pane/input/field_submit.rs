//! Submitting a text in an agent's input field: Enter is pressed once the field is seen to hold the text, and again while
//! the text stays there. An agent that is slow reads a text and Enter in one burst, and takes that Enter for a line break.
//! Requests and notifications are submitted in this way, by an agent whose input field is known.

use std::time::{Duration, Instant};

use fugue_agents::Composer;
use fugue_protocol::views::SubmitEvidence;

use super::submit_watch::settled;
use crate::pane::current_state::PaneFacts;

/// How long a text may take to appear in the input field. On a machine that has far too much to do, it takes seconds.
pub(super) const APPEARANCE: Duration = Duration::from_secs(5);

/// The least time between two presses of Enter. Measured with the real programs.
const NEXT_PRESS: Duration = Duration::from_secs(1);

/// How long after the first thing that an agent draws Enter may be pressed again: it has read the first one by then. An
/// agent that has drawn nothing may not have read it, and Gemini CLI submits its text once for each Enter that it reads in
/// one burst.
const REACTION: Duration = Duration::from_millis(800);

/// How often Enter is pressed. The real programs take the second one, also on a busy machine.
const MAX_PRESSES: u32 = 4;

/// How long the text must be missing in the field: some agents clear the screen before they draw it again.
const GONE: Duration = Duration::from_millis(150);

/// A text on its way from an agent's input field to its model.
pub(super) struct FieldSubmit {
    /// The text, if the field must hold it and nothing else.
    only: Option<String>,
    /// What the field held before the text was typed, without blanks.
    before: String,
    /// How long the text may stay in the field after the first Enter.
    patience: Duration,
    stage: FieldStage,
}

enum FieldStage {
    /// The text was typed at one time and is seen in the field since another.
    Typed(Instant, Option<Instant>),
    Pressed(Press),
}

/// What is known since Enter was pressed.
struct Press {
    first: Instant,
    last: Instant,
    /// When the agent was first seen to draw something after that.
    drawn: Option<Instant>,
    presses: u32,
    /// The number of turns that had begun.
    turns: u64,
    /// Whether the text was seen in the field, so that its absence means something.
    was_seen: bool,
    /// Since when the field does not hold the text.
    gone_since: Option<Instant>,
    /// Whether a person has typed since. What the field holds may be theirs.
    person_typed: bool,
}

/// What is to be done next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FieldStep {
    Wait,
    PressEnter,
    /// It is clear whether the agent took the text, as far as it can be seen.
    Done {
        was_taken: bool,
        evidence: SubmitEvidence,
    },
}

impl FieldSubmit {
    /// A notification that was just typed: Enter must not submit anything else with it, and a person's keys wait for it.
    pub(super) fn of_line(text: String, patience: Duration, now: Instant) -> Self {
        Self { only: Some(text), before: String::new(), patience, stage: FieldStage::Typed(now, None) }
    }

    /// The text of a request that was typed at that time, when the field held `before`.
    pub(super) fn of_request(before: String, patience: Duration, typed: Instant) -> Self {
        Self { only: None, before, patience, stage: FieldStage::Typed(typed, None) }
    }

    /// The text of a request after which an earlier daemon pressed Enter, because it had seen the text.
    pub(super) fn pressed_before(patience: Duration, facts: PaneFacts<'_>) -> Self {
        let stage = FieldStage::Pressed(Press::new(true, facts));
        Self { only: None, before: String::new(), patience, stage }
    }

    /// Whether Enter has not been pressed.
    pub(crate) fn is_typed(&self) -> bool {
        matches!(self.stage, FieldStage::Typed(..))
    }

    /// Whether the text was seen in the field.
    pub(super) fn was_seen(&self) -> bool {
        matches!(&self.stage, FieldStage::Pressed(press) if press.was_seen)
    }

    /// Takes note that a person typed. Enter is not pressed again, because it would submit what the person typed, too.
    pub(crate) fn person_typed(&mut self) {
        if let FieldStage::Pressed(press) = &mut self.stage {
            press.person_typed = true;
        }
    }

    /// Returns when to look again though nothing happens.
    pub(crate) fn due(&self, last_output: Instant, now: Instant) -> Instant {
        let dues = match &self.stage {
            FieldStage::Typed(since, seen) => {
                let quiet = settled(last_output, seen.unwrap_or(*since));
                [Some(quiet), Some(*since + self.appearance()), None]
            }
            FieldStage::Pressed(press) => [
                press.next(last_output),
                Some(press.first + self.patience),
                press.gone_since.map(|since| since + GONE),
            ],
        };
        let later = dues.into_iter().flatten().filter(|due| *due > now).min();
        // While a dialog covers the field there is nothing to do until the screen changes.
        later.unwrap_or(now + self.patience)
    }

    /// Decides what is to be done.
    pub(crate) fn advance(&mut self, facts: PaneFacts<'_>) -> FieldStep {
        match self.stage {
            FieldStage::Typed(since, seen) => self.press_if_seen(since, seen, facts),
            FieldStage::Pressed(_) => self.watch(facts),
        }
    }

    fn press_if_seen(&mut self, since: Instant, seen: Option<Instant>, facts: PaneFacts<'_>) -> FieldStep {
        if facts.is_asking() {
            // The field is drawn again when the dialog is gone.
            self.stage = FieldStage::Typed(facts.now, None);
            return FieldStep::Wait;
        }
        let composer = facts.composer();
        let seen = self.is_in(&composer).then(|| seen.unwrap_or(facts.now));
        self.stage = FieldStage::Typed(since, seen);
        // The time begins when the text is seen: an agent takes Enter right after a text for a line break.
        let is_quiet = settled(facts.last_output, seen.unwrap_or(since)) <= facts.now;
        let is_late = since + self.appearance() <= facts.now;
        let is_blind = composer == Composer::Unseen && !facts.is_starting();
        match (seen, &self.only) {
            _ if !is_quiet => FieldStep::Wait,
            (Some(_), _) => self.press(true, facts),
            (None, Some(_)) if is_late => not_taken(SubmitEvidence::NoReaction),
            // A field that is hidden is not waited for, and a text that is late is one that cannot be recognized.
            (None, None) if is_blind || is_late => self.press(false, facts),
            _ => FieldStep::Wait,
        }
    }

    /// How long the text may take to appear.
    fn appearance(&self) -> Duration {
        APPEARANCE.min(self.patience)
    }

    fn press(&mut self, was_seen: bool, facts: PaneFacts<'_>) -> FieldStep {
        self.stage = FieldStage::Pressed(Press::new(was_seen, facts));
        FieldStep::PressEnter
    }

    fn watch(&mut self, facts: PaneFacts<'_>) -> FieldStep {
        let (composer, is_asking) = (facts.composer(), facts.is_asking());
        let is_there = !is_asking && self.is_in(&composer);
        let FieldStage::Pressed(press) = &mut self.stage else { return FieldStep::Wait };
        press.drawn = press.first_drawn(facts.last_output);
        let has_left = !is_asking && !is_there && composer != Composer::Unseen;
        let gone_since = has_left.then(|| press.gone_since.unwrap_or(facts.now));
        (press.was_seen, press.gone_since) = (press.was_seen || is_there, gone_since);
        if is_there && !press.person_typed {
            // A turn that has begun by now did not begin with this text.
            press.turns = facts.turns;
        }
        // What a person typed may be all that the field holds.
        let may_be_taken = if press.person_typed { composer == Composer::Empty } else { !is_there };
        if facts.turns > press.turns && may_be_taken {
            return taken(SubmitEvidence::TurnBegan);
        }
        let is_gone = press.was_seen && gone_since.is_some_and(|since| since + GONE <= facts.now);
        if is_gone && !press.person_typed {
            return taken(SubmitEvidence::FieldCleared);
        }
        if is_asking && self.only.is_none() {
            return not_taken(SubmitEvidence::DialogOpened);
        }
        if press.first + self.patience <= facts.now {
            return not_taken(press.last_evidence(is_there));
        }
        if is_there && press.may_repeat(facts) {
            (press.last, press.drawn, press.presses) = (facts.now, None, press.presses + 1);
            return FieldStep::PressEnter;
        }
        FieldStep::Wait
    }

    /// Whether the input field holds the text: this one and nothing else, or for a request, anything that was not there
    /// before, since agents abbreviate long texts.
    fn is_in(&self, composer: &Composer) -> bool {
        let Composer::Holds(text) = composer else { return false };
        self.only.as_deref().map_or_else(|| dense(text) != self.before, |only| dense(text) == dense(only))
    }
}

impl Press {
    fn new(was_seen: bool, facts: PaneFacts<'_>) -> Self {
        let (first, last, turns) = (facts.now, facts.now, facts.turns);
        Self { first, last, drawn: None, presses: 1, turns, was_seen, gone_since: None, person_typed: false }
    }

    fn may_repeat(&self, facts: PaneFacts<'_>) -> bool {
        let is_due = self.next(facts.last_output).is_some_and(|next| next <= facts.now);
        self.presses < MAX_PRESSES && !self.person_typed && is_due
    }

    /// When Enter may be pressed again, if the agent has drawn something since the last press.
    fn next(&self, last_output: Instant) -> Option<Instant> {
        Some((self.first_drawn(last_output)? + REACTION).max(self.last + NEXT_PRESS))
    }

    fn first_drawn(&self, last_output: Instant) -> Option<Instant> {
        self.drawn.or_else(|| Some(last_output).filter(|at| *at > self.last))
    }

    fn last_evidence(&self, is_there: bool) -> SubmitEvidence {
        match (self.person_typed, is_there) {
            (true, _) => SubmitEvidence::PersonTyped,
            (false, true) => SubmitEvidence::TextInField,
            (false, false) => SubmitEvidence::NoReaction,
        }
    }
}

/// A text that was typed into an agent's input field and not submitted. Nothing is added to it.
#[derive(Debug, Default)]
pub(super) struct Unsubmitted {
    /// Since when there is one, and the number of turns that had begun.
    since: Option<(Instant, u64)>,
    /// Whether the field has held it, so that an empty field means that it is gone.
    was_seen: bool,
}

impl Unsubmitted {
    /// How long a text that was never seen may still be on its way to an agent that reads nothing.
    const LOST: Duration = Duration::from_secs(60);

    pub(crate) fn new(was_seen: bool, facts: PaneFacts<'_>) -> Self {
        Self { since: Some((facts.now, facts.turns)), was_seen }
    }

    /// Whether the text may still be there.
    pub(super) fn is_left(&mut self, facts: PaneFacts<'_>) -> bool {
        let Some((since, turns)) = self.since else { return false };
        let composer = facts.composer();
        self.was_seen |= matches!(composer, Composer::Holds(_));
        let is_gone = match composer {
            Composer::Holds(_) => false,
            _ if facts.agent.is_none() => true,
            Composer::Empty => self.was_seen || facts.turns > turns || since + Self::LOST <= facts.now,
            Composer::Unseen => self.was_seen || since + Self::LOST <= facts.now,
        };
        if is_gone && composer != Composer::Unseen || facts.agent.is_none() {
            self.since = None;
        }
        !is_gone
    }
}

fn taken(evidence: SubmitEvidence) -> FieldStep {
    FieldStep::Done { was_taken: true, evidence }
}

fn not_taken(evidence: SubmitEvidence) -> FieldStep {
    FieldStep::Done { was_taken: false, evidence }
}

/// A text without blanks: input fields wrap at any of them.
pub(super) fn dense(text: &str) -> String {
    text.split_whitespace().collect()
}

/// What an input field holds, without blanks.
pub(super) fn dense_field(facts: PaneFacts<'_>) -> String {
    match facts.composer() {
        Composer::Holds(text) => dense(&text),
        Composer::Empty | Composer::Unseen => String::new(),
    }
}
