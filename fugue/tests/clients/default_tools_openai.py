"""Loads the default list of tools into the OpenAI Agents SDK in strict mode, and calls each tool once. Called with the path
of fugue and of the calls; ends with DEFAULT TOOLS OK.

In strict mode, a model has to give every argument, so here each optional one is given: its default, an empty value, or a
value of its own choice. A tool with an open object, such as a message's payload, cannot be strict; the SDK then offers it
as it is.
"""

import asyncio
import importlib.metadata
import json
import os
import re
import sys

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStdio, MCPUtil
from agents.tool_context import ToolContext

VALUES = {"string": "", "array": [], "boolean": False, "integer": 1000}


def filled(tool, arguments: dict, known: dict) -> dict:
    """The arguments as a model in strict mode gives them. It takes numbers from earlier replies, if it knows them."""
    if not tool.strict_json_schema:
        return arguments
    values = {}
    for name, property in tool.params_json_schema["properties"].items():
        value = property["enum"][0] if "enum" in property else VALUES[property["type"]]
        values[name] = known.get(name, property.get("default", value))
    return {**values, **arguments}


async def main(fugue: str, calls: list) -> None:
    parameters = {"command": fugue, "args": ["mcp"], "env": dict(os.environ)}
    async with MCPServerStdio(params=parameters, client_session_timeout_seconds=30) as server:
        agent, context = Agent(name="test", mcp_servers=[server]), RunContextWrapper(context=None)
        tools = {tool.name: tool for tool in await MCPUtil.get_function_tools(server, True, context, agent)}
        assert sorted(tools) == sorted(name for name, _ in calls), tools
        fence = {}
        for name, arguments in calls:
            text = json.dumps(filled(tools[name], arguments, fence))
            call = ToolContext(context=None, tool_name=name, tool_call_id=name, tool_arguments=text)
            result = await tools[name].on_invoke_tool(call, text)
            shown = json.dumps(result, default=str)
            assert "hint: " not in shown and "rror" not in shown, (name, text, shown)
            fence |= {"fence": int(found[1])} if (found := re.search(r'fence\W+(\d+)', shown)) else {}
        strict = [name for name, tool in tools.items() if tool.strict_json_schema]
        print("openai-agents", importlib.metadata.version("openai-agents"), len(tools), "tools,", len(strict), "of them strict")


asyncio.run(asyncio.wait_for(main(sys.argv[1], json.load(open(sys.argv[2]))), 120))
print("DEFAULT TOOLS OK")
