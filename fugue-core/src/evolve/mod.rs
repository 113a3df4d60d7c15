//! The only code that changes the world: one arm per event. An event about something unknown changes nothing, so that
//! journals of other versions can be replayed. The way back, for what is not stored, is `current_events`.

use fugue_protocol::Event;

use crate::world::{Pane, PendingPush, StartedBy, WARNINGS, World};

mod messages;
mod panes;
mod sessions;
mod windows;

impl World {
    /// Applies an event.
    pub fn evolve(&mut self, event: &Event) {
        match event {
            Event::SessionCreated(e) => sessions::created(self, e),
            Event::SessionRenamed { session, name } => sessions::renamed(self, *session, name),
            Event::SessionClosed { session } => sessions::closed(self, *session),
            Event::SessionGoverned { session, names } => sessions::governed(self, *session, names),
            Event::SessionConfined { session, profiles } => sessions::confined(self, *session, profiles),
            Event::SessionSelected { session } => sessions::selected(self, *session),
            Event::TagsChanged { session, added, removed } => {
                sessions::tagged(self, *session, added, removed);
            }
            Event::MetadataChanged { session, key, value } => {
                sessions::metadata_changed(self, *session, key, value.as_deref());
            }
            #[cfg(fugue_next)]
            Event::SessionMarked { session, mark } => {
                if self.sessions.contains_key(session) {
                    self.marks.insert(*session, mark.clone());
                }
            }
            Event::EnvironmentChanged { session, name, value } => {
                sessions::exported(self, *session, name, value.as_deref());
            }
            Event::GlobalEnvironmentChanged { name, value } => {
                sessions::put(&mut self.environment, name, value.as_deref());
            }
            Event::OptionChanged { scope, name, value } => {
                if self.has_scope(*scope) {
                    self.options.changed(*scope, name, value.as_deref());
                }
            }
            Event::HookChanged { scope, hook, index, line } => {
                if self.has_scope(*scope) {
                    self.hooks.changed(*scope, hook, *index, line.as_ref());
                }
            }
            Event::BufferStored { name, content, automatic, stored_at } => {
                self.buffers.stored(name, content, *automatic, *stored_at);
                if *automatic {
                    self.next_numbers.used_for_buffer(name);
                }
            }
            Event::BufferRenamed { name, new_name } => self.buffers.renamed(name, new_name),
            Event::BufferRemoved { name } => self.buffers.removed(name),
            Event::ChannelSignalled { channel } => self.channels.signalled(channel),
            Event::ChannelHeard { channel, key } => self.channels.heard(channel, key.as_ref()),
            Event::ChannelLocked { channel, key } => self.channels.locked(channel, key.as_ref()),
            Event::ChannelUnlocked { channel } => self.channels.unlocked(channel),
            Event::WorktreeCreated(e) => drop(self.worktrees.insert(e.path.clone(), (**e).clone())),
            Event::WorktreeRemoved { path } => drop(self.worktrees.remove(path)),
            Event::WindowOpened(e) => windows::opened(self, e),
            Event::WindowRenamed { window, name } => windows::renamed(self, *window, name),
            Event::WindowClosed { window } => windows::closed(self, *window),
            Event::WindowSelected { window } => windows::selected(self, *window),
            Event::WindowMoved { window, session, index, slot } => {
                windows::moved(self, *window, *session, (*index, *slot));
            }
            Event::WindowResized { window, size } => windows::resized(self, *window, *size),
            Event::LayoutChanged { window, layout } => windows::laid_out(self, *window, layout),
            Event::PresetApplied { window, preset } => windows::preset(self, *window, *preset),
            Event::PopupShown { window, client } => windows::popup_shown(self, *window, *client),
            Event::ZoomChanged { window, pane } => windows::zoomed(self, *window, *pane),
            Event::PaneOpened(e) => panes::opened(self, e),
            Event::PaneNumbered { pane, number } => panes::numbered(self, *pane, *number),
            Event::PaneMoved { pane, window } => panes::moved(self, *pane, *window),
            Event::PaneGoverned { pane, session, names } => panes::governed(self, *pane, *session, names),
            Event::PaneFocused { pane } => panes::focused(self, *pane),
            Event::PaneRenamed { pane, name } => panes::renamed(self, *pane, name.as_ref()),
            Event::PaneMuted { pane, muted } => panes::muted(self, *pane, *muted),
            Event::MarkMoved { pane } => self.marked = pane.filter(|pane| self.panes.contains_key(pane)),
            Event::PipeHeld { pane, key } => panes::piped(self, *pane, key),
            Event::PipeEndRequested { pane } => panes::pipe_ending(self, *pane),
            Event::PipeEnded { pane } => panes::pipe_ended(self, *pane),
            Event::PaneTitled { pane, title } => panes::titled(self, *pane, title),
            Event::PaneWentTo { pane, cwd } => panes::went_to(self, *pane, cwd),
            Event::ForegroundChanged { pane, program } => panes::foreground(self, *pane, program.as_deref()),
            Event::CommandEnded { pane, exit } => panes::command_ended(self, *pane, *exit),
            Event::NumberedFrom { base, renumber } => {
                (self.base_index, self.renumber_windows) = (*base, *renumber);
                self.close_gaps();
            }
            Event::PaneExited { pane, exit } => panes::exited(self, *pane, *exit),
            Event::PaneEnded { pane, ended_at } => panes::ended(self, *pane, *ended_at),
            Event::PaneLost { pane } => panes::lost(self, *pane),
            Event::PaneRespawned(e) => panes::respawned(self, e),
            Event::PaneClosed { pane } => panes::closed(self, *pane),
            Event::ClientAttached(e) => sessions::client_attached(self, e),
            Event::ClientLeft { client } => sessions::client_left(self, *client),
            Event::ClientDetached { .. } | Event::ClientCommanded { .. } => {}
            Event::PaneRang { .. } | Event::PaneNotified { .. } | Event::PaneActivity { .. } => {}
            Event::AgentSeen { pane, .. }
            | Event::AgentReported { pane, .. }
            | Event::AgentStateChanged { pane, .. } => panes::agent(self, *pane, event),
            Event::DialogChanged { pane, dialog } => panes::asked(self, *pane, dialog.as_ref()),
            Event::PaneLocated { pane, place } => panes::located(self, *pane, place.as_ref()),
            Event::PaneLent { pane } => panes::lent(self, *pane),
            Event::PaneRunsOnce { pane } => panes::runs_once(self, *pane),
            Event::PaneNoted { pane, title, cwd, agent } => {
                panes::facts_noted(self, *pane, title, cwd.as_deref(), agent.as_ref());
            }
            Event::ConversationReported { pane, conversation } => panes::conversed(self, *pane, conversation),
            Event::SurvivorsFound { pane, survivors } => panes::survived(self, *pane, survivors),
            Event::RunStarted { pane, key, number, started_at } => {
                let started_by = StartedBy { key: key.clone(), number: *number, started_at: *started_at };
                panes::started_by(self, *pane, started_by);
            }
            Event::MessageSent(header) => self.messages.sent(header),
            Event::MessagesOffered { session, messages, how, offered_at } => {
                messages::offered(self, *session, messages, *how, *offered_at);
            }
            Event::PushStarted { session, messages, until } => {
                let push = PendingPush { messages: messages.clone(), until: *until };
                sessions::pushes(self, *session, Some(push));
            }
            Event::PushLapsed { session } => sessions::pushes(self, *session, None),
            Event::MessagesRead { session, messages, read_at } => {
                messages::read(self, *session, messages, *read_at);
            }
            Event::MessagesRelayed { session, messages, relayed_at } => {
                messages::relayed(self, *session, messages, *relayed_at);
            }
            Event::ReceiptsMissed { messages } => {
                messages.iter().for_each(|message| self.messages.receipts_missed(*message));
            }
            Event::RecipientsFound { message, group, recipients } => {
                self.messages.recipients_found(*message, *group, recipients);
            }
            Event::ReceiptsArrived { session, receipts } => {
                receipts.iter().for_each(|receipt| self.messages.receipt_arrived(*session, receipt));
            }
            Event::ReceiptsRelayed { messages } => {
                let reported =
                    |(message, session, state): &_| self.messages.reported(*message, *session, *state);
                messages.iter().for_each(reported);
            }
            Event::MessagesExpired { messages, expired_at } => messages::expired(self, messages, *expired_at),
            Event::MessagesDeadLettered { session, messages, reason } => {
                messages::dead_lettered(self, *session, messages, reason);
            }
            Event::MessagesForgotten { messages } => {
                messages.iter().for_each(|message| self.messages.forgotten(*message));
            }
            Event::SubscriptionChanged { session, subscription } => {
                sessions::subscribed(self, *session, subscription);
            }
            Event::LeaseClaimed(lease) => self.leases.claimed(lease),
            Event::LeaseEnded { name, fence, .. } => self.leases.ended(name, *fence),
            Event::WarningRaised { warning } => self.warn(warning),
            Event::WarningsDismissed => self.warnings.clear(),
            Event::WaitedInCircle { .. } => {}
        }
    }

    /// Adds a warning; the oldest goes when there are too many.
    fn warn(&mut self, warning: &str) {
        if self.warnings.len() == WARNINGS {
            self.warnings.remove(0);
        }
        self.warnings.push(warning.to_owned());
    }

    /// Replays events from an empty world.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        events.into_iter().fold(Self::default(), |mut world, event| {
            world.evolve(event);
            world
        })
    }
}

/// Returns the events that are not stored, as they would have to happen to lead to the world as it is, for a client that
/// missed some of them. Applied to a world that all stored events made, they make the current one.
pub fn current_events(world: &World) -> Vec<Event> {
    world.panes.values().flat_map(shown_in).collect()
}

/// The events that lead to what a pane shows now.
fn shown_in(known: &Pane) -> Vec<Event> {
    let pane = known.id;
    let mut events = vec![
        Event::PaneTitled { pane, title: known.title.clone() },
        Event::ForegroundChanged { pane, program: known.foreground.clone() },
        Event::CommandEnded { pane, exit: known.last_exit },
        Event::AgentStateChanged { pane, agent: known.agent.view.clone() },
        Event::DialogChanged { pane, dialog: known.dialog.as_deref().cloned() },
    ];
    events.extend(known.cwd.clone().map(|cwd| Event::PaneWentTo { pane, cwd }));
    events
}
