"""The Python SDK as a client, over HTTP and standard input."""

import asyncio
import os

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def check(name, streams):
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        assert tools[:5] == ["run", "files", "sandbox", "requests", "tools"], tools
        result = await session.call_tool("run", {"language": "js", "code": "return [1, args.n]", "args": {"n": 2}})
        assert result.structured_content["result"] == [1, 2], result
        made = await session.call_tool("sandbox", {"action": "create"})
        sandbox = made.structured_content["sandbox"]
        given = {"action": "write", "sandbox": sandbox, "path": "/a", "text": "hello"}
        await session.call_tool("files", given)
        shell = await session.call_tool("run", {"language": "bash", "code": "cat /a", "sandbox": sandbox})
        assert shell.structured_content["stdout"] == "hello", shell
        manifest = {"action": "add", "name": f"twice_{name}", "description": "Doubles", "source": "return { n: args.n * 2 }"}
        await session.call_tool("tools", manifest)
        twice = await session.call_tool(f"twice_{name}", {"n": 21})
        assert twice.structured_content == {"n": 42}, twice
        wrong = await session.call_tool("run", {"language": "js", "code": "throw new Error('no')"})
        assert wrong.is_error, wrong
    print(f"python over {name}: ok")


async def main():
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        await check("http", streamable_http_client(os.environ["URL"], http_client=http))
    program = StdioServerParameters(command="cofferdam", args=["mcp"], env=dict(os.environ))
    await check("stdio", stdio_client(program))


asyncio.run(main())
