//! `fugue metrics`: the numbers, the OpenMetrics format, and the page over HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use fugue_testkit::TestServer;

/// The samples of a text by name and labels. Fails unless the text is OpenMetrics: families with a type and a
/// description, whose samples follow them and have the suffix of the type, and an end mark.
#[track_caller]
fn samples(text: &str) -> BTreeMap<String, f64> {
    let body = text.strip_suffix("# EOF\n").expect("the end mark");
    let name = regex::Regex::new("^[a-z_][a-z0-9_]*$").expect("a pattern");
    let sample = regex::Regex::new(r#"^([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\S+)$"#);
    let sample = sample.expect("a pattern");
    let (mut family, mut seen, mut found) = (None::<(String, &str)>, Vec::new(), BTreeMap::new());
    for line in body.lines() {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["#", "TYPE", new, of] => {
                assert!(name.is_match(new) && !seen.contains(&new.to_owned()), "{line}");
                seen.push(new.to_owned());
                let suffix = match of {
                    "gauge" => "",
                    "counter" => "_total",
                    "info" => "_info",
                    _ => panic!("{line}"),
                };
                family = Some((new.to_owned(), suffix));
            }
            ["#", "HELP", of, ..] => assert_eq!(family.as_ref().map(|(name, _)| name.as_str()), Some(of)),
            _ => {
                let parts = sample.captures(line).unwrap_or_else(|| panic!("{line}"));
                let (name, suffix) = family.clone().expect("a family");
                assert_eq!(&parts[1], format!("{name}{suffix}"), "{line}");
                let key = format!("{}{}", &parts[1], parts.get(2).map_or("", |labels| labels.as_str()));
                let value = parts[3].parse().unwrap_or_else(|_| panic!("{line}"));
                assert!(found.insert(key, value).is_none(), "{line}");
            }
        }
    }
    found
}

/// A server, which is killed when this is dropped.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn metrics_count_what_the_daemon_holds() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    let before = samples(&server.ok(&["metrics"]));
    assert_eq!(before["fugue_daemon_up"], 0.0);
    assert!(!server.socket().exists(), "no daemon was started");
    server.session("work", &["cat"]);
    server.session("other", &["cat"]);
    server.ok(&["send-orchestration", "-s", "work", "note", "{}"]);
    let now = samples(&server.ok(&["metrics"]));
    let expected = [
        ("fugue_daemon_up", 1.0),
        ("fugue_keeper_up", 1.0),
        ("fugue_sessions", 2.0),
        ("fugue_panes", 2.0),
        ("fugue_clients", 0.0),
        ("fugue_inbox_messages", 1.0),
        ("fugue_inbox_bytes", 2.0),
        ("fugue_inbox_largest_messages", 1.0),
        ("fugue_outbox_messages", 0.0),
        ("fugue_dead_letters", 0.0),
        ("fugue_receipts{state=\"queued\"}", 1.0),
        ("fugue_agents{state=\"working\"}", 0.0),
    ];
    for (name, value) in expected {
        assert_eq!(now.get(name), Some(&value), "{name}");
    }
    assert!(now["fugue_journal_bytes"] > 0.0 && now["fugue_daemon_start_time_seconds"] > 1e9, "{now:?}");
    assert!(!now.contains_key("fugue_relay_up"), "this host is in no fleet");
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    let config = "[fleet]\nhost = \"desk\"\nservers = [\"nats://127.0.0.1:1\"]\n";
    std::fs::write(server.path().join("config/fugue/config.toml"), config).expect("a configuration");
    let fleet = samples(&server.ok(&["metrics"]));
    assert_eq!(fleet["fugue_fleet_info{host=\"desk\"}"], 1.0);
    assert_eq!((fleet["fugue_relay_running"], fleet["fugue_relay_up"]), (0.0, 0.0));
    assert_eq!(
        (fleet["fugue_relay_healthy"], fleet["fugue_relay_trouble{kind=\"not_running\"}"]),
        (0.0, 1.0)
    );
    std::fs::write(server.path().join("config/fugue/config.toml"), "[fleet]\nhost = \"desk\"\n")
        .expect("a configuration");
    let fleet = samples(&server.ok(&["metrics"]));
    assert!(!fleet.contains_key("fugue_relay_up"), "the relays of other hosts reach it");
}

#[test]
fn metrics_are_served_over_http_on_loopback_only() {
    let server = TestServer::new(env!("CARGO_BIN_EXE_fugue"));
    server.session("work", &["cat"]);
    let refused = server.run(&["metrics", "--http", "0.0.0.0:0"]);
    assert!(refused.code == 2 && refused.err.contains("is not a loopback address\nhint: "), "{refused:?}");
    let mut command = server.command(&["metrics", "--http", "0"]);
    let mut serving = Serving(command.stdout(Stdio::piped()).spawn().expect("it runs"));
    let mut line = String::new();
    BufReader::new(serving.0.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    let address = line.trim().strip_prefix("Serving metrics at http://").expect("an address");
    let address = address.strip_suffix("/metrics").expect("a path").to_owned();
    let ask = |request: &str| {
        let mut client = TcpStream::connect(&address).expect("connected");
        write!(client, "{request}\r\nHost: x\r\n\r\n").expect("sent");
        let mut reply = String::new();
        client.read_to_string(&mut reply).expect("a reply");
        let (head, body) = reply.split_once("\r\n\r\n").expect("a head");
        (head.to_owned(), body.to_owned())
    };
    let (head, body) = ask("GET /metrics HTTP/1.1");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0"));
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    assert_eq!(samples(&body)["fugue_sessions"], 1.0);
    assert!(ask("GET / HTTP/1.1").0.starts_with("HTTP/1.1 404 "));
    assert!(ask("POST /metrics HTTP/1.1").0.starts_with("HTTP/1.1 405 "));
    // A client that sends nothing does not keep others from being served for long.
    let _silent = TcpStream::connect(&address).expect("connected");
    assert!(ask("GET /metrics HTTP/1.1").1.ends_with("# EOF\n"));
}
