"""The agents of tools/orchestrations.py: MCP clients that act for a pane, and a count of what they call and read."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client


class Stumble(Exception):
    """Something that an agent did not expect."""


class Reply:
    """The result of a call: its text, and its structured content."""

    def __init__(self, text, facts):
        self.text, self.facts = text, facts

    def __getitem__(self, name):
        if name not in self.facts:
            raise Stumble(f"no `{name}` in {self.text[:200]}")
        return self.facts[name]

    def get(self, name, default=None):
        return self.facts.get(name, default)

    @property
    def header(self):
        """The first line of a reply that is text."""
        return self.text.split("\n", 1)[0]

    @property
    def lines(self):
        """The lines below the header."""
        return self.text.split("\n")[1:]


class Agent:
    """An agent in a pane. It knows only what the MCP server tells it."""

    def __init__(self, world, client):
        self.world, self.client, self.schemas = world, client, {}

    async def load_tools(self):
        tools = (await self.client.list_tools()).tools
        self.schemas = {tool.name: tool.input_schema["properties"] for tool in tools}
        shown = [{"name": t.name, "description": t.description, "inputSchema": t.input_schema} for t in tools]
        compact = [json.dumps(tool, separators=(",", ":"), ensure_ascii=False) for tool in shown]
        self.world.first_read = [*compact, self.client.instructions or ""]

    def has(self, tool, argument=None):
        """Whether the server lists a tool, or an argument of it. Older versions lack some."""
        properties = self.schemas.get(f"fugue_{tool}")
        return properties is not None and (argument is None or argument in properties)

    async def call(self, tool, **arguments):
        self.world.calls += 1
        name = f"fugue_{tool}"
        if name not in self.schemas and self.has("call"):
            # Agents' programs refuse to call a tool that is not listed.
            name, arguments = "fugue_call", {"tool": name, "arguments": arguments}
        try:
            result = await self.client.call_tool(name, arguments)
        except Exception as error:  # Whatever the SDK finds wrong with a reply.
            raise Stumble(f"{tool}: {str(error).splitlines()[0][:160]}") from error
        text = "\n".join(part.text for part in result.content if part.type == "text")
        self.world.texts.append(text)
        if result.is_error:
            raise Stumble(f"{tool}: {text.splitlines()[0][:160]}")
        facts = json.loads(text) if name == "fugue_call" else result.structured_content
        return Reply(text, facts or {})


class World:
    """A daemon in directories of its own, with a git repository and the session `lead`."""

    def __init__(self, binary):
        self.binary = str(pathlib.Path(binary).resolve())
        self.calls, self.texts, self.first_read = 0, [], []
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="fugue-"))
        self.repository = self.home / "app"
        self.env = {"PATH": os.environ["PATH"], "HOME": str(self.home), "SHELL": "/bin/bash", "TERM": "xterm-256color"}
        for name in ["RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"]:
            self.env[f"XDG_{name}"] = str(self.home / name)
            (self.home / name).mkdir(mode=0o700)
        self.clients = contextlib.AsyncExitStack()

    async def __aenter__(self):
        (self.repository / "src").mkdir(parents=True)
        (self.repository / "src/a.rs").write_text("fn main() {}\n")
        for words in [["init", "-q", "-b", "main"], ["config", "user.name", "a"], ["config", "user.email", "a@example.com"],
                      ["add", "."], ["commit", "-q", "-m", "first"]]:
            subprocess.run(["git", *words], cwd=self.repository, env=self.env, check=True)
        self.fugue("new", "-d", "-s", "lead")
        return self

    async def __aexit__(self, *_):
        await self.clients.aclose()
        self.fugue("shutdown")
        shutil.rmtree(self.home, ignore_errors=True)

    def fugue(self, *words):
        """Runs a command as the user, who is outside any pane."""
        ran = subprocess.run([self.binary, *words], cwd=self.repository, env=self.env, check=True, capture_output=True)
        return ran.stdout.decode()

    def kill_daemon(self):
        """Kills the daemon; the keeper starts another one."""
        os.kill(json.loads(self.fugue("server-status", "--json"))["pid"], signal.SIGKILL)

    async def agent(self, session):
        """An agent in the first pane of a session."""
        pane = json.loads(self.fugue("list-panes", "-s", session, "--json"))["panes"][0]
        variables = pathlib.Path(f"/proc/{pane['pid']}/environ").read_text().split("\0")
        identity = dict(line.split("=", 1) for line in variables if line.startswith("FUGUE_PANE_"))
        place = os.readlink(f"/proc/{pane['pid']}/cwd")
        server = StdioServerParameters(command=self.binary, args=["mcp"], env={**self.env, **identity}, cwd=place)
        client = await self.clients.enter_async_context(Client(stdio_client(server)))
        agent = Agent(self, client)
        await agent.load_tools()
        return agent


def tokens(texts):
    """The number of o200k_base tokens of each text, counted as tools/mcp-tokens.mjs does."""
    script = """const { encode } = require('gpt-tokenizer/cjs/encoding/o200k_base');
    const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
    console.log(JSON.stringify(texts.map((text) => encode(text).length)));"""
    counted = subprocess.run(["node", "-e", script], input=json.dumps(texts), check=True, capture_output=True, text=True)
    return json.loads(counted.stdout)
