"""Loads the default list of tools with fastmcp, and calls each tool once. Called with the path of fugue and of the calls;
ends with DEFAULT TOOLS OK. fastmcp checks every reply against the tool's output schema, and raises on an error."""

import asyncio
import importlib.metadata
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main(fugue: str, calls: list) -> None:
    transport = StdioTransport(command=fugue, args=["mcp"], env=dict(os.environ))
    async with Client(transport) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert sorted(tools) == sorted(name for name, _ in calls), tools
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            assert result.content[0].text, (name, result)
        print("fastmcp", importlib.metadata.version("fastmcp"), len(tools), "tools")


asyncio.run(asyncio.wait_for(main(sys.argv[1], json.load(open(sys.argv[2]))), 120))
print("DEFAULT TOOLS OK")
