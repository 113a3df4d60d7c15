//! A process that has no room for the descriptors of a program still learns that the program was started. The only test
//! of its file, since it limits the open files of its process.

use std::fs::File;
use std::os::fd::AsFd;

use fugue_keeper::{Link, Message};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[test]
fn a_started_program_is_reported_even_if_its_descriptors_do_not_fit() {
    let (keeper, daemon) = Link::pair().expect("a link");
    let null = File::open("/dev/null").expect("null");
    let next = std::os::fd::AsRawFd::as_raw_fd(&null.try_clone().expect("a descriptor"));
    let started = Message::Spawned { pane: [7; 16], pid: 42 };
    keeper.send(&started, &[null.as_fd(); 5]).expect("sent");
    let limit = Rlimit { current: Some(u64::from(next.cast_unsigned()) + 2), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).expect("a lower limit");
    let (received, fds) = daemon.try_recv().expect("no error").expect("a message");
    assert_eq!((received, fds.len()), (started, 0), "those that did fit are closed");
    File::open("/dev/null").expect("there is room again");
}
