//! `refresh-client` in control mode: the size, flags and flow of output that the client asks for.

use fugue_protocol::Size;
use fugue_tmux::command_table;
use fugue_tmux::flags::Flags;

/// What the client asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// The size of all windows.
    Size(Size),
    /// Pauses of output that is older than so many seconds; none turns them off.
    PauseAfter(Option<u64>),
    /// Whether output is written at all.
    Output(bool),
    /// The output of a pane goes on, or pauses.
    Flow {
        /// Its number.
        pane: u64,
        /// Whether it goes on.
        goes_on: bool,
    },
}

/// The requests of a command, if it is `refresh-client`. Subscriptions to formats (`-B`) have no effect.
pub(super) fn read(words: &[String]) -> Option<Result<Vec<Request>, String>> {
    let (name, rest) = words.split_first()?;
    let row = command_table::find(name).ok().filter(|row| row.name() == "refresh-client")?;
    Some(row.parse(rest).and_then(|given| requests(&given)))
}

fn requests(given: &Flags) -> Result<Vec<Request>, String> {
    let mut requests = Vec::new();
    if let Some(size) = given.value('C') {
        requests.push(Request::Size(read_size(size).ok_or("bad size argument")?));
    }
    for flag in given.values('f').chain(given.values('F')).flat_map(|flags| flags.split(',')) {
        requests.extend(read_flag(flag)?);
    }
    for flow in given.values('A') {
        requests.push(read_flow(flow).ok_or("bad pane or state")?);
    }
    Ok(requests)
}

/// `100x30` or `100,30`. A size for a single window (`@1:100x30`) is one for all: a session has one size.
fn read_size(text: &str) -> Option<Size> {
    let text = text.rsplit(':').next()?;
    let (cols, rows) = text.split_once(['x', ','])?;
    let size = Size { cols: cols.parse().ok()?, rows: rows.parse().ok()? };
    size.is_sane().then_some(size)
}

fn read_flag(flag: &str) -> Result<Option<Request>, String> {
    Ok(match flag.split_once('=').unwrap_or((flag, "")) {
        ("pause-after", "") => Some(Request::PauseAfter(Some(0))),
        ("pause-after", seconds) => {
            let seconds = seconds.parse().map_err(|_| format!("bad pause-after: {seconds}"))?;
            Some(Request::PauseAfter(Some(seconds)))
        }
        ("!pause-after", _) => Some(Request::PauseAfter(None)),
        ("no-output", _) => Some(Request::Output(false)),
        ("!no-output", _) => Some(Request::Output(true)),
        // They are about terminals, or about how the client ends.
        _ => None,
    })
}

fn read_flow(text: &str) -> Option<Request> {
    let (pane, state) = text.split_once(':')?;
    let goes_on = match state {
        "on" | "continue" => true,
        "off" | "pause" => false,
        _ => return None,
    };
    Some(Request::Flow { pane: pane.strip_prefix('%')?.parse().ok()?, goes_on })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Option<Result<Vec<Request>, String>> {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn a_client_asks_for_its_size_pauses_and_the_flow_of_panes() {
        let size = Request::Size(Size { cols: 100, rows: 30 });
        for line in ["refresh-client -C 100x30", "refresh -C 100,30", "refresh-client -C @2:100x30"] {
            assert_eq!(asked(line), Some(Ok(vec![size.clone()])), "{line}");
        }
        let flags = asked("refresh-client -f pause-after=5,wait-exit,no-output");
        assert_eq!(flags, Some(Ok(vec![Request::PauseAfter(Some(5)), Request::Output(false)])));
        let flow = asked("refresh-client -A %3:continue");
        assert_eq!(flow, Some(Ok(vec![Request::Flow { pane: 3, goes_on: true }])));
        assert_eq!(asked("refresh-client -B name:%1:#{x}"), Some(Ok(Vec::new())));
        assert_eq!(asked("list-windows"), None);
        for line in [
            "refresh-client -C 0x0",
            "refresh-client -C x",
            "refresh-client -A 3:on",
            "refresh-client -f pause-after=x",
        ] {
            assert!(asked(line).is_some_and(|asked| asked.is_err()), "{line}");
        }
    }
}
