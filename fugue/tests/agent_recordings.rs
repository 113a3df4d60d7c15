//! The states of real agents in recordings of them (`agent_recordings/AGENT-SCENE.cast`). What `fugue agents test` prints
//! for each is in a text file beside it; `FUGUE_RENEW=1` writes these files.

use std::fs;
use std::path::{Path, PathBuf};

use fugue_testkit::TestServer;

fn recordings() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent_recordings");
    let files = fs::read_dir(directory).expect("the recordings").map(|file| file.expect("a file").path());
    let mut casts: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "cast")).collect();
    casts.sort();
    casts
}

#[test]
fn recorded_agents_have_the_states_that_they_had() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let recordings = recordings();
    assert!(recordings.len() > 20, "there are recordings of all four agents");
    for cast in recordings {
        let name = cast.file_stem().and_then(|name| name.to_str()).expect("a name");
        let agent = name.split('-').next().expect("an agent");
        let told = server.ok(&["agents", "test", cast.to_str().expect("a path"), "--agent", agent]);
        let expected = cast.with_extension("txt");
        if std::env::var_os("FUGUE_RENEW").is_some() {
            fs::write(&expected, &told).expect("the expected states");
        }
        assert_eq!(told, fs::read_to_string(&expected).unwrap_or_default(), "{name}");
    }
}

#[test]
fn a_file_that_is_not_a_recording_is_refused_with_the_line() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("x.cast");
    for (text, error) in [
        ("hello", "is not an asciicast recording"),
        (
            "{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n[0.1,\"o\",\"a\"]\n[oops]",
            "line 3: not an event",
        ),
    ] {
        fs::write(&file, text).expect("the file");
        let run = server.run(&["agents", "test", file.to_str().expect("a path")]);
        assert!(run.code != 0 && run.err.contains(error), "{}", run.err);
    }
}
