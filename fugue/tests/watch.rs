//! Lists that are printed again after every change (`--watch`).

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use fugue_testkit::{TestServer, signal, until};

#[test]
fn a_watch_continues_after_a_crash_and_ends_with_the_daemon() {
    for (list, first) in [("agents", "no agents"), ("permissions", "no open dialogs")] {
        let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
        server.session("work", &["cat"]);
        let mut watch = server.command(&[list, "--watch"]).stdout(Stdio::piped()).spawn().expect("a watch");
        let mut lines = BufReader::new(watch.stdout.take().expect("its output")).lines();
        assert_eq!(lines.next().expect("a line").expect("text"), first);
        let daemon = server.daemon_pid();
        signal("KILL", daemon);
        until("the daemon is restarted", || server.daemon_pid() != daemon);
        assert!(watch.try_wait().expect("its state").is_none(), "{list}");
        server.ok(&["shutdown"]);
        assert!(watch.wait().expect("it ends").success(), "{list}");
        // A daemon that the watch had started again would not end.
        until("the daemon is gone", || server.process_in_lock("daemon").is_none());
    }
}
