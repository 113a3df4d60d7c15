#!/usr/bin/env python3
"""Runs the official MCP conformance suite against `fugue mcp --http`.

    npm install @modelcontextprotocol/conformance@VERSION
    tools/mcp-conformance.py target/debug/fugue node_modules/@modelcontextprotocol/conformance [REVISION ...]

A revision is a set of required scenarios, such as 2026-07-28; releases before 0.2 know none, and run all scenarios. The
suite needs Node.js 22 and cannot send a token, so it goes through a proxy that adds it. The suite also expects tools,
prompts and resources that only its own test server has; the proxy replaces the names of those that fugue has a
counterpart of. Checks that need another one do not apply (docs/mcp-conformance.md); any other failure is printed, and
the exit code is 1.
"""

import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# The counterparts of the suite's fixtures: a name, and the arguments of a call.
COUNTERPARTS = {
    "test_simple_text": ("fugue_list_sessions", {}),
    "test_error_handling": ("fugue_get_tags", {"session": "missing"}),
    "test_image_content": ("fugue_screenshot", {"session": "work"}),
    "test_tool_with_progress": ("fugue_wait", {"session": "work", "until": "exit", "timeout_ms": 7000}),
    "test_tool_with_logging": ("fugue_wait", {"session": "work", "until": "exit", "timeout_ms": 5000}),
    "test_logging_tool": ("fugue_list_sessions", {}),
    "test_simple_prompt": ("handoff", {"session": "work"}),
    "test_prompt_with_arguments": ("review", {"session": "testValue1", "focus": "testValue2"}),
    "test://static-text": ("fugue://sessions", {}),
    "test://template/123/data": ("fugue://panes/shows-123", {}),
    "test://watched-resource": ("fugue://sessions", {}),
}
# A check that fails for one of these reasons asked for something that only the suite's test server has.
FIXTURES = re.compile(
    r"Unknown (tool|prompt): \S*(test_|json_schema_)|Resource not found: test://|Not testable: server |"
    r"Tool '\w+' not found|Prerequisite failed|Expected InputRequiredResult|No tool|not found in tools/list"
)


async def copy(reader, writer):
    """Copies until the end."""
    try:
        while data := await reader.read(1 << 16):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


def with_counterpart(message):
    """The message with fugue's own name in place of the fixture's."""
    params = message.get("params", {}) if isinstance(message, dict) else {}
    holder = params.get("ref", params)
    key = next((key for key in ["name", "uri"] if holder.get(key) in COUNTERPARTS), None)
    if key:
        holder[key], arguments = COUNTERPARTS[holder[key]]
        if holder is not params:
            params["argument"]["name"] = "focus"
        elif key == "name":
            params["arguments"] = arguments
    return message


def forwarded(head, body, token):
    """The request as the server gets it."""
    fixture = re.search(rb"(?im)^mcp-name: *([^\r]*)", head)
    if fixture and fixture[1].decode() in COUNTERPARTS:
        head = head.replace(fixture[1], COUNTERPARTS[fixture[1].decode()][0].encode())
    try:
        body = json.dumps(with_counterpart(json.loads(body))).encode()
    except ValueError:
        pass
    head = re.sub(rb"(?im)^content-length:.*\r\n", b"", head)
    request, rest = head.split(b"\r\n", 1)
    extra = b"\r\nAuthorization: Bearer " + token + b"\r\nContent-Length: " + str(len(body)).encode() + b"\r\n"
    return request + extra + rest + body


async def add_token(reader, writer, port, token):
    """Forwards the requests of a connection, each with the token."""
    server_reader, server = await asyncio.open_connection("127.0.0.1", port)
    answers = asyncio.create_task(copy(server_reader, writer))
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?im)^content-length: *(\d+)", head)
            body = await reader.readexactly(int(length[1]) if length else 0)
            server.write(forwarded(head, body, token))
            await server.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        server.close()
    finally:
        answers.cancel()


def applicable_failures(results):
    """The number of checks that passed, those that do not apply, and the failures."""
    passed, not_applicable, failures = 0, [], []
    for file in sorted(results.glob("*/checks.json")):
        scenario = re.sub(r"^server-|-\d+-\d+-\d+T.*$", "", file.parent.name)
        for check in json.loads(file.read_text()):
            why = check.get("errorMessage") or json.dumps(check.get("details"))
            if check["status"] != "FAILURE":
                passed += check["status"] == "SUCCESS"
            elif scenario.startswith("tasks-") or FIXTURES.search(why):
                not_applicable.append(f"{scenario}: {check['id']}")
            else:
                failures.append(f"{scenario}: {check['id']}: {why[:300]}")
    return passed, not_applicable, failures


async def run_suite(suite, port, revision, directory):
    """Runs the suite once, and returns whether all checks that apply passed."""
    results = directory / f"results-{revision}"
    words = ["node", f"{suite}/dist/index.js", "server", "--url", f"http://127.0.0.1:{port}/mcp", "-o", str(results)]
    words += ["--requirements", revision] if revision else []
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.DEVNULL)
    await process.wait()
    passed, not_applicable, failures = applicable_failures(results)
    numbers = f"{passed} passed, {len(failures)} failed, {len(not_applicable)} not applicable"
    print(f"{revision or 'all scenarios'}: {numbers}")
    lines = [f"  failed: {failure}" for failure in failures]
    lines += [f"  not applicable: {check}" for check in not_applicable]
    print("\n".join(lines))
    return passed > 0 and not failures


async def main(fugue, suite, *revisions):
    with tempfile.TemporaryDirectory(prefix="fugue-") as directory:
        directory = pathlib.Path(directory)
        for name in ["RUNTIME_DIR", "STATE_HOME", "CONFIG_HOME"]:
            os.environ[f"XDG_{name}"] = str(directory / name)
            (directory / name).mkdir(mode=0o700)
        shows = ["new", "-d", "-s", "work", "--", "sh", "-c", "echo 123; cat"]
        for words in [shows, ["rename-pane", "-s", "work", "shows-123"]]:
            subprocess.run([fugue, *words], check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen([fugue, "mcp", "--http", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)/mcp", server.stdout.readline())[1])
            token = (directory / "STATE_HOME/fugue/default/mcp-token").read_bytes().strip()
            forward = lambda reader, writer: add_token(reader, writer, port, token)
            proxy = await asyncio.start_server(forward, "127.0.0.1", 0, limit=1 << 20)
            proxy_port = proxy.sockets[0].getsockname()[1]
            ran = [await run_suite(suite, proxy_port, revision, directory) for revision in revisions or [""]]
        finally:
            server.kill()
            subprocess.run([fugue, "shutdown"], check=True, stdout=subprocess.DEVNULL)
    return 0 if all(ran) else 1


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(*sys.argv[1:])))
