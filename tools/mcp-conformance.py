#!/usr/bin/env python3
"""Runs the official MCP conformance suite against `fugue mcp --http`.

    npm install @modelcontextprotocol/conformance@VERSION
    tools/mcp-conformance.py target/debug/fugue node_modules/@modelcontextprotocol/conformance [REVISION ...]

A revision is a set of required scenarios, such as 2026-07-28; releases before 0.2 know none, and run all scenarios. The
suite needs Node.js 22 and cannot send a token, so it goes through a proxy that adds it. The suite also expects tools,
prompts and resources that only its own test server has; the proxy replaces the names of those that fugue has a
counterpart of. The checks that need another one are listed by name below; they do not apply (docs/evidence/mcp-conformance.md).
Any other failure is printed, and the exit code is 1.
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
# The checks that do not apply, by scenario.
EXCUSED = {
    "elicitation-sep1034-defaults": "elicitation-sep1034-general",
    "elicitation-sep1330-enums": "elicitation-sep1330-general",
    "http-custom-header-server-validation":
        "sep-2243-server-no-xmcp-tool sep-2243-server-decode-base64 sep-2243-server-validate-param-match "
        "sep-2243-server-reject-invalid-param-chars sep-2243-server-reject-param-mismatch",
    "input-required-result-basic-elicitation": "sep-2322-elicitation-incomplete",
    "input-required-result-basic-list-roots": "sep-2322-list-roots-incomplete",
    "input-required-result-basic-sampling": "sep-2322-sampling-incomplete",
    "input-required-result-capability-check": "sep-2322-respect-client-capabilities",
    "input-required-result-multi-round": "sep-2322-multi-round-r1",
    "input-required-result-multiple-input-requests": "sep-2322-multiple-inputs-incomplete",
    "input-required-result-non-tool-request": "sep-2322-non-tool-incomplete",
    "input-required-result-request-state": "sep-2322-request-state-incomplete",
    "input-required-result-result-type": "sep-2322-result-type-included",
    "input-required-result-tampered-state": "sep-2322-reject-tampered-state",
    "json-schema-2020-12": "json-schema-2020-12-tool-found",
    "prompts-get-embedded-resource": "prompts-get-embedded-resource",
    "prompts-get-with-image": "prompts-get-with-image",
    "resources-read-binary": "resources-read-binary",
    "server-stateless":
        "sep-2575-server-rejects-undeclared-capability sep-2575-missing-capability-http-400 "
        "sep-2575-http-server-no-independent-requests-on-stream",
    "tasks-capability-negotiation":
        "tasks-extension-advertised sep-2663-tasks-methods-non-declaring "
        "sep-2663-server-rejects-undeclared-client tasks-per-request-meta-opt-in",
    "tasks-dispatch-and-envelope":
        "tasks-server-directed-creation-no-hint sep-2663-legacy-task-param-ignored "
        "tasks-immediate-result-shortcut tasks-result-type-complete-on-non-task-responses "
        "sep-2663-durable-create-strong-consistency sep-2663-tasks-get-invalid-task-id-32602",
    "tasks-lifecycle":
        "tasks-sync-tool-call sep-2663-result-type-task-on-create sep-2663-tasks-get-status-working "
        "sep-2663-tasks-get-status-completed sep-2663-tool-error-uses-completed-status "
        "sep-2663-tasks-get-status-failed sep-2663-cancel-ack-empty-result tasks-cancel-terminal-idempotent-ack",
    "tasks-mrtr-composition": "sep-2663-mrtr-synchronous-before-task-creation",
    "tasks-mrtr-input":
        "sep-2663-tasks-get-status-input-required tasks-mrtr-tasks-update-resumes tasks-mrtr-partial-fulfillment",
    "tasks-request-headers":
        "tasks-headers-tolerate-mcp-method-on-tools-call sep-2663-routing-headers-accepted-on-tasks-get "
        "sep-2663-server-rejects-mismatched-mcp-name-on-tasks-get",
    "tasks-request-state-removal": "tasks-request-state-removal-setup",
    "tasks-required-task-error": "sep-2663-server-returns-missing-capability-when-required",
    "tasks-wire-fields":
        "tasks-wire-field-renames tasks-no-early-ttl-expiry tasks-no-related-task-meta-on-inlined-result",
    "tools-call-audio": "tools-call-audio",
    "tools-call-elicitation": "tools-call-elicitation",
    "tools-call-embedded-resource": "tools-call-embedded-resource",
    "tools-call-mixed-content": "tools-call-mixed-content",
    "tools-call-sampling": "tools-call-sampling",
}
# The reasons for which they fail: what they ask for is only in the suite's test server. The scenarios for tasks, which
# are an extension, have no common reason.
FIXTURES = re.compile(
    r"Unknown (tool|prompt): \S*(test_|json_schema_)|Resource not found: test://|Not testable: server |"
    r"Tool '\w+' not found|Prerequisite failed|Expected InputRequiredResult|No tool|not found in tools/list"
)


def is_excused(scenario, check, why):
    """Whether a check that failed for this reason does not apply."""
    is_listed = check in EXCUSED.get(scenario, "").split()
    return is_listed and (scenario.startswith("tasks-") or FIXTURES.search(why) is not None)


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
            elif is_excused(scenario, check["id"], why):
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
