//! MCP over HTTP: who is let in, both protocol eras, streams, rights and limits.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

use fugue_testkit::{PATIENCE, until};
use serde_json::{Value, json};

use crate::http_client::{HttpRequest, HttpServer};
use crate::mcp_client::test_server;

fn ping() -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" })
}

#[test]
fn only_clients_with_the_token_get_in() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let token = server.state_dir().join("mcp-token");
    assert_eq!(std::fs::metadata(&token).expect("a file").permissions().mode() & 0o777, 0o600);
    let said = http.announcement.join("\n");
    assert!(said.contains(&token.display().to_string()) && !said.contains(&http.token), "{said}");
    for authorization in ["", "Bearer", "Bearer 0", &format!("Basic {}", http.token), &http.token] {
        let response = http.request("POST").header("Authorization", authorization).body(&ping()).send();
        assert_eq!(response.status, 401, "{authorization}");
        assert_eq!(response.header("www-authenticate").as_deref(), Some("Bearer realm=\"fugue\""));
    }
    let response = http.request("POST").without("Authorization").body(&ping()).send();
    assert!(response.status == 401 && response.body.contains("Authorization: Bearer"), "{response:?}");
    assert_eq!(http.request("GET").path("/").send().status, 404);
    assert_eq!(http.tool("fugue_list_sessions", json!({}))["isError"], false);
    drop(http);
    let again = HttpServer::new(&server);
    assert!(again.announcement[3].contains("claude mcp add --transport http"), "{:?}", again.announcement);
    assert_eq!(again.tool("fugue_list_sessions", json!({}))["isError"], false, "the token stays the same");
}

#[test]
fn the_token_may_be_in_a_variable() {
    let server = test_server();
    let mut command = server.command(&["mcp", "--http", "127.0.0.1:0"]);
    command.env("FUGUE_MCP_TOKEN", "a-token-of-my-own");
    let http = HttpServer::start(&server, command);
    assert!(http.announcement[1].contains("FUGUE_MCP_TOKEN") && http.token.is_empty(), "no file is written");
    let status = |token: &str| {
        let request = http.request("GET").header("Authorization", &format!("Bearer {token}"));
        request.path("/other").send().status
    };
    assert_eq!(["a-token-of-my-own", "a-token-of-my-owm", ""].map(status), [404, 401, 401]);
}

#[test]
fn a_web_page_gets_nothing_even_with_the_token() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let request = || http.in_session(&session).body(&ping());
    for (header, value) in [
        ("Origin", "http://evil.example"),
        ("Origin", "http://localhost.evil.example:80"),
        ("Origin", "null"),
        ("Host", "evil.example"),
        ("Host", "evil.example:80"),
    ] {
        assert_eq!(request().header(header, value).send().status, 403, "{header}: {value}");
    }
    for origin in ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:1"] {
        assert_eq!(request().header("Origin", origin).send().status, 200, "{origin}");
    }
    assert_eq!(http.request("OPTIONS").header("Origin", "http://localhost:1").send().status, 405, "no CORS");
}

#[test]
fn it_listens_only_on_this_machine_and_only_with_a_private_token() {
    let server = test_server();
    let refused = |words: &[&str]| {
        let ran = server.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        ran.err
    };
    let why = refused(&["mcp", "--http", "0.0.0.0:1"]);
    assert!(why.contains("0.0.0.0 is not a loopback address"), "{why}");
    let taken = HttpServer::new(&server);
    let why = refused(&["mcp", "--http", &taken.address]);
    assert!(
        why.contains(&format!("Cannot listen on {}: ", taken.address)) && why.contains("\nhint: "),
        "{why}"
    );
    let file = server.path().join("token");
    let path = file.display().to_string();
    for (content, mode, expected) in [
        ("0123456789abcdef", 0o640, "is accessible to other users (mode 640)\nhint: chmod 600"),
        ("short", 0o600, "must have at least 16 characters"),
    ] {
        std::fs::write(&file, content).expect("a token");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("its mode");
        let why = refused(&["mcp", "--http", "127.0.0.1:0", "--token-file", &path]);
        assert!(why.contains(expected), "{why}");
    }
    let why = refused(&["mcp", "--token-file", &path]);
    assert!(why.contains("--http"), "{why}");
}

#[test]
fn both_eras_have_the_same_tools_prompts_and_resources() {
    let server = test_server();
    let pane = server.session("work", &["sh", "-c", "echo shown; cat"]);
    server.wait_for(&pane, "^shown$");
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let legacy = http.session_tool(&session, "fugue_list_sessions", json!({}));
    assert_eq!(legacy["structuredContent"]["sessions"][0]["name"], "work", "{legacy}");
    let stateless = http.tool("fugue_list_sessions", json!({}));
    assert_eq!(stateless["structuredContent"], legacy["structuredContent"]);
    for (method, name, params, found) in [
        ("tools/list", "", json!({}), "tools"),
        ("prompts/list", "", json!({}), "prompts"),
        ("prompts/get", "review", json!({ "name": "review", "arguments": { "session": "x" } }), "messages"),
        ("resources/read", "fugue://sessions", json!({ "uri": "fugue://sessions" }), "contents"),
    ] {
        let answer = http.stateless(method, name, params.clone());
        assert_eq!(
            (answer.status, answer.header("content-type").as_deref()),
            (200, Some("application/json"))
        );
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let in_session = http.in_session(&session).body(&message).send().message(7);
        assert_eq!(in_session["result"][found], answer.message(1)["result"][found], "{method}");
    }
    let unknown = http.stateless("tools/call", "fugue_dance", json!({ "name": "fugue_dance" })).message(1);
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn a_session_ends_when_its_client_deletes_it() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let (one, other) = (http.initialize(), http.initialize());
    assert_ne!(one, other);
    let of = |session: &str, method: &str| http.request(method).header("Mcp-Session-Id", session);
    assert_eq!(of(&one, "DELETE").send().status, 204);
    assert_eq!(of(&one, "POST").body(&ping()).send().status, 404, "the client is told to begin again");
    assert_eq!(of(&other, "POST").body(&ping()).send().status, 200);
    assert_eq!(http.request("POST").body(&ping()).send().status, 400, "a session is required");
    assert_eq!(of("no-such-session", "POST").body(&ping()).send().status, 404);
}

#[test]
fn an_invalid_message_is_answered_as_on_standard_input() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let session = http.initialize();
    for (body, code, id) in [
        ("not JSON", -32700, None),
        ("[]", -32600, None),
        (r#"{"jsonrpc":"2.0","id":5}"#, -32600, Some(5)),
        (r#"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}"#, -32602, Some(5)),
    ] {
        let response = http.in_session(&session).text(body).send();
        let error = &response.messages()[0];
        assert_eq!((response.status, &error["error"]["code"]), (400, &json!(code)), "{body}");
        assert_eq!(error.get("id").and_then(Value::as_u64), id, "{body}");
    }
    let wrong = http.in_session(&session).header("Content-Type", "text/plain").body(&ping()).send();
    assert_eq!(wrong.status, 415);
    assert_eq!(http.in_session(&session).header("Accept", "text/html").body(&ping()).send().status, 406);
}

/// A call with the id 7 that reports progress until the pane shows `now`.
fn wait_for_now(pane: &str) -> Value {
    let arguments = json!({ "pane_id": pane, "pattern": "^now$", "timeout_ms": 60_000 });
    let params = json!({ "name": "fugue_wait", "arguments": arguments, "_meta": { "progressToken": "p" } });
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params })
}

#[test]
fn progress_and_the_result_arrive_on_the_stream_of_the_call() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let mut events = http.in_session(&session).body(&wait_for_now(&pane)).events();
    let progress = events.next().expect("progress").message;
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    let same = http.in_session(&session).body(&ping()).send();
    assert_eq!((same.status, &same.message(7)["error"]["code"]), (400, &json!(-32600)), "the id is in use");
    assert_eq!(progress["params"]["progressToken"], "p");
    let message = progress["params"]["message"].as_str().expect("a message");
    assert!(message.starts_with(&format!("waiting for `^now$` in pane {pane}, ")), "{message}");
    server.ok(&["send-input", "-t", &pane, "now\n"]);
    let result = events.find(|event| event.message["id"] == 7).expect("a result").message;
    assert_eq!(result["result"]["structuredContent"]["outcome"], "matched", "{result}");
    assert!(events.next().is_none(), "the stream ends with the result");
    until("the id is free", || http.in_session(&session).body(&ping()).send().status == 200);
}

#[test]
fn a_call_goes_on_while_its_client_reconnects() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let mut events = http.in_session(&session).body(&wait_for_now(&pane)).events();
    let progress = events.next().expect("progress");
    drop(events);
    let stream = http.request("GET").header("Mcp-Session-Id", &session);
    let mut events = stream.header("Last-Event-ID", &progress.id).events();
    assert_eq!(events.next().expect("more progress").message["method"], "notifications/progress");
    server.ok(&["send-input", "-t", &pane, "now\n"]);
    let result = events.find(|event| event.message["id"] == 7).expect("a result").message;
    assert_eq!(result["result"]["structuredContent"]["outcome"], "matched", "{result}");
}

#[test]
fn a_cancelled_call_ends_its_stream() {
    let server = test_server();
    let pane = server.session("work", &["cat"]);
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let mut events = http.in_session(&session).body(&wait_for_now(&pane)).events();
    events.next().expect("progress");
    let cancel =
        json!({ "method": "notifications/cancelled", "params": { "requestId": 7 }, "jsonrpc": "2.0" });
    assert_eq!(http.in_session(&session).body(&cancel).send().status, 202);
    assert!(events.all(|event| event.message.get("result").is_none()), "no result follows");
    assert_eq!(http.session_tool(&session, "fugue_list_sessions", json!({}))["isError"], false);
}

#[test]
fn a_client_that_comes_back_gets_the_updates_it_missed() {
    let server = test_server();
    server.session("work", &["cat"]);
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let subscribe = json!({ "uri": "fugue://sessions" });
    let subscribe =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "resources/subscribe", "params": subscribe });
    assert!(http.in_session(&session).body(&subscribe).send().message(7)["result"].is_object());
    let stream = http.request("GET").header("Mcp-Session-Id", &session);
    let mut events = stream.events();
    server.session("second", &["cat"]);
    let first = events.next().expect("an update");
    assert_eq!(first.message["method"], "notifications/resources/updated", "{first:?}");
    drop(events);
    server.session("third", &["cat"]);
    // The last event may be repeated, but none is lost.
    let mut events = stream.header("Last-Event-ID", &first.id).events();
    let next = events.find(|event| event.id != first.id).expect("another update");
    assert_eq!(next.message["params"]["uri"], "fugue://sessions", "{next:?}");
    let wait = json!({ "session": "second", "until": "exit", "timeout_ms": 100 });
    assert_eq!(http.session_tool(&session, "fugue_wait", wait)["isError"], false, "the session goes on");
}

#[test]
fn a_client_has_the_rights_of_the_process_that_serves_it() {
    let server = test_server();
    std::fs::create_dir_all(server.path().join("config/fugue")).expect("a directory");
    let config = "[scopes]\n\"jailed\" = \"observe\"\n\"*\" = \"all\"\n";
    std::fs::write(server.path().join("config/fugue/config.toml"), config).expect("a configuration");
    let pane = server.session("jailed", &["cat"]);
    let outside = HttpServer::new(&server);
    let nobody = outside.tool("fugue_whoami", json!({}));
    assert!(nobody["content"][0]["text"].as_str().unwrap().contains("Not running inside fugue"), "{nobody}");
    assert_eq!(outside.tool("fugue_create_session", json!({ "name": "made" }))["isError"], false);
    let inside = HttpServer::start(&server, server.command_for(&pane, &["mcp", "--http", "127.0.0.1:0"]));
    assert_eq!(inside.tool("fugue_whoami", json!({}))["structuredContent"]["session_name"], "jailed");
    let refused = inside.tool("fugue_kill_session", json!({ "session": "made" }));
    assert_eq!(refused["isError"], true, "{refused}");
    let why = refused["content"][0]["text"].as_str().expect("a text");
    assert!(why.contains("observe"), "{why}");
    assert_eq!(inside.tool("fugue_list_sessions", json!({}))["isError"], false, "it may read");
}

#[test]
fn a_body_may_have_16_mib_and_no_more() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let body = |size: usize| {
        let (head, tail) = (r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":""#, "\"}}");
        format!("{head}{}{tail}", "x".repeat(size - head.len() - tail.len()))
    };
    let largest = http.in_session(&session).text(&body(16 << 20)).send();
    assert_eq!((largest.status, &largest.message(7)["result"]), (200, &json!({})));
    let response = http.in_session(&session).text(&body((16 << 20) + 1)).send();
    assert!(response.status == 413 && response.body.contains("exceeds the limit of 16 MiB"), "{response:?}");
}

#[test]
fn the_257th_connection_is_told_that_there_are_too_many() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let connect = || {
        let stream = TcpStream::connect(&http.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    };
    // Clients that have the token and keep their connections.
    let head =
        format!("GET /other HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\r\n", http.token);
    let known = || {
        let mut stream = connect();
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 404");
        stream
    };
    let mut open: Vec<_> = (0..256).map(|_| known()).collect();
    let mut answer = String::new();
    connect().read_to_string(&mut answer).expect("an answer");
    assert!(
        answer.starts_with("HTTP/1.1 503 ") && answer.ends_with("\r\n\r\nToo many connections\n"),
        "{answer}"
    );
    open.pop();
    let ping: HttpRequest = http.in_session(&session).body(&ping());
    until("there is room again", || ping.send().status == 200);
}

#[test]
fn three_hundred_idle_connections_of_somebody_without_the_token_lock_nobody_out() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let session = http.initialize();
    let mut idle: Vec<_> = (0..300).map(|_| TcpStream::connect(&http.address).expect("it listens")).collect();
    for _ in 0..3 {
        assert_eq!(http.in_session(&session).body(&ping()).send().status, 200);
    }
    idle[0].set_read_timeout(Some(PATIENCE)).expect("a timeout");
    assert_eq!(idle[0].read(&mut [0; 1]).expect("no error"), 0, "the oldest made room");
}

#[test]
fn the_65th_session_takes_the_place_of_the_one_unused_for_longest() {
    let server = test_server();
    let http = HttpServer::new(&server);
    let sessions: Vec<_> = (0..64).map(|_| http.initialize()).collect();
    let status = |session: &str| http.in_session(session).body(&ping()).send().status;
    assert_eq!(status(&sessions[0]), 200, "it is used again");
    let newest = http.initialize();
    assert_eq!([&sessions[0], &sessions[1], &newest].map(|session| status(session)), [200, 404, 200]);
}
