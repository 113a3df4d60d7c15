//! The lines to the hosts that the client does not show. A client without other hosts has none.

mod line;

use std::time::Instant;

use fugue_client::Paths;

use super::daemon::DaemonConnection;
pub(crate) use line::HostNews;
use line::{HostConnection, Leaving};

use crate::tree::MAX_OTHER_HOSTS;

/// The most connections, with those that are being left: fewer than the bits of what the poller reports.
const MAX_CONNECTIONS: usize = 124;

/// The most lines that are being opened at a time. Each is a login, which takes a tenth of a second of a processor, and an
/// sshd through which many of them lead refuses some if more than ten have not logged in yet (`MaxStartups`).
const MAX_OPENING: usize = 8;

/// The lines to all other hosts.
#[derive(Default)]
pub(crate) struct HostLines {
    lines: Vec<HostConnection>,
}

impl HostLines {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &HostConnection> {
        self.lines.iter()
    }

    /// The names of the hosts.
    pub(crate) fn names(&self) -> impl Iterator<Item = Option<&str>> {
        self.lines.iter().filter(|line| line.is_lasting()).map(|line| line.daemon.host_name())
    }

    /// Has lines to these daemons, in this order, and to those that the person came from.
    pub(crate) fn set(&mut self, wanted: &[Paths]) {
        let (mut before, leaving): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lines).into_iter().partition(HostConnection::is_lasting);
        for paths in wanted {
            let known = before.iter().position(|line| line.daemon.host() == paths.host.as_ref());
            self.lines.push(known.map_or_else(|| HostConnection::new(paths), |at| before.remove(at)));
        }
        let (kept, unwanted): (Vec<_>, Vec<_>) = before.into_iter().partition(|line| line.was_shown);
        self.lines.extend(kept);
        let beyond = self.lines.split_off(self.lines.len().min(MAX_OTHER_HOSTS));
        unwanted.into_iter().chain(beyond).for_each(|line| line.daemon.close());
        self.lines.extend(leaving);
    }

    /// Shows the connection to a host instead of the one that is shown, if there is one. A new line to the host that was
    /// shown is opened before its connection is given up, so that the way back is always there.
    pub(crate) fn exchange(&mut self, host: Option<&str>, shown: &mut DaemonConnection) -> bool {
        let connected = self.connected_to(host).filter(|_| self.lines.len() < MAX_CONNECTIONS);
        let Some(at) = connected else { return false };
        let next = self.lines.remove(at);
        let is_spare = |line: &mut HostConnection| line.is_lasting() && line.daemon.host_name() == host;
        self.lines.extract_if(.., is_spare).for_each(|line| line.daemon.close());
        let left = std::mem::replace(shown, next.daemon);
        self.lines.push(HostConnection::back_to(&left));
        self.lines.push(HostConnection::left(left));
        true
    }

    /// The place of a connection to a host; one that is being left is used only if there is no other.
    fn connected_to(&self, host: Option<&str>) -> Option<usize> {
        let connected = |line: &HostConnection| line.daemon.host_name() == host && line.daemon.is_welcome();
        let find =
            |lasting| self.lines.iter().position(|line| line.is_lasting() == lasting && connected(line));
        find(true).or_else(|| find(false))
    }

    /// Gives up connections that were shown, once everything has arrived and another line has taken their place.
    fn close_left(&mut self) {
        let is_done = |line: &HostConnection| line.leaving == Some(Leaving::Done) && !self.is_opening(line);
        if let Some(at) = self.lines.iter().position(is_done) {
            self.lines.remove(at).daemon.close();
        }
    }

    /// Whether the line that takes the place of this one is being opened.
    fn is_opening(&self, left: &HostConnection) -> bool {
        let is_new = |line: &&HostConnection| line.is_lasting() && line.daemon.host() == left.daemon.host();
        let new = self.lines.iter().find(is_new);
        new.is_some_and(|new| !new.daemon.is_welcome() && new.failures == 0)
    }

    /// When something must be done though nothing arrives.
    pub(crate) fn due(&self) -> Option<Instant> {
        let may_open = self.room() > 0;
        self.lines.iter().filter_map(|line| line.due(may_open)).min()
    }

    /// How many lines may be opened now.
    fn room(&self) -> usize {
        let opening = self.lines.iter().filter(|line| line.is_lasting() && line.daemon.is_opening()).count();
        MAX_OPENING.saturating_sub(opening)
    }

    /// Opens lines, gives up those that are silent, and reads sessions again. Returns the news, each with its host.
    pub(crate) fn run_timers(&mut self, now: Instant) -> Vec<(Option<String>, HostNews)> {
        let mut room = self.room();
        let news = |line: &mut HostConnection| {
            let was_opening = line.daemon.is_opening();
            let news = line.run_timers(now, room > 0);
            room -= usize::from(line.is_lasting() && line.daemon.is_opening() && !was_opening);
            Some((line.daemon.host_name().map(str::to_owned), news?))
        };
        self.lines.iter_mut().filter_map(news).collect()
    }

    /// Receives what has arrived over the lines with these numbers.
    pub(crate) fn receive(&mut self, ready: u128) -> Vec<(Option<String>, HostNews)> {
        let is_ready = |at: usize| at < MAX_CONNECTIONS && ready >> at & 1 != 0;
        let lines = self.lines.iter_mut().enumerate().filter(|(at, _)| is_ready(*at));
        let news = |(_, line): (usize, &mut HostConnection)| {
            let news = line.receive().into_iter();
            let host = line.daemon.host_name().map(str::to_owned);
            news.map(move |news| (host.clone(), news)).collect::<Vec<_>>()
        };
        let news = lines.flat_map(news).collect();
        self.close_left();
        news
    }

    /// Tries hosts that could not be reached at once, because the person looks at them.
    pub(crate) fn hurry(&mut self) {
        let waits = |line: &&mut HostConnection| line.daemon.retry_due().is_some();
        self.lines.iter_mut().filter(waits).for_each(|line| line.daemon.retry_at(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use fugue_client::{DaemonName, Env, HostName};

    use super::*;

    #[test]
    fn a_hundred_hosts_have_a_line_each_and_no_more() {
        let paths = |number: usize| {
            let name = format!("h{number}");
            let host = Some(HostName { name: name.clone(), address: name });
            DaemonName { host, server: None }.paths(&Env::own()).expect("paths")
        };
        let wanted: Vec<_> = (0..=MAX_OTHER_HOSTS).map(paths).collect();
        let mut lines = HostLines::default();
        lines.set(&wanted);
        assert_eq!(lines.names().count(), MAX_OTHER_HOSTS);
        assert_eq!(MAX_OTHER_HOSTS, 100);
        // The last one is among those that the poller can report.
        const { assert!(MAX_OTHER_HOSTS < MAX_CONNECTIONS && MAX_CONNECTIONS <= u128::BITS as usize) };
        assert!(lines.receive(1 << (MAX_OTHER_HOSTS - 1)).is_empty());
    }
}
