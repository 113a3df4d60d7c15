//! A pane whose program was lost: it shows the screen that was saved last. Its terminal is one that nobody has open, so
//! it behaves like that of a program that has ended.

use std::io;

use fugue_keeper::Pump;
use fugue_protocol::views::ExitStatus;
use fugue_protocol::{PaneId, RunId, Size};
use fugue_screen::Screen;

use super::handle::PaneHandle;
use super::task::{PaneContext, TaskStart};

/// Starts the task of a pane whose program was lost.
pub(crate) fn show_lost(
    id: PaneId,
    size: Size,
    mut screen: Screen,
    context: PaneContext,
) -> io::Result<PaneHandle> {
    let pump = Pump::hung_up(size.cols, size.rows)?;
    // What the program reported of its work ended with it.
    screen.end_activity();
    drop((screen.take_replies(), screen.take_events()));
    // The keeper knows no run of this id, and ignores what concerns it.
    let run = RunId::from_bytes(*id.as_bytes());
    let exited = Some(ExitStatus::Unknown);
    let start = TaskStart { id, run, size, pid: 0, offset: 0, exited, is_lost: true, is_set_aside: false };
    let pane = PaneHandle::start(start, pump, Box::pin(std::future::ready(Box::new(screen))), context)?;
    pane.exit_recorded(ExitStatus::Unknown);
    Ok(pane)
}
