//! Whose size the current window has: this client's or another one's.

use fugue_protocol::{Size, WindowId};

/// Whose size the current window has.
#[derive(Debug)]
pub(crate) struct WindowSizing {
    /// This client was the last to use the window, which therefore has this client's size.
    pub(crate) leads: bool,
    /// The other client whose size it has.
    led_by: Option<u64>,
    /// A size that was requested and is not confirmed yet.
    requested: Option<(WindowId, Size)>,
}

impl Default for WindowSizing {
    fn default() -> Self {
        Self { leads: true, led_by: None, requested: None }
    }
}

impl WindowSizing {
    /// Forgets a request that a lost connection took with it.
    pub(crate) fn forget_request(&mut self) {
        self.requested = None;
    }

    /// Whether to request this size for a window; a size is requested once.
    pub(crate) fn request(&mut self, window: WindowId, size: Size) -> bool {
        self.requested.replace((window, size)) != Some((window, size))
    }

    /// Whether a size was requested and is not confirmed yet.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested.is_some()
    }

    /// Notes that a window has a new size.
    pub(crate) fn confirm(&mut self, window: WindowId, size: Size) {
        self.requested.take_if(|requested| *requested == (window, size));
    }

    /// Notes that another client uses the window now.
    pub(crate) fn yield_to(&mut self, client: Option<u64>) {
        self.leads = false;
        self.led_by = client;
    }

    /// Notes that a client is gone, and returns whether the window still has its size.
    pub(crate) fn client_left(&mut self, client: u64) -> bool {
        self.led_by.take_if(|by| *by == client).is_some() && !self.leads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_regains_its_size_when_the_other_client_detaches() {
        let (mut sizing, window) = (WindowSizing::default(), WindowId::from_bytes([1; 16]));
        let size = Size::new(80, 24);
        assert!(sizing.request(window, size) && !sizing.request(window, size), "requested once");
        sizing.confirm(window, size);
        assert!(sizing.request(window, size));
        assert!(!sizing.client_left(7));
        sizing.yield_to(Some(7));
        assert!(!sizing.client_left(8) && sizing.client_left(7));
    }
}
