//! `refresh-client` in control mode: the size, flags, flow of output and values of formats that the client asks for.

use fugue_protocol::Size;
use fugue_tmux::command_table;
use fugue_tmux::flags::Flags;

use super::subscriptions::FormatSubscription;
use super::task::Request;

/// What a command asks for, and what it subscribes to.
pub(super) type Asked = (Vec<Request>, Vec<FormatSubscription>);

/// What a command asks for, if it is `refresh-client`.
pub(super) fn read(words: &[String]) -> Option<Result<Asked, String>> {
    let (name, rest) = words.split_first()?;
    let row = command_table::find(name).ok().filter(|row| row.name() == "refresh-client")?;
    let subscriptions = |given: &Flags| given.values('B').map(FormatSubscription::read).collect();
    Some(row.parse(rest).and_then(|given| Ok((requests(&given)?, subscriptions(&given)))))
}

fn requests(given: &Flags) -> Result<Vec<Request>, String> {
    let mut requests = Vec::new();
    if let Some(size) = given.value('C') {
        requests.push(read_size(size).ok_or("bad size argument")?);
    }
    for flag in given.values('f').chain(given.values('F')).flat_map(|flags| flags.split(',')) {
        requests.extend(read_flag(flag)?);
    }
    for flow in given.values('A') {
        requests.push(read_flow(flow).ok_or("bad pane or state")?);
    }
    Ok(requests)
}

/// `100x30` or `100,30`; `@1:100x30` for a single window, and `@1:` to give it that of all again.
fn read_size(text: &str) -> Option<Request> {
    let size = |text: &str| {
        let (cols, rows) = text.split_once(['x', ','])?;
        let size = Size { cols: cols.parse().ok()?, rows: rows.parse().ok()? };
        size.is_sane().then_some(size)
    };
    let Some(of_window) = text.strip_prefix('@') else { return size(text).map(Request::Size) };
    let (window, text) = of_window.split_once(':')?;
    let window = window.parse().ok()?;
    let size = if text.is_empty() { None } else { Some(size(text)?) };
    Some(Request::WindowSize { window, size })
}

fn read_flag(flag: &str) -> Result<Option<Request>, String> {
    Ok(match flag.split_once('=').unwrap_or((flag, "")) {
        ("pause-after", "") => Some(Request::PauseAfter(Some(0))),
        ("pause-after", seconds) => {
            let seconds = seconds.parse().map_err(|_| format!("bad pause-after: {seconds}"))?;
            Some(Request::PauseAfter(Some(seconds)))
        }
        ("!pause-after", _) => Some(Request::PauseAfter(None)),
        ("wait-exit", _) => Some(Request::WaitAtExit(true)),
        ("!wait-exit", _) => Some(Request::WaitAtExit(false)),
        ("no-output", _) => Some(Request::Output(false)),
        ("!no-output", _) => Some(Request::Output(true)),
        // They are about terminals.
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
        let read = read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())?;
        Some(read.map(|(requests, _)| requests))
    }

    #[test]
    fn a_client_asks_for_its_size_pauses_and_the_flow_of_panes() {
        let size = Request::Size(Size { cols: 100, rows: 30 });
        for line in ["refresh-client -C 100x30", "refresh -C 100,30"] {
            assert_eq!(asked(line), Some(Ok(vec![size.clone()])), "{line}");
        }
        let window = |size| Some(Ok(vec![Request::WindowSize { window: 2, size }]));
        assert_eq!(asked("refresh-client -C @2:100x30"), window(Some(Size { cols: 100, rows: 30 })));
        assert_eq!(asked("refresh-client -C @2:"), window(None));
        let flags = asked("refresh-client -f pause-after=5,wait-exit,no-output");
        let wanted = [Request::PauseAfter(Some(5)), Request::WaitAtExit(true), Request::Output(false)];
        assert_eq!(flags, Some(Ok(wanted.to_vec())));
        let flow = asked("refresh-client -A %3:continue");
        assert_eq!(flow, Some(Ok(vec![Request::Flow { pane: 3, goes_on: true }])));
        assert_eq!(asked("list-windows"), None);
        for line in [
            "refresh-client -C 0x0",
            "refresh-client -C x",
            "refresh-client -C @1",
            "refresh-client -C @x:80x24",
            "refresh-client -A 3:on",
            "refresh-client -f pause-after=x",
        ] {
            assert!(asked(line).is_some_and(|asked| asked.is_err()), "{line}");
        }
    }
}
