//! Short texts for events and effects.

use fugue_core::Effect;
use fugue_protocol::views::RemoteReceipt;
use fugue_protocol::{Event, MessageId, PaneId, SessionId, WindowId};

use super::Story;

impl Story {
    /// Asserts the events since the last request, in order.
    #[track_caller]
    pub(crate) fn assert_events(&self, expected: &[&str]) {
        let actual: Vec<_> = self.step.events.iter().map(|event| self.event_text(event)).collect();
        assert_eq!(actual, expected);
    }

    /// Asserts the effects since the last request, in order.
    #[track_caller]
    pub(crate) fn assert_effects(&self, expected: &[&str]) {
        let actual: Vec<_> = self.step.effects.iter().map(|effect| self.effect_text(effect)).collect();
        assert_eq!(actual, expected);
    }

    fn event_text(&self, event: &Event) -> String {
        let (p, w, s) = (|id| self.p(id), |id| self.w(id), |id| self.s(id));
        match event {
            Event::ClientAttached(e) => format!("client {} shows {}", e.client, s(e.session)),
            Event::ClientLeft { client } => format!("client {client} left"),
            Event::ClientCommanded { client, line } => format!("client {client} runs {line}"),
            Event::GlobalEnvironmentChanged { name, value } => {
                format!("global {name}={}", value.as_deref().unwrap_or("-"))
            }
            Event::ClientDetached { client } => format!("client {client} detached"),
            Event::SessionCreated(e) => format!("session created {}", e.name),
            Event::SessionRenamed { name, .. } => format!("session renamed {name}"),
            Event::SessionClosed { session } => format!("session closed {}", s(*session)),
            Event::SessionSelected { session } => format!("session selected {}", s(*session)),
            Event::TagsChanged { session, added, removed } => {
                let plus: String = added.iter().map(|tag| format!(" +{tag}")).collect();
                let minus: String = removed.iter().map(|tag| format!(" -{tag}")).collect();
                format!("tags {}{plus}{minus}", s(*session))
            }
            Event::MetadataChanged { session, key, value } => {
                format!("metadata {} {key}={}", s(*session), value.as_deref().unwrap_or("-"))
            }
            Event::EnvironmentChanged { session, name, value } => {
                format!("environment {} {name}={}", s(*session), value.as_deref().unwrap_or("-"))
            }
            Event::WindowOpened(e) => format!("window opened {} at {}", e.name, e.index),
            Event::WindowRenamed { name, .. } => format!("window renamed {name}"),
            Event::WindowClosed { window } => format!("window closed {}", w(*window)),
            Event::WindowSelected { window } => format!("window selected {}", w(*window)),
            Event::WindowMoved { window, session, index, .. } => {
                format!("window moved {} to {} at {index}", w(*window), s(*session))
            }
            Event::WindowResized { window, size } => format!("window resized {} {size}", w(*window)),
            Event::LayoutChanged { window, .. } => format!("layout {}", w(*window)),
            Event::PresetApplied { window, preset } => format!("preset {} {preset}", w(*window)),
            Event::PopupShown { window, client } => format!("popup {} shown by {client}", w(*window)),
            Event::PaneNumbered { pane, number } => format!("numbered {} {number}", p(*pane)),
            Event::ZoomChanged { window, pane } => format!("zoom {} {}", w(*window), pane.map_or("-", p)),
            Event::PaneOpened(e) => format!("opened {}", p(e.pane)),
            Event::PaneMoved { pane, window } => format!("moved {} to {}", p(*pane), w(*window)),
            Event::PaneFocused { pane } => format!("focused {}", p(*pane)),
            Event::PaneRenamed { pane, name } => {
                format!("renamed {} {}", p(*pane), name.as_ref().map_or("-", |name| name.as_str()))
            }
            Event::PaneMuted { pane, muted } => format!("muted {} {muted}", p(*pane)),
            Event::MarkMoved { pane } => format!("mark {}", pane.map_or("-", p)),
            Event::PaneTitled { pane, title } => format!("titled {} {title}", p(*pane)),
            Event::PaneWentTo { pane, cwd } => format!("went {} {cwd}", p(*pane)),
            Event::CommandEnded { pane, exit } => format!("command ended {} {exit:?}", p(*pane)),
            Event::PaneActivity { pane, kind } => format!("activity {} {kind:?}", p(*pane)),
            Event::NumberedFrom { base, .. } => format!("numbered from {base}"),
            Event::PaneExited { pane, exit } => format!("exited {} {exit}", p(*pane)),
            Event::PaneEnded { pane, .. } => format!("ended {}", p(*pane)),
            Event::PaneLost { pane } => format!("lost {}", p(*pane)),
            Event::PaneRespawned(e) => format!("respawned {}", p(e.pane)),
            Event::PaneClosed { pane } => format!("closed {}", p(*pane)),
            Event::PaneRang { pane } => format!("rang {}", p(*pane)),
            Event::PaneNotified { pane, title, body } => format!("notified {} {title}: {body}", p(*pane)),
            Event::AgentSeen { pane, program, signs, .. } => {
                let program = program.as_deref().unwrap_or("none");
                let signs: Vec<_> =
                    signs.iter().map(|sign| format!(" {:?} {}", sign.source, sign.state)).collect();
                format!("seen {} {program}{}", p(*pane), signs.concat())
            }
            Event::AgentReported { pane, sign, .. } => format!("reported {} {}", p(*pane), sign.state),
            Event::AgentStateChanged { pane, agent } => {
                let agent = agent.as_ref().map(|agent| format!("{} {}", agent.name, agent.state));
                format!("agent {} {}", p(*pane), agent.as_deref().unwrap_or("none"))
            }
            Event::DialogChanged { pane, dialog } => {
                let subject = dialog.as_ref().map(|open| open.dialog.subject());
                format!("dialog {} {}", p(*pane), subject.as_deref().unwrap_or("none"))
            }
            Event::PaneRunsOnce { pane } => format!("runs once {}", p(*pane)),
            Event::PaneNoted { pane, title, cwd, .. } => {
                format!("noted {} {title} {}", p(*pane), cwd.as_deref().unwrap_or("-"))
            }
            Event::ConversationReported { pane, conversation } => {
                format!("conversation {} {} {}", p(*pane), conversation.agent, conversation.id)
            }
            Event::SurvivorsFound { pane, survivors } => {
                format!("survivors {} {}", p(*pane), survivors.len())
            }
            Event::RunStarted { pane, number, .. } => format!("started {} {number}", p(*pane)),
            Event::PaneLent { pane } => format!("lent {}", p(*pane)),
            Event::PaneLocated { pane, place } => {
                format!("located {} {}", p(*pane), place.as_ref().map_or("-", |place| &place.worktree))
            }
            other => self.message_event_text(other),
        }
    }

    fn message_event_text(&self, event: &Event) -> String {
        let m = |ids: &[MessageId]| {
            ids.iter().map(|id| self.aliases.message_name(*id).to_owned()).collect::<Vec<_>>().join(" ")
        };
        match event {
            Event::MessageSent(e) => {
                let to: String = e.recipients.iter().map(|to| format!(" {}", self.s(to.session))).collect();
                format!("sent {} to{to}", m(&[e.message]))
            }
            Event::MessagesOffered { session, messages, .. } => {
                format!("offered {} to {}", m(messages), self.s(*session))
            }
            Event::PushStarted { session, messages, .. } => {
                format!("pushing {} to {}", m(messages), self.s(*session))
            }
            Event::PushLapsed { session } => format!("push to {} lapsed", self.s(*session)),
            Event::MessagesRead { session, messages, .. } => {
                format!("read {} by {}", m(messages), self.s(*session))
            }
            Event::MessagesRelayed { messages, .. } => format!("relayed {}", m(messages)),
            Event::ReceiptsMissed { messages } => format!("receipts missed {}", m(messages)),
            Event::ReceiptsArrived { receipts, .. } => {
                let receipt =
                    |receipt: &RemoteReceipt| format!(" {} {}", m(&[receipt.message_id]), receipt.state);
                format!("receipts{}", receipts.iter().map(receipt).collect::<String>())
            }
            Event::RecipientsFound { message, recipients, .. } => {
                let names = recipients.iter().map(|to| format!(" {}", to.name)).collect::<String>();
                format!("recipients of {}:{names}", m(&[*message]))
            }
            Event::ReceiptsRelayed { messages } => format!("receipts relayed: {}", messages.len()),
            Event::MessagesExpired { messages, .. } => format!("expired {}", m(messages)),
            Event::MessagesDeadLettered { messages, reason, .. } => format!("dead {}: {reason}", m(messages)),
            Event::MessagesForgotten { messages } => format!("forgotten {}", messages.len()),
            Event::SubscriptionChanged { session, .. } => format!("subscribed {}", self.s(*session)),
            Event::LeaseClaimed(lease) => format!("claimed {} {}", lease.name, lease.fence),
            Event::LeaseEnded { name, fence, why } => format!("lease ended {name} {fence} {why:?}"),
            Event::WaitedInCircle { sessions } => {
                format!("deadlock of {}", sessions.iter().map(|id| self.s(*id)).collect::<Vec<_>>().join(" "))
            }
            other => format!("{other:?}"),
        }
    }

    fn effect_text(&self, effect: &Effect) -> String {
        match effect {
            Effect::Start { children, .. } => format!("start {}", children.len()),
            Effect::Kill { runs } => format!("kill {}", runs.len()),
            Effect::Host { pane, size, .. } => format!("host {} {size}", self.p(*pane)),
            Effect::Resize { pane, size } => format!("resize {} {size}", self.p(*pane)),
            Effect::ReportExit { pane, exit } => format!("report exit {} {exit}", self.p(*pane)),
            Effect::DropPane { pane } => format!("drop {}", self.p(*pane)),
            Effect::SetAgent { pane, agent } => {
                format!(
                    "agent {} {}",
                    self.p(*pane),
                    agent.map_or("-".into(), |agent| agent.state.to_string())
                )
            }
            Effect::Notify { pane, notification } => {
                let text = notification.as_ref().map_or("-", |line| line.text.as_str());
                format!("notify {} {text}", self.p(*pane))
            }
            Effect::AnswerDialog { pane, answer } => format!("answer {} {}", self.p(*pane), answer.choice),
            Effect::Request { request, .. } => format!("request {request:?}"),
        }
    }

    fn p(&self, pane: PaneId) -> &str {
        self.aliases.pane_name(pane)
    }

    fn w(&self, window: WindowId) -> &str {
        self.aliases.window_name(window)
    }

    fn s(&self, session: SessionId) -> &str {
        self.aliases.session_name(session)
    }
}
