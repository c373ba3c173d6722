"""The verb that serves agents."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated

import typer

from stemma_cli.output import say_json
from stemma_cli.runtime import connected


async def mcp(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the tools with their schemas, and serve nobody.")
    ] = False,
) -> None:
    """Serve an agent over MCP on stdin and stdout, in the name of whoever runs this.

    A program that has agents starts it; see `docs/agents.md`. It ends with its input.

    Example: stemma mcp
    """
    from stemma_mcp import build_server

    async with connected() as client:
        server = build_server(lambda _: nullcontext(client))
        if as_json:
            say_json(
                [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in await server.list_tools()]
            )
        else:
            await server.run_stdio_async()


VERBS = {"mcp": mcp}
