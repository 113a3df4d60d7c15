//! What a person is told when another host cannot be reached.

use crate::sshd::Hosts;

#[test]
fn a_wrong_host_key_is_told_in_the_words_of_ssh() {
    let hosts = Hosts::start();
    hosts.forge_known_host();
    let (code, _, err) = hosts.run(&["--host", "box", "ls"]);
    assert_eq!(code, 2);
    assert_eq!(
        err,
        "fugue: Cannot reach box: Host key verification failed.\nhint: `ssh box true` shows whether ssh works\n"
    );
}

#[test]
fn a_host_without_fugue_is_told_with_the_command_that_installs_it() {
    let hosts = Hosts::start_with_path("/nonexistent");
    let (code, _, err) = hosts.run(&["--host", "box", "ls"]);
    assert_eq!(
        (code, err.as_str()),
        (
            2,
            "fugue: fugue is not installed on box\nhint: `fugue hosts install box` installs this version there\n"
        )
    );
}

#[test]
fn a_host_without_a_daemon_is_named() {
    let hosts = Hosts::start();
    let (code, _, err) = hosts.run(&["--host", "box", "shutdown"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.starts_with("fugue: No fugue daemon is running on box\n"), "{err}");
}

#[test]
fn an_invalid_address_is_refused_before_ssh_sees_it() {
    let hosts = Hosts::start();
    let (code, _, err) = hosts.run(&["--host=-oProxyCommand=touch x", "ls"]);
    assert_eq!(code, 2);
    assert!(err.starts_with("fugue: Invalid host: -oProxyCommand=touch x\n"), "{err}");
    assert!(!hosts.here.path().join("x").exists());
}
