"""The official Python SDK before `fugue mcp`, in both eras. Called with the path of fugue; ends with PYTHON OK."""

import asyncio
import json
import os
import sys

from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client


async def talk(mode: str) -> None:
    server = StdioServerParameters(command=sys.argv[1], args=["mcp"], env=dict(os.environ))
    async with Client(stdio_client(server), mode=mode) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert tools[0] == "fugue_whoami" and "fugue_create_pane" in tools, tools
        # A client with a pinned version skips discovery, so it has no instructions.
        assert mode == "2026-07-28" or "fugue_wait" in (client.instructions or "")

        made = await client.call_tool("fugue_create_session", {"command": "cat"})
        facts = made.structured_content
        assert not made.is_error and facts["dimensions"] == {"cols": 80, "rows": 24}, made
        assert json.loads(made.content[0].text) == facts

        pane = facts["pane_id"]
        await client.call_tool("fugue_send_input", {"pane_id": pane, "input": "from python\n"})
        waited = await client.call_tool("fugue_wait", {"pane_id": pane, "pattern": "^from python$"})
        assert waited.structured_content["outcome"] == "matched", waited
        read = await client.call_tool("fugue_get_output", {"pane_id": pane, "lines": 10})
        assert read.structured_content is None and "\nfrom python\n" in read.content[0].text, read

        ran = await client.call_tool("fugue_run", {"session": facts["session_id"], "command": "printf 'no newline'; exit 3"})
        assert ran.structured_content is None and ran.content[0].text.startswith("exit 3 · pane "), ran
        assert ran.content[0].text.endswith("\nno newline"), ran
        parts = {"direction": "right", "children": [{"command": "cat"}, {"command": "bash", "name": "shell", "ratio": 2}]}
        window = await client.call_tool("fugue_create_layout", {"session": facts["session_id"], "layout": parts})
        shell = window.structured_content["panes"][1]["pane_id"]
        ran = await client.call_tool("fugue_run", {"pane_id": shell, "command": "false"})
        assert ran.content[0].text.startswith("exit 1 · pane ") and f"{shell} · " in ran.content[0].text, ran

        who = await client.call_tool("fugue_whoami", {})
        assert who.is_error and json.loads(who.content[0].text)["error"] == "Not running inside fugue", who
        none = await client.call_tool("fugue_create_pane", {"session": "nobody"})
        assert none.is_error and none.content[0].text.startswith("Session not found: nobody\nhint: "), none

        told = []

        async def progress(done: float, total: float | None, message: str | None) -> None:
            told.append((done, total, message))

        args = {"pane_id": pane, "until": "exit", "timeout_ms": 2500}
        waited = await client.call_tool("fugue_wait", args, progress_callback=progress)
        assert waited.structured_content["outcome"] == "timeout" and len(told) == 1, (waited, told)

        many = [client.call_tool("fugue_get_tags", {"session": facts["session_id"]}) for _ in range(50)]
        answers = await asyncio.gather(*many)
        assert all(answer.structured_content["session_id"] == facts["session_id"] for answer in answers)

        address = f"fugue://panes/{pane}"
        screen = await client.read_resource(address)
        assert "from python" in screen.contents[0].text, screen
        if mode != "legacy":
            async with client.listen(resource_subscriptions=[address]) as changes:
                await client.call_tool("fugue_send_input", {"pane_id": pane, "input": "news\n"})
                change = await asyncio.wait_for(anext(aiter(changes)), 10)
                assert address in repr(change), change
        ended = await client.call_tool("fugue_kill_session", {"session": facts["session_id"]})
        assert ended.structured_content == {"done": True}, ended
        print(mode, client.protocol_version, len(tools), "tools")


for mode in ("legacy", "auto", "2026-07-28"):
    asyncio.run(asyncio.wait_for(talk(mode), 60))
print("PYTHON OK")
