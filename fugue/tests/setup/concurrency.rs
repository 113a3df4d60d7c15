//! Setups at the same time.

use std::fs;

use super::{FILES, Home, STYLES};

#[test]
fn setups_at_the_same_time_wait_for_each_other_and_are_undone_as_one() {
    for style in [STYLES[0], STYLES[2]] {
        let home = Home::new();
        // Some files exist, and some do not.
        FILES.iter().zip(style).skip(2).for_each(|(name, text)| home.write(name, text));
        let before = home.all();
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| home.setup(&["--yes"]))));
        });
        assert_eq!(home.run(&["setup", "--check"]).code, 0);
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| home.setup(&["--undo", "--yes"]))));
        });
        assert_eq!(home.all(), before);
    }
}

#[test]
fn a_setup_waits_for_one_that_is_running() {
    let home = Home::new();
    home.setup(&["--yes"]);
    let lock = fs::File::open(home.path("state/fugue/setup/.lock")).expect("a lock");
    lock.lock().expect("locked");
    let mut command = home.server.command(&["setup", "--undo", "--yes"]);
    command.env("PATH", home.path("bin")).stdout(std::process::Stdio::null());
    let mut undo = command.spawn().expect("the binary runs");
    fugue_testkit::until("it waits for the lock", || {
        let waiters = fs::read_to_string("/proc/locks").expect("the locks");
        waiters.lines().any(|line| line.contains("->") && line.contains(&undo.id().to_string()))
    });
    assert!(home.read(".claude.json").is_some_and(|text| text.contains("fugue")), "nothing is undone yet");
    drop(lock);
    assert!(undo.wait().expect("its end").success());
    assert_eq!(home.read(".claude.json"), None);
}
