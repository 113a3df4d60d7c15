//! How the state of an agent follows from evidence.

use fugue_protocol::Timestamp;
use fugue_protocol::agents::{AgentState, Evidence, EvidenceSource};
use fugue_protocol::views::ExitStatus;

use super::*;

fn moment(seconds: u64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn evidence(source: EvidenceSource, state: AgentState) -> Evidence {
    Evidence::new(source, state)
}

/// An agent that reported at second 100, and whose title changed then or later.
fn reporting(source: EvidenceSource, reported: AgentState, title: AgentState, titled_at: u64) -> Agent {
    let mut agent = Agent::default();
    agent.hear(moment(100), Some("gemini-cli"), &evidence(source, reported));
    agent.see(moment(titled_at), Some("gemini"), &[evidence(EvidenceSource::Title, title)]);
    agent
}

#[test]
fn a_report_holds_until_it_is_old_and_newer_evidence_contradicts_it() {
    use AgentState::{Idle, WaitingForInput, Working};
    for (source, reported, title, titled_at, now, believed) in [
        (EvidenceSource::Reported, Working, Idle, 130, 219, Working),
        (EvidenceSource::Reported, Working, Idle, 130, 220, Idle),
        (EvidenceSource::Reported, Working, Idle, 90, 999, Working),
        (EvidenceSource::Reported, WaitingForInput, Idle, 130, 999, WaitingForInput),
        (EvidenceSource::Reported, WaitingForInput, Working, 130, 220, Working),
        (EvidenceSource::Hook, Working, Idle, 105, 109, Working),
        (EvidenceSource::Hook, Working, Idle, 105, 110, Idle),
        (EvidenceSource::Plugin, Working, Idle, 130, 999, Working),
    ] {
        let agent = reporting(source, reported, title, titled_at);
        let view = agent.judge(moment(now)).unwrap();
        assert_eq!((view.state, view.name.as_str()), (believed, "gemini"), "{source:?} {reported} at {now}");
    }
}

#[test]
fn the_timer_is_set_for_when_a_report_can_expire() {
    let due = |title, at| {
        reporting(EvidenceSource::Reported, AgentState::Working, title, at).due(Timestamp::default())
    };
    assert_eq!(due(AgentState::Idle, 130), Some(moment(220)));
    assert_eq!(due(AgentState::Working, 130), None);
    assert_eq!(due(AgentState::Idle, 90), None);
}

#[test]
fn reports_end_when_their_agent_exits() {
    let mut agent = reporting(EvidenceSource::Reported, AgentState::Working, AgentState::Working, 101);
    assert_eq!(agent.outlived(Some("gemini")), []);
    for source in agent.outlived(None) {
        agent.hear(moment(102), None, &evidence(source, AgentState::Unknown));
    }
    agent.see(moment(102), None, &[]);
    assert_eq!((agent.name(), agent.judge(moment(103))), (None, None));
}

#[test]
fn only_an_agent_that_exits_by_itself_and_without_an_error_is_done() {
    use AgentState::{Complete, Error, Working};
    use ExitStatus::{Code, Signal, Unknown};
    for (state, exit, left) in [
        (Complete, Code(0), Some(Complete)),
        (Complete, Code(1), None),
        (Complete, Signal(9), None),
        (Complete, Unknown, None),
        (Error, Signal(9), Some(Error)),
        (Working, Code(0), None),
    ] {
        let mut agent = reporting(EvidenceSource::Plugin, state, Working, 101);
        agent.view = agent.judge(moment(102));
        agent.ended(exit);
        assert_eq!(agent.view.map(|view| view.state), left, "{state} and {exit}");
    }
}

#[test]
fn a_report_that_is_withdrawn_leaves_no_agent() {
    let mut agent = Agent::default();
    let report = |state| evidence(EvidenceSource::Plugin, state);
    agent.hear(moment(100), Some("opencode"), &report(AgentState::Working));
    assert_eq!(agent.name(), Some("opencode"));
    agent.hear(moment(101), Some("opencode"), &report(AgentState::Unknown));
    assert_eq!((agent.name(), agent.judge(moment(102))), (None, None));
}
