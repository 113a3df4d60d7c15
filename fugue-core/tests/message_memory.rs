//! The memory of an unread message. A separate test binary, since it counts all allocations.

#![allow(unsafe_code, reason = "an allocator that counts can only be written this way")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use fugue_core::inbox::{MessageStore, StoredMessage};
use fugue_protocol::agent_messages::{MessageHeader, Receipt};
use fugue_protocol::{MessageId, PaneId, SessionId};
use serde_json::json;

struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SESSIONS: usize = 20;
const MESSAGES: usize = 20_000;

fn id(number: usize, kind: u8) -> [u8; 16] {
    let mut bytes = [kind; 16];
    bytes[8..].copy_from_slice(&(number as u64).to_be_bytes());
    bytes
}

/// A message from one session to another, with a key, as agents send it.
fn message(number: usize, sessions: &[SessionId]) -> StoredMessage {
    let (from, to) = (sessions[number % SESSIONS], sessions[(number + 1) % SESSIONS]);
    let header: MessageHeader = serde_json::from_value(json!({
        "message": MessageId::from_bytes(id(number, 1)),
        "from": { "session": from, "name": "worker-1", "pane": PaneId::from_bytes(id(number % SESSIONS, 2)) },
        "target": { "session": "worker-2" },
        "recipients": [{ "session": to, "name": "worker-2" }],
        "msg_type": "status_update",
        "bytes": 100,
        "sent_at": 1,
        "expires_at": 2,
        "key": format!("key-{number}"),
        "digest": number as u64,
    }))
    .expect("a header");
    StoredMessage::new(number as u64 + 1, header, [(to, Receipt::default())].into_iter().collect())
}

#[test]
fn an_unread_message_takes_less_than_four_hundred_bytes() {
    let sessions: Vec<_> = (0..SESSIONS).map(|number| SessionId::from_bytes(id(number, 3))).collect();
    let before = IN_USE.load(Ordering::Relaxed);
    let store = MessageStore::from_stored((0..MESSAGES).map(|number| message(number, &sessions)), 0);
    let each = (IN_USE.load(Ordering::Relaxed) - before) / MESSAGES;
    assert_eq!(sessions.iter().map(|session| store.count(*session)).sum::<usize>(), MESSAGES);
    println!(
        "{each} bytes a message; with its header {}, receipt {}",
        size_of::<StoredMessage>(),
        size_of::<Receipt>()
    );
    // The message in a box (160), its key, which receipt is whose (24), and five indexes. A route is shared.
    assert!(each <= 400, "an unread message takes {each} bytes");
}
