//! `fugue mcp --http` for tests, and an HTTP client that sees every byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use fugue_testkit::{PATIENCE, TestServer};
use serde_json::{Value, json};

/// A running MCP server.
pub(crate) struct HttpServer {
    child: Child,
    /// What it printed before it served.
    pub(crate) announcement: Vec<String>,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
    pub(crate) token: String,
}

impl HttpServer {
    pub(crate) fn new(server: &TestServer) -> Self {
        Self::start(server, server.command(&["mcp", "--http", "127.0.0.1:0"]))
    }

    pub(crate) fn start(server: &TestServer, mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the MCP server starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let announcement: Vec<_> = output.lines().map_while(Result::ok).take(4).collect();
        let address = announcement[0].trim_start_matches("Serving MCP at http://").trim_end_matches("/mcp");
        let address = address.to_owned();
        let token = std::fs::read_to_string(server.state_dir().join("mcp-token")).unwrap_or_default();
        Self { child, announcement, address, token: token.trim_end().to_owned() }
    }

    /// A request with the token and the headers that every client sends.
    pub(crate) fn request(&self, method: &str) -> HttpRequest {
        HttpRequest {
            address: self.address.clone(),
            method: method.to_owned(),
            path: "/mcp".into(),
            headers: Vec::new(),
            body: String::new(),
        }
        .header("Host", &self.address)
        .header("Authorization", &format!("Bearer {}", self.token))
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json")
    }

    /// Sends a request of 2026-07-28.
    pub(crate) fn stateless(&self, method: &str, name: &str, mut params: Value) -> HttpResponse {
        let meta = &mut params["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let request = self.request("POST").header("MCP-Protocol-Version", "2026-07-28");
        let request = request.header("Mcp-Method", method).header("Mcp-Name", name);
        request.body(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).send()
    }

    /// Calls a tool in 2026-07-28.
    pub(crate) fn tool(&self, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        self.stateless("tools/call", name, params).message(1)["result"].take()
    }

    /// Begins a session of 2025-06-18, and returns its id.
    pub(crate) fn initialize(&self) -> String {
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
        let response = self.request("POST").body(&hello).send();
        assert_eq!(response.message(0)["result"]["protocolVersion"], "2025-06-18");
        let session = response.header("mcp-session-id").expect("a session");
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.in_session(&session).body(&ready).send().status, 202);
        session
    }

    /// A message in a session.
    pub(crate) fn in_session(&self, session: &str) -> HttpRequest {
        self.request("POST").header("Mcp-Session-Id", session).header("MCP-Protocol-Version", "2025-06-18")
    }

    /// Calls a tool in a session, and returns the answer.
    pub(crate) fn session_tool(&self, session: &str, name: &str, arguments: Value) -> Value {
        let params = json!({ "name": name, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        self.in_session(session).body(&call).send().message(7)["result"].take()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A request that is not sent yet.
#[derive(Clone)]
pub(crate) struct HttpRequest {
    address: String,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl HttpRequest {
    /// Sets a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn path(self, path: &str) -> Self {
        Self { path: path.into(), ..self }
    }

    pub(crate) fn body(self, message: &Value) -> Self {
        self.text(&message.to_string())
    }

    pub(crate) fn text(self, body: &str) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Sends it, and reads the response to its end.
    pub(crate) fn send(&self) -> HttpResponse {
        let mut stream = self.open();
        let mut bytes = Vec::new();
        // A server that refuses a body may close the connection before it has read all of it.
        if let Err(error) = stream.read_to_end(&mut bytes) {
            assert!(!bytes.is_empty(), "no response: {error}");
        }
        HttpResponse::parse(&bytes)
    }

    /// Sends it, and leaves the response to be read.
    pub(crate) fn open(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let head: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = self.body.len();
        let head = format!(
            "{} {} HTTP/1.1\r\n{head}Connection: close\r\nContent-Length: {length}\r\n\r\n",
            self.method, self.path
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        let _ = stream.write_all(self.body.as_bytes());
        stream
    }

    /// Sends it, and returns the events of its response as they come.
    pub(crate) fn events(&self) -> impl Iterator<Item = Event> + use<> {
        let mut lines = BufReader::new(self.open()).lines().map_while(Result::ok);
        std::iter::from_fn(move || {
            let mut event = Event::default();
            for line in lines.by_ref() {
                if let Some(id) = line.strip_prefix("id: ").or_else(|| line.strip_prefix("id:")) {
                    event.id = id.to_owned();
                } else if let Some(data) = line.strip_prefix("data:").filter(|data| !data.trim().is_empty()) {
                    event.message = serde_json::from_str(data).expect("JSON");
                } else if line.is_empty() && !event.message.is_null() {
                    return Some(event);
                }
            }
            None
        })
    }
}

/// An event of a stream.
#[derive(Debug, Default, Clone)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) message: Value,
}

/// A whole response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl HttpResponse {
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).expect("a status");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let status = status.parse().expect("a number");
        let chunked = headers.iter().any(|(name, _)| name == "transfer-encoding");
        let body = if chunked { without_chunks(body) } else { body.to_owned() };
        Self { status, headers, body }
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// All messages: the body, or the events in it.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.body.starts_with('{') {
            return vec![serde_json::from_str(&self.body).expect("JSON")];
        }
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        data.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).expect("JSON")).collect()
    }

    /// The answer with this id.
    pub(crate) fn message(&self, id: u64) -> Value {
        let messages = self.messages();
        messages
            .into_iter()
            .find(|message| message["id"] == id)
            .unwrap_or_else(|| panic!("no answer: {self:?}"))
    }
}

fn without_chunks(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        if size == 0 {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}
