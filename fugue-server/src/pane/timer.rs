//! A pane's one timer. It is reset only when the time at which something is due changes.

use std::pin::Pin;
use std::time::Instant;

use tokio::time::{Sleep, sleep_until};

/// The timer.
#[derive(Default)]
pub(super) struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    /// Waits until something is due; forever if nothing is.
    pub(super) async fn until(&mut self, due: Option<Instant>) {
        let Some(due) = due else { return std::future::pending().await };
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(due.into())));
        if sleep.deadline() != due.into() {
            sleep.as_mut().reset(due.into());
        }
        sleep.as_mut().await;
    }
}
