//! An MCP client for tests: lines of JSON on a pipe, in either protocol era.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use fugue_testkit::{PATIENCE, TestServer};
use serde_json::{Value, json};

/// The protocol version of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-06-18: begins with a handshake.
    Initialize,
    /// 2026-07-28: stateless, every request is complete in itself.
    Stateless,
}

pub(crate) const ERAS: [Era; 2] = [Era::Initialize, Era::Stateless];

/// The binary under test.
pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_fugue")
}

pub(crate) fn test_server() -> TestServer {
    TestServer::new(binary())
}

/// An agent with its MCP server.
pub(crate) struct McpClient {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    era: Era,
    last_id: u64,
    /// Answers received while waiting for another one.
    answers: BTreeMap<u64, Value>,
    /// Notifications so far.
    pub(crate) notes: Vec<Value>,
}

impl McpClient {
    pub(crate) fn new(server: &TestServer, era: Era) -> Self {
        Self::start(server.command(&["mcp"]), era)
    }

    /// An agent whose MCP server runs in a pane.
    pub(crate) fn in_pane(server: &TestServer, pane: &str) -> Self {
        let mut bridge = server.command_for(pane, &["mcp"]);
        bridge.env("FUGUE_SOCKET", server.socket());
        Self::start(bridge, Era::Stateless)
    }

    /// An agent whose MCP server is started with this command.
    pub(crate) fn start(command: Command, era: Era) -> Self {
        let mut agent = Self::silent(command, era);
        if era == Era::Initialize {
            agent.initialize("2025-06-18");
        }
        agent
    }

    /// Begins the conversation in this version.
    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
        let mut answer = self.request_answered("initialize", hello);
        assert_eq!(answer["result"]["protocolVersion"], version);
        self.line(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string());
        answer["result"].take()
    }

    /// An agent that has not sent anything.
    pub(crate) fn silent(mut command: Command, era: Era) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the MCP server starts");
        let output = BufReader::new(child.stdout.take().expect("its output"));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).expect("every line is JSON"));
            }
        });
        let input = child.stdin.take();
        Self { child, input, lines, era, last_id: 0, answers: BTreeMap::new(), notes: Vec::new() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line unchanged.
    pub(crate) fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("an open input").write_all(bytes).expect("the MCP server reads");
    }

    /// Sends a request and returns its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        let line = self.request(method, params);
        self.line(&line);
        self.last_id
    }

    /// A request's line, not yet sent.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> String {
        self.last_id += 1;
        if self.era == Era::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }).to_string()
    }

    /// The answer to a request.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        let start = Instant::now();
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            let line = self.lines.recv_timeout(left).unwrap_or_else(|_| panic!("no answer to {id}"));
            self.keep(line);
        }
    }

    fn keep(&mut self, line: Value) {
        match line["id"].as_u64() {
            Some(id) => assert_eq!(self.answers.insert(id, line), None, "{id} is answered twice"),
            None => self.notes.push(line),
        }
    }

    /// Receives the next message.
    pub(crate) fn next(&mut self) {
        let line = self.lines.recv_timeout(PATIENCE).expect("a message");
        self.keep(line);
    }

    /// Receives messages for some time.
    pub(crate) fn listen(&mut self, time: Duration) {
        let start = Instant::now();
        while let Ok(line) = self.lines.recv_timeout(time.saturating_sub(start.elapsed())) {
            self.keep(line);
        }
    }

    /// Keeps what arrives until this is so.
    #[track_caller]
    pub(crate) fn listen_until(&mut self, is_so: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !is_so(self) {
            let line = self.lines.recv_timeout(PATIENCE.saturating_sub(start.elapsed()));
            let line = line.unwrap_or_else(|_| panic!("not so after {PATIENCE:?}: {:?}", self.notes));
            self.keep(line);
        }
    }

    pub(crate) fn request_answered(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub(crate) fn send_tool(&mut self, name: &str, arguments: Value) -> u64 {
        self.send("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    /// Calls a tool and returns its result, which may be an error.
    pub(crate) fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let id = self.send_tool(name, arguments);
        let mut answer = self.answer(id);
        assert_eq!(answer.get("error"), None, "a tool error is not a protocol error");
        check_schema(name, &answer["result"]);
        answer["result"].take()
    }

    /// Calls a tool that must succeed, and returns its structured content.
    pub(crate) fn ok(&mut self, name: &str, arguments: Value) -> Value {
        let mut result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{name}: {result}");
        let facts = result["structuredContent"].take();
        let text = result["content"][0]["text"].as_str().expect("a text");
        assert_eq!(
            serde_json::from_str::<Value>(text).expect("JSON"),
            facts,
            "text and structured content are equal"
        );
        facts
    }

    /// Calls a tool that must be refused, and returns the message.
    pub(crate) fn refused(&mut self, name: &str, arguments: Value) -> String {
        let result = self.tool(name, arguments);
        assert_eq!(
            (&result["isError"], result.get("structuredContent")),
            (&json!(true), None),
            "{name}: {result}"
        );
        text(&result)
    }

    /// Calls a tool that does not exist, and returns the message.
    pub(crate) fn unknown_tool(&mut self, name: &str) -> String {
        let id = self.send_tool(name, json!({}));
        let answer = self.answer(id);
        assert_eq!((answer.get("result"), &answer["error"]["code"]), (None, &json!(-32602)), "{answer}");
        answer["error"]["message"].as_str().expect("a message").to_owned()
    }

    /// Calls a tool that returns text.
    pub(crate) fn text(&mut self, name: &str, arguments: Value) -> String {
        let result = self.tool(name, arguments);
        assert_ne!(result["isError"], true, "{name}: {result}");
        assert_eq!(result.get("structuredContent"), None);
        text(&result)
    }

    /// Closes the input; answers can still be received.
    pub(crate) fn close_input(&mut self) {
        drop(self.input.take());
    }

    /// The number of answers not yet taken.
    pub(crate) fn unclaimed(&self) -> usize {
        self.answers.len()
    }

    /// Closes the input, and returns the exit status of the MCP server and how long it took to exit.
    pub(crate) fn end(mut self) -> (ExitStatus, Duration) {
        let start = Instant::now();
        drop(self.input.take());
        let status = self.child.wait().expect("it exits");
        (status, start.elapsed())
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Checks a result against the output schema of its tool, as strict clients do.
fn check_schema(tool: &str, result: &Value) {
    static SCHEMAS: LazyLock<HashMap<String, jsonschema::Validator>> = LazyLock::new(|| {
        let list = fugue_mcp::tool_list();
        let tools = list.as_array().expect("tools").iter();
        let schemas =
            tools.filter_map(|tool| Some((tool["name"].as_str()?.to_owned(), tool.get("outputSchema")?)));
        schemas
            .map(|(name, schema)| (name, jsonschema::validator_for(schema).expect("a valid schema")))
            .collect()
    });
    let content = result.get("structuredContent");
    match SCHEMAS.get(tool).filter(|_| result["isError"] != true) {
        Some(schema) => {
            let content = content.unwrap_or_else(|| panic!("{tool} has a schema but no structured content"));
            let errors: Vec<_> = schema.iter_errors(content).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{tool} breaks its own schema: {errors:?} in {content}");
        }
        None => assert_eq!(content, None, "{tool} has structured content but no schema"),
    }
}

pub(crate) fn text(result: &Value) -> String {
    result["content"][0]["text"].as_str().expect("a text").to_owned()
}
