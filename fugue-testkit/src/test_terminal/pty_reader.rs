//! The master side of the PTY: its size, and a thread that reads the output and can be paused.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};

use fugue_screen::Size;
use rustix::termios::{Winsize, tcsetwinsize};

pub(super) fn set_size(master: &impl AsFd, size: Size) {
    let window = Winsize { ws_col: size.cols, ws_row: size.rows, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(master, window).expect("a size");
}

/// Reads output in a thread of its own, so that a test can wait for it with a time limit.
pub(super) fn spawn_reader(mut master: File, gate: Arc<Gate>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(count @ 1..) = master.read(&mut buffer) {
            if sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
            gate.wait();
        }
    });
    receiver
}

/// Pauses the reader while it is shut.
#[derive(Default)]
pub(super) struct Gate {
    shut: Mutex<bool>,
    changed: Condvar,
}

impl Gate {
    pub(super) fn set(&self, shut: bool) {
        *self.shut.lock().expect("nobody panics here") = shut;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let shut = self.shut.lock().expect("nobody panics here");
        drop(self.changed.wait_while(shut, |shut| *shut));
    }
}
