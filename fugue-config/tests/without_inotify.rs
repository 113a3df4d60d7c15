//! Files are looked at regularly while inotify is not available. This changes a limit of the whole process, so it is the
//! only test in its binary.

use fugue_config::FileWatch;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[test]
fn a_file_that_cannot_be_watched_is_looked_at_until_it_can_be() {
    let home = tempfile::tempdir().expect("a directory");
    let before = getrlimit(Resource::Nofile);
    // The kernel reports missing descriptors and missing inotify instances alike.
    setrlimit(Resource::Nofile, Rlimit { current: Some(0), ..before }).expect("a limit");
    let mut watch = FileWatch::of_content(&home.path().join("config.toml"));
    assert!(watch.fd().is_none() && watch.problem().is_some_and(|why| why.contains("in use")));
    assert_eq!(watch.take_changes(), 1, "it may have changed");
    setrlimit(Resource::Nofile, before).expect("a limit");
    watch.take_changes();
    assert!(watch.fd().is_some());
    assert_eq!((watch.take_changes(), watch.problem()), (0, None));
}
