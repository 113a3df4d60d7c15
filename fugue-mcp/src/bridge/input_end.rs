//! The end of the input, which ends the server: waits are abandoned, other calls may finish.

use std::time::Duration;

use tokio::sync::watch;

/// How long calls in progress may take to finish when the input ends. Waits are abandoned at once.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);

/// Waits until the input has ended and the grace period has passed.
pub(super) async fn grace_over(end: watch::Receiver<bool>) {
    input_ended(end).await;
    tokio::time::sleep(SHUTDOWN_GRACE).await;
}

/// Waits for the end of the input.
pub(super) async fn input_ended(mut end: watch::Receiver<bool>) {
    let _ = end.wait_for(|ended| *ended).await;
}
