"""Loads the default list of tools with a version of the official Python SDK, and calls each tool once.

Called with the path of fugue and of the calls; ends with DEFAULT TOOLS OK. Since 1.10, the SDK checks every reply against
the tool's output schema.
"""

import asyncio
import importlib.metadata
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(fugue: str, calls: list) -> None:
    server = StdioServerParameters(command=fugue, args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert sorted(tools) == sorted(name for name, _ in calls), tools
        for name, arguments in calls:
            result = await session.call_tool(name, arguments)
            # The name of this field depends on the version.
            is_error = result.isError if hasattr(result, "isError") else result.is_error
            assert not is_error and result.content[0].text, (name, result)
        print("mcp", importlib.metadata.version("mcp"), len(tools), "tools")


asyncio.run(asyncio.wait_for(main(sys.argv[1], json.load(open(sys.argv[2]))), 120))
print("DEFAULT TOOLS OK")
