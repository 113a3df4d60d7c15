//! Other hosts: what their lines report, and going to a session there.

use std::time::Instant;

use fugue_client::{DaemonName, Env, HostName, Paths};
use fugue_protocol::SessionId;
use fugue_protocol::verbs::GetServerStatus;

use super::App;
use super::state::daemon::Purpose;
use super::state::host_lines::HostNews;
use super::state::{CommandedLines, OpenOverlays, PaneViews};
use crate::command::CommandOrigin;
use crate::overlays::{self, Overlay};
use crate::tree::{HostState, MAX_OTHER_HOSTS, OtherHost, Tree};

impl App {
    /// Runs a line that a program had the daemon send.
    pub(super) fn run_commanded(&mut self, line: &str) {
        let host = self.daemon.host_name().map(str::to_owned);
        self.run_line_of(line, CommandOrigin::Program { host }, None);
    }

    /// Opens lines to the hosts of the configuration that are not shown. Who names none has none.
    pub(super) fn update_hosts(&mut self) {
        let wanted = self.wanted_hosts();
        let unlisted = wanted.len().saturating_sub(MAX_OTHER_HOSTS);
        if unlisted > 0 && unlisted != self.tree.unlisted_hosts {
            self.warn(format!("config.toml lists {} hosts; the last {unlisted} are not shown", wanted.len()));
        }
        self.tree.unlisted_hosts = unlisted;
        self.hosts.set(&wanted);
        self.tree.set_others(self.hosts.names());
    }

    /// The daemons of the hosts that are not shown: the one of this host first.
    fn wanted_hosts(&self) -> Vec<Paths> {
        let hosts = &self.config.hosts;
        let shown = self.daemon.host().map(|remote| &remote.host);
        let is_shown = |host: &&HostName| shown.is_some_and(|shown| shown.address == host.address);
        let own = shown.filter(|_| !hosts.is_empty()).map(|_| DaemonName::default());
        let others = hosts.iter().filter(|host| !is_shown(host));
        let others = others.map(|host| DaemonName { host: Some(host.clone()), server: None });
        own.into_iter().chain(others).filter_map(|daemon| daemon.paths(&Env::own()).ok()).collect()
    }

    /// Receives what the lines with these numbers have.
    pub(super) fn read_hosts(&mut self, ready: u128) {
        let news = self.hosts.receive(ready);
        self.handle_host_news(news);
    }

    pub(super) fn run_host_timers(&mut self, now: Instant) {
        let news = self.hosts.run_timers(now);
        self.handle_host_news(news);
    }

    fn handle_host_news(&mut self, news: Vec<(Option<String>, HostNews)>) {
        if news.is_empty() {
            return;
        }
        for (host, news) in news {
            self.handle_news_of(host.as_deref(), news);
        }
        self.display.redraw();
        if self.update_sidebar() {
            self.sync_views();
        }
        self.agents_may_have_changed();
        self.renew_tree_list();
    }

    /// Shows what changed in a list of sessions that is open.
    pub(super) fn renew_tree_list(&mut self) {
        let Some(Overlay::List(list)) = &mut self.overlays.current else { return };
        if list.is_titled(overlays::TREE) {
            list.renew(overlays::tree(&self.tree));
        } else if list.is_titled(overlays::SESSIONS) {
            list.renew(overlays::sessions(&self.tree));
        }
    }

    fn handle_news_of(&mut self, name: Option<&str>, news: HostNews) {
        let Some(host) = self.tree.other_host(name) else { return };
        match news {
            HostNews::Sessions(sessions) => {
                host.state = HostState::Reachable;
                host.sessions = sessions;
            }
            HostNews::NoDaemon => {
                host.state = HostState::NoDaemon;
                host.sessions.clear();
            }
            HostNews::Unreachable { since, reason } => {
                host.state = HostState::Unreachable { since, reason };
                host.sessions.clear();
            }
            HostNews::Agent(pane, agent) => self.agent_changed(name, pane, agent),
            HostNews::DoubtfulKeys(warning) => self.warn(warning),
        }
    }

    /// Shows a session of another host. Its line becomes this client's connection, and the present one a line.
    pub(super) fn switch_host(&mut self, session: SessionId) {
        let has_it = |host: &&OtherHost| host.sessions.iter().any(|view| view.session_id == session);
        let Some(host) = self.tree.others.iter().find(has_it) else { return };
        let (name, label) = (host.name.clone(), host.label().to_owned());
        if self.line_origin.is_program() {
            return self.say(format!("A program tried to switch this client to {label}; ignored"));
        }
        if !self.pastes.queues.is_empty() {
            return self.say("A paste is in progress; wait until it finishes");
        }
        self.close_popup();
        if !self.hosts.exchange(name.as_deref(), &mut self.daemon) {
            return self.say(format!("Not connected to {label}; reconnecting…"));
        }
        self.forget_former_host();
        let tree = std::mem::replace(&mut self.tree, Tree::new(session));
        self.tree = tree.moved_to(name.as_deref(), session);
        self.update_hosts();
        self.attach();
        self.update_environment();
        self.daemon.request(Purpose::Status, &GetServerStatus {});
        self.request_tree();
        self.update_sidebar();
    }

    /// Forgets what belongs to the daemon that was shown.
    fn forget_former_host(&mut self) {
        self.options.paths = self.daemon.paths().clone();
        let prompt_lines = std::mem::take(&mut self.overlays.prompt_lines);
        self.overlays = OpenOverlays { prompt_lines, ..OpenOverlays::default() };
        self.panes = PaneViews::default();
        self.commanded = CommandedLines::default();
        self.end_waiting_lines();
        self.keyboard.deferred.await_tree(None);
        self.mouse = Default::default();
    }
}
