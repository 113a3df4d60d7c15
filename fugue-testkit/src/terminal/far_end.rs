//! The far end of a terminal: its size, and a thread that reads what is written to it until it is held up.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex};

use fugue_screen::Size;
use rustix::termios::{Winsize, tcsetwinsize};

pub(super) fn resize(master: &impl AsFd, size: Size) {
    let window = Winsize { ws_col: size.cols, ws_row: size.rows, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(master, window).expect("a size");
}

/// Reads in a thread of its own, so that a test can wait with an end.
pub(super) fn listen(mut master: File, stopped: Arc<Gate>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut piece = vec![0; 64 << 10];
        while let Ok(count @ 1..) = master.read(&mut piece) {
            if sender.send(piece[..count].to_vec()).is_err() {
                break;
            }
            stopped.wait();
        }
    });
    receiver
}

/// Holds up whoever reads while it is shut.
#[derive(Default)]
pub(super) struct Gate {
    shut: Mutex<bool>,
    moved: Condvar,
}

impl Gate {
    pub(super) fn set(&self, shut: bool) {
        *self.shut.lock().expect("nobody panics here") = shut;
        self.moved.notify_all();
    }

    fn wait(&self) {
        let shut = self.shut.lock().expect("nobody panics here");
        drop(self.moved.wait_while(shut, |shut| *shut));
    }
}
