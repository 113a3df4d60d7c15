//! tmux's targets: the pane, window or session that a command means.

use fugue_client::format::{FormatContext, FormatPlace, FormatSource};
use fugue_protocol::targets::{TargetKind, TargetOrigin, TargetPlace, TargetTree};
use fugue_protocol::verbs::{GetTags, PaneChoice, WindowChoice};
use fugue_protocol::views::{PaneView, SessionView, WindowView};
use fugue_protocol::{PaneId, WindowRef};

use super::flags::ShimFlags;
use super::screen_reader::ScreenReader;
use super::shim::{Shim, Speaker, VERSION};
use super::{option_store, shell};

impl Shim {
    /// Finds a target. One that names only a window or a session means its current pane; without a target, it is the
    /// caller's.
    pub(super) fn find(&mut self, target: Option<&str>, kind: TargetKind) -> Result<TargetPlace, String> {
        let place = self.own_place()?;
        let origin = TargetOrigin { place, marked: self.marked(), inexact: true };
        let target = target.unwrap_or_default();
        match TargetTree::of(&self.sessions).find(target, kind, origin) {
            Ok(place) => Ok(place),
            Err(_) if target.is_empty() => Err("no current target".into()),
            Err(why) => Err(why.to_string()),
        }
    }

    /// The pane that `-t` names.
    pub(super) fn pane(&mut self, given: &ShimFlags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Pane)
    }

    /// The window that `-t` names.
    pub(super) fn window(&mut self, given: &ShimFlags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Window)
    }

    /// The session that `-t` names.
    pub(super) fn session(&mut self, given: &ShimFlags) -> Result<TargetPlace, String> {
        self.find(given.target(), TargetKind::Session)
    }

    /// The caller's place: the pane that the client shows, that the environment names, or that the caller runs in; for
    /// a caller outside any pane, the current one of the session that was used last. A program that was in a pane which
    /// is closed has none: it must not act on another.
    fn own_place(&mut self) -> Result<Option<TargetPlace>, String> {
        let named = self.at.clone().or_else(|| self.own_target.clone());
        let tree = TargetTree::of(&self.sessions);
        let origin = TargetOrigin::default();
        let found = named.as_ref().and_then(|name| tree.find(name, TargetKind::Pane, origin).ok());
        let own = || tree.place_of_pane(self.own_pane?);
        if let Some(place) = found.or_else(own) {
            return Ok(Some(place));
        }
        if let Some(name) = named.filter(|_| self.speaker == Speaker::Program) {
            return Err(format!("can't find pane: {name}"));
        }
        let Ok(tags) = self.call(&GetTags::default()) else { return Ok(None) };
        let name = tags.session_id.to_string();
        Ok(TargetTree::of(&self.sessions).find(&name, TargetKind::Session, origin).ok())
    }

    fn marked(&self) -> Option<PaneId> {
        let marked = std::fs::read_to_string(self.state_path("mark")).ok()?;
        marked.trim().parse().ok()
    }

    /// What is known about a place.
    pub(super) fn views(&self, at: TargetPlace) -> (&SessionView, &WindowView, &PaneView) {
        let views = self.sessions.iter().flat_map(|session| {
            let windows = session.windows.iter();
            windows.flat_map(move |window| window.panes.iter().map(move |pane| (session, window, pane)))
        });
        let mut views = views.filter(|(.., pane)| pane.pane_id == at.pane);
        views.next().unwrap_or_else(|| unreachable!("a place is found in these sessions"))
    }

    /// Expands a format for a place. A percent sign stays: in a command, it is not a time.
    pub(super) fn expand(&self, format: &str, at: TargetPlace) -> String {
        self.expand_by(fugue_client::format::expand, format, at)
    }

    /// Expands a format in a command for a shell or for tmux, which the values in it cannot change.
    pub(super) fn expand_in_command(&self, format: &str, at: TargetPlace) -> String {
        self.expand_by(fugue_client::format::expand_in_command, format, at)
    }

    /// The same, and the time specifiers in it.
    pub(super) fn expand_in_command_with_time(&self, format: &str, at: TargetPlace) -> String {
        self.expand_by(fugue_client::format::expand_in_command_with_time, format, at)
    }

    /// Expands a format and the time specifiers in it.
    pub(super) fn expand_with_time(&self, format: &str, at: TargetPlace) -> String {
        self.expand_by(fugue_client::format::expand_with_time, format, at)
    }

    fn expand_by(
        &self,
        expand: fn(&str, &dyn FormatSource) -> String,
        format: &str,
        at: TargetPlace,
    ) -> String {
        self.with_formats(|context| {
            let place = context.places().find(|place| place.pane.pane_id == at.pane);
            // As in tmux, a session that no client shows has the last client.
            let last = context.clients.last();
            let place = place.map(|place| FormatPlace { client: place.client.or(last), ..place });
            place.map(|place| expand(format, &place)).unwrap_or_default()
        })
    }

    /// Does something with what formats are about.
    pub(super) fn with_formats<T>(&self, act: impl FnOnce(&FormatContext<'_>) -> T) -> T {
        let options = option_store::Options::load(self);
        let pipes = self.state_path("pipes");
        let screens = ScreenReader::new(&self.paths);
        act(&FormatContext {
            sessions: &self.sessions,
            clients: &self.clients,
            socket: &self.paths.socket,
            version: VERSION.trim_start_matches("tmux "),
            now: now(),
            marked: self.marked(),
            synchronized: &|pane| self.synchronized.contains(&pane),
            other: &|name| match name {
                "pid" => None,
                "pane_pipe" => Some(u8::from(pipes.exists()).to_string()),
                name => options.value(self, name),
            },
            screen: &|pane| screens.read(pane),
            output: &shell::last_line,
        })
    }

    /// Prints a format for each place that is wanted and passes the filter (`-f`).
    pub(super) fn lines(
        &self,
        given: &ShimFlags,
        usual: &str,
        wanted: impl Fn(&FormatPlace<'_>) -> bool,
    ) -> String {
        let format = given.value('F').unwrap_or(usual);
        self.with_formats(|context| {
            let passes = |place: &FormatPlace<'_>| {
                let filter = given.value('f').map(|filter| fugue_client::format::expand(filter, place));
                filter.is_none_or(|filter| fugue_client::format::is_true(&filter))
            };
            let places = context.places().filter(|place| wanted(place) && passes(place));
            let lines = places.map(|place| fugue_client::format::expand(format, &place));
            lines.collect::<Vec<_>>().join("\n")
        })
    }
}

/// The pane of a place, as verbs choose it.
pub(super) fn pane_choice(at: TargetPlace) -> PaneChoice {
    PaneChoice::of(at.pane)
}

/// The window of a place, as verbs choose it.
pub(super) fn window_choice(at: TargetPlace) -> WindowChoice {
    WindowChoice { session: None, window: Some(WindowRef::from(at.window)) }
}

fn now() -> i64 {
    chrono::Local::now().timestamp()
}
